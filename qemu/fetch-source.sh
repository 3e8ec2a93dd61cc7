#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fetch-source.sh RECIPE
#
# Puts the recipe's source, as its Debian package has it, into the cache (once)
# and prints its directory. Its last component is the source's identity, the
# SHA-256 of the package's tarball. Nobody changes a file there.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

# download_from OPTIONS...: try one apt configuration. As an ordinary user or as
# root; in the current directory.
download()
{
	[ "$(id -u)" -ne 0 ] || set -- -o APT::Sandbox::User=root "$@"
	apt-get -q -o Acquire::Retries=3 "$@" download "$package" >>"$log" 2>&1
}

# mirrors: the addresses of Debian archives in the machine's own configuration
mirrors()
{
	# The variables are apt's.
	# shellcheck disable=SC2016
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
		sort -u | grep -i debian
}

# download_private: try the recipe's suites at the machine's mirrors, through a
# configuration of our own that leaves the machine's alone
download_private()
{
	local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	local mirror suite
	local options=(
		-o Dir::Etc::SourceList="$PWD/apt/sources.list"
		-o Dir::Etc::SourceParts=/dev/null
		-o Dir::State::Lists="$PWD/apt/lists"
		-o Dir::Cache="$PWD/apt/cache"
	)

	mkdir -p apt/lists/partial apt/cache/archives/partial
	for mirror in $(mirrors); do
		for suite in $suites; do
			echo "deb [signed-by=$keyring] $mirror $suite main" \
				>apt/sources.list
			# Most pairs of mirror and suite do not exist.
			apt-get -q "${options[@]}" \
				-o APT::Sandbox::User=root \
				-o APT::Update::Error-Mode=any update \
				>>"$log" 2>&1 || continue
			download "${options[@]}" && return
		done
	done
	return 1
}

# unpack DEB: leaves tree/ and prints the tarball's SHA-256
unpack()
{
	local tarball=$package.tar.xz

	{
		dpkg-deb --fsys-tarfile "$1" |
			tar -xO "./usr/src/$tarball" >"$tarball" &&
			mkdir tree &&
			tar -xf "$tarball" -C tree --strip-components=1
	} 2>>"$log" || return
	hash <"$tarball"
}

fetch()
{
	local deb id version scratch

	say "getting $package (about 150 MB) ..."
	scratch=$(mktemp -d "$cache/sources/.tmp.XXXXXX") || exit
	log=$scratch/log
	cd "$scratch"
	download || download_private || {
		grep -qs 'No space left' "$log" && failed "$log" "$package"
		grep '^E:' "$log" | tail -n 1 >&2 || :
		rm -rf "$scratch"
		die "cannot get the package $package (suites: $suites);" \
			"check the network, or give a source tree: KSRC=DIR"
	}
	deb=$(echo "$package"_*.deb)
	version=${deb#*_}
	say "unpacking $package ${version%_*} ..."
	id=$(unpack "$deb") || failed "$log" "cannot unpack $deb"
	[ -d "$cache/sources/$id" ] || mv tree "$cache/sources/$id"
	echo "$id ${version%_*}" >pointer
	mv pointer "$pointer"
	cd "$cache"
	rm -rf "$scratch"
}

# known: print the directory if the source is there
known()
{
	local id rest

	read -r id rest 2>/dev/null <"$pointer" &&
		[ -d "$cache/sources/$id" ] && echo "$cache/sources/$id"
}

recipe=$(recipe_file "${1:?usage: fetch-source.sh RECIPE}")
read -r kind package suites <<<"$(values "$recipe" source)"
[ "$kind" = debian ] ||
	die "$recipe: source $kind is not one of: debian"
pointer=$cache/sources/debian-$package

if [ -n "${2-}" ]; then die "usage: fetch-source.sh RECIPE"; fi
known && exit
need_cache
mkdir -p "$cache/sources"
take_lock sources
known && exit
sweep "$cache/sources"
command -v apt-get dpkg-deb >/dev/null ||
	die "$package comes as a Debian package and this machine has no apt-get;" \
		"give a source tree: KSRC=DIR"
fetch
known

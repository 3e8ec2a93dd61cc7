# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # used by those who source it
#
# What the builder's scripts share: messages, the cache, locks, recipes.
# Sourced after "set -euo pipefail". Results go to stdout, everything that is
# said to a person goes to stderr.

export LC_ALL=C
qemu_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kernels_dir=$qemu_dir/kernels
patches_dir=$qemu_dir/patches
configs_dir=$qemu_dir/configs
cache=${XDG_CACHE_HOME:-${HOME:?HOME is not set}/.cache}/reclaimlab

say()
{
	printf '%s\n' "$*" >&2
}

die()
{
	say "$(basename "$0"): $*"
	exit 1
}

# need_cache: the cache exists and can be written to
need_cache()
{
	local probe=$cache/locks/.probe.$$

	# What the shell or mkdir says is replaced by one line that helps.
	if ! mkdir -p "$cache/locks" 2>/dev/null ||
	   ! { echo >"$probe"; } 2>/dev/null; then
		rm -f "$probe" 2>/dev/null || :
		die "cannot write to the cache $cache: $(cache_state);" \
			"make room or set XDG_CACHE_HOME to another directory"
	fi
	rm -f "$probe"
}

# cache_state: why nothing can be written
cache_state()
{
	local dir=$cache free

	until [ -e "$dir" ]; do
		dir=$(dirname "$dir")
	done
	free=$(df --output=avail -m "$dir" | tail -n 1)
	if [ "$free" -lt 8 ]; then
		echo "the disk is full"
	else
		echo "read-only or not permitted"
	fi
}

# failed LOG MESSAGE...: end after a step whose output is in LOG, with the
# reason if it is the disk and with the last lines of the log otherwise
failed()
{
	local log=$1

	shift
	if grep -qs 'No space left on device\|Disk quota exceeded' "$log"; then
		die "$*: the disk is full (a kernel takes about 5 GB of $cache)"
	fi
	tail -n 5 "$log" >&2 || :
	die "$*; all of it is in $log"
}

# take_lock NAME: hold a lock of the cache until this process ends. What it
# starts inherits the lock, so that the leftovers of a killed builder still
# count as working.
take_lock()
{
	local file=$cache/locks/$1 fd

	exec {fd}>"$file"
	flock --nonblock "$fd" && return
	say "waiting for another caller that works on $1 ..."
	flock "$fd"
}

# sweep DIRECTORY: remove what killed callers left there; needs the lock
sweep()
{
	rm -rf "$1"/.tmp.*
}

# hash: SHA-256 of stdin
hash()
{
	sha256sum | cut -d ' ' -f 1
}

# values FILE KEY: the values of a key in a text table, one a line
values()
{
	awk -v key="$2" '
		{ sub(/[ \t]*#.*/, "") }
		$1 == key { sub(/^[ \t]*[^ \t]+[ \t]*/, ""); print }' "$1"
}

recipe_names()
{
	local file

	for file in "$kernels_dir"/*.recipe; do
		basename "$file" .recipe
	done
}

# recipe_file NAME: its path
recipe_file()
{
	local file=$kernels_dir/$1.recipe

	[ -f "$file" ] ||
		die "no recipe \"$1\"; there are: $(recipe_names | paste -sd ' ')"
	echo "$file"
}

# source_version DIR: 6.12.117
source_version()
{
	awk '$1 ~ /^(VERSION|PATCHLEVEL|SUBLEVEL)$/ && $2 == "=" {
		v = v sep $3; sep = "."
	} NR > 6 { exit } END { print v }' "$1/Makefile"
}

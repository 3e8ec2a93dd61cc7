#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# deps.sh GROUP...
#
# Sees to it that what the groups need (deps.list) is there: silent if it is,
# installs it on Debian as root, and otherwise says what is missing and ends
# with status 2.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
# mke2fs is not on everybody's path.
PATH=$PATH:/usr/sbin:/sbin

# table GROUP...: lines "package|probe|purpose" of the groups
table()
{
	awk -F ' *[|] *' -v groups="$*" '
		BEGIN { n = split(groups, group, " ") }
		/^[^#]/ && NF == 4 {
			for (i = 1; i <= n; i++) {
				if (index(" " $2 " ", " " group[i] " ")) {
					print $1 "|" $3 "|" $4
					break
				}
			}
		}' "$here/deps.list"
}

# absent: of table lines, those whose package dpkg does not know as installed
absent()
{
	local lines=() installed=" "

	mapfile -t lines
	# dpkg-query fails when it does not know a package: an answer, too.
	if command -v dpkg-query >/dev/null; then
		installed=" $({ dpkg-query -W \
				-f '${Package} ${db:Status-Status}\n' \
				"${lines[@]%%|*}" 2>/dev/null || :; } |
			awk '$2 == "installed" { print $1 }' | tr '\n' ' ') "
	fi
	for line in "${lines[@]}"; do
		[[ $installed == *" ${line%%|*} "* ]] || echo "$line"
	done
}

# is_there PROBE
is_there()
{
	local kind name

	read -r kind name <<<"$1"
	case $kind in
	cmd)	command -v "$name" ;;
	pc)	pkg-config --exists "$name" ;;
	h)	echo "#include <$name>" | gcc -E - ;;
	san)	echo "int LLVMFuzzerTestOneInput(void) { return 0; }" |
			clang -fsanitize="$name" -x c -o /dev/null - ;;
	*)	echo "deps.list: unknown probe $kind" >&2; exit 2 ;;
	esac >/dev/null 2>&1
}

# missing GROUP...
missing()
{
	local line probe

	table "$@" | absent | while read -r line; do
		probe=${line#*|}
		is_there "${probe%|*}" || echo "$line"
	done
}

is_debian()
{
	command -v apt-get >/dev/null &&
		grep -qsE '^ID(_LIKE)?=.*debian' /etc/os-release
}

# lists_know PACKAGE...: does apt know where to get them?
lists_know()
{
	local package

	for package; do
		apt-cache policy "$package" |
			grep -q '^  Candidate: [^(]' || return
	done
}

apt()
{
	DEBIAN_FRONTEND=noninteractive apt-get -q -y \
		-o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "$@"
}

# install PACKAGE...: one line for each thing apt does
install()
{
	local log

	log=$(mktemp)
	lists_know "$@" || apt update >"$log" 2>&1 || :
	if ! apt install --no-install-recommends "$@" 2>&1 |
	     tee -a "$log" | grep -E --line-buffered '^(Get:|Setting up)'; then
		grep '^E:' "$log" | head -n 3 >&2
		echo "deps: apt-get failed; all it said is in $log" >&2
		return 2
	fi
	rm -f "$log"
}

[ $# -gt 0 ] || { echo "usage: deps.sh GROUP..." >&2; exit 2; }
absentees=$(missing "$@")
[ "$absentees" ] || exit 0
mapfile -t wanted <<<"$absentees"
echo "missing:" >&2
printf '%s\n' "${wanted[@]}" | awk -F '|' '{ printf "  %-22s %s\n", $1, $3 }' >&2
packages=("${wanted[@]%%|*}")
if ! is_debian; then
	echo "This is no Debian: install these by your own means (the names are" \
		"Debian's)." >&2
	exit 2
elif [ "$(id -u)" -ne 0 ]; then
	echo "As root:  apt-get update && apt-get install" \
		"--no-install-recommends ${packages[*]}" >&2
	exit 2
fi
install "${packages[@]}" >&2

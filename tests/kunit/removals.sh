#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# removals.sh
#
# The promotion of executable files is taken out of one path at a time: exactly
# the cases of that path are red, and the verdict names it.
. "$(dirname "$0")/../guest/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
run=$here/../../kunit/run.sh

# reds: the cases that failed, without their numbers
reds()
{
	sed -nE 's/^ *not ok [0-9]+ //p' "$scratch/ktap" | sort
}

# removed PATCH GROUP VERDICT: what is red without that part of the change
removed()
{
	local strays

	"$run" 6.12 "" two_touch+exec "$here/$1.patch" \
		>"$scratch/ktap" 2>"$scratch/err" && {
		echo "nothing failed"
		return 1
	}
	# Of files, mapped executable, seen for the first time; and who has them.
	strays=$(reds | grep -vE '^(file|lazyfree)( large)? exec( isolated)? refs [0-3]$' |
		grep -vxF -e "$2" -e verdict -e mglru_decision)
	if [ "$strays" ] || [ "$(reds | grep -c ' exec')" != 32 ] ||
	   ! grep -qF "executable promotion: $3" "$scratch/ktap"; then
		echo "$strays"
		tail -n 3 "$scratch/ktap" "$scratch/err"
		return 1
	fi
}

whole()
{
	"$run" 6.12 "" "$1" >"$scratch/ktap" 2>"$scratch/err" &&
		grep -qF "$2" "$scratch/ktap" && return
	tail -n 3 "$scratch/ktap" "$scratch/err"
	return 1
}

plan 5
check classic-is-a-no-op whole classic \
	"classic: executable promotion is a no-op"
check two-touch-has-none whole two_touch \
	"two_touch: executable promotion: walker not live, rmap not live"
check exec-is-live whole two_touch+exec \
	"two_touch+exec: executable promotion: walker live, rmap live"
check missing-in-walker removed walker walk_decides \
	"walker not live, rmap live"
check missing-in-rmap removed rmap rmap_decides "walker live, rmap not live"

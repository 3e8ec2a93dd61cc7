#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# stubs.sh KERNEL-SOURCE BUILD
#
# Every kselftest is linked to advice calls that return 0 and do nothing. Each
# case must fail then, but for those of blameless.list, whose claim such a kernel
# keeps.
. "$(dirname "$0")/../guest/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
kselftest=$here/../../kselftest
source=$1
build=$2

# blameless PROGRAM: the cases that may pass, sorted
blameless()
{
	awk -v program="$1" '$1 == program { print $2 }' \
		"$here/blameless.list" | sort
}

# passes PROGRAM: the cases that do, sorted
passes()
{
	"$build/$1" 2>/dev/null | sed -n 's/^ok [0-9]* //p' | sort
}

notices()
{
	local diff

	diff=$(diff <(blameless "$1") <(passes "$1")) && return
	echo "with stubs, cases of $1 that pass (>) or are listed to pass (<):"
	echo "$diff"
	return 1
}

mkdir -p "$build"
gcc -O2 -Wall -Wextra -c -o "$build/stubs.o" "$here/stubs.c" || exit
make -s -C "$kselftest" KSRC="$source" OUT="$build" \
	LDFLAGS="$build/stubs.o -Wl,--wrap=madvise,--wrap=posix_fadvise,--wrap=prctl" ||
	exit
programs=("$kselftest"/*.c)
plan ${#programs[@]}
for program in "${programs[@]}"; do
	program=$(basename "$program" .c)
	check "$program-notices" notices "$program"
done

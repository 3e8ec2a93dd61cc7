#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# stubs.sh KERNEL-SOURCE BUILD
#
# Every kselftest is linked to advice calls that say yes and do nothing, and run
# in a guest, where all of them can be shown. Each case must fail then, but for
# those of blameless.list, whose claim such a kernel keeps.
. "$(dirname "$0")/../guest/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
kselftest=$here/../../kselftest
source=$1
build=$2
wrap=-Wl,--wrap=madvise,--wrap=posix_fadvise,--wrap=prctl,--wrap=process_madvise

# blameless PROGRAM: the cases that may pass, sorted
blameless()
{
	awk -v program="$1" '$1 == program { print $2 }' \
		"$here/blameless.list" | sort
}

# passes PROGRAM: the cases that do, sorted
passes()
{
	jq -r --arg program "$1" '.cases[] |
		select(.family == $program and .status == "pass") | .name |
		ltrimstr("\($program).") | select(. != "program")
		' "$scratch/out/results.json" | sort
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
make -s -f "$here/../../harness/kselftest/programs.mk" KSRC="$source" OUT="$build" \
	LDFLAGS="$build/stubs.o $wrap" || exit
programs=("$kselftest"/*.c)
programs=("${programs[@]##*/}")
programs=("${programs[@]%.c}")
private_cache
"$here/../../harness/kselftest/guest.sh" "${programs[*]/#/"$build/"}" "$scratch/out" \
	"$REC_BIN" "$REC_INITRAMFS" --kernel "$REC_KERNEL" \
	--recipe "$REC_RECIPE" --arm classic \
	--scenario "$REC_SCENARIOS/kselftest.scenario" >"$scratch/tap" || :
plan ${#programs[@]}
for program in "${programs[@]}"; do
	check "$program-notices" notices "$program"
done

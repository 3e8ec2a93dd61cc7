#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's runner of kselftests: whatever a program does, the others run and
# the results say what was wrong.

. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
status=0

mkdir "$scratch/programs"
kselftest=$here/../../kselftest
gcc -O2 -Wall -Wextra -static -D_GNU_SOURCE -I "$kselftest" -o "$scratch/rogue" \
	"$here/rogue.c" "$kselftest"/lib/{memcg,pages}.c || exit
programs=
for name in dies fails hangs litters looks loses panics skips warns; do
	cp "$scratch/rogue" "$scratch/programs/$name"
	programs+=" $scratch/programs/$name"
done
echo timeout=5 >"$scratch/programs/settings"
private_cache
"$here/../../harness/kselftest/guest.sh" "$programs" "$scratch/out" \
	"$REC_BIN" "$REC_INITRAMFS" --kernel "$REC_KERNEL" \
	--recipe "$REC_RECIPE" --arm classic \
	--scenario "$REC_SCENARIOS/kselftest.scenario" \
	>"$scratch/tap" 2>"$scratch/err" || status=$?

# result NAME STATUS REASON: the case has them
result()
{
	jq -e --arg name "$1" --arg status "$2" --arg reason "$3" '
		.cases | map(select(.name == $name)) | length == 1 and
		(.[0] | .status == $status and (.reason | contains($reason)))
		' "$scratch/out/results.json" >/dev/null || {
		cat "$scratch/err" "$scratch/tap"
		return 1
	}
}

plan 14
check hang-is-ended result hangs.program fail "not done after 5 s"
check kernel-complaint-is-a-failure result warns.program fail \
	"the kernel says: WARNING: made up"
check death-is-a-failure result dies.program fail "ended with status 134"
check lost-case-is-a-failure result loses.program fail \
	"planned 1 cases and showed 0"
check failure-has-its-reason result fails.wrong fail "Expected 1 (1) == 2 (2)"
check skip-has-its-reason result skips.nothing skip "no reason at all"
check skipped-program-is-no-failure result skips.program pass ""
check killed-in-a-memcg result litters.program fail "ended with status 137"
check memcg-of-the-killed-is-gone result looks.clean pass ""
check panic-is-a-failure-of-the-program result panics.program fail \
	"the guest ended: "
check panic-is-a-failure-of-the-case result panics.global.last_words fail \
	"it did not end"
check what-came-after-the-panic-is-run result warns.fine pass ""
check unexpected-skip-is-told [ "$(jq .summary.unexpected_skips \
	"$scratch/out/results.json")" = 1 ]
check status-is-bad [ "$status" = 1 ]

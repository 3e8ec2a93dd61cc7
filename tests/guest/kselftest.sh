#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's runner of kselftests: whatever a program does, the others run and
# the results say what was wrong.

. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
status=0

mkdir "$scratch/programs"
gcc -O2 -Wall -Wextra -static -o "$scratch/rogue" "$here/rogue.c" || exit
for name in hangs warns dies loses fails skips; do
	cp "$scratch/rogue" "$scratch/programs/$name"
done
private_cache
"$here/../../harness/kselftest.sh" "$(echo "$scratch"/programs/*)" "$scratch/out" \
	"$REC_BIN" "$REC_INITRAMFS" --kernel "$REC_KERNEL" \
	--recipe "$REC_RECIPE" --arm classic \
	--scenario "$(scenario kselftest timeout_s 5)" \
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

plan 8
check hang-is-ended result hangs.program fail "not done after 5 s"
check kernel-complaint-is-a-failure result warns.program fail \
	"the kernel says: WARNING: made up"
check death-is-a-failure result dies.program fail "ended with status 134"
check lost-case-is-a-failure result loses.program fail \
	"planned 1 cases and showed 0"
check failure-has-its-reason result fails.wrong fail "Expected 1 (1) == 2 (2)"
check skip-has-its-reason result skips.nothing skip "no reason at all"
check skipped-program-is-no-failure result skips.program pass ""
check status-is-bad [ "$status" = 1 ]

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# replay.sh DIR
#
# Every fuzzer of DIR, linked to replay.c, with its corpus and with the files of
# its kind that are in this repository.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
status=0
declare -A ours=(
	[scenario]=$top/harness/scenarios/*.scenario
	[recipe]=$top/qemu/kernels/*.recipe
)

fuzzers=("$here"/fuzz_*.c)
echo "TAP version 13"
echo "1..${#fuzzers[@]}"
for i in "${!fuzzers[@]}"; do
	name=$(basename "${fuzzers[$i]#"$here"/fuzz_}" .c)
	# shellcheck disable=SC2086 # a pattern
	said=$("$1/fuzz_$name" "$here/corpus/$name"/* ${ours[$name]-} 2>&1) || {
		printf '%s\n' "$said" | sed 's/^/# /'
		echo -n "not "
		status=1
	}
	echo "ok $((i + 1)) - $name"
done
exit $status

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# dozen.sh PROGRAMS IMAGE OUT
#
# Twelve of the faults, others with every commit: tests must notice each. All of
# them is `make mutants`.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
list=$top/qemu/mutants/6.12.list
seed=$(git -C "$top" rev-parse HEAD 2>/dev/null || date +%F)
numbers=$(awk '/^[0-9]/ { print $1 }' "$list" | while read -r number; do
	echo "$(sha256sum <<<"$seed $number") $number"
done | sort | head -n 12 | awk '{ print $NF }' | paste -sd ' ')

echo "TAP version 13"
echo "# faults $numbers"
MUTANTS=$numbers "$top/harness/mutants/mutants.sh" "$list" "$1" "$3" "$REC_BIN" \
	"$REC_INITRAMFS" --kernel "$2" \
	--recipe "$top/qemu/kernels/6.12-mutants.recipe" --arm classic >&2
jq -r '"1..\(.mutants | length)", (.mutants | to_entries[] |
	"\(if .value.status == "survived" or .value.status == "mistaken"
	   then "not " else "" end)ok \(.key + 1) - " +
	"\(.value.status): \(.value.id) \(.value.what)")' "$3/results.json"

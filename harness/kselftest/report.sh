#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# report.sh NOTES OUT RECLAIMLAB TAGS
#
# From the notes of a run (results.jq says what is in them) to OUT/results.json
# and what ../results/pages.sh makes of it, whose exit status it has. Skips are
# expected that skips.list has, for a target of which the words of TAGS are true.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
notes=$1
out=$2
reclaimlab=$3
tags=$4

awk -f "$here/claims.awk" "$here"/../../kselftest/*.c >"$out/claims.tsv"
jq -R -n --arg tags "$tags" --rawfile claims "$out/claims.tsv" \
	--rawfile skips "$here/skips.list" -f "$here/results.jq" \
	"$notes" >"$out/results.json"
"$here/../results/pages.sh" "$out" "$reclaimlab"

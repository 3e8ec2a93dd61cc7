#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# report.sh NOTES OUT RECLAIMLAB TAGS
#
# From the notes of a run (results.jq says what is in them) to OUT/results.json,
# OUT/results.ktap, OUT/results.xml (JUnit) and a page on standard output. The
# exit status is 0 only when something passed, nothing failed and no skip was
# unexpected, by skips.list, for a target of which the words of TAGS are true.
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
jq -r '
	"TAP version 13", "1..\(.cases | length)",
	(.cases | to_entries[] |
	 "\(if .value.status == "fail" then "not " else "" end)ok " +
	 "\(.key + 1) \(.value.name)" +
	 (if .value.status == "skip" then " # SKIP \(.value.reason)"
	  elif .value.reason != "" then "\n# \(.value.reason)"
	  else "" end))' "$out/results.json" >"$out/results.ktap"
"$reclaimlab" junit "$out/results.json" >"$out/results.xml"

# Whatever is bad, with its claim, then the table, then the sum.
jq -r --rawfile claims "$out/claims.tsv" '
	($claims | split("\n") | map(split("\t")) |
	 map({ "\(.[0]).\(.[1])": .[3] }) | add) as $sentence |
	.cases[] | select(.status == "fail" or .expected == false) |
	(.name | split(".") | "\(.[0]).\(.[1]).\(.[-1])") as $key |
	"\(if .status == "fail" then "FAIL" else "UNEXPECTED SKIP" end)" +
	"  \(.name)",
	(select(.claim != "") | "      claim \(.claim): \($sentence[$key])"),
	"      \(.reason)"' "$out/results.json"
jq -r '.cases | group_by(.family)[] | [ .[0].family,
	(map(select(.status == "pass")) | length),
	(map(select(.status == "fail")) | length),
	(map(select(.status == "skip")) | length),
	(.[] | select(.name | endswith(".program")) | .seconds) ] | @tsv
	' "$out/results.json" | awk -F '\t' '
	BEGIN { printf "%-20s%6s%6s%6s%10s\n", "family", "pass", "fail",
		"skip", "seconds" }
	{ printf "%-20s%6d%6d%6d%10.2f\n", $1, $2, $3, $4, $5; sum += $5 }
	END { printf "%-20s%28.2f\n", "together", sum }'
jq -r '.cases | map(select(.status == "skip")) | group_by(.reason)[] |
	"\(length) skipped: \(.[0].reason)"' "$out/results.json"
jq -r '.summary | "\(.pass) passed, \(.fail) failed, \(.skip) skipped" +
	(if .unexpected_skips > 0
	 then ", \(.unexpected_skips) of them unexpectedly" else "" end)
	' "$out/results.json"
jq -e '.summary | .fail == 0 and .unexpected_skips == 0 and .pass > 0' \
	"$out/results.json" >/dev/null

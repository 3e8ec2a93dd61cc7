#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# pages.sh OUT RECLAIMLAB
#
# From OUT/results.json to OUT/results.ktap, OUT/results.xml (JUnit) and a page on
# standard output: what is bad, with the claim it is about, a table of families,
# why something was skipped, the sum. The exit status is 0 only when something
# passed, nothing failed and no skip was unexpected.
#
# A family whose case "NAME.program" has seconds took them. OUT/claims.tsv, if it
# is there, has the sentence of each claim.
set -euo pipefail
out=$1
reclaimlab=$2
claims=$out/claims.tsv
[ -e "$claims" ] || claims=/dev/null

jq -r '
	"TAP version 13", "1..\(.cases | length)",
	(.cases | to_entries[] |
	 "\(if .value.status == "fail" then "not " else "" end)ok " +
	 "\(.key + 1) \(.value.name)" +
	 (if .value.status == "skip" then " # SKIP \(.value.reason)"
	  elif .value.reason != "" then "\n# \(.value.reason)"
	  else "" end))' "$out/results.json" >"$out/results.ktap"
"$reclaimlab" junit "$out/results.json" >"$out/results.xml"

jq -r --rawfile claims "$claims" '
	($claims | split("\n") | map(split("\t") | select(length > 3)) |
	 map({ "\(.[0]).\(.[1])": .[3] }) | add) as $sentence |
	.cases[] | select(.status == "fail" or .expected == false) |
	(.name | split(".") | "\(.[0]).\(.[1]).\(.[-1])") as $key |
	"\(if .status == "fail" then "FAIL" else "UNEXPECTED SKIP" end)" +
	"  \(.name)",
	(select(.claim != "") | "      claim \(.claim): \($sentence[$key])"),
	(select(.reason != "") | "      \(.reason)")' "$out/results.json"
jq -r '.cases | group_by(.family)[] | [ .[0].family,
	(map(select(.status == "pass")) | length),
	(map(select(.status == "fail")) | length),
	(map(select(.status == "skip")) | length),
	(.[] | select(.name | endswith(".program")) | .seconds) ] | @tsv
	' "$out/results.json" | awk -F '\t' '
	{ line[NR] = sprintf("%-20s%6d%6d%6d", $1, $2, $3, $4)
	  if (NF > 4) { line[NR] = line[NR] sprintf("%10.2f", $5); timed = 1 }
	  sum += $5 }
	END {
		printf "%-20s%6s%6s%6s%s\n", "family", "pass", "fail", "skip",
			timed ? "   seconds" : ""
		for (i = 1; i <= NR; i++)
			print line[i]
		if (timed)
			printf "%-20s%28.2f\n", "together", sum
	}'
jq -r '.cases | map(select(.status == "skip")) | group_by(.reason)[] |
	"\(length) skipped: \(.[0].reason)"' "$out/results.json"
jq -r '.summary | "\(.pass) passed, \(.fail) failed, \(.skip) skipped" +
	(if .unexpected_skips > 0
	 then ", \(.unexpected_skips) of them unexpectedly" else "" end)
	' "$out/results.json"
jq -e '.summary | .fail == 0 and .unexpected_skips == 0 and .pass > 0' \
	"$out/results.json" >/dev/null

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The list of faults, the patches that have them, the claims and the recipe tell
# the same, and a fault is judged by what the tests say.
. "$(dirname "$0")/../guest/lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
mutants=$top/qemu/mutants
claims=$top/kselftest/claims.list

# same A B: two lists, a line each
same()
{
	diff <(sort -u <<<"$1") <(sort -u <<<"$2")
}

listed()
{
	awk -v column="$1" '/^[0-9]/ { print $column }' "$mutants/6.12.list"
}

# patched: "NUMBER FILE" for each fault of the patches
patched()
{
	awk '/^\+\+\+ / { file = substr($2, 3) }
	     /^\+/ {
		line = $0
		while (match(line, /reclaimlab_mutant\([0-9]+\)/)) {
			print substr(line, RSTART + 18, RLENGTH - 19), file
			line = substr(line, RSTART + RLENGTH)
		}
	     }' "$mutants"/6.12/*.patch
}

numbers_are_unique()
{
	listed 1 | sort | uniq -d | grep . && return 1
	same "$(listed 1)" "$(listed 1 | sort -n)"
}

every_fault_is_listed()
{
	same "$(listed 1)" "$(patched | cut -d ' ' -f 1)"
}

places_are_right()
{
	local number file

	while read -r number file; do
		patched | grep -qxF "$number ${file%%:*}" ||
			{ echo "fault $number is not in $file"; return 1; }
	done < <(paste -d ' ' <(listed 1) <(listed 4))
}

every_claim_has_a_fault()
{
	same "$(awk '/^[A-Z][0-9]/ { print $1 }' "$claims")" \
		"$(listed 2; awk '/^[A-Z][0-9]/ { print $1 }' \
			"$mutants/6.12.without")"
}

no_claim_is_excused_in_vain()
{
	awk '/^[A-Z][0-9]/ { print $1 }' "$mutants/6.12.without" |
		grep -xF "$(listed 2)" || return 0
	return 1
}

scenarios_exist()
{
	local scenario

	for scenario in $(listed 3 | sort -u); do
		[ -e "$top/harness/scenarios/$scenario.scenario" ] ||
			{ echo "no scenario $scenario"; return 1; }
	done
}

recipe_differs_by_faults_only()
{
	diff <(sed 's/#.*//; s/^id .*//; /^$/d' "$top/qemu/kernels/6.12.recipe") \
		<(sed 's/#.*//; s/^id .*//; /^$/d; /mutants/d' \
			"$top/qemu/kernels/6.12-mutants.recipe")
}

# judged STATUS CAUGHT-BY CASES [ARGUMENT]: what is made of results with CASES
judged()
{
	local said

	said=$(jq -n "{ cases: $3 }" | jq -r --arg id 7 --arg claim A1 \
		--arg scenario s --arg place p --arg fixed_by "" --arg what w \
		--arg argument "${4-}" --argjson seconds 1 \
		-f "$top/harness/mutants/judge.jq" |
		jq -r '"\(.status) \(.caught_by | join(" "))"')
	[ "$said" = "$1 $2" ] || { echo "judged: $said"; return 1; }
}

pass='{ name: "a", status: "pass", claim: "A1" }'
own='{ name: "own", status: "fail", claim: "X2, A1" }'
other='{ name: "other", status: "fail", claim: "A10" }'
skip='{ name: "skip", status: "skip", claim: "A1", expected: true }'
unexpected='{ name: "odd", status: "skip", claim: "A1", expected: false }'

plan 14
check numbers-are-unique numbers_are_unique
check every-fault-is-listed every_fault_is_listed
check places-are-right places_are_right
check every-claim-has-a-fault every_claim_has_a_fault
check no-claim-is-excused-in-vain no_claim_is_excused_in_vain
check scenarios-exist scenarios_exist
check recipe-differs-by-faults-only recipe_differs_by_faults_only
check green-is-survived judged survived "" "[$pass, $skip]"
check red-is-caught-its-own-claim-first judged caught "own other" "[$other, $pass, $own]"
check red-of-another-claim-is-caught judged caught other "[$other, $pass]"
check unexpected-skip-is-caught judged caught odd "[$pass, $unexpected]"
check green-with-an-argument-is-equivalent judged equivalent "" "[$pass]" why
check red-with-an-argument-is-mistaken judged mistaken own "[$own]" why
check no-survivor-is-lost [ "$(jq -ns --argjson m '[{"status":"survived","claim":"A"},{"status":"caught","claim":"A"}]' --argjson seconds 1 '$m' | jq --argjson seconds 1 -f "$top/harness/mutants/results.jq" | jq -c '[.score.survived, .score.caught, .score.claims]')" = "[1,1,1]" ]

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# removals.sh [ARCH [RECIPE [PATCH...]]]
#
# The promotion of executable files is taken out of one place of the kernel at a
# time: exactly the cases about that place are red, and the verdict names the
# path. ARCH as for kunit/run.sh; all patches of the recipe or those named.
. "$(dirname "$0")/../guest/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
arch=${1:-um}
recipe=${2:-6.12}
named=" ${*:3} "

# run OUT ARM PATCH...: the suites; their results are left in that directory
run()
{
	"$here/../../kunit/run.sh" --arch "$arch" --out "$scratch/$1" "$recipe" \
		"" "${@:2}" >"$scratch/said" 2>"$scratch/err"
}

# names RESULTS FILTER: of cases, without those that sum others up
names()
{
	jq -r ".cases[] | select($2) | .name | select(endswith(\".whole\") | not)
		" "$scratch/$1/results.json" | sort
}

# whole ARM VERDICT: all is green, and that is the verdict
whole()
{
	run whole "$1" && grep -qxE "$2" "$scratch/said" && return
	tail -n 3 "$scratch/said" "$scratch/err"
	names whole '.status == "fail"'
	return 1
}

# removed PATCH PATH REGEX: what is red without that part of the change are all
# cases that the expression matches, where they can be shown, and the verdict.
removed()
{
	local expected

	! run removed "$arm" "$here/$recipe/$1.patch" || {
		echo "nothing failed"
		return 1
	}
	expected=$(names whole '.status == "pass"' |
		grep -E "^mglru_(decision|paths|life|refault)\.($3)|\.verdict$")
	diff <(echo "$expected") <(names removed '.status == "fail"') &&
		grep -qE "not live on .*$2" "$scratch/said" && return
	tail -n 3 "$scratch/said" "$scratch/err"
	return 1
}

# removal PATCH PATH REGEX
removal()
{
	local name=missing-in-${1//_/-}

	[[ $named == "  " || $named == *" $1 "* ]] || return 0
	if [[ $2 == PMD* && $arch == um ]]; then
		count=$((count + 1))
		echo "ok $count - $name # SKIP no huge pages in user mode"
	else
		check "$name" removed "$@"
	fi
}

first_use='(file|lazyfree)( large)? exec( isolated)? refs [0-3]$'
used_once='text_comes_back\..* used once'
removals_of_6.12()
{
	removal pte_walk "PTE walk" \
		"path_decides\.PTE walk.* exec|life_decides\..* used once|$used_once"
	removal first_vma "PTE walk" \
		"path_decides\.PTE walk.* upper|life_decides\..* used once|data_comes_back\..* used once"
	removal pmd_walk "PMD walk" "path_decides\.PMD walk.* exec"
	removal look_around_in_walk "look-around in a walk" \
		"path_decides\.look-around in a walk.* exec"
	removal look_around "look-around" \
		"path_decides\.look-around[:,].* exec"
	removal eviction "eviction" \
		"path_decides\.eviction.* exec|life_decides\..* young "
	# The rules themselves.
	removal update_gen "PTE walk" \
		"walk_decides\.$first_use|path_decides\..* walk[:,].* exec|life_decides\..* used once|$used_once"
	removal set_refs "look-around, eviction" \
		"rmap_decides\.$first_use|path_decides\.(look-around|eviction)[:,].* exec|life_decides\..* young "
}

removals_of_7.3()
{
	removal pte_walk "PTE walk" \
		"path_decides\.PTE walk.* (first|between) of exec"
	removal pte_walk_last "PTE walk" \
		"path_decides\.PTE walk.* last of exec|life_decides\.by a read, used once|$used_once"
	removal pmd_walk "PMD walk" \
		"path_decides\.PMD walk.* (first|between) of exec"
	removal pmd_walk_last "PMD walk" \
		"path_decides\.PMD walk.* last of exec"
	removal look_around "look-around" \
		"path_decides\.look-around.* (first|between) of exec"
	removal look_around_last "look-around" \
		"path_decides\.look-around.* last of exec"
}

on="executable promotion: live on [^|]*( \| not seen on PMD walk)?"
off="executable promotion: not live on [^|]*( \| not seen on PMD walk)?"

# What the arms of the recipe are, before anything is taken out of the last.
arms_of_6.12()
{
	check classic-is-a-no-op whole classic \
		"classic: executable promotion is a no-op"
	check two-touch-has-none whole two_touch "two_touch: $off"
	check exec-is-live whole two_touch+exec "two_touch\+exec: $on"
}

arms_of_7.3()
{
	check switched-off-there-is-none whole referenced_birth "referenced_birth: $off"
	check exec-is-live whole referenced_birth+exec "referenced_birth\+exec: $on"
}

case $recipe in
6.12)	arms=3 arm=two_touch+exec ;;
*)	arms=2 arm=referenced_birth+exec ;;
esac
if [ $# -gt 2 ]; then
	plan $((arms + $# - 2))
else
	plan $((arms + $(find "$here/$recipe" -name '*.patch' | wc -l)))
fi
"arms_of_$recipe"
"removals_of_$recipe"

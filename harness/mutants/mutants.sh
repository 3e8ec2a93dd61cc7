#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mutants.sh LIST PROGRAMS OUT RECLAIMLAB INITRAMFS RUN-ARGUMENT...
#
# Boots the image of faults once for each mutant of LIST, runs the kselftests that
# show its claim and a tenth of the others, and tells which case noticed: a table,
# OUT/results.json and OUT/mutants.md. Beside them runs the image without a fault, in
# which every case must pass. PROGRAMS are paths, with blanks between.
#
# From the environment: MUTANTS (numbers, or claims like A6, or their letters;
# empty for all), JOBS (guests at a time). What is known from a former call with
# the same OUT and the same inputs is not run again. The exit status is 0 only if
# no mutant survived.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
guest=$here/../kselftest/guest.sh
scenarios=$here/../scenarios
list=$1
read -ra programs <<<"$2"
out=$3
reclaimlab=$4
initramfs=$5
arguments=("${@:6}")
jobs=${JOBS:-$(nproc)}
start=$SECONDS

die()
{
	echo "mutants: $*" >&2
	exit 2
}

# rows: the chosen lines of the list, tabs between their six columns
rows()
{
	awk -v chosen="${MUTANTS-}" '
		BEGIN {
			n = split(chosen, word, /[ ,]+/)
			for (i = 1; i <= n; i++)
				wanted[word[i]]
			all = chosen !~ /[^ ,]/
		}
		/^[0-9]/ {
			letter = substr($2, 1, 1)
			if (!all && !($1 in wanted) && !($2 in wanted) &&
			    !(letter in wanted))
				next
			what = $0
			for (i = 1; i <= 5; i++)
				sub(/^[^ ]+ +/, "", what)
			printf "%s\t%s\t%s\t%s\t%s\t%s\n", $1, $2, $3, $4, $5, what
		}' "$list"
}

# programs_of NUMBER CLAIM: the names of those with cases of the claim, and of a
# tenth of the others, which its number draws
programs_of()
{
	awk -F '\t' -v claim="$2" '
		{ names[$1] }
		index(", " $3 ",", ", " claim ",") { shows[$1] }
		END { for (name in names) print (name in shows), name }
		' "$out/claims.tsv" | sort | while read -r shows name; do
		if [ "$shows" = 1 ]; then
			echo "0 $name"
		else
			echo "1 $(sha256sum <<<"$1 $name" | cut -c 1-8) $name"
		fi
	done | sort | awk '
		$1 == 0 { print $2; next }
		{ other[++n] = $3 }
		END { for (i = 1; i <= (n + 9) / 10; i++) print other[i] }'
}

# paths NAME...: those of the programs
paths()
{
	local name program

	for name; do
		for program in "${programs[@]}"; do
			[ "${program##*/}" != "$name" ] || printf '%s ' "$program"
		done
	done
}

# try NUMBER SCENARIO DIRECTORY NAME...: results of those programs in a guest with
# that fault; known ones if nothing that they depend on has changed
try()
{
	local number=$1 scenario=$2 dir=$3 key begin=$SECONDS

	shift 3
	key=$(echo "$number $scenario $* $inputs" | sha256sum)
	[ "$(cat "$dir/key" 2>/dev/null)" != "$key" ] || return 0
	rm -rf "$dir"
	mkdir -p "$dir"
	"$guest" "$(paths "$@")" "$dir" "$reclaimlab" "$initramfs" \
		"${arguments[@]}" --scenario "$scenarios/$scenario.scenario" \
		--append "reclaimlab.mutant=$number" --fresh \
		>"$dir/page" 2>"$dir/err" || :
	[ -s "$dir/results.json" ] || return 1
	echo $((SECONDS - begin)) >"$dir/seconds"
	echo "$key" >"$dir/key"
}

# judge NUMBER CLAIM SCENARIO PLACE FIXED-BY WHAT: its entry of the results
judge()
{
	local dir=$out/mutants/$1 argument names

	argument=$(awk -v number="$1" '$1 == number {
		sub(/^[^ ]+ +/, ""); print }' "${list%.list}.equivalent")
	mapfile -t names < <(programs_of "$1" "$2")
	if ! try "$1" "$3" "$dir" "${names[@]}"; then
		tail -n 1 "$dir/err" >&2
		return 1
	fi
	jq --arg id "$1" --arg claim "$2" --arg scenario "$3" --arg place "$4" \
		--arg fixed_by "${5#-}" --arg what "$6" --arg argument "$argument" \
		--argjson seconds "$(cat "$dir/seconds")" -f "$here/judge.jq" \
		"$dir/results.json" >"$dir/mutant.json"
	echo "$(jq -r '"\(.status) \(.id): \(.what)"' "$dir/mutant.json")," \
		"$(cat "$dir/seconds") s"
}

# sound SCENARIO: without a fault every case passes there, of all that will be run
sound()
{
	local dir=$out/baseline-$1 red names number claim scenario

	mapfile -t names < <(while IFS=$'\t' read -r number claim scenario _; do
		[ "$scenario" != "$1" ] || programs_of "$number" "$claim"
	done <"$out/rows" | sort -u)
	try 0 "$1" "$dir" "${names[@]}" ||
		die "the image without a fault has no results:" \
			"$(tail -n 1 "$dir/err")"
	red=$(jq -r '.cases[] | select(.status == "fail" or .expected == false) |
		"\(.name): \(.reason)"' "$dir/results.json")
	[ -z "$red" ] || die "the image without a fault fails: $red"
	echo "sound 0: $1, $(jq '.cases | length' "$dir/results.json") cases," \
		"$(cat "$dir/seconds") s"
}

# beside COMMAND WHAT...: start it when a place is free
beside()
{
	while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
		wait -n || :
	done
	{ ("$@") || echo "$2" >>"$out/failed"; } </dev/null &
}

stop()
{
	local pid

	for pid in $(jobs -p); do
		kill -- "-$pid" 2>/dev/null || :
	done
}

together()
{
	wait
	[ ! -s "$out/failed" ] ||
		die "no results of $(paste -sd ' ' "$out/failed")"
}

mkdir -p "$out/mutants"
awk -f "$here/../kselftest/claims.awk" "$here"/../../kselftest/*.c \
	>"$out/claims.tsv"
inputs=$({ cat "${programs[@]}" "$initramfs" "$scenarios"/kselftest*.scenario \
	"$(dirname "${programs[0]}")/settings" 2>/dev/null || :; } | sha256sum)${arguments[*]}
rows >"$out/rows"
[ -s "$out/rows" ] || die "no such mutant: ${MUTANTS-}; they are in $list"
# Each guest in a process group of its own, so that all of it can be ended.
set -m
trap stop EXIT
trap 'exit 130' INT TERM HUP
: >"$out/failed"
while read -r scenario; do
	beside sound "$scenario"
done < <(cut -f 3 "$out/rows" | sort -u)
while IFS=$'\t' read -r number claim scenario place fixed_by what; do
	[ ! -s "$out/failed" ] || break
	beside judge "$number" "$claim" "$scenario" "$place" "$fixed_by" "$what"
done <"$out/rows"
together
cut -f 1 "$out/rows" | sed "s|.*|$out/mutants/&/mutant.json|" | xargs jq -s \
	--argjson seconds $((SECONDS - start)) -f "$here/results.jq" \
	>"$out/results.json"
jq -r -f "$here/table.jq" "$out/results.json" | tee "$out/mutants.md"
jq -e '.score.survived == 0 and .score.mistaken == 0' "$out/results.json" \
	>/dev/null

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# soak.sh RUNS OUT SCENARIO... -- GUEST-ARGUMENT...
#
# Runs guest.sh again and again, once for each scenario in turn, while every
# processor of the host is kept busy besides, and counts what was not green:
# OUT/flakes has a line for each such case. The exit status is 0 only when there
# is none.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
runs=$1
out=$2
shift 2
scenarios=()
while [ "$1" != -- ]; do
	scenarios+=("$1")
	shift
done
shift
load=()

stop_load()
{
	[ ${#load[@]} -eq 0 ] || kill "${load[@]}" 2>/dev/null || :
}

spin()
{
	while :; do :; done
}

mkdir -p "$out"
: >"$out/flakes"
trap stop_load EXIT
trap 'exit 130' INT TERM HUP
for ((i = 0; i < $(nproc); i++)); do
	spin &
	load+=($!)
done
start=$SECONDS
for ((run = 1; run <= runs; run++)); do
	for scenario in "${scenarios[@]}"; do
		lane=$(basename "$scenario" .scenario)
		rm -f "$out/$lane/results.json"
		"$here/guest.sh" "$1" "$out/$lane" "${@:2}" --fresh \
			--scenario "$scenario" >"$out/$lane.page" 2>&1 ||
			[ -e "$out/$lane/results.json" ] ||
			echo "$run $lane no results: $(tail -n 1 \
				"$out/$lane.page")" >>"$out/flakes"
		[ ! -e "$out/$lane/results.json" ] ||
			jq -r --arg where "$run $lane" '.cases[] |
				select(.status == "fail" or .expected == false) |
				"\($where) \(.name) \(.reason)"' \
				"$out/$lane/results.json" >>"$out/flakes"
	done
	echo "$run of $runs runs, $(wc -l <"$out/flakes") flakes," \
		"$(((SECONDS - start) / 60)) min"
done
cat "$out/flakes"
[ ! -s "$out/flakes" ]

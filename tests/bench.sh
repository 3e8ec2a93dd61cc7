#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# bench.sh BUILD
#
# The figures that are promised, measured on this machine and printed beside
# what was promised. Nothing here passes or fails: a slow machine is no fault.
set -euo pipefail
export LC_ALL=C
top=$(cd "$(dirname "$0")/.." && pwd)
build=$1
seeds=10
scratch=$(mktemp -d "${TMPDIR:-/tmp}/reclaimlab-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
# What is measured must really be done, not be known already.
kernel=$("$top/qemu/build-kernel.sh" 6.12)
export XDG_CACHE_HOME=$scratch/cache
scenario=$top/harness/scenarios/launch.scenario
camera=$top/harness/scenarios/camera-launch.scenario

pin=() # taskset, where one core is meant

# rlab COMMAND SCENARIO OUT ARGUMENT...
rlab()
{
	local command=$1 file=$2 out=$3

	shift 3
	"${pin[@]}" "$build/host/reclaimlab" "$command" --kernel "$kernel" \
		--initramfs "$build/guest/x86_64/initramfs.cpio.gz" \
		--recipe "$top/qemu/kernels/6.12.recipe" --scenario "$file" \
		--out "$out" "$@" >/dev/null
}

# figure WHAT PROMISED REACHED
figure()
{
	printf '%-46s %12s %12s\n' "$@"
}

# now: seconds of the host, with a fraction
now()
{
	date +%s.%N
}

since()
{
	awk -v from="$1" -v to="$(now)" 'BEGIN { printf "%.1f s", to - from }'
}

# seconds LOG FIELD: of a line "seconds  25.1, the first record after 1.4"
seconds()
{
	awk -v field="$2" '$1 == "seconds" { print $field + 0 " s" }' "$1"
}

one_run()
{
	local log=$scratch/one/logs/two_touch-seed1.log

	pin=(taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')")
	rlab run "$scenario" "$scratch/one" --arm two_touch
	pin=()
	figure "boot to first record" "2 s" "$(seconds "$log" 7)"
	figure "one run of launch, on one core" "30 s" "$(seconds "$log" 2)"
}

whole_table()
{
	local start

	start=$(now)
	rlab measure "$camera" "$scratch/table" --seeds "$seeds"
	figure "make measure, $seeds seeds x 2 arms, $(nproc) cores" "360 s" \
		"$(since "$start")"
	start=$(now)
	rlab measure "$camera" "$scratch/table" --seeds "$seeds"
	figure "the same again, from finished runs" "" "$(since "$start")"
}

# many RECORD DIR: the record as if it were of seeds 1 to 500, in its own layout
many()
{
	local label=${1##*/} seed

	for ((seed = 1; seed <= 500; seed++)); do
		sed -e "s/^\( *\"seed\": \"*\)1\b/\1$seed/" \
			-e "/^ *\"-seed\",$/{n;s/\"1\"/\"$seed\"/}" "$1" \
			>"$2/${label%1.json}$seed.json"
	done
}

# Records of equal seeds are equal, which makes nothing easier.
comparison()
{
	local out=$scratch/many record time rss

	mkdir -p "$out/records"
	for record in "$scratch"/table/records/*-seed1.json; do
		many "$record" "$out/records"
	done
	gcc -O2 -o "$scratch/usage" "$top/tests/bench/usage.c"
	read -r time rss < <("$scratch/usage" "$build/host/reclaimlab" \
		compare "$out")
	figure "comparison of 1000 records" "2 s" "$time s"
	figure "its memory" "100 MiB" "$((rss / 1024)) MiB"
}

memory()
{
	figure "memory of a guest" "1024 MiB" \
		"$(awk '$1 == "memory_mib" { print $2 }' "$scenario") MiB"
}

# record SCENARIO EDIT: one run of the edited scenario; its record
record()
{
	sed -E "$2" "$scenario" >"$scratch/$1.scenario"
	rlab run "$scratch/$1.scenario" "$scratch/$1" --arm two_touch
	cat "$scratch/$1/records/two_touch-seed1.json"
}

# The same run without and with the long window behind it.
sustained()
{
	local start without with

	sed 's/^set sustain_s .*/set sustain_s 0/' "$camera" \
		>"$scratch/short.scenario"
	start=$(now)
	rlab run "$scratch/short.scenario" "$scratch/short" --arm two_touch --fresh
	without=$(since "$start")
	start=$(now)
	rlab run "$camera" "$scratch/long" --arm two_touch --fresh
	with=$(since "$start")
	figure "virtual seconds a second, sustained window" "5" \
		"$(awk -v a="${without% s}" -v b="${with% s}" \
			'BEGIN { printf "%.0f", 300 / (b - a) }')"
}

# What the attribution of stalls costs: virtual time of the same work under
# pressure, without its pauses.
attribution()
{
	local edit='s/^(set sustain_s +).*/\10/; s/pause:200/pause:1/'

	scenario=$camera record traced "$edit" >"$scratch/traced.json"
	scenario=$camera record plain "$edit; s/^(set stalls +).*/\1no/" \
		>"$scratch/plain.json"
	figure "attribution of stalls: the work takes longer by" "" \
		"$(jq -rn --slurpfile a "$scratch/plain.json" \
			--slurpfile b "$scratch/traced.json" '
			def span: .[0].phases | map({(.name): .us}) | add |
				.done - .measure;
			(($b | span) / ($a | span) - 1) * 1e4 | round / 100 |
			"\(.) %"')"
}

# The same run with samples only where a phase begins, in memory enough for all:
# under pressure any change of timing, even one instruction more, sends reclaim
# another way, and chance would hide the sampler. Shown are the counters that do
# not end with the same value.
perturbation()
{
	local plenty='s/^(memory_mib +).*/\11024/; s/^(set free_mib +).*/\1500/'

	record sampled "$plenty" >"$scratch/on.json"
	record unsampled "$plenty; s/^(set sample_ms +).*/\10/" \
		>"$scratch/off.json"
	jq -rn --slurpfile on "$scratch/on.json" \
		--slurpfile off "$scratch/off.json" '
		[$off[0].counters | to_entries[] |
		 { name: .key, off: .value.end,
		   on: $on[0].counters[.key].end } |
		 select((.name | test("avg") | not) and
			(.off | type == "number" and fabs >= 1000))] |
		"\(map(select(.on != .off)) | length) of \(length)",
		(.[] | select(.on != .off) |
		 "  \(.name)\t\(100 * (.on - .off) / .off)")' |
		while IFS=$'\t' read -r what percent; do
			if [ "$percent" ]; then
				figure "$what" "0.5 %" \
					"$(printf '%.2f %%' "$percent")"
			else
				figure "counters that the sampler moves" "" \
					"$what"
			fi
		done
}

# On this kernel, not in a guest: an emulated processor has other costs.
calls()
{
	gcc -O2 -o "$scratch/calls" "$top/tests/bench/calls.c"
	figure "MADV_DONTNEED of 1 MiB, page by page" "" "$("$scratch/calls")"
}

figure "" promised reached
calls
one_run
whole_table
sustained
attribution
comparison
memory
perturbation

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
seeds=3
scratch=$(mktemp -d "${TMPDIR:-/tmp}/reclaimlab-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
# What is measured must really be done, not be known already.
kernel=$("$top/qemu/build-kernel.sh" 6.12)
export XDG_CACHE_HOME=$scratch/cache
scenario=$top/harness/scenarios/launch.scenario

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
	rlab measure "$scenario" "$scratch/table" --seeds "$seeds"
	figure "make measure, $seeds seeds x 2 arms, $(nproc) cores" "120 s" \
		"$(since "$start")"
	start=$(now)
	rlab measure "$scenario" "$scratch/table" --seeds "$seeds"
	figure "the same again, from finished runs" "" "$(since "$start")"
}

memory()
{
	figure "memory of a guest" "1024 MiB" \
		"$(awk '$1 == "memory_mib" { print $2 }' "$scenario") MiB"
}

# The same runs with samples at the ends only. What differs is the sampler's
# doing and, as every change of timing sends reclaim another way, chance: the
# standard error tells how much of that there is.
perturbation()
{
	local off=$scratch/off.scenario

	sed -E 's/^(set sample_ms +).*/\10/' "$scenario" >"$off"
	rlab measure "$off" "$scratch/off" --seeds "$seeds"
	figure "the sampler's effect on a counter" "0.5 %" "see below"
	jq -rn --slurpfile on <(cat "$scratch"/table/records/*.json) \
		--slurpfile off <(cat "$scratch"/off/records/*.json) '
		def mean: add / length;
		[$on[0].counters | keys_unsorted[]] | map(. as $name |
			[$on, $off] | map(map(.counters[$name].delta // 0)) |
			[transpose[] | select(.[1] != 0) |
			 100 * (.[0] - .[1]) / .[1]] as $percent |
			(.[1] | mean) as $size |
			select(($percent | length) > 1 and $size >= 1000) |
			($percent | mean) as $mean |
			($percent | map(pow(. - $mean; 2)) | add /
			 (length - 1) / length | sqrt) as $error |
			{ $name, $mean, $error }) |
		sort_by(-(.mean | fabs)) | .[:12][] |
		[.name, .mean, .error] | @tsv' |
		awk '{ printf "  %-44s %+11.2f %% +- %.2f\n", $1, $2, $3 }'
}

figure "" promised reached
one_run
whole_table
memory
perturbation

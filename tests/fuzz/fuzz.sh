#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fuzz.sh DIR OUT SECONDS [TARGET...]
#
# libFuzzer on each target of DIR (default: all) for SECONDS, as many side by side
# as there are processors. New inputs are kept in OUT/TARGET, so that the next
# call goes on where this one stopped; what is found is OUT/TARGET-crash-*.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=$1
out=$2
seconds=$3
shift 3
targets=("$@")
[ $# -gt 0 ] || mapfile -t targets < <(cd "$here" && printf "%s\n" fuzz_*.c |
	sed "s/^fuzz_//; s/\.c\$//")

fuzz()
{
	mkdir -p "$out/$1"
	if ! "$dir/fuzz_$1" -max_total_time="$seconds" -timeout=10 \
		-rss_limit_mb=2048 -artifact_prefix="$out/$1-" -close_fd_mask=1 \
		-print_final_stats=1 "$out/$1" "$here/corpus/$1" \
		>"$out/$1.log" 2>&1; then
		echo "FOUND $1: $(grep -m 1 -E 'ERROR|runtime error|ALARM' \
			"$out/$1.log" || tail -n 1 "$out/$1.log")"
		return 1
	fi
	echo "clean $1: $(awk '/number_of_executed_units/ { print $2 }' \
		"$out/$1.log") inputs"
}

stop()
{
	local pid

	for pid in $(jobs -p); do
		kill -- "-$pid" 2>/dev/null || :
	done
}

for target in "${targets[@]}"; do
	[ -x "$dir/fuzz_$target" ] || {
		echo "fuzz: no target $target; there are:" \
			"$(cd "$here" && echo fuzz_*.c | sed 's/fuzz_//g; s/\.c//g')" >&2
		exit 2
	}
done
mkdir -p "$out"
set -m
trap stop EXIT
trap 'exit 130' INT TERM HUP
: >"$out/found"
for target in "${targets[@]}"; do
	while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
		wait -n || :
	done
	{ fuzz "$target" || echo "$target" >>"$out/found"; } </dev/null &
done
wait
[ ! -s "$out/found" ]

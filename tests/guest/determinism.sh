#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A run is a pure function of its inputs: equal inputs give equal bytes, and
# what must not matter does not.

here=$(dirname "$0")
. "$(dirname "$0")/lib.sh"
private_cache
short=$(short_launch)

# boot OUT ARM SEED: one run that answers from no cache
boot()
{
	rlab run "$short" --arm "$2" --seed "$3" --fresh --out "$scratch/$1" \
		>"$scratch/$1.log" 2>&1
}

record()
{
	echo "$scratch/$1"/records/*.json
}

stream()
{
	jq -r .stream_sha256 "$(record "$1")"
}

same_bytes()
{
	cmp "$(record "$1")" "$(record "$2")"
}

same_stream()
{
	[ "$(stream "$1")" = "$(stream "$2")" ] || {
		echo "streams of $1 and $2 differ"
		return 1
	}
}

other_stream()
{
	[ "$(stream "$1")" != "$(stream "$2")" ] || {
		echo "streams of $1 and $2 are equal"
		return 1
	}
}

# Reclaim was really at work.
pressure()
{
	jq -e '.counters["vmstat.pgscan_kswapd"].delta > 1000 and
	       .counters["vmstat.pgsteal_file"].delta > 1000' \
		"$(record "$1")" >/dev/null || {
		echo "no memory pressure in run $1: it would prove nothing"
		return 1
	}
}

# boot_restless OUT ARM SEED: on a host that disturbs QEMU all the time
boot_restless()
{
	local wakes=0 pauses=0

	if ! gcc -O2 -Wall -Wextra -D_GNU_SOURCE -shared -fPIC \
		-o "$scratch/restless.so" "$here/restless.c" ||
	   ! LD_PRELOAD=$scratch/restless.so RESTLESS_COUNT=$scratch/count \
		boot "$@"; then
		cat "$scratch/$1.log"
		return 1
	fi
	read -r wakes pauses <"$scratch/count"
	if [ "$wakes" -lt 10000 ] || [ "$pauses" -lt 1000 ]; then
		echo "$wakes wakes, $pauses pauses: nobody was disturbed"
		return 1
	fi
}

boot_two()
{
	local status=0 first

	boot "$1" "$2" "$3" &
	first=$!
	boot "$4" "$5" "$6" || status=1
	wait "$first" || status=1
	[ $status = 0 ] || cat "$scratch/$1.log" "$scratch/$4.log"
	return $status
}

plan 11
check boots-classic boot_two off classic 1 on classic+exec 1
check pressure-is-real pressure off
check exec-promotion-is-a-no-op-on-classic same_stream off on
check boots-two-touch boot_two two two_touch 1 exec two_touch+exec 1
check exec-promotion-decides-on-two-touch other_stream two exec
check two-touch-differs-from-classic other_stream off two
check boots-again boot_two again two_touch 1 seed two_touch 2
check same-job-same-bytes same_bytes two again
check other-seed-other-bytes other_stream two seed
check boots-on-a-restless-host boot_restless restless two_touch 1
check a-restless-host-changes-nothing same_bytes two restless

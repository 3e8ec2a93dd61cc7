#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every scenario runs; what a job says wrong is named; the negative controls
# differ in nothing; the stalls add up to what PSI says.

. "$(dirname "$0")/lib.sh"
private_cache
cp "$REC_SCENARIOS"/*.scenario "$scratch"
all=$(basename -s .scenario "$scratch"/*.scenario | grep -v '^kselftest')

# like NAME OTHER "KEY VALUE"...: a scenario like another one; its path
like()
{
	local path=$scratch/$1.scenario

	{
		echo "like $2"
		shift 2
		[ $# = 0 ] || printf 'set %s\n' "$@"
	} >"$path"
	echo "$path"
}

# boot NAME SCENARIO-FILE ARM
boot()
{
	rlab run "$2" --arm "$3" --out "$scratch/$1" >"$scratch/$1.log" 2>&1 || {
		cat "$scratch/$1.log"
		return 1
	}
}

# boot_two BOOT BOOT, of which each is the three words of one: side by side
boot_two()
{
	local status=0 first

	boot "$1" "$2" "$3" &
	first=$!
	[ $# = 3 ] || boot "$4" "$5" "$6" || status=1
	wait "$first" && return "$status"
}

# One cycle of every scenario, two at a time; checked one by one below.
run_all()
{
	local name boots=()

	for name in $all; do
		boots+=("runs-$name" "$(like "short-$name" "$name" "warmup_cycles 0" \
			"cycles 1" "sustain_s 2")" two_touch)
		[ ${#boots[@]} != 6 ] || { boot_two "${boots[@]}"; boots=(); }
	done
	[ ${#boots[@]} = 0 ] || boot_two "${boots[@]}"
}

has_run()
{
	jq -e '.counters["psi.memory.some.total"]' "$(record "runs-$1")" >/dev/null || {
		cat "$scratch/runs-$1.log"
		return 1
	}
}

record()
{
	echo "$scratch/$1"/records/*.json
}

# same_history SCENARIO KEY-VALUE...: both arms, byte for byte
same_history()
{
	local file

	file=$(like "control-$1" "$@")
	boot_two "$1-off" "$file" two_touch "$1-on" "$file" two_touch+exec || return 1
	[ "$(jq -r .stream_sha256 "$(record "$1-off")")" = \
	  "$(jq -r .stream_sha256 "$(record "$1-on")")" ] || {
		echo "the two arms differ"
		return 1
	}
}

# delta NAME COUNTER
delta()
{
	jq -r --arg counter "$2" '.counters[$counter].delta // "absent"' "$(record "$1")"
}

watched()
{
	boot watched "$(like watched camera-launch "warmup_cycles 1" "cycles 2" \
		"sustain_s 0" "free_mib 88" "split_memcg yes")" two_touch+exec
}

adds_up()
{
	jq -e '.counters
		| (with_entries(select(.key | startswith("stall.")))
		   | map(.delta) | add) as $parts
		| .["psi.memory.some.total"].delta as $whole
		| $whole > 10000 and ($parts - $whole | fabs) < $whole * 0.02 and
		  .["trace.lost"].end == 0 and .["trace.events"].delta > 1000' \
		"$(record watched)" >/dev/null || {
		jq -c '.counters | with_entries(select(.key |
			test("^(stall|trace|psi.memory.some.total)"))) | map_values(.delta)' \
			"$(record watched)"
		return 1
	}
}

waits_are_told_apart()
{
	[ "$(delta watched wait.text)" -gt 0 ] &&
		[ "$(delta watched wait.readahead_us)" -gt 0 ] &&
		[ "$(delta watched wait.text.uncounted_us)" -gt 0 ]
}

# Text and data each have lists of their own, and both are on them.
generations()
{
	jq -e '.counters as $c | ["text", "files"] | all(. as $g |
		[0, 1, 2, 3] | map($c["lru_gen.\($g).\(.).file"].end) | add > 100)' \
		"$(record watched)" >/dev/null
}

# All text is used in turn and half of it fits, which is thrashing by any measure:
# it must kill, and the workload goes on.
killer()
{
	boot killer "$(like killer text-thrash "warmup_cycles 0" "cycles 3" \
		"cycle $(printf 'switch+%.0s' {1..9})switch" "killer yes" \
		"free_mib 64" "text_percent 90")" two_touch+exec || return 1
	[ "$(delta killer killer.kills)" -gt 0 ] || {
		echo "nobody was killed"
		return 1
	}
}

# fails NAME SCENARIO WORDS KEY-VALUE...: the guest refuses, in those words
fails()
{
	local name=$1 scenario=$2 words=$3

	shift 3
	if rlab run "$(like "$name" "$scenario" "$@")" --arm two_touch \
		--out "$scratch/$name" >"$scratch/$name.log" 2>&1 ||
	   ! grep -q "$words" "$scratch/$name.log"; then
		echo "wanted: $words"
		cat "$scratch/$name.log"
		return 1
	fi
}

plan $(($(wc -w <<<"$all") + 13))
run_all >/dev/null
for name in $all; do
	check "$name-runs" has_run "$name"
done
check data-only-is-a-control same_history data-only "warmup_cycles 1" "cycles 3"
check no-pressure-is-a-control same_history no-pressure "warmup_cycles 1" "cycles 3"
check stalls-are-watched watched
check stalls-add-up adds_up
check waits-are-told-apart waits_are_told_apart
check generations-by-kind generations
check killer-kills killer
check unknown-step-is-named fails step launch "there is no step jump" "cycle jump"
check missing-amount-is-named fails amount launch "stream needs an amount, stream:MiB" \
	"cycle stream"
check too-much-is-named fails much launch "step pause takes 1 to 600000 ms" \
	"cycle pause:600001"
check amount-too-many-is-named fails many launch "step switch takes no amount" \
	"cycle switch:2"
check missing-key-is-named fails key launch "camera_text_mib: missing" \
	"cycle cold"
check too-little-memory-is-named fails memory launch "give the machine more memory" \
	"free_mib 4000"

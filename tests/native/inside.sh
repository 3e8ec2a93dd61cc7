#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in a guest: see guest.sh.

export REC_SCENARIOS=/tests
# shellcheck source=../guest/lib.sh
. /tests/lib.sh
dir=/data
out=$scratch/out
parameters=/sys/module/reclaimlab/parameters
swappiness=/proc/sys/vm/swappiness
cgroups=/sys/fs/cgroup

# small NAME KEY VALUE...: enough for pressure, and soon done
small()
{
	local name=$1 file

	shift
	file=$(scenario launch memcg_max_mib 24 free_mib 0 apps 3 text_mib 2 \
		shared_text_mib 2 anon_mib 4 data_mib 16 warmup_cycles 1 \
		cycles 3 cycle switch+stream:4+pause:20 sample_ms 100 "$@")
	sed '' "$file" >"$scratch/$name"
	echo "$scratch/$name"
}

# native ARGUMENT...: the host program, two arms unless told otherwise
native()
{
	reclaimlab native --scenario "$plain" --recipe /tests/6.12.recipe \
		--runner /bin/reclaimlab-native --dir "$dir" --out "$out" "$@"
}

# job SCENARIO: as the host program gives it to the runner
job()
{
	reclaimlab native --scenario "$1" --recipe /tests/6.12.recipe --seeds 1 \
		--out "$scratch/export" --export "$scratch/export" &&
		echo "$scratch/export/seed1.job"
}

# runner SCENARIO ARGUMENT...
runner()
{
	local file

	file=$(job "$1") || return
	shift
	reclaimlab-native --job "$file" --out "$scratch/stream" --dir "$dir" "$@"
}

# says STATUS TEXT COMMAND...: one line of error with the text, that status
says()
{
	local want=$1 text=$2 status=0

	shift 2
	"$@" >"$scratch/says" 2>&1 || status=$?
	if [ $status != "$want" ] || ! grep -q -- "$text" "$scratch/says" ||
	   [ "$(wc -l <"$scratch/says")" != 1 ]; then
		echo "wanted: exit status $want and one line with '$text'; got $status"
		cat "$scratch/says"
		return 1
	fi
}

# What a run could have changed or left.
state()
{
	cat "$parameters"/* "$swappiness" /proc/sys/vm/page-cluster \
		"$cgroups/cgroup.subtree_control"
	ls -d "$dir"/reclaimlab* "$cgroups"/reclaimlab* "$cgroups"/*/reclaimlab* \
		2>/dev/null
	return 0
}

untouched()
{
	[ "$(state)" = "$before" ] || {
		echo "before:" "$before"
		echo "now:" "$(state)"
		return 1
	}
}

two_arms()
{
	native --seeds 2 --allow-global >"$scratch/report" 2>"$scratch/err" || {
		cat "$scratch/err"
		return 1
	}
	grep -q "launch p50" "$scratch/report" &&
		grep -q "left out .*zram_mib 256" "$scratch/report" &&
		grep -q "n=2" "$scratch/report" && untouched
}

# In turn, from the first arm and from the last.
interleaved()
{
	grep -o 'two_touch[^,]*' "$scratch/err" >"$scratch/order"
	printf '%s\n' two_touch-seed1 two_touch+exec-seed1 \
		two_touch+exec-seed2 two_touch-seed2 >"$scratch/wanted"
	[ "$(cat "$scratch/order")" = "$(cat "$scratch/wanted")" ] || {
		cat "$scratch/order"
		return 1
	}
}

conditions()
{
	jq -e '.conditions.machine as $m |
		$m.accelerator == "native" and $m.deterministic == false and
		($m.left_out | length) == 2 and
		(.conditions.kernel.config_crc32 != "00000000") and
		(.notes | length) == 2' \
		"$out/records/two_touch-seed1.json" >/dev/null || {
		jq -c '.conditions, .notes' "$out/records/two_touch-seed1.json"
		return 1
	}
}

# The limit was at work, and it was the workload that it bound.
pressure()
{
	jq -e '.counters["apps/memory.stat.pgscan"].delta > 100 and
	       .counters["disk.sectors_read"].delta > 100 and
	       (.observations.launch_ns | length) == 3' \
		"$out/records/two_touch-seed2.json" >/dev/null
}

resumes()
{
	rm "$out/records/two_touch+exec-seed1.json"
	native --seeds 2 --allow-global >/dev/null 2>"$scratch/err" &&
		[ "$(grep -c runs: "$scratch/err")" = 1 ] &&
		grep -q "exec-seed1" "$scratch/err"
}

other_question()
{
	plain=$(small other cycles 4)
	says 2 "of another scenario" native --seeds 2 --allow-global
}

# begin SCENARIO ARGUMENT...: a run in the background that has set its switches
begin()
{
	local file waited=0

	file=$(job "$1") || return
	shift
	reclaimlab-native --job "$file" --out "$scratch/stream" --dir "$dir" \
		--arm "lru_rule=2 exec_promote=1" --allow-global "$@" \
		2>"$scratch/err" &
	pid=$!
	while ! grep -q " phase .* measure" "$scratch/stream" 2>/dev/null; do
		sleep 0.1
		waited=$((waited + 1))
		[ $waited -lt 300 ] || { cat "$scratch/err"; return 1; }
	done
	[ "$(state)" != "$before" ] || { echo "nothing was set"; return 1; }
}

ended_by()
{
	local status=0

	begin "$long" || return
	kill "-$1" "$pid"
	wait "$pid" || status=$?
	[ $status = $((128 + $2)) ] || { echo "status $status"; return 1; }
	untouched
}

# host_ended_by SIGNAL: the host program takes the runner along
host_ended_by()
{
	local waited=0 host

	# Not by native(), whose pid would be that of a shell.
	reclaimlab native --scenario "$long" --recipe /tests/6.12.recipe \
		--runner /bin/reclaimlab-native --dir "$dir" --allow-global \
		--seeds 1 --out "$scratch/ended" 2>"$scratch/err" &
	host=$!
	while [ "$(state)" = "$before" ]; do
		sleep 0.1
		waited=$((waited + 1))
		[ $waited -lt 300 ] || { cat "$scratch/err"; return 1; }
	done
	kill "-$1" "$host"
	! wait "$host" 2>/dev/null || return
	[ "$1" = TERM ] || sleep 1
	untouched
}

killed_hard()
{
	begin "$long" || return
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	sleep 1
	[ "$(cat "$cgroups/reclaimlab-native.room/cgroup.events")" ] || return
	grep -q "populated 0" "$cgroups/reclaimlab-native.room/cgroup.events" || {
		echo "the workload lives on"
		return 1
	}
	[ "$(state)" != "$before" ] || { echo "nothing was left"; return 1; }
	runner "$plain" 2>"$scratch/err" || { cat "$scratch/err"; return 1; }
	grep -q "clearing up" "$scratch/err" && untouched
}

# Who has a directory of that name keeps it.
strangers_directory()
{
	local theirs=$dir/reclaimlab-native.room

	mkdir "$theirs"
	echo theirs >"$theirs/file"
	says 2 "not of a run of yours" runner "$plain" || return
	[ "$(cat "$theirs/file")" = theirs ] && rm -r "$theirs"
}

one_at_a_time()
{
	begin "$long" || return
	says 2 "another reclaimlab-native" runner "$plain"
	local ret=$?
	kill "$pid"
	wait "$pid"
	return $ret
}

# as_user COMMAND...: with no rights but on $dir/user and cgroup "user"
as_user()
{
	(
		echo 0 >"$cgroups/$where/cgroup.procs"
		exec setpriv --reuid 1000 --regid 1000 --clear-groups \
			--inh-caps=-all "$@"
	)
}

ordinary_user()
{
	local file status=0 where=user/session

	file=$(job "$plain")
	chmod -R a+rX "$scratch"
	mkdir -p "$dir/user" "$cgroups/user"
	echo +memory >"$cgroups/user/cgroup.subtree_control"
	mkdir "$cgroups/user/session"
	chown -R 1000:1000 "$dir/user" "$cgroups/user"
	as_user reclaimlab-native --job "$file" --dir "$dir/user" \
		--out "$dir/user/stream" 2>"$scratch/err" || status=$?
	cat "$scratch/err"
	[ $status = 0 ] && grep -q " end ok" "$dir/user/stream" &&
		grep -q "left out: real time" "$dir/user/stream" && untouched
}

no_cgroup()
{
	local where=.

	says 2 "no cgroup v2 with a memory.*systemd-run" as_user \
		reclaimlab-native --job "$scratch/export/seed1.job" \
		--dir "$dir/user" --out "$dir/user/stream" && untouched
}

# Only with leave, and for as long as it takes.
root_without_memory()
{
	local controllers=$cgroups/cgroup.subtree_control ret=0

	echo -memory >"$cgroups/user/cgroup.subtree_control"
	echo -memory >"$controllers"
	before=$(state)
	says 2 "allow-global enables it" runner "$plain" || ret=1
	runner "$plain" --allow-global || ret=1
	untouched || ret=1
	echo +memory >"$controllers"
	before=$(state)
	return $ret
}

# What a device does, here: the runner, the jobs and run.sh in a directory.
by_file()
{
	local device=$dir/device

	native --seeds 1 --fresh --export "$device" || return
	cat /init >"$device/reclaimlab-native"
	chmod +x "$device/reclaimlab-native"
	! "$device/run.sh" 2>"$scratch/err" || return # --allow-global is due
	grep -q "needs --allow-global" "$scratch/err" || return
	"$device/run.sh" --allow-global || return
	native --seeds 1 --fresh --import "$device" >"$scratch/report" || return
	grep -q "launch p50" "$scratch/report" && rm -r "$device" && untouched
}

# by_reboot: kernels with other names than this one
by_reboot()
{
	native --by reboot --arms "this=$release other=$release-other" \
		--seeds 2
}

one_a_boot()
{
	local runs="native: 1 of 4 runs: this-seed1\|native: 4 of 4"

	rm -r "$out"
	by_reboot 2>&1 | grep -v "$runs" >"$scratch/err"
	[ "${PIPESTATUS[0]}" = 3 ] || return
	grep -q "other-seed1 is next: call again after a reboot into .*other" \
		"$scratch/err" || { cat "$scratch/err"; return 1; }
	says 3 "other-seed1 is next" by_reboot || return
	[ ! -e "$out/records/this-seed2.json" ] || return
	echo another >"$out/logs/boot"
	by_reboot 2>/dev/null
	[ $? = 3 ] && [ -e "$out/records/this-seed2.json" ]
}

# The other kernel's records, as it would have made them.
other_kernel()
{
	local seed file

	for seed in 1 2; do
		file=$(cat "$out/records/this-seed$seed.json")
		jq '.arm.label = "other" | .conditions.kernel.sha256 = "other" |
			.guest.kernel = "6.12.0-other"' <<<"$file" \
			>"$out/records/other-seed$seed.json"
	done
	by_reboot >"$scratch/report" || return
	grep -q "differs between the arms" "$scratch/report" && untouched
}

release=$(uname -r)
plain=$(small plain)
long=$(small long cycles 10000)
before=$(state)

plan 26
check refuses-without-limit says 2 "no limit" \
	runner "$(small unlimited memcg_max_mib 0)"
check no-limit-is-for-the-daring runner \
	"$(small unlimited memcg_max_mib 0)" --no-limit
check refuses-the-balloon says 2 "set free_mib 0" \
	runner "$(small balloon free_mib 100)" --allow-global
check refuses-fault-around says 2 "fault_around_kib 4 needs --allow-global" \
	runner "$(small around fault_around_kib 4)"
check refuses-more-than-there-is says 2 "MiB are available" \
	runner "$(small greedy memcg_max_mib 100000)"
check refuses-switches says 2 "needs --allow-global" \
	runner "$plain" --arm "lru_rule=2"
check refuses-a-directory-in-memory says 2 "is in memory" \
	runner "$plain" --dir /tmp
check compares-two-arms two_arms
check takes-turns interleaved
check says-under-which-conditions conditions
check the-limit-presses pressure
check resumes resumes
check keeps-questions-apart other_question
plain=$scratch/plain
check sigterm-restores ended_by TERM 15
check sigint-restores ended_by INT 2
check sigkill-is-cleared-by-the-next killed_hard
check sigterm-of-the-host-program host_ended_by TERM
check sigkill-of-the-host-program host_ended_by KILL
check a-strangers-directory-is-left-alone strangers_directory
check one-at-a-time one_at_a_time
check ordinary-user ordinary_user
check ordinary-user-without-a-cgroup no_cgroup
check root-without-memory-controllers root_without_memory
check device by_file
check one-run-a-boot one_a_boot
check compares-two-kernels other_kernel

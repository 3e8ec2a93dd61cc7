#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every way in which a guest can end is told apart from every other: a real
# guest ends in each of them, and the host says so in one line.

. "$(dirname "$0")/lib.sh"
private_cache
here=$(cd "$(dirname "$0")" && pwd)

# how the guest ends : what the host must say of it
endings=(
	"fail:the workload failed: as the job asked"
	"panic:kernel panic: sysrq triggered crash"
	"hang:hung: the guest wrote nothing for"
	"poweroff:early power-off"
	"truncate:truncated record stream"
	"garbage:malformed record stream"
	"init_exit:kernel panic: Attempted to kill init"
	"oom:was killed by signal 9"
	"init_oom:init ran out of memory"
)

# ends HOW TEXT: the run fails, and its one line has the text
ends()
{
	local out=$scratch/$1 status=0

	{ cat "$here/ending.scenario"; echo "set ending $1"; } \
		>"$scratch/$1.scenario"
	rlab run "$scratch/$1.scenario" --arm classic --out "$out" \
		>"$out.log" 2>&1 || status=$?
	if [ $status != 1 ] || ! grep -q "$2" "$out.log" ||
	   compgen -G "$out/records/*.json" >/dev/null; then
		echo "wanted: exit status 1, no record, '$2'; exit status $status"
		cat "$out.log"
		return 1
	fi
}

# Only one of the other texts may fit: the lines differ from each other.
distinct()
{
	local lines

	lines=$(cd "$scratch" && head -qn1 ./*.log | sort | uniq -d)
	[ -z "$lines" ] || {
		echo "said of two endings: $lines"
		return 1
	}
}

ok()
{
	{ cat "$here/ending.scenario"; echo "set ending ok"; } \
		>"$scratch/ok.scenario"
	rlab run "$scratch/ok.scenario" --arm classic --out "$scratch/ok"
}

# Somebody else ends QEMU, as the kernel's OOM killer would.
killed()
{
	local out=$scratch/killed status=0 pid qemu

	{ cat "$here/ending.scenario"; echo "set ending hang"; } \
		>"$scratch/killed.scenario"
	rlab run "$scratch/killed.scenario" --arm classic --out "$out" \
		>"$out.log" 2>&1 &
	pid=$!
	until qemu=$(pgrep -f "qemu-system.*$scratch"); do
		kill -0 "$pid" || break
		sleep 0.1
	done
	kill -KILL "$qemu"
	wait "$pid" || status=$?
	if [ $status != 1 ] || ! grep -q "QEMU was killed by signal 9" \
		"$out.log" || compgen -G "$XDG_CACHE_HOME/reclaimlab/tmp/*"; then
		echo "exit status $status"
		cat "$out.log"
		return 1
	fi
}

plan $((${#endings[@]} + 3))
check ends-ok ok
for ending in "${endings[@]}"; do
	check "ends-${ending%%:*}" ends "${ending%%:*}" "${ending#*:}"
done
check ends-killed killed
check endings-are-told-apart distinct

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# From plan to table: what is finished is kept and reused, whatever happens to
# the rest, and nothing of a run that was ended stays behind.

. "$(dirname "$0")/lib.sh"
private_cache
short=$(short_launch)
out=$scratch/out

measure()
{
	rlab measure "$short" --arms "two_touch two_touch+exec" --out "$out" \
		"$@" >"$scratch/measure.log" 2>&1
}

sums()
{
	(cd "$out/records" && sha256sum ./*.json)
}

# The QEMUs that belong to this test, by the scratch path in their arguments.
guests()
{
	pgrep -f "qemu-system.*$scratch" || true
}

# begin_and_end SIGNAL: start a measurement, end it while guests run
begin_and_end()
{
	local pid waited=0

	measure --seeds 2 --fresh &
	pid=$!
	while [ -z "$(guests)" ] && [ $waited -lt 100 ]; do
		sleep 0.2
		waited=$((waited + 1))
	done
	sleep 1
	# $pid is the shell's copy; the program is its child.
	pkill "-$1" -P "$pid" -f "$REC_BIN" || kill "-$1" "$pid"
	! wait "$pid" || { echo "it ended well although it was killed"; return 1; }
	sleep 2
	[ -z "$(guests)" ] || { echo "a guest lives on"; return 1; }
	! find "$out" "$XDG_CACHE_HOME" -name '*.json' -size 0 | grep . || return 1
	find "$out/records" -name '*.json' -print0 | xargs -0 -r -n1 jq -e .format \
		>/dev/null || { echo "a partial record"; return 1; }
}

first_measure()
{
	measure --seeds 1 || { cat "$scratch/measure.log"; return 1; }
	sums >"$scratch/sums"
	[ "$(wc -l <"$scratch/sums")" = 2 ]
}

reused()
{
	measure --seeds 1 || { cat "$scratch/measure.log"; return 1; }
	grep -q "2 of 2.*reused" "$scratch/measure.log" || {
		echo "not reused:"
		cat "$scratch/measure.log"
		return 1
	}
	sums | diff "$scratch/sums" -
}

after_the_kill()
{
	measure --seeds 1 || { cat "$scratch/measure.log"; return 1; }
	sums | diff "$scratch/sums" -
}

table()
{
	awk 'length > 100 { print "too wide: " $0; wide = 1 } END { exit wide }' \
		"$out/report.txt" || return 1
	grep -q "pgscan_kswapd" "$out/report.txt" &&
		grep -q "launch p50" "$out/report.txt" &&
		jq -e '(.arms | length) == 2 and (.metrics | length) > 20 and
		       .conditions' "$out/report.json" >/dev/null
}

# says STATUS TEXT COMMAND...: one line of error with the text, that status
says()
{
	local want=$1 text=$2 status=0

	shift 2
	"$@" >"$scratch/says.log" 2>&1 || status=$?
	if [ $status != "$want" ] || ! grep -q "$text" "$scratch/says.log" ||
	   [ "$(wc -l <"$scratch/says.log")" != 1 ]; then
		echo "wanted: exit status $want and one line with '$text'; got $status"
		cat "$scratch/says.log"
		return 1
	fi
}

no_qemu()
{
	PATH=/nonexistent rlab run "$short" --arm classic --out "$scratch/no-qemu"
}

# In a mount namespace of its own: a directory that cannot be written to, even
# by root, and one that is full.
mounted()
{
	local options=$1

	shift
	mkdir -p "$scratch/mnt"
	# The variables are the inner shell's.
	# shellcheck disable=SC2016
	unshare -m bash -c 'mount -t tmpfs -o "$1" none "$2" && shift 2 && "$@"' \
		- "$options" "$scratch/mnt" "$@"
}

plan 11
check measures first_measure
check leaves-a-table table
check second-call-reuses reused
check ctrl-c-leaves-nothing begin_and_end INT
check works-after-ctrl-c after_the_kill
check kill-9-leaves-nothing begin_and_end KILL
check works-after-kill-9 after_the_kill
check unknown-arm-is-named says 2 "no arm nonsense" \
	rlab run "$short" --arm nonsense --out "$scratch/arm"
check missing-qemu-is-named says 2 "qemu-system-x86_64 is not in PATH" no_qemu
check read-only-output says 2 "Read-only file system" mounted ro,size=1m \
	"$REC_BIN" measure --kernel "$REC_KERNEL" --initramfs "$REC_INITRAMFS" \
	--recipe "$REC_RECIPE" --scenario "$short" --out "$scratch/mnt/out"
check full-disk says 2 "No space left" mounted size=4k,nr_inodes=2 \
	"$REC_BIN" measure --kernel "$REC_KERNEL" --initramfs "$REC_INITRAMFS" \
	--recipe "$REC_RECIPE" --scenario "$short" --out "$scratch/mnt/out"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# environment.sh DIRECTORY [PROGRAM...]
#
# The kselftests (those in DIRECTORY that need a scratch file, or PROGRAM...)
# where they cannot show their claims: what is missing is a skip that says so,
# and nothing is left behind. Every run has a mount namespace of its own, in
# which all places for a scratch file are the same one, /tmp.
. "$(dirname "$0")/../guest/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
directory=$(cd "$1" && pwd)
shift
programs=("$@")
if [ $# = 0 ]; then
	mapfile -t programs < <(grep -l scratch_open "$here"/../../kselftest/*.c |
		sed 's|.*/||; s|\.c$||')
fi

# A file system of 96 MiB; less than 1 MiB of it is ever written but for what
# fills it.
make_disk()
{
	truncate -s 96M "$scratch/disk" &&
		PATH=$PATH:/sbin:/usr/sbin mke2fs -q -F -m 0 -O ^has_journal \
			"$scratch/disk"
}

on_tmpfs()
{
	mount -t tmpfs none /tmp
}

on_read_only()
{
	mount -o loop,ro "$scratch/disk" /tmp
}

on_full()
{
	mount -o loop "$scratch/disk" /tmp
	! cat /dev/zero 2>/dev/null >/tmp/filler
}

on_not_writable()
{
	mount -o loop "$scratch/disk" /tmp
	chmod 0755 /tmp
}

on_own()
{
	mount -o loop "$scratch/disk" /tmp
	chmod 1777 /tmp
}

# Where a test may leave something, and what it calls it.
leftovers()
{
	find /tmp /mnt -name 'page_advice*' ! -path '/mnt/programs/*'
	find /sys/fs/cgroup -name 'page_advice*' -type d
}

# inside KIND USER PROGRAM: in the namespace; prints what the program does
inside()
{
	local kind=$1 user=$2 program=$3 status=0

	set -e
	# Not below /tmp, and on no file system with a disk.
	mount -t tmpfs none /mnt
	mkdir /mnt/programs
	cp "$directory/$program" /mnt/programs
	"on_$kind"
	mount --bind /tmp /var/tmp
	cd /tmp
	export PAGE_ADVICE_DIR=/tmp
	setpriv --reuid "$user" --regid "$user" --clear-groups \
		"/mnt/programs/$program" 2>&1 || status=$?
	echo "exit status $status"
	leftovers | sed 's/^/left behind: /'
}

# run KIND USER PROGRAM: in a namespace, to $scratch/output
run()
{
	export directory scratch
	unshare -m bash -c "$(declare -f)"'; inside "$@"' - "$@" \
		>"$scratch/output" 2>&1
}

# sound REASON: nothing failed or was left behind, and REASON (a pattern; empty
# for none) is what a skip says
sound()
{
	grep -qE '^exit status [04]$' "$scratch/output" &&
		! grep -qE '^not ok|^left behind|^Bail out' "$scratch/output" &&
		grep -qE "${1:+# SKIP .*$1}" "$scratch/output" && return
	grep -vE '^# +(RUN|OK|SKIP) ' "$scratch/output"
	return 1
}

# more_is_missing REASON: cases are skipped, but none of them for REASON: those
# that would get as far as a scratch file lack something else before that
more_is_missing()
{
	[ "$1" ] && grep -q '# SKIP' "$scratch/output" &&
		! grep -qE "# SKIP .*$1" "$scratch/output"
}

# kind : user : why : what the skips say
kinds=(
	"tmpfs:0:no-disk:no directory on "
	"read_only:0:read-only:is read-only"
	"full:0:full:is full"
	"not_writable:65534:not-writable:cannot be written to"
	"own:65534:ordinary-user:"
)

can_mount()
{
	# The inner shell's.
	# shellcheck disable=SC2016
	unshare -m bash -c 'mount -o loop "$1" /mnt' - "$scratch/disk" 2>/dev/null
}

skip()
{
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

plan $((${#kinds[@]} * ${#programs[@]}))
make_disk
can_mount && disk=1 || disk=
for entry in "${kinds[@]}"; do
	IFS=: read -r kind user why reason <<<"$entry"
	for program in "${programs[@]}"; do
		if [ ! "$disk" ]; then
			skip "$program-$why" "cannot mount a disk here"
			continue
		fi
		run "$kind" "$user" "$program"
		if more_is_missing "$reason" && sound "" >/dev/null; then
			skip "$program-$why" "more is missing than that"
		else
			check "$program-$why" sound "$reason"
		fi
	done
done

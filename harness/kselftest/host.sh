#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# host.sh PROGRAMS OUT RECLAIMLAB
#
# Runs PROGRAMS (paths, with blanks between) on this machine, one after another,
# each for as long as "settings" beside it allows. Results as report.sh leaves
# them. The kernel's log is not looked at: it is everybody's here.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
read -ra programs <<<"$1"
out=$2
reclaimlab=$3

mkdir -p "$out"
notes=$out/notes
: >"$notes"

# kernel_has SYMBOL: by the running kernel's configuration, if that is to be had
kernel_has()
{
	{ zcat /proc/config.gz || cat "/boot/config-$(uname -r)"; } 2>/dev/null |
		grep -q "^$1=y"
}

# memcg_is_there: children of the root can have the memory controller
memcg_is_there()
{
	local mount

	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
	[ "$mount" ] && grep -qw memory "$mount/cgroup.subtree_control"
}

# shares_zero_page: nobody told the kernel at boot to do without it
shares_zero_page()
{
	! grep -q no_zero_page=1 /proc/cmdline
}

# unless WORD COMMAND...: the word, when that fails
unless()
{
	local word=$1

	shift
	"$@" || echo "$word"
}

# What is true here, found without asking the programs.
facts()
{
	echo "host $(uname -m) $(($(getconf PAGESIZE) / 1024))k" \
		"cpus=$(nproc) $(uname -r | cut -d . -f 1,2)"
	unless ordinary-user [ "$(id -u)" = 0 ]
	unless one-cpu [ "$(nproc)" -gt 1 ]
	unless no-memcg memcg_is_there
	unless no-swap grep -q '^SwapTotal: *[1-9]' /proc/meminfo
	unless no-psi [ -e /proc/pressure/memory ]
	unless no-null_blk [ -d /sys/kernel/config/nullb ]
	unless no-lru_gen [ -r /sys/kernel/debug/lru_gen ]
	unless no-zero-page shares_zero_page
	unless no-anon-name kernel_has CONFIG_ANON_VMA_NAME
	unless no-thp kernel_has CONFIG_TRANSPARENT_HUGEPAGE
	unless no-file-thp kernel_has CONFIG_READ_ONLY_THP_FOR_FS
	unless no-soft-dirty kernel_has CONFIG_MEM_SOFT_DIRTY
	unless no-global [ "${PAGE_ADVICE_GLOBAL:-}" = 1 ]
}

milliseconds()
{
	echo $((${EPOCHREALTIME/[.,]/} / 1000))
}

start=$(milliseconds)
for path in "${programs[@]}"; do
	program=${path##*/}
	limit=$(sed -n 's/^timeout=//p' "${path%/*}/settings")
	echo "run $program" >>"$notes"
	[ ! -t 2 ] || printf '\r%-30s' "$program" >&2
	status=0
	timeout --foreground -k 5 "$limit" "$path" 2>&1 |
		while IFS= read -r line; do
			echo "out $program $(($(milliseconds) - start)) $line"
		done >>"$notes" || status=$?
	if [ "$status" = 124 ]; then
		echo "timeout $program $limit" >>"$notes"
	else
		echo "exit $program $status" >>"$notes"
	fi
done
[ ! -t 2 ] || printf '\r%-30s\r' "" >&2
"$here/report.sh" "$notes" "$out" "$reclaimlab" "$(facts | paste -sd ' ')"

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# TAP for the checks that boot a guest. A check is a command that is silent when
# all is well; what it prints when it fails becomes the diagnostic.
#
# From the caller: REC_BIN (the host program), REC_KERNEL (image),
# REC_INITRAMFS, REC_RECIPE, REC_SCENARIOS (directory), REC_TMP (scratch).

set -u
scratch=$(mktemp -d "${REC_TMP:-/tmp}/guest.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
count=0

plan()
{
	echo "TAP version 13"
	echo "1..$1"
}

# check NAME COMMAND...
check()
{
	local name=$1 output

	shift
	count=$((count + 1))
	if output=$("$@" 2>&1); then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		printf '%s\n' "${output:-no output}" | sed 's/^/# /'
	fi
}

# A cache of its own for each test, so that nothing is answered from another's.
private_cache()
{
	export XDG_CACHE_HOME=$scratch/cache
}

# scenario NAME KEY VALUE...: the shipped scenario with other values; its path
scenario()
{
	local name=$1 edit=

	shift
	while [ $# -gt 0 ]; do
		edit+="s/^(set )?$1( +).*/\\1$1\\2$2/;"
		shift 2
	done
	sed -E "$edit" "$REC_SCENARIOS/$name.scenario" >"$scratch/$name.scenario"
	echo "$scratch/$name.scenario"
}

# The launch workload, long enough for real pressure, short enough to be run
# many times.
short_launch()
{
	scenario launch warmup_cycles 2 cycles 5
}

# rlab run|measure SCENARIO-FILE ARGUMENTS...
# Ctrl-C counts even if whoever runs the tests in the background ignores it.
rlab()
{
	local command=$1 scenario=$2

	shift 2
	/usr/bin/env --default-signal=INT "$REC_BIN" "$command" --kernel "$REC_KERNEL" \
		--initramfs "$REC_INITRAMFS" --recipe "$REC_RECIPE" \
		--scenario "$scenario" "$@"
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# stress.sh SECONDS OUT SCENARIO GUEST-ARGUMENT...
#
# The races, for SECONDS of the guest's time together instead of some sweeps
# each: guest.sh with its arguments and a scenario that waits as long.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
seconds=$1
out=$2
scenario=$3
shift 3

[[ $seconds =~ ^[1-9][0-9]*$ ]] || {
	echo "stress: \"$seconds\" is no number of seconds" >&2
	exit 2
}
mkdir -p "$out"
# What a race needs besides its share: to come to an end, slowly where two
# processors are emulated.
awk -v more="$seconds" '
	$1 == "timeout_s" || $1 == "silence_s" { $2 += more }
	{ print }' "$scenario" >"$out/stress.scenario"
export KSELFTEST_ENV="PAGE_ADVICE_STRESS_S=$seconds timeout=$((seconds + 600))"
exec "$here/guest.sh" "$1" "$out" "${@:2}" --fresh \
	--scenario "$out/stress.scenario"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kselftest.sh PROGRAMS OUT RECLAIMLAB INITRAMFS ARGUMENT...
#
# Boots a guest that runs PROGRAMS (paths, with blanks between): RECLAIMLAB run
# with the arguments, which name kernel, arm and scenario. The programs travel in
# an archive behind INITRAMFS. Prints TAP; leaves OUT/results.ktap and
# OUT/results.json. The exit status is 0 only when something passed and nothing
# failed.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
programs=$1
out=$2
reclaimlab=$3
initramfs=$4
shift 4

mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A second archive behind the first, which the kernel unpacks over it; the same
# programs give the same bytes.
mkdir -p "$work/root/kselftest"
# shellcheck disable=SC2086 # a list
cp $programs "$work/root/kselftest"
touch -d @0 "$work"/root/kselftest/* "$work/root/kselftest"
(cd "$work/root" && find kselftest | sort |
	cpio -o -H newc --quiet --reproducible -R 0:0) |
	gzip -9n | cat "$initramfs" - >"$work/initramfs"

rm -rf "$out/records"
"$reclaimlab" run --initramfs "$work/initramfs" \
	--out "$out" "$@" >"$work/record"
jq -f "$here/kselftest.jq" "$(cat "$work/record")" >"$out/results.json"
jq -r '
	"TAP version 13", "1..\(.cases | length)",
	(.cases | to_entries[] |
	 "\(if .value.status == "fail" then "not " else "" end)ok " +
	 "\(.key + 1) \(.value.name)" +
	 (if .value.status == "skip" then " # SKIP \(.value.reason)"
	  elif .value.reason != "" then "\n# \(.value.reason)"
	  else "" end))' "$out/results.json" | tee "$out/results.ktap"
jq -e '.summary | .fail == 0 and .pass > 0' "$out/results.json" >/dev/null

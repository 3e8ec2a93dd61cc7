#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The native mode, run for good: in a guest, whose kernel has the switches and
# whose cgroups nobody else needs, inside.sh is a program like the kselftests.
# The host program and what else it calls travel with their libraries.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
work=$(mktemp -d "${REC_TMP:-/tmp}/native.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/root

# add PROGRAM...: each with what it is linked to
add()
{
	local program library

	for program; do
		program=$(type -P "$program")
		cp -L "$program" "$root/bin"
		ldd "$program" | grep -o '/[^ ]*' | while read -r library; do
			mkdir -p "$root${library%/*}"
			cp -nL "$library" "$root$library"
		done
	done
}

mkdir -p "$root/bin" "$root/kselftest" "$root/tests"
add "$REC_BIN" bash cat chmod chown dirname env grep jq ls mkdir mktemp mv rm \
	sed setpriv sh sleep uname wc
cp "$here/inside.sh" "$root/kselftest/native"
cp "$top/tests/guest/lib.sh" "$REC_RECIPE" "$REC_SCENARIOS/launch.scenario" \
	"$root/tests"
ln -s /init "$root/bin/reclaimlab-native"
printf 'timeout=900\nPATH=/bin\n' >"$root/settings"
# An archive that is not compressed begins at a multiple of four.
cp "$REC_INITRAMFS" "$work/initramfs"
truncate -s %4 "$work/initramfs"
(cd "$root" && find . -mindepth 1 | sort | cpio -o -H newc --quiet -R 0:0) \
	>>"$work/initramfs"

status=0
record=$("$REC_BIN" run --kernel "$REC_KERNEL" --recipe "$REC_RECIPE" \
	--arm classic --initramfs "$work/initramfs" --out "$work/out" \
	--scenario "$REC_SCENARIOS/kselftest.scenario") || status=$?
[ $status = 0 ] || record=
# What the guest wrote, even if it ended early.
sed -nE 's/^rl [0-9]+ note out native [0-9]+ (.*) \*[0-9a-f]{8}$/\1/p' \
	"$work"/out/logs/*.stream
[ "$record" ] && jq -e '.notes[] | select(test("exit native 0"))' "$record" \
	>/dev/null

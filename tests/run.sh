#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh BUILD
#
# All tests of the bench: unit tests, plain and under sanitizers, the arm64
# build of the guest, the kselftests on this kernel, the KUnit suite in a
# user-mode kernel, and the checks that boot guests. Every program speaks TAP
# and all of it goes through tap.awk. The last line is the sum; the exit status
# is 0 only when something ran and nothing failed.
set -euo pipefail
export LC_ALL=C
top=$(cd "$(dirname "$0")/.." && pwd)
build=$1
results=$build/test-results
rm -rf "$results"
mkdir -p "$results"

# suite NAME COMMAND...: run one TAP program, show its results
suite()
{
	local name=$1 status=0

	shift
	echo "# $name"
	{ "$@" 2>"$results/$name.err" || status=$?
	  echo "# exit status $status"; } |
		awk -v suite="$name" -v out="$results/$name.sum" \
			-f "$top/tests/tap.awk"
	# What a program said beside its TAP matters when something failed.
	if grep -q '^[0-9]* [1-9]' "$results/$name.sum"; then
		sed 's/^/#   /' "$results/$name.err"
	fi
}

unit_tests()
{
	local variant=$1 sanitize=$2 program name

	make -s -C "$top/harness/host" OUT="$build/host$variant" \
		SANITIZE="$sanitize" library
	make -s -C "$top/tests/unit" OUT="$build/unit$variant" \
		HOST="$build/host$variant" SANITIZE="$sanitize"
	for program in "$top"/tests/unit/test_*.c; do
		name=$(basename "$program" .c)
		CMOCKA_MESSAGE_OUTPUT=TAP suite "$name${variant:+.sanitized}" \
			"$build/unit$variant/$name"
	done
}

# The guest's sources serve both architectures; that arm64 compiles is a test.
guest_for_arm64()
{
	local elf

	echo "1..1"
	if make -s -C "$top/harness/guest" ARCH=arm64 \
		OUT="$build/guest/arm64" >&2 &&
	   elf=$(aarch64-linux-gnu-readelf -hl "$build/guest/arm64/init") &&
	   [[ $elf == *AArch64* && $elf != *INTERP* ]]
	then
		echo "ok 1 - builds-static-for-arm64"
	else
		echo "not ok 1 - builds-static-for-arm64"
	fi
}

# On this kernel, as far as it and this machine go.
kselftests()
{
	local program

	make -s -C "$top/kselftest" OUT="$build/kselftest" \
		KSRC="$("$top/qemu/fetch-source.sh" 6.12)"
	for program in "$top"/kselftest/*.c; do
		program=$(basename "$program" .c)
		suite "kselftest.$program" "$build/kselftest/$program"
	done
}

guest_checks()
{
	local script name programs=

	export REC_BIN=$build/host/reclaimlab
	export REC_INITRAMFS=$build/guest/x86_64/initramfs.cpio.gz
	export REC_RECIPE=$top/qemu/kernels/6.12.recipe
	export REC_SCENARIOS=$top/harness/scenarios
	export REC_TMP=$results
	export REC_KERNEL
	REC_KERNEL=$("$top/qemu/build-kernel.sh" 6.12)
	for script in "$top"/kselftest/*.c; do
		programs+=" $build/kselftest/$(basename "$script" .c)"
	done
	suite kselftest-guest "$top/harness/kselftest.sh" "$programs" \
		"$build/kselftest-results" "$REC_BIN" "$REC_INITRAMFS" \
		--kernel "$REC_KERNEL" --recipe "$REC_RECIPE" --arm classic \
		--scenario "$REC_SCENARIOS/kselftest.scenario"
	suite kselftest-stubs "$top/tests/kselftest/stubs.sh" \
		"$("$top/qemu/fetch-source.sh" 6.12)" "$build/kselftest-stubs"
	for script in "$top"/tests/guest/*.sh "$top"/tests/make/*.sh; do
		name=$(basename "$script" .sh)
		[ "$name" = lib ] || suite "$name" "$script"
	done
}

unit_tests "" ""
unit_tests -sanitized address,undefined
suite guest-arm64 guest_for_arm64
kselftests
suite kunit "$top/kunit/run.sh" 6.12
guest_checks

cat "$results"/*.sum | awk '
	{ passed += $1; failed += $2; skipped += $3 }
	END {
		printf "%d passed, %d failed, %d skipped\n",
			passed, failed, skipped
		exit failed > 0 || passed == 0
	}'

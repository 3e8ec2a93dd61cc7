#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh BUILD
#
# All tests of the bench: unit tests, plain and under sanitizers, what is built
# for arm64, the kselftests on this kernel and in a kernel tree, the KUnit suite
# in a user-mode kernel, and the checks that boot guests. Every program speaks TAP
# and all of it goes through tap.awk. The last line is the sum; the exit status
# is 0 only when something ran and nothing failed.
set -euo pipefail
export LC_ALL=C
top=$(cd "$(dirname "$0")/.." && pwd)
build=$1
results=$build/test-results
rm -rf "$results"
mkdir -p "$results"
export REC_TMP=$results
started=()

# suite NAME COMMAND...: run one TAP program, show its results
suite()
{
	local name=$1 status=0 start=$SECONDS

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
	[ $SECONDS -lt $((start + 5)) ] ||
		echo "# $name: $((SECONDS - start)) s"
}

# beside NAME COMMAND...: start it; its output is shown by "together"
beside()
{
	"${@:2}" >"$results/$1.out" &
	started+=("$1:$!")
}

# together: wait for what was started, show it in that order
together()
{
	local entry

	for entry in "${started[@]}"; do
		wait "${entry##*:}"
		cat "$results/${entry%:*}.out"
	done
	started=()
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

# What the fuzzers know, where memory errors are seen.
fuzz_replay()
{
	make -s -C "$top/tests/fuzz" OUT="$build/fuzz-replay" \
		HOST="$build/host-sanitized" SANITIZE=address,undefined >&2 &&
		"$top/tests/fuzz/replay.sh" "$build/fuzz-replay"
}

# is_for_arm64 FILE: and static
is_for_arm64()
{
	local elf

	elf=$(aarch64-linux-gnu-readelf -hl "$1") &&
		[[ $elf == *AArch64* && $elf != *INTERP* ]]
}

# point NUMBER NAME COMMAND...: a test point of the suite
point()
{
	local name="$1 - $2"

	shift 2
	if "$@" >&2; then echo "ok $name"; else echo "not ok $name"; fi
}

arm64_guest()
{
	make -s -C "$top/harness/guest" ARCH=arm64 OUT="$build/guest/arm64" &&
		is_for_arm64 "$build/guest/arm64/init"
}

arm64_kselftests()
{
	kselftest_make "$build/kselftest/arm64" \
		CROSS_COMPILE=aarch64-linux-gnu- &&
		is_for_arm64 "$build/kselftest/arm64/anon_dontneed"
}

# That what runs in guests compiles for both architectures is a test.
arm64()
{
	echo "1..2"
	point 1 guest-builds-for-arm64 arm64_guest
	point 2 kselftests-build-for-arm64 arm64_kselftests
}

# kselftest_make OUT MAKE-ARGUMENT...: build the kselftests there
kselftest_make()
{
	local out=$1

	shift
	make -s -j"$(nproc)" -f "$top/harness/kselftest/programs.mk" OUT="$out" \
		KSRC="$("$top/qemu/fetch-source.sh" 6.12)" "$@"
}

kselftest_programs()
{
	kselftest_make "$build/kselftest/6.12"
	programs=
	for program in "$top"/kselftest/*.c; do
		programs+=" $build/kselftest/6.12/$(basename "$program" .c)"
	done
}

# results OUT COMMAND...: a runner of kselftests, the page it prints aside
results()
{
	local out=$1 status=0

	shift
	"$@" >&2 || status=$?
	cat "$out/results.ktap"
	return "$status"
}

# On this kernel, as far as it and this machine go.
kselftest_host()
{
	suite kselftest-host results "$results/kselftest-host" \
		"$top/harness/kselftest/host.sh" "$programs" \
		"$results/kselftest-host" "$build/host/reclaimlab"
}

# kselftest_guest NAME SCENARIO: all of them in a guest
kselftest_guest()
{
	suite "$1" results "$results/$1" \
		"$top/harness/kselftest/guest.sh" "$programs" "$results/$1" \
		"$REC_BIN" "$REC_INITRAMFS" --kernel "$REC_KERNEL" \
		--recipe "$REC_RECIPE" --arm classic \
		--scenario "$REC_SCENARIOS/$2.scenario"
}

# The KUnit suites in a user-mode kernel, and that they see half a change.
kunit()
{
	suite kunit results "$results/kunit" "$top/kunit/run.sh" \
		--out "$results/kunit" --pages "$REC_BIN" 6.12
	suite kunit-removals "$top/tests/kunit/removals.sh"
	suite kunit-install "$top/tests/kunit/install.sh" \
		"$("$top/qemu/fetch-source.sh" 6.12)"
}

guest_checks()
{
	local script name

	export REC_BIN=$build/host/reclaimlab
	export REC_INITRAMFS=$build/guest/x86_64/initramfs.cpio.gz
	export REC_RECIPE=$top/qemu/kernels/6.12.recipe
	export REC_SCENARIOS=$top/harness/scenarios
	export REC_KERNEL
	REC_KERNEL=$("$top/qemu/build-kernel.sh" 6.12)
	# Each keeps one processor busy; the one with two comes last, alone.
	beside guest kselftest_guest kselftest-guest kselftest
	beside stubs suite kselftest-stubs "$top/tests/kselftest/stubs.sh" \
		"$("$top/qemu/fetch-source.sh" 6.12)" "$build/kselftest-stubs"
	together
	beside lru kselftest_guest kselftest-guest-lru kselftest-lru
	beside kunit kunit
	together
	kselftest_guest kselftest-guest-smp kselftest-smp
	suite mutants "$top/tests/mutants/dozen.sh" "$programs" \
		"$("$top/qemu/build-kernel.sh" 6.12-mutants)" \
		"$results/mutants"
	suite native "$top/tests/native/guest.sh"
	for script in "$top"/tests/guest/*.sh "$top"/tests/make/*.sh; do
		name=$(basename "$script" .sh)
		[ "$name" = lib ] || suite "$name" "$script"
	done
}

unit_tests "" ""
unit_tests -sanitized address,undefined
suite fuzz-replay fuzz_replay
suite arm64 arm64
suite kselftest-claims "$top/tests/kselftest/claims.sh"
suite mutants-list "$top/tests/mutants/list.sh"
kselftest_programs
kselftest_host
suite kselftest-environment "$top/tests/kselftest/environment.sh" \
	"$build/kselftest/6.12"
suite kselftest-in-tree "$top/tests/kselftest/in_tree.sh" \
	"$("$top/qemu/fetch-source.sh" 6.12)"
guest_checks

cat "$results"/*.sum | awk '
	{ passed += $1; failed += $2; skipped += $3 }
	END {
		printf "%d passed, %d failed, %d skipped\n",
			passed, failed, skipped
		exit failed > 0 || passed == 0
	}'

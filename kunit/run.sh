#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--arch um|x86_64|arm64] [--checks] [--out OUT] [--pages RECLAIMLAB]
#	RECIPE [SOURCE [ARM [PATCH...]]]
#
# The suites in a kernel made of a copy of the source (the recipe's, with its
# patches, or that tree as it is), by the kernel's own kunit.py, booted as ARM of
# the recipe, with more patches if any: a user-mode kernel, or one under QEMU;
# with --checks one that watches its memory and its locks. Leaves OUT/console,
# OUT/kunit.ktap and OUT/results.json, with --pages what harness/results makes of
# it too, and prints last what rule the kernel follows. The exit status is 0 only
# when all suites ran, all of it passed and the kernel had nothing to complain of.
# The copy and its build stay in the cache.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../qemu/lib.sh"
. "$here/../qemu/tree.sh"

# kunit SUBCOMMAND ARGUMENT...
kunit()
{
	(cd "$work/src" && CCACHE_DIR=${CCACHE_DIR:-$cache/ccache} \
		tools/testing/kunit/kunit.py "$@")
}

# arm_words LABEL: of the recipe, for the kernel's command line, which MGLRU itself
# is not on; the suites are about nothing else.
arm_words()
{
	values "$recipe" arm | awk -v label="$1" '
		$1 == label { for (i = 2; i <= NF; i++)
			if ($i !~ /^lru_gen=/) print "reclaimlab." $i }'
}

usage()
{
	say "usage: run.sh [--arch um|x86_64|arm64] [--checks] [--out OUT]" \
		"[--pages RECLAIMLAB] RECIPE [SOURCE-TREE [ARM [PATCH...]]]"
	exit 2
}

# What a target needs beside the suites' own configuration, and who compiles it.
set_target()
{
	configs=("$here/.kunitconfig")
	build=build-$arch
	cross=
	case $arch in
	um)	;;
	x86_64)	configs+=("$here/qemu.config") ;;
	arm64)	configs+=("$here/qemu.config")
		cross=aarch64-linux-gnu- ;;
	*)	die "no target \"$arch\"; there are: um x86_64 arm64" ;;
	esac
	[ "$(uname -m)" != aarch64 ] || cross=
	[ ! "$checks" ] || {
		configs+=("$here/checks.config")
		build+=-checks
	}
	target=(--arch "$arch" --build_dir "$work/$build")
	[ ! "$cross" ] || target+=(--cross_compile "$cross")
}

build()
{
	local config options=()

	for config in "${configs[@]}"; do
		options+=(--kunitconfig "$config")
	done
	say "building a kernel $(source_version "$source") for $arch," \
		"minutes the first time ..."
	kunit build "${target[@]}" "${options[@]}" --jobs "$(nproc)" \
		--make_options CC="ccache ${cross}gcc" \
		>"$work/build.log" 2>&1 ||
		failed "$work/build.log" "the suites do not build"
}

# The console of a user-mode kernel does not wait for who reads it by a pipe, and
# loses what does not fit in there: it writes into a file.
boot()
{
	local words=(kunit.enable=1 "${arguments[@]}")

	if [ "$arch" = um ]; then
		timeout --foreground -k 5 "$limit" "$work/$build/linux" \
			"kunit.filter_glob=mglru*" mem=1G console=tty \
			kunit_shutdown=halt "${words[@]}" \
			>"$out/console" 2>&1 </dev/null || :
	else
		mkdir -p "$work/bin"
		ln -sf "$here/qemu.sh" "$work/bin/qemu-system-${arch/arm64/aarch64}"
		PATH=$work/bin:$PATH kunit exec "${target[@]}" --raw_output=all --timeout "$limit" \
			"${words[@]/#/--kernel_args=}" 'mglru*' \
			>"$out/console" 2>&1 </dev/null || :
	fi
}

# What is wrong with the run whatever its cases say. That lines are missing is
# seen by kunit.py, which calls it no failure.
what_is_wrong()
{
	local suites

	# What it said before it came to the suites is not about them.
	sed -n '/KTAP version/,$p' "$out/console" |
		grep -aE -m 1 'BUG: |WARNING: |Kernel panic' && return
	kunit parse "$out/console" 2>&1 | grep -m 1 'Testing complete.*errors:' &&
		return
	suites=$(grep -c '^\(not \)\?ok [0-9]* mglru' "$out/kunit.ktap") || :
	[ "$suites" = 6 ] || echo "$suites of 6 suites ended"
}

arch=um checks='' out='' pages=''
while [ $# -gt 0 ]; do
	case $1 in
	--arch)		arch=${2-} && shift ;;
	--checks)	checks=1 ;;
	--out)		out=${2-} && shift ;;
	--pages)	pages=${2-} && shift ;;
	-*)		usage ;;
	*)		break ;;
	esac
	shift
done
[ $# -ge 1 ] || usage
recipe=$(recipe_file "$1")
find_source "$1" ${2:+"$2"}
patches=() arguments=()
if [ -z "${2-}" ]; then
	for file in $(values "$recipe" patch); do
		patches+=("$patches_dir/$file")
	done
fi
[ $# -le 3 ] || patches+=("${@:4}")
for word in $(arm_words "${3-}"); do
	arguments+=("$word")
done
[ -z "${3-}" ] || [ ${#arguments[@]} -gt 0 ] ||
	die "$recipe has no arm \"$3\" with switches"
work=$cache/work/kunit-${work##*/}
set_target
# Emulated, and with checks: more than a minute on a busy machine.
limit=600
need_cache
mkdir -p "$work"
take_lock "$(basename "$work")"
work_tree "$source" "$id" "$list" "$work" "${patches[@]}"
"$here/install.sh" "$work/src"
build
out=$(realpath -m "${out:-$work/results}")
mkdir -p "$out"
boot
kunit parse --raw_output=kunit "$out/console" >"$out/kunit.ktap" || :
jq -R -n --arg wrong "$(what_is_wrong)" -f "$here/results.jq" \
	"$out/kunit.ktap" >"$out/results.json"
[ ! "$pages" ] || "$here/../harness/results/pages.sh" "$out" "$pages" || :
jq -r '.verdict // "no verdict"' "$out/results.json"
jq -e '.summary.fail == 0 and .summary.pass > 0' "$out/results.json" >/dev/null

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh RECIPE [SOURCE-TREE [ARM [PATCH...]]]
#
# The suites in a user-mode kernel made of a copy of the source (the recipe's,
# with its patches, or that tree as it is), by the kernel's own kunit.py, booted
# as ARM of the recipe, with more patches if any. Prints their KTAP and last what they found to be the rule
# of this kernel; the exit status is 0 only when they ran and all of it passed.
# The copy and its build stay in the cache.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../qemu/lib.sh"
. "$here/../qemu/tree.sh"

# kunit SUBCOMMAND ARGUMENT...: what it says on the way goes to stderr
kunit()
{
	(cd "$work/src" && CCACHE_DIR=${CCACHE_DIR:-$cache/ccache} \
		tools/testing/kunit/kunit.py "$@")
}

# arm_words LABEL: of the recipe, for the kernel's command line
arm_words()
{
	values "$recipe" arm | awk -v label="$1" '
		$1 == label { for (i = 2; i <= NF; i++) print "reclaimlab." $i }'
}

[ $# -ge 1 ] || die "usage: run.sh RECIPE [SOURCE-TREE [ARM [PATCH...]]]"
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
need_cache
mkdir -p "$work"
take_lock "$(basename "$work")"
work_tree "$source" "$id" "$list" "$work" "${patches[@]}"
"$here/install.sh" "$work/src"
echo "# building a user-mode kernel $(source_version "$source")," \
	"minutes the first time ..."
kunit build --build_dir "$work/build" --kunitconfig "$here/kunitconfig" --jobs "$(nproc)" \
	--make_options CC="ccache gcc" >"$work/build.log" 2>&1 ||
	failed "$work/build.log" "the suites do not build"
# Into a file: the console of a user-mode kernel does not wait for who reads it
# by a pipe, and loses what does not fit in there.
timeout --foreground -k 5 300 "$work/build/linux" 'kunit.filter_glob=mglru*' \
	kunit.enable=1 mem=1G console=tty kunit_shutdown=halt \
	"${arguments[@]}" >"$work/console" 2>&1 </dev/null || :
kunit parse --raw_output=kunit "$work/console" | tee "$work/ktap" || :
sed -n 's/^ *# verdict: \(.*executable promotion\)/# \1/p' "$work/ktap"
# kunit.py sees what is missing, but calls that no failure.
kunit parse "$work/console" >"$work/parsed" 2>&1 &&
	! grep -q 'Testing complete.*errors:' "$work/parsed" &&
	[ "$(grep -c '^ok [0-9]* mglru' "$work/ktap")" = 2 ] &&
	! grep -q '^ *not ok' "$work/ktap"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh RECIPE [SOURCE-TREE]
#
# The suite in a user-mode kernel made of a copy of the source, by the kernel's
# own kunit.py. Prints the suite's KTAP; the exit status is 0 only when the suite
# ran and all of it passed. The copy and its build stay in the cache.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../qemu/lib.sh"
. "$here/../qemu/tree.sh"

# kunit SUBCOMMAND ARGUMENT...: what it says on the way goes to stderr
kunit()
{
	(cd "$work/src" && CCACHE_DIR=${CCACHE_DIR:-$cache/ccache} \
		tools/testing/kunit/kunit.py "$@" --build_dir "$work/build")
}

[ $# -eq 1 ] || [ $# -eq 2 ] || die "usage: run.sh RECIPE [SOURCE-TREE]"
find_source "$@"
work=$cache/work/kunit-${work##*/}
need_cache
mkdir -p "$work"
take_lock "$(basename "$work")"
work_tree "$source" "$id" "$list" "$work"
"$here/install.sh" "$work/src"
echo "# building a user-mode kernel $(source_version "$source")," \
	"minutes the first time ..."
kunit build --kunitconfig "$here/kunitconfig" --jobs "$(nproc)" \
	--make_options CC="ccache gcc" >"$work/build.log" 2>&1 ||
	failed "$work/build.log" "the suite does not build"
kunit exec --timeout 300 --raw_output=kunit 'mglru*' | tee "$work/ktap"
grep -q '^ok 1 mglru' "$work/ktap" && ! grep -q '^not ok' "$work/ktap"

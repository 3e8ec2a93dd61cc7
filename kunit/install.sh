#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# install.sh [--remove] TREE
#
# Puts the suites into a kernel tree, or takes them out without a trace. What is
# there already is left alone, so that it can be called again and make has
# nothing to redo.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
remove=
[ "${1-}" != --remove ] || { remove=1; shift; }
tree=${1-}

[ -f "$tree/mm/vmscan.c" ] || {
	echo "kunit: no kernel source in \"$tree\"" >&2
	exit 1
}
[ -w "$tree/mm" ] || {
	echo "kunit: $tree cannot be written to; make kunit KSRC= uses a copy" >&2
	exit 1
}

files=$(cd "$here" && echo *.c *.h)
kconfig='source "mm/tests/Kconfig.mglru"'
# shellcheck disable=SC2016 # make expands it
object='obj-$(CONFIG_MGLRU_KUNIT_TEST) += tests/mglru_arith_kunit.o'
include='#ifdef CONFIG_VMSCAN_KUNIT_TEST
#include "tests/vmscan_kunit.c"
#endif'

# without BLOCK FILE: print FILE but for those lines
without()
{
	awk -v block="$1" '
		BEGIN { n = split(block, line, "\n") }
		{ text[NR] = $0 }
		END {
			for (i = 1; i <= NR; i++) {
				for (j = 1; j <= n && text[i + j - 1] == line[j]; j++)
					;
				if (j > n)
					i += n - 1
				else
					print text[i]
			}
		}' "$2"
}

# block FILE BLOCK: as the last lines of FILE, or nowhere. The file is replaced,
# not written into: it may be a hard link.
block()
{
	local file=$tree/mm/$1

	{
		without "$2" "$file"
		[ "$remove" ] || printf '%s\n' "$2"
	} >"$file.new"
	replace "$file"
}

# replace FILE: by FILE.new, if that is another
replace()
{
	if cmp -s "$1.new" "$1"; then
		rm "$1.new"
	else
		[ ! -e "$1" ] || chmod --reference="$1" "$1.new"
		mv "$1.new" "$1"
	fi
}

# put NAME COMMAND...: a file of ours, as the command prints it
put()
{
	local file=$tree/mm/tests/$1

	shift
	if [ "$remove" ]; then
		rm -f "$file"
	else
		"$@" >"$file.new"
		replace "$file"
	fi
}

[ "$remove" ] || mkdir -p "$tree/mm/tests"
for file in $files; do
	put "$file" cat "$here/$file"
done
put Kconfig.mglru cat "$here/Kconfig"
# For kunit.py, by its usual name, unless the tree has one of its own.
if [ ! -e "$tree/mm/tests/.kunitconfig" ] ||
   cmp -s "$here/.kunitconfig" "$tree/mm/tests/.kunitconfig"; then
	put .kunitconfig cat "$here/.kunitconfig"
fi
put mglru_lineage.h "$here/lineage.sh" "$tree"
block Kconfig "$kconfig"
block Makefile "$object"
block vmscan.c "$include"
[ ! "$remove" ] || rmdir "$tree/mm/tests" 2>/dev/null || :

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# install.sh TREE: put the suite into a kernel tree. What is there already is
# left alone, so that it can be called again and make has nothing to redo.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$1

[ -f "$tree/mm/vmscan.c" ] || { echo "no kernel source in $tree" >&2; exit 1; }

# put FILE NAME: a file of ours
put()
{
	cmp -s "$here/$1" "$tree/mm/$2" || cp "$here/$1" "$tree/mm/$2"
}

# append FILE LINE: unless it is there. The file is replaced, not written into:
# it may be a hard link.
append()
{
	local file=$tree/mm/$1

	grep -qxF "$2" "$file" && return
	{ cat "$file"; printf '%s\n' "$2"; } >"$file.new"
	mv "$file.new" "$file"
}

put mglru_arith_test.c mglru_arith_test.c
put Kconfig Kconfig.mglru_test
append Kconfig 'source "mm/Kconfig.mglru_test"'
# shellcheck disable=SC2016 # make expands it
append Makefile 'obj-$(CONFIG_MGLRU_KUNIT_TEST) += mglru_arith_test.o'

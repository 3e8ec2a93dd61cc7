#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# install.sh TREE: put the kselftests into a kernel tree, as
# tools/testing/selftests/page_advice. What is there already and equal is left
# alone, so that make has nothing to redo.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
tree=$1
selftests=$tree/tools/testing/selftests

[ -f "$selftests/lib.mk" ] || {
	echo "no kernel source in \"$tree\"; give one: KSRC=DIR" >&2
	exit 2
}
rsync --recursive --checksum --delete "$here/../../kselftest/" \
	"$selftests/page_advice/"
# Sorted in, and the file replaced, not written into: it may be a hard link.
if ! grep -qx 'TARGETS += page_advice' "$selftests/Makefile"; then
	awk '!done && /^TARGETS \+= / && $3 > "page_advice" {
		print "TARGETS += page_advice"
		done = 1
	}
	{ print }' "$selftests/Makefile" >"$selftests/Makefile.new"
	mv "$selftests/Makefile.new" "$selftests/Makefile"
fi
echo "$selftests/page_advice"

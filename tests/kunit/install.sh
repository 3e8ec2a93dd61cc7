#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# install.sh KERNEL-SOURCE
#
# The KUnit suites go into a tree, once however often that is asked, and come out
# of it without a trace.
. "$(dirname "$0")/../guest/lib.sh"
install=$(cd "$(dirname "$0")/../../kunit" && pwd)/install.sh
tree=$scratch/tree

# The parts of the tree that are looked at or changed, under git.
make_tree()
{
	mkdir -p "$tree/include" &&
		cp -r "$1/mm" "$tree/mm" &&
		cp -r "$1/include/linux" "$tree/include/linux" &&
		git -C "$tree" init -q && git -C "$tree" add . &&
		git -C "$tree" -c user.name=test -c user.email=test@localhost \
			commit -q -m tree
}

changes()
{
	git -C "$tree" status --porcelain --untracked-files=all
}

is_put_in()
{
	"$install" "$tree" && grep -q '"tests/vmscan_kunit.c"' \
		"$tree/mm/vmscan.c" && [ -s "$tree/mm/tests/mglru_lineage.h" ]
}

has_tests()
{
	[ -d "$1/mm/tests" ] && echo yes || echo no
}

# A second call changes no file, not even its time.
changes_nothing()
{
	local before

	before=$(find "$tree/mm" -type f -printf '%p %T@\n' | sort)
	"$install" "$tree" &&
		[ "$before" = "$(find "$tree/mm" -type f -printf '%p %T@\n' |
			sort)" ]
}

leaves_no_trace()
{
	"$install" --remove "$tree" && [ -z "$(changes)" ] &&
		[ "$(has_tests "$tree")" = "$(has_tests "$1")" ]
}

# refused TEXT ARGUMENT...: in one line
refused()
{
	local said

	! said=$("$install" "${@:2}" 2>&1) && [[ $said == *"$1"* ]] &&
		[ "$(wc -l <<<"$said")" = 1 ]
}

plan 5
make_tree "$1" || exit
check is-put-in is_put_in
check is-put-in-once changes_nothing
check leaves-no-trace leaves_no_trace "$1"
check nothing-to-take-out leaves_no_trace "$1"
check no-tree-is-named refused 'no kernel source in "/nowhere"' /nowhere

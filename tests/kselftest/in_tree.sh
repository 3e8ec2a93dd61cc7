#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# in_tree.sh KERNEL-SOURCE
#
# The kselftests as a part of a kernel tree: put into a pristine one, built with
# its Makefiles beside the source and by O=, packed, and run by its runner.
. "$(dirname "$0")/../guest/lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
tree=$scratch/tree
targets="TARGETS=page_advice"
programs=("$top"/kselftest/*.c)

# The parts of the tree that selftests are built with.
pristine()
{
	mkdir -p "$tree/tools/testing/selftests"
	cp -r "$1/Makefile" "$1/scripts" "$1/include" "$tree"
	cp -r "$1"/tools/{arch,build,include,scripts} "$tree/tools"
	rsync -a --include='/kselftest/***' --exclude='/*/' \
		"$1/tools/testing/selftests/" "$tree/tools/testing/selftests"
}

# selftests MAKE-ARGUMENT...: a make of its own, not a part of the one that runs
# the tests
selftests()
{
	# shellcheck disable=SC2086 # a list
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -j"$(nproc)" \
		-C "$tree/tools/testing/selftests" $targets "$@"
}

# What was built and is listed is every program there is.
complete()
{
	local source program

	for source in "${programs[@]}"; do
		program=$(basename "$source" .c)
		[ -x "$1/page_advice/$program" ] &&
			grep -qx "page_advice:$program" "$1/kselftest-list.txt" && continue
		echo "$program is not there"
		return 1
	done
	[ -e "$1/page_advice/settings" ] && [ -e "$1/page_advice/config" ]
}

built()
{
	selftests INSTALL_PATH="$scratch/installed" install &&
		complete "$scratch/installed"
}

built_elsewhere()
{
	selftests clean &&
		selftests O="$scratch/o" INSTALL_PATH="$scratch/o-installed" \
			install &&
		complete "$scratch/o-installed" &&
		! find "$tree/tools/testing/selftests/page_advice" \
			-type f -perm -1 | grep .
}

packed()
{
	selftests INSTALL_PATH="$scratch/packed" gen_tar &&
		tar -tzf "$scratch/packed/kselftest-packages/kselftest.tar.gz" |
		grep -q "/page_advice/charges$"
}

# Through a pipe: it opens /dev/stdout again.
runs()
{
	(cd "$scratch/installed" && ./run_kselftest.sh -c page_advice 2>&1) |
		cat >"$scratch/run"
	grep -E '^not ok' "$scratch/run" && return 1
	[ "$(grep -cE '^ok [0-9]+ selftests: page_advice: ' "$scratch/run")" = \
	  ${#programs[@]} ]
}

ignored()
{
	git -C "$scratch/tree" init -q &&
		! git -C "$scratch/tree" status --porcelain -uall \
			tools/testing/selftests/page_advice |
		grep -vE '\.([ch]|list)$|/(Makefile|config|settings|\.gitignore)$'
}

twice()
{
	"$top/harness/kselftest/install.sh" "$tree" &&
		[ "$(grep -c page_advice \
			"$tree/tools/testing/selftests/Makefile")" = 1 ]
}

pristine "$1"
plan 7
check is-put-in "$top/harness/kselftest/install.sh" "$tree"
check is-put-in-once twice
check is-built-and-installed built
check ignores-what-is-built ignored
check is-run-by-run_kselftest runs
check is-built-elsewhere built_elsewhere
check is-packed packed

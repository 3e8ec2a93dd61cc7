#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What people type: the targets are listed, mistakes get one line.

. "$(dirname "$0")/../guest/lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)

# A make of its own, not a part of the one that runs the tests.
front_door()
{
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -C "$top" \
		--no-print-directory "$@"
}

# mistake TEXT MAKE-ARGUMENT...: one line with the text besides make's own
mistake()
{
	local text=$1 status=0 said

	shift
	said=$(front_door "$@" 2>&1 </dev/null) || status=$?
	# Not what make says of itself or of something that it had to compile.
	said=$(grep -vE '^(make: \*\*\*|  [A-Z]+ )' <<<"$said")
	if [ $status = 0 ] || [ "$(wc -l <<<"$said")" != 1 ] ||
	   ! grep -qF -e "$text" <<<"$said"; then
		echo "wanted one line with '$text' and a bad status; $status:"
		echo "$said"
		return 1
	fi
}

# Every target a person can call is in the list.
lists_every_target()
{
	local target targets help

	help=$(front_door help)

	targets=$(awk '/^\.PHONY:/ { on = 1 }
		on { more = sub(/\\$/, ""); print; if (!more) exit }
		' "$top/Makefile" | xargs -n 1 |
		grep -vE '^(\.PHONY:|need-.*|deps-.*|distclean-cache|kselftest-programs)$')
	for target in $targets; do
		grep -q "^  $target " <<<"$help" || {
			echo "make help does not list $target"
			return 1
		}
	done
	[ "$(wc -w <<<"$targets")" -gt 8 ]
}

not_a_kernel()
{
	mkdir -p "$scratch/empty"
	mistake "no kernel source in" kernel KSRC="$scratch/empty"
}

keeps_the_cache()
{
	private_cache
	mkdir -p "$XDG_CACHE_HOME/reclaimlab"
	mistake "YES=1" distclean-cache || return
	[ -d "$XDG_CACHE_HOME/reclaimlab" ]
}

# What the kselftests run under when nobody names an arm.
first_arm_has_mglru()
{
	local recipe

	for recipe in "$top"/qemu/kernels/*.recipe; do
		grep -m 1 '^arm' "$recipe" | grep -qw lru_gen=7 || {
			echo "the first arm of $recipe is not the kernel as it comes"
			return 1
		}
	done
}

plan 8
check help-lists-every-target lists_every_target
check unknown-recipe-is-named mistake 'no recipe "nonsense"; there are: 6.12' \
	measure KERNEL=nonsense
check unknown-scenario-is-named mistake 'no scenario "nonsense"; there are:' \
	measure SCENARIO=nonsense
check tree-without-a-kernel-is-named not_a_kernel
check bad-number-is-named mistake "--seeds many" measure SEEDS=many \
	IMAGE="$REC_KERNEL" OUT="$scratch/out"
check bad-stress-is-named mistake '"soon" is no number' \
	kselftest-stress STRESS_S=soon OUT="$scratch/out"
check first-arm-is-the-kernel-as-it-comes first_arm_has_mglru
check distclean-asks-first keeps_the_cache

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Style and static analysis; silent about what is well. Only files that git
# tracks, or would, are looked at.
set -uo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.." || exit
status=0

files()
{
	git ls-files --cached --others --exclude-standard -- "$@" |
		while read -r file; do [ ! -e "$file" ] || echo "$file"; done
}

# step NAME COMMAND...
step()
{
	local name=$1

	shift
	echo "  CHECK   $name"
	"$@" || { echo "check: $name failed" >&2; status=1; }
}

# But for kernel-side code: checkpatch has the last word there, and the two
# disagree about the macros of kselftest_harness.h.
clang_format()
{
	files '*.c' '*.h' | grep -vE '^(kselftest|kunit)/' | xargs clang-format --dry-run -Werror
}

# Kernel-side code, by the kernel's own judge. Our patches are not sent, so
# nobody signs them off, and the new files they add have no maintainer. They come
# on stdin: a file that git tracks would be judged as source.
checkpatch()
{
	local kernel bad=0 file

	kernel=$(qemu/fetch-source.sh 6.12) || return
	for file in $(files 'qemu/patches/*.patch'); do
		"$kernel/scripts/checkpatch.pl" --root="$kernel" --strict -q \
			--no-signoff --ignore FILE_PATH_CHANGES - <"$file" \
			2>/dev/null || bad=1
	done
	for file in $(files 'kunit/*.c' 'kunit/*.h' 'kselftest/*.c' \
			    'kselftest/*.h'); do
		"$kernel/scripts/checkpatch.pl" --root="$kernel" --strict -q \
			--no-tree -f "$file" 2>/dev/null || bad=1
	done
	return "$bad"
}

cppcheck_harness()
{
	cppcheck -q --error-exitcode=1 --std=c11 --inline-suppr \
		--enable=warning,portability,performance \
		--suppress=missingIncludeSystem -D_GNU_SOURCE -D__x86_64__ \
		harness
}

shell_scripts()
{
	{
		files '*.sh'
		files .ci/run harness/guest/make-initramfs \
			harness/guest/make-filesystems
	} | xargs shellcheck -x
}

# Nothing names the machine or the mirror it was made on.
no_places()
{
	! files | grep -v '^tests/check.sh$' | xargs grep -nEI \
		'(^|[ =(:])/(work|root|home)/[a-z]|(deb|security|ftp)\.debian\.org|snapshot\.debian'
}

step clang-format clang_format
step checkpatch checkpatch
step cppcheck cppcheck_harness
step shellcheck shell_scripts
step places no_places
exit $status

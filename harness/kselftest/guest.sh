#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh PROGRAMS OUT RECLAIMLAB INITRAMFS ARGUMENT...
#
# Boots a guest that runs PROGRAMS (paths, with blanks between): RECLAIMLAB run
# with the arguments, which name kernel, arm and scenario. The programs travel in
# an archive behind INITRAMFS, with "settings" if that lies beside the first, and
# the words of $KSELFTEST_ENV (NAME=VALUE) for their environment; in another one
# file systems, if filesystems.cpio.gz lies beside INITRAMFS.
# When a guest ends before its time, another one runs the programs that were
# still to come. Results as report.sh leaves them.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
read -ra programs <<<"$1"
out=$2
reclaimlab=$3
initramfs=$4
shift 4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

# More archives behind the first, which the kernel unpacks over it; the same
# programs give the same bytes.
pack()
{
	local settings=${programs[0]%/*}/settings
	local filesystems=${initramfs%/*}/filesystems.cpio.gz

	[ -e "$filesystems" ] || filesystems=
	rm -rf "$work/root"
	mkdir -p "$work/root/kselftest"
	cp "${programs[@]}" "$work/root/kselftest"
	{
		[ ! -e "$settings" ] || cat "$settings"
		tr ' ' '\n' <<<"${KSELFTEST_ENV-}"
	} >"$work/root/settings"
	find "$work/root" -exec touch -d @0 {} +
	(cd "$work/root" && find . -mindepth 1 | sort |
		cpio -o -H newc --quiet --reproducible -R 0:0) |
		gzip -9n |
		cat "$initramfs" ${filesystems:+"$filesystems"} - >"$work/initramfs"
}

# boot ARGUMENT...: adds to the notes; says why if the guest ended early
boot()
{
	local status=0 stream

	rm -rf "$out/records" "$out"/logs/*.stream
	"$reclaimlab" run --initramfs "$work/initramfs" --out "$out" "$@" \
		>"$work/record" 2>"$work/err" || status=$?
	cat "$work/err" >&2
	if [ "$status" = 0 ]; then
		jq -r '.notes[] | ltrimstr(" ")' "$(cat "$work/record")" \
			>>"$work/notes"
		describe "$(cat "$work/record")" >"$work/tags"
		return
	fi
	for stream in "$out"/logs/*.stream; do
		[ -e "$stream" ] || exit "$status"
		sed -n 's/^rl [0-9]* note \(.*\) \*[0-9a-f]\{8\}$/\1/p' \
			"$stream" >>"$work/notes"
	done
	return 1
}

# The program that was running when the last guest ended.
victim()
{
	awk '$1 == "run" { name = $2 }
	     $1 == "exit" || $1 == "timeout" { name = "" }
	     END { print name }' "$work/notes"
}

# rest VICTIM: of the programs, those that would have come after it
rest()
{
	local program left=()

	for program in "${programs[@]}"; do
		[[ ! ${program##*/} > "$1" ]] || left+=("$program")
	done
	programs=("${left[@]}")
}

# describe RECORD: words that are true of the target
describe()
{
	jq -r '"guest", (.guest |
		.kernel, (.kernel | split(".")[:2] | join(".")), .arch,
		"\((.page | tonumber) / 1024)k", "cpus=\(.cpus)"),
		"lru_gen=\(.conditions.job.lru_gen)",
		"arm=\(.arm.label)"' "$1" | paste -sd ' '
}

mkdir -p "$out"
: >"$work/notes"
echo guest >"$work/tags"
while [ ${#programs[@]} -gt 0 ]; do
	pack
	boot "$@" && break
	name=$(victim)
	[ "$name" ] || exit 1
	echo "died $name $(head -n 1 "$work/err")" >>"$work/notes"
	rest "$name"
done
"$here/report.sh" "$work/notes" "$out" "$reclaimlab" \
	"$(cat "$work/tags")"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# build-kernel.sh RECIPE [SOURCE-TREE]
#
# Builds the recipe's kernel, from its own source or from a tree that is only
# read, and prints the path of the image. What was built before from the same
# source, patches, configuration and compiler is answered from the cache.
# Progress goes to stderr.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/tree.sh"

# Objects of a whole build with the configuration of 6.12, measured; later
# builds remember their own.
objects_guess=1140

declare -A image_of=(
	[x86_64]=arch/x86/boot/bzImage
	[arm64]=arch/arm64/boot/Image
)
declare -A cross_of=([x86_64]=x86_64-linux-gnu- [arm64]=aarch64-linux-gnu-)

read_recipe()
{
	local file

	recipe=$(recipe_file "$1")
	name=$1
	arch=$(values "$recipe" arch)
	image=${image_of[$arch]-}
	[ "$image" ] || die "$recipe: arch \"$arch\" is not one of:" \
		"${!image_of[*]}"
	cross=
	[ "$(uname -m)" = "${arch/arm64/aarch64}" ] || cross=${cross_of[$arch]}
	patches=() fragments=()
	for file in $(values "$recipe" patch); do
		patches+=("$patches_dir/$file")
	done
	for file in $(values "$recipe" config); do
		fragments+=("$configs_dir/$file")
	done
	for file in "${patches[@]}" "${fragments[@]}"; do
		[ -r "$file" ] || die "$recipe: cannot read $file"
	done
}

# kernel_key: what determines the image
kernel_key()
{
	{
		echo "$id $arch"
		"${cross}gcc" --version
		"${cross}ld" --version
		cat "${patches[@]}" "${fragments[@]}" "$0"
	} | hash
}

# clean_env NAME=VALUE... COMMAND...: nothing of ours gets into the kernel's
# make, and nothing of the machine into the kernel: optional tools whose versions
# the configuration would remember are hidden
clean_env()
{
	env -i PATH="$PATH" HOME="$HOME" LC_ALL=C ${TMPDIR:+TMPDIR="$TMPDIR"} \
		MAKEFLAGS="RUSTC=absent BINDGEN=absent PAHOLE=absent" \
		ARCH="$arch" ${cross:+CROSS_COMPILE="$cross"} "$@"
}

kernel_make()
{
	clean_env CCACHE_DIR="${CCACHE_DIR:-$cache/ccache}" \
		KBUILD_BUILD_TIMESTAMP="1970-01-01 00:00:00 UTC" \
		KBUILD_BUILD_USER=reclaimlab KBUILD_BUILD_HOST=reclaimlab \
		KBUILD_BUILD_VERSION=1 LOCALVERSION= \
		make "$@" "CC=ccache ${cross}gcc" HOSTCC="ccache gcc"
}

# configure: allnoconfig with the fragments over it
configure()
{
	local log=$work/config.log

	mkdir -p "$build"
	(cd "$work/src" && clean_env scripts/kconfig/merge_config.sh -n -O "$build" \
		"${fragments[@]}") >"$log" 2>&1 ||
		failed "$log" "cannot configure kernel $name"
	check_config
}

# check_config: every symbol of the fragments has the value it has there
check_config()
{
	local missing

	missing=$(awk '
		/^# CONFIG_[A-Z0-9_a-z]+ is not set/ { value[$2] = "n" }
		/^CONFIG_/ {
			i = index($0, "=")
			value[substr($0, 1, i - 1)] = substr($0, i + 1)
		}
		FILENAME != last { file++; last = FILENAME }
		file < ARGC - 1 {
			for (symbol in value)
				wanted[symbol] = value[symbol]
			split("", value)
		}
		END {
			for (symbol in wanted) {
				is = symbol in value ? value[symbol] : "n"
				if (is != wanted[symbol])
					print symbol "=" wanted[symbol] \
						" (is " is ")"
			}
		}' "${fragments[@]}" "$build/.config" | sort | paste -sd,)
	[ -z "$missing" ] ||
		die "configuration of $name did not take in" \
			"$(source_version "$work/src"): ${missing//,/, }"
}

# compile: make in the background, progress in front. The flag says that make
# was killed so hard that it could leave half a file behind.
compile()
{
	local log=$work/build.log whole=false pid start=$SECONDS rc=0

	if [ -e "$work/building" ]; then
		say "the last build was killed: again (ccache knows its part)"
		rm -rf "$build"
		configure
	fi
	[ -e "$build/vmlinux" ] || whole=true
	run_make >"$log" 2>&1 &
	pid=$!
	trap 'kill "$pid" 2>/dev/null && wait "$pid"; exit 130' INT TERM HUP
	watch_make
	wait "$pid" || rc=$?
	trap - INT TERM HUP
	[ "$rc" -eq 0 ] || build_failed "$log"
	! $whole || compiled "$log" >"$work/objects"
}

run_make()
{
	local pid rc=0

	: >"$work/building"
	kernel_make -C "$work/src" O="$build" -Otarget -j"$(nproc)" \
		"${image##*/}" &
	pid=$!
	trap 'kill "$pid"; wait "$pid"; rm -f "$work/building"; exit 130' TERM
	wait "$pid" || rc=$?
	rm -f "$work/building"
	return "$rc"
}

compiled()
{
	grep -cE '^  (CC|AS) ' "$1" || :
}

# watch_make: until it ends, a line that is rewritten every second on a
# terminal, a line every 15 seconds in a log
watch_make()
{
	local about="" pause=15 end='\n' ticks=0

	! $whole || about=" of about $(cat "$work/objects" 2>/dev/null ||
		echo "$objects_guess")"
	[ ! -t 2 ] || { pause=1; end='\r'; }
	while sleep 0.25; kill -0 "$pid" 2>/dev/null; do
		ticks=$((ticks + 1))
		[ $((ticks % (4 * pause))) -eq 0 ] || continue
		printf 'kernel %s: %d%s objects, %s   %b' "$name" \
			"$(compiled "$log")" "$about" \
			"$(clock $((SECONDS - start)))" "$end" >&2
	done
	[ ! -t 2 ] || printf '\n' >&2
}

# clock SECONDS: 4 min 40 s
clock()
{
	if [ "$1" -lt 60 ]; then
		echo "$1 s"
	else
		echo "$(($1 / 60)) min $(($1 % 60)) s"
	fi
}

# build_failed LOG: the first error with what is around it
build_failed()
{
	local log=$1 at

	at=$(grep -nE -m 1 'error:|undefined reference' "$log" ||
		grep -nE -m 1 '\*\*\*' "$log" || echo 1:)
	at=${at%%:*}
	! grep -qs 'No space left on device\|Disk quota' "$log" ||
		failed "$log" "building kernel $name"
	sed -n "$((at > 3 ? at - 3 : 1)),$((at + 8))p" "$log" >&2
	die "kernel $name does not compile; all of it is in $log"
}

# keep: put the result into the cache, whole or not at all
keep()
{
	local new

	mkdir -p "$cache/kernels"
	new=$(mktemp -d "$cache/kernels/.tmp.XXXXXX")
	{
		cp "$build/$image" "$recipe" "$work/build.log" "$new/" &&
			cp "$build/.config" "$new/config" &&
			mv "$new/$name.recipe" "$new/recipe" &&
			chmod 755 "$new"
	} 2>"$work/keep.log" ||
		failed "$work/keep.log" "cannot keep kernel $name"
	mv -T "$new" "$result" 2>/dev/null || rm -rf "$new"
}

build_kernel()
{
	local build=$work/build start=$SECONDS

	say "kernel $name: $(source_version "$source")," \
		"${#patches[@]} patches, $arch"
	work_tree "$source" "$id" "$list" "$work" "${patches[@]}"
	configure
	compile
	keep
	say "kernel $name: ready after $(clock $((SECONDS - start)))"
}

[ $# -eq 1 ] || [ $# -eq 2 ] || die "usage: build-kernel.sh RECIPE [SOURCE-TREE]"
read_recipe "$1"
find_source "$@"
result=$cache/kernels/$(kernel_key)
if [ ! -d "$result" ]; then
	need_cache
	mkdir -p "$work"
	take_lock "$(basename "$work")"
	[ -d "$result" ] || build_kernel
fi
echo "$result/${image##*/}"

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # shared with lib.sh
# and with those who source it
#
# Work trees: a copy of a source tree with patches, that is brought up to date
# file by file. What does not change keeps its time stamp, what changes gets a
# new one, so that make rebuilds as little as possible. However a caller was
# killed, the next one repairs what it left. Needs lib.sh.

# check_tree DIR: is it a kernel?
check_tree()
{
	if [ ! -d "$1/mm" ] || [ -z "$(source_version "$1" 2>/dev/null)" ]; then
		die "no kernel source in $1"
	fi
}

# tree_files DIR: the source files of a tree, sorted: all that git tracks or
# would track; without git all that no build has made, which kbuild marks by a
# .NAME.cmd beside NAME
tree_files()
(
	cd "$1" || exit
	if [ -e .git ]; then
		git_files --cached --others --exclude-standard | sort -u |
			comm -23 - <(git_files --deleted | sort)
		return
	fi
	find . \( -name .git -o -path ./include/config -o \
		-path ./include/generated -o -path './arch/*/include/generated' \
		-o -name '.tmp_*' -o -path ./.config -o -path ./.config.old \
		-o -path ./.version -o -path ./Module.symvers \
		-o -path ./System.map -o -path ./vmlinux -o -name '*.o' \
		-o -name '*.ko' -o -name modules.order \) -prune -o \
		\( -type f -o -type l \) -printf '%P\n' | awk '
		{ name[NR] = $0 }
		/(^|\/)\.[^\/]*\.cmd$/ {
			made[$0]
			sub(/\.cmd$/, "")
			match($0, /[^\/]*$/)
			made[substr($0, 1, RSTART - 1) substr($0, RSTART + 1)]
		}
		END {
			for (i = 1; i <= NR; i++)
				if (!(name[i] in made))
					print name[i]
		}' | sort
)

git_files()
{
	git -c safe.directory='*' -c core.fsmonitor=false \
		-c core.quotePath=false ls-files "$@"
}

# tree_id DIR LIST: identity of the listed files: names, modes, contents. To
# read all of it takes seconds, so the answer is kept under the files' sizes and
# times.
tree_id()
(
	local print id
	local known=$cache/sources/ids

	cd "$1" || exit
	print=$(tr '\n' '\0' <"$2" |
		xargs -0 stat -c '%n %s %f %i %.9Y %.9Z' | hash)
	if ! id=$(cat "$known/$print" 2>/dev/null); then
		id=$({
			tr '\n' '\0' <"$2" | xargs -0 stat -c '%A %N'
			# A link to a directory has no contents of its own.
			# shellcheck disable=SC2016 # for the inner shell
			tr '\n' '\0' <"$2" | xargs -0 sh -c 'for file; do
				[ -d "$file" ] || printf "%s\0" "$file"
			done' sh | xargs -0 sha256sum
		} | hash)
		need_cache
		mkdir -p "$known"
		echo "$id" >"$known/.tmp.$$"
		mv "$known/.tmp.$$" "$known/$print"
	fi
	echo "$id"
)

# find_source RECIPE [TREE]: sets source (where it is), id (what it is), list (a
# file with its files' names) and work (where it is built)
find_source()
{
	list=$(mktemp)
	trap 'rm -f "$list"' EXIT
	work=$cache/work/$1
	if [ $# -gt 1 ]; then
		check_tree "$2"
		source=$(realpath "$2")
		work+=-$(hash <<<"$source" | cut -c 1-12)
	else
		source=$("$qemu_dir/fetch-source.sh" "$1")
	fi
	tree_files "$source" >"$list"
	if [ $# -gt 1 ]; then
		id=$(tree_id "$source" "$list")
	else
		id=$(basename "$source")
	fi
}

# patch_files PATCH...: what they touch, sorted
patch_files()
{
	[ $# -gt 0 ] || return 0
	sed -n 's,^\(---\|+++\) [ab]/\([^\t]*\).*,\2,p
		s,^rename \(from\|to\) ,,p' "$@" | sort -u
}

# patched_files SOURCE OVERLAY PATCH...: leaves in OVERLAY what the patches
# touch, as it is after all of them
patched_files()
{
	local source=$1 overlay=$2 file patch said

	shift 2
	rm -rf "$overlay"
	mkdir -p "$overlay"
	patch_files "$@" | while read -r file; do
		[ ! -e "$source/$file" ] ||
			(cd "$source" && cp --parents "$file" "$overlay")
	done
	for patch; do
		said=$(patch -d "$overlay" -p1 --fuzz=0 -f -r - \
			--no-backup-if-mismatch <"$patch" 2>&1) && continue
		die "patch $(basename "$patch") does not apply to" \
			"$(source_version "$source"):" \
			"$(grep -B 1 FAILED <<<"$said" | paste -sd ' ' ||
			   tail -n 1 <<<"$said")"
	done
}

# place WANTED FILE: make FILE equal to WANTED, or absent if that is
place()
{
	if [ ! -e "$1" ]; then
		rm -f "$2"
	elif ! cmp -s "$1" "$2"; then
		mkdir -p "$(dirname "$2")"
		rm -f "$2.tmp"
		cp "$1" "$2.tmp"
		mv "$2.tmp" "$2"
	fi
}

# copy_tree SOURCE LIST SKIP TREE: all listed files but those in SKIP
copy_tree()
{
	comm -23 "$2" "$3" |
		rsync -lp --checksum --files-from=- "$1/" "$4/" || return
	(cd "$4" && find . \( -type f -o -type l \) -printf '%P\n') | sort |
		comm -13 <(sort -u "$2" "$3") - |
		(cd "$4" && tr '\n' '\0' | xargs -0 -r rm -f)
}

# work_tree SOURCE ID LIST WORK PATCH...: WORK/src becomes the source with the
# patches. Needs the lock of WORK.
work_tree()
{
	local source=$1 id=$2 list=$3 work=$4 file log=$4/tree.log

	shift 4
	mkdir -p "$work"
	touch "$work/touched"
	patched_files "$source" "$work/overlay" "$@"
	patch_files "$@" | sort -u - "$work/touched" >"$work/.tmp.touched"
	mv "$work/.tmp.touched" "$work/touched"
	if [ ! -d "$work/src" ] ||
	   [ "$(cat "$work/source" 2>/dev/null)" != "$id" ]; then
		say "copying the source ..."
		rm -f "$work/source"
		{
			fill "$source" "$work" &&
				copy_tree "$source" "$list" "$work/touched" \
					"$work/src"
		} >"$log" 2>&1 ||
			failed "$log" "cannot copy $source to $work/src"
		echo "$id" >"$work/source"
	fi
	while read -r file; do
		if patch_files "$@" | grep -qxF "$file"; then
			place "$work/overlay/$file" "$work/src/$file"
		else
			place "$source/$file" "$work/src/$file"
		fi
	done <"$work/touched"
	patch_files "$@" >"$work/.tmp.touched"
	mv "$work/.tmp.touched" "$work/touched"
}

# fill SOURCE WORK: a first copy. Sources of the cache are shared by hard links;
# nothing here writes into a file, a change is always a new file.
fill()
{
	[ ! -d "$2/src" ] || return 0
	rm -rf "$2/.tmp.src"
	case $1 in
	"$cache"/*)	cp -al "$1" "$2/.tmp.src" || return ;;
	*)		mkdir "$2/.tmp.src" || return ;;
	esac
	mv "$2/.tmp.src" "$2/src"
}

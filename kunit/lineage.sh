#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lineage.sh TREE: what its mm/vmscan.c looks like, as a header for
# the tests. Found by what is written there, not by any version.
set -euo pipefail
tree=$1
vmscan=$tree/mm/vmscan.c

# body NAME FILE...: the function of that name, whole
body()
{
	awk -v start="^[a-z][a-z_ *]*[ *]$1\\\\(" '
		$0 ~ start { text = ""; on = 1 }
		on { text = text $0 "\n" }
		on && /;$/ && text !~ /{/ { on = 0 }
		on && /^}/ { print text; exit }' "${@:2}"
}

# vma_argument FUNCTION: what its calls have behind the rest, for a VMA's flags
vma_argument()
{
	case ${1%%\{*} in
	*vma_flags_t*)	echo ", lineage_vma_flags(exec)" ;;
	*vm_flags*)	echo ", (exec) ? VM_EXEC : 0" ;;
	esac
}

# head_of NAME: what stands before the body of the function in mm/vmscan.c
head_of()
{
	local text

	text=$(body "$1" "$vmscan")
	printf '%s\n' "${text%%\{*}"
}

# has_switch NAME: is it of our patches?
has_switch()
{
	grep -qsw "$1" "$tree/include/linux/reclaimlab.h"
}

update_gen=$(body folio_update_gen "$vmscan")
set_refs=$(body lru_gen_set_refs "$vmscan")
[ "$update_gen" ] || {
	echo "lineage: $vmscan has no folio_update_gen(): no MGLRU" >&2
	exit 1
}
walk=$(vma_argument "$update_gen")
rmap=$(vma_argument "$set_refs")
two_touch=false exec=false counts=false birth=false call=false flags=flags
tier="lru_tier_from_refs((accesses) - 1)"
[ ! "$set_refs" ] || {
	two_touch=true
	call="lru_gen_set_refs(folio$rmap)"
	tier="lru_tier_from_refs(accesses, workingset)"
}
[ ! "$walk$rmap" ] || exec=true
[[ $set_refs != *folio_mark_accessed* ]] || counts=true
# It moved from swap.c in 7.3.
[[ $(body folio_add_lru "$tree"/mm/{swap,folio}*.c) != *folio_mark_accessed* ]] ||
	birth=true
! grep -q 'flags\.f\>' "$tree/include/linux/mm_inline.h" || flags=flags.f
# How the functions that the tests call are called.
walk_mm="walk_mm(mm, walk)" reset="reset_batch_size(walk)" walk_seq=seq
aging="run_aging(lruvec, READ_ONCE((lruvec)->lrugen.max_seq), 0, true)"
set_walk="set_mm_walk(NULL, true)" isolate="folio_isolate_lru(folio)"
case $(head_of walk_mm) in
*lruvec*)	walk_mm="walk_mm((walk)->lruvec, mm, walk)" ;;
esac
case $(head_of reset_batch_size) in
*lruvec*)	reset="reset_batch_size((walk)->lruvec, walk)" ;;
esac
case $(head_of run_aging) in
*scan_control*)
	aging="run_aging(lruvec, (lruvec)->lrugen.max_seq, sc, false, true)" ;;
esac
case $(head_of set_mm_walk) in
*force_alloc*)	;;
*)		set_walk="set_mm_walk(NULL)" ;;
esac
case $(head_of folio_isolate_lru) in
int*)		isolate="!folio_isolate_lru(folio)" ;;
esac
# When it returned nothing, folio_referenced() counted a young page twice.
twice=false
case $(head_of lru_gen_look_around) in
void*)		twice=true ;;
esac
lru_gen=lru_gen_folio
grep -q 'struct lru_gen_folio {' "$tree/include/linux/mmzone.h" ||
	lru_gen=lru_gen_struct
! grep -q 'walk->max_seq' "$vmscan" || walk_seq=max_seq
# From 7.2 on it takes the lock itself.
[[ $(body reset_batch_size "$vmscan") == *_lock_irq* ]] || reset="do { \\
	spin_lock_irq(&(walk)->lruvec->lru_lock); \\
	$reset; \\
	spin_unlock_irq(&(walk)->lruvec->lru_lock); \\
} while (0)"
# Our patches have a switch for this or that in one image.
stalls="(workingset)"
! has_switch reclaimlab_two_touch || {
	two_touch="reclaimlab_two_touch()"
	tier="lru_gen_tier((accesses) - !reclaimlab_two_touch(), workingset)"
}
! has_switch reclaimlab_exec_promoted || exec="reclaimlab_exec_promoted()"
! has_switch reclaimlab_refault_psi ||
	stalls="(reclaimlab_refault_psi == RECLAIMLAB_SECOND || \\
	(reclaimlab_refault_psi == RECLAIMLAB_FIRST && (workingset)))"

cat <<EOF
/* SPDX-License-Identifier: GPL-2.0 */
/* What MGLRU looks like in this tree: made from it when the tests were put in. */

/* Is a folio only marked when it is found young for the first time? */
#define LINEAGE_TWO_TOUCH $two_touch
/* Is one of a mapped executable file promoted then? */
#define LINEAGE_EXEC $exec
/* Does the rmap count accesses, instead of promoting for good? */
#define LINEAGE_COUNTS_USES $counts
/* Is a folio that a fault brings in born with PG_referenced? */
#define LINEAGE_REFERENCED_BIRTH $birth
/* Does the rmap count a page that it finds young twice, so that once is enough? */
#define LINEAGE_COUNTS_TWICE $twice
/* Is it a memory stall to read a folio that has, or has not, PG_workingset? */
#define lineage_stalls(workingset) $stalls

#define lineage_flags(folio) (&(folio)->$flags)
#define lineage_tier(accesses, workingset) $tier
#define lineage_update_gen(folio, gen, exec) folio_update_gen(folio, gen$walk)
#define lineage_set_refs(folio, exec) $call
#define lineage_lru_gen $lru_gen
#define lineage_walk_seq(walk) (walk)->$walk_seq
#define lineage_walk_mm(mm, walk) $walk_mm
#define lineage_reset_batch(walk) $reset
#define lineage_run_aging(lruvec, sc) $aging
#define lineage_set_mm_walk() $set_walk
#define lineage_isolate(folio) $isolate

/* Newer than some trees. */
#ifndef KUNIT_ARRAY_PARAM_DESC
#define KUNIT_ARRAY_PARAM_DESC(name, array, desc_member) \\
	static void name##_get_desc(const typeof((array)[0]) *param, char *desc) \\
	{ \\
		strscpy(desc, param->desc_member, KUNIT_PARAM_DESC_SIZE); \\
	} \\
	KUNIT_ARRAY_PARAM(name, array, name##_get_desc)
#endif
EOF
# The flags of a VMA became a bitmap in 7.x.
[[ $walk$rmap != *lineage_vma_flags* ]] || cat <<EOF

static inline const vma_flags_t *lineage_vma_flags(bool exec)
{
	static vma_flags_t vma_flags;

	vma_flags = exec ? mk_vma_flags(VMA_EXEC_BIT) : EMPTY_VMA_FLAGS;
	return &vma_flags;
}
EOF

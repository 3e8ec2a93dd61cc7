/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A mapping of every kind that advice can meet, each with content that tells
 * what became of it, and the numbers of all advice.
 */
#ifndef PAGE_ADVICE_MAPPINGS_H
#define PAGE_ADVICE_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

#ifndef MADV_COLD
#define MADV_COLD 20 /* Linux 5.4 */
#define MADV_PAGEOUT 21
#endif
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24 /* Linux 5.18 */
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif
#ifndef MADV_SOFT_OFFLINE
#define MADV_SOFT_OFFLINE 101
#endif
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13 */
#define MADV_GUARD_REMOVE 103
#endif

struct advice {
	const char *name;
	int value;
};

#define ADVICE(name) { #name, name }

enum kind {
	ANON,
	ANON_NO_ACCESS, /* PROT_NONE */
	ANON_LOCKED, /* mlock(2) */
	ANON_SEALED, /* read-only and mseal(2) */
	ANON_GUARD, /* with a guard page in the middle */
	ANON_HOLE, /* with nothing mapped in the middle */
	SHM_ANON,
	SHM_MEMFD,
	SHM_SEALED, /* a memfd with F_SEAL_FUTURE_WRITE */
	SHM_TMPFS,
	FILE_PRIVATE, /* copies of its own of every page */
	FILE_SHARED,
	FILE_READ_ONLY, /* shared, opened and mapped read-only */
	HUGETLB, /* private, anonymous */
	NR_KINDS
};

/* What is in a page. */
enum content {
	KEPT, /* what fill() wrote there */
	ZERO,
	EITHER, /* one of the two, whole */
	FROM_FILE, /* the file's own, other than what was written over it */
};

/**
 * struct mapping - an area of @nr pages, of which @from to @to - 1 are to be
 * advised; outside of them nothing may ever change.
 * @gap: the page within the range that nobody can access, of ANON_GUARD and
 *	ANON_HOLE; @nr, which is no page, of all others.
 * @fd: of what is mapped, or -1.
 */
struct mapping {
	enum kind kind;
	unsigned char *area;
	size_t nr, from, to, gap;
	int fd;
	bool fresh, placed;
	long pool;
};

/**
 * mapping_make() - make a mapping of a kind, every page filled and present.
 *
 * Base pages; a file's are clean. hugetlb has three huge pages, whatever @nr.
 *
 * Return: NULL, or what is missing, for SKIP. mapping_drop() takes it away, in
 * both cases.
 */
const char *mapping_make(struct mapping *m, enum kind which, size_t nr);

/**
 * mapping_fresh() - the same with no page present; anonymous ones are zero, of
 * files what is in them: KEPT, of FILE_PRIVATE FROM_FILE.
 */
const char *mapping_fresh(struct mapping *m, enum kind which, size_t nr);

/**
 * mapping_place() - one or the other at an address, instead of what is mapped
 * there; not for the kinds with a gap nor for hugetlb. mapping_drop() leaves the
 * address to its owner.
 */
const char *mapping_place(struct mapping *m, enum kind which, unsigned char *at,
			  size_t nr, bool fresh);
void mapping_drop(struct mapping *m);

/**
 * stay_on_this_cpu() - see to it that pages are advised by the processor that
 * made them, as far as that can be had. What still waits in the batches of
 * another one is passed over by advice for reclaim. mapping_make() does it, too.
 */
void stay_on_this_cpu(void);

/**
 * mapping_not() - the first of pages @from to @to - 1 whose content is another;
 * NONE if there is no such page. The gap is passed over.
 */
long mapping_not(struct mapping *m, enum content want, size_t from,
		 size_t to);

/**
 * readable() - can a byte be read there? Asked of the kernel, without a signal.
 */
bool readable(const unsigned char *byte);

/**
 * flagged() - how many of pages @from to @to - 1 are in mappings that have a
 * flag ("rr", "dc") in VmFlags of /proc/self/smaps.
 *
 * Return: pages, or -1 if it cannot be read.
 */
long flagged(unsigned char *area, size_t from, size_t to, const char *flag);

/**
 * flagged_between() - the same at once for @nr ranges, the nth of which is from
 * @edges[n] to @edges[n + 1] - 1.
 */
int flagged_between(unsigned char *area, const size_t *edges, size_t nr,
		    const char *flag, long *counts);

/**
 * unknown_advice() - does the kernel not know the number? Asked with a range of
 * no length, which does nothing.
 */
bool unknown_advice(int advice);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Every advice of madvise(2) that is about pages against every kind of mapping:
 * what it returns, what becomes of pages and content, and that nothing changes
 * around the range. What is expected is in tables; mm/madvise.c is where it
 * comes from. Advice that is about the mapping is in matrix_state.c.
 */
#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/mappings.h"
#include "lib/matrix.h"
#include "lib/memcg.h"
#include "lib/pages.h"

/* A new one for each advice. */
static void renew(struct __test_metadata *_metadata, struct mapping *m)
{
	const char *why;

	mapping_drop(m);
	why = mapping_make(m, m->kind, m->nr);
	ASSERT_EQ(NULL, why)
	{
		TH_LOG("%s", why);
	}
}

static void check_each(struct __test_metadata *_metadata, struct mapping *m,
		       const struct advice *advices, const enum outcome *want,
		       size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (unknown_advice(advices[i].value)) {
			TH_LOG("not in this kernel: %s", advices[i].name);
			continue;
		}
		renew(_metadata, m);
		check_answer(_metadata, m, &advices[i], want[i],
			     advise(m, advices[i].value));
		check_pages(_metadata, m, &advices[i], want[i]);
	}
}

static const struct advice discards[] = {
	ADVICE(MADV_DONTNEED),
	ADVICE(MADV_DONTNEED_LOCKED),
	ADVICE(MADV_FREE),
	ADVICE(MADV_REMOVE),
};

/*
 * Locked memory is only for MADV_DONTNEED_LOCKED, lazily goes only what is private
 * and anonymous, and MADV_REMOVE needs a file (a private hugetlb mapping has one)
 * that may be written through the mapping and takes holes. A seal keeps
 * what cannot be written from being lost.
 */
static const enum outcome discarded[NR_KINDS][ARRAY_SIZE(discards)] = {
	[ANON] = { ZEROED, ZEROED, LAZY, INVALID },
	[ANON_NO_ACCESS] = { ZEROED, ZEROED, LAZY, INVALID },
	[ANON_LOCKED] = { INVALID, ZEROED, INVALID, INVALID },
	[ANON_SEALED] = { SEALED, SEALED, SEALED, SEALED },
	[ANON_GUARD] = { ZEROED, ZEROED, LAZY, INVALID },
	[ANON_HOLE] = { ZEROED, ZEROED, LAZY, INVALID },
	[SHM_ANON] = { UNMAPPED, UNMAPPED, INVALID, ZEROED },
	[SHM_MEMFD] = { UNMAPPED, UNMAPPED, INVALID, ZEROED },
	[SHM_SEALED] = { UNMAPPED, UNMAPPED, INVALID, SEALED },
	[SHM_TMPFS] = { UNMAPPED, UNMAPPED, INVALID, ZEROED },
	[FILE_PRIVATE] = { REREAD, REREAD, INVALID, DENIED },
	[FILE_SHARED] = { UNMAPPED, UNMAPPED, INVALID, ZEROED },
	[FILE_READ_ONLY] = { UNMAPPED, UNMAPPED, INVALID, DENIED },
	[HUGETLB] = { ZEROED, ZEROED, INVALID, DENIED },
};

/* X1, X2: what is discarded, and what is refused, and nothing around it. */
TEST_F(mapping, discards_what_it_may)
{
	check_each(_metadata, &self->m, discards, discarded[variant->kind],
		   ARRAY_SIZE(discards));
}

static const struct advice movers[] = {
	ADVICE(MADV_COLD),
	ADVICE(MADV_PAGEOUT),
	ADVICE(MADV_WILLNEED),
	ADVICE(MADV_COLLAPSE),
};

/*
 * What is not on the lists of reclaim, as it is locked or hugetlb, cannot be told
 * to leave them. MADV_COLLAPSE respects MADV_NOHUGEPAGE, which all of these
 * mappings have.
 */
static const enum outcome moved[NR_KINDS][ARRAY_SIZE(movers)] = {
	[ANON] = { NOTHING, RECLAIMED, NO_SWAP, INVALID },
	[ANON_NO_ACCESS] = { NOTHING, RECLAIMED, NO_SWAP, INVALID },
	[ANON_LOCKED] = { INVALID, INVALID, NO_SWAP, INVALID },
	[ANON_SEALED] = { NOTHING, RECLAIMED, NO_SWAP, INVALID },
	[ANON_GUARD] = { NOTHING, RECLAIMED, NO_SWAP, INVALID },
	[ANON_HOLE] = { NOTHING, RECLAIMED, NO_SWAP, INVALID },
	[SHM_ANON] = { NOTHING, RECLAIMED, NOTHING, INVALID },
	[SHM_MEMFD] = { NOTHING, RECLAIMED, NOTHING, INVALID },
	[SHM_SEALED] = { NOTHING, RECLAIMED, NOTHING, INVALID },
	[SHM_TMPFS] = { NOTHING, RECLAIMED, NOTHING, INVALID },
	[FILE_PRIVATE] = { NOTHING, RECLAIMED, NOTHING, INVALID },
	[FILE_SHARED] = { NOTHING, RECLAIMED, NOTHING, INVALID },
	[FILE_READ_ONLY] = { NOTHING, RECLAIMED, NOTHING, INVALID },
	[HUGETLB] = { INVALID, INVALID, NOTHING, INVALID },
};

/* X1, X2: advice for reclaim and read-ahead loses nothing, anywhere. */
TEST_F(mapping, loses_nothing_by_advice_on_residency)
{
	check_each(_metadata, &self->m, movers, moved[variant->kind],
		   ARRAY_SIZE(movers));
}

/* X1, D3: MADV_PAGEOUT takes nine of ten pages, of what it takes at all. */
TEST_F(mapping, pages_out_what_it_may)
{
	enum outcome want = moved[variant->kind][1];
	struct mapping *m = &self->m;
	bool clean = m->kind == FILE_SHARED || m->kind == FILE_READ_ONLY;
	long all = pages_of(m, m->from, m->to), here = all;

	if (want == RECLAIMED && !clean && !has_swap())
		SKIP(return, "no swap");
	for (int i = 0; i < 3 && here > all / 10; i++) {
		check_answer(_metadata, m, &movers[1], want,
			     advise(m, MADV_PAGEOUT));
		here = present(m->area, m->from, m->to);
	}
	EXPECT_GE(want == RECLAIMED ? all / 10 : all, here);
	check_pages(_metadata, m, &movers[1], want);
}

/* Not MADV_HWPOISON and MADV_SOFT_OFFLINE: they would do what they say. */
static const struct advice known[] = {
	ADVICE(MADV_NORMAL),	    ADVICE(MADV_RANDOM),
	ADVICE(MADV_SEQUENTIAL),    ADVICE(MADV_WILLNEED),
	ADVICE(MADV_DONTNEED),	    ADVICE(MADV_FREE),
	ADVICE(MADV_REMOVE),	    ADVICE(MADV_DONTFORK),
	ADVICE(MADV_DOFORK),	    ADVICE(MADV_MERGEABLE),
	ADVICE(MADV_UNMERGEABLE),   ADVICE(MADV_HUGEPAGE),
	ADVICE(MADV_NOHUGEPAGE),    ADVICE(MADV_DONTDUMP),
	ADVICE(MADV_DODUMP),	    ADVICE(MADV_WIPEONFORK),
	ADVICE(MADV_KEEPONFORK),    ADVICE(MADV_COLD),
	ADVICE(MADV_PAGEOUT),	    ADVICE(MADV_POPULATE_READ),
	ADVICE(MADV_POPULATE_WRITE), ADVICE(MADV_DONTNEED_LOCKED),
	ADVICE(MADV_COLLAPSE),	    ADVICE(MADV_GUARD_INSTALL),
	ADVICE(MADV_GUARD_REMOVE),
};

static bool poisons(int value)
{
	return value == MADV_HWPOISON || value == MADV_SOFT_OFFLINE;
}

static bool is_known(int value)
{
	bool found = poisons(value);

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		found |= value == known[i].value;
	return found;
}

static void check_refused(struct __test_metadata *_metadata, struct mapping *m,
			  int value)
{
	int err = advise(m, value);

	EXPECT_EQ(EINVAL, err)
	{
		TH_LOG("advice %d", value);
	}
}

/*
 * X1: advice is a number and no set of flags: what the kernel does not know is
 * EINVAL, also if it looks like destructive advice with a bit too much.
 */
TEST_F(mapping, refuses_unknown_advice)
{
	static const int never[] = {
		-1, INT_MIN, INT_MAX, MADV_DONTNEED | INT_MIN, ~MADV_DONTNEED,
		MADV_DONTNEED | 0x100, MADV_FREE | 0x10000, -MADV_DONTNEED,
		MADV_DONTNEED | MADV_RANDOM, MADV_DONTNEED | MADV_SEQUENTIAL,
		MADV_DONTNEED | MADV_WILLNEED,
	};
	const struct advice last = { "all of them", 0 };

	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		if (!is_known(never[i]))
			check_refused(_metadata, &self->m, never[i]);
	/* Newer kernels know more, also numbers yet to be given. */
	for (int value = 0; value < 256; value++)
		if (!poisons(value) && unknown_advice(value))
			check_refused(_metadata, &self->m, value);
	check_pages(_metadata, &self->m, &last, NOTHING);
}

/*
 * X1: two advices in one are a third: FREE | SEQUENTIAL is DONTFORK, DONTNEED |
 * FREE is MERGEABLE, RANDOM | SEQUENTIAL is WILLNEED, and neither of the two.
 */
TEST_F(mapping, takes_ored_advice_as_another)
{
	static const struct advice ored[] = {
		ADVICE(MADV_FREE | MADV_SEQUENTIAL),
		ADVICE(MADV_DONTNEED | MADV_FREE),
		ADVICE(MADV_RANDOM | MADV_SEQUENTIAL),
	};
	struct mapping *m = &self->m;
	bool sealed = m->kind == ANON_SEALED;
	long all = m->to - m->from - (m->kind == ANON_HOLE);

	check_answer(_metadata, m, &ored[0], sealed ? SEALED : NOTHING,
		     advise(m, ored[0].value));
	EXPECT_EQ(sealed ? 0 : all, flagged(m->area, 0, m->nr, "dc"));
	for (size_t i = 0; i < ARRAY_SIZE(ored); i++) {
		advise(m, ored[i].value);
		check_pages(_metadata, m, &ored[i], NOTHING);
		EXPECT_EQ(0, flagged(m->area, 0, m->nr, "rr"));
		EXPECT_EQ(0, flagged(m->area, 0, m->nr, "sr"));
	}
}

/* X1, X4: bad ranges are EINVAL, an empty one is none, whatever the advice. */
TEST_F(mapping, refuses_bad_ranges)
{
	unsigned char *from = page_at(self->m.area, self->m.from);
	const struct advice last = { "all of them", 0 };
	const struct {
		unsigned char *start;
		size_t len;
		int want;
	} ranges[] = {
		{ from + 1, page_size(), EINVAL },
		{ from - 1, page_size(), EINVAL },
		{ from + page_size() / 2, page_size() / 2, EINVAL },
		{ from, -page_size(), EINVAL }, /* wraps */
		{ from, SIZE_MAX, EINVAL }, /* rounded up it is 0 */
		{ from, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known) * ARRAY_SIZE(ranges); i++) {
		const struct advice *advice = &known[i / ARRAY_SIZE(ranges)];
		size_t range = i % ARRAY_SIZE(ranges);
		int err;

		if (unknown_advice(advice->value))
			continue;
		err = madvise(ranges[range].start, ranges[range].len,
			      advice->value)
			      ? errno
			      : 0;
		EXPECT_EQ(ranges[range].want, err)
		{
			TH_LOG("%s, range %zu", advice->name, range);
		}
	}
	check_pages(_metadata, &self->m, &last, NOTHING);
}

/* For good, whoever runs it. */
static bool drop_privileges(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return !syscall(SYS_capset, &header, data);
}

/* X1: to poison memory needs privilege, and without it nothing happens. */
TEST(poisoning_needs_privilege)
{
	static const struct advice both[] = {
		ADVICE(MADV_HWPOISON),
		ADVICE(MADV_SOFT_OFFLINE),
	};
	unsigned char *area = map_anon(2);

	ASSERT_NE(MAP_FAILED, (void *)area);
	ASSERT_TRUE(drop_privileges());
	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		int want = unknown_advice(both[i].value) ? EINVAL : EPERM;

		EXPECT_EQ(-1, madvise(area, page_size(), both[i].value));
		EXPECT_EQ(want, errno)
		{
			TH_LOG("%s", both[i].name);
		}
	}
	EXPECT_EQ(NONE, not_kept(area, 0, 2));
	EXPECT_EQ(2, present(area, 0, 2));
	unmap_alone(area, 2);
}

#include "lib/main.h"

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fixture that is every kind of mapping in turn, what advice can do to it, and
 * the checks that this, and nothing else, is what it did. To be included behind
 * kselftest_harness.h.
 */
#ifndef PAGE_ADVICE_MATRIX_H
#define PAGE_ADVICE_MATRIX_H

#include <errno.h>
#include <sys/mman.h>

#include "mappings.h"
#include "pages.h"

enum pages { STAY, GO, MAY_GO };

/* What an advice does to the pages of the range. */
enum outcome {
	ZEROED = 1, /* lost; zero when they come back */
	REREAD, /* own copies lost; the file's when they come back */
	UNMAPPED, /* gone from this mapping, nothing lost */
	LAZY, /* lost whenever it pleases the kernel */
	NOTHING,
	RECLAIMED, /* as far as there is where to */
	NO_SWAP, /* NOTHING; EBADF in kernels without swap */
	INVALID,
	DENIED, /* for want of a writable shared file */
	SEALED,
};

static const struct {
	int err, or_err;
	enum content content;
	enum pages pages;
} outcomes[] = {
	[ZEROED] = { 0, 0, ZERO, GO },
	[REREAD] = { 0, 0, FROM_FILE, GO },
	[UNMAPPED] = { 0, 0, KEPT, GO },
	[LAZY] = { 0, 0, EITHER, MAY_GO },
	[NOTHING] = { 0, 0, KEPT, STAY },
	[RECLAIMED] = { 0, 0, KEPT, MAY_GO },
	[NO_SWAP] = { 0, EBADF, KEPT, STAY },
	[INVALID] = { EINVAL, 0, KEPT, STAY },
	[DENIED] = { EACCES, 0, KEPT, STAY },
	[SEALED] = { EPERM, 0, KEPT, STAY },
};

FIXTURE(mapping)
{
	struct mapping m;
};

FIXTURE_VARIANT(mapping)
{
	enum kind kind;
};

FIXTURE_VARIANT_ADD(mapping, private_anonymous) { .kind = ANON };
FIXTURE_VARIANT_ADD(mapping, no_access) { .kind = ANON_NO_ACCESS };
FIXTURE_VARIANT_ADD(mapping, locked) { .kind = ANON_LOCKED };
FIXTURE_VARIANT_ADD(mapping, sealed) { .kind = ANON_SEALED };
FIXTURE_VARIANT_ADD(mapping, with_a_guard_page) { .kind = ANON_GUARD };
FIXTURE_VARIANT_ADD(mapping, with_a_hole) { .kind = ANON_HOLE };
FIXTURE_VARIANT_ADD(mapping, shared_anonymous) { .kind = SHM_ANON };
FIXTURE_VARIANT_ADD(mapping, memfd) { .kind = SHM_MEMFD };
FIXTURE_VARIANT_ADD(mapping, sealed_memfd) { .kind = SHM_SEALED };
FIXTURE_VARIANT_ADD(mapping, tmpfs) { .kind = SHM_TMPFS };
FIXTURE_VARIANT_ADD(mapping, private_file) { .kind = FILE_PRIVATE };
FIXTURE_VARIANT_ADD(mapping, shared_file) { .kind = FILE_SHARED };
FIXTURE_VARIANT_ADD(mapping, read_only_file) { .kind = FILE_READ_ONLY };
FIXTURE_VARIANT_ADD(mapping, hugetlb) { .kind = HUGETLB };

FIXTURE_SETUP(mapping)
{
	const char *why = mapping_make(&self->m, variant->kind, NR_PAGES);

	if (why)
		SKIP(return, "%s", why);
}

FIXTURE_TEARDOWN(mapping)
{
	mapping_drop(&self->m);
}

/* 0, or the errno. */
static inline int advise(struct mapping *m, int advice)
{
	size_t len = (m->to - m->from) * page_size();

	return madvise(page_at(m->area, m->from), len, advice) ? errno : 0;
}

/* Did the call answer as it should? A hole makes ENOMEM of every success. */
static inline void check_answer(struct __test_metadata *_metadata,
				struct mapping *m, const struct advice *advice,
				enum outcome want, int err)
{
	int good = outcomes[want].err, or_good = outcomes[want].or_err;

	if (m->kind == ANON_HOLE && !good)
		good = ENOMEM;
	EXPECT_TRUE(err == good || (or_good && err == or_good))
	{
		TH_LOG("%s: errno %d, not %d", advice->name, err, good);
	}
}

/* All but the gap, if it is within. */
static inline long pages_of(struct mapping *m, size_t from, size_t to)
{
	return to - from - (m->gap >= from && m->gap < to);
}

/* X2: nothing has changed on both sides, neither pages nor content. */
static inline void check_around(struct __test_metadata *_metadata,
				struct mapping *m, const char *name)
{
	long before = present(m->area, 0, m->from);
	long after = present(m->area, m->to, m->nr);

	EXPECT_EQ((long)m->from, before)
	{
		TH_LOG("%s: pages before the range", name);
	}
	EXPECT_EQ((long)(m->nr - m->to), after)
	{
		TH_LOG("%s: pages after the range", name);
	}
	EXPECT_EQ(NONE, mapping_not(m, KEPT, 0, m->from))
	{
		TH_LOG("%s: content before the range", name);
	}
	EXPECT_EQ(NONE, mapping_not(m, KEPT, m->to, m->nr))
	{
		TH_LOG("%s: content after the range", name);
	}
}

/* What has become of the pages, then (which brings them in) of their content. */
static inline void check_pages(struct __test_metadata *_metadata,
			       struct mapping *m, const struct advice *advice,
			       enum outcome want)
{
	long here = present(m->area, m->from, m->to);
	long all = pages_of(m, m->from, m->to);
	long rss = smaps_kib(m->area, m->nr, "Rss"); /* without hugetlb */
	long expected = 0;

	if (outcomes[want].pages == STAY)
		expected = all;
	if (outcomes[want].pages == MAY_GO)
		expected = here;
	EXPECT_EQ(expected, here)
	{
		TH_LOG("%s: pages of the range", advice->name);
	}
	expected = kib(here + m->from + m->nr - m->to);
	if (m->kind == HUGETLB)
		expected = 0;
	EXPECT_EQ(expected, rss)
	{
		TH_LOG("%s: Rss", advice->name);
	}
	EXPECT_EQ(NONE, mapping_not(m, outcomes[want].content, m->from, m->to))
	{
		TH_LOG("%s: content of the range", advice->name);
	}
	EXPECT_FALSE(m->gap < m->nr && readable(page_at(m->area, m->gap)))
	{
		TH_LOG("%s: the gap is closed", advice->name);
	}
	check_around(_metadata, m, advice->name);
}

#endif

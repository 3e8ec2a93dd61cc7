// SPDX-License-Identifier: GPL-2.0
/*
 * What madvise(2) does to memory of the hugetlb pool: whole huge pages or
 * nothing, and nothing of what only other memory knows.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/huge.h"
#include "lib/pages.h"

#ifndef MADV_COLD
#define MADV_COLD 20 /* Linux 5.4 */
#define MADV_PAGEOUT 21
#endif
#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24 /* Linux 5.18 */
#endif

#define NR_HUGE 4

FIXTURE(pool)
{
	unsigned char *area;
	size_t huge;
	size_t nr;
	long before;
};

FIXTURE_VARIANT(pool)
{
	int flags;
};

FIXTURE_VARIANT_ADD(pool, private_mapping)
{
	.flags = MAP_PRIVATE,
};

FIXTURE_VARIANT_ADD(pool, shared_mapping)
{
	.flags = MAP_SHARED,
};

FIXTURE_SETUP(pool)
{
	const char *why;

	self->area = MAP_FAILED;
	/* One more, for a copy after fork. */
	why = hugetlb_reserve(NR_HUGE + 1, &self->before);
	if (why)
		SKIP(return, "%s", why);
	self->huge = hugetlb_pages();
	self->nr = NR_HUGE * self->huge;
	self->area = map_aligned(self->nr, self->huge, PROT_READ | PROT_WRITE,
				 variant->flags | MAP_ANONYMOUS | MAP_HUGETLB,
				 -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	fill(self->area, self->nr);
}

FIXTURE_TEARDOWN(pool)
{
	unmap_alone(self->area, self->nr);
	hugetlb_give_back(self->before);
}

/* What the page tables map of the pool, in KiB: it is in no Rss. */
static long in_use(unsigned char *area, size_t nr)
{
	return smaps_kib(area, nr, "Private_Hugetlb") +
	       smaps_kib(area, nr, "Shared_Hugetlb");
}

/* A page that went reads zero, but from a shared mapping what it was. */
static long not_gone(unsigned char *area, size_t from, size_t to, int flags)
{
	return flags & MAP_SHARED ? not_kept(area, from, to)
				  : not_zero(area, from, to);
}

/*
 * A11, A6, X2, X4: DONTNEED rounds the length down to whole huge pages; what is
 * behind them stays, and a length of less than one does nothing.
 */
TEST_F(pool, dontneed_rounds_the_length_down)
{
	static const struct {
		int huge, pages, whole;
	} lengths[] = {
		{ 0, 1, 0 }, { 1, -1, 0 }, { 1, 0, 1 },
		{ 1, 1, 1 }, { 2, -1, 1 }, { 2, 0, 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		size_t len = lengths[i].huge * self->huge + lengths[i].pages;
		size_t to = self->huge * (1 + lengths[i].whole);

		fill(self->area, self->nr);
		ASSERT_EQ(0, madvise(page_at(self->area, self->huge),
				     len * page_size(), MADV_DONTNEED));
		EXPECT_EQ(kib(self->nr - lengths[i].whole * self->huge),
			  in_use(self->area, self->nr));
		EXPECT_EQ(NONE, not_kept(self->area, 0, self->huge));
		EXPECT_EQ(NONE, not_gone(self->area, self->huge, to,
					 variant->flags));
		EXPECT_EQ(NONE, not_kept(self->area, to, self->nr))
		{
			TH_LOG("length of %zu pages", len);
		}
	}
}

/* A11, A6: DONTNEED refuses a start within a huge page, and does nothing. */
TEST_F(pool, dontneed_refuses_a_start_within)
{
	static const int starts[] = { 1, -1 };

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		size_t start = self->huge + starts[i];

		EXPECT_EQ(-1,
			  madvise(page_at(self->area, start),
				  2 * self->huge * page_size(), MADV_DONTNEED));
		EXPECT_EQ(EINVAL, errno);
	}
	EXPECT_EQ(kib(self->nr), in_use(self->area, self->nr));
	EXPECT_EQ(NONE, not_kept(self->area, 0, self->nr));
}

/* A11, C4, D3, D4, D6: what is for other memory is EINVAL, and nothing is lost. */
TEST_F(pool, refuses_other_advice)
{
	static const int refused[] = {
		MADV_FREE,
		MADV_COLD,
		MADV_PAGEOUT,
		MADV_COLLAPSE,
	};

	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		EXPECT_EQ(-1, madvise(self->area, self->nr * page_size(),
				      refused[i]));
		EXPECT_EQ(EINVAL, errno)
		{
			TH_LOG("advice %d", refused[i]);
		}
	}
	EXPECT_EQ(kib(self->nr), in_use(self->area, self->nr));
	EXPECT_EQ(NONE, not_kept(self->area, 0, self->nr));
}

/* A11, A8: what a child discards of the pool stays with the parent. */
TEST_F(pool, leaves_the_parents_copy)
{
	int status;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid) {
		/* Of a shared mapping fork leaves the page tables empty. */
		touch(self->area, 0, self->nr);
		if (madvise(self->area, self->huge * page_size(),
			    MADV_DONTNEED))
			_exit(1);
		if (in_use(self->area, self->nr) != kib(self->nr - self->huge))
			_exit(2);
		if (not_gone(self->area, 0, self->huge, variant->flags) != NONE)
			_exit(3);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(NONE, not_kept(self->area, 0, self->nr));
}

/* A11, A10: DONTNEED of locked memory is done, as it always lies in memory. */
TEST_F(pool, is_discarded_although_locked)
{
	if (mlock(self->area, self->nr * page_size()))
		SKIP(return, "cannot lock them: %s", strerror(errno));
	ASSERT_EQ(0, madvise(self->area, self->huge * page_size(),
			     MADV_DONTNEED));
	EXPECT_EQ(kib(self->nr - self->huge), in_use(self->area, self->nr));
	EXPECT_EQ(NONE, not_gone(self->area, 0, self->huge, variant->flags));
	EXPECT_EQ(NONE, not_kept(self->area, self->huge, self->nr));
}

/* A11, B4: MADV_REMOVE frees a page of a shared mapping, and refuses others. */
TEST_F(pool, remove_takes_shared_pages)
{
	bool shared = variant->flags & MAP_SHARED;
	int want = shared ? 0 : -1;
	size_t to = shared ? 2 * self->huge : self->huge;

	EXPECT_EQ(want, madvise(page_at(self->area, self->huge),
				self->huge * page_size(), MADV_REMOVE));
	EXPECT_EQ(NONE, not_kept(self->area, 0, self->huge));
	EXPECT_EQ(NONE, not_zero(self->area, self->huge, to));
	EXPECT_EQ(NONE, not_kept(self->area, to, self->nr));
}

#include "lib/main.h"

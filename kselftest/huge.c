// SPDX-License-Identifier: GPL-2.0
/*
 * What advice does to a part of a large folio: the part goes as if it were base
 * pages, the rest stays; the charge may wait for reclaim, which must get it.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/huge.h"
#include "lib/memcg.h"
#include "lib/pages.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21 /* Linux 5.4 */
#endif

/* One is advised, those on either side must not notice. */
#define NR_FOLIOS 3

FIXTURE(folios)
{
	unsigned char *area;
	size_t nr;
	size_t folio;
};

FIXTURE_VARIANT(folios)
{
	size_t pages; /* 0: as many as a PMD maps */
};

FIXTURE_VARIANT_ADD(folios, of_a_pmd)
{
	.pages = 0,
};

FIXTURE_VARIANT_ADD(folios, of_four_pages)
{
	.pages = 4,
};

FIXTURE_VARIANT_ADD(folios, of_sixteen_pages)
{
	.pages = 16,
};

FIXTURE_VARIANT_ADD(folios, of_sixty_four_pages)
{
	.pages = 64,
};

FIXTURE_SETUP(folios)
{
	const char *why = huge_missing(NR_FOLIOS);

	self->area = MAP_FAILED;
	if (why)
		SKIP(return, "%s", why);
	self->folio = variant->pages ?: huge_pages();
	self->nr = NR_FOLIOS * self->folio;
	self->area = map_aligned(self->nr, self->folio, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	why = huge_take(self->area, self->nr, self->folio);
	if (why)
		SKIP(return, "%s", why);
}

FIXTURE_TEARDOWN(folios)
{
	unmap_alone(self->area, self->nr);
}

/* From one page of a folio of the three to another; may be before its first. */
static const struct {
	int from_folio, from_page, to_folio, to_page;
} spans[] = {
	{ 1, 0, 1, 1 },	 { 1, 2, 1, 3 },  { 2, -1, 2, 0 }, { 1, 1, 1, 4 },
	{ 1, 0, 2, -1 }, { 1, 1, 2, 0 },  { 1, 1, 2, -1 }, { 1, 0, 2, 0 },
	{ 1, -1, 1, 1 }, { 1, -1, 2, 1 }, { 0, 2, 2, 2 },
};

static size_t span_from(size_t span, size_t folio)
{
	return spans[span].from_folio * folio + spans[span].from_page;
}

static size_t span_to(size_t span, size_t folio)
{
	return spans[span].to_folio * folio + spans[span].to_page;
}

/* How many of the folios do not overlap with pages @from to @to - 1. */
static size_t untouched(size_t from, size_t to, size_t folio)
{
	return from / folio + NR_FOLIOS - (to + folio - 1) / folio;
}

static int advise(unsigned char *area, size_t from, size_t to, int advice)
{
	return madvise(page_at(area, from), (to - from) * page_size(), advice);
}

/*
 * A11, X2, X4: of a folio exactly the advised pages read zero and leave Rss at
 * once, whichever they are, and other folios stay as they are.
 */
TEST_F(folios, dontneed_takes_the_part)
{
	for (size_t span = 0; span < ARRAY_SIZE(spans); span++) {
		size_t from = span_from(span, self->folio);
		size_t to = span_to(span, self->folio);
		size_t whole = untouched(from, to, self->folio) * self->folio;

		if (huge_take(self->area, self->nr, self->folio))
			SKIP(return, "no more folios to be had");
		ASSERT_EQ(0, advise(self->area, from, to, MADV_DONTNEED));
		EXPECT_EQ(kib(self->nr - (to - from)),
			  smaps_kib(self->area, self->nr, "Rss"));
		EXPECT_EQ(self->folio == huge_pages() ? kib(whole) : 0,
			  smaps_kib(self->area, self->nr, "AnonHugePages"));
		EXPECT_EQ(0, present(self->area, from, to));
		EXPECT_EQ(NONE, not_kept(self->area, 0, from));
		EXPECT_EQ(NONE, not_zero(self->area, from, to));
		EXPECT_EQ(NONE, not_kept(self->area, to, self->nr))
		{
			TH_LOG("advised pages %zu to %zu", from, to);
		}
	}
}

/* A11, X2: of a folio all may go but one page in the middle, which stays. */
TEST_F(folios, dontneed_around_one_page)
{
	size_t one = self->folio + self->folio / 2;

	ASSERT_EQ(0, advise(self->area, self->folio, one, MADV_DONTNEED));
	ASSERT_EQ(0, advise(self->area, one + 1, 2 * self->folio,
			    MADV_DONTNEED));
	EXPECT_EQ(kib(2 * self->folio + 1),
		  smaps_kib(self->area, self->nr, "Rss"));
	EXPECT_EQ(NONE, not_kept(self->area, 0, self->folio));
	EXPECT_EQ(NONE, not_zero(self->area, self->folio, one));
	EXPECT_EQ(NONE, not_kept(self->area, one, one + 1));
	EXPECT_EQ(NONE, not_zero(self->area, one + 1, 2 * self->folio));
	EXPECT_EQ(NONE, not_kept(self->area, 2 * self->folio, self->nr));
}

/* A11, X2: every second page goes, those between them stay. */
TEST_F(folios, dontneed_takes_every_second_page)
{
	size_t wrong = 0;

	for (size_t page = 0; page < self->nr; page += 2)
		ASSERT_EQ(0, advise(self->area, page, page + 1, MADV_DONTNEED));
	EXPECT_EQ(kib(self->nr / 2), smaps_kib(self->area, self->nr, "Rss"));
	for (size_t page = 0; page < self->nr; page += 2) {
		wrong += not_zero(self->area, page, page + 1) != NONE;
		wrong += not_kept(self->area, page + 1, page + 2) != NONE;
	}
	EXPECT_EQ(0, wrong);
}

/* A11: when the rest is advised too, nothing is left, and all reads zero. */
TEST_F(folios, dontneed_takes_the_rest_later)
{
	size_t part = self->folio + 1;

	ASSERT_EQ(0, advise(self->area, 0, part, MADV_DONTNEED));
	ASSERT_EQ(kib(self->nr - part), smaps_kib(self->area, self->nr, "Rss"));
	ASSERT_EQ(0, advise(self->area, part, self->nr, MADV_DONTNEED));
	EXPECT_EQ(0, smaps_kib(self->area, self->nr, "Rss"));
	EXPECT_EQ(NONE, not_zero(self->area, 0, self->nr));
}

/* A11: a write into what went takes one page, zero but for what is written. */
TEST_F(folios, write_into_the_part_takes_one_page)
{
	size_t page = self->folio + 1;

	ASSERT_EQ(0, advise(self->area, page, page + 2, MADV_DONTNEED));
	page_at(self->area, page)[1] = 0xff;
	EXPECT_EQ(kib(self->nr - 1), smaps_kib(self->area, self->nr, "Rss"));
	EXPECT_EQ(0xff, page_at(self->area, page)[1]);
	page_at(self->area, page)[1] = 0;
	EXPECT_EQ(NONE, not_zero(self->area, page, page + 2));
	EXPECT_EQ(NONE, not_kept(self->area, 0, page));
	EXPECT_EQ(NONE, not_kept(self->area, page + 2, self->nr));
}

/*
 * MADV_FREE marks clean what it can; a folio that somebody looks at meanwhile it
 * passes by, so there are three tries. Return: what is still dirty, in KiB.
 */
static long free_part(unsigned char *area, size_t nr, size_t from, size_t to)
{
	long dirty = -1;

	for (int i = 0; i < 3 && dirty != kib(nr - (to - from)); i++) {
		if (advise(area, from, to, MADV_FREE))
			return -1;
		dirty = smaps_kib(area, nr, "Private_Dirty");
	}
	return dirty;
}

/* The first page that is neither as it was nor zero, whole; or NONE. */
static long torn(unsigned char *area, size_t from, size_t to)
{
	for (size_t page = from; page < to; page++)
		if (not_kept(area, page, page + 1) != NONE &&
		    not_zero(area, page, page + 1) != NONE)
			return page;
	return NONE;
}

/*
 * A11, C1, X2: MADV_FREE marks exactly the advised pages of a folio; each is old
 * or zero, whole, and Rss stays.
 */
TEST_F(folios, free_marks_the_part)
{
	for (size_t span = 0; span < ARRAY_SIZE(spans); span++) {
		size_t from = span_from(span, self->folio);
		size_t to = span_to(span, self->folio);

		if (huge_take(self->area, self->nr, self->folio))
			SKIP(return, "no more folios to be had");
		EXPECT_EQ(kib(self->nr - (to - from)),
			  free_part(self->area, self->nr, from, to));
		EXPECT_EQ(kib(self->nr),
			  smaps_kib(self->area, self->nr, "Rss"));
		EXPECT_EQ(NONE, not_kept(self->area, 0, from));
		EXPECT_EQ(NONE, torn(self->area, from, to));
		EXPECT_EQ(NONE, not_kept(self->area, to, self->nr))
		{
			TH_LOG("advised pages %zu to %zu", from, to);
		}
	}
}

/* A11, C3: a write into the part cancels MADV_FREE for the written page only. */
TEST_F(folios, write_cancels_free_of_one_page)
{
	size_t from = self->folio, to = 2 * self->folio;

	ASSERT_EQ(kib(self->nr - self->folio),
		  free_part(self->area, self->nr, from, to));
	*page_at(self->area, from + 1) = 1;
	EXPECT_LE(kib(self->nr - self->folio + 1),
		  smaps_kib(self->area, self->nr, "Private_Dirty"));
	ASSERT_EQ(0, advise(self->area, from, to, MADV_DONTNEED));
	EXPECT_EQ(NONE, not_zero(self->area, from, to));
}

/* Waits for a byte, then tells by its exit status what it has kept. */
static pid_t holder(unsigned char *area, size_t nr, const int *go)
{
	pid_t pid = fork();
	char byte;

	if (pid)
		return pid;
	close(go[1]);
	if (read(go[0], &byte, 1) != 1)
		_exit(1);
	_exit(not_kept(area, 0, nr) == NONE ? 0 : 2);
}

/* A11, A8: of a folio that a child shares the child keeps every page. */
TEST_F(folios, part_stays_with_the_child)
{
	size_t from = self->folio - 1, to = self->folio + 2;
	int go[2], status;
	pid_t pid;

	ASSERT_EQ(0, pipe(go));
	pid = holder(self->area, self->nr, go);
	ASSERT_LE(0, pid);
	EXPECT_EQ(0, advise(self->area, from, to, MADV_DONTNEED));
	EXPECT_EQ(kib(self->nr - 3), smaps_kib(self->area, self->nr, "Rss"));
	EXPECT_EQ(NONE, not_zero(self->area, from, to));
	EXPECT_EQ(NONE, not_kept(self->area, 0, from));
	EXPECT_EQ(NONE, not_kept(self->area, to, self->nr));
	EXPECT_EQ(1, write(go[1], "", 1));
	close(go[0]);
	close(go[1]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* A11, A8: and what the child discards stays with the parent. */
TEST_F(folios, part_stays_with_the_parent)
{
	size_t from = self->folio - 1, to = self->folio + 2;
	pid_t pid = fork();
	int status;

	ASSERT_LE(0, pid);
	if (!pid) {
		if (advise(self->area, from, to, MADV_DONTNEED) ||
		    not_zero(self->area, from, to) != NONE)
			_exit(1);
		if (not_kept(self->area, 0, from) != NONE ||
		    not_kept(self->area, to, self->nr) != NONE)
			_exit(2);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(NONE, not_kept(self->area, 0, self->nr));
	EXPECT_EQ(kib(self->nr), smaps_kib(self->area, self->nr, "Rss"));
}

/* A11, A9: a part without access goes as well, across the edges of the mapping. */
TEST_F(folios, part_goes_without_access)
{
	size_t from = self->folio + 1, to = self->folio + 3;

	ASSERT_EQ(0, mprotect(page_at(self->area, from),
			      (to - from) * page_size(), PROT_NONE));
	EXPECT_EQ(NONE, not_kept(self->area, 0, from));
	EXPECT_EQ(NONE, not_kept(self->area, to, self->nr));
	ASSERT_EQ(0, advise(self->area, from - 1, to, MADV_DONTNEED));
	EXPECT_EQ(kib(self->nr - 3), smaps_kib(self->area, self->nr, "Rss"));
	ASSERT_EQ(0, mprotect(self->area, self->nr * page_size(),
			      PROT_READ | PROT_WRITE));
	EXPECT_EQ(NONE, not_kept(self->area, 0, from - 1));
	EXPECT_EQ(NONE, not_zero(self->area, from - 1, to));
	EXPECT_EQ(NONE, not_kept(self->area, to, self->nr));
}

/* A11, A10, X3: with a locked part in it, what is before it goes, and only that. */
TEST_F(folios, part_is_locked)
{
	size_t from = self->folio + 1, to = self->folio + 3;

	if (mlock(page_at(self->area, from), (to - from) * page_size()))
		SKIP(return, "cannot lock a part: %s", strerror(errno));
	EXPECT_EQ(-1, advise(self->area, self->folio, self->nr, MADV_DONTNEED));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(kib(self->nr - 1), smaps_kib(self->area, self->nr, "Rss"));
	EXPECT_EQ(NONE, not_kept(self->area, 0, self->folio));
	EXPECT_EQ(NONE, not_zero(self->area, self->folio, from));
	EXPECT_EQ(NONE, not_kept(self->area, from, self->nr));
}

/* A11, D3: PAGEOUT of a part swaps it out, and nothing is lost. */
TEST_F(folios, pageout_takes_the_part)
{
	size_t from = self->folio, to = 2 * self->folio - 1;
	long most = (to - from) * 9 / 10;

	if (!has_swap())
		SKIP(return, "no swap");
	for (int i = 0; i < 3 && swapped(self->area, from, to) < most; i++)
		ASSERT_EQ(0, advise(self->area, from, to, MADV_PAGEOUT));
	EXPECT_LE(most, swapped(self->area, from, to));
	EXPECT_EQ(0, swapped(self->area, 0, from));
	EXPECT_EQ(0, swapped(self->area, to, self->nr));
	EXPECT_EQ(NONE, not_kept(self->area, 0, self->nr));
}

/* A11, A4: a part that is swapped out loses its slots, the rest keeps them. */
TEST_F(folios, dontneed_takes_a_swapped_part)
{
	size_t from = self->folio + 1, to = 2 * self->folio - 1;
	long most = self->nr * 9 / 10, rest;

	if (!has_swap())
		SKIP(return, "no swap");
	for (int i = 0; i < 3 && swapped(self->area, 0, self->nr) < most; i++)
		ASSERT_EQ(0, advise(self->area, 0, self->nr, MADV_PAGEOUT));
	ASSERT_LE(most, swapped(self->area, 0, self->nr));
	rest = self->nr - (to - from) - present(self->area, 0, from) -
	       present(self->area, to, self->nr);
	ASSERT_EQ(0, advise(self->area, from, to, MADV_DONTNEED));
	EXPECT_EQ(0, swapped(self->area, from, to));
	EXPECT_EQ(rest, swapped(self->area, 0, self->nr));
	EXPECT_EQ(NONE, not_kept(self->area, 0, from));
	EXPECT_EQ(NONE, not_zero(self->area, from, to));
	EXPECT_EQ(NONE, not_kept(self->area, to, self->nr));
}

/* The nth CPU this process may use, alone; whether there is one. */
static bool run_on(const cpu_set_t *all, int nth)
{
	cpu_set_t one;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, all) || nth--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		return !sched_setaffinity(0, sizeof(one), &one);
	}
	return false;
}

/* A11, X5: it is the same with folios that another CPU made. */
TEST_F(folios, part_goes_on_another_cpu)
{
	size_t from = self->folio + 1, to = 2 * self->folio;
	cpu_set_t all;

	ASSERT_EQ(0, sched_getaffinity(0, sizeof(all), &all));
	if (!run_on(&all, 1))
		SKIP(return, "one CPU");
	if (huge_take(self->area, self->nr, self->folio))
		SKIP(return, "no more folios to be had");
	ASSERT_TRUE(run_on(&all, 0));
	ASSERT_EQ(0, advise(self->area, from, to, MADV_DONTNEED));
	EXPECT_EQ(kib(self->nr - (to - from)),
		  smaps_kib(self->area, self->nr, "Rss"));
	EXPECT_EQ(NONE, not_kept(self->area, 0, from));
	EXPECT_EQ(NONE, not_zero(self->area, from, to));
	EXPECT_EQ(NONE, not_kept(self->area, to, self->nr));
}

#include "lib/main.h"

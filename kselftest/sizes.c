// SPDX-License-Identifier: GPL-2.0
/*
 * Advice on ranges of all sizes: exactly the range is done, the page on either
 * side is not, around the batches of 15 and 31 pages, and what a page table maps.
 * MADV_DONTNEED is in anon_dontneed.c, parts of huge pages are in huge.c.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/mappings.h"
#include "lib/memcg.h"
#include "lib/pages.h"
#include "lib/scratch.h"

/* More than this is too much for a test. */
#define MOST (64 << 20)
/* As far behind the range as no read-ahead gets. */
#define FAR 512

FIXTURE(anon)
{
	unsigned char *area;
	size_t nr; /* of the range, which begins with page 1 */
};

FIXTURE_VARIANT(anon)
{
	int tables, pages;
};

FIXTURE(file)
{
	int fd;
	size_t nr;
};

FIXTURE_VARIANT(file)
{
	int tables, pages;
};

FIXTURE_VARIANT_ADD(anon, one) { .pages = 1 };
FIXTURE_VARIANT_ADD(anon, two) { .pages = 2 };
FIXTURE_VARIANT_ADD(anon, three) { .pages = 3 };
FIXTURE_VARIANT_ADD(anon, batch_15_less_1) { .pages = 14 };
FIXTURE_VARIANT_ADD(anon, batch_15) { .pages = 15 };
FIXTURE_VARIANT_ADD(anon, batch_15_and_1) { .pages = 16 };
FIXTURE_VARIANT_ADD(anon, batch_31_less_1) { .pages = 30 };
FIXTURE_VARIANT_ADD(anon, batch_31) { .pages = 31 };
FIXTURE_VARIANT_ADD(anon, batch_31_and_1) { .pages = 32 };
FIXTURE_VARIANT_ADD(anon, table_less_1) { .tables = 1, .pages = -1 };
FIXTURE_VARIANT_ADD(anon, table) { .tables = 1 };
FIXTURE_VARIANT_ADD(anon, table_and_1) { .tables = 1, .pages = 1 };

FIXTURE_VARIANT_ADD(file, one) { .pages = 1 };
FIXTURE_VARIANT_ADD(file, two) { .pages = 2 };
FIXTURE_VARIANT_ADD(file, three) { .pages = 3 };
FIXTURE_VARIANT_ADD(file, batch_15_less_1) { .pages = 14 };
FIXTURE_VARIANT_ADD(file, batch_15) { .pages = 15 };
FIXTURE_VARIANT_ADD(file, batch_15_and_1) { .pages = 16 };
FIXTURE_VARIANT_ADD(file, batch_31_less_1) { .pages = 30 };
FIXTURE_VARIANT_ADD(file, batch_31) { .pages = 31 };
FIXTURE_VARIANT_ADD(file, batch_31_and_1) { .pages = 32 };
FIXTURE_VARIANT_ADD(file, table_less_1) { .tables = 1, .pages = -1 };
FIXTURE_VARIANT_ADD(file, table) { .tables = 1 };
FIXTURE_VARIANT_ADD(file, table_and_1) { .tables = 1, .pages = 1 };

/* A page table is a page of pointers. */
static size_t range(int tables, int pages)
{
	return tables * (page_size() / sizeof(void *)) + pages;
}

FIXTURE_SETUP(anon)
{
	self->area = MAP_FAILED;
	self->nr = range(variant->tables, variant->pages);
	if ((self->nr + 2) * page_size() > MOST)
		SKIP(return, "%zu pages are too many", self->nr);
	stay_on_this_cpu();
	self->area = map_anon(self->nr + 2);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
}

FIXTURE_TEARDOWN(anon)
{
	unmap_alone(self->area, self->nr + 2);
}

/* All but the first and the last page. */
static int advise(unsigned char *area, size_t all, int advice)
{
	return madvise(page_at(area, 1), (all - 2) * page_size(), advice);
}

/* X4, X2, C1: MADV_FREE marks, that is cleans, exactly the range. */
TEST_F(anon, free_marks_exactly_the_range)
{
	size_t all = self->nr + 2;

	ASSERT_EQ(kib(all), smaps_kib(self->area, all, "Private_Dirty"));
	ASSERT_EQ(0, advise(self->area, all, MADV_FREE));
	EXPECT_EQ(kib(2), smaps_kib(self->area, all, "Private_Dirty"));
	/* Which two: a write makes dirty what was clean. */
	*page_at(self->area, 0) = page_byte(0);
	*page_at(self->area, all - 1) = page_byte(all - 1);
	EXPECT_EQ(kib(2), smaps_kib(self->area, all, "Private_Dirty"));
	*page_at(self->area, 1) = page_byte(1);
	EXPECT_EQ(kib(3), smaps_kib(self->area, all, "Private_Dirty"));
	EXPECT_EQ(NONE, not_kept(self->area, 0, 1));
	EXPECT_EQ(NONE, not_kept(self->area, all - 1, all));
}

/* X4, X2, D4: MADV_COLD ages exactly the range, and loses nothing. */
TEST_F(anon, cold_ages_exactly_the_range)
{
	size_t all = self->nr + 2;

	touch(self->area, 0, all);
	ASSERT_EQ(kib(all), smaps_kib(self->area, all, "Referenced"));
	ASSERT_EQ(0, advise(self->area, all, MADV_COLD));
	EXPECT_EQ(kib(2), smaps_kib(self->area, all, "Referenced"));
	touch(self->area, 0, 1);
	touch(self->area, all - 1, all);
	EXPECT_EQ(kib(2), smaps_kib(self->area, all, "Referenced"));
	EXPECT_EQ((long)all, present(self->area, 0, all));
	EXPECT_EQ(NONE, not_kept(self->area, 0, all));
}

/* X4, X2, D3: MADV_PAGEOUT swaps out nine of ten pages, and of the range only. */
TEST_F(anon, pageout_takes_nothing_but_the_range)
{
	size_t all = self->nr + 2;
	long out = 0;

	if (!has_swap())
		SKIP(return, "no swap");
	for (int i = 0; i < 3 && out < (long)self->nr; i++) {
		ASSERT_EQ(0, advise(self->area, all, MADV_PAGEOUT));
		out = swapped(self->area, 1, all - 1);
	}
	EXPECT_LE((long)(self->nr * 9 + 9) / 10, out);
	EXPECT_EQ(1, present(self->area, 0, 1));
	EXPECT_EQ(1, present(self->area, all - 1, all));
	EXPECT_EQ(NONE, not_kept(self->area, 0, all));
}

FIXTURE_SETUP(file)
{
	const char *why = cached_tells();

	self->fd = -1;
	self->nr = range(variant->tables, variant->pages);
	if ((self->nr + FAR) * page_size() > MOST)
		SKIP(return, "%zu pages are too many", self->nr);
	if (why)
		SKIP(return, "%s", why);
	self->fd = scratch_open(&why);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, scratch_fill(self->fd, self->nr + FAR));
}

FIXTURE_TEARDOWN(file)
{
	if (self->fd >= 0)
		close(self->fd);
}

/* X4, X2, G1, G4: POSIX_FADV_DONTNEED evicts exactly the range. */
TEST_F(file, fadvise_dontneed_evicts_exactly_the_range)
{
	size_t all = self->nr + FAR;

	ASSERT_EQ((long)all, cached(self->fd, 0, all));
	ASSERT_EQ(0, posix_fadvise(self->fd, page_size(),
				   self->nr * page_size(),
				   POSIX_FADV_DONTNEED));
	EXPECT_EQ(1, cached(self->fd, 0, 1));
	EXPECT_EQ(0, cached(self->fd, 1, self->nr + 1));
	EXPECT_EQ(FAR - 1, cached(self->fd, self->nr + 1, all));
}

/* Asks for what is missing until it is there; how many pages are. */
static long ask(int fd, unsigned char *area, size_t nr)
{
	struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
	long in = 0;

	/* Up to 10 s, which a good kernel never takes. */
	for (int i = 0; i < 1000 && in < (long)nr; i++) {
		if (madvise(page_at(area, 1 + in), (nr - in) * page_size(),
			    MADV_WILLNEED))
			return -1;
		in = cached(fd, 1, nr + 1);
		if (in < (long)nr)
			nanosleep(&pause, NULL);
	}
	return in;
}

/* X4, X2, D1: MADV_WILLNEED brings all of the range in, and nothing far off. */
TEST_F(file, willneed_brings_the_range_in)
{
	size_t all = self->nr + FAR;
	unsigned char *area;

	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_DONTNEED));
	ASSERT_EQ(0, cached(self->fd, 0, all));
	area = map_alone(all, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)area);
	EXPECT_EQ((long)self->nr, ask(self->fd, area, self->nr));
	EXPECT_EQ(0, cached(self->fd, 0, 1));
	EXPECT_EQ(0, cached(self->fd, all - 1, all));
	EXPECT_EQ(0, present(area, 0, all));
	EXPECT_EQ(NONE, not_kept(area, 1, self->nr + 1));
	unmap_alone(area, all);
}

#include "lib/main.h"

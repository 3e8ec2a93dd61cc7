// SPDX-License-Identifier: GPL-2.0
/*
 * What madvise(2) promises of MADV_DONTNEED on private anonymous memory. Claims
 * are numbered as in the collection's list: A1 zero fill, A6 edges of the range.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"

/* Odd, above a batch, and not a multiple of any folio size. */
#define NR_PAGES 67

FIXTURE(anon)
{
	size_t page_size;
	size_t len;
	unsigned char *area;
};

/* Every byte of a page tells which page it is and is not zero. */
static unsigned char pattern(size_t page)
{
	return 1 + page % 255;
}

FIXTURE_SETUP(anon)
{
	self->page_size = sysconf(_SC_PAGESIZE);
	self->len = NR_PAGES * self->page_size;
	self->area = mmap(NULL, self->len, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->area);

	for (size_t page = 0; page < NR_PAGES; page++)
		memset(self->area + page * self->page_size, pattern(page),
		       self->page_size);
}

FIXTURE_TEARDOWN(anon)
{
	munmap(self->area, self->len);
}

static bool page_is(const unsigned char *page, size_t size, unsigned char want)
{
	return page[0] == want && !memcmp(page, page + 1, size - 1);
}

#define NONE (-1L)

/* The first of pages @from to @to - 1 that lost a byte, or NONE. */
static long not_kept(FIXTURE_DATA(anon) * self, size_t from, size_t to)
{
	for (size_t page = from; page < to; page++)
		if (!page_is(self->area + page * self->page_size,
			     self->page_size, pattern(page)))
			return page;
	return NONE;
}

/* The first of pages @from to @to - 1 that has a byte other than 0, or NONE. */
static long not_zero(FIXTURE_DATA(anon) * self, size_t from, size_t to)
{
	for (size_t page = from; page < to; page++)
		if (!page_is(self->area + page * self->page_size,
			     self->page_size, 0))
			return page;
	return NONE;
}

/* A1: after return every page reads zero when it is first read. */
TEST_F(anon, reads_zero)
{
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_DONTNEED));
	EXPECT_EQ(NONE, not_zero(self, 0, NR_PAGES));
}

/* A1: a page that is first written is zero but for what is written. */
TEST_F(anon, is_zero_around_a_first_write)
{
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_DONTNEED));
	for (size_t page = 0; page < NR_PAGES; page++) {
		unsigned char *start = self->area + page * self->page_size;

		start[self->page_size / 2] = 0xff;
		EXPECT_EQ(0xff, start[self->page_size / 2]);
		start[self->page_size / 2] = 0;
	}
	EXPECT_EQ(NONE, not_zero(self, 0, NR_PAGES));
}

/* X2: pages before and after the range keep every byte. */
TEST_F(anon, leaves_the_neighbours)
{
	ASSERT_EQ(0, madvise(self->area + self->page_size,
			     (NR_PAGES - 2) * self->page_size, MADV_DONTNEED));
	EXPECT_EQ(NONE, not_kept(self, 0, 1));
	EXPECT_EQ(NONE, not_zero(self, 1, NR_PAGES - 1));
	EXPECT_EQ(NONE, not_kept(self, NR_PAGES - 1, NR_PAGES));
}

/* A6: a start that is not page-aligned is EINVAL, and nothing is done. */
TEST_F(anon, refuses_an_unaligned_start)
{
	EXPECT_EQ(-1, madvise(self->area + 1, self->page_size, MADV_DONTNEED));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(NONE, not_kept(self, 0, NR_PAGES));
}

/* A6: length 0 succeeds and does nothing. */
TEST_F(anon, accepts_length_zero)
{
	EXPECT_EQ(0, madvise(self->area, 0, MADV_DONTNEED));
	EXPECT_EQ(NONE, not_kept(self, 0, NR_PAGES));
}

/* A6: the length is rounded up to whole pages. */
TEST_F(anon, rounds_the_length_up)
{
	EXPECT_EQ(0, madvise(self->area, self->page_size + 1, MADV_DONTNEED));
	EXPECT_EQ(NONE, not_zero(self, 0, 2));
	EXPECT_EQ(NONE, not_kept(self, 2, NR_PAGES));
}

/* A6: a range that wraps around is EINVAL, and nothing is done. */
TEST_F(anon, refuses_a_range_that_wraps)
{
	EXPECT_EQ(-1, madvise(self->area, -self->page_size, MADV_DONTNEED));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(NONE, not_kept(self, 0, NR_PAGES));
}

/* A6: a hole is ENOMEM, and all that is mapped on both sides is done. */
TEST_F(anon, does_both_sides_of_a_hole)
{
	size_t hole = NR_PAGES / 2;

	ASSERT_EQ(0,
		  munmap(self->area + hole * self->page_size, self->page_size));
	EXPECT_EQ(-1, madvise(self->area, self->len, MADV_DONTNEED));
	EXPECT_EQ(ENOMEM, errno);
	EXPECT_EQ(NONE, not_zero(self, 0, hole));
	EXPECT_EQ(NONE, not_zero(self, hole + 1, NR_PAGES));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0
/*
 * What advice on a mapping reads: of the file it is of, at the place it is of, and
 * how far around.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/memcg.h"
#include "lib/pages.h"
#include "lib/scratch.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21 /* Linux 5.4 */
#endif

/* Pages of a file, of which a mapping begins in the middle. */
#define ALL 512
#define MIDDLE 256
#define RANGE 32

/* Asynchronous: up to 10 s, which a good kernel never takes. */
static long come_in(int fd, size_t from, size_t to)
{
	struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };

	for (int i = 0; i < 500 && cached(fd, from, to) < (long)(to - from);
	     i++)
		nanosleep(&pause, NULL);
	return cached(fd, from, to);
}

FIXTURE(file)
{
	int fd;
	unsigned char *area;
};

FIXTURE_SETUP(file)
{
	const char *why = cached_tells();

	self->area = MAP_FAILED;
	self->fd = -1;
	if (why)
		SKIP(return, "%s", why);
	self->fd = scratch_open(&why);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, scratch_fill(self->fd, ALL));
	ASSERT_EQ(0, scratch_evict(self->fd, ALL));
}

FIXTURE_TEARDOWN(file)
{
	unmap_alone(self->area, ALL - MIDDLE);
	close(self->fd);
}

/* Map the second half of the file. */
static bool map_half(FIXTURE_DATA(file) * self)
{
	self->area = map_alone(ALL - MIDDLE, PROT_READ, MAP_SHARED, self->fd,
			       (off_t)(MIDDLE * page_size()));
	return self->area != MAP_FAILED;
}

/* D1: WILLNEED reads the part of the file that is mapped there. */
TEST_F(file, willneed_reads_what_is_mapped)
{
	ASSERT_TRUE(map_half(self));
	ASSERT_EQ(0, madvise(self->area, RANGE * page_size(), MADV_WILLNEED));
	EXPECT_EQ(RANGE, come_in(self->fd, MIDDLE, MIDDLE + RANGE));
	EXPECT_EQ(0, cached(self->fd, 0, RANGE));
}

/* G5: a fault in a RANDOM mapping reads a page, and nothing around it. */
TEST_F(file, random_mapping_reads_a_page)
{
	ASSERT_TRUE(map_half(self));
	ASSERT_EQ(0, madvise(self->area, (ALL - MIDDLE) * page_size(),
			     MADV_RANDOM));
	touch(self->area, 128, 129);
	EXPECT_EQ(1, cached_at_rest(self->fd, 0, ALL));
}

/* G5: in a SEQUENTIAL one it reads ahead, and nothing behind. */
TEST_F(file, sequential_mapping_reads_ahead)
{
	ASSERT_TRUE(map_half(self));
	ASSERT_EQ(0, madvise(self->area, (ALL - MIDDLE) * page_size(),
			     MADV_SEQUENTIAL));
	touch(self->area, 128, 129);
	EXPECT_EQ(0, cached_at_rest(self->fd, 0, MIDDLE + 128));
	EXPECT_LT(1, cached_at_rest(self->fd, MIDDLE + 128, ALL));
}

/* G5: and in a NORMAL one around, also after other advice was taken back. */
TEST_F(file, normal_mapping_reads_around)
{
	ASSERT_TRUE(map_half(self));
	ASSERT_EQ(0, madvise(self->area, (ALL - MIDDLE) * page_size(),
			     MADV_SEQUENTIAL));
	ASSERT_EQ(0, madvise(self->area, (ALL - MIDDLE) * page_size(),
			     MADV_NORMAL));
	touch(self->area, 128, 129);
	EXPECT_LT(0, cached_at_rest(self->fd, 0, MIDDLE + 128));
	EXPECT_LT(1, cached_at_rest(self->fd, MIDDLE + 128, ALL));
}

FIXTURE(swapped)
{
	struct memcg cg;
	int fd;
	unsigned char *all, *half;
};

/* Shared memory, most of it swapped out. */
FIXTURE_SETUP(swapped)
{
	const char *why = memcg_enter(&self->cg);

	self->all = MAP_FAILED;
	self->half = MAP_FAILED;
	self->fd = -1;
	if (!why && !has_swap())
		why = "no swap";
	if (why)
		SKIP(return, "%s", why);
	self->fd = memfd_create("swapped", MFD_CLOEXEC);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ftruncate(self->fd, (off_t)(ALL * page_size())));
	self->all =
		map_alone(ALL, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, 0);
	self->half = map_alone(ALL - MIDDLE, PROT_READ, MAP_SHARED, self->fd,
			       (off_t)(MIDDLE * page_size()));
	ASSERT_NE(MAP_FAILED, (void *)self->all);
	ASSERT_NE(MAP_FAILED, (void *)self->half);
	fill(self->all, ALL);
	for (int i = 0; i < 3 && cached(self->fd, 0, ALL) > ALL / 10; i++)
		ASSERT_EQ(0,
			  madvise(self->all, ALL * page_size(), MADV_PAGEOUT));
}

FIXTURE_TEARDOWN(swapped)
{
	unmap_alone(self->half, ALL - MIDDLE);
	unmap_alone(self->all, ALL);
	close(self->fd);
	memcg_leave(&self->cg);
}

/* D2: WILLNEED brings in what is mapped there, and not the start of the file. */
TEST_F(swapped, willneed_brings_in_what_is_mapped)
{
	long others = cached(self->fd, 0, MIDDLE);

	ASSERT_GE(ALL / 10, cached(self->fd, 0, ALL));
	ASSERT_EQ(0, madvise(self->half, RANGE * page_size(), MADV_WILLNEED));
	EXPECT_EQ(RANGE, come_in(self->fd, MIDDLE, MIDDLE + RANGE));
	EXPECT_EQ(others, cached(self->fd, 0, MIDDLE));
	EXPECT_EQ(NONE, not_kept(self->all, 0, ALL));
}

#include "lib/main.h"

// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of pages that somebody else holds, too, when their owner gives
 * them away: a pipe that they were spliced into, a disk that reads into them. They
 * lie in the middle of others that nobody holds, and that have to go.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/memcg.h"
#include "lib/pages.h"
#include "lib/slow_disk.h"

/* 4 MiB of base pages of 4 KiB, and those of them that are held. */
#define MANY 1024
#define FIRST 512
#define HELD 8
#define LAST (FIRST + HELD)

/* Of the pages that nobody holds, all but a tenth have to go. */
#define FEW ((MANY - HELD) / 10)

/* Longer than it takes to reclaim 4 MiB, also on a busy machine. */
#define DISK_MS 500

static int advise(unsigned char *area, int advice)
{
	return madvise(area, MANY * page_size(), advice);
}

/* How many of pages @from to @to - 1 do not read zero. */
static long nonzero(unsigned char *area, size_t from, size_t to)
{
	long count = 0;

	for (size_t page = from; page < to; page++)
		count += not_zero(area, page, page + 1) != NONE;
	return count;
}

static long loose_left(unsigned char *area)
{
	return nonzero(area, 0, FIRST) + nonzero(area, LAST, MANY);
}

/* NULL, or why there will be no pressure. */
static const char *enter(struct memcg *cg)
{
	const char *why = memcg_enter(cg);

	if (!why && memcg_reclaim(cg, 0) && errno == ENOENT)
		why = "kernel without memory.reclaim (5.19)";
	if (!why)
		memcg_write(cg, "memory.swap.max", "0");
	return why;
}

FIXTURE(spliced)
{
	struct memcg cg;
	const char *no_pressure;
	unsigned char *area, *copy;
	int pipe[2];
};

/* Does vmsplice(2) lend the pages themselves here, and not a copy? */
static bool splice_lends(void)
{
	unsigned char *page = map_anon(1), byte = 0;
	struct iovec range = { .iov_base = page, .iov_len = 1 };
	int ends[2];

	if (page == MAP_FAILED || pipe(ends))
		return false;
	if (vmsplice(ends[1], &range, 1, 0) == 1) {
		*page = 0xaa;
		if (read(ends[0], &byte, 1) != 1)
			byte = 0;
	}
	close(ends[0]);
	close(ends[1]);
	unmap_alone(page, 1);
	return byte == 0xaa;
}

FIXTURE_SETUP(spliced)
{
	struct iovec range = { .iov_len = HELD * page_size() };

	self->pipe[0] = -1;
	self->pipe[1] = -1;
	self->copy = MAP_FAILED;
	self->area = MAP_FAILED;
	self->no_pressure = enter(&self->cg);
	if (!splice_lends())
		SKIP(return, "vmsplice(2) copies here, or there is none");
	self->area = map_anon(MANY);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	/* As large, so that a page is at its place for not_kept(). */
	self->copy = map_alone(MANY, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->copy);
	ASSERT_EQ(0, pipe(self->pipe));
	range.iov_base = page_at(self->area, FIRST);
	ASSERT_EQ((ssize_t)range.iov_len,
		  vmsplice(self->pipe[1], &range, 1, 0));
}

FIXTURE_TEARDOWN(spliced)
{
	close(self->pipe[0]);
	close(self->pipe[1]);
	unmap_alone(self->copy, MANY);
	unmap_alone(self->area, MANY);
	memcg_leave(&self->cg);
}

/* Take all that the pipe holds. */
static bool drain(int pipe, unsigned char *copy)
{
	size_t len = HELD * page_size(), got = 0;
	ssize_t n = 1;

	for (; got < len && n > 0; got += n > 0 ? n : 0)
		n = read(pipe, page_at(copy, FIRST) + got, len - got);
	return got == len;
}

/* C7: what DONTNEED takes from the area stays in the pipe as it was. */
TEST_F(spliced, pipe_keeps_what_dontneed_takes)
{
	ASSERT_EQ(0, advise(self->area, MADV_DONTNEED));
	EXPECT_EQ(NONE, not_zero(self->area, 0, MANY));
	/* These are new pages, of which the pipe knows nothing. */
	memset(page_at(self->area, FIRST), 0xaa, HELD * page_size());
	ASSERT_TRUE(drain(self->pipe[0], self->copy));
	EXPECT_EQ(NONE, not_kept(self->copy, FIRST, LAST));
}

/*
 * C7: pages in a pipe that were advised FREE are not reclaimed, where those beside
 * them are: both the pipe and the area keep the data.
 */
TEST_F(spliced, free_pages_in_a_pipe_stay)
{
	if (self->no_pressure)
		SKIP(return, "%s", self->no_pressure);
	ASSERT_EQ(0, advise(self->area, MADV_FREE));
	memcg_reclaim(&self->cg, MANY * page_size());
	EXPECT_GE(FEW, loose_left(self->area));
	EXPECT_EQ(NONE, not_kept(self->area, FIRST, LAST));
	ASSERT_TRUE(drain(self->pipe[0], self->copy));
	EXPECT_EQ(NONE, not_kept(self->copy, FIRST, LAST));
}

/* C7, C2: ... and once the pipe is empty they go like any other. */
TEST_F(spliced, free_pages_go_when_the_pipe_is_empty)
{
	if (self->no_pressure)
		SKIP(return, "%s", self->no_pressure);
	ASSERT_EQ(0, advise(self->area, MADV_FREE));
	memcg_reclaim(&self->cg, MANY * page_size());
	ASSERT_TRUE(drain(self->pipe[0], self->copy));
	ASSERT_EQ(NONE, not_kept(self->area, FIRST, LAST));
	/* To reclaim they were in use; that ends with another FREE. */
	ASSERT_EQ(0, advise(self->area, MADV_FREE));
	memcg_reclaim(&self->cg, MANY * page_size());
	EXPECT_EQ(0, nonzero(self->area, FIRST, LAST));
}

/* A thread that reads the disk into the pages that it will hold. */
struct reader {
	pthread_t thread;
	int fd;
	unsigned char *into;
	ssize_t got;
	atomic_bool done;
};

static void *read_disk(void *arg)
{
	struct reader *reader = arg;

	reader->got = pread(reader->fd, reader->into, HELD * page_size(), 0);
	atomic_store(&reader->done, true);
	return NULL;
}

FIXTURE(reading)
{
	struct memcg cg;
	const char *no_pressure;
	struct slow_disk disk;
	struct reader reader;
	unsigned char *area;
};

/* The disk has what fill() writes into the pages that will be held. */
FIXTURE_SETUP(reading)
{
	ssize_t len = HELD * page_size();
	const char *why;

	self->cg.dir[0] = '\0';
	self->area = MAP_FAILED;
	why = slow_disk_make(&self->disk, DISK_MS);
	if (why)
		SKIP(return, "%s", why);
	self->no_pressure = enter(&self->cg);
	self->area = map_anon(MANY);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	ASSERT_EQ(len, pwrite(self->disk.fd, page_at(self->area, FIRST), len,
			      0));
}

FIXTURE_TEARDOWN(reading)
{
	unmap_alone(self->area, MANY);
	slow_disk_drop(&self->disk);
	memcg_leave(&self->cg);
}

static int start(struct reader *reader, const struct slow_disk *disk,
		 unsigned char *area)
{
	reader->fd = disk->fd;
	reader->into = page_at(area, FIRST);
	reader->got = -1;
	atomic_init(&reader->done, false);
	if (pthread_create(&reader->thread, NULL, read_disk, reader))
		return -1;
	/* The disk answers in any case. */
	while (!atomic_load(&reader->done) && slow_disk_reads(disk) < 1)
		usleep(1000);
	return 0;
}

/* C7: a read under way goes nowhere when DONTNEED takes the pages: all is zero. */
TEST_F(reading, dontneed_takes_pages_under_a_read)
{
	bool under_way;

	ASSERT_EQ(0, start(&self->reader, &self->disk, self->area));
	ASSERT_EQ(0, advise(self->area, MADV_DONTNEED));
	under_way = !atomic_load(&self->reader.done);
	/* Half of the new pages are there before the disk answers. */
	EXPECT_EQ(NONE, not_zero(self->area, FIRST, FIRST + HELD / 2));
	ASSERT_EQ(0, pthread_join(self->reader.thread, NULL));
	EXPECT_EQ((ssize_t)(HELD * page_size()), self->reader.got);
	if (!under_way)
		SKIP(return, "the read ended before the advice");
	EXPECT_EQ(NONE, not_zero(self->area, 0, MANY));
}

/* Return: whether all happened before the disk answered. */
static bool free_and_press(struct __test_metadata *_metadata,
			   FIXTURE_DATA(reading) * self, bool free_first)
{
	bool under_way;

	fill(self->area, MANY);
	memset(page_at(self->area, FIRST), 0xaa, HELD * page_size());
	if (free_first)
		EXPECT_EQ(0, advise(self->area, MADV_FREE));
	EXPECT_EQ(0, start(&self->reader, &self->disk, self->area));
	if (!free_first)
		EXPECT_EQ(0, advise(self->area, MADV_FREE));
	memcg_reclaim(&self->cg, MANY * page_size());
	under_way = !atomic_load(&self->reader.done);
	EXPECT_EQ(0, pthread_join(self->reader.thread, NULL));
	EXPECT_EQ((ssize_t)(HELD * page_size()), self->reader.got);
	return under_way;
}

static void keeps_what_is_read(struct __test_metadata *_metadata,
			       FIXTURE_DATA(reading) * self, bool free_first)
{
	bool under_way = false;

	if (self->no_pressure)
		SKIP(return, "%s", self->no_pressure);
	for (int i = 0; i < 3 && !under_way; i++)
		under_way = free_and_press(_metadata, self, free_first);
	if (!under_way)
		SKIP(return, "three reads ended before the reclaim");
	EXPECT_GE(FEW, loose_left(self->area));
	EXPECT_EQ(NONE, not_kept(self->area, FIRST, LAST));
}

/*
 * C7: a read into pages that are free already is as good as a write: reclaim takes
 * those beside them, and the data arrives and stays.
 */
TEST_F(reading, data_stays_in_pages_freed_before)
{
	keeps_what_is_read(_metadata, self, true);
}

/* C7: pages that are advised FREE under a read are held by it, and stay. */
TEST_F(reading, data_stays_in_pages_freed_meanwhile)
{
	keeps_what_is_read(_metadata, self, false);
}

#include "lib/main.h"

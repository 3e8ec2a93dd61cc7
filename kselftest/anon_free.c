// SPDX-License-Identifier: GPL-2.0
/*
 * What madvise(2) promises of MADV_FREE where nothing presses: nothing is lost
 * yet, the pages are marked, and it refuses what it cannot free lazily.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/pages.h"
#include "lib/scratch.h"

/* Many batches, so that the one still on its way does not matter. */
#define MANY 1024

FIXTURE(anon)
{
	unsigned char *area;
	size_t len;
};

FIXTURE_SETUP(anon)
{
	self->len = MANY * page_size();
	self->area = map_anon(MANY);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
}

FIXTURE_TEARDOWN(anon)
{
	unmap_alone(self->area, MANY);
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

/* C1: without pressure Rss stays; every page is old or zero, whole. */
TEST_F(anon, stays_in_rss)
{
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_FREE));
	EXPECT_EQ(kib(MANY), smaps_kib(self->area, MANY, "Rss"));
	EXPECT_EQ(NONE, torn(self->area, 0, MANY));
}

/* C1: LazyFree grows by the range, up to batches that are on their way. */
TEST_F(anon, is_marked_lazily_free)
{
	long batches = kib(32) * sysconf(_SC_NPROCESSORS_ONLN);

	ASSERT_EQ(0, smaps_kib(self->area, MANY, "LazyFree"));
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_FREE));
	EXPECT_LE(smaps_kib(self->area, MANY, "LazyFree"), kib(MANY));
	if (batches >= kib(MANY))
		SKIP(return, "batches of %ld KiB hide it", batches);
	EXPECT_GE(smaps_kib(self->area, MANY, "LazyFree"), kib(MANY) - batches);
}

/* X2: what is outside of the range is not marked and stays. */
TEST_F(anon, leaves_the_neighbours)
{
	ASSERT_EQ(0, madvise(page_at(self->area, 1),
			     self->len - 2 * page_size(), MADV_FREE));
	/* What is marked is clean. */
	EXPECT_EQ(kib(2), smaps_kib(self->area, MANY, "Private_Dirty"));
	EXPECT_EQ(NONE, not_kept(self->area, 0, 1));
	EXPECT_EQ(NONE, not_kept(self->area, MANY - 1, MANY));
}

/* C3: a write cancels it: the pages are dirty again and keep what is written. */
TEST_F(anon, write_cancels)
{
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_FREE));
	fill(self->area, MANY);
	EXPECT_EQ(NONE, not_kept(self->area, 0, MANY));
	EXPECT_EQ(kib(MANY), smaps_kib(self->area, MANY, "Private_Dirty"));
}

/* C3: for the page that is written, and for that page only. */
TEST_F(anon, write_cancels_for_one_page)
{
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_FREE));
	ASSERT_EQ(0, smaps_kib(self->area, MANY, "Private_Dirty"));
	*page_at(self->area, 7) = 1;
	EXPECT_EQ(kib(1), smaps_kib(self->area, MANY, "Private_Dirty"));
}

/* C6: pages that a child shares are kept for the child. */
TEST_F(anon, childs_copy_stays)
{
	int go[2], status;
	char byte = 0;
	pid_t pid;

	ASSERT_EQ(0, pipe(go));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		_exit(not_kept(self->area, 0, MANY) == NONE ? 0 : 2);
	}
	EXPECT_EQ(0, madvise(self->area, self->len, MADV_FREE));
	EXPECT_EQ(1, write(go[1], &byte, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(NONE, torn(self->area, 0, MANY));
}

/* C4: locked memory is EINVAL and stays. */
TEST_F(anon, refuses_locked_memory)
{
	if (mlock(self->area, 8 * page_size()))
		SKIP(return, "cannot lock 8 pages: %s", strerror(errno));
	EXPECT_EQ(-1, madvise(self->area, 8 * page_size(), MADV_FREE));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(NONE, not_kept(self->area, 0, 8));
	EXPECT_EQ(kib(8),
		  smaps_kib(self->area, MANY, "Private_Dirty") - kib(MANY - 8));
}

/* C8: DONTNEED shows at once where FREE does not. */
TEST_F(anon, dontneed_shows_where_free_does_not)
{
	ASSERT_EQ(0, madvise(self->area, self->len / 2, MADV_FREE));
	ASSERT_EQ(kib(MANY), smaps_kib(self->area, MANY, "Rss"));
	ASSERT_EQ(0, madvise(self->area, self->len / 2, MADV_DONTNEED));
	EXPECT_EQ(kib(MANY / 2), smaps_kib(self->area, MANY, "Rss"));
	EXPECT_EQ(NONE, not_zero(self->area, 0, MANY / 2));
}

FIXTURE(not_anon)
{
	unsigned char *area;
	int fd;
};

FIXTURE_VARIANT(not_anon)
{
	int flags;
	bool file;
};

FIXTURE_VARIANT_ADD(not_anon, private_file)
{
	.flags = MAP_PRIVATE, .file = true,
};

FIXTURE_VARIANT_ADD(not_anon, shared_file)
{
	.flags = MAP_SHARED, .file = true,
};

FIXTURE_VARIANT_ADD(not_anon, shared_anonymous)
{
	.flags = MAP_SHARED | MAP_ANONYMOUS,
};

FIXTURE_SETUP(not_anon)
{
	const char *why;

	self->fd = -1;
	self->area = MAP_FAILED;
	if (variant->file) {
		self->fd = scratch_open(&why);
		if (self->fd < 0)
			SKIP(return, "%s", why);
		ASSERT_EQ(0, scratch_fill(self->fd, NR_PAGES));
	}
	self->area = map_alone(NR_PAGES, PROT_READ | PROT_WRITE, variant->flags,
			       self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	fill(self->area, NR_PAGES);
}

FIXTURE_TEARDOWN(not_anon)
{
	unmap_alone(self->area, NR_PAGES);
	if (self->fd >= 0)
		close(self->fd);
}

/* C4: what is not private and anonymous is EINVAL, and nothing is lost. */
TEST_F(not_anon, is_refused)
{
	EXPECT_EQ(-1, madvise(self->area, NR_PAGES * page_size(), MADV_FREE));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(NONE, not_kept(self->area, 0, NR_PAGES));
}

#include "lib/main.h"

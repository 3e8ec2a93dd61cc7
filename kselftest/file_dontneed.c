// SPDX-License-Identifier: GPL-2.0
/*
 * What madvise(2) promises of MADV_DONTNEED on file mappings and on memory that
 * is shared: private copies go, nothing that others can see is ever lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/memcg.h"
#include "lib/pages.h"
#include "lib/scratch.h"

/* More than the CPUs keep from reclaim. */
#define RECLAIMED 1024

FIXTURE(file)
{
	int fd;
	size_t len;
	unsigned char *private, *shared;
};

FIXTURE_SETUP(file)
{
	const char *why;

	self->private = MAP_FAILED;
	self->shared = MAP_FAILED;
	self->len = NR_PAGES * page_size();
	self->fd = scratch_open(&why);
	if (self->fd < 0)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, scratch_fill(self->fd, NR_PAGES));
	self->private = map_alone(NR_PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE,
				  self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->private);
	self->shared = map_alone(NR_PAGES, PROT_READ | PROT_WRITE, MAP_SHARED,
				 self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->shared);
}

FIXTURE_TEARDOWN(file)
{
	unmap_alone(self->private, NR_PAGES);
	unmap_alone(self->shared, NR_PAGES);
	if (self->fd >= 0)
		close(self->fd);
}

/* B1: the copies of a private mapping are lost, the file shows again. */
TEST_F(file, private_copies_are_lost)
{
	memset(self->private, 0, self->len);
	ASSERT_EQ(NONE, not_zero(self->private, 0, NR_PAGES));
	ASSERT_EQ(0, madvise(self->private, self->len, MADV_DONTNEED));
	EXPECT_EQ(NONE, not_kept(self->private, 0, NR_PAGES));
}

/* B1: it is the file as it is now, not as it was when it was copied. */
TEST_F(file, shows_what_was_written_meanwhile)
{
	unsigned char byte = 0xee;

	fill(self->private, NR_PAGES);
	ASSERT_EQ(1, pwrite(self->fd, &byte, 1, 5 * page_size()));
	EXPECT_EQ(page_byte(5), *page_at(self->private, 5));
	ASSERT_EQ(0, madvise(self->private, self->len, MADV_DONTNEED));
	EXPECT_EQ(0xee, *page_at(self->private, 5));
	EXPECT_EQ(NONE, not_kept(self->private, 0, 5));
	EXPECT_EQ(NONE, not_kept(self->private, 6, NR_PAGES));
}

/* B1: a child sees the file too, and its parent's copies stay. */
TEST_F(file, child_loses_only_its_own_copies)
{
	int status;
	pid_t pid;

	memset(self->private, 0, self->len);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		if (madvise(self->private, self->len, MADV_DONTNEED))
			_exit(1);
		_exit(not_kept(self->private, 0, NR_PAGES) == NONE ? 0 : 2);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(NONE, not_zero(self->private, 0, NR_PAGES));
}

/* B1, A2: private copies fall from the accounts at once. */
TEST_F(file, private_copies_fall_from_the_accounts)
{
	memset(self->private, 0, self->len);
	ASSERT_EQ(kib(NR_PAGES),
		  smaps_kib(self->private, NR_PAGES, "Anonymous"));
	ASSERT_EQ(0, madvise(self->private, self->len, MADV_DONTNEED));
	EXPECT_EQ(0, smaps_kib(self->private, NR_PAGES, "Anonymous"));
	EXPECT_EQ(0, smaps_kib(self->private, NR_PAGES, "Rss"));
}

/* B2: what was written through a shared mapping is read by read(2). */
TEST_F(file, dirty_pages_are_read)
{
	unsigned char byte = 0;

	memset(self->shared, 0xaa, self->len);
	ASSERT_EQ(0, madvise(self->shared, self->len, MADV_DONTNEED));
	for (size_t page = 0; page < NR_PAGES; page++) {
		ASSERT_EQ(1, pread(self->fd, &byte, 1,
				   page * page_size() + page % page_size()));
		EXPECT_EQ(0xaa, byte);
	}
	EXPECT_EQ(0xaa, *page_at(self->private, NR_PAGES - 1));
}

/* B2: ... and comes back from the disk after it was evicted there. */
TEST_F(file, dirty_pages_reach_the_disk)
{
	const char *wrong = cached_tells();
	unsigned char byte = 0;

	if (wrong)
		SKIP(return, "%s", wrong);
	memset(self->shared, 0xaa, self->len);
	ASSERT_EQ(0, madvise(self->shared, self->len, MADV_DONTNEED));
	ASSERT_EQ(0, fsync(self->fd));
	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_DONTNEED));
	ASSERT_EQ(0, cached(self->fd, 0, NR_PAGES));
	for (size_t page = 0; page < NR_PAGES; page++) {
		ASSERT_EQ(1, pread(self->fd, &byte, 1, page * page_size()));
		EXPECT_EQ(0xaa, byte);
	}
}

/* B3: clean pages leave this mapping, not the page cache. */
TEST_F(file, clean_pages_stay_cached)
{
	const char *wrong = cached_tells();

	if (wrong)
		SKIP(return, "%s", wrong);
	touch(self->shared, 0, NR_PAGES);
	ASSERT_EQ(kib(NR_PAGES), smaps_kib(self->shared, NR_PAGES, "Rss"));
	ASSERT_EQ(0, madvise(self->shared, self->len, MADV_DONTNEED));
	EXPECT_EQ(0, smaps_kib(self->shared, NR_PAGES, "Rss"));
	EXPECT_EQ(kib(NR_PAGES), smaps_kib(self->shared, NR_PAGES, "Size"));
	EXPECT_EQ(NR_PAGES, cached(self->fd, 0, NR_PAGES));
}

/* X2: pages of the mapping outside of the range stay mapped. */
TEST_F(file, leaves_the_neighbours_mapped)
{
	touch(self->shared, 0, NR_PAGES);
	ASSERT_EQ(0, madvise(page_at(self->shared, 20), 20 * page_size(),
			     MADV_DONTNEED));
	EXPECT_EQ(20, present(self->shared, 0, 20));
	EXPECT_EQ(0, present(self->shared, 20, 40));
	EXPECT_EQ(NR_PAGES - 40, present(self->shared, 40, NR_PAGES));
}

static sigjmp_buf on_bus;

static void bus(int signal)
{
	(void)signal;
	siglongjmp(on_bus, 1);
}

/* B5: beyond the end of file SIGBUS; the rest of the last page is zero. */
TEST_F(file, end_of_file_is_still_there)
{
	static bool past_end_was_read;
	size_t tail = page_size() / 3;
	unsigned char *last = page_at(self->shared, 9);

	touch(self->shared, 0, NR_PAGES);
	ASSERT_EQ(0, ftruncate(self->fd, 9 * page_size() + tail));
	ASSERT_EQ(0, madvise(self->shared, self->len, MADV_DONTNEED));
	EXPECT_EQ(page_byte(9), last[tail - 1]);
	for (size_t byte = tail; byte < page_size(); byte++)
		ASSERT_EQ(0, last[byte]);
	signal(SIGBUS, bus);
	if (!sigsetjmp(on_bus, 1)) {
		touch(self->shared, 10, 11);
		past_end_was_read = true;
	}
	EXPECT_FALSE(past_end_was_read);
}

FIXTURE(shm)
{
	int fd;
	unsigned char *one, *other;
};

FIXTURE_VARIANT(shm)
{
	bool memfd;
};

FIXTURE_VARIANT_ADD(shm, anonymous) { .memfd = false };
FIXTURE_VARIANT_ADD(shm, memfd) { .memfd = true };

FIXTURE_SETUP(shm)
{
	size_t len = NR_PAGES * page_size();

	self->fd = -1;
	self->other = MAP_FAILED;
	if (variant->memfd) {
		self->fd = memfd_create("page_advice", MFD_CLOEXEC);
		ASSERT_LE(0, self->fd);
		ASSERT_EQ(0, ftruncate(self->fd, len));
	}
	self->one = map_alone(NR_PAGES, PROT_READ | PROT_WRITE,
			      MAP_SHARED | (variant->memfd ? 0 : MAP_ANONYMOUS),
			      self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->one);
	fill(self->one, NR_PAGES);
}

FIXTURE_TEARDOWN(shm)
{
	unmap_alone(self->one, NR_PAGES);
	if (self->fd >= 0)
		close(self->fd);
}

/* B4: the content stays for everybody, only this mapping's Rss falls. */
TEST_F(shm, content_stays)
{
	ASSERT_EQ(kib(NR_PAGES), smaps_kib(self->one, NR_PAGES, "Rss"));
	ASSERT_EQ(0, madvise(self->one, NR_PAGES * page_size(), MADV_DONTNEED));
	EXPECT_EQ(0, smaps_kib(self->one, NR_PAGES, "Rss"));
	EXPECT_EQ(NONE, not_kept(self->one, 0, NR_PAGES));
}

/* B4: what a child discards its parent still has, mapped and whole. */
TEST_F(shm, other_process_keeps_its_mapping)
{
	int status;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid)
		_exit(!!madvise(self->one, NR_PAGES * page_size(),
				MADV_DONTNEED));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(NR_PAGES, present(self->one, 0, NR_PAGES));
	EXPECT_EQ(NONE, not_kept(self->one, 0, NR_PAGES));
}

/* B4: MADV_REMOVE frees for everybody, and only the range. */
TEST_F(shm, remove_frees_for_everybody)
{
	int status;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid)
		_exit(!!madvise(page_at(self->one, 10), 20 * page_size(),
				MADV_REMOVE));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	EXPECT_EQ(NONE, not_kept(self->one, 0, 10));
	EXPECT_EQ(NONE, not_zero(self->one, 10, 30));
	EXPECT_EQ(NONE, not_kept(self->one, 30, NR_PAGES));
}

/*
 * B2, B4: what was written to shared memory stays when its mapping is discarded
 * and its pages are reclaimed: only the page tables knew that it was written to.
 */
TEST(shared_memory_survives_reclaim)
{
	struct memcg cg;
	const char *why = memcg_enter(&cg);
	int fd = memfd_create("shared", MFD_CLOEXEC);
	unsigned char *area;

	if (!why && !has_swap())
		why = "no swap";
	if (why) {
		memcg_leave(&cg);
		SKIP(return, "%s", why);
	}
	ASSERT_EQ(0, ftruncate(fd, (off_t)(RECLAIMED * page_size())));
	area = map_alone(RECLAIMED, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)area);
	/* Read first: a fault that writes would tell the kernel at once. */
	touch(area, 0, RECLAIMED);
	fill(area, RECLAIMED);
	EXPECT_EQ(0, madvise(area, RECLAIMED * page_size(), MADV_DONTNEED));
	memcg_reclaim(&cg, 2 * RECLAIMED * page_size());
	EXPECT_GT(RECLAIMED, cached(fd, 0, RECLAIMED))
	{
		TH_LOG("no pressure");
	}
	EXPECT_EQ(NONE, not_kept(area, 0, RECLAIMED));
	unmap_alone(area, RECLAIMED);
	close(fd);
	memcg_leave(&cg);
}

#include "lib/main.h"

// SPDX-License-Identifier: GPL-2.0
/*
 * Advice that brings pages in or keeps them out: WILLNEED on files, POPULATE,
 * guard pages.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/pages.h"
#include "lib/scratch.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13 */
#define MADV_GUARD_REMOVE 103
#endif

/* D1: WILLNEED on a file mapping starts read-ahead; the data is right. */
TEST(willneed_reads_ahead)
{
	struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
	const char *why = cached_tells();
	unsigned char *area;
	int fd;

	if (why)
		SKIP(return, "%s", why);
	fd = scratch_open(&why);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, scratch_fill(fd, 256));
	ASSERT_EQ(0, posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
	ASSERT_EQ(0, cached(fd, 0, 256));
	area = map_alone(256, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)area);
	ASSERT_EQ(0,
		  madvise(page_at(area, 64), 16 * page_size(), MADV_WILLNEED));
	/* Asynchronous: up to 10 s, which a good kernel never takes. */
	for (int i = 0; i < 500 && cached(fd, 64, 80) < 16; i++)
		nanosleep(&pause, NULL);
	EXPECT_EQ(16, cached(fd, 64, 80));
	/* It maps nothing, and it does not take the whole file. */
	EXPECT_EQ(0, present(area, 0, 256));
	EXPECT_LT(cached(fd, 0, 256), 256);
	EXPECT_EQ(NONE, not_kept(area, 64, 80));
	unmap_alone(area, 256);
	close(fd);
}

FIXTURE(anon)
{
	unsigned char *area;
	size_t len;
};

FIXTURE_SETUP(anon)
{
	self->len = NR_PAGES * page_size();
	self->area = map_alone(NR_PAGES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	madvise(self->area, self->len, MADV_NOHUGEPAGE);
}

FIXTURE_TEARDOWN(anon)
{
	unmap_alone(self->area, NR_PAGES);
}

/* A range of no length tells whether the kernel knows the advice. */
static bool unknown(unsigned char *area, int advice)
{
	return madvise(area, 0, advice);
}

/* D5: POPULATE_WRITE takes a page for each, and only in the range. */
TEST_F(anon, populate_write_takes_pages)
{
	if (unknown(self->area, MADV_POPULATE_WRITE))
		SKIP(return, "no MADV_POPULATE_WRITE in this kernel");
	ASSERT_EQ(0, madvise(page_at(self->area, 10), 20 * page_size(),
			     MADV_POPULATE_WRITE));
	EXPECT_EQ(20, present(self->area, 10, 30));
	EXPECT_EQ(20, present(self->area, 0, NR_PAGES));
	EXPECT_EQ(kib(20), smaps_kib(self->area, NR_PAGES, "Rss"));
	EXPECT_EQ(NONE, not_zero(self->area, 10, 30));
}

/* D5: POPULATE_READ maps, and takes no page of its own. */
TEST_F(anon, populate_read_maps)
{
	if (unknown(self->area, MADV_POPULATE_READ))
		SKIP(return, "no MADV_POPULATE_READ in this kernel");
	if (!has_zero_page())
		SKIP(return, "booted with no_zero_page");
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_POPULATE_READ));
	EXPECT_EQ(NR_PAGES, present(self->area, 0, NR_PAGES));
	EXPECT_EQ(0, smaps_kib(self->area, NR_PAGES, "Rss"));
}

/* D5: what is there already keeps its content. */
TEST_F(anon, populate_keeps_content)
{
	if (unknown(self->area, MADV_POPULATE_WRITE))
		SKIP(return, "no MADV_POPULATE_WRITE in this kernel");
	fill(self->area, NR_PAGES);
	EXPECT_EQ(0, madvise(self->area, self->len, MADV_POPULATE_READ));
	EXPECT_EQ(0, madvise(self->area, self->len, MADV_POPULATE_WRITE));
	EXPECT_EQ(NONE, not_kept(self->area, 0, NR_PAGES));
}

/* D5: without permission it fails by its return value, without a signal. */
TEST_F(anon, populate_without_permission)
{
	if (unknown(self->area, MADV_POPULATE_WRITE))
		SKIP(return, "no MADV_POPULATE_WRITE in this kernel");
	ASSERT_EQ(0, mprotect(self->area, self->len, PROT_READ));
	EXPECT_EQ(-1, madvise(self->area, self->len, MADV_POPULATE_WRITE));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, present(self->area, 0, NR_PAGES));
}

/* D5: at a hole it is ENOMEM. */
TEST_F(anon, populate_stops_at_a_hole)
{
	if (unknown(self->area, MADV_POPULATE_WRITE))
		SKIP(return, "no MADV_POPULATE_WRITE in this kernel");
	ASSERT_EQ(0, munmap(page_at(self->area, 30), page_size()));
	EXPECT_EQ(-1, madvise(self->area, self->len, MADV_POPULATE_WRITE));
	EXPECT_EQ(ENOMEM, errno);
}

/* D5, X3: beyond the end of a file it is EFAULT; what comes before is there. */
TEST(populate_stops_at_the_end_of_file)
{
	int fd = memfd_create("short", MFD_CLOEXEC);
	unsigned char *area;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, (off_t)(8 * page_size())));
	area = map_alone(16, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)area);
	if (unknown(area, MADV_POPULATE_READ))
		SKIP(return, "no MADV_POPULATE_READ in this kernel");
	EXPECT_EQ(-1, madvise(area, 16 * page_size(), MADV_POPULATE_READ));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(8, present(area, 0, 8));
	unmap_alone(area, 16);
	close(fd);
}

static sigjmp_buf on_fault;

static void fault(int signal)
{
	(void)signal;
	siglongjmp(on_fault, 1);
}

/* Does reading (or writing) the page end in SIGSEGV? */
static bool faults(unsigned char *page, bool write)
{
	static bool done;
	sighandler_t old = signal(SIGSEGV, fault);

	done = false;
	if (!sigsetjmp(on_fault, 1)) {
		if (write)
			__atomic_store_n(page, 1, __ATOMIC_RELAXED);
		else
			touch(page, 0, 1);
		done = true;
	}
	signal(SIGSEGV, old);
	return !done;
}

/* D7: guard pages fault on read and write, their neighbours do not. */
TEST_F(anon, guards_fault)
{
	if (unknown(self->area, MADV_GUARD_INSTALL))
		SKIP(return, "no MADV_GUARD_INSTALL in this kernel");
	fill(self->area, NR_PAGES);
	ASSERT_EQ(0, madvise(page_at(self->area, 10), 2 * page_size(),
			     MADV_GUARD_INSTALL));
	for (size_t page = 10; page < 12; page++) {
		EXPECT_TRUE(faults(page_at(self->area, page), false));
		EXPECT_TRUE(faults(page_at(self->area, page), true));
	}
	EXPECT_EQ(NONE, not_kept(self->area, 0, 10));
	EXPECT_EQ(NONE, not_kept(self->area, 12, NR_PAGES));
}

/* D7: to the kernel they are EFAULT. */
TEST_F(anon, guards_are_efault)
{
	int ends[2];

	if (unknown(self->area, MADV_GUARD_INSTALL))
		SKIP(return, "no MADV_GUARD_INSTALL in this kernel");
	ASSERT_EQ(0, pipe(ends));
	ASSERT_EQ(1, write(ends[1], "x", 1));
	ASSERT_EQ(0, madvise(self->area, page_size(), MADV_GUARD_INSTALL));
	EXPECT_EQ(-1, read(ends[0], self->area, 1));
	EXPECT_EQ(EFAULT, errno);
	close(ends[0]);
	close(ends[1]);
}

/* D7: DONTNEED and FREE do not remove them. */
TEST_F(anon, guards_outlive_advice)
{
	if (unknown(self->area, MADV_GUARD_INSTALL))
		SKIP(return, "no MADV_GUARD_INSTALL in this kernel");
	ASSERT_EQ(0, madvise(self->area, page_size(), MADV_GUARD_INSTALL));
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_DONTNEED));
	EXPECT_TRUE(faults(self->area, false));
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_FREE));
	EXPECT_TRUE(faults(self->area, false));
}

/* D7: a child has them, too. */
TEST_F(anon, guards_outlive_fork)
{
	int status;
	pid_t pid;

	if (unknown(self->area, MADV_GUARD_INSTALL))
		SKIP(return, "no MADV_GUARD_INSTALL in this kernel");
	ASSERT_EQ(0, madvise(self->area, page_size(), MADV_GUARD_INSTALL));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(!faults(self->area, false));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* D7: GUARD_REMOVE removes them; the pages are new, all others as they were. */
TEST_F(anon, guard_remove_removes)
{
	if (unknown(self->area, MADV_GUARD_INSTALL))
		SKIP(return, "no MADV_GUARD_INSTALL in this kernel");
	fill(self->area, NR_PAGES);
	ASSERT_EQ(0, madvise(page_at(self->area, 10), page_size(),
			     MADV_GUARD_INSTALL));
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_GUARD_REMOVE));
	EXPECT_FALSE(faults(page_at(self->area, 10), false));
	EXPECT_EQ(NONE, not_zero(self->area, 10, 11));
	EXPECT_EQ(NONE, not_kept(self->area, 0, 10));
	EXPECT_EQ(NONE, not_kept(self->area, 11, NR_PAGES));
}

#include "lib/main.h"

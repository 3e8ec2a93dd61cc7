// SPDX-License-Identifier: GPL-2.0
/*
 * What process_madvise(2) promises: advice on another process has its effect
 * there, on the pages of the range and nowhere else, and says how much it did.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/huge.h"
#include "lib/memcg.h"
#include "lib/pages.h"
#include "lib/remote.h"
#include "lib/scratch.h"

/* 4 MiB of base pages of 4 KiB: many batches. */
#define MANY 1024

static unsigned char *map_untouched(size_t nr)
{
	unsigned char *area = map_alone(nr, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area != MAP_FAILED)
		madvise(area, nr * page_size(), MADV_NOHUGEPAGE);
	return area;
}

FIXTURE(target)
{
	struct remote remote;
	unsigned char *area;
};

FIXTURE_SETUP(target)
{
	const char *why = remote_missing();

	self->remote.pid = 0;
	self->area = MAP_FAILED;
	if (why)
		SKIP(return, "%s", why);
	self->area = map_untouched(NR_PAGES);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	ASSERT_EQ(0, remote_start(&self->remote));
	ASSERT_EQ(0, remote_ask(&self->remote, remote_fill, self->area, 0,
				NR_PAGES));
}

FIXTURE_TEARDOWN(target)
{
	remote_stop(&self->remote);
	unmap_alone(self->area, NR_PAGES);
}

/* The same pages of the same area, seen from the other process. */
#define ASK(question, from, to) \
	remote_ask(&self->remote, question, self->area, from, to)

/* D8: COLD takes back what the target's accesses told, and nothing else. */
TEST_F(target, cold_unreferences)
{
	ASSERT_EQ(kib(NR_PAGES), ASK(remote_referenced, 0, NR_PAGES));
	EXPECT_EQ((ssize_t)(NR_PAGES * page_size()),
		  remote_advise(&self->remote, self->area, 0, NR_PAGES,
				MADV_COLD));
	EXPECT_EQ(0, ASK(remote_referenced, 0, NR_PAGES));
	EXPECT_EQ(NR_PAGES, ASK(present, 0, NR_PAGES));
	EXPECT_EQ(NONE, ASK(not_kept, 0, NR_PAGES));
}

/* D8, X2: the pages before and after the range stay referenced. */
TEST_F(target, cold_leaves_the_neighbours)
{
	EXPECT_EQ((ssize_t)((NR_PAGES - 2) * page_size()),
		  remote_advise(&self->remote, self->area, 1, NR_PAGES - 1,
				MADV_COLD));
	EXPECT_EQ(kib(2), ASK(remote_referenced, 0, NR_PAGES));
	/* They are these two: an access to them tells nothing new. */
	EXPECT_EQ(NONE, ASK(not_kept, 0, 1));
	EXPECT_EQ(NONE, ASK(not_kept, NR_PAGES - 1, NR_PAGES));
	EXPECT_EQ(kib(2), ASK(remote_referenced, 0, NR_PAGES));
}

/* D8, X2: the caller's own pages at the same addresses are not meant. */
TEST_F(target, callers_pages_are_not_meant)
{
	fill(self->area, NR_PAGES);
	EXPECT_EQ((ssize_t)(NR_PAGES * page_size()),
		  remote_advise(&self->remote, self->area, 0, NR_PAGES,
				MADV_COLD));
	EXPECT_EQ(0, ASK(remote_referenced, 0, NR_PAGES));
	EXPECT_EQ(kib(NR_PAGES), remote_referenced(self->area, 0, NR_PAGES));
}

/* D8: advice on oneself is advice as any other. */
TEST_F(target, oneself_is_a_target)
{
	struct remote oneself = {
		.pidfd = syscall(SYS_pidfd_open, getpid(), 0),
	};

	ASSERT_LE(0, oneself.pidfd);
	fill(self->area, NR_PAGES);
	EXPECT_EQ((ssize_t)(NR_PAGES * page_size()),
		  remote_advise(&oneself, self->area, 0, NR_PAGES, MADV_COLD));
	EXPECT_EQ(0, remote_referenced(self->area, 0, NR_PAGES));
	EXPECT_EQ(kib(NR_PAGES), ASK(remote_referenced, 0, NR_PAGES));
	close(oneself.pidfd);
}

/*
 * D8: what discards is for oneself at most, which kernels since 6.13 allow; then
 * it is done, or else nothing is.
 */
TEST_F(target, may_discard_ones_own)
{
	struct remote oneself = {
		.pidfd = syscall(SYS_pidfd_open, getpid(), 0),
	};
	ssize_t ret;

	ASSERT_LE(0, oneself.pidfd);
	fill(self->area, NR_PAGES);
	errno = 0;
	ret = remote_advise(&oneself, self->area, 1, NR_PAGES - 1,
			    MADV_DONTNEED);
	if (ret < 0) {
		EXPECT_EQ(EINVAL, errno);
		EXPECT_EQ(NONE, not_kept(self->area, 0, NR_PAGES));
	} else {
		EXPECT_EQ((ssize_t)((NR_PAGES - 2) * page_size()), ret);
		EXPECT_EQ(NONE, not_zero(self->area, 1, NR_PAGES - 1));
		EXPECT_EQ(NONE, not_kept(self->area, 0, 1));
		EXPECT_EQ(NONE, not_kept(self->area, NR_PAGES - 1, NR_PAGES));
	}
	close(oneself.pidfd);
}

FIXTURE(file)
{
	struct remote remote;
	unsigned char *area;
	int fd;
};

/* A file of which the target has mapped every page, and nobody else one. */
FIXTURE_SETUP(file)
{
	const char *why = remote_missing();

	self->remote.pid = 0;
	self->area = MAP_FAILED;
	self->fd = -1;
	if (!why)
		why = cached_tells();
	if (why)
		SKIP(return, "%s", why);
	self->fd = scratch_open(&why);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, scratch_fill(self->fd, 2 * NR_PAGES));
	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_DONTNEED));
	self->area = map_alone(NR_PAGES, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	ASSERT_EQ(0, remote_start(&self->remote));
}

FIXTURE_TEARDOWN(file)
{
	remote_stop(&self->remote);
	unmap_alone(self->area, NR_PAGES);
	if (self->fd >= 0)
		close(self->fd);
}

/* D8, D1, X7: WILLNEED reads what the target has mapped, up to a window each call. */
TEST_F(file, willneed_reads)
{
	long in = 0;

	ASSERT_EQ(0, cached(self->fd, 0, NR_PAGES));
	/* Asynchronous: up to 10 s, which a good kernel never takes. */
	for (int i = 0; i < 500 && in < 32; i++) {
		ASSERT_EQ((ssize_t)(32 * page_size()),
			  remote_advise(&self->remote, self->area, 0, 32,
					MADV_WILLNEED));
		usleep(20000);
		in = cached(self->fd, 0, 32);
	}
	EXPECT_EQ(32, in);
	EXPECT_EQ(0, ASK(present, 0, NR_PAGES));
	EXPECT_EQ(NONE, ASK(not_kept, 0, NR_PAGES));
}

/* D8, D3: PAGEOUT evicts clean file pages that only the target maps. */
TEST_F(file, pageout_evicts)
{
	size_t len = 32 * page_size();

	ASSERT_EQ(NONE, ASK(not_kept, 0, NR_PAGES));
	ASSERT_EQ(NR_PAGES, ASK(present, 0, NR_PAGES));
	for (int i = 0; i < 3 && cached(self->fd, 16, 48) > 3; i++)
		EXPECT_EQ((ssize_t)len,
			  remote_advise(&self->remote, self->area, 16, 48,
					MADV_PAGEOUT));
	EXPECT_GE(3, cached(self->fd, 16, 48));
	EXPECT_GE(3, ASK(present, 16, 48));
	EXPECT_EQ(NONE, ASK(not_kept, 0, NR_PAGES));
}

/* D8, X2: ... and leaves the pages around the range in the target's page table. */
TEST_F(file, pageout_leaves_the_neighbours)
{
	/* Each page by itself: a large folio goes whole or not at all. */
	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_RANDOM));
	for (size_t page = 0; page < NR_PAGES; page++) {
		char byte;

		ASSERT_EQ(1, pread(self->fd, &byte, 1, page * page_size()));
	}
	ASSERT_EQ(NONE, ASK(not_kept, 0, NR_PAGES));
	EXPECT_EQ((ssize_t)(32 * page_size()),
		  remote_advise(&self->remote, self->area, 16, 48,
				MADV_PAGEOUT));
	EXPECT_EQ(NR_PAGES - 32, ASK(present, 0, 16) + ASK(present, 48, NR_PAGES));
	EXPECT_EQ(16, cached(self->fd, 0, 16));
	EXPECT_EQ(NR_PAGES - 48, cached(self->fd, 48, NR_PAGES));
	EXPECT_GT(32, ASK(present, 16, 48));
}

FIXTURE(swapping)
{
	struct memcg cg;
	struct remote remote;
	unsigned char *area;
	size_t len;
};

FIXTURE_SETUP(swapping)
{
	const char *why = memcg_enter(&self->cg);

	self->remote.pid = 0;
	self->area = MAP_FAILED;
	self->len = MANY / 2 * page_size();
	if (!why)
		why = remote_missing();
	if (!why && !has_swap())
		why = "no swap";
	if (why)
		SKIP(return, "%s", why);
	self->area = map_untouched(MANY);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	ASSERT_EQ(0, remote_start(&self->remote));
	ASSERT_EQ(0, ASK(remote_fill, 0, MANY));
}

FIXTURE_TEARDOWN(swapping)
{
	remote_stop(&self->remote);
	unmap_alone(self->area, MANY);
	memcg_leave(&self->cg);
}

/* The middle half, three times at most, until the target has none of it. */
static bool page_out(const struct remote *remote, unsigned char *area)
{
	ssize_t want = MANY / 2 * page_size();

	for (int i = 0; i < 3; i++) {
		if (remote_advise(remote, area, MANY / 4, MANY * 3 / 4,
				  MADV_PAGEOUT) != want)
			return false;
		if (remote_ask(remote, swapped, area, MANY / 4,
			       MANY * 3 / 4) == MANY / 2)
			break;
	}
	return true;
}

/* D8, D3: PAGEOUT swaps out the target's pages, content intact. */
TEST_F(swapping, pageout_swaps_out)
{
	ASSERT_TRUE(page_out(&self->remote, self->area));
	EXPECT_LE(MANY / 2 * 9 / 10, ASK(swapped, MANY / 4, MANY * 3 / 4));
	EXPECT_LE((long)self->len * 9 / 10 - memcg_slack(),
		  memcg_number(&self->cg, "memory.swap.current"));
	EXPECT_EQ(NONE, ASK(not_kept, 0, MANY));
	EXPECT_EQ(0, ASK(swapped, 0, MANY));
}

/* D8, X2: no page before or after the range is swapped out. */
TEST_F(swapping, pageout_leaves_the_neighbours)
{
	ASSERT_TRUE(page_out(&self->remote, self->area));
	EXPECT_LT(0, ASK(swapped, MANY / 4, MANY * 3 / 4));
	EXPECT_EQ(MANY / 4, ASK(present, 0, MANY / 4));
	EXPECT_EQ(MANY / 4, ASK(present, MANY * 3 / 4, MANY));
}

static long major_faults(unsigned char *area, size_t from, size_t to)
{
	struct rusage usage;

	(void)area;
	(void)from;
	(void)to;
	return getrusage(RUSAGE_SELF, &usage) ? -1 : usage.ru_majflt;
}

/* D8, D2, X7: WILLNEED brings the range into the swap cache, so no major fault. */
TEST_F(swapping, willneed_brings_in)
{
	long slack = memcg_slack(), faults, in = 0;

	ASSERT_TRUE(page_out(&self->remote, self->area));
	ASSERT_EQ(MANY / 2, ASK(swapped, MANY / 4, MANY * 3 / 4));
	ASSERT_GT((long)self->len / 2, memcg_stat(&self->cg, "swapcached"));
	EXPECT_EQ((ssize_t)self->len,
		  remote_advise(&self->remote, self->area, MANY / 4,
				MANY * 3 / 4, MADV_WILLNEED));
	/* Asynchronous: up to 10 s. */
	for (int i = 0; i < 500 && in < (long)self->len - slack; i++) {
		usleep(20000);
		in = memcg_stat(&self->cg, "swapcached");
	}
	EXPECT_LE((long)self->len - slack, in);
	faults = ASK(major_faults, 0, 0);
	EXPECT_EQ(NONE, ASK(not_kept, MANY / 4, MANY * 3 / 4));
	EXPECT_EQ(faults, ASK(major_faults, 0, 0));
}

FIXTURE(huge)
{
	struct remote remote;
	unsigned char *area;
	size_t pages;
};

static long huge_kib(unsigned char *area, size_t from, size_t to)
{
	return smaps_kib(page_at(area, from), to - from, "AnonHugePages");
}

static long take_base_pages(unsigned char *area, size_t from, size_t to)
{
	base_take(page_at(area, from), to - from);
	return 0;
}

/* Room for two huge pages, which has base pages. */
FIXTURE_SETUP(huge)
{
	const char *why = remote_missing();

	self->remote.pid = 0;
	self->area = MAP_FAILED;
	self->pages = huge_pages();
	if (!why)
		why = huge_missing(2);
	if (why)
		SKIP(return, "%s", why);
	self->area = map_aligned(2 * self->pages, self->pages,
				 PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	ASSERT_EQ(0, remote_start(&self->remote));
	ASSERT_EQ(0, ASK(take_base_pages, 0, 2 * self->pages));
	ASSERT_EQ(0, ASK(huge_kib, 0, 2 * self->pages));
}

FIXTURE_TEARDOWN(huge)
{
	remote_stop(&self->remote);
	unmap_alone(self->area, 2 * self->pages);
}

/* D8, D6, X2: COLLAPSE makes a huge page of the range, and none beside it. */
TEST_F(huge, collapse_makes_a_huge_page)
{
	ssize_t ret = -1;

	errno = EAGAIN;
	for (int i = 0; i < 3 && ret < 0 && errno == EAGAIN; i++)
		ret = remote_advise(&self->remote, self->area, 0, self->pages,
				    MADV_COLLAPSE);
	if (ret < 0 && errno == EINVAL)
		SKIP(return, "kernel without MADV_COLLAPSE (6.1)");
	ASSERT_EQ((ssize_t)(self->pages * page_size()), ret);
	EXPECT_EQ(kib(self->pages), ASK(huge_kib, 0, 2 * self->pages));
	EXPECT_EQ(NONE, ASK(not_kept, 0, 2 * self->pages));
}

#include "lib/main.h"

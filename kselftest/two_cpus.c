// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that one processor has filled or advised, and another one advises or
 * reclaims: what the first still has of it in its batches and its TLB must not
 * change what is promised.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/cpus.h"
#include "lib/memcg.h"
#include "lib/pages.h"
#include "lib/remote.h"
#include "lib/scratch.h"

#ifndef MADV_COLD
#define MADV_COLD 20 /* Linux 5.4 */
#define MADV_PAGEOUT 21
#endif

/* 4 MiB of base pages of 4 KiB: many batches. */
#define MANY 1024

/* Less than any batch: all of it waits on its CPU. */
#define FEW 8

/* NULL, or why there are no two CPUs. */
static const char *find_cpus(int cpus[2])
{
	return cpus_allowed(cpus, 2) == 2 ? NULL : "one CPU";
}

FIXTURE(anon)
{
	int cpus[2];
	unsigned char *area;
	size_t len;
};

FIXTURE_VARIANT(anon)
{
	size_t nr;
};

FIXTURE_VARIANT_ADD(anon, within_a_batch)
{
	.nr = FEW,
};

FIXTURE_VARIANT_ADD(anon, odd_number)
{
	.nr = NR_PAGES,
};

FIXTURE_VARIANT_ADD(anon, many_batches)
{
	.nr = MANY,
};

/* Filled on the first CPU, and from then on the test is on the second. */
FIXTURE_SETUP(anon)
{
	const char *why = find_cpus(self->cpus);

	self->area = MAP_FAILED;
	if (why)
		SKIP(return, "%s", why);
	self->len = variant->nr * page_size();
	ASSERT_EQ(0, run_on(self->cpus[0]));
	self->area = map_anon(variant->nr);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	ASSERT_EQ(0, run_on(self->cpus[1]));
}

FIXTURE_TEARDOWN(anon)
{
	unmap_alone(self->area, variant->nr);
}

/* X5, A1, A2: what another CPU filled reads zero, and is out of the accounts. */
TEST_F(anon, dontneed_takes_all)
{
	ASSERT_EQ(kib(variant->nr),
		  smaps_kib(self->area, variant->nr, "Rss"));
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_DONTNEED));
	EXPECT_EQ(0, smaps_kib(self->area, variant->nr, "Rss"));
	EXPECT_EQ(0, smaps_kib(self->area, variant->nr, "Pss"));
	EXPECT_EQ(0, smaps_kib(self->area, variant->nr, "Private_Dirty"));
	EXPECT_EQ(NONE, not_zero(self->area, 0, variant->nr));
}

/* X5, C1: marked on one CPU, discarded on the other: no mark keeps a page. */
TEST_F(anon, dontneed_takes_what_is_marked_free)
{
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_FREE));
	ASSERT_EQ(0, run_on(self->cpus[0]));
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_DONTNEED));
	EXPECT_EQ(0, smaps_kib(self->area, variant->nr, "Rss"));
	EXPECT_EQ(0, smaps_kib(self->area, variant->nr, "LazyFree"));
	EXPECT_EQ(NONE, not_zero(self->area, 0, variant->nr));
}

/* X5, C3: a write on another CPU cancels MADV_FREE; the mark that is late, too. */
TEST_F(anon, write_elsewhere_cancels_free)
{
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_FREE));
	ASSERT_EQ(0, smaps_kib(self->area, variant->nr, "Private_Dirty"));
	ASSERT_EQ(0, run_on(self->cpus[0]));
	fill(self->area, variant->nr);
	EXPECT_EQ(kib(variant->nr),
		  smaps_kib(self->area, variant->nr, "Private_Dirty"));
	EXPECT_EQ(NONE, not_kept(self->area, 0, variant->nr));
}

/* A thread on the first CPU, which has used the pages and never sleeps. */
struct watcher {
	pthread_t thread;
	int cpu;
	unsigned char *area;
	size_t nr;
	atomic_bool watching, advised;
	long stale; /* the first page that was not zero after the advice */
};

static void *watch(void *arg)
{
	struct watcher *watcher = arg;

	if (run_on(watcher->cpu))
		return NULL;
	touch(watcher->area, 0, watcher->nr);
	atomic_store(&watcher->watching, true);
	/* What it has in its TLB stays there: no other work, no system call. */
	while (!atomic_load(&watcher->advised))
		touch(watcher->area, 0, watcher->nr);
	watcher->stale = not_zero(watcher->area, 0, watcher->nr);
	return NULL;
}

/* X5, A1: the other CPU has no stale translation when the call has returned. */
TEST_F(anon, the_other_cpu_sees_zero_too)
{
	struct watcher watcher = {
		.cpu = self->cpus[0], .area = self->area, .nr = variant->nr,
		.stale = variant->nr,
	};

	ASSERT_EQ(0, pthread_create(&watcher.thread, NULL, watch, &watcher));
	for (int i = 0; i < 10000 && !atomic_load(&watcher.watching); i++)
		usleep(1000);
	EXPECT_TRUE(atomic_load(&watcher.watching));
	EXPECT_EQ(0, madvise(self->area, self->len, MADV_DONTNEED));
	atomic_store(&watcher.advised, true);
	ASSERT_EQ(0, pthread_join(watcher.thread, NULL));
	EXPECT_EQ(NONE, watcher.stale);
}

FIXTURE(memcg)
{
	int cpus[2];
	struct memcg cg;
	unsigned char *area;
	size_t len;
};

FIXTURE_SETUP(memcg)
{
	const char *why = find_cpus(self->cpus);

	self->cg.dir[0] = '\0';
	self->area = MAP_FAILED;
	if (!why)
		why = memcg_enter(&self->cg);
	if (!why && memcg_reclaim(&self->cg, 0) && errno == ENOENT)
		why = "kernel without memory.reclaim (5.19)";
	if (why)
		SKIP(return, "%s", why);
	self->len = MANY * page_size();
	ASSERT_EQ(0, run_on(self->cpus[0]));
	self->area = map_anon(MANY);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
}

FIXTURE_TEARDOWN(memcg)
{
	unmap_alone(self->area, MANY);
	memcg_leave(&self->cg);
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

/* X5, C2: what one CPU marked, another reclaims, all but a batch, without swap. */
TEST_F(memcg, free_pages_go_elsewhere)
{
	memcg_write(&self->cg, "memory.swap.max", "0");
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_FREE));
	ASSERT_EQ(0, run_on(self->cpus[1]));
	memcg_reclaim(&self->cg, self->len);
	EXPECT_LE(MANY * 9 / 10, memcg_stat(&self->cg, "pglazyfreed"));
	EXPECT_GE(MANY / 10, present(self->area, 0, MANY));
	EXPECT_EQ(NONE, torn(self->area, 0, MANY));
}

/* X5, C3: pages written on one CPU before another one reclaims are not taken. */
TEST_F(memcg, free_pages_written_elsewhere_stay)
{
	memcg_write(&self->cg, "memory.swap.max", "0");
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_FREE));
	ASSERT_EQ(0, run_on(self->cpus[1]));
	fill(self->area, FEW);
	/* These are still in the batch of the first CPU. */
	memset(page_at(self->area, MANY - FEW), 0xaa, FEW * page_size());
	memcg_reclaim(&self->cg, self->len);
	EXPECT_GE(MANY / 10, present(self->area, 0, MANY));
	EXPECT_EQ(NONE, not_kept(self->area, 0, FEW));
	for (size_t page = MANY - FEW; page < MANY; page++)
		EXPECT_EQ(0xaa, *page_at(self->area, page));
}

/* X5, A3: what another CPU was charged for is uncharged. */
TEST_F(memcg, dontneed_uncharges)
{
	long anon = memcg_stat(&self->cg, "anon"), fallen;

	ASSERT_EQ(0, run_on(self->cpus[1]));
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_DONTNEED));
	fallen = anon - memcg_stat(&self->cg, "anon");
	EXPECT_LE((long)self->len - memcg_slack(), fallen);
	EXPECT_GE((long)self->len + memcg_slack(), fallen);
}

/* X5, D3: pages that another CPU filled are swapped out, all but a batch. */
TEST_F(memcg, pageout_swaps_out)
{
	if (!has_swap())
		SKIP(return, "no swap");
	ASSERT_EQ(0, run_on(self->cpus[1]));
	for (int i = 0; i < 3 && swapped(self->area, 0, MANY) < MANY * 9 / 10;
	     i++)
		ASSERT_EQ(0, madvise(self->area, self->len, MADV_PAGEOUT));
	EXPECT_LE(MANY * 9 / 10, swapped(self->area, 0, MANY));
	EXPECT_EQ(NONE, not_kept(self->area, 0, MANY));
}

/*
 * X5, D3: fewer pages than a batch may have to wait for the CPU that filled them;
 * once it has let go of them, by advice on other pages, they are swapped out.
 */
TEST_F(memcg, pageout_of_a_batch_swaps_out)
{
	unsigned char *area, *other = map_anon(1);

	if (!has_swap())
		SKIP(return, "no swap");
	area = map_anon(FEW);
	ASSERT_NE(MAP_FAILED, (void *)area);
	ASSERT_EQ(0, run_on(self->cpus[1]));
	ASSERT_EQ(0, madvise(area, FEW * page_size(), MADV_PAGEOUT));
	ASSERT_EQ(0, run_on(self->cpus[0]));
	ASSERT_EQ(0, madvise(other, page_size(), MADV_COLD));
	ASSERT_EQ(0, run_on(self->cpus[1]));
	for (int i = 0; i < 3 && swapped(area, 0, FEW) < FEW; i++)
		ASSERT_EQ(0, madvise(area, FEW * page_size(), MADV_PAGEOUT));
	EXPECT_EQ(FEW, swapped(area, 0, FEW));
	EXPECT_EQ(NONE, not_kept(area, 0, FEW));
	unmap_alone(area, FEW);
	unmap_alone(other, 1);
}

/* X5, D8: the target runs on another CPU than who advises it. */
TEST_F(memcg, target_is_elsewhere)
{
	const char *why = remote_missing();
	struct remote remote = { .pid = 0 };
	unsigned char *area = map_alone(MANY, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (why)
		SKIP(return, "%s", why);
	ASSERT_NE(MAP_FAILED, (void *)area);
	madvise(area, self->len, MADV_NOHUGEPAGE);
	ASSERT_EQ(0, remote_start(&remote));
	ASSERT_EQ(0, run_on(self->cpus[1]));
	EXPECT_EQ(0, remote_ask(&remote, remote_fill, area, 0, MANY));
	EXPECT_EQ((ssize_t)self->len,
		  remote_advise(&remote, area, 0, MANY, MADV_COLD));
	EXPECT_GE(kib(MANY / 10),
		  remote_ask(&remote, remote_referenced, area, 0, MANY));
	EXPECT_EQ(NONE, remote_ask(&remote, not_kept, area, 0, MANY));
	remote_stop(&remote);
	unmap_alone(area, MANY);
}

FIXTURE(file)
{
	int cpus[2];
	int fd;
};

FIXTURE_SETUP(file)
{
	const char *why = find_cpus(self->cpus);

	self->fd = -1;
	if (!why)
		why = cached_tells();
	if (why)
		SKIP(return, "%s", why);
	self->fd = scratch_open(&why);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, scratch_fill(self->fd, NR_PAGES));
	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_DONTNEED));
	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_RANDOM));
}

FIXTURE_TEARDOWN(file)
{
	if (self->fd >= 0)
		close(self->fd);
}

/*
 * Read the first pages of the file on the first CPU, then be on the second. No
 * mapping is taken away in between, which would empty the batches.
 */
static int read_elsewhere(const int cpus[2], int fd, size_t nr)
{
	char byte;

	if (run_on(cpus[0]))
		return -1;
	for (size_t page = 0; page < nr; page++)
		if (pread(fd, &byte, 1, page * page_size()) != 1)
			return -1;
	return run_on(cpus[1]);
}

/* X5, G1: pages that wait in the batch of the CPU that read them are evicted. */
TEST_F(file, fadvise_evicts_from_a_batch)
{
	ASSERT_EQ(0, cached(self->fd, 0, NR_PAGES));
	ASSERT_EQ(0, read_elsewhere(self->cpus, self->fd, FEW));
	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_DONTNEED));
	EXPECT_EQ(0, cached(self->fd, 0, NR_PAGES));
}

/* X5, G1: ... and pages of many batches, of which the last one waits. */
TEST_F(file, fadvise_evicts_from_all_batches)
{
	ASSERT_EQ(0, cached(self->fd, 0, NR_PAGES));
	ASSERT_EQ(0, read_elsewhere(self->cpus, self->fd, NR_PAGES));
	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_DONTNEED));
	EXPECT_EQ(0, cached(self->fd, 0, NR_PAGES));
}

/* X5, G1, X2: of a batch on another CPU only the range is evicted. */
TEST_F(file, fadvise_leaves_the_rest_of_a_batch)
{
	ASSERT_EQ(0, cached(self->fd, 0, NR_PAGES));
	ASSERT_EQ(0, read_elsewhere(self->cpus, self->fd, FEW));
	ASSERT_EQ(0, posix_fadvise(self->fd, 2 * page_size(), 4 * page_size(),
				   POSIX_FADV_DONTNEED));
	EXPECT_EQ(2, cached(self->fd, 0, 2));
	EXPECT_EQ(0, cached(self->fd, 2, 6));
	EXPECT_EQ(FEW - 6, cached(self->fd, 6, FEW));
}

#include "lib/main.h"

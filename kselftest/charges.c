// SPDX-License-Identifier: GPL-2.0
/*
 * What advice does to the accounts of a memory cgroup, to swap, and what
 * reclaim does with pages that were advised.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/cpus.h"
#include "lib/lru_gen.h"
#include "lib/memcg.h"
#include "lib/pages.h"
#include "lib/scratch.h"

#ifndef MADV_COLD
#define MADV_COLD 20 /* Linux 5.4 */
#define MADV_PAGEOUT 21
#endif

/* 16 MiB of base pages of 4 KiB: many times what the CPUs' batches hide. */
#define MANY 4096

FIXTURE(memcg)
{
	struct memcg cg;
	unsigned char *area;
	size_t len;
};

FIXTURE_SETUP(memcg)
{
	const char *why = memcg_enter(&self->cg);

	self->area = MAP_FAILED;
	if (why)
		SKIP(return, "%s", why);
	self->len = MANY * page_size();
	self->area = map_anon(MANY);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
}

FIXTURE_TEARDOWN(memcg)
{
	unmap_alone(self->area, MANY);
	memcg_leave(&self->cg);
}

/* Is @value @want, but for the batches? */
static bool about(long value, long want)
{
	return value >= want - memcg_slack() && value <= want + memcg_slack();
}

/* A3: memory.current and memory.stat's anon fall by the range. */
TEST_F(memcg, dontneed_uncharges)
{
	long current = memcg_number(&self->cg, "memory.current");
	long anon = memcg_stat(&self->cg, "anon");

	ASSERT_GE(anon, (long)self->len - memcg_slack());
	ASSERT_EQ(0, madvise(self->area, self->len / 2, MADV_DONTNEED));
	EXPECT_TRUE(about(memcg_number(&self->cg, "memory.current"),
			  current - (long)self->len / 2));
	EXPECT_TRUE(about(memcg_stat(&self->cg, "anon"),
			  anon - (long)self->len / 2));
	EXPECT_EQ(NONE, not_kept(self->area, MANY / 2, MANY));
}

/* C1, C8: where MADV_FREE leaves the charge. */
TEST_F(memcg, free_does_not_uncharge)
{
	long current = memcg_number(&self->cg, "memory.current");

	ASSERT_EQ(0, madvise(self->area, self->len, MADV_FREE));
	EXPECT_TRUE(about(memcg_number(&self->cg, "memory.current"), current));
}

static int press(const struct memcg *cg, size_t bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", bytes);
	return memcg_write(cg, "memory.reclaim", text);
}

static size_t zero_pages(unsigned char *area, size_t nr)
{
	size_t count = 0;

	for (size_t page = 0; page < nr; page++)
		count += not_zero(area, page, page + 1) == NONE;
	return count;
}

/* C2, X6: under pressure the pages go although nothing may be swapped out. */
TEST_F(memcg, free_pages_go_without_swap)
{
	if (memcg_number(&self->cg, "memory.reclaim") == -1 &&
	    press(&self->cg, 0) && errno == ENOENT)
		SKIP(return, "kernel without memory.reclaim (5.19)");
	memcg_write(&self->cg, "memory.swap.max", "0");
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_FREE));
	/* What it cannot get it says by EAGAIN; most of it must go. */
	press(&self->cg, self->len);
	EXPECT_GE(memcg_stat(&self->cg, "pglazyfreed"), MANY * 9 / 10);
	EXPECT_GE(MANY / 10, present(self->area, 0, MANY));
	EXPECT_GE(zero_pages(self->area, MANY), MANY * 9 / 10);
}

/* C2: the control: without MADV_FREE nothing can go, and nothing is lost. */
TEST_F(memcg, other_pages_do_not)
{
	memcg_write(&self->cg, "memory.swap.max", "0");
	press(&self->cg, self->len);
	EXPECT_EQ(MANY, present(self->area, 0, MANY));
	EXPECT_EQ(NONE, not_kept(self->area, 0, MANY));
}

/* C3: a write before reclaim saves the page that is written, and that only. */
TEST_F(memcg, written_pages_survive_reclaim)
{
	memcg_write(&self->cg, "memory.swap.max", "0");
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_FREE));
	fill(self->area, 8);
	press(&self->cg, self->len);
	if (memcg_stat(&self->cg, "pglazyfreed") < MANY / 2)
		SKIP(return, "nothing was reclaimed");
	EXPECT_EQ(NONE, not_kept(self->area, 0, 8));
	EXPECT_LE(MANY * 9 / 10, (long)zero_pages(self->area, MANY));
}

/* G1: what fadvise evicts leaves the accounts of who read it. */
TEST_F(memcg, fadvise_uncharges)
{
	const char *why;
	int fd = scratch_open(&why);
	long file;

	if (fd < 0)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, scratch_fill(fd, MANY));
	file = memcg_stat(&self->cg, "file");
	ASSERT_GE(file, (long)self->len - memcg_slack());
	ASSERT_EQ(0, posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
	EXPECT_TRUE(about(memcg_stat(&self->cg, "file"),
			  file - (long)self->len));
	close(fd);
}

FIXTURE(swap)
{
	struct memcg cg;
	unsigned char *area;
	size_t len;
};

/* D3: at least nine of ten pages are out after three tries. */
FIXTURE_SETUP(swap)
{
	const char *why = memcg_enter(&self->cg);

	self->area = MAP_FAILED;
	if (!why && !has_swap())
		why = "no swap";
	if (why)
		SKIP(return, "%s", why);
	self->len = MANY * page_size();
	self->area = map_anon(MANY);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	for (int i = 0; i < 3 && swapped(self->area, 0, MANY) < MANY * 9 / 10;
	     i++)
		ASSERT_EQ(0, madvise(self->area, self->len, MADV_PAGEOUT));
}

FIXTURE_TEARDOWN(swap)
{
	unmap_alone(self->area, MANY);
	memcg_leave(&self->cg);
}

/* D3: PAGEOUT swaps out what this process alone has; the content is intact. */
TEST_F(swap, pageout_keeps_content)
{
	EXPECT_LE(MANY * 9 / 10, swapped(self->area, 0, MANY));
	EXPECT_LE((long)self->len * 9 / 10 - memcg_slack(),
		  memcg_number(&self->cg, "memory.swap.current"));
	EXPECT_EQ(NONE, not_kept(self->area, 0, MANY));
	EXPECT_EQ(0, swapped(self->area, 0, MANY));
}

/* A4: DONTNEED frees the slots at once, reads zero, swaps nothing in. */
TEST_F(swap, dontneed_frees_slots)
{
	long in;

	ASSERT_LE(MANY * 9 / 10, swapped(self->area, 0, MANY));
	in = memcg_stat(&self->cg, "pgmajfault");
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_DONTNEED));
	EXPECT_EQ(0, swapped(self->area, 0, MANY));
	EXPECT_GE(memcg_slack(),
		  memcg_number(&self->cg, "memory.swap.current"));
	EXPECT_EQ(NONE, not_zero(self->area, 0, MANY));
	EXPECT_EQ(in, memcg_stat(&self->cg, "pgmajfault"));
}

/* C5: so does MADV_FREE. */
TEST_F(swap, free_frees_slots)
{
	ASSERT_LE(MANY * 9 / 10, swapped(self->area, 0, MANY));
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_FREE));
	EXPECT_EQ(0, swapped(self->area, 0, MANY));
	EXPECT_GE(memcg_slack(),
		  memcg_number(&self->cg, "memory.swap.current"));
}

/* X2: slots of pages outside of the range stay, and what is in them. */
TEST_F(swap, dontneed_leaves_the_neighbours)
{
	long out = swapped(self->area, MANY / 2, MANY);

	ASSERT_LE(MANY / 2 * 8 / 10, out);
	ASSERT_EQ(0, madvise(self->area, self->len / 2, MADV_DONTNEED));
	EXPECT_EQ(out, swapped(self->area, MANY / 2, MANY));
	EXPECT_EQ(NONE, not_zero(self->area, 0, MANY / 2));
	EXPECT_EQ(NONE, not_kept(self->area, MANY / 2, MANY));
}

/* D2: after WILLNEED the pages are there, and a touch is no major fault. */
TEST_F(swap, willneed_brings_in)
{
	struct rusage before, after;
	long range = 256;

	ASSERT_EQ(range, swapped(self->area, 512, 512 + range))
	{
		TH_LOG("not all of the range is swapped out");
	}
	ASSERT_EQ(0, madvise(page_at(self->area, 512), range * page_size(),
			     MADV_WILLNEED));
	/* It is asynchronous; a second call waits for no one, but time passes. */
	usleep(200000);
	ASSERT_EQ(0, getrusage(RUSAGE_SELF, &before));
	EXPECT_EQ(NONE, not_kept(self->area, 512, 512 + range));
	ASSERT_EQ(0, getrusage(RUSAGE_SELF, &after));
	EXPECT_EQ(before.ru_majflt, after.ru_majflt);
}

/* D4: COLD unmaps nothing and loses nothing. */
TEST_F(memcg, cold_loses_nothing)
{
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_COLD));
	EXPECT_EQ(MANY, present(self->area, 0, MANY));
	EXPECT_EQ(NONE, not_kept(self->area, 0, MANY));
}

/*
 * Use all of the area in a way that makes it warm by any kernel's measure. With
 * generations that is to be found used by two agings: from 6.14 on the first use
 * of a page that was just faulted in only leaves a mark, and the page is in the
 * second youngest generation, where MADV_COLD puts pages as well. Cold ones
 * would be the younger there.
 *
 * Return: 0, or -1 when the agings cannot be had.
 */
static int warm_up(const struct memcg *cg, unsigned char *area)
{
	for (int i = 0; i < 2 && lru_gen_on(); i++) {
		if (forget_translations(area, MANY, PROT_READ | PROT_WRITE))
			return -1;
		touch(area, 0, MANY);
		if (lru_gen_age(cg, true))
			return -1;
	}
	if (forget_translations(area, MANY, PROT_READ | PROT_WRITE))
		return -1;
	touch(area, 0, MANY);
	return 0;
}

/*
 * D4, X6: ... but under pressure the cold half goes before the warm half, although
 * it is the younger one and was used as often.
 */
TEST_F(memcg, cold_pages_go_first)
{
	long cold, warm;

	if (!has_swap())
		SKIP(return, "no swap");
	if (lru_gen_on() && lru_gen_missing())
		SKIP(return, "to make pages warm: %s", lru_gen_missing());
	ASSERT_EQ(0, run_on(sched_getcpu()));
	ASSERT_EQ(0, warm_up(&self->cg, self->area));
	ASSERT_EQ(0, madvise(page_at(self->area, MANY / 2), self->len / 2,
			     MADV_COLD));
	press(&self->cg, self->len / 4);
	warm = swapped(self->area, 0, MANY / 2);
	cold = swapped(self->area, MANY / 2, MANY);
	if (cold + warm < MANY / 16)
		SKIP(return, "only %ld pages were reclaimed", cold + warm);
	EXPECT_LT(4 * warm, cold)
	{
		TH_LOG("%ld warm pages went, %ld cold ones", warm, cold);
	}
}

#include "lib/main.h"

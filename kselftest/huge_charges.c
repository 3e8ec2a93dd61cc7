// SPDX-License-Identifier: GPL-2.0
/*
 * The charge of huge pages of which only one page each is left. The kernel may
 * keep it until the folios are split, which must happen before anything is
 * killed:
 *
 *	cgroup, memory.swap.max 0, later memory.max
 *	  this process: MANY huge pages, all but one page of each advised
 *			then as much memory again
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/huge.h"
#include "lib/memcg.h"
#include "lib/pages.h"

/* Huge pages; of 2 MiB they are 32 MiB. */
#define MANY 16

FIXTURE(sparse)
{
	struct memcg cg;
	unsigned char *area;
	size_t huge;
	size_t nr;
	long before; /* memory.current without the area */
};

FIXTURE_VARIANT(sparse)
{
	int advice;
};

FIXTURE_VARIANT_ADD(sparse, by_dontneed)
{
	.advice = MADV_DONTNEED,
};

FIXTURE_VARIANT_ADD(sparse, by_free)
{
	.advice = MADV_FREE,
};

/* A page to survive in each of the huge ones, elsewhere in every one. */
static size_t survivor(size_t number)
{
	return number * huge_pages() + (37 * number + 1) % huge_pages();
}

/* Return: 0, or -1 when a call failed. */
static int advise_but_survivors(unsigned char *area, int advice)
{
	size_t huge = huge_pages();

	for (size_t i = 0; i < MANY; i++) {
		size_t one = survivor(i), begin = i * huge;

		if (madvise(page_at(area, begin), (one - begin) * page_size(),
			    advice))
			return -1;
		if (madvise(page_at(area, one + 1),
			    (begin + huge - one - 1) * page_size(), advice))
			return -1;
	}
	return 0;
}

/*
 * As often as it takes, thrice at most: MADV_FREE passes by what somebody looks
 * at meanwhile.
 */
static int advise_all_but_survivors(unsigned char *area, int advice)
{
	size_t nr = MANY * huge_pages();

	for (int i = 0; i < 3; i++) {
		if (advise_but_survivors(area, advice))
			return -1;
		if (smaps_kib(area, nr, "Private_Dirty") == kib(MANY))
			break;
	}
	return 0;
}

FIXTURE_SETUP(sparse)
{
	const char *why = memcg_enter(&self->cg);

	self->area = MAP_FAILED;
	if (!why)
		why = huge_missing(2 * MANY);
	if (why)
		SKIP(return, "%s", why);
	if (memcg_write(&self->cg, "memory.swap.max", "0") && errno != ENOENT)
		SKIP(return, "no permission to forbid swap");
	self->huge = huge_pages();
	self->nr = MANY * self->huge;
	self->area = map_aligned(self->nr, self->huge, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	self->before = memcg_number(&self->cg, "memory.current");
	why = huge_take(self->area, self->nr, self->huge);
	if (why)
		SKIP(return, "%s", why);
}

FIXTURE_TEARDOWN(sparse)
{
	unmap_alone(self->area, self->nr);
	memcg_leave(&self->cg);
}

/* A number of the cgroup's memory.events, or -1. */
static long event(const struct memcg *cg, const char *name)
{
	char path[600], line[64], *end;
	FILE *file;
	long value = -1;

	snprintf(path, sizeof(path), "%s/memory.events", cg->dir);
	file = fopen(path, "re");
	while (file && value < 0 && fgets(line, sizeof(line), file)) {
		end = strchr(line, ' ');
		if (end && !strncmp(line, name, end - line) &&
		    !name[end - line])
			value = atol(end);
	}
	if (file)
		fclose(file);
	return value;
}

/*
 * What may be left above the survivors: the page tables of the huge pages once
 * they are split, what the process has written elsewhere, the CPUs' batches.
 */
static long headroom(void)
{
	return 4 * MANY * page_size() + 2 * memcg_slack();
}

/* How many of the survivors are not what they were, in any byte. */
static size_t survivors_lost(unsigned char *area)
{
	size_t lost = 0;

	for (size_t i = 0; i < MANY; i++)
		lost += not_kept(area, survivor(i), survivor(i) + 1) != NONE;
	return lost;
}

/* How many pages, of those that are no survivors, are not zero. */
static size_t others_not_zero(unsigned char *area, size_t nr)
{
	size_t wrong = 0;

	for (size_t page = 0; page < nr; page++)
		if (page != survivor(page / huge_pages()))
			wrong += not_zero(area, page, page + 1) != NONE;
	return wrong;
}

/* A11, A3, C1: memory.stat's anon falls at once, where it is not MADV_FREE. */
TEST_F(sparse, anon_falls_by_dontneed_alone)
{
	long want = memcg_stat(&self->cg, "anon");

	if (variant->advice == MADV_DONTNEED)
		want -= (self->nr - MANY) * page_size();
	ASSERT_EQ(0, advise_all_but_survivors(self->area, variant->advice));
	EXPECT_LE(want - memcg_slack(), memcg_stat(&self->cg, "anon"));
	EXPECT_GE(want + memcg_slack(), memcg_stat(&self->cg, "anon"));
	EXPECT_EQ(kib(MANY),
		  smaps_kib(self->area, self->nr, "Private_Dirty"));
	EXPECT_EQ(0, survivors_lost(self->area));
}

/* A11, C2: reclaim gets the charge, and the survivors stay. */
TEST_F(sparse, reclaim_gets_the_charge)
{
	long near = self->before + MANY * page_size() + headroom();
	char bytes[32];

	ASSERT_EQ(0, advise_all_but_survivors(self->area, variant->advice));
	snprintf(bytes, sizeof(bytes), "%zu", self->nr * page_size());
	/* What splitting sets free is not counted, so it may say EAGAIN. */
	for (int i = 0; i < 8; i++) {
		if (memcg_number(&self->cg, "memory.current") <= near)
			break;
		if (memcg_write(&self->cg, "memory.reclaim", bytes) &&
		    errno == ENOENT)
			SKIP(return, "kernel without memory.reclaim (5.19)");
	}
	EXPECT_GE(near, memcg_number(&self->cg, "memory.current"));
	EXPECT_EQ(0, survivors_lost(self->area));
	EXPECT_EQ(0, others_not_zero(self->area, self->nr));
	EXPECT_EQ(0, event(&self->cg, "oom_kill"));
}

/* A11, C2: memory.max is met by what was advised, without an OOM kill. */
TEST_F(sparse, limit_is_met_without_a_kill)
{
	size_t more = self->nr * 3 / 4;
	long limit = self->before + (self->nr + MANY) * page_size() +
		     2 * headroom();
	unsigned char *second;
	char bytes[32];

	ASSERT_EQ(0, advise_all_but_survivors(self->area, variant->advice));
	snprintf(bytes, sizeof(bytes), "%ld", limit);
	ASSERT_EQ(0, memcg_write(&self->cg, "memory.max", bytes));
	second = map_anon(more);
	ASSERT_NE(MAP_FAILED, (void *)second);
	EXPECT_EQ(NONE, not_kept(second, 0, more));
	unmap_alone(second, more);
	EXPECT_EQ(0, survivors_lost(self->area));
	EXPECT_EQ(0, event(&self->cg, "oom_kill"));
	/* There was pressure, so it was met, not avoided. */
	EXPECT_LT(0, event(&self->cg, "max"));
}

#include "lib/main.h"

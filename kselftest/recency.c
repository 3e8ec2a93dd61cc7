// SPDX-License-Identifier: GPL-2.0
/*
 * Accesses that do not count: under the multi-generational LRU, what is used
 * through a mapping with MADV_RANDOM or MADV_SEQUENTIAL, or one of a file opened
 * with POSIX_FADV_NOREUSE, is as old as if nobody had used it (vma_has_recency()
 * of the kernel). Beside each such file there is one without advice, of the same
 * size and used as much, in the same memory cgroup.
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/cpus.h"
#include "lib/lru_gen.h"
#include "lib/memcg.h"
#include "lib/pages.h"
#include "lib/scratch.h"

/* 1 MiB of base pages of 4 KiB; of less than 64 an aging takes no notice. */
#define MANY 256

/* The idle file is never used, and shows that there is pressure. */
enum { PLAIN, ADVISED, IDLE, NR_FILES };
#define NR_USED IDLE

FIXTURE(recency)
{
	struct memcg cg;
	int fd[NR_FILES];
	unsigned char *area[NR_FILES];
};

/* Given to the mapping, or to the open file before it is mapped. */
FIXTURE_VARIANT(recency)
{
	int of_the_mapping;
	int of_the_file;
};

FIXTURE_VARIANT_ADD(recency, random)
{
	.of_the_mapping = MADV_RANDOM,
	.of_the_file = POSIX_FADV_NORMAL,
};

FIXTURE_VARIANT_ADD(recency, sequential)
{
	.of_the_mapping = MADV_SEQUENTIAL,
	.of_the_file = POSIX_FADV_NORMAL,
};

FIXTURE_VARIANT_ADD(recency, noreuse)
{
	.of_the_mapping = MADV_NORMAL,
	.of_the_file = POSIX_FADV_NOREUSE,
};

static const char *missing(struct memcg *cg)
{
	const char *why = lru_gen_missing();

	if (!why && !lru_gen_walks())
		why = "lru_gen does not walk page tables here";
	if (!why)
		why = cached_tells();
	return why ? why : memcg_enter(cg);
}

FIXTURE_SETUP(recency)
{
	const char *why;

	self->cg.dir[0] = '\0';
	for (int i = 0; i < NR_FILES; i++) {
		self->fd[i] = -1;
		self->area[i] = MAP_FAILED;
	}
	why = missing(&self->cg);
	if (why)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, run_on(sched_getcpu()));
	for (int i = 0; i < NR_FILES; i++) {
		self->fd[i] = scratch_open(&why);
		ASSERT_LE(0, self->fd[i]);
		ASSERT_EQ(0, scratch_fill(self->fd[i], MANY));
		ASSERT_EQ(0, scratch_evict(self->fd[i], MANY));
		self->area[i] = map_alone(MANY, PROT_READ, MAP_SHARED,
					  self->fd[i], 0);
		ASSERT_NE(MAP_FAILED, (void *)self->area[i]);
	}
	ASSERT_EQ(0, posix_fadvise(self->fd[ADVISED], 0, 0,
				   variant->of_the_file));
	ASSERT_EQ(0, madvise(self->area[ADVISED], MANY * page_size(),
			     variant->of_the_mapping));
}

FIXTURE_TEARDOWN(recency)
{
	for (int i = 0; i < NR_FILES; i++) {
		unmap_alone(self->area[i], MANY);
		if (self->fd[i] >= 0)
			close(self->fd[i]);
	}
	memcg_leave(&self->cg);
}

/* Use every page of both. */
static int use(unsigned char *const *area)
{
	for (int i = 0; i < NR_USED; i++) {
		if (forget_translations(area[i], MANY, PROT_READ))
			return -1;
		touch(area[i], 0, MANY);
	}
	return 0;
}

/*
 * Have all read ahead into the oldest generation, and use two of them twice:
 * kernels from 6.14 on promote at the second use.
 */
static int use_and_age(const struct memcg *cg, const int *fd,
		       unsigned char *const *area)
{
	if (lru_gen_trim(cg))
		return -1;
	for (int i = 0; i < NR_FILES; i++)
		if (scratch_bring_in(fd[i], 0, MANY))
			return -1;
	for (int i = 0; i < 2; i++)
		if (use(area) || lru_gen_age(cg, false))
			return -1;
	return 0;
}

/* M2, G7: accesses through advice do not protect, others of the same age do. */
TEST_F(recency, advised_accesses_do_not_protect)
{
	ASSERT_EQ(0, use_and_age(&self->cg, self->fd, self->area));
	ASSERT_EQ(MANY, cached(self->fd[PLAIN], 0, MANY));
	ASSERT_EQ(MANY, cached(self->fd[ADVISED], 0, MANY));
	ASSERT_EQ(0, lru_gen_evict(&self->cg, 0));
	EXPECT_LE(MANY * 9 / 10, cached(self->fd[PLAIN], 0, MANY));
	EXPECT_GE(MANY / 10, cached(self->fd[ADVISED], 0, MANY));
	/* Nothing is lost: the pages come back as they were. */
	EXPECT_EQ(NONE, not_kept(self->area[ADVISED], 0, MANY));
}

/* M2, G7: NORMAL gives a mapping, or an open file, its recency back. */
TEST_F(recency, normal_protects_again)
{
	ASSERT_EQ(0, posix_fadvise(self->fd[ADVISED], 0, 0,
				   POSIX_FADV_NORMAL));
	ASSERT_EQ(0, madvise(self->area[ADVISED], MANY * page_size(),
			     MADV_NORMAL));
	ASSERT_EQ(0, use_and_age(&self->cg, self->fd, self->area));
	ASSERT_EQ(0, lru_gen_evict(&self->cg, 0));
	EXPECT_LE(MANY * 9 / 10, cached(self->fd[PLAIN], 0, MANY));
	EXPECT_LE(MANY * 9 / 10, cached(self->fd[ADVISED], 0, MANY));
	EXPECT_GE(MANY / 10, cached(self->fd[IDLE], 0, MANY));
}

/*
 * M2, G7: eviction that finds an access itself, because none was looked for
 * before, does not count it either. The pages without advice it may only mark.
 */
TEST_F(recency, eviction_ignores_advised_accesses)
{
	long plain, advised;

	ASSERT_EQ(0, lru_gen_trim(&self->cg));
	for (int i = 0; i < NR_FILES; i++)
		ASSERT_EQ(0, scratch_bring_in(self->fd[i], 0, MANY));
	ASSERT_EQ(0, lru_gen_age(&self->cg, false));
	ASSERT_EQ(0, use(self->area));
	ASSERT_EQ(0, lru_gen_evict(&self->cg, 0));
	plain = cached(self->fd[PLAIN], 0, MANY);
	advised = cached(self->fd[ADVISED], 0, MANY);
	EXPECT_GE(MANY / 10, advised);
	EXPECT_GT(plain, advised);
}

/* The sum of the generations that the file pages are in, the oldest being 0. */
static long sum_of_generations(const struct memcg *cg)
{
	struct lru_gen now;
	long sum = 0;

	if (lru_gen_read(cg, &now))
		return -1;
	for (unsigned long seq = now.min_seq; seq <= now.max_seq; seq++)
		sum += (long)(seq - now.min_seq) *
		       lru_gen_pages(&now, LRU_FILE, seq, seq);
	return sum;
}

/* M2, G7: a fault through advice does not make what it brings in young. */
TEST_F(recency, advised_faults_bring_in_old_pages)
{
	long plain, advised, before;

	before = sum_of_generations(&self->cg);
	touch(self->area[ADVISED], 0, MANY);
	ASSERT_EQ(MANY, cached(self->fd[ADVISED], 0, MANY));
	advised = sum_of_generations(&self->cg) - before;
	touch(self->area[PLAIN], 0, MANY);
	ASSERT_EQ(MANY, cached(self->fd[PLAIN], 0, MANY));
	plain = sum_of_generations(&self->cg) - before - advised;
	/* At least one generation older. */
	EXPECT_LE(advised + MANY / 2, plain);
}

#include "lib/main.h"

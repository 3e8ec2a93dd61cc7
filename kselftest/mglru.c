// SPDX-License-Identifier: GPL-2.0
/*
 * What the multi-generational LRU does with pages that are alone in a memory
 * cgroup: where they are born, how they age, what is evicted, and which accesses
 * count. debugfs is read for it and given commands; nothing is switched.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/cpus.h"
#include "lib/lru_gen.h"
#include "lib/memcg.h"
#include "lib/pages.h"
#include "lib/scratch.h"

/* 2 MiB of base pages of 4 KiB: many batches of eviction (64). */
#define MANY 512

/* Pages of the process itself that come and go meanwhile. */
#define FEW 32

/* Anonymous memory first, or files only. */
#define SWAPPINESS_ANON 200
#define SWAPPINESS_FILE 0

#define NEVER_YOUNGER (-1UL)

FIXTURE(lru)
{
	struct memcg cg;
	struct lru_gen born; /* before the test has any page */
	unsigned char *area;
};

FIXTURE_SETUP(lru)
{
	const char *why = lru_gen_missing();

	self->cg.dir[0] = '\0';
	self->area = MAP_FAILED;
	if (!why)
		why = memcg_enter(&self->cg);
	if (why)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, run_on(sched_getcpu()));
	ASSERT_EQ(0, lru_gen_read(&self->cg, &self->born));
}

FIXTURE_TEARDOWN(lru)
{
	unmap_alone(self->area, MANY);
	memcg_leave(&self->cg);
}

/* Pages of @type in the generations @from to @to, less those of @before. */
static long more(const struct memcg *cg, const struct lru_gen *before,
		 enum lru_type type, unsigned long from, unsigned long to)
{
	struct lru_gen now;

	if (lru_gen_read(cg, &now))
		return -1;
	return lru_gen_pages(&now, type, from, to) -
	       lru_gen_pages(before, type, from, to);
}

static bool about(long pages, long want)
{
	return pages >= want - FEW && pages <= want + FEW;
}

/*
 * M1: anonymous pages are born in one of the two youngest generations, of which
 * nothing is evicted.
 */
TEST_F(lru, anon_is_born_young)
{
	unsigned long max_seq = self->born.max_seq;

	self->area = map_anon(MANY);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	EXPECT_TRUE(about(more(&self->cg, &self->born, LRU_ANON, max_seq - 1,
			       max_seq), MANY));
	EXPECT_TRUE(about(more(&self->cg, &self->born, LRU_ANON, 0,
			       max_seq - 2), 0));
}

/* M1: pages that are freed are in no generation any more. */
TEST_F(lru, freed_pages_are_in_none)
{
	self->area = map_anon(MANY);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	ASSERT_TRUE(about(more(&self->cg, &self->born, LRU_ANON, 0,
			       NEVER_YOUNGER), MANY));
	unmap_alone(self->area, MANY);
	self->area = MAP_FAILED;
	EXPECT_TRUE(about(more(&self->cg, &self->born, LRU_ANON, 0,
			       NEVER_YOUNGER), 0));
}

/* M1: an aging begins one generation; there are never more than before. */
TEST_F(lru, aging_begins_a_generation)
{
	unsigned long gens = self->born.max_seq - self->born.min_seq + 1;
	struct lru_gen now = self->born;

	self->area = map_anon(MANY);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	for (int i = 0; i < 6; i++) {
		unsigned long max_seq = now.max_seq;

		ASSERT_EQ(0, lru_gen_command("+ %llu %d %lu 200 1", now.id,
					     now.node, max_seq));
		ASSERT_EQ(0, lru_gen_read(&self->cg, &now));
		EXPECT_EQ(max_seq + 1, now.max_seq);
		EXPECT_GE(gens, now.max_seq - now.min_seq + 1);
		/* They move, none is lost. */
		EXPECT_TRUE(about(more(&self->cg, &self->born, LRU_ANON, 0,
				       NEVER_YOUNGER), MANY));
	}
	EXPECT_LT(self->born.min_seq, now.min_seq);
	EXPECT_EQ(NONE, not_kept(self->area, 0, MANY));
}

/* Use the first half again and again, with an aging after each time. */
static int use_half(const struct memcg *cg, unsigned char *area)
{
	for (int i = 0; i < 4; i++) {
		if (forget_translations(area, MANY, PROT_READ | PROT_WRITE))
			return -1;
		touch(area, 0, MANY / 2);
		if (lru_gen_age(cg, true))
			return -1;
	}
	return 0;
}

/* M1: what is used between agings stays young, what is not grows old. */
TEST_F(lru, used_pages_stay_young)
{
	struct lru_gen now;

	if (!lru_gen_walks())
		SKIP(return, "lru_gen does not walk page tables here");
	self->area = map_anon(MANY);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	ASSERT_EQ(0, use_half(&self->cg, self->area));
	ASSERT_EQ(0, lru_gen_read(&self->cg, &now));
	/* Found by the last walk, they are in what was then the youngest. */
	EXPECT_TRUE(about(lru_gen_pages(&now, LRU_ANON, now.max_seq - 1,
					now.max_seq), MANY / 2));
	EXPECT_LE(MANY / 2,
		  lru_gen_pages(&now, LRU_ANON, 0, now.max_seq - 2));
}

/* M1: eviction takes the old generations and leaves the two youngest. */
TEST_F(lru, eviction_takes_the_old_ones)
{
	if (!has_swap())
		SKIP(return, "no swap");
	if (!lru_gen_walks())
		SKIP(return, "lru_gen does not walk page tables here");
	self->area = map_anon(MANY);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	ASSERT_EQ(0, use_half(&self->cg, self->area));
	ASSERT_EQ(0, lru_gen_evict(&self->cg, SWAPPINESS_ANON));
	EXPECT_GE(MANY / 2 / 10, swapped(self->area, 0, MANY / 2));
	EXPECT_LE(MANY / 2 * 9 / 10, swapped(self->area, MANY / 2, MANY));
	EXPECT_EQ(NONE, not_kept(self->area, 0, MANY));
}

/* M1, X3: commands before a bad one are done, those after it are not. */
TEST_F(lru, bad_command_ends_a_list)
{
	struct lru_gen now;
	unsigned long seq = self->born.max_seq;

	EXPECT_EQ(-1, lru_gen_command("+ %llu %d %lu 200 1;+ %llu;"
				      "+ %llu %d %lu 200 1\n",
				      self->born.id, self->born.node, seq,
				      self->born.id, self->born.id,
				      self->born.node, seq + 1));
	EXPECT_EQ(EINVAL, errno);
	ASSERT_EQ(0, lru_gen_read(&self->cg, &now));
	EXPECT_EQ(seq + 1, now.max_seq);
}

FIXTURE(file)
{
	struct memcg cg;
	struct lru_gen born; /* while the file has no page in the cache */
	unsigned char *area;
	int fd;
};

FIXTURE_SETUP(file)
{
	const char *why = lru_gen_missing();

	self->cg.dir[0] = '\0';
	self->area = MAP_FAILED;
	self->fd = -1;
	if (!why)
		why = cached_tells();
	if (!why)
		why = memcg_enter(&self->cg);
	if (why)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, run_on(sched_getcpu()));
	self->fd = scratch_open(&why);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, scratch_fill(self->fd, MANY));
	ASSERT_EQ(0, scratch_evict(self->fd, MANY));
	ASSERT_EQ(0, lru_gen_read(&self->cg, &self->born));
}

FIXTURE_TEARDOWN(file)
{
	unmap_alone(self->area, MANY);
	if (self->fd >= 0)
		close(self->fd);
	memcg_leave(&self->cg);
}

/* M1: pages that are read ahead, which nobody has used, are born old. */
TEST_F(file, read_ahead_is_born_old)
{
	unsigned long max_seq = self->born.max_seq;

	ASSERT_EQ(0, scratch_bring_in(self->fd, 0, MANY));
	EXPECT_TRUE(about(more(&self->cg, &self->born, LRU_FILE, 0,
			       max_seq - 2), MANY));
	EXPECT_TRUE(about(more(&self->cg, &self->born, LRU_FILE, max_seq - 1,
			       max_seq), 0));
}

/* The generation that most of the file pages are in; NONE if they are spread. */
static long most_are_in(const struct memcg *cg)
{
	struct lru_gen now;
	unsigned long seq;

	if (lru_gen_read(cg, &now))
		return NONE;
	for (seq = now.min_seq; seq <= now.max_seq; seq++)
		if (lru_gen_pages(&now, LRU_FILE, seq, seq) > MANY / 2)
			return seq;
	return NONE;
}

/* M1: what a page fault brings in is born younger than what is read ahead. */
TEST_F(file, faulted_in_is_born_younger)
{
	long ahead;

	ASSERT_EQ(0, scratch_bring_in(self->fd, 0, MANY));
	ahead = most_are_in(&self->cg);
	ASSERT_NE(NONE, ahead);
	ASSERT_EQ(0, scratch_evict(self->fd, MANY));
	self->area = map_alone(MANY, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	touch(self->area, 0, MANY);
	ASSERT_EQ(MANY, cached(self->fd, 0, MANY));
	EXPECT_GT(most_are_in(&self->cg), ahead);
}

/* M1: what POSIX_FADV_DONTNEED evicts is in no generation any more. */
TEST_F(file, evicted_is_in_none)
{
	ASSERT_EQ(0, scratch_bring_in(self->fd, 0, MANY));
	ASSERT_TRUE(about(more(&self->cg, &self->born, LRU_FILE, 0,
			       NEVER_YOUNGER), MANY));
	ASSERT_EQ(0, scratch_evict(self->fd, MANY));
	EXPECT_TRUE(about(more(&self->cg, &self->born, LRU_FILE, 0,
			       NEVER_YOUNGER), 0));
}

/* M1: eviction without swapping takes no anonymous page, however old. */
TEST_F(file, eviction_of_files_leaves_anon)
{
	self->area = map_anon(MANY);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	ASSERT_EQ(0, scratch_bring_in(self->fd, 0, MANY));
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, lru_gen_age(&self->cg, true));
	ASSERT_EQ(0, lru_gen_evict(&self->cg, SWAPPINESS_FILE));
	EXPECT_GE(FEW, cached(self->fd, 0, MANY));
	EXPECT_EQ(MANY, present(self->area, 0, MANY));
}

/* M1: eviction takes what it is asked for, and no more than batches beyond it. */
TEST_F(file, eviction_takes_what_is_asked)
{
	struct lru_gen now;
	long left;

	ASSERT_EQ(0, scratch_bring_in(self->fd, 0, MANY));
	ASSERT_EQ(0, lru_gen_read(&self->cg, &now));
	ASSERT_EQ(0, lru_gen_command("- %llu %d %lu 0 %d", now.id, now.node,
				     now.max_seq - 2, MANY / 4));
	left = cached(self->fd, 0, MANY);
	EXPECT_GE(MANY - MANY / 4 + FEW, left);
	EXPECT_LE(MANY / 2, left);
	EXPECT_TRUE(about(more(&self->cg, &self->born, LRU_FILE, 0,
			       NEVER_YOUNGER), left));
}

FIXTURE(bad)
{
	struct memcg cg;
	unsigned char *area;
};

/* %1: the cgroup, %2: the node, %3: the generation @ahead of the youngest. */
FIXTURE_VARIANT(bad)
{
	const char *command;
	long ahead;
};

FIXTURE_VARIANT_ADD(bad, aging_of_the_future)
{
	.command = "+ %1$llu %2$d %3$lu 200 1", .ahead = 1,
};

FIXTURE_VARIANT_ADD(bad, eviction_of_the_youngest)
{
	.command = "- %1$llu %2$d %3$lu 200", .ahead = 0,
};

FIXTURE_VARIANT_ADD(bad, eviction_of_the_second_youngest)
{
	.command = "- %1$llu %2$d %3$lu 200", .ahead = -1,
};

FIXTURE_VARIANT_ADD(bad, eviction_of_the_future)
{
	.command = "- %1$llu %2$d %3$lu 200", .ahead = 1,
};

/* 2^16 - 1 and 2^31 are no cgroup here, nor is anything behind the last node. */
FIXTURE_VARIANT_ADD(bad, no_such_cgroup)
{
	.command = "+ 65535 %2$d %3$lu 200 1",
};

FIXTURE_VARIANT_ADD(bad, cgroup_zero)
{
	.command = "+ 0 %2$d %3$lu 200 1",
};

FIXTURE_VARIANT_ADD(bad, no_such_node)
{
	.command = "+ %1$llu 65535 %3$lu 200 1",
};

FIXTURE_VARIANT_ADD(bad, negative_node)
{
	.command = "+ %1$llu -1 %3$lu 200 1",
};

FIXTURE_VARIANT_ADD(bad, no_such_command)
{
	.command = "* %1$llu %2$d %3$lu 200 1",
};

FIXTURE_VARIANT_ADD(bad, no_generation)
{
	.command = "+ %1$llu %2$d",
};

FIXTURE_VARIANT_ADD(bad, nothing_but_the_command)
{
	.command = "+",
};

FIXTURE_VARIANT_ADD(bad, no_number)
{
	.command = "+ page advice now",
};

FIXTURE_VARIANT_ADD(bad, too_much_swappiness)
{
	.command = "+ %1$llu %2$d %3$lu 1000 1",
};

FIXTURE_VARIANT_ADD(bad, something_left_over)
{
	.command = "+ %1$llu %2$d %3$lu 200 1 1",
};

FIXTURE_SETUP(bad)
{
	const char *why = lru_gen_missing();

	self->cg.dir[0] = '\0';
	self->area = MAP_FAILED;
	if (!why)
		why = memcg_enter(&self->cg);
	if (why)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, run_on(sched_getcpu()));
	self->area = map_anon(MANY);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
}

FIXTURE_TEARDOWN(bad)
{
	unmap_alone(self->area, MANY);
	memcg_leave(&self->cg);
}

/* The command as it is written; made from the table, not by the compiler. */
static int give(const char *format, const struct lru_gen *lru, long ahead)
{
	char command[128];

	snprintf(command, sizeof(command), format, lru->id, lru->node,
		 lru->max_seq + ahead);
	return lru_gen_command("%s", command);
}

/* Nothing has moved from any generation, and none has begun. */
static bool same(const struct lru_gen *one, const struct lru_gen *other)
{
	if (one->min_seq != other->min_seq || one->max_seq != other->max_seq)
		return false;
	for (unsigned long seq = one->min_seq; seq <= one->max_seq; seq++) {
		long pages = lru_gen_pages(one, LRU_ANON, seq, seq);

		if (!about(lru_gen_pages(other, LRU_ANON, seq, seq), pages))
			return false;
	}
	return true;
}

/* M1: a bad command is EINVAL, and nothing is done. */
TEST_F(bad, command_is_refused)
{
	struct lru_gen before, after;

	ASSERT_EQ(0, lru_gen_read(&self->cg, &before));
	EXPECT_EQ(-1, give(variant->command, &before, variant->ahead));
	EXPECT_EQ(EINVAL, errno);
	ASSERT_EQ(0, lru_gen_read(&self->cg, &after));
	EXPECT_TRUE(same(&before, &after));
	EXPECT_EQ(0, swapped(self->area, 0, MANY));
}

#include "lib/main.h"

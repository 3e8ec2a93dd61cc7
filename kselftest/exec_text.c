// SPDX-License-Identifier: GPL-2.0
/*
 * Executable against other file pages under the multi-generational LRU: a file of
 * return instructions, called page by page, and a copy of it that is read as
 * often, in the same memory cgroup.
 *
 * Kernels differ, and the data tells how:
 *  - up to 6.13 one use makes any mapped page young, so both stay;
 *  - from 6.14 on (and on Android's 6.12) the first use only leaves a mark and
 *    the second makes young. With "mm: mglru: promote mapped executable folios
 *    after first usage" (7.3, or a backport) text does not wait for the second.
 * Whether that change is live is no promise but a fact. It is printed, and only
 * asserted where PAGE_ADVICE_EXPECT_EXEC=1 or 0 says what the kernel is meant to
 * be. What holds on all: text never goes sooner than data.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* What may be off: pages whose folio was locked or isolated just then. */
#define FEW (MANY / 10)

/* Text and data are used alike; idle pages never, and show that there is pressure. */
enum { TEXT, DATA, IDLE, NR_SIDES };
#define NR_USED IDLE

/* One function that returns at once; 0 bytes where we know none. */
#if defined(__x86_64__)
static const unsigned char return_code[] = { 0xc3 };
#elif defined(__aarch64__)
static const unsigned char return_code[] = { 0xc0, 0x03, 0x5f, 0xd6 };
#else
static const unsigned char return_code[] = {};
#endif

struct sides {
	struct memcg cg;
	int fd[NR_SIDES];
	unsigned char *area[NR_SIDES];
	long kept[NR_SIDES]; /* pages in the cache after eviction */
};

static const int prot[NR_SIDES] = {
	[TEXT] = PROT_READ | PROT_EXEC,
	[DATA] = PROT_READ,
	[IDLE] = PROT_READ,
};

/* @nr pages full of the instruction, clean, and none of them in the cache. */
static int write_code(int fd, size_t nr)
{
	unsigned char *page = malloc(page_size());
	int err = page ? 0 : -1;

	for (size_t i = 0; !err && i < page_size(); i++)
		page[i] = return_code[i % sizeof(return_code)];
	for (size_t i = 0; !err && i < nr; i++)
		if (pwrite(fd, page, page_size(), i * page_size()) !=
		    (ssize_t)page_size())
			err = -1;
	free(page);
	return err || fsync(fd) ? -1 : scratch_evict(fd, nr);
}

static void sides_init(struct sides *sides)
{
	sides->cg.dir[0] = '\0';
	for (int i = 0; i < NR_SIDES; i++) {
		sides->fd[i] = -1;
		sides->area[i] = MAP_FAILED;
	}
}

/* Return: NULL, or what is missing, for SKIP. */
static const char *sides_missing(void)
{
	const char *why = lru_gen_missing();

	if (!sizeof(return_code))
		why = "no return instruction is known for this processor";
	if (!why && !lru_gen_walks())
		why = "lru_gen does not walk page tables here";
	return why ? why : cached_tells();
}

/* Likewise; files without a page in the cache, mapped. */
static const char *sides_map(struct sides *sides)
{
	const char *why = sides_missing();

	if (!why)
		why = memcg_enter(&sides->cg);
	for (int i = 0; i < NR_SIDES && !why; i++) {
		sides->fd[i] = scratch_open(&why);
		if (sides->fd[i] < 0)
			return why;
		why = NULL;
		sides->area[i] = map_alone(MANY, prot[i], MAP_PRIVATE,
					   sides->fd[i], 0);
		if (sides->area[i] == MAP_FAILED)
			why = "the scratch directory is on a noexec mount";
	}
	return why;
}

static int sides_write(struct sides *sides)
{
	if (run_on(sched_getcpu()))
		return -1;
	for (int i = 0; i < NR_SIDES; i++)
		if (write_code(sides->fd[i], MANY))
			return -1;
	return lru_gen_trim(&sides->cg);
}

static void sides_teardown(struct sides *sides)
{
	for (int i = 0; i < NR_SIDES; i++) {
		unmap_alone(sides->area[i], MANY);
		if (sides->fd[i] >= 0)
			close(sides->fd[i]);
	}
	memcg_leave(&sides->cg);
}

/* Call every page of the text, read every page of the data. */
static int use(struct sides *sides)
{
	for (int i = 0; i < NR_USED; i++)
		if (forget_translations(sides->area[i], MANY, prot[i]))
			return -1;
	for (size_t page = 0; page < MANY; page++) {
		((void (*)(void))page_at(sides->area[TEXT], page))();
		touch(sides->area[DATA], page, page + 1);
	}
	return 0;
}

static void count_kept(struct sides *sides)
{
	for (int i = 0; i < NR_SIDES; i++)
		sides->kept[i] = cached(sides->fd[i], 0, MANY);
}

static int evict(struct sides *sides)
{
	int err = lru_gen_evict(&sides->cg, 0);

	count_kept(sides);
	return err;
}

static bool all_kept(const struct sides *sides, int side)
{
	return sides->kept[side] >= MANY - FEW;
}

static bool all_gone(const struct sides *sides, int side)
{
	return sides->kept[side] <= FEW;
}

/*
 * How the pages come into the cache, before the first use or with it: one of the
 * text, one of the data, so that none of the two is the older.
 */
static int read_ahead(const int *fd)
{
	for (size_t page = 0; page < MANY; page++)
		for (int i = 0; i < NR_USED; i++)
			if (posix_fadvise(fd[i], page * page_size(),
					  page_size(), POSIX_FADV_WILLNEED))
				return -1;
	/* All are on their way; wait for the last. */
	return scratch_bring_in(fd[TEXT], 0, MANY) ||
	       scratch_bring_in(fd[DATA], 0, MANY) ? -1 : 0;
}

static int read_byte_by_page(const int *fd)
{
	char byte;

	for (size_t page = 0; page < MANY; page++)
		for (int i = 0; i < NR_USED; i++)
			if (pread(fd[i], &byte, 1, page * page_size()) != 1)
				return -1;
	return 0;
}

static int fault_in(const int *fd)
{
	(void)fd;
	return 0;
}

FIXTURE(text)
{
	struct sides sides;
};

FIXTURE_VARIANT(text)
{
	int (*bring_in)(const int *fd);
};

FIXTURE_VARIANT_ADD(text, read_ahead)
{
	.bring_in = read_ahead,
};

FIXTURE_VARIANT_ADD(text, read)
{
	.bring_in = read_byte_by_page,
};

FIXTURE_VARIANT_ADD(text, faulted_in)
{
	.bring_in = fault_in,
};

FIXTURE_SETUP(text)
{
	const char *why;

	sides_init(&self->sides);
	why = sides_map(&self->sides);
	if (why)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, sides_write(&self->sides));
	ASSERT_EQ(0, scratch_bring_in(self->sides.fd[IDLE], 0, MANY));
	ASSERT_EQ(0, variant->bring_in(self->sides.fd));
}

FIXTURE_TEARDOWN(text)
{
	sides_teardown(&self->sides);
}

/* The child that runs a case ends without flushing. */
static void say_what_was_kept(const struct sides *sides)
{
	ksft_print_msg("kept after one use: %ld of %d of text, %ld of data\n",
		       sides->kept[TEXT], MANY, sides->kept[DATA]);
	fflush(stdout);
}

static void say_what_is_live(const struct sides *sides)
{
	const char *verdict = "cannot be told, one use keeps data as well";

	if (!all_kept(sides, DATA))
		verdict = all_kept(sides, TEXT) ? "live" : "not live";
	ksft_print_msg("executable promotion: %s\n", verdict);
	say_what_was_kept(sides);
}

/*
 * M3: of text and data used once before an aging, text goes no sooner; where one
 * use keeps data it keeps text.
 */
TEST_F(text, used_once_stays_as_long_as_data)
{
	struct sides *sides = &self->sides;
	const char *expect = getenv("PAGE_ADVICE_EXPECT_EXEC");

	ASSERT_EQ(0, use(sides));
	ASSERT_EQ(0, lru_gen_age(&sides->cg, false));
	ASSERT_EQ(0, evict(sides));
	say_what_is_live(sides);
	EXPECT_TRUE(all_gone(sides, IDLE));
	EXPECT_TRUE(all_kept(sides, DATA) || all_gone(sides, DATA));
	EXPECT_GE(sides->kept[TEXT] + FEW, sides->kept[DATA]);
	if (expect && !strcmp(expect, "1"))
		EXPECT_TRUE(all_kept(sides, TEXT));
	if (expect && !strcmp(expect, "0"))
		EXPECT_LE(sides->kept[TEXT], sides->kept[DATA] + FEW);
}

/* M3: a second use, after an aging, keeps both on every kernel. */
TEST_F(text, used_twice_stays_and_so_does_data)
{
	struct sides *sides = &self->sides;

	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, use(sides));
		ASSERT_EQ(0, lru_gen_age(&sides->cg, false));
	}
	ASSERT_EQ(0, evict(sides));
	EXPECT_TRUE(all_gone(sides, IDLE));
	EXPECT_TRUE(all_kept(sides, TEXT));
	EXPECT_TRUE(all_kept(sides, DATA));
}

/* M3: what is not used any more goes, and that it is text does not save it. */
TEST_F(text, not_used_any_more_goes_and_so_does_data)
{
	struct sides *sides = &self->sides;

	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, use(sides));
		ASSERT_EQ(0, lru_gen_age(&sides->cg, false));
	}
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, lru_gen_age(&sides->cg, false));
	ASSERT_EQ(0, evict(sides));
	EXPECT_TRUE(all_gone(sides, TEXT));
	EXPECT_TRUE(all_gone(sides, DATA));
	/* It can still be called. */
	ASSERT_EQ(0, use(sides));
	EXPECT_EQ(MANY, cached(sides->fd[TEXT], 0, MANY));
}

/* Ways to have a quarter of both reclaimed, or all that is old. */
static int by_eviction(struct sides *sides)
{
	return lru_gen_evict(&sides->cg, 0);
}

static int by_memory_reclaim(struct sides *sides)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", NR_USED * MANY / 4 * page_size());
	if (!memcg_write(&sides->cg, "memory.reclaim", text))
		return 0;
	/* EAGAIN: less was reclaimed; how much, the page cache tells. */
	return errno == EAGAIN ? 0 : -1;
}

/* Reclaim for a limit, unlike the other two, walks no page tables at first. */
static int by_memory_high(struct sides *sides)
{
	long current = memcg_number(&sides->cg, "memory.current");
	char text[32];
	int err;

	snprintf(text, sizeof(text), "%ld",
		 current - (long)(NR_USED * MANY / 4 * page_size()));
	err = memcg_write(&sides->cg, "memory.high", text);
	/* Or the next system calls would be slowed down. */
	return memcg_write(&sides->cg, "memory.high", "max") || err ? -1 : 0;
}

FIXTURE(branch)
{
	struct sides sides;
};

FIXTURE_VARIANT(branch)
{
	int (*reclaim)(struct sides *sides);
	bool aged; /* between use and reclaim */
};

FIXTURE_VARIANT_ADD(branch, eviction)
{
	.reclaim = by_eviction,
};

FIXTURE_VARIANT_ADD(branch, memory_reclaim)
{
	.reclaim = by_memory_reclaim,
};

FIXTURE_VARIANT_ADD(branch, memory_reclaim_after_aging)
{
	.reclaim = by_memory_reclaim, .aged = true,
};

FIXTURE_VARIANT_ADD(branch, memory_high)
{
	.reclaim = by_memory_high,
};

FIXTURE_VARIANT_ADD(branch, memory_high_after_aging)
{
	.reclaim = by_memory_high, .aged = true,
};

/* Old pages, so that the branch itself is what finds them used. */
FIXTURE_SETUP(branch)
{
	const char *why;

	sides_init(&self->sides);
	why = sides_map(&self->sides);
	if (why)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, sides_write(&self->sides));
	memcg_write(&self->sides.cg, "memory.swap.max", "0");
	/* Where only a part of what is old goes, it would be these. */
	if (variant->reclaim == by_eviction)
		ASSERT_EQ(0, scratch_bring_in(self->sides.fd[IDLE], 0, MANY));
	ASSERT_EQ(0, read_ahead(self->sides.fd));
	if (!variant->aged)
		ASSERT_EQ(0, lru_gen_age(&self->sides.cg, false));
}

FIXTURE_TEARDOWN(branch)
{
	sides_teardown(&self->sides);
}

/* M3: whichever branch reclaims, text used once goes no sooner than data. */
TEST_F(branch, takes_text_no_sooner_than_data)
{
	struct sides *sides = &self->sides;

	ASSERT_EQ(0, use(sides));
	if (variant->aged)
		ASSERT_EQ(0, lru_gen_age(&sides->cg, false));
	if (variant->reclaim(sides))
		SKIP(return, "cannot reclaim so: %s", strerror(errno));
	count_kept(sides);
	say_what_was_kept(sides);
	EXPECT_TRUE(all_gone(sides, IDLE));
	/* Eviction by command may well find all the rest used, and leave it. */
	if (variant->reclaim != by_eviction &&
	    sides->kept[TEXT] + sides->kept[DATA] == NR_USED * MANY)
		SKIP(return, "nothing was reclaimed");
	EXPECT_GE(sides->kept[TEXT] + FEW, sides->kept[DATA]);
}

#include "lib/main.h"

// SPDX-License-Identifier: GPL-2.0
/*
 * What pressure stall information promises to count, and what it promises not to:
 * refaults, tasks alone, idle cgroups, and those who write limits.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/memcg.h"
#include "lib/pages.h"
#include "lib/psi.h"
#include "lib/refault.h"
#include "lib/scratch.h"

/* Pages that are read one by one, each a wait for the disk. */
#define READS 256

/* Of a cache that is to be reclaimed. */
#define MANY 2048

/* A stall that no accident makes. */
#define STALL_US 20000L

static const char *const resources[] = { "memory", "io", "cpu" };
static const char *const lines[] = { "some", "full" };

/* All the totals of a cgroup. */
struct totals {
	long us[ARRAY_SIZE(resources)][ARRAY_SIZE(lines)];
};

static struct totals read_totals(const struct memcg *cg)
{
	struct totals totals;
	char path[600];

	for (size_t i = 0; i < ARRAY_SIZE(resources); i++) {
		psi_path(cg, resources[i], path, sizeof(path));
		for (size_t j = 0; j < ARRAY_SIZE(lines); j++)
			totals.us[i][j] = psi_total(path, lines[j]);
	}
	return totals;
}

/* What has moved between the two, in words; NULL when nothing has. */
static const char *moved(const struct totals *before,
			 const struct totals *after)
{
	static char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(resources); i++)
		for (size_t j = 0; j < ARRAY_SIZE(lines); j++) {
			long grown = after->us[i][j] - before->us[i][j];

			if (!grown)
				continue;
			snprintf(text, sizeof(text), "%s %s by %ld us",
				 resources[i], lines[j], grown);
			return text;
		}
	return NULL;
}

FIXTURE(group)
{
	struct memcg cg;
	struct memcg other;
	struct refault refault;
	char memory[600];
	char io[600];
};

FIXTURE_SETUP(group)
{
	const char *why = memcg_enter(&self->cg);

	psi_stay();
	self->other.dir[0] = '\0';
	self->refault = (struct refault)REFAULT_NONE;
	if (!why) {
		psi_path(&self->cg, "memory", self->memory,
			 sizeof(self->memory));
		psi_path(&self->cg, "io", self->io, sizeof(self->io));
		why = psi_missing(self->memory);
	}
	if (!why)
		why = refault_start(&self->refault, READS);
	if (why)
		SKIP(return, "%s", why);
}

FIXTURE_TEARDOWN(group)
{
	refault_end(&self->refault);
	memcg_leave(&self->cg);
	memcg_remove(&self->other);
}

/*
 * How many pages of a cgroup that is new came back as working set. The counter
 * may lie behind for as long as its updates are few, two seconds at most.
 */
static long restored(const struct memcg *cg, long want)
{
	long pages = 0;

	for (int i = 0; i < 30 && pages < want; i++) {
		if (i)
			usleep(100000);
		pages = memcg_stat(cg, "workingset_restore_file");
	}
	return pages;
}

/* M4: that a working set comes back from the disk is a stall for memory. */
TEST_F(group, refault_of_the_working_set_is_a_memory_stall)
{
	long memory, io, pages;

	if (refault_evict(&self->refault))
		SKIP(return, "the pages were not evicted");
	memory = psi_total(self->memory, "some");
	io = psi_total(self->io, "some");
	ASSERT_EQ(0, refault_read(&self->refault));
	psi_settle();
	memory = psi_total(self->memory, "some") - memory;
	io = psi_total(self->io, "some") - io;
	pages = restored(&self->cg, READS * 9 / 10);
	if (pages < READS * 9 / 10)
		SKIP(return, "only %ld pages were taken for the working set",
		     pages);
	/* No read from a disk takes less than a microsecond. */
	EXPECT_LE(READS, io);
	/* Both wait for the same, and memory from a little earlier on. */
	EXPECT_LE(io / 2, memory);
}

/* M4: that a page is read for the first time is one for io only. */
TEST_F(group, first_read_is_no_memory_stall)
{
	long memory, io;

	/* Unlike MADV_PAGEOUT it leaves no trace of what was there. */
	ASSERT_EQ(0, posix_fadvise(self->refault.fd, 0, 0,
				   POSIX_FADV_DONTNEED));
	ASSERT_EQ(0, cached(self->refault.fd, 0, READS));
	memory = psi_total(self->memory, "some");
	io = psi_total(self->io, "some");
	ASSERT_EQ(0, refault_read(&self->refault));
	psi_settle();
	EXPECT_LE(READS, psi_total(self->io, "some") - io);
	EXPECT_EQ(0, psi_total(self->memory, "some") - memory);
}

/* M8: when the one task of a cgroup waits, all of them do. */
TEST_F(group, task_alone_stalls_fully_when_it_waits)
{
	long some, full = psi_total(self->memory, "full");

	some = refault_until(&self->refault, self->memory, "some", STALL_US);
	full = psi_total(self->memory, "full") - full;
	if (some < STALL_US)
		SKIP(return, "a stall of only %ld us could be made", some);
	/* The same times of the same CPUs: only rounding may tell them apart. */
	EXPECT_GE(some, full);
	EXPECT_LE(some - some / 20, full);
}

/* M8: and when it reclaims for itself. */
TEST_F(group, task_alone_stalls_fully_when_it_reclaims)
{
	long some = psi_total(self->memory, "some");
	long full = psi_total(self->memory, "full");
	char limit[32];

	snprintf(limit, sizeof(limit), "%zu", MANY / 2 * page_size());
	ASSERT_EQ(0, memcg_write(&self->cg, "memory.max", limit));
	ASSERT_EQ(0, scratch_fill(self->refault.fd, 4 * MANY));
	psi_settle();
	some = psi_total(self->memory, "some") - some;
	full = psi_total(self->memory, "full") - full;
	/* M6: he who charges beyond his limit is to blame. */
	EXPECT_LT(0, some);
	EXPECT_GE(some, full);
	EXPECT_LE(some - some / 20, full);
}

/* M7: the totals of a cgroup without tasks stand still. */
TEST_F(group, stands_still_when_all_have_left)
{
	struct totals before, after;
	const char *what;

	if (refault_until(&self->refault, self->memory, "some", STALL_US) <
	    STALL_US)
		SKIP(return, "no stall could be made");
	ASSERT_EQ(NULL, memcg_make(&self->other, "-other"));
	ASSERT_EQ(0, memcg_move(&self->other, 0));
	before = read_totals(&self->cg);
	ASSERT_LE(STALL_US, before.us[0][0]);
	/* While it works, waits and sleeps elsewhere. */
	for (int i = 0; i < 4; i++) {
		refault_evict(&self->refault);
		refault_read(&self->refault);
	}
	usleep(500000);
	after = read_totals(&self->cg);
	what = moved(&before, &after);
	EXPECT_EQ(NULL, what)
	{
		TH_LOG("it grew although nobody is there: %s", what);
	}
}

/* A child that dies with its parent, in @cg, doing nothing but refaults. */
static pid_t stalling_child(const struct memcg *cg, struct refault *refault)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	memcg_move(cg, 0);
	for (;;) {
		refault_evict(refault);
		refault_read(refault);
	}
}

/* M7: nothing sticks to a cgroup that a task left while it waited. */
TEST_F(group, stands_still_after_waiting_tasks_were_moved)
{
	struct totals before[2], after[2];
	const char *what;
	pid_t pid;

	ASSERT_EQ(NULL, memcg_make(&self->other, "-other"));
	pid = stalling_child(&self->cg, &self->refault);
	ASSERT_LT(0, pid);
	for (int i = 0; i < 100; i++) {
		usleep(2000);
		EXPECT_EQ(0, memcg_move(i % 2 ? &self->cg : &self->other, pid));
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	before[0] = read_totals(&self->cg);
	before[1] = read_totals(&self->other);
	usleep(500000);
	after[0] = read_totals(&self->cg);
	after[1] = read_totals(&self->other);
	/* For the disk; the working set does not move with the task. */
	if (before[0].us[1][0] < STALL_US || before[1].us[1][0] < STALL_US)
		SKIP(return, "it waited %ld us here and %ld us there",
		     before[0].us[1][0], before[1].us[1][0]);
	for (int i = 0; i < 2; i++) {
		what = moved(&before[i], &after[i]);
		EXPECT_EQ(NULL, what)
		{
			TH_LOG("cgroup %d grew although idle: %s", i, what);
		}
	}
}

/*
 * Return: milliseconds, of all CPUs together, that were neither idle nor left to
 * a guest's host: so long at most can there have been a stall.
 */
static long busy_ms(void)
{
	FILE *stat = fopen("/proc/stat", "re");
	long user = 0, nice = 0, sys = 0, wait = 0, irq = 0, soft = 0;
	int n = 0;

	if (stat) {
		n = fscanf(stat, "cpu %ld %ld %ld %*d %ld %ld %ld", &user,
			   &nice, &sys, &wait, &irq, &soft);
		fclose(stat);
	}
	if (n != 6)
		return -1;
	return (user + nice + sys + wait + irq + soft) * 1000 /
	       sysconf(_SC_CLK_TCK);
}

/* M7: a machine that has nothing to do has no pressure of any kind. */
TEST(machine_stands_still_when_idle)
{
	struct totals before, after;
	long busy, begin, bound;
	const char *why = psi_missing("/proc/pressure/memory");

	if (why)
		SKIP(return, "%s", why);
	before = read_totals(NULL);
	begin = monotonic_ms();
	busy = busy_ms();
	ASSERT_LE(0, busy);
	usleep(500000);
	after = read_totals(NULL);
	busy = busy_ms() - busy;
	if (busy > (monotonic_ms() - begin) / 10)
		SKIP(return, "the machine is not idle");
	/* And a tick of each of the six sums. */
	bound = busy * 1000 + 6 * 1000000 / sysconf(_SC_CLK_TCK);
	for (size_t i = 0; i < ARRAY_SIZE(resources); i++) {
		EXPECT_GE(bound, after.us[i][0] - before.us[i][0])
		{
			TH_LOG("%s grew on an idle machine", resources[i]);
		}
	}
}

FIXTURE(writer)
{
	struct memcg cg;
	struct memcg target;
	char memory[600];
	int fd;
};

FIXTURE_VARIANT(writer)
{
	const char *file;
	int pages; /* a text of so many pages takes three quarters away */
};

FIXTURE_VARIANT_ADD(writer, reclaim)
{
	.file = "memory.reclaim", .pages = MANY * 3 / 4,
};

FIXTURE_VARIANT_ADD(writer, high)
{
	.file = "memory.high", .pages = MANY / 4,
};

FIXTURE_VARIANT_ADD(writer, max)
{
	.file = "memory.max", .pages = MANY / 4,
};

/* The target holds cache that it alone was charged for, and no task. */
FIXTURE_SETUP(writer)
{
	const char *why = memcg_enter(&self->cg);

	psi_stay();
	self->fd = -1;
	self->target.dir[0] = '\0';
	if (!why) {
		psi_path(&self->cg, "memory", self->memory,
			 sizeof(self->memory));
		why = psi_missing(self->memory);
	}
	if (!why)
		why = memcg_make(&self->target, "-target");
	if (!why)
		self->fd = scratch_open(&why);
	if (self->fd < 0)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, memcg_move(&self->target, 0));
	ASSERT_EQ(0, scratch_fill(self->fd, MANY));
	ASSERT_EQ(0, memcg_move(&self->cg, 0));
}

FIXTURE_TEARDOWN(writer)
{
	memcg_leave(&self->cg);
	memcg_remove(&self->target);
	if (self->fd >= 0)
		close(self->fd);
}

/* M6: he who takes memory from others by a write is not said to stall. */
TEST_F(writer, is_not_blamed)
{
	long before = memcg_stat(&self->target, "file"), left;
	struct totals own, since;
	char text[32];

	ASSERT_LE((long)(MANY * page_size()) - memcg_slack(), before);
	own = read_totals(&self->cg);
	snprintf(text, sizeof(text), "%zu", variant->pages * page_size());
	if (memcg_write(&self->target, variant->file, text) && errno == ENOENT)
		SKIP(return, "kernel without %s", variant->file);
	psi_settle();
	since = read_totals(&self->cg);
	left = memcg_stat(&self->target, "file");
	if (left > before / 2)
		SKIP(return, "only %ld of %ld bytes were reclaimed",
		     before - left, before);
	EXPECT_EQ(own.us[0][0], since.us[0][0]);
	EXPECT_EQ(own.us[0][1], since.us[0][1]);
}

#include "lib/main.h"

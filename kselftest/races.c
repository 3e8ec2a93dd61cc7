// SPDX-License-Identifier: GPL-2.0
/*
 * Advice while other threads fault, write, fork and remap; lib/race.h tells who
 * they are. What the kernel has to say about it is in its log, which whoever runs
 * this program reads after its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/huge.h"
#include "lib/memcg.h"
#include "lib/pages.h"
#include "lib/race.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21 /* Linux 5.4 */
#endif

/* How many cases this program has. */
#define NR_CASES 19
/* The harness's limit, for a stress run. */
#define HOUR 3600

static void step_discard(struct race *race)
{
	race_advise(race, &race->random, race->huge, MADV_DONTNEED);
}

/*
 * One huge page, then the other. It need not succeed: EAGAIN while others are at
 * its pages, EINVAL where there are none.
 */
static void step_collapse(struct race *race)
{
	size_t which = race->random++ % 2;

	madvise(page_at(race->area, which * race->huge),
		race->huge * page_size(), MADV_COLLAPSE);
}

static void step_pageout(struct race *race)
{
	race_advise(race, &race->random, 32, MADV_PAGEOUT);
}

/* Reclaim of what was just freed lazily: it is discarded, if nobody writes it. */
static void step_free(struct race *race)
{
	unsigned int again = race->random;

	race_advise(race, &race->random, 64, MADV_FREE);
	race_advise(race, &again, 64, MADV_PAGEOUT);
}

static void step_soft_dirty(struct race *race)
{
	if (pwrite(race->fd, "4", 1, 0) != 1)
		race_wrong(race, 0, errno);
}

/* The child sees what was written, of one sweep or another, or zero. */
static void step_fork(struct race *race)
{
	pid_t pid = fork();
	int status = 0;

	if (!pid) {
		for (size_t page = 0; page < race->nr; page++)
			if (!race_is_of(race_word(race, page), page))
				_exit(1);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		race_wrong(race, 0, status);
}

/* The mapping of the area becomes smaller and larger while it is used. */
static void step_remap(struct race *race)
{
	unsigned char *neighbours = page_at(race->area, race->nr);
	size_t len = NR_NEIGHBOURS * page_size();
	void *away = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);

	if (away == MAP_FAILED ||
	    mremap(neighbours, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, away) !=
		    away ||
	    mremap(away, len, len, MREMAP_MAYMOVE | MREMAP_FIXED,
		   neighbours) != neighbours ||
	    munmap(neighbours, len) ||
	    mmap(neighbours, len, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != neighbours)
		race_wrong(race, race->nr, errno);
	/* Whoever faults waits for the lock, which is not fair to them. */
	usleep(200);
}

/* At most one fault of each thread waits. */
#define NR_FAULTS 16

/* Return: how many faults there are now. Events it is enough to have read. */
static size_t read_faults(int fd, unsigned long long *faults, size_t nr)
{
	struct uffd_msg msg;

	while (nr < NR_FAULTS && read(fd, &msg, sizeof(msg)) == sizeof(msg))
		if (msg.event == UFFD_EVENT_PAGEFAULT)
			faults[nr++] = msg.arg.pagefault.address;
	return nr;
}

/* Return: false while a discard is under way; then there may be an event. */
static bool give_zero(int fd, unsigned long long address)
{
	struct uffdio_zeropage zero = {
		.range = { address - address % page_size(), page_size() },
	};

	if (!ioctl(fd, UFFDIO_ZEROPAGE, &zero))
		return true;
	if (errno == EAGAIN)
		return false;
	/* There is a page by now: let the thread look again. */
	ioctl(fd, UFFDIO_WAKE, &zero.range);
	return true;
}

static void step_userfault(struct race *race)
{
	struct pollfd event = { .fd = race->fd, .events = POLLIN };
	unsigned long long faults[NR_FAULTS];
	size_t nr = 0;

	poll(&event, 1, 10);
	do {
		nr = read_faults(race->fd, faults, nr);
		if (nr && give_zero(race->fd, faults[nr - 1]))
			nr--;
		else
			sched_yield();
	} while (nr);
}

static const char *begin_swap(struct race *race)
{
	(void)race;
	return has_swap() ? NULL : "no swap";
}

/* Bit 55 of a page that was written; Documentation/admin-guide/mm/pagemap.rst. */
static const char *begin_soft_dirty(struct race *race)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	off_t index = (uintptr_t)race->area / page_size();
	unsigned long long entry;
	bool dirty = false;

	*race->area = 1;
	if (fd >= 0) {
		dirty = pread(fd, &entry, sizeof(entry),
			      index * sizeof(entry)) == sizeof(entry) &&
			entry >> 55 & 1;
		close(fd);
	}
	*race->area = 0;
	if (!dirty)
		return "no soft-dirty bits in this kernel";
	race->fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
	return race->fd < 0 ? "cannot write /proc/self/clear_refs" : NULL;
}

static const char *begin_userfault(struct race *race)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = UFFD_FEATURE_EVENT_REMOVE,
	};
	/* On both sides of the huge page's end; each fault is a long way. */
	struct uffdio_register area = {
		.range = { (uintptr_t)page_at(race->area, race->huge - 16),
			   32 * page_size() },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	race->fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (race->fd < 0)
		return "no userfaultfd, or no permission";
	if (ioctl(race->fd, UFFDIO_API, &api) ||
	    ioctl(race->fd, UFFDIO_REGISTER, &area))
		return "userfaultfd without events of removal";
	return NULL;
}

FIXTURE(discard)
{
	struct race race;
};

FIXTURE_VARIANT(discard)
{
	void (*step)(struct race *race);
	const char *(*begin)(struct race *race); /* what is missing, or NULL */
};

FIXTURE_VARIANT_ADD(discard, against_another)
{
	.step = step_discard,
};

FIXTURE_VARIANT_ADD(discard, against_collapse)
{
	.step = step_collapse,
};

FIXTURE_VARIANT_ADD(discard, against_free)
{
	.step = step_free,
};

FIXTURE_VARIANT_ADD(discard, against_pageout)
{
	.step = step_pageout, .begin = begin_swap,
};

FIXTURE_VARIANT_ADD(discard, against_soft_dirty)
{
	.step = step_soft_dirty, .begin = begin_soft_dirty,
};

FIXTURE_VARIANT_ADD(discard, against_fork)
{
	.step = step_fork,
};

FIXTURE_VARIANT_ADD(discard, against_remapped_neighbours)
{
	.step = step_remap,
};

FIXTURE_VARIANT_ADD(discard, against_userfaults)
{
	.step = step_userfault, .begin = begin_userfault,
};

FIXTURE_SETUP(discard)
{
	const char *why;

	ASSERT_TRUE(race_map(&self->race, NR_CASES));
	self->race.step = variant->step;
	why = variant->begin ? variant->begin(&self->race) : NULL;
	if (why)
		SKIP(return, "%s", why);
}

FIXTURE_TEARDOWN(discard)
{
	race_unmap(&self->race);
}

/* The parameter has the name that the macros of the harness want. */
static void expect_fair(struct __test_metadata *_metadata, struct race *race)
{
	EXPECT_EQ(0, atomic_load(&race->wrong))
	{
		TH_LOG("page %zu of %zu: found %#llx", race->bad_page, race->nr,
		       race->bad_word);
	}
	EXPECT_LT(0, atomic_load(&race->steps));
}

/*
 * A12: whoever writes finds what was last written there or zero; when all is
 * quiet no page is mixed, and after one more DONTNEED all is zero.
 */
TEST_F_TIMEOUT(discard, leaves_the_last_written_or_zero, HOUR)
{
	struct race *race = &self->race;

	race->discards = true;
	ASSERT_TRUE(race_run(race));
	/* Nobody is left to answer userfaults. */
	if (race->fd >= 0)
		close(race->fd);
	race->fd = -1;
	for (size_t page = 0; page < race->nr; page++)
		race_check_whole(race, page);
	expect_fair(_metadata, race);
	EXPECT_EQ(0, madvise(race->area, race->nr * page_size(),
			     MADV_DONTNEED));
	EXPECT_EQ(NONE, not_zero(race->area, 0, race->nr));
}

static void write_and_discard(struct race *race, unsigned int sweep)
{
	size_t from = sweep % race->huge;
	size_t to = sweep % 2 ? from + race->huge : race->nr;

	for (size_t page = 0; page < race->nr; page++)
		race_write(race, page, sweep);
	if (madvise(page_at(race->area, from), (to - from) * page_size(),
		    MADV_DONTNEED))
		race_wrong(race, from, errno);
	for (size_t page = 0; page < race->nr; page++)
		if (page >= from && page < to)
			race_check_zero(race, page);
		else
			race_check(race, page, sweep, race->loses);
}

/*
 * A12, A1: what nobody else writes is zero after DONTNEED, and kept around it,
 * whatever else happens to the page tables meanwhile.
 */
TEST_F_TIMEOUT(discard, wins, HOUR)
{
	struct race *race = &self->race;

	race->loses = variant->step == step_discard ||
		      variant->step == step_free;
	ASSERT_TRUE(race_run_alone(race, write_and_discard));
	expect_fair(_metadata, race);
}

FIXTURE(writes)
{
	struct race race;
};

FIXTURE_SETUP(writes)
{
	ASSERT_TRUE(race_map(&self->race, NR_CASES));
}

FIXTURE_TEARDOWN(writes)
{
	race_unmap(&self->race);
}

/* A12, D6: no write is lost while pages are made into huge ones. */
TEST_F_TIMEOUT(writes, are_not_lost_by_collapse, HOUR)
{
	struct race *race = &self->race;
	size_t all = race->nr + NR_NEIGHBOURS;

	if (huge_missing(4))
		SKIP(return, "%s", huge_missing(4));
	race->step = step_collapse;
	ASSERT_TRUE(race_run(race));
	/* And it does make them: up to ten tries, as others may look at pages. */
	for (int i = 0; i < 20; i++)
		step_collapse(race);
	EXPECT_EQ(kib(2 * race->huge),
		  smaps_kib(race->area, all, "AnonHugePages"));
	expect_fair(_metadata, race);
}

/* A12, D3: no write is lost while pages are swapped out. */
TEST_F_TIMEOUT(writes, are_not_lost_by_pageout, HOUR)
{
	struct race *race = &self->race;

	if (!has_swap())
		SKIP(return, "no swap");
	race->step = step_pageout;
	ASSERT_TRUE(race_run(race));
	/* And it does swap some out. */
	for (int i = 0; i < 100 && !swapped(race->area, 0, race->nr); i++)
		step_pageout(race);
	EXPECT_LT(0, swapped(race->area, 0, race->nr));
	expect_fair(_metadata, race);
}

static void free_and_write(struct race *race, unsigned int sweep)
{
	if (madvise(race->area, race->nr * page_size(), MADV_FREE))
		race_wrong(race, 0, errno);
	for (size_t page = 0; page < race->nr; page++)
		race_write(race, page, sweep);
	sched_yield();
	for (size_t page = 0; page < race->nr; page++)
		race_check(race, page, sweep, false);
}

/*
 * A12, C3: what is written after MADV_FREE is not lost to reclaim that comes upon
 * the page at this moment.
 */
TEST_F_TIMEOUT(writes, after_free_are_not_lost, HOUR)
{
	struct race *race = &self->race;
	size_t all = race->nr + NR_NEIGHBOURS;
	long before, left;

	race->step = step_pageout;
	ASSERT_TRUE(race_run_alone(race, free_and_write));
	expect_fair(_metadata, race);
	/* And MADV_FREE does free, and reclaim does come upon the pages. */
	for (size_t page = 0; page < race->nr; page++)
		race_write(race, page, 1);
	left = smaps_kib(race->area, all, "Rss");
	before = left;
	ASSERT_EQ(0, madvise(race->area, race->nr * page_size(), MADV_FREE));
	EXPECT_LT(0, smaps_kib(race->area, all, "LazyFree"));
	for (int i = 0; i < 100 && left == before; i++) {
		step_pageout(race);
		left = smaps_kib(race->area, all, "Rss");
	}
	EXPECT_GT(before, left);
}

#include "lib/main.h"

// SPDX-License-Identifier: GPL-2.0
#include "race.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "huge.h"
#include "pages.h"

#define NR_WRITERS 2
#define SWEEPS 12
/* Words of a page that are written and checked, the first and the last too. */
#define NR_WORDS 8
/* Where there are no huge pages, or too large ones. */
#define INSTEAD_OF_HUGE 256

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

bool race_map(struct race *race, size_t cases)
{
	const char *seconds = getenv("PAGE_ADVICE_STRESS_S");
	bool huge = !huge_missing(4);
	size_t all;

	*race = (struct race){ .fd = -1, .random = 7 };
	race->huge = huge ? huge_pages() : INSTEAD_OF_HUGE;
	race->nr = 2 * race->huge + 3;
	all = race->nr + NR_NEIGHBOURS;
	race->area = map_aligned(all, race->huge, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (race->area == MAP_FAILED)
		return false;
	if (huge && !huge_take(race->area, race->huge, race->huge))
		syscall(SYS_madvise, race->area, race->huge * page_size(),
			MADV_HUGEPAGE);
	memset(race->area, 0, all * page_size());
	if (seconds && atoll(seconds) > 0)
		race->deadline =
			now_ns() + atoll(seconds) * 1000000000LL / cases;
	return true;
}

void race_unmap(struct race *race)
{
	if (race->fd >= 0)
		close(race->fd);
	unmap_alone(race->area, race->nr + NR_NEIGHBOURS);
}

bool race_goes_on(const struct race *race, unsigned int sweep)
{
	if (atomic_load(&race->wrong))
		return false;
	if (!atomic_load(&race->steps))
		return true;
	return race->deadline ? now_ns() < race->deadline : sweep <= SWEEPS;
}

/* Different for every page and every sweep, and never 0. */
static unsigned long long stamp(size_t page, unsigned int sweep)
{
	return (unsigned long long)(page + 1) << 32 | sweep;
}

bool race_is_of(unsigned long long word, size_t page)
{
	return !word || word >> 32 == page + 1;
}

static unsigned long long *word_at(struct race *race, size_t page, size_t word)
{
	size_t last = page_size() / sizeof(unsigned long long) - 1;

	return (unsigned long long *)page_at(race->area, page) +
	       word * last / (NR_WORDS - 1);
}

static unsigned long long read_word(struct race *race, size_t page, size_t word)
{
	return __atomic_load_n(word_at(race, page, word), __ATOMIC_RELAXED);
}

unsigned long long race_word(struct race *race, size_t page)
{
	return read_word(race, page, 0);
}

void race_write(struct race *race, size_t page, unsigned int sweep)
{
	for (size_t word = 0; word < NR_WORDS; word++) {
		__atomic_store_n(word_at(race, page, word), stamp(page, sweep),
				 __ATOMIC_RELAXED);
		/* For a discard in the middle of it. */
		if (word == page % NR_WORDS && (page + sweep) % 61 == 0)
			sched_yield();
	}
}

void race_wrong(struct race *race, size_t page, unsigned long long found)
{
	race->bad_page = page;
	race->bad_word = found;
	atomic_fetch_add(&race->wrong, 1);
}

void race_check(struct race *race, size_t page, unsigned int sweep,
		bool may_be_zero)
{
	for (size_t word = 0; word < NR_WORDS; word++) {
		unsigned long long found = read_word(race, page, word);

		if (found == stamp(page, sweep) || (!found && may_be_zero))
			continue;
		race_wrong(race, page, found);
	}
}

void race_check_zero(struct race *race, size_t page)
{
	for (size_t word = 0; word < NR_WORDS; word++) {
		unsigned long long found = read_word(race, page, word);

		if (found)
			race_wrong(race, page, found);
	}
}

void race_check_whole(struct race *race, size_t page)
{
	bool seen = false;

	for (size_t word = 0; word < NR_WORDS; word++) {
		unsigned long long found = read_word(race, page, word);

		if (seen && !found)
			race_wrong(race, page, found);
		seen |= found != 0;
	}
}

static size_t pick(unsigned int *random, size_t limit)
{
	*random = *random * 1664525 + 1013904223;
	return (*random >> 8) % limit;
}

void race_advise(struct race *race, unsigned int *random, size_t most,
		 int advice)
{
	size_t from = pick(random, race->nr), len = 1 + pick(random, most);

	if (from + len > race->nr)
		len = race->nr - from;
	if (madvise(page_at(race->area, from), len * page_size(), advice))
		race_wrong(race, from, errno);
}

static void *discard(void *arg)
{
	struct race *race = arg;
	unsigned int random = 1;

	while (!atomic_load(&race->quiet)) {
		race_advise(race, &random, race->huge, MADV_DONTNEED);
		sched_yield();
	}
	return NULL;
}

static void *disturb(void *arg)
{
	struct race *race = arg;

	while (!atomic_load(&race->over)) {
		race->step(race);
		atomic_fetch_add(&race->steps, 1);
		sched_yield();
	}
	return NULL;
}

struct writer {
	struct race *race;
	size_t first;
};

static void *write_and_check(void *arg)
{
	const struct writer *writer = arg;
	struct race *race = writer->race;
	bool zero = race->loses || race->discards;

	for (unsigned int sweep = 1; race_goes_on(race, sweep); sweep++) {
		for (size_t i = writer->first; i < race->nr; i += NR_WRITERS) {
			race_write(race, i, sweep);
			race_check(race, i, sweep, zero);
		}
		sched_yield();
		for (size_t i = writer->first; i < race->nr; i += NR_WRITERS)
			race_check(race, i, sweep, zero);
	}
	return NULL;
}

/* A thread that cannot be made ends the test, and that the others. */
bool race_run(struct race *race)
{
	struct writer writers[NR_WRITERS];
	pthread_t threads[NR_WRITERS], discarder, disturber;

	if (pthread_create(&disturber, NULL, disturb, race))
		return false;
	if (race->discards && pthread_create(&discarder, NULL, discard, race))
		return false;
	for (size_t i = 0; i < NR_WRITERS; i++) {
		writers[i] = (struct writer){ race, i };
		if (pthread_create(&threads[i], NULL, write_and_check,
				   &writers[i]))
			return false;
	}
	for (size_t i = 0; i < NR_WRITERS; i++)
		pthread_join(threads[i], NULL);
	/* Others may need the disturber to get on: it is the last to end. */
	atomic_store(&race->quiet, true);
	if (race->discards)
		pthread_join(discarder, NULL);
	atomic_store(&race->over, true);
	pthread_join(disturber, NULL);
	return true;
}

bool race_run_alone(struct race *race,
		    void (*sweep)(struct race *race, unsigned int number))
{
	pthread_t disturber;

	if (pthread_create(&disturber, NULL, disturb, race))
		return false;
	for (unsigned int number = 1; race_goes_on(race, number); number++) {
		sweep(race, number);
		sched_yield();
	}
	atomic_store(&race->over, true);
	pthread_join(disturber, NULL);
	return true;
}

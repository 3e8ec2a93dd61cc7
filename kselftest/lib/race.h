/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that fault and write an area while others take it away from them:
 *
 *	writers		each has every second page, writes its words, checks them
 *	discarder	MADV_DONTNEED of spans, all over the area
 *	disturber	whatever else edits the page tables, step by step
 *
 * A race is over after so many sweeps of the writers, or, where the environment
 * says PAGE_ADVICE_STRESS_S=n, after its share of n seconds. With one CPU threads
 * get in between each other only where they yield or time is up, so all of them
 * yield often, also with half a page written.
 */
#ifndef PAGE_ADVICE_RACE_H
#define PAGE_ADVICE_RACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Pages behind the area, of the same mapping, for who remaps neighbours. */
#define NR_NEIGHBOURS 8

struct race {
	unsigned char *area;
	size_t nr;	/* pages, without the neighbours */
	size_t huge;	/* pages of a huge page, or what stands for it */
	void (*step)(struct race *race); /* of the disturber; again and again */
	bool loses;	/* may pages become zero by what the disturber does? */
	bool discards;	/* is there a discarder? */
	int fd;		/* the disturber's, or -1 */
	unsigned int random; /* the disturber's */
	long long deadline; /* ns of CLOCK_MONOTONIC, or 0 for so many sweeps */
	atomic_bool quiet, over; /* to the discarder, to the disturber */
	atomic_size_t steps; /* of the disturber */
	atomic_size_t wrong; /* words */
	size_t bad_page; /* of the last wrong word */
	unsigned long long bad_word;
};

/**
 * race_map() - an area that begins with a huge page, if one is to be had, goes on
 * with as many base pages, and ends with some more. All is zero.
 * @cases: how many races share the seconds of a stress run.
 */
bool race_map(struct race *race, size_t cases);
void race_unmap(struct race *race);

/**
 * race_goes_on() - is there another sweep? Sweeps count from 1. There is none
 * after something was wrong, and there is one until the disturber has run.
 */
bool race_goes_on(const struct race *race, unsigned int sweep);

/**
 * race_write() - write the words of a page, as no other page has them and no
 * other sweep.
 */
void race_write(struct race *race, size_t page, unsigned int sweep);

/**
 * race_check() - every word of the page must be as race_write() wrote it, or zero
 * where that is allowed.
 */
void race_check(struct race *race, size_t page, unsigned int sweep,
		bool may_be_zero);

/**
 * race_check_zero() - every word of the page must be zero.
 */
void race_check_zero(struct race *race, size_t page);

/**
 * race_check_whole() - when all is quiet: what was written after the last discard
 * is whole, so zeros are found before words, never behind them.
 */
void race_check_whole(struct race *race, size_t page);

/**
 * race_word() - a word of the page, for who checks it otherwise.
 * race_is_of() - may the word have been written to that page, ever?
 */
unsigned long long race_word(struct race *race, size_t page);
bool race_is_of(unsigned long long word, size_t page);

/**
 * race_wrong() - count something wrong.
 */
void race_wrong(struct race *race, size_t page, unsigned long long found);

/**
 * race_advise() - advise a span of 1 to @most pages somewhere in the area, by
 * @random, which goes on to the next. What fails is wrong.
 */
void race_advise(struct race *race, unsigned int *random, size_t most,
		 int advice);

/**
 * race_run() - writers, disturber and discarder, until they are through.
 * race_run_alone() - the disturber, and @sweep of the calling thread.
 *
 * Return: false when a thread could not be made.
 */
bool race_run(struct race *race);
bool race_run_alone(struct race *race,
		    void (*sweep)(struct race *race, unsigned int number));

#endif

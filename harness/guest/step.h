/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A step is what happens at one place of a cycle: an app comes to the front, a
 * file is streamed, time passes. A scenario strings them together,
 *
 *	set cycle  cold+write:32+scroll:120+pause:200
 *
 * where the number says how much of it. To add one: write it in a file of its
 * own and name it in steps.c.
 */
#ifndef RECLAIMLAB_GUEST_STEP_H
#define RECLAIMLAB_GUEST_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "job.h"

/* One execution of a step. */
struct turn {
	uint64_t seed;
	uint64_t number; /* of all steps of this run: draws differ by it */
	long long amount;
	bool measured;
};

#define STEP_TABLES 4 /* of keys, the unused ones are NULL */

struct step {
	const char *name;
	const char *unit; /* of the amount; NULL: it takes none */
	long long max;	  /* amount, at least 1 */
	const struct job_key *keys[STEP_TABLES]; /* that it needs */
	/*
	 * Files and processes that the step needs. Each may be NULL. Files are
	 * made before there is pressure, and before any process.
	 * @most: the largest amount of this step in the scenario.
	 */
	void (*make_files)(long long most);
	void (*start)(uint64_t seed);
	void (*run)(const struct turn *turn);
};

/* Every step, NULL at the end. */
extern const struct step *const steps[];

/**
 * observe() - record an observation if the turn is measured.
 */
void observe(const struct turn *turn, const char *series, int64_t value);

/**
 * mem_available_kib() - MemAvailable of /proc/meminfo.
 */
long long mem_available_kib(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why memory pressure differs between two arms: the stalls by their places, and
 * how much of a rise is waiting that the baseline did as well without PSI
 * counting it.
 */
#ifndef RECLAIMLAB_HOST_ATTRIBUTION_H
#define RECLAIMLAB_HOST_ATTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>

#include "compare.h"

#define ATTRIBUTION_SITES 9
#define ATTRIBUTION_WAITS 4

/* The parts must add up to the whole this well, or the report says no. */
#define ATTRIBUTION_TOLERANCE 0.02

#define ATTRIBUTION_LEAST_MS 0.05 /* what is less counts as nothing */

/* Milliseconds, means over the pairs. */
struct side {
	double base, other;
};

struct attribution {
	struct side psi; /* memory some, total */
	struct side sum; /* of the sites */
	struct {
		const char *name; /* for people */
		struct side ms;
	} sites[ATTRIBUTION_SITES];
	struct {
		const char *name;
		struct side counted, uncounted;
		/*
		 * Of the rise at this place, what was there before and was not
		 * counted: no more than the rise, and no more than what is
		 * missing now from the waits that are not counted.
		 */
		double relabelled;
	} waits[ATTRIBUTION_WAITS];
	double rise;	   /* of psi */
	double relabelled; /* of it */
	bool adds_up;	   /* in both arms */
};

/**
 * attribution_make() - from the rows of a pairing.
 *
 * Return: false when the records have no such counters.
 */
bool attribution_make(const struct pairing *pairing, struct attribution *a);

/**
 * attribution_words() - what it comes to, in a sentence; to be freed.
 */
char *attribution_words(const struct attribution *a);

#endif

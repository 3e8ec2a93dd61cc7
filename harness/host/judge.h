/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the values of a table to what may be said about them: estimate, chance,
 * verdict.
 */
#ifndef RECLAIMLAB_HOST_JUDGE_H
#define RECLAIMLAB_HOST_JUDGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "metrics.h"
#include "stats.h"

#define CONFIDENCE 0.95 /* of every interval */
#define ALPHA 0.05	/* of the primary metric; of all others together */
#define POWER 0.80	/* with which the smallest detectable effect is found */
/*
 * Fewer cannot decide: all of 5 pairs in one direction is still likelier than
 * ALPHA, 2/32. Their interval has no ends, either.
 */
#define PAIRS_TO_DECIDE 6

enum verdict {
	VERDICT_NOT_GIVEN, /* no data, or a change that is neither good nor bad */
	VERDICT_BETTER,
	VERDICT_WORSE,
	VERDICT_SAME,	   /* no detectable change */
	VERDICT_IDENTICAL, /* the same value in every pair */
};

/* One metric, one arm against the baseline. */
struct row {
	const struct metric *metric;
	/*
	 * Pairs in which both records have the metric; index i is the same
	 * seed in all three. Room for all pairs of the table.
	 */
	size_t n;
	json_int_t *seeds;
	double *base, *other;

	/* What judge_table() makes of them: */
	struct summary base_summary, other_summary;
	struct summary difference; /* of other - baseline, one value a pair */
	struct estimate effect;	   /* Hodges-Lehmann, of the same */
	/*
	 * Times this is per cent of the baseline's mean; NaN when there is no
	 * such figure: something after nothing.
	 */
	double scale;
	double variation;  /* baseline's sd in per cent of its mean, or NaN */
	double detectable; /* smallest effect, by stats_detectable(), or NaN */
	double p;	   /* of the sign-flip test, for this metric alone */
	/* Among all metrics of the family; NaN outside of it. */
	double p_table; /* by sign_flip_test(); decides */
	double p_holm;	/* by Holm from each p; for who wants to check */
	enum verdict verdict;
};

/**
 * judge_table() - fill all of @rows behind their values.
 * @rows: @n of them, every metric of one comparison of two arms.
 * @seeds: of all @pairs >= 1 pairs, ascending.
 * @primary: decides by its own p; all other metrics that may decide are one
 *	     family and decide by p_table.
 * @scopes_differ: the METRIC_SCOPE metrics of the arms cannot be compared.
 */
void judge_table(struct row *rows, size_t n, const json_int_t *seeds,
		 size_t pairs, const struct metric *primary,
		 bool scopes_differ);

/**
 * detected() - the sign of a detected change (-1, 1), 0 when there is none.
 *
 * A metric that is no cost or gain is outside of the family, and its own p
 * detects; one that is too coarse is never said to have changed.
 */
int detected(const struct row *row);

/**
 * band_width() - for a row of the baseline against itself with a history
 * disturbed on purpose: how far from 0 chance alone may put an effect.
 *
 * Return: the end of its interval that is farther from 0; with too few pairs for
 * one, the largest difference seen.
 */
double band_width(const struct row *row);

/**
 * verdict_word() - "better", "worse", "no detectable change", "identical" or
 * "-".
 */
const char *verdict_word(enum verdict verdict);

#endif

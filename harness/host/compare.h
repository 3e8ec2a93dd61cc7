/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From records to figures: arms, pairs of boots with the same seed, and for
 * every metric the paired difference and what may be said about it.
 */
#ifndef RECLAIMLAB_HOST_COMPARE_H
#define RECLAIMLAB_HOST_COMPARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "metrics.h"
#include "record_set.h"
#include "stats.h"

#define CONFIDENCE 0.95	  /* of every interval */
#define PAIRS_TO_DECIDE 3 /* fewer decide nothing */

enum verdict {
	VERDICT_NOT_GIVEN, /* no data, or a change that is neither good nor bad */
	VERDICT_BETTER,
	VERDICT_WORSE,
	VERDICT_SAME, /* no detectable change */
};

struct difference {
	struct summary summary;	  /* of other - baseline, one value a pair */
	struct interval interval; /* of its mean */
	/*
	 * Times this is per cent of the baseline's mean; NaN when there is no
	 * such figure: something after nothing.
	 */
	double scale;
};

/* One metric, one arm against the baseline. */
struct row {
	const struct metric *metric;
	/*
	 * Pairs in which both records have the metric; index i is the same
	 * seed in all three. Room for all pairs of the pairing.
	 */
	size_t n;
	json_int_t *seeds;
	double *base, *other;
	struct summary base_summary, other_summary;
	struct difference difference;
	enum verdict verdict;
};

/* What METRIC_SCOPE counters cover, by the kernel's release. */
enum scope {
	SCOPE_UNKNOWN,
	SCOPE_WITHOUT_MEMCG, /* up to 6.12 */
	SCOPE_WITH_MEMCG,    /* from 7.2 on */
};

struct arm {
	const struct record *records; /* sorted by seed */
	size_t n;
	enum scope scope;
};

struct pairing {
	const struct arm *other;
	json_int_t *seeds; /* of the pairs, ascending */
	size_t n;
	bool scopes_differ; /* METRIC_SCOPE metrics have no difference */
	struct row *rows;   /* nr_metrics of them, in the order of metrics[] */
};

struct comparison {
	struct record_set set;
	bool images_differ;
	const struct metric *primary;
	struct arm *arms; /* the first is the baseline */
	size_t n_arms;
	struct pairing *pairings; /* n_arms - 1: every arm but the baseline */
	char **left_out;	  /* sentences: records without a partner */
	size_t n_left_out;
};

/**
 * comparison_load() - load @dir/records and compute everything.
 * @labels: the arms, the first is the baseline, NULL ends the list; NULL for
 *	    all arms there are, sorted by label.
 * @error: on failure, one line to be freed.
 *
 * Return: EXIT_OK, EXIT_USAGE (unreadable, malformed, unequal conditions, no
 * such arm), or EXIT_RUN when an arm has no boot to pair with the baseline;
 * @c is empty unless EXIT_OK.
 */
int comparison_load(const char *dir, const char *const *labels,
		    struct comparison *c, char **error);

/**
 * compute_row() - fill everything behind @row->base and @row->other.
 * @comparable: false leaves the difference undefined and the verdict not given.
 */
void compute_row(struct row *row, bool comparable);

/**
 * decide() - the verdict about a metric, and the only place that gives one.
 *
 * A change is detected when the interval of the mean difference excludes zero
 * and there are PAIRS_TO_DECIDE pairs or more.
 */
enum verdict decide(const struct metric *metric, const struct difference *d);

/**
 * detected() - the sign of a detected change (-1, 1), 0 when there is none.
 */
int detected(const struct difference *d);

/**
 * verdict_word() - "better", "worse", "no detectable change", or "-".
 */
const char *verdict_word(enum verdict verdict);

/**
 * find_row() - the row of the metric called @name, which must exist.
 */
const struct row *find_row(const struct pairing *pairing, const char *name);

void comparison_free(struct comparison *c);

#endif

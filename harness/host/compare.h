/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From records to tables: arms, pairs of boots with the same seed, and for every
 * metric their values.
 */
#ifndef RECLAIMLAB_HOST_COMPARE_H
#define RECLAIMLAB_HOST_COMPARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "judge.h"
#include "metrics.h"
#include "parting.h"
#include "record_set.h"

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
	bool identical;	    /* parting_none() in every pair */
	bool same_streams; /* what the guests said, by its hash, in every pair */
	struct parting *partings; /* n_partings; NULL for two images */
	size_t n_partings; /* of the first pairs: more would tell no more */
};

struct comparison {
	struct record_set set;
	bool images_differ;
	const struct metric *primary;
	struct arm *arms; /* the first is the baseline */
	size_t n_arms;
	struct pairing *pairings; /* n_arms - 1: every arm but the baseline */
	/*
	 * The baseline with a history disturbed on purpose, against the
	 * baseline; NULL without such records. Its arm stands behind the arms.
	 */
	struct pairing *band;
	char **left_out; /* sentences: records without a partner */
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
 * find_row() - the row of the metric called @name, which must exist.
 */
const struct row *find_row(const struct pairing *pairing, const char *name);

void comparison_free(struct comparison *c);

#endif

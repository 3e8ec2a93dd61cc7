/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is compared: one table of metrics, each with the place in a record it
 * comes from, its unit, and which direction is the better one.
 */
#ifndef RECLAIMLAB_HOST_METRICS_H
#define RECLAIMLAB_HOST_METRICS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum metric_better {
	BETTER_NONE, /* a change is neither good nor bad in itself */
	BETTER_LOWER,
	BETTER_HIGHER,
};

/* How the one value of a boot is taken from its record. */
enum metric_take {
	TAKE_MEAN, /* of the observations called key */
	TAKE_P50,
	TAKE_P95,
	TAKE_DELTA, /* of the counter called key, over the measured phase */
	TAKE_END,   /* of the counter called key, when that phase ends */
};

enum metric_flags {
	/*
	 * Too coarse to decide: the text of the row says where to look instead
	 * (PSI's averages; see the note in the report).
	 */
	METRIC_COARSE = 1 << 0,
	/*
	 * In /proc/vmstat without reclaim on behalf of a memcg's limit on 6.12,
	 * with it from 7.2 on: never compared across the two.
	 */
	METRIC_SCOPE = 1 << 1,
};

struct metric {
	const char *name;  /* stable, for programs: launch_ns.p50 */
	const char *group; /* heading in the text table */
	const char *label; /* for people, ASCII, at most 25 characters */
	const char *unit;
	enum metric_better better;
	enum metric_take take;
	const char *key; /* in the record's observations or counters */
	double scale;	 /* record's value times this is in @unit */
	int decimals;	 /* printed */
	unsigned int flags;
};

/* In the order of the report; metrics of a group stand together. */
extern const struct metric metrics[];
extern const size_t nr_metrics;

/**
 * metric_find() - the metric of that name, or NULL.
 */
const struct metric *metric_find(const char *name);

/**
 * metric_decides() - may a change of this metric be called better or worse?
 */
bool metric_decides(const struct metric *metric);

/**
 * metric_resolution() - in the metric's unit, the least step by which a coarse
 * one moves; NaN for all others.
 */
double metric_resolution(const struct metric *metric);

/**
 * metric_better_word() - "lower", "higher" or "none".
 */
const char *metric_better_word(enum metric_better better);

/**
 * metric_value() - the value of a metric in one record, in the metric's unit.
 * @record: as loaded and found well-formed by records_load().
 *
 * Return: true, or false when the record does not have it (the kernel lacks the
 * counter, the workload made no such observation); never a zero in its place.
 */
bool metric_value(const struct metric *metric, const json_t *record,
		  double *value);

#endif

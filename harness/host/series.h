/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters over time: of one boot as they were sampled, and of an arm as the
 * mean over its boots.
 *
 * Time is in seconds since the measured phase began. Boots enter that phase at
 * different instants, so that their samples do not meet; between two samples of
 * a boot a counter is taken to have moved evenly.
 */
#ifndef RECLAIMLAB_HOST_SERIES_H
#define RECLAIMLAB_HOST_SERIES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "compare.h"

/* No curve has more points: what a figure cannot show is not put into it. */
#define CURVE_POINTS_MAX 200
/* Nor is it of more boots of an arm: it would gain nothing. */
#define BOOTS_DRAWN 32

struct curve {
	size_t n;
	double *x, *y; /* y is NaN where there is no value */
	size_t boots;  /* that it is made of, 0 for none: then n is 0 as well */
};

/**
 * typedef curve_maker - what one boot has to show.
 * @record: as loaded by records_load(); nothing is known of its series.
 * @what: as given to series_mean().
 * @curve: on success, one point for each sample of the measured phase, x
 *	   ascending.
 *
 * Return: true, or false with nothing to free.
 */
typedef bool (*curve_maker)(const struct record *record, const void *what,
			    struct curve *curve);

/**
 * series_of_record() - a counter's samples in the measured phase, in the
 * counter's unit. A curve_maker.
 * @name: the counter, a const char *.
 */
bool series_of_record(const struct record *record, const void *name,
		      struct curve *curve);

/**
 * series_mean() - the mean over the first BOOTS_DRAWN boots of an arm, as far as
 * they have the series.
 *
 * It stands on the sample grid of the scenario (sample_ms, or a multiple when
 * that is more than CURVE_POINTS_MAX points), from the phase's begin to where
 * the shortest of the boots ends. There is no value where one of them has none.
 */
struct curve series_mean(const struct arm *arm, curve_maker make,
			 const void *what);

/**
 * curve_rate() - growth per second between the points of a curve, drawn in the
 * middle between them.
 */
struct curve curve_rate(const struct curve *curve);

/**
 * curve_has_line() - are there two neighbouring points with values?
 */
bool curve_has_line(const struct curve *curve);

/**
 * curve_alloc() - @n points at 0/0, of one boot.
 */
struct curve curve_alloc(size_t n);

void curve_free(struct curve *curve);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The few statistics a comparison needs, on the GNU Scientific Library.
 * What is not defined (the spread of one value) is NaN, never zero.
 */
#ifndef RECLAIMLAB_HOST_STATS_H
#define RECLAIMLAB_HOST_STATS_H

#include <stddef.h>

struct summary {
	size_t n;
	double mean;	 /* NaN when n is 0 */
	double sd;	 /* of the sample (n - 1); NaN when n < 2 */
	double min, max; /* NaN when n is 0 */
};

struct interval {
	double low, high;
};

/**
 * stats_summary() - mean, spread and range of @n values.
 */
struct summary stats_summary(const double *values, size_t n);

/**
 * stats_quantile() - the @p quantile (0 to 1) of @n >= 1 values, interpolated
 * linearly between order statistics; 0.5 is the median. Sorts @values.
 */
double stats_quantile(double *values, size_t n, double p);

/**
 * stats_t_interval() - two-sided Student interval of a mean.
 * @confidence: 0.95 for a 95 % interval.
 *
 * Return: the interval; both ends NaN when n < 2.
 */
struct interval stats_t_interval(const struct summary *summary,
				 double confidence);

#endif

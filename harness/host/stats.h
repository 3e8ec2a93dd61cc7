/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The few statistics of one metric, on the GNU Scientific Library. What is not
 * defined (the spread of one value) is NaN, never zero.
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

struct estimate {
	double value;	  /* NaN when there is none */
	double low, high; /* NaN when so few values allow no interval */
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
 * stats_hodges_lehmann() - where the middle of symmetric values is, with the
 * interval that Wilcoxon's signed-rank test does not reject.
 * @confidence: at least; 0.95 for a 95 % interval.
 *
 * The estimate is the median of the Walsh averages, the means of all pairs of
 * values, each with itself too; the ends of the interval are Walsh averages,
 * as far from the ends of their order as the test's exact distribution says
 * (normal from WILCOXON_EXACT values on). Hollander and Wolfe, Nonparametric
 * Statistical Methods, sections 3.2 and 3.3. For 95 %, 6 values are needed.
 */
struct estimate stats_hodges_lehmann(const double *values, size_t n,
				     double confidence);

#define WILCOXON_EXACT 50

/**
 * stats_detectable() - the true mean that a two-sided test of @n differences
 * with spread @sd would find with probability @power.
 * @alpha: of that test.
 *
 * By (t(1 - alpha/2) + t(power)) * sd / sqrt(n), Student's quantiles with n - 1
 * degrees of freedom, which is within 1 % of the noncentral t distribution for
 * n >= 6 at 80 % and 5 %.
 *
 * Return: the size; NaN when n < 2.
 */
double stats_detectable(double sd, size_t n, double alpha, double power);

/**
 * stats_holm() - Holm's step-down adjustment of @n p values (Holm 1979).
 * @adjusted: receives n; what is at most alpha there may be rejected with an
 *	      error rate of alpha for all n together.
 */
void stats_holm(const double *p, size_t n, double *adjusted);

#endif

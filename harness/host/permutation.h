/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sign-flip test of paired differences (Fisher 1935, Pitman 1937): if an
 * arm changes nothing, every pair could as well have come out the other way
 * round, so all patterns of signs are equally likely. No distribution is
 * assumed.
 */
#ifndef RECLAIMLAB_HOST_PERMUTATION_H
#define RECLAIMLAB_HOST_PERMUTATION_H

#include <stddef.h>

/* Up to so many pairs every pattern of signs is looked at. */
#define FLIPS_EXACT 16
/* For more of them so many random patterns, the same in every call. */
#define FLIPS_DRAWN 65536

/**
 * sign_flip_test() - how likely so large a mean difference is by chance.
 * @differences: of @rows metrics in @pairs pairs, those of a metric together;
 *		 0 where a pair does not have the metric.
 * @alone: receives for each metric the two-sided p of its mean: the share of
 *	   patterns, the observed one among them, whose mean is as far from 0.
 * @together: receives for each metric its p adjusted for the search through all
 *	      of them; may be NULL.
 *
 * Together means: step down, as Holm does, but held against the largest of the
 * metrics still in question under the same flips instead of Bonferroni's bound
 * on it (Westfall and Young 1993, algorithm 4.1, with |mean| / root mean square
 * as the statistic). What is at most alpha may be rejected with an error rate
 * of alpha for all metrics together, however they hang together. Ten pairs have
 * no p below 2/1024, which Holm's factor for 26 metrics or more makes greater
 * than 5 %; this one knows that metrics that move as one are one.
 */
void sign_flip_test(const double *differences, size_t rows, size_t pairs,
		    double *alone, double *together);

#endif

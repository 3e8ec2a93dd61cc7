// SPDX-License-Identifier: GPL-2.0
#include "stats.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "util.h"

struct summary stats_summary(const double *values, size_t n)
{
	struct summary s = { n, NAN, NAN, NAN, NAN };

	if (!n)
		return s;
	s.mean = gsl_stats_mean(values, 1, n);
	gsl_stats_minmax(&s.min, &s.max, values, 1, n);
	/* Equal values differ by nothing, whatever the mean was rounded to. */
	if (s.min == s.max)
		s.mean = s.min;
	if (n > 1)
		s.sd = gsl_stats_sd_m(values, 1, n, s.mean);
	return s;
}

double stats_quantile(double *values, size_t n, double p)
{
	gsl_sort(values, 1, n);
	return gsl_stats_quantile_from_sorted_data(values, 1, n, p);
}

/*
 * How many sums of signed ranks, from the lowest on, are together no likelier
 * than @tail when every rank of 1 to @n has a random sign.
 */
static size_t rare_rank_sums(size_t n, double tail)
{
	double mean = (double)n * (n + 1) / 4, below = 0;
	double sd = sqrt(mean * (2 * n + 1) / 6);
	size_t last = n * (n + 1) / 2, rare = 0;
	double *chance;

	if (n > WILCOXON_EXACT)
		return floor(mean + 0.5 + gsl_cdf_ugaussian_Pinv(tail) * sd);
	chance = xcalloc(last + 1, sizeof(*chance));
	chance[0] = 1;
	for (size_t rank = 1; rank <= n; rank++)
		for (size_t sum = last + 1; sum-- > 0;)
			chance[sum] = (chance[sum] +
				       (sum < rank ? 0 : chance[sum - rank])) /
				      2;
	while (rare <= last && below + chance[rare] <= tail)
		below += chance[rare++];
	free(chance);
	return rare;
}

struct estimate stats_hodges_lehmann(const double *values, size_t n,
				     double confidence)
{
	struct estimate e = { NAN, NAN, NAN };
	size_t rare = rare_rank_sums(n, (1 - confidence) / 2);
	size_t averages = n * (n + 1) / 2, k = 0;
	double *walsh;

	if (!n)
		return e;
	walsh = xcalloc(averages, sizeof(*walsh));
	for (size_t i = 0; i < n; i++)
		for (size_t j = i; j < n; j++)
			walsh[k++] = values[i] / 2 + values[j] / 2;
	e.value = (gsl_stats_select(walsh, 1, averages, (averages - 1) / 2) +
		   gsl_stats_select(walsh, 1, averages, averages / 2)) /
		  2;
	if (rare) {
		e.low = gsl_stats_select(walsh, 1, averages, rare - 1);
		e.high = gsl_stats_select(walsh, 1, averages, averages - rare);
	}
	free(walsh);
	return e;
}

double stats_detectable(double sd, size_t n, double alpha, double power)
{
	if (n < 2)
		return NAN;
	return (gsl_cdf_tdist_Pinv(1 - alpha / 2, n - 1) +
		gsl_cdf_tdist_Pinv(power, n - 1)) *
	       sd / sqrt(n);
}

void stats_holm(const double *p, size_t n, double *adjusted)
{
	size_t *order = xcalloc(n, sizeof(*order));
	double least = 0;

	gsl_sort_index(order, p, 1, n);
	for (size_t i = 0; i < n; i++) {
		least = fmax(least, fmin(1, p[order[i]] * (n - i)));
		adjusted[order[i]] = least;
	}
	free(order);
}

// SPDX-License-Identifier: GPL-2.0
#include "stats.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

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

struct interval stats_t_interval(const struct summary *s, double confidence)
{
	double half = NAN;

	if (s->n > 1)
		half = gsl_cdf_tdist_Pinv(0.5 + confidence / 2, s->n - 1) *
		       s->sd / sqrt(s->n);
	return (struct interval){ s->mean - half, s->mean + half };
}

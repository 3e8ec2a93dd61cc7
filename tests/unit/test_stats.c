// SPDX-License-Identifier: GPL-2.0
/* Statistics against published examples and figures worked out by hand. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */

#include <gsl/gsl_sort_double.h>
#include <math.h>

#include "stats.h"
#include "util.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-4)

static void test_summary(void **state)
{
	/* Deviations -3 -1 -1 -1 0 0 2 4, squares 32, over 7. */
	const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct summary s = stats_summary(values, 8);

	(void)state;
	assert_int_equal(s.n, 8);
	assert_near(s.mean, 5);
	assert_near(s.sd, sqrt(32.0 / 7));
	assert_near(s.min, 2);
	assert_near(s.max, 9);
}

static void test_summary_of_few(void **state)
{
	const double one = 3;
	struct summary none = stats_summary(&one, 0);
	struct summary s = stats_summary(&one, 1);

	(void)state;
	assert_true(isnan(none.mean) && isnan(none.sd));
	assert_true(isnan(none.min) && isnan(none.max));
	assert_near(s.mean, 3);
	assert_true(isnan(s.sd));
}

/* No rounding may turn ties into a spread. */
static void test_ties_have_no_spread(void **state)
{
	const double values[] = { 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 };
	struct summary s = stats_summary(values, 7);
	struct estimate e = stats_hodges_lehmann(values, 7, 0.95);

	(void)state;
	assert_true(s.mean == 0.1 && s.sd == 0);
	assert_true(e.value == 0.1 && e.low == 0.1 && e.high == 0.1);
}

static void test_quantile(void **state)
{
	double odd[] = { 9, 1, 5 }, even[] = { 4, 1, 3, 2 }, one[] = { 7 };
	double many[21];

	(void)state;
	assert_near(stats_quantile(odd, 3, 0.5), 5);
	assert_near(stats_quantile(even, 4, 0.5), 2.5);
	assert_near(stats_quantile(one, 1, 0.95), 7);
	for (int i = 0; i <= 20; i++)
		many[i] = 20 - i;
	assert_near(stats_quantile(many, 21, 0.95), 19);
}

/*
 * Hollander and Wolfe, Nonparametric Statistical Methods, table 3.1: a scale of
 * depression before and after therapy. Their examples 3.2 and 3.3 give -0.46,
 * and (-0.786, -0.010) at 96.1 %.
 */
static void test_hodges_lehmann(void **state)
{
	const double before[] = { 1.83, 0.50, 1.62, 2.48, 1.68,
				  1.88, 1.55, 3.06, 1.30 };
	const double after[] = { 0.878, 0.647, 0.598, 2.05, 1.06,
				 1.29,	1.06,  3.14,  1.29 };
	double differences[9];
	struct estimate e;

	(void)state;
	for (int i = 0; i < 9; i++)
		differences[i] = after[i] - before[i];
	e = stats_hodges_lehmann(differences, 9, 0.95);
	assert_near(e.value, -0.46);
	assert_near(e.low, -0.786);
	assert_near(e.high, -0.010);
}

/*
 * How many Walsh averages lie outside, from printed tables of the signed-rank
 * test: its critical value at two-sided 5 % and one more. Beyond the exact
 * ones, 454 and 649 were counted by enumeration.
 */
static void test_interval_ends(void **state)
{
	static const struct {
		size_t n, outside;
	} table[] = { { 6, 1 },	  { 7, 3 },    { 8, 4 },    { 9, 6 },
		      { 10, 9 },  { 12, 14 },  { 15, 26 },  { 20, 53 },
		      { 24, 82 }, { 50, 435 }, { 51, 454 }, { 60, 649 } };
	double values[60], walsh[60 * 61 / 2];

	(void)state;
	for (size_t i = 0; i < 60; i++)
		values[i] = ldexp(1, i % 8 * 6) + (double)(i * i);
	for (size_t t = 0; t < ARRAY_SIZE(table); t++) {
		size_t n = table[t].n, m = 0;
		struct estimate e = stats_hodges_lehmann(values, n, 0.95);

		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j <= i; j++)
				walsh[m++] = (values[i] + values[j]) / 2;
		gsl_sort(walsh, 1, m);
		assert_near(e.low, walsh[table[t].outside - 1]);
		assert_near(e.high, walsh[m - table[t].outside]);
	}
}

static void test_estimate_of_few(void **state)
{
	const double values[] = { 3, 1, 8, 2, 4 };
	struct estimate e = stats_hodges_lehmann(values, 0, 0.95);

	(void)state;
	assert_true(isnan(e.value) && isnan(e.low) && isnan(e.high));
	e = stats_hodges_lehmann(values, 2, 0.95);
	assert_near(e.value, 2);
	/* Five values allow no interval of 95 %. */
	e = stats_hodges_lehmann(values, 5, 0.95);
	assert_near(e.value, 3);
	assert_true(isnan(e.low) && isnan(e.high));
}

/*
 * Against the noncentral t distribution, integrated numerically; for n = 34 any
 * table of sample sizes says half a standard deviation.
 */
static void test_detectable(void **state)
{
	static const struct {
		size_t n;
		double size;
	} exact[] = { { 6, 1.43454 },
		      { 10, 0.99600 },
		      { 20, 0.66044 },
		      { 34, 0.49503 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(exact); i++)
		assert_true(fabs(stats_detectable(10, exact[i].n, 0.05, 0.8) /
					 exact[i].size -
				 10) < 0.1);
	assert_true(isnan(stats_detectable(NAN, 1, 0.05, 0.8)));
}

/* Holm (1979) by hand: 4 * 0.005, 3 * 0.01, 2 * 0.03, and never falling. */
static void test_holm(void **state)
{
	const double p[] = { 0.01, 0.04, 0.03, 0.005 };
	const double large[] = { 0.9, 0.4, 0.6 };
	double adjusted[4];

	(void)state;
	stats_holm(p, 4, adjusted);
	assert_near(adjusted[0], 0.03);
	assert_near(adjusted[1], 0.06);
	assert_near(adjusted[2], 0.06);
	assert_near(adjusted[3], 0.02);
	stats_holm(large, 3, adjusted);
	assert_true(adjusted[0] == 1 && adjusted[1] == 1 && adjusted[2] == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_summary_of_few),
		cmocka_unit_test(test_ties_have_no_spread),
		cmocka_unit_test(test_quantile),
		cmocka_unit_test(test_hodges_lehmann),
		cmocka_unit_test(test_interval_ends),
		cmocka_unit_test(test_estimate_of_few),
		cmocka_unit_test(test_detectable),
		cmocka_unit_test(test_holm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

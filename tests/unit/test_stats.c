// SPDX-License-Identifier: GPL-2.0
/* Statistics against figures worked out by hand and from printed t-tables. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */

#include <math.h>

#include "stats.h"

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
	struct interval i = stats_t_interval(&s, 0.95);

	(void)state;
	assert_true(s.mean == 0.1 && s.sd == 0);
	assert_true(i.low == 0.1 && i.high == 0.1);
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

/* Critical values as tables print them: 12.706 (1), 4.303 (2), 2.776 (4). */
static void test_t_interval(void **state)
{
	const double values[] = { 1, 2, 3, 4, 5 };
	struct summary s = stats_summary(values, 5);
	struct interval i = stats_t_interval(&s, 0.95);

	(void)state;
	assert_true(fabs(i.low - (3 - 2.776 * sqrt(0.5))) < 1e-3);
	assert_true(fabs(i.high - (3 + 2.776 * sqrt(0.5))) < 1e-3);

	s = stats_summary(values, 3); /* sd 1 */
	i = stats_t_interval(&s, 0.95);
	assert_true(fabs(i.high - (2 + 4.303 / sqrt(3))) < 1e-3);

	s = stats_summary(values, 2); /* sd 1/sqrt(2), over sqrt(2): 1/2 */
	i = stats_t_interval(&s, 0.95);
	assert_true(fabs(i.high - (1.5 + 12.706 / 2)) < 1e-3);

	s = stats_summary(values, 1);
	i = stats_t_interval(&s, 0.95);
	assert_true(isnan(i.low) && isnan(i.high));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_summary_of_few),
		cmocka_unit_test(test_ties_have_no_spread),
		cmocka_unit_test(test_quantile),
		cmocka_unit_test(test_t_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

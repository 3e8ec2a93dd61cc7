// SPDX-License-Identifier: GPL-2.0
/* Verdicts: of single rows, of tables, and of a thousand tables of chance. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "judge.h"
#include "util.h"

#define SCANS "vmstat.pgscan_kswapd"
#define RELIEF "memavail_kib.mean"
#define STACK "vmstat.nr_kernel_stack"

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-3)

#define PAIRS_MAX 10
static json_int_t seeds[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };

/* A table of one row; nothing else is asked, so it stands for itself. */
static struct row judged(const char *name, double *base, double *other,
			 size_t n)
{
	struct row row = { .metric = metric_find(name),
			   .n = n,
			   .seeds = seeds,
			   .base = base,
			   .other = other };

	judge_table(&row, 1, seeds, n ? n : 1, NULL, false);
	return row;
}

static enum verdict verdict_for(const char *name, double *base, double *other,
				size_t n)
{
	return judged(name, base, other, n).verdict;
}

/* Differences -10 ... -60: mean -35, sd sqrt(350), Walsh's 21 from end to end. */
static void test_paired_difference(void **state)
{
	double base[] = { 100, 200, 300, 400, 500, 600 };
	double other[] = { 90, 180, 270, 360, 450, 540 };
	struct row row = judged(SCANS, base, other, 6);

	(void)state;
	assert_near(row.base_summary.mean, 350);
	assert_near(row.other_summary.mean, 315);
	assert_near(row.difference.mean, -35);
	assert_near(row.difference.sd, sqrt(350));
	assert_near(row.effect.value, -35);
	assert_near(row.effect.low, -60);
	assert_near(row.effect.high, -10);
	assert_near(row.effect.value * row.scale, -10);
	assert_near(row.variation, 100 * sqrt(35000) / 350);
	assert_near(row.detectable, (2.57058 + 0.91954) * sqrt(350) / sqrt(6));
	assert_near(row.p, 2.0 / 64);
	assert_int_equal(row.verdict, VERDICT_BETTER);
}

static void test_verdicts_follow_direction(void **state)
{
	double low[] = { 100, 110, 120, 130, 140, 150 };
	double high[] = { 150, 161, 169, 182, 190, 201 };

	(void)state;
	assert_int_equal(verdict_for(SCANS, low, high, 6), VERDICT_WORSE);
	assert_int_equal(verdict_for(SCANS, high, low, 6), VERDICT_BETTER);
	assert_int_equal(verdict_for(RELIEF, low, high, 6), VERDICT_BETTER);
	assert_int_equal(verdict_for(RELIEF, high, low, 6), VERDICT_WORSE);
	/* No direction: a change is no verdict, but its absence is one. */
	assert_int_equal(verdict_for(STACK, low, high, 6), VERDICT_NOT_GIVEN);
	assert_int_equal(detected(&(struct row){ .p = NAN, .p_table = NAN }),
			 0);
	high[5] = 51;
	assert_int_equal(verdict_for(STACK, low, high, 6), VERDICT_SAME);
	assert_int_equal(verdict_for(SCANS, low, high, 6), VERDICT_SAME);
}

/* Averages of PSI are too coarse to say anything, even that nothing changed. */
static void test_averages_never_decide(void **state)
{
	double low[] = { 1, 2, 3, 4, 5, 6 }, high[] = { 2, 3, 4, 5, 6, 7 };
	struct row row = judged("psi.memory.some.avg300", low, high, 6);

	(void)state;
	assert_int_equal(row.verdict, VERDICT_NOT_GIVEN);
	assert_true(isnan(row.p) && detected(&row) == 0);
	high[5] = 1;
	assert_int_equal(verdict_for("psi.memory.some.avg300", low, high, 6),
			 VERDICT_NOT_GIVEN);
	assert_int_equal(verdict_for("psi.memory.some.avg300", low, low, 6),
			 VERDICT_IDENTICAL);
}

static void test_few_pairs_decide_nothing(void **state)
{
	double base[] = { 100, 100, 100, 100, 100, 100 };
	double other[] = { 50, 50, 50, 50, 50, 50 };

	(void)state;
	for (size_t n = 1; n < PAIRS_TO_DECIDE; n++) {
		struct row row = judged(SCANS, base, other, n);

		assert_int_equal(row.verdict, VERDICT_SAME);
		assert_true(isnan(row.effect.low) && isnan(row.detectable));
		assert_near(row.effect.value * row.scale, -50);
	}
	assert_int_equal(verdict_for(SCANS, base, other, PAIRS_TO_DECIDE),
			 VERDICT_BETTER);
	assert_int_equal(verdict_for(SCANS, base, other, 0), VERDICT_NOT_GIVEN);
	/* That there is no difference is seen in one pair. */
	assert_int_equal(verdict_for(SCANS, base, base, 1), VERDICT_IDENTICAL);
}

static void test_zero_baseline(void **state)
{
	double zero[6] = { 0 }, some[] = { 4, 5, 6, 5, 4, 5 };
	struct row row = judged(SCANS, zero, some, 6);

	(void)state;
	assert_true(isnan(row.scale) && isnan(row.variation));
	assert_int_equal(row.verdict, VERDICT_WORSE);
	row = judged(SCANS, zero, zero, 6);
	assert_true(row.scale == 0);
	assert_int_equal(row.verdict, VERDICT_IDENTICAL);
}

/*
 * Tables of chance. Their metrics are made up as well: what the bench measures
 * may change, the dice may not.
 */
#define TABLES 1000
#define ROWS 40
static struct metric made_up[ROWS]; /* the first is the primary one */
static struct row rows[ROWS];
static double base[ROWS][PAIRS_MAX], other[ROWS][PAIRS_MAX];

/*
 * Noise in common and noise of each row's own, as counters of one boot have,
 * all of Student's distribution: normal for a large @tail, wild for a small.
 * @shift in units of that is added to every other row.
 */
static void throw_dice(gsl_rng *rng, double tail, double shift)
{
	double common[PAIRS_MAX];

	for (size_t pair = 0; pair < PAIRS_MAX; pair++)
		common[pair] = gsl_ran_tdist(rng, tail);
	for (size_t i = 0; i < ROWS; i++) {
		made_up[i].better = BETTER_LOWER;
		rows[i] = (struct row){ .metric = &made_up[i],
					.n = PAIRS_MAX,
					.seeds = seeds,
					.base = base[i],
					.other = other[i] };
		for (size_t pair = 0; pair < PAIRS_MAX; pair++) {
			base[i][pair] = 1000;
			other[i][pair] = 1000 + common[pair] +
					 gsl_ran_tdist(rng, tail) +
					 (i % 2 ? shift : 0);
		}
	}
	judge_table(rows, ROWS, seeds, PAIRS_MAX, made_up, false);
}

static bool said(const struct row *row)
{
	return row->verdict == VERDICT_BETTER || row->verdict == VERDICT_WORSE;
}

/* How many rows from @first on by @step have a verdict? */
static size_t count_said(size_t first, size_t step)
{
	size_t n = 0;

	for (size_t i = first; i < ROWS; i += step)
		n += said(&rows[i]);
	return n;
}

/*
 * No table of one arm against itself may speak in more than 5 of 100 cases;
 * nor, beside rows that did change, may those that did not. And not by silence:
 * a test of 5 % errs about as often. For the primary metric that is 25/512 to
 * the digit, 49 of 1000 give or take 7, so twice that is allowed.
 */
static void test_false_alarms(void **state)
{
	static const double tails[] = { 1e6, 3 };
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	(void)state;
	gsl_rng_set(rng, 1);
	for (size_t i = 0; i < ARRAY_SIZE(tails); i++) {
		size_t family = 0, primary = 0, beside = 0;

		for (size_t table = 0; table < TABLES; table++) {
			throw_dice(rng, tails[i], 0);
			family += count_said(1, 1) > 0;
			primary += said(&rows[0]);
			throw_dice(rng, tails[i], 3);
			beside += count_said(2, 2) > 0;
		}
		print_message("# t(%g): of %d A/A tables %zu speak, %zu of the "
			      "primary metric; beside real effects %zu\n",
			      tails[i], TABLES, family, primary, beside);
		assert_in_range(family, 25, 50);
		assert_in_range(primary, 35, 63);
		assert_in_range(beside, 1, 50);
	}
	gsl_rng_free(rng);
}

/* What is there is found, in tables of ten pairs already. */
static void test_power(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	size_t found = 0;

	(void)state;
	for (int table = 0; table < 100; table++) {
		throw_dice(rng, 1e6, 3);
		found += count_said(1, 2);
	}
	print_message("# %zu of %d real effects found\n", found,
		      100 * ROWS / 2);
	assert_in_range(found, 80 * ROWS / 2, 100 * ROWS / 2);
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paired_difference),
		cmocka_unit_test(test_verdicts_follow_direction),
		cmocka_unit_test(test_averages_never_decide),
		cmocka_unit_test(test_few_pairs_decide_nothing),
		cmocka_unit_test(test_zero_baseline),
		cmocka_unit_test(test_false_alarms),
		cmocka_unit_test(test_power),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

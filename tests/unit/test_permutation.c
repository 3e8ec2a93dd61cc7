// SPDX-License-Identifier: GPL-2.0
/*
 * The sign-flip test against published figures and against the same answers
 * found in other ways.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "permutation.h"

#define assert_near(a, b, by) assert_true(fabs((a) - (b)) <= (by))

/*
 * Darwin's maize, crossed minus self-fertilised, eighths of an inch. Fisher,
 * The Design of Experiments (1935), section 21: 863 of 32768 patterns have a
 * sum of 314 or more; so 1726 are as far from zero.
 */
static const double maize[] = { 49, -67, 8,  16, 6,  23, 28, 41,
				14, 29,	 56, 24, 75, 60, -48 };

static void test_darwins_maize(void **state)
{
	double p;

	(void)state;
	sign_flip_test(maize, 1, 15, &p, NULL);
	assert_near(p * 32768, 1726, 1e-6);
}

/* The same p without patterns: how many of them have which sum, pair by pair. */
static double p_by_counting(const int *values, size_t n)
{
	static double ways[2001], next[2001]; /* sum + 1000 */
	double extreme = 0, all = 0;
	int sum = 0;

	memset(ways, 0, sizeof(ways));
	ways[1000] = 1;
	for (size_t i = 0; i < n; i++) {
		memset(next, 0, sizeof(next));
		for (int s = 0; s <= 2000; s++) {
			if (!ways[s])
				continue;
			next[s + values[i]] += ways[s];
			next[s - values[i]] += ways[s];
		}
		memcpy(ways, next, sizeof(ways));
		sum += values[i];
	}
	for (int s = 0; s <= 2000; s++) {
		all += ways[s];
		if (abs(s - 1000) >= abs(sum))
			extreme += ways[s];
	}
	return extreme / all;
}

/* Many of them, with ties and zeros: both sides of the border, too. */
static void test_against_counting(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 40; n++) {
		/* Drawn patterns stray by four standard errors at most. */
		double stray = n > FLIPS_EXACT ? 4 * 0.5 / 256 : 1e-12, p;
		double values[40];
		int whole[40];

		for (size_t i = 0; i < n; i++)
			values[i] = whole[i] = (int)(i * i * 7 % 19) - 5;
		sign_flip_test(values, 1, n, &p, NULL);
		assert_near(p, p_by_counting(whole, n), stray);
	}
}

static void test_least_p(void **state)
{
	const double ones[500] = { [0 ... 499] = 0.1 };
	double p;

	(void)state;
	for (int n = 1; n <= FLIPS_EXACT; n++) {
		sign_flip_test(ones, 1, n, &p, NULL);
		assert_near(p, ldexp(2, -n), 1e-12);
	}
	/* Never zero: the observed pattern is one of them. */
	sign_flip_test(ones, 1, 500, &p, NULL);
	assert_near(p, 1.0 / (FLIPS_DRAWN + 1), 1e-12);
}

static void test_no_difference(void **state)
{
	const double zero[12] = { 0 };
	double p[2], together[2];

	(void)state;
	sign_flip_test(zero, 2, 6, p, together);
	assert_true(p[0] == 1 && p[1] == 1);
	assert_true(together[0] == 1 && together[1] == 1);
}

#define ROWS 4
#define PAIRS 7

/*
 * By closed testing (Marcus, Peritz and Gabriel 1976), which the step-down way
 * shortens: a metric's adjusted p is the largest among the p of every set of
 * metrics that it is in, each judged by its greatest statistic.
 */
static double p_by_closure(double v[ROWS][PAIRS], int row)
{
	double worst = 0, t[ROWS][1 << PAIRS];

	for (int r = 0; r < ROWS; r++) {
		for (int signs = 0; signs < 1 << PAIRS; signs++) {
			double sum = 0, squares = 0;

			for (int i = 0; i < PAIRS; i++) {
				sum += signs >> i & 1 ? -v[r][i] : v[r][i];
				squares += v[r][i] * v[r][i];
			}
			t[r][signs] = sum * sum / squares;
		}
	}
	for (int set = 1; set < 1 << ROWS; set++) {
		int extreme = 0;
		double bar = 0;

		if (!(set >> row & 1))
			continue;
		for (int r = 0; r < ROWS; r++)
			if (set >> r & 1)
				bar = fmax(bar, t[r][0]);
		for (int signs = 0; signs < 1 << PAIRS; signs++) {
			bool hit = false;

			for (int r = 0; r < ROWS; r++)
				hit |= set >> r & 1 &&
				       t[r][signs] >= bar * (1 - 1e-12);
			extreme += hit;
		}
		worst = fmax(worst, extreme / (double)(1 << PAIRS));
	}
	return worst;
}

static void test_together_is_closed_testing(void **state)
{
	double v[ROWS][PAIRS] = {
		{ 5, 4, 6, 5, 7, 4, 5 },    /* beyond doubt */
		{ 5, 4, 6, 5, 7, 4, 5.01 }, /* nearly the same metric */
		{ -3, 1, -2, -4, 1, -5, -3 },
		{ 1, -1, 2, 0, 0, -2, 1 },
	};
	double p[ROWS], together[ROWS];

	(void)state;
	sign_flip_test(*v, ROWS, PAIRS, p, together);
	for (int row = 0; row < ROWS; row++) {
		assert_near(together[row], p_by_closure(v, row), 1e-12);
		assert_true(together[row] >= p[row]);
	}
	/* What is one metric under two names pays once: 2/128, not 4/128. */
	assert_near(together[0], 2.0 / 128, 1e-12);
	assert_near(together[1], 2.0 / 128, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_darwins_maize),
		cmocka_unit_test(test_against_counting),
		cmocka_unit_test(test_least_p),
		cmocka_unit_test(test_no_difference),
		cmocka_unit_test(test_together_is_closed_testing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/* Counters over time, against means that were worked out by hand. */
#include "synthetic.h"

#include <math.h>

#include "series.h"

#define NAME "psi.memory.some.total"
#define S 1000000 /* microseconds */

/* An arm of up to two boots. */
struct boots {
	struct record records[2];
	struct arm arm;
};

/* As records_load() takes a record from its text. */
static void add_boot(struct boots *boots, json_t *json)
{
	struct record *record = &boots->records[boots->arm.n++];
	char *text = json_dumps(json, 0);
	size_t len = history_cut(&record->history, text, strlen(text));

	json_decref(json);
	record->json = json_loadb(text, len, 0, NULL);
	free(text);
	assert_null(history_adopt(&record->history, record->json));
	boots->arm.records = boots->records;
}

static void drop_boots(struct boots *boots)
{
	for (size_t i = 0; i < boots->arm.n; i++) {
		json_decref(boots->records[i].json);
		history_free(&boots->records[i].history);
	}
}

static json_t *boot(json_int_t measure, json_int_t done, const json_int_t *us,
		    const json_int_t *values, size_t n)
{
	json_t *record = make_record("arm", 1);

	set_times(record, "1000", measure, done, us, n);
	set_series(record, NAME, values, n);
	return record;
}

/*
 * Samples of the first boot, seconds of its phase and values:
 *	0 10	0.5 20	1.5 40	2.5 40	3 50
 * so it is 10, 30, 40, 50 at 0, 1, 2, 3. Of the second:
 *	0 0	1 100	2 100	2.8 180
 */
static void put_example(struct boots *boots)
{
	static const json_int_t us_a[] = { 2 * S, 3 * S - S / 2, 3 * S, 4 * S,
					   5 * S, 5 * S + S / 2, 6 * S };
	static const json_int_t a[] = { 7, 10, 20, 40, 40, 50, 99 };
	static const json_int_t us_b[] = { 3 * S, 4 * S, 5 * S,
					   5 * S + 4 * S / 5 };
	static const json_int_t b[] = { 0, 100, 100, 180 };

	add_boot(boots, boot(us_a[1], us_a[5], us_a, a, ARRAY_SIZE(a)));
	add_boot(boots, boot(us_b[0], us_b[3], us_b, b, ARRAY_SIZE(b)));
}

static void assert_curve(const struct curve *curve, const double *x,
			 const double *y, size_t n)
{
	assert_int_equal(curve->n, n);
	for (size_t i = 0; i < n; i++) {
		assert_true(fabs(curve->x[i] - x[i]) < 1e-9);
		if (isnan(y[i]))
			assert_true(isnan(curve->y[i]));
		else
			assert_true(fabs(curve->y[i] - y[i]) < 1e-9);
	}
}

static void test_one_boot(void **state)
{
	static const double x[] = { 0, 1, 2, 3 }, y[] = { 10, 30, 40, 50 };
	struct boots boots = { 0 };
	struct curve mean;

	(void)state;
	put_example(&boots);
	boots.arm.n = 1;
	mean = series_mean(&boots.arm, series_of_record, NAME);
	assert_curve(&mean, x, y, ARRAY_SIZE(x));
	assert_int_equal(mean.boots, 1);
	curve_free(&mean);
	boots.arm.n = 2;
	drop_boots(&boots);
}

static void test_mean(void **state)
{
	static const double x[] = { 0, 1, 2 }, y[] = { 5, 65, 70 };
	static const double rate_x[] = { 0.5, 1.5 }, rate_y[] = { 60, 5 };
	struct boots boots = { 0 };
	struct curve mean, rate;

	(void)state;
	put_example(&boots);
	mean = series_mean(&boots.arm, series_of_record, NAME);
	assert_curve(&mean, x, y, ARRAY_SIZE(x));
	assert_int_equal(mean.boots, 2);
	rate = curve_rate(&mean);
	assert_curve(&rate, rate_x, rate_y, ARRAY_SIZE(rate_x));
	curve_free(&rate);
	curve_free(&mean);
	drop_boots(&boots);
}

/* A value that one boot does not have is none of the arm's. */
static void test_gap(void **state)
{
	static const json_int_t us[] = { 0, S, 2 * S, 3 * S, 4 * S };
	static const json_int_t a[] = { 1, NO_VALUE, 3, 4, 5 };
	static const json_int_t b[] = { 1, 2, 3, 4, 7 };
	static const double x[] = { 0, 1, 2, 3, 4 }, y[] = { 1, NAN, 3, 4, 6 };
	struct boots boots = { 0 };
	struct curve mean;

	(void)state;
	add_boot(&boots, boot(0, 4 * S, us, a, ARRAY_SIZE(us)));
	add_boot(&boots, boot(0, 4 * S, us, b, ARRAY_SIZE(us)));
	mean = series_mean(&boots.arm, series_of_record, NAME);
	assert_curve(&mean, x, y, ARRAY_SIZE(x));
	assert_true(curve_has_line(&mean));
	mean.n = 3; /* 1, none, 3: points, but no line */
	assert_false(curve_has_line(&mean));
	curve_free(&mean);
	drop_boots(&boots);
}

/* Of 1001 samples every sixth makes a curve: 167 points, the last at 996. */
static void test_thin(void **state)
{
	json_int_t us[1001], values[ARRAY_SIZE(us)];
	struct boots boots = { 0 };
	struct curve mean;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(us); i++) {
		us[i] = (json_int_t)i * S;
		values[i] = (json_int_t)i * 3;
	}
	add_boot(&boots, boot(0, 1000 * S, us, values, ARRAY_SIZE(us)));
	mean = series_mean(&boots.arm, series_of_record, NAME);
	assert_int_equal(mean.n, 167);
	for (size_t i = 0; i < mean.n; i++) {
		assert_true(fabs(mean.x[i] - 6 * (double)i) < 1e-9);
		assert_true(fabs(mean.y[i] - 18 * (double)i) < 1e-9);
	}
	curve_free(&mean);
	drop_boots(&boots);
}

static void assert_no_series(json_t *record, const char *name)
{
	struct boots boots = { 0 };
	struct curve mean;

	add_boot(&boots, record);
	mean = series_mean(&boots.arm, series_of_record, name);
	assert_int_equal(mean.n, 0);
	assert_int_equal(mean.boots, 0);
	curve_free(&mean);
	drop_boots(&boots);
}

/* What a file can hold instead of a series. */
static void test_no_series(void **state)
{
	static const json_int_t us[] = { 0, S, 2 * S };
	static const json_int_t back[] = { 0, 2 * S, S };
	static const json_int_t values[] = { 1, 2, 3 };
	json_t *record;

	(void)state;
	assert_no_series(make_record("arm", 1), NAME);
	assert_no_series(boot(0, 2 * S, us, values, 3), "another");
	assert_no_series(boot(0, 2 * S, back, values, 3), NAME);
	assert_no_series(boot(5 * S, 6 * S, us, values, 3), NAME);
	record = boot(0, 2 * S, us, values, 3);
	set_times(record, "1000", 0, S, us, 2); /* one instant less */
	assert_no_series(record, NAME);
	record = boot(0, 2 * S, us, values, 3);
	json_object_del(record, "phases");
	assert_no_series(record, NAME);
	record = boot(0, 2 * S, us, values, 3);
	SET_TEXT(record, "often", "conditions", "job", "sample_ms");
	assert_no_series(record, NAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_boot),  cmocka_unit_test(test_mean),
		cmocka_unit_test(test_gap),	  cmocka_unit_test(test_thin),
		cmocka_unit_test(test_no_series),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

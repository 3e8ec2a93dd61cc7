// SPDX-License-Identifier: GPL-2.0
/* Series out of a record's text, packed, and where two of them part. */
#include "synthetic.h"

#include <inttypes.h>
#include <math.h>

#include "history.h"

/* The history of counters' text; the record stays with the caller. */
static json_t *take(const char *counters, struct history *h)
{
	char *copy = xasprintf("{\"counters\": %s}", counters);
	size_t len;
	json_t *json;

	memset(h, 0, sizeof(*h));
	len = history_cut(h, copy, strlen(copy));
	assert_int_equal(len, strlen(copy));
	json = json_loads(copy, JSON_REJECT_DUPLICATES, NULL);
	free(copy);
	return json;
}

static void adopt(const char *text, struct history *h)
{
	json_t *json = take(text, h);

	assert_non_null(json);
	assert_null(history_adopt(h, json));
	json_decref(json);
}

static bool same(const struct history *a, const struct history *b)
{
	char in_a[65], in_b[65];

	history_digest(a, in_a);
	history_digest(b, in_b);
	return !strcmp(in_a, in_b);
}

/* Series of one counter that differ at one sample only, wherever that is. */
static void test_first_difference(void **state)
{
	static const int64_t steps[] = {
		0, 1, -1, 63, 64, -64, -65, 100000, INT64_MAX, INT64_MIN
	};
	struct history a, b;
	size_t sample;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(steps); j++) {
			char *one =
				xasprintf("{\"c\": {\"series\": [null, 700, "
					  "%" PRId64 ", 9]}}",
					  steps[i]);
			char *two = xasprintf(
				"{\"c\":{\"series\":[null,700,%" PRId64
				",\n9]}}",
				steps[j]);

			adopt(one, &a);
			adopt(two, &b);
			assert_int_equal(same(&a, &b), i == j);
			if (i == j) {
				assert_null(history_parting(&a, &b, &sample));
			} else {
				assert_string_equal(
					history_parting(&a, &b, &sample), "c");
				assert_int_equal(sample, 2);
			}
			history_free(&a);
			history_free(&b);
			free(one);
			free(two);
		}
	}
}

/* The earliest sample, of its counters the first by name; order is no matter. */
static void test_parting(void **state)
{
	const char *one = "{\"d\": {\"series\": [1, 2, 3]}, \"x\": {},"
			  " \"b\": {\"series\": [1, 2, 3]},"
			  " \"a\": {\"series\": [5, 5, 5]},"
			  " \"c\": {\"series\": [null, 1, 1]}}";
	const char *two = "{\"a\": {\"series\": [5, 5, 6]},"
			  " \"b\": {\"series\": [1, 9, 3]},"
			  " \"only\": {\"series\": [0, 0, 0]},"
			  " \"c\": {\"series\": [null, 0, 1]},"
			  " \"d\": {\"series\": [1, 2]}}";
	struct history a, b;
	size_t sample;

	(void)state;
	adopt(one, &a);
	adopt(two, &b);
	assert_string_equal(history_parting(&a, &b, &sample), "b");
	assert_int_equal(sample, 1);
	assert_string_equal(history_parting(&b, &a, &sample), "b");
	assert_false(same(&a, &b));
	history_free(&b);
	adopt(one, &b);
	assert_true(same(&a, &b));
	history_free(&a);
	/* Shorter by one is different where it ends. */
	adopt("{\"d\": {\"series\": [1, 2]}}", &a);
	assert_string_equal(history_parting(&a, &b, &sample), "d");
	assert_int_equal(sample, 2);
	history_free(&a);
	history_free(&b);
}

/* What is no array of whole numbers is left for the parser to judge. */
static void test_other_arrays(void **state)
{
	static const char *const texts[] = {
		"{\"c\": {\"series\": [1.5]}}",
		"{\"c\": {\"series\": [\"1\"]}}",
		"{\"c\": {\"series\": [[1]]}}",
		"{\"c\": {\"series\": {\"series\": 1}}}",
		"{\"c\": {\"series\": null}}",
		"{\"c\": {\"series\": 0}}",
		"{\"c\": {\"series\": -1}}",
		"{\"c\": {\"series\": [99999999999999999999]}}",
		"{\"c\": {\"series\": [9223372036854775808]}}",
	};
	struct history h;
	json_t *stray;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		json_t *json = take(texts[i], &h), *same;

		same = json_loads(texts[i], 0, NULL);
		assert_true(same ? json_equal(same,
					      json_object_get(json, "counters"))
				 : !json);
		if (json)
			assert_string_equal(history_adopt(&h, json), "c");
		json_decref(json);
		json_decref(same);
		history_free(&h);
	}
	/* A number that was there already is nobody's series, or another's. */
	stray = take("{\"b\": {\"series\": [1]}, \"c\": {\"series\": 0}}", &h);
	assert_string_equal(history_adopt(&h, stray), "c");
	json_decref(stray);
	history_free(&h);
	/* A series that belongs to no counter. */
	stray = take("{\"c\": {\"delta\": 1}, \"o\": [{\"series\": [1]}]}", &h);
	assert_non_null(stray);
	assert_string_equal(history_adopt(&h, stray), "series");
	json_decref(stray);
	history_free(&h);
	/* Broken before is broken after, and within a string it is no key. */
	assert_null(take("{\"c\": {\"series\": [1, 2", &h));
	history_free(&h);
	assert_null(take("{\"c\": {\"series\": [1 2]}}", &h));
	history_free(&h);
	adopt("{\"c \\\"series\\\": [1]\": {}}", &h);
	assert_int_equal(h.nr_counters, 0);
	history_free(&h);
}

/* What goes in comes out, in runs and without, and with it the instants. */
static void test_values(void **state)
{
	static const double all[] = { NAN, 7, 7, 7, NAN, 7,   -7,   0,
				      0,   0, 0, 5, NAN, NAN, 1e15, 1e15 };
	char text[] = "{\"counters\": {\"z\": {\"series\": [0, 0]}, \"c\": "
		      "{\"series\": [null, 7, 7, 7, null, 7, -7, 0, 0, 0, 0, 5,"
		      " null, null, 1000000000000000, 1000000000000000]}, "
		      "\"e\": {\"series\": []}}, \"sample_us\": [100, 300]}";
	struct history h = { 0 };
	size_t n = history_cut(&h, text, strlen(text));
	json_t *json = json_loadb(text, n, 0, NULL);
	double *values;

	(void)state;
	assert_null(history_adopt(&h, json));
	json_decref(json);
	assert_int_equal(h.nr_counters, 2);
	values = history_values(&h, "c", &n);
	assert_int_equal(n, ARRAY_SIZE(all));
	for (size_t i = 0; i < n; i++)
		assert_true(isnan(all[i]) ? isnan(values[i])
					  : values[i] == all[i]);
	free(values);
	assert_null(history_values(&h, "e", &n));
	values = history_times(&h, &n);
	assert_int_equal(n, 2);
	assert_true(values[0] == 100 && values[1] == 300);
	free(values);
	history_free(&h);
}

static void adopt_instants(const char *instants, struct history *h)
{
	char *text = xasprintf("{\"counters\": {\"c\": {\"series\": [1, 2]}}, "
			       "\"sample_us\": %s}",
			       instants);
	json_t *json;

	memset(h, 0, sizeof(*h));
	json = json_loadb(text, history_cut(h, text, strlen(text)), 0, NULL);
	free(text);
	assert_null(history_adopt(h, json));
	json_decref(json);
}

/* Boots whose counters agree differ if they were sampled at other instants. */
static void test_instants(void **state)
{
	static const char *const others[] = { "[100, 301]", "[100]",
					      "[100, null]" };
	struct history a, b;
	size_t sample;

	(void)state;
	adopt_instants("[100, 300]", &a);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		adopt_instants(others[i], &b);
		assert_false(same(&a, &b));
		assert_string_equal(history_parting(&a, &b, &sample),
				    "sample_us");
		assert_int_equal(sample, 1);
		history_free(&b);
	}
	history_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_difference),
		cmocka_unit_test(test_parting),
		cmocka_unit_test(test_other_arrays),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_instants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

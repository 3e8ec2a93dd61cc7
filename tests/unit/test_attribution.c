// SPDX-License-Identifier: GPL-2.0
/* Why pressure rose: from means of sites and waits to the words. */
#include "synthetic.h"

#include <stdio.h>

#include "attribution.h"
#include "report.h"

/* Every counter is there and zero in both arms. */
static int setup(void **state)
{
	struct pairing *pairing = xcalloc(1, sizeof(*pairing));

	pairing->rows = xcalloc(nr_metrics, sizeof(*pairing->rows));
	for (size_t i = 0; i < nr_metrics; i++) {
		pairing->rows[i].metric = &metrics[i];
		pairing->rows[i].n = 1;
	}
	*state = pairing;
	return 0;
}

static int teardown(void **state)
{
	struct pairing *pairing = *state;

	free(pairing->rows);
	free(pairing);
	return 0;
}

static void put(struct pairing *pairing, const char *name, double base,
		double other)
{
	struct row *row = &pairing->rows[metric_find(name) - metrics];

	row->base_summary.mean = base;
	row->other_summary.mean = other;
}

static void put_psi(struct pairing *pairing, double base, double other)
{
	put(pairing, "psi.memory.some.total", base, other);
}

static void assert_says(const struct pairing *pairing, const char *words)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	report_attribution(out, pairing);
	fclose(out);
	/* The lines are joined: where one breaks is not the point. */
	for (char *c = text; (c = strchr(c, '\n'));)
		*c = ' ';
	for (char *c; (c = strstr(text, "  "));)
		memmove(c, c + 1, strlen(c));
	if (!strstr(text, words))
		fail_msg("\"%s\" is not in \"%s\"", words, text);
	free(text);
}

/* The thread's case: the same reads, now counted. */
static void test_only_counted(void **state)
{
	struct pairing *p = *state;
	struct attribution a;

	put_psi(p, 100, 130);
	put(p, "stall.kswapd_us", 90, 90);
	put(p, "stall.text_us", 10, 40);
	put(p, "wait.text.counted_us", 12, 44);
	put(p, "wait.text.uncounted_us", 60, 25);
	assert_true(attribution_make(p, &a));
	assert_true(a.adds_up);
	assert_float_equal(a.rise, 30, 1e-9);
	assert_float_equal(a.relabelled, 30, 1e-9);
	assert_says(p, "memory some rose by 30.0 ms: 30.0 ms are reads of "
		       "executable text that the baseline waited for without "
		       "counting it");
}

/* No more than what is missing from the uncounted waits. */
static void test_part_is_new(void **state)
{
	struct pairing *p = *state;
	struct attribution a;

	put_psi(p, 100, 200);
	put(p, "stall.kswapd_us", 90, 150);
	put(p, "stall.text_us", 10, 50);
	put(p, "wait.text.uncounted_us", 60, 35);
	assert_true(attribution_make(p, &a));
	assert_float_equal(a.relabelled, 25, 1e-9);
	assert_says(p, "75.0 ms (75 %) are new waiting");
}

static void test_all_is_new(void **state)
{
	struct pairing *p = *state;

	put_psi(p, 100, 200);
	put(p, "stall.direct_reclaim_us", 100, 200);
	put(p, "wait.text.uncounted_us", 60, 20);
	assert_says(p, "rose by 100.0 ms: all of it is new waiting");
}

static void test_fall(void **state)
{
	struct pairing *p = *state;

	put_psi(p, 100, 90);
	put(p, "stall.kswapd_us", 90, 65);
	put(p, "stall.text_us", 10, 25);
	put(p, "wait.text.uncounted_us", 60, 35);
	assert_says(p, "memory some fell by 10.0 ms, although 15.0 ms are "
		       "counted now that the baseline waited for without "
		       "counting: real waiting fell by 25.0 ms.");
}

static void test_does_not_add_up(void **state)
{
	struct pairing *p = *state;
	struct attribution a;

	put_psi(p, 100, 200);
	put(p, "stall.kswapd_us", 98, 196.1);
	assert_true(attribution_make(p, &a));
	assert_true(a.adds_up);
	put(p, "stall.kswapd_us", 98, 195.9);
	assert_true(attribution_make(p, &a));
	assert_false(a.adds_up);
	assert_says(p, "do NOT add up");
}

static void test_absent(void **state)
{
	struct pairing *p = *state;
	struct attribution a;

	p->rows[metric_find("stall.memcg_us") - metrics].n = 0;
	assert_false(attribution_make(p, &a));
	assert_says(p, "");
}

#define TEST(function) \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_only_counted),    TEST(test_part_is_new),
		TEST(test_all_is_new),	    TEST(test_fall),
		TEST(test_does_not_add_up), TEST(test_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

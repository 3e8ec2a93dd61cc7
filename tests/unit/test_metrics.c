// SPDX-License-Identifier: GPL-2.0
/* The table of metrics, and how each value is taken from a record. */
#include "synthetic.h"

#include <ctype.h>
#include <math.h>

#include "metrics.h"

static double value_of(const char *name, const json_t *record)
{
	const struct metric *metric = metric_find(name);
	double value = NAN;

	assert_non_null(metric);
	assert_true(metric_value(metric, record, &value));
	return value;
}

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* What other programs and the text table rely on. */
static void test_table_is_sound(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_metrics; i++) {
		const struct metric *m = &metrics[i];

		assert_ptr_equal(metric_find(m->name), m);
		assert_true(strlen(m->label) <= 25);
		assert_true(m->scale > 0);
		for (const char *c = m->label; *c; c++)
			assert_true(*c >= ' ' && *c <= '~');
		/* Groups stand together: a heading appears once. */
		for (size_t j = 0; j + 1 < i; j++)
			if (!strcmp(metrics[j].group, m->group))
				assert_string_equal(metrics[i - 1].group,
						    m->group);
	}
	assert_null(metric_find("vmstat.no_such_counter"));
}

/* The rows of the phone's report that this program exists to reproduce. */
static void test_rows_of_the_thread(void **state)
{
	static const char *const names[] = {
		"launch_ns.p50",	  "memavail_kib.mean",
		"vmstat.pgsteal_kswapd",  "vmstat.pgscan_kswapd",
		"vmstat.pgsteal_direct",  "vmstat.pgscan_direct",
		"vmstat.pgsteal_anon",	  "vmstat.pgscan_anon",
		"vmstat.pgsteal_file",	  "vmstat.pgscan_file",
		"psi.memory.some.avg10",  "psi.memory.some.avg60",
		"psi.memory.some.avg300", "psi.memory.full.avg10",
		"psi.memory.full.avg60",  "psi.memory.full.avg300",
		"vmstat.nr_kernel_stack",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_non_null(metric_find(names[i]));
}

static void test_directions(void **state)
{
	(void)state;
	assert_int_equal(metric_find("launch_ns.p50")->better, BETTER_LOWER);
	assert_int_equal(metric_find("memavail_kib.mean")->better,
			 BETTER_HIGHER);
	assert_true(metric_decides(metric_find("psi.memory.some.total")));
	assert_false(metric_decides(metric_find("psi.memory.some.avg300")));
	assert_false(metric_decides(metric_find("vmstat.nr_kernel_stack")));
}

static void test_values_and_units(void **state)
{
	const json_int_t launches[] = { 3000000, 1000000, 2000000, 6000000 };
	const json_int_t available[] = { 1024, 3072 };
	json_t *record = make_record("a", 1);

	(void)state;
	set_observations(record, "launch_ns", launches, 4);
	set_observations(record, "memavail_kib", available, 2);
	set_counter(record, "vmstat.pgscan_kswapd", 100, 350);
	set_counter(record, "disk.sectors_read", 0, 4096);
	set_counter(record, "psi.memory.some.total", 1000, 3500);
	set_counter(record, "psi.memory.some.avg300", 0, 37);
	set_counter(record, "vmstat.nr_kernel_stack", 900, 1200);

	assert_near(value_of("launch_ns.p50", record), 2.5);
	assert_near(value_of("launch_ns.p95", record), 5.55);
	assert_near(value_of("launch_ns.mean", record), 3);
	assert_near(value_of("memavail_kib.mean", record), 2);
	assert_near(value_of("vmstat.pgscan_kswapd", record), 250);
	assert_near(value_of("disk.sectors_read", record), 2);
	assert_near(value_of("psi.memory.some.total", record), 2.5);
	assert_near(value_of("psi.memory.some.avg300", record), 0.37);
	assert_near(value_of("vmstat.nr_kernel_stack", record), 1200);
	json_decref(record);
}

/* Absent is not zero: nothing there, no launches made, null in the record. */
static void test_absent(void **state)
{
	json_t *record = make_record("a", 1);
	const struct metric *scans = metric_find("vmstat.pgscan_kswapd");
	double value;

	(void)state;
	for (size_t i = 0; i < nr_metrics; i++)
		assert_false(metric_value(&metrics[i], record, &value));
	set_observations(record, "launch_ns", NULL, 0);
	assert_false(
		metric_value(metric_find("launch_ns.p50"), record, &value));
	json_object_set_new(
		json_object_get(record, "counters"), "vmstat.pgscan_kswapd",
		json_pack("{s:n, s:i, s:n}", "start", "end", 5, "delta"));
	assert_false(metric_value(scans, record, &value));

	/* And zero is not absent. */
	set_counter(record, "vmstat.pgscan_kswapd", 7, 7);
	assert_true(metric_value(scans, record, &value));
	assert_near(value, 0);
	json_decref(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_is_sound),
		cmocka_unit_test(test_rows_of_the_thread),
		cmocka_unit_test(test_directions),
		cmocka_unit_test(test_values_and_units),
		cmocka_unit_test(test_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/* Native runs: what an arm's name stands for, which stream makes which record. */
#include "streams.h"

#include <sys/utsname.h>

#include "native.h"
#include "pairs.h"

static struct recipe_arm recipe_arms[] = { { .label = (char *)"a",
					     .line = 1 } };
static struct recipe recipe = { .id = (char *)"r",
				.arms = recipe_arms,
				.nr_arms = 1 };
static struct scenario scenario = { .name = (char *)"s",
				    .workload = (char *)"cycle",
				    .primary = (char *)"launch_ns.p50",
				    .sha256 = "0123" };

static int setup_group(void **state)
{
	(void)state;
	pairs_add(&recipe_arms[0].switches, "rule", "2");
	pairs_add(&recipe_arms[0].switches, "exec", "1");
	pairs_add(&scenario.set, "memcg_max_mib", "96");
	return 0;
}

static int teardown_group(void **state)
{
	(void)state;
	pairs_free(&recipe_arms[0].switches);
	pairs_free(&scenario.set);
	return 0;
}

static void test_arms(void **state)
{
	struct native_arm arm;
	struct utsname name;
	char *error = NULL, *here;

	(void)state;
	assert_int_equal(native_arm_resolve("a", &recipe, &arm, &error), 0);
	assert_string_equal(arm.text, "rule=2 exec=1");
	assert_true(native_arm_is_here(&arm));
	native_arm_free(&arm);

	assert_int_equal(uname(&name), 0);
	here = xasprintf("old=%s", name.release);
	assert_int_equal(native_arm_resolve(here, NULL, &arm, &error), 0);
	assert_string_equal(arm.label, "old");
	assert_string_equal(arm.text, "");
	assert_true(native_arm_is_here(&arm));
	native_arm_free(&arm);
	free(here);

	assert_int_equal(native_arm_resolve("new=0.1", NULL, &arm, &error), 0);
	assert_false(native_arm_is_here(&arm));
	native_arm_free(&arm);
}

static void test_bad_arms(void **state)
{
	static const struct {
		const char *spec;
		bool with_recipe;
		const char *line;
	} bad[] = {
		{ "b", true, "no arm b; there are: a" },
		{ "a", false, "name a --recipe" },
		{ "new=", true, "LABEL=RELEASE" },
		{ "=6.12", true, "arm =6.12: " },
		{ "../a=6.12", true, "arm ../a=6.12: " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct native_arm arm;
		char *error = NULL;

		assert_int_equal(
			native_arm_resolve(bad[i].spec,
					   bad[i].with_recipe ? &recipe : NULL,
					   &arm, &error),
			-1);
		if (!strstr(error, bad[i].line))
			fail_msg("row %zu: %s", i, error);
		free(error);
	}
}

#define SWITCHES "rule=2 exec=1"

static uint32_t crc(const char *text)
{
	return rl_crc32(text, strlen(text));
}

/* A stream in @dir of what was done with @seed and @switches; its path. */
static char *make_stream(const char *dir, long long seed, const char *switches,
			 const char *end)
{
	char *path = xasprintf("%s/stream", dir);
	char *job = scenario_job(&scenario, seed);
	char *begin = xasprintf(
		"begin format=1 kernel=6.12.9 arch=x86_64 page=4096 cpus=2 "
		"memtotal_kib=2000000 workload=cycle seed=%lld native=1 "
		"version=00000001 config=00000002 swap_kib=1048576 job=%08x "
		"arm=%08x",
		seed, crc(job), crc(switches));
	const char *lines[] = { begin,
				"note left out: zram_mib 256 (none)",
				"note something else",
				"name 0 vmstat.pgscan",
				"phase 1 measure",
				"sample 1 0=5",
				"obs launch_ns 7",
				"phase 2 done",
				"sample 2 0=9",
				end,
				NULL };
	size_t len;
	char *text = stream_text(lines, &len);

	assert_int_equal(write_file(path, text, len), 0);
	free(text);
	free(begin);
	free(job);
	return path;
}

static void test_record(void **state)
{
	struct native_arm arm;
	struct native_run run = { &arm, &scenario, 3, *state,
				  (char *)"a-seed3" };
	char *error = NULL, *stream, *path;
	const char *accel, *left, *release;
	json_int_t mib, swap, cpus;
	json_t *record;
	int fixed;

	native_arm_resolve("a", &recipe, &arm, &error);
	assert_false(native_run_known(&run, &error));
	stream = make_stream(*state, 3, SWITCHES, "end ok");
	assert_int_equal(native_run_import(&run, stream, &error), 0);
	path = native_run_path(&run, "records", "json");
	record = json_load_file(path, 0, NULL);
	assert_int_equal(
		json_unpack(
			record,
			"{s:{s:{s:s, s:b, s:I, s:I, s:I, s:[s!]}, s:{s:s}}}",
			"conditions", "machine", "accelerator", &accel,
			"deterministic", &fixed, "memory_mib", &mib, "swap_mib",
			&swap, "cpus", &cpus, "left_out", &left, "kernel",
			"release", &release),
		0);
	assert_string_equal(accel, "native");
	assert_false(fixed);
	assert_int_equal(mib, 2048);
	assert_int_equal(swap, 1024);
	assert_int_equal(cpus, 2);
	assert_string_equal(left, "zram_mib 256 (none)");
	assert_string_equal(release, "6.12.9");
	json_decref(record);

	assert_true(native_run_known(&run, &error));
	assert_null(error);
	scenario.sha256[0] = 'x';
	native_run_known(&run, &error);
	scenario.sha256[0] = '0';
	assert_non_null(strstr(error, "another scenario or other switches"));
	free(error);
	free(path);
	free(stream);
	native_arm_free(&arm);
}

static void test_refused(void **state)
{
	static const struct {
		long long seed;
		const char *switches, *end, *spec, *line;
	} bad[] = {
		{ 4, SWITCHES, "end ok", "a", "of another scenario, seed" },
		{ 3, "rule=1 exec=1", "end ok", "a", "of another scenario" },
		{ 3, "", "end ok", "new=6.12.8", "of another scenario" },
		{ 3, SWITCHES, "note more", "a", "not whole" },
		{ 3, SWITCHES, "end fail no room", "a", "no room" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct native_arm arm;
		struct native_run run = { &arm, &scenario, 3, *state,
					  (char *)"a-seed3" };
		char *error = NULL, *stream;

		native_arm_resolve(bad[i].spec, &recipe, &arm, &error);
		stream = make_stream(*state, bad[i].seed, bad[i].switches,
				     bad[i].end);
		if (!native_run_import(&run, stream, &error) ||
		    !strstr(error, bad[i].line))
			fail_msg("row %zu: %s", i, error ? error : "taken");
		free(error);
		error = NULL;
		assert_false(native_run_known(&run, &error));
		free(stream);
		native_arm_free(&arm);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arms),
		cmocka_unit_test(test_bad_arms),
		cmocka_unit_test_setup_teardown(test_record, make_scratch,
						remove_scratch),
		cmocka_unit_test_setup_teardown(test_refused, make_scratch,
						remove_scratch),
	};

	return cmocka_run_group_tests(tests, setup_group, teardown_group);
}

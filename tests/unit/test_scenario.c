// SPDX-License-Identifier: GPL-2.0
/* Scenario files: what is read, what is refused with which words, what counts. */
#include "streams.h"

#include "scenario.h"

#define REST                                                            \
	"memory_mib 380\ncpus 1\ntimeout_s 300\nsilence_s 60\nprimary " \
	"launch_ns.p50\n"
#define GOOD "workload launch\n" REST

/* Load a scenario from a file of that text. */
static int load(const char *dir, const char *text, struct scenario *scenario,
		char **error)
{
	char *path = xasprintf("%s/a.b.scenario", dir);
	int err;

	assert_int_equal(write_file(path, text, strlen(text)), 0);
	err = scenario_load(path, scenario, error);
	free(path);
	return err;
}

static void load_good(const char *dir, const char *text,
		      struct scenario *scenario)
{
	char *error = NULL;

	if (load(dir, text, scenario, &error))
		fail_msg("%s", error);
}

static void test_good(void **state)
{
	struct scenario s;
	char *job;

	load_good(*state,
		  GOOD "about  a few words # cut\nset b 2\nset a  x,y\n", &s);
	assert_string_equal(s.name, "a.b");
	assert_string_equal(s.workload, "launch");
	assert_string_equal(s.about, "a few words");
	assert_string_equal(s.primary, "launch_ns.p50");
	assert_int_equal(s.memory_mib, 380);
	assert_int_equal(s.cpus, 1);
	assert_int_equal(s.timeout_s, 300);
	assert_int_equal(s.silence_s, 60);
	/* In the file's order: it is the guest's input. */
	job = scenario_job(&s, 7);
	assert_string_equal(job, "workload launch\nseed 7\nb 2\na x,y\n");
	free(job);
	scenario_free(&s);
}

/* Another scenario, less a few words; the order is that of the first one. */
static void test_like(void **state)
{
	char *path = xasprintf("%s/base.scenario", (char *)*state), *job;
	const char text[] = GOOD "about base\nset b 2\nset a x\nset c 3\n";
	struct scenario s;

	assert_int_equal(write_file(path, text, strlen(text)), 0);
	free(path);
	load_good(*state, "# mine\nlike base\ncpus 2\nset a y\nset d 4\n", &s);
	assert_string_equal(s.name, "a.b");
	assert_string_equal(s.about, "base");
	assert_int_equal(s.cpus, 2);
	assert_int_equal(s.memory_mib, 380);
	job = scenario_job(&s, 7);
	assert_string_equal(job, "workload launch\nseed 7\nb 2\na y\nc 3\n"
				 "d 4\n");
	free(job);
	scenario_free(&s);
}

static const struct {
	const char *text, *error;
} bad[] = {
	{ "", "a.b.scenario: workload is missing" },
	{ REST, "workload is missing" },
	{ "workload launch\n", "primary is missing" },
	{ GOOD "colour red\n", ":7: unknown key colour; the workload's own are "
			       "written `set colour VALUE`" },
	{ GOOD "cpus 2\n", ":7: cpus is given twice" },
	{ "cpus many\n",
	  ":1: cpus is many but must be a number from 1 to 255" },
	{ "cpus 0\n", "must be a number from 1" },
	{ "cpus 256\n", "must be a number from 1" },
	{ "memory_mib -5\n", "must be a number from 1" },
	{ "memory_mib 99999999999999999999\n", "must be a number from 1" },
	{ "workload\n", ":1: workload needs a value" },
	{ "set\n", ":1: write `set KEY VALUE`" },
	{ "set a\n", ":1: write `set KEY VALUE`" },
	{ "set a b c\n", "the value of a must be one word" },
	{ "\nset a b\nset a c\n", ":3: a is set twice" },
	{ "set seed 1\n", "seed is not for `set` to give" },
	{ "set workload x\n", "workload is not for `set` to give" },
	{ GOOD "like b\n", ":7: like must come before everything else" },
	{ "like\n", "a label is missing" },
	{ "like ../b\n", "write `like SCENARIO`, a name" },
	{ "like nothing\n", "/nothing.scenario: cannot read the scenario" },
	{ "like a.b\n", "more than 4 scenarios like each other" },
	{ "workload launch\nmemory_mib 380\ncpus 1\ntimeout_s 300\n"
	  "silence_s 60\nprimary x\n",
	  "a.b.scenario: primary x is no metric" },
};

static void test_bad(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct scenario s;
		char *error = NULL;
		int err = load(*state, bad[i].text, &s, &error);

		if (!err || !error || !strstr(error, bad[i].error))
			fail_msg("\"%s\": %s", bad[i].text,
				 error ? error : "taken");
		free(error);
	}
}

static void test_absent(void **state)
{
	struct scenario s;
	char *error = NULL;

	assert_int_equal(scenario_load("/nonexistent/x", &s, &error), -1);
	assert_string_equal(error, "/nonexistent/x: cannot read the scenario: "
				   "No such file or directory");
	free(error);
	assert_int_equal(scenario_load(*state, &s, &error), -1);
	assert_non_null(strstr(error, "Is a directory"));
	free(error);
}

static const struct {
	const char *text;
	bool same;
} variants[] = {
	{ "# comment\n\n" GOOD "set a 1\n", true },
	{ REST "workload   launch\nset a 1\n", true },
	{ GOOD "about something\nset a 1\n", true },
	{ "workload launch\nmemory_mib 380\ncpus 1\ntimeout_s 9\nsilence_s 9\n"
	  "primary cold_ns.p50\nset a 1\n",
	  true },
	{ GOOD "set a 2\n", false },
	{ GOOD "set b 1\n", false },
	{ GOOD "set a 1\nset b 1\n", false },
	{ GOOD, false },
	{ "workload other\n" REST "set a 1\n", false },
	{ "workload launch\nmemory_mib 381\ncpus 1\ntimeout_s 300\n"
	  "silence_s 60\nprimary cold_ns.p50\nset a 1\n",
	  false },
	{ "workload launch\nmemory_mib 380\ncpus 2\ntimeout_s 300\n"
	  "silence_s 60\nprimary cold_ns.p50\nset a 1\n",
	  false },
};

/* The hash is of what the guest sees, no less and no more. */
static void test_hash(void **state)
{
	struct scenario s;
	char hash[65];

	load_good(*state, GOOD "set a 1\n", &s);
	memcpy(hash, s.sha256, sizeof(hash));
	scenario_free(&s);
	assert_int_equal(strlen(hash), 64);
	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		load_good(*state, variants[i].text, &s);
		if (!strcmp(s.sha256, hash) != variants[i].same)
			fail_msg("variant %zu", i);
		scenario_free(&s);
	}
}

static bool takes(const char *text, void *dir)
{
	struct scenario s;
	char *error = NULL;

	if (!load(dir, text, &s, &error)) {
		scenario_free(&s);
		return true;
	}
	assert_null(strchr(error, '\n'));
	free(error);
	return false;
}

static void test_random_bytes(void **state)
{
	assert_in_range(try_mutations(GOOD "about it\nset a 1\nset b 2\n", 1000,
				      521288629, takes, *state),
			50, 900);
}

#define TEST(function) \
	cmocka_unit_test_setup_teardown(function, make_scratch, remove_scratch)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_good),   TEST(test_like), TEST(test_bad),
		TEST(test_absent), TEST(test_hash), TEST(test_random_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

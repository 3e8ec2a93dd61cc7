// SPDX-License-Identifier: GPL-2.0
/* Pairing, and what is refused. */
#include "synthetic.h"

#include <math.h>

#include "compare.h"

#define SCANS "vmstat.pgscan_kswapd"
#define STACK "vmstat.nr_kernel_stack"

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-3)

static const char *const LABELS[] = { "base", "other", NULL };

static void load(const char *dir, const char *const *labels,
		 struct comparison *c)
{
	char *error = NULL;

	if (comparison_load(dir, labels, c, &error))
		fail_msg("%s", error);
}

/* Returns the message, to be freed. */
static char *refused(const char *dir, const char *const *labels, int status)
{
	struct comparison c;
	char *error = NULL;

	assert_int_equal(comparison_load(dir, labels, &c, &error), status);
	assert_non_null(error);
	assert_null(strchr(error, '\n'));
	return error;
}

static void assert_mentions(char *message, const char *const *words)
{
	for (; *words; words++)
		if (!strstr(message, *words))
			fail_msg("\"%s\" does not mention \"%s\"", message,
				 *words);
	free(message);
}

#define ASSERT_MENTIONS(message, ...) \
	assert_mentions(message, (const char *const[]){ __VA_ARGS__, NULL })

/* Files in an order that is neither the seeds' nor the arms'. */
static void test_pairs_by_seed(void **state)
{
	const char *dir = *state;
	const char *const names[] = { "e", "b", "d", "a", "f", "c" };
	struct comparison c;
	const struct row *row;

	for (int i = 0; i < 6; i++) {
		int seed = 8 + i / 2; /* 8 9 10: as numbers, not as text */
		json_t *record = make_record(LABELS[i % 2], seed);

		set_counter(record, SCANS, 1000,
			    1000 + seed * 100 + i % 2 * seed);
		put_record_as(dir, names[i], record);
	}
	load(dir, NULL, &c);
	assert_int_equal(c.n_arms, 2);
	assert_string_equal(c.arms[0].records->label, "base");
	assert_int_equal(c.pairings[0].n, 3);
	row = find_row(&c.pairings[0], SCANS);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(row->seeds[i], 8 + i);
		assert_near(row->base[i], (8 + i) * 100);
		assert_near(row->other[i], (8 + i) * 101);
	}
	assert_int_equal(c.n_left_out, 0);
	comparison_free(&c);
}

static void test_arms_in_the_order_given(void **state)
{
	const char *const order[] = { "z", "m", NULL };
	const char *const unknown[] = { "z", "q", NULL };
	const char *const twice[] = { "z", "m", "z", NULL };
	const char *const lone[] = { "z", NULL };
	const char *dir = *state;
	struct comparison c;

	put_boot(dir, "m", 1, SCANS, 10);
	put_boot(dir, "z", 1, SCANS, 20);
	put_boot(dir, "a", 1, SCANS, 40);
	load(dir, order, &c);
	assert_int_equal(c.n_arms, 2);
	assert_string_equal(c.arms[0].records->label, "z");
	assert_near(find_row(&c.pairings[0], SCANS)->difference.mean, -10);
	comparison_free(&c);

	/* All of them, each against the first. */
	load(dir, NULL, &c);
	assert_int_equal(c.n_arms, 3);
	assert_string_equal(c.arms[0].records->label, "a");
	assert_near(find_row(&c.pairings[0], SCANS)->difference.mean, -30);
	assert_near(find_row(&c.pairings[1], SCANS)->difference.mean, -20);
	comparison_free(&c);

	ASSERT_MENTIONS(refused(dir, unknown, EXIT_USAGE), "q");
	ASSERT_MENTIONS(refused(dir, twice, EXIT_USAGE), "z", "twice");
	ASSERT_MENTIONS(refused(dir, lone, EXIT_USAGE), "two arms", "z");
}

static void test_missing_partner(void **state)
{
	const char *dir = *state;
	struct comparison c;

	put_boot(dir, "base", 1, SCANS, 10);
	put_boot(dir, "base", 2, SCANS, 10);
	put_boot(dir, "base", 3, SCANS, 1000);
	put_boot(dir, "other", 1, SCANS, 12);
	put_boot(dir, "other", 2, SCANS, 12);
	put_boot(dir, "other", 4, SCANS, 9999);
	load(dir, NULL, &c);
	assert_int_equal(c.pairings[0].n, 2);
	assert_near(find_row(&c.pairings[0], SCANS)->base_summary.mean, 10);
	assert_int_equal(c.n_left_out, 2);
	assert_non_null(strstr(c.left_out[0], "seed 3 of base"));
	assert_non_null(strstr(c.left_out[1], "seed 4 of other"));
	comparison_free(&c);
}

static void test_no_pair_at_all(void **state)
{
	const char *dir = *state;

	put_boot(dir, "base", 1, SCANS, 10);
	put_boot(dir, "other", 2, SCANS, 10);
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_RUN), "base", "other", "seed");
}

/* What one boot never saw: its pair is out for that row alone. */
static void test_observed_in_some_records(void **state)
{
	const char *dir = *state;
	const struct row *row;
	struct comparison c;

	for (int i = 0; i < 6; i++) {
		json_t *record = make_record(LABELS[i % 2], 1 + i / 2);
		json_int_t launch = 10 * i;

		set_counter(record, SCANS, 0, 10);
		if (i != 3)
			set_observations(record, "launch_ns", &launch, 1);
		put_record(dir, record);
	}
	load(dir, NULL, &c);
	assert_int_equal(c.pairings[0].n, 3);
	assert_int_equal(find_row(&c.pairings[0], SCANS)->n, 3);
	row = find_row(&c.pairings[0], "launch_ns.p50");
	assert_int_equal(row->n, 2);
	assert_int_equal(row->seeds[1], 3);
	row = find_row(&c.pairings[0], STACK);
	assert_int_equal(row->n, 0);
	assert_int_equal(row->verdict, VERDICT_NOT_GIVEN);
	comparison_free(&c);
}

/* But one image counts the same things in every boot. */
static void test_refuses_other_counters(void **state)
{
	const char *dir = *state;
	json_t *record;

	put_boot(dir, "base", 1, SCANS, 10);
	put_boot(dir, "other", 1, STACK, 10);
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE), SCANS,
			"base-seed1.json", "not in other-seed1.json");
	put_boot(dir, "other", 1, SCANS, 10);
	put_boot(dir, "other", 2, STACK, 10);
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE), SCANS,
			"not in other-seed2.json");
	/* Nor does it see another machine. */
	record = make_record("other", 2);
	set_counter(record, SCANS, 0, 10);
	SET_TEXT(record, "16384", "guest", "page");
	put_record(dir, record);
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE), "guest.page",
			"\"4096\"", "\"16384\"");
}

/* The job of a native run has its seed in it; the arms are there to differ. */
static void test_takes_other_jobs(void **state)
{
	const char *dir = *state;
	struct comparison c;

	for (long long seed = 1; seed <= 2; seed++) {
		static const char *const labels[] = { "base", "other" };

		for (int i = 0; i < 2; i++) {
			json_t *record = make_record(labels[i], seed);

			set_counter(record, SCANS, 0, 10);
			SET_TEXT(record, seed == 1 ? "42d9f6cf" : "4901b847",
				 "guest", "job");
			SET_TEXT(record, labels[i], "guest", "arm");
			put_record(dir, record);
		}
	}
	load(dir, NULL, &c);
	assert_int_equal(c.pairings[0].n, 2);
	comparison_free(&c);
}

static void test_refuses_other_conditions(void **state)
{
	const char *dir = *state;
	json_t *record = make_record("other", 1);

	put_boot(dir, "base", 1, SCANS, 10);
	json_object_set_new(
		json_object_get(json_object_get(record, "conditions"),
				"machine"),
		"memory_mib", json_integer(512));
	put_record(dir, record);
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE),
			"conditions.machine.memory_mib", "380", "512",
			"base-seed1.json", "other-seed1.json");

	record = make_record("other", 1);
	SET_TEXT(record, "12", "conditions", "job", "apps");
	put_record(dir, record);
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE), "conditions.job.apps",
			"\"10\"", "\"12\"");

	/* A field that only one of them has. */
	record = make_record("other", 1);
	SET_TEXT(record, "1", "conditions", "job", "extra");
	put_record(dir, record);
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE), "conditions.job.extra",
			"absent", "\"1\"");

	/* The arguments, but for the seed among them. */
	record = make_record("other", 1);
	json_array_append_new(
		json_object_get(
			json_object_get(json_object_get(record, "conditions"),
					"machine"),
			"arguments"),
		json_string("-snapshot"));
	put_record(dir, record);
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE), "arguments[5]",
			"-snapshot");
}

static void test_refuses_unequal_boots_of_an_arm(void **state)
{
	const char *dir = *state;
	json_t *record;

	put_boot(dir, "base", 1, SCANS, 10);
	put_boot(dir, "other", 1, SCANS, 10);
	record = make_record("other", 2);
	SET_TEXT(record, "1", "arm", "switches", "lru_rule");
	put_record(dir, record);
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE), "arm.switches.lru_rule",
			"\"2\"", "\"1\"", "other-seed2.json");

	/* Nor may an arm change its image midway. */
	record = make_record("other", 2);
	SET_TEXT(record, "ffff", "conditions", "kernel", "sha256");
	put_record(dir, record);
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE),
			"conditions.kernel.sha256", "ffff");
}

static void put_disturbed(const char *dir, const char *rule, int seed,
			  json_int_t delta)
{
	json_t *record = make_record("base~", seed);

	json_object_set_new(json_object_get(record, "arm"), "disturb",
			    json_integer(7));
	SET_TEXT(record, rule, "arm", "switches", "lru_rule");
	set_counter(record, SCANS, 0, delta);
	put_record(dir, record);
}

/* The baseline, disturbed, is no arm but the measure of chance for all. */
static void test_band(void **state)
{
	const char *const order[] = { "base", "base~", "other", NULL };
	const char *const wrong[] = { "base~", "base", "other", NULL };
	const char *dir = *state;
	struct comparison c;
	const struct row *row;

	for (int seed = 1; seed <= 6; seed++) {
		put_boot(dir, "base", seed, SCANS, 1000);
		put_boot(dir, "other", seed, SCANS, 2000);
		put_disturbed(dir, "2", seed, 1000 + 10 - 5 * seed);
	}
	for (int i = 0; i < 2; i++) {
		load(dir, i ? order : NULL, &c);
		assert_int_equal(c.n_arms, 2);
		assert_string_equal(c.pairings[0].other->records->label,
				    "other");
		assert_non_null(c.band);
		assert_string_equal(c.band->other->records->label, "base~");
		row = find_row(c.band, SCANS);
		/* Differences 5 0 ... -20: the farther end, though below. */
		assert_near(row->effect.high, 5);
		assert_near(band_width(row), 20);
		comparison_free(&c);
	}
	ASSERT_MENTIONS(refused(dir, wrong, EXIT_USAGE), "base~", "baseline");
	for (int seed = 1; seed <= 6; seed++)
		put_disturbed(dir, "1", seed, 1000);
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE), "base~", "disturbed");
}

/* Too few pairs for an interval: the band is what was seen. */
static void test_narrow_band(void **state)
{
	const char *dir = *state;
	struct comparison c;

	for (int seed = 1; seed <= 3; seed++) {
		put_boot(dir, "base", seed, SCANS, 1000);
		put_boot(dir, "other", seed, SCANS, 2000);
		put_disturbed(dir, "2", seed, 1000 + 10 - 10 * seed);
	}
	load(dir, NULL, &c);
	assert_near(band_width(find_row(c.band, SCANS)), 20);
	comparison_free(&c);
}

/* A boot with three samples of two counters, and one observation. */
static void put_history(const char *dir, const char *label, int seed,
			const json_int_t *scans, json_int_t launch)
{
	json_t *record = make_record(label, seed);

	json_object_set_new(record, "sample_us",
			    json_pack("[i, i, i]", 100, 2000100, 4000100));
	set_counter(record, "a", 0, 5);
	set_counter(record, SCANS, scans[0], scans[2]);
	json_object_set_new(
		json_object_get(json_object_get(record, "counters"), SCANS),
		"series", json_pack("[I, I, I]", scans[0], scans[1], scans[2]));
	set_observations(record, "launch_ns", &launch, 1);
	put_record(dir, record);
}

static void test_partings(void **state)
{
	static const json_int_t plain[] = { 1, 2, 3 }, late[] = { 1, 2, 4 },
				early[] = { 1, 4, 3 };
	const char *dir = *state;
	struct comparison c;
	const struct parting *partings;

	for (int seed = 1; seed <= 3; seed++) {
		put_history(dir, "base", seed, plain, 10);
		put_history(dir, "other", seed, plain, 10);
	}
	load(dir, NULL, &c);
	assert_true(c.pairings->identical && !c.pairings->same_streams);
	assert_null(c.pairings->partings[2].counter);
	comparison_free(&c);

	/* No counter, but what the workload saw. */
	put_history(dir, "other", 1, plain, 11);
	load(dir, NULL, &c);
	assert_false(c.pairings->identical);
	comparison_free(&c);

	/* Equal at the end is not equal all the way. */
	put_history(dir, "other", 1, early, 10);
	put_history(dir, "other", 3, late, 10);
	load(dir, NULL, &c);
	assert_false(c.pairings->identical);
	partings = c.pairings->partings;
	assert_string_equal(partings[0].counter, SCANS);
	assert_int_equal(partings[0].us, 2000100);
	assert_null(partings[1].counter);
	assert_string_equal(partings[2].counter, SCANS);
	assert_int_equal(partings[2].us, 4000100);
	comparison_free(&c);
}

/* To know where histories part they are read once more: not thousands. */
static void test_partings_of_many(void **state)
{
	static const json_int_t plain[] = { 1, 2, 3 }, late[] = { 1, 2, 4 };
	const char *dir = *state;
	struct comparison c;

	for (int seed = 1; seed <= 40; seed++) {
		put_history(dir, "base", seed, plain, 10);
		put_history(dir, "other", seed, seed < 40 ? plain : late, 10);
	}
	load(dir, NULL, &c);
	assert_int_equal(c.pairings->n_partings, 32);
	assert_null(c.pairings->partings[31].counter);
	/* Whether they do is known of every pair. */
	assert_false(c.pairings->identical);
	comparison_free(&c);
}

static void put_foreign(const char *dir, const char *sha256,
			const char *release)
{
	json_t *record = make_record("other", 1);

	SET_TEXT(record, sha256, "conditions", "kernel", "sha256");
	SET_TEXT(record, "debug", "conditions", "kernel", "append");
	json_array_set_new(
		json_object_get(
			json_object_get(json_object_get(record, "conditions"),
					"machine"),
			"arguments"),
		4, json_string("debug"));
	SET_TEXT(record, release, "guest", "kernel");
	set_counter(record, SCANS, 0, 5);
	set_counter(record, "vmstat.pgscan_file", 0, 5);
	put_record(dir, record);
}

static void test_arms_of_two_images(void **state)
{
	const char *dir = *state;
	json_t *record = make_record("base", 1);
	struct comparison c;

	set_counter(record, SCANS, 0, 10);
	set_counter(record, "vmstat.pgscan_file", 0, 10);
	put_record(dir, record);
	put_foreign(dir, "ffff", "6.12.1");
	load(dir, NULL, &c);
	assert_true(c.images_differ);
	assert_near(find_row(&c.pairings[0], SCANS)->difference.mean, -5);
	comparison_free(&c);

	/* 7.2 counts memcg reclaim where 6.12 does not: shown, not compared. */
	put_foreign(dir, "ffff", "7.2.3");
	load(dir, NULL, &c);
	assert_int_equal(find_row(&c.pairings[0], SCANS)->n, 1);
	assert_int_equal(find_row(&c.pairings[0], SCANS)->verdict,
			 VERDICT_NOT_GIVEN);
	assert_int_equal(find_row(&c.pairings[0], SCANS)->difference.n, 0);
	assert_int_equal(
		find_row(&c.pairings[0], "vmstat.pgscan_file")->difference.n,
		1);
	comparison_free(&c);

	/* The same image with another command line is no arm of its own. */
	put_foreign(dir, "0123456789abcdef0123456789abcdef", "6.12.117");
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE), "append");
}

static void put_text(const char *dir, const char *text)
{
	char *path = xasprintf("%s/records/broken.json", dir);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	free(path);
}

static void test_refuses_malformed_records(void **state)
{
	const char *dir = *state;
	json_t *record;

	put_boot(dir, "base", 1, SCANS, 10);
	put_text(dir, "{\"format\": 1, \"condi");
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE), "broken.json");
	put_text(dir, "");
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE), "broken.json");
	put_text(dir, "{\"format\": 1}");
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE), "broken.json",
			"conditions");

	record = make_record("broken", 1);
	json_object_set_new(record, "format", json_integer(2));
	put_record_as(dir, "broken", record);
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE), "broken.json",
			"format 2");

	record = make_record("broken", 1);
	SET_TEXT(record, "7", "counters", "x");
	put_record_as(dir, "broken", record);
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE), "broken.json",
			"counter x");

	record = make_record("broken", 1);
	json_object_set_new(json_object_get(record, "observations"), "y",
			    json_pack("[s]", "fast"));
	put_record_as(dir, "broken", record);
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE), "broken.json",
			"series y");

	/* Two files for one boot. */
	put_record_as(dir, "broken", make_record("base", 1));
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE), "broken.json",
			"base-seed1.json", "seed 1");
}

static void test_refuses_empty_and_unknown(void **state)
{
	const char *dir = *state;
	char *nowhere = xasprintf("%s/nowhere", dir);
	json_t *record;

	ASSERT_MENTIONS(refused(nowhere, NULL, EXIT_USAGE), "nowhere/records");
	free(nowhere);
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE), "no records");
	for (int i = 0; i < 2; i++) {
		record = make_record(LABELS[i], 1);
		SET_TEXT(record, "luck", "conditions", "primary");
		put_record(dir, record);
	}
	ASSERT_MENTIONS(refused(dir, NULL, EXIT_USAGE), "luck");
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_pairs_by_seed),
		TEST(test_arms_in_the_order_given),
		TEST(test_missing_partner),
		TEST(test_no_pair_at_all),
		TEST(test_observed_in_some_records),
		TEST(test_refuses_other_counters),
		TEST(test_takes_other_jobs),
		TEST(test_refuses_other_conditions),
		TEST(test_refuses_unequal_boots_of_an_arm),
		TEST(test_band),
		TEST(test_narrow_band),
		TEST(test_partings),
		TEST(test_partings_of_many),
		TEST(test_arms_of_two_images),
		TEST(test_refuses_malformed_records),
		TEST(test_refuses_empty_and_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

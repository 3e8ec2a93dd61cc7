// SPDX-License-Identifier: GPL-2.0
/* The report: what it says, how wide it is, and that both forms agree. */
#include "synthetic.h"

#include <fcntl.h>
#include <math.h>

#include "commands.h"
#include "report.h"

#define SCANS "vmstat.pgscan_kswapd"
#define RESTORE "vmstat.workingset_restore_file"
#define MEMORY "psi.memory.some.total"
#define IO "psi.io.some.total"

static char *text_of(const char *dir)
{
	struct comparison c;
	char *error = NULL, *text;

	if (comparison_load(dir, NULL, &c, &error))
		fail_msg("%s", error);
	text = report_text(&c);
	comparison_free(&c);
	return text;
}

static json_t *json_of(const char *dir)
{
	struct comparison c;
	char *error = NULL, *text;
	json_t *report;

	if (comparison_load(dir, NULL, &c, &error))
		fail_msg("%s", error);
	text = report_json(&c);
	comparison_free(&c);
	report = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(report);
	free(text);
	return report;
}

static void assert_says(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("\"%s\" is not in:\n%s", words, text);
}

static void assert_silent_about(const char *text, const char *words)
{
	if (strstr(text, words))
		fail_msg("\"%s\" is in:\n%s", words, text);
}

/* Every line at most REPORT_COLUMNS of printable ASCII, none with a tail. */
static void assert_well_set(const char *text)
{
	size_t column = 0;

	for (const char *c = text; *c; c++) {
		assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
		if (*c == '\n' && column)
			assert_true(c[-1] != ' ');
		column = *c == '\n' ? 0 : column + 1;
		if (column > REPORT_COLUMNS)
			fail_msg("too wide: %.*s", (int)column, c - column + 1);
	}
	assert_true(*text && text[strlen(text) - 1] == '\n');
}

static void put_launches(const char *dir, const char *label, int seed,
			 json_int_t ns, json_int_t scans)
{
	json_t *record = make_record(label, seed);

	set_observations(record, "launch_ns", &ns, 1);
	set_counter(record, SCANS, 50, 50 + scans);
	put_record(dir, record);
}

/* Differences of the launch -0.14 three times over, of the scans -10 -20 -30. */
static void put_example(const char *dir)
{
	for (int seed = 1; seed <= 3; seed++) {
		put_launches(dir, "base", seed, 700000 + seed * 50000,
			     seed * 100);
		put_launches(dir, "other", seed, 560000 + seed * 50000,
			     seed * 90);
	}
}

static void test_text(void **state)
{
	char *text;

	put_example(*state);
	text = text_of(*state);
	assert_well_set(text);
	assert_says(text, "\nother against base\n"
			  "launch p50: 0.800 -> 0.660 ms (-17.5%), better, "
			  "n=3, 95% CI of the difference -17.5% .. -17.5%\n");
	/* 12.4 is 4.3027 * 10 / sqrt(3) of 200, 5.0 is 10 of 200. */
	assert_says(text, "\n  pgscan_kswapd                     200"
			  "          180   -10.0%   12.4%    5.0%  "
			  "no detectable change\n");
	assert_says(text, "\n  pgsteal_kswapd                      -"
			  "            -        -       -       -  -\n");
	assert_says(text, "\nkernel       6.12.117, image 0123456789ab, append "
			  "panic=-1\n");
	assert_says(text, "\naccelerator  tcg, deterministic; QEMU 7.2.22\n");
	assert_says(text, "\nguest        x86_64, 380 MiB, 1 CPU,");
	assert_says(text, "(baseline): exec_promote=2 lru_rule=2\n");
	assert_says(text, "boots        3 pairs, seeds 1-3\n");
	assert_silent_about(text, "too small");
	assert_silent_about(text, "left out:");
	/* No PSI in the records, nothing to say about its averages. */
	assert_silent_about(text, "avg300 by");
	free(text);
}

static void test_small_n(void **state)
{
	char *text;

	put_launches(*state, "base", 7, 800000, 100);
	put_launches(*state, "other", 7, 400000, 10);
	put_launches(*state, "other", 8, 400000, 10);
	text = text_of(*state);
	assert_well_set(text);
	assert_says(text, "launch p50: 0.800 -> 0.400 ms (-50.0%), no "
			  "detectable change, n=1, 95% CI of the difference - "
			  ".. -\n");
	assert_says(text, "n=1 for other is too small");
	assert_says(text, "left out: seed 8 of other");
	free(text);
}

/* Equal boots under two names: no figure but zero, no word but one. */
static void test_equal_arms(void **state)
{
	json_t *report, *row;
	char *text;
	size_t i;

	for (int seed = 1; seed <= 5; seed++) {
		put_launches(*state, "a", seed, 700000 + seed * 7, seed * 93);
		put_launches(*state, "b", seed, 700000 + seed * 7, seed * 93);
	}
	text = text_of(*state);
	assert_says(text, "0.0%    0.0%    0.0%  no detectable change\n");
	assert_silent_about(text, "%  better");
	assert_silent_about(text, "%  worse");
	free(text);

	report = json_of(*state);
	json_array_foreach (json_object_get(report, "metrics"), i, row) {
		json_t *d = json_object_get(row, "difference");

		if (!json_integer_value(json_object_get(d, "n")))
			continue;
		assert_string_equal(
			json_string_value(json_object_get(row, "verdict")),
			"no detectable change");
		assert_true(json_real_value(json_object_get(d, "mean")) == 0);
		assert_true(json_real_value(json_object_get(d, "sd")) == 0);
		assert_true(json_real_value(json_object_get(d, "low")) == 0);
		assert_true(json_real_value(json_object_get(d, "percent")) ==
			    0);
	}
	json_decref(report);
}

static void fill_everything(json_t *record, json_int_t value)
{
	for (size_t i = 0; i < nr_metrics; i++) {
		if (metrics[i].take == TAKE_DELTA ||
		    metrics[i].take == TAKE_END)
			set_counter(record, metrics[i].key, 0, value);
		else
			set_observations(record, metrics[i].key, &value, 1);
	}
}

/* The widest there is: huge values, a change from nearly nothing, long names. */
static void test_width(void **state)
{
	const char *const labels[] = {
		"two_touch+a-very-long-label-that-someone-chose+for-an-arm",
		"a\xc3\xa4+exec",
		"bccccccccccccccccccccccccccccccccccccccccccc"
		"ccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
		"cccccccccccccc"
	};
	const json_int_t values[] = { 8999999999999999999LL, 3, 123456789012 };
	char *text;

	for (int seed = 1; seed <= 4; seed++) {
		for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
			json_t *record = make_record(labels[i], seed * seed);
			char *name = xasprintf("%zu-%d", i, seed);

			fill_everything(record, values[i] - seed);
			put_record_as(*state, name, record);
			free(name);
		}
	}
	text = text_of(*state);
	assert_well_set(text);
	assert_says(text, "a??+exec");
	assert_says(text, "seeds 1 4 9 16\n");
	free(text);
}

/* A label that is too long for its column stands on two lines, to the bottom. */
static void test_long_label(void **state)
{
	char *text;

	put_launches(*state, "two_touch", 1, 800000, 100);
	put_launches(*state, "two_touch+exec", 1, 800000, 100);
	text = text_of(*state);
	assert_says(text,
		    "\n                                           two_touch"
		    "\n                              two_touch        +exec"
		    "   change  +-CI95      sd  verdict\n");
	free(text);
}

static void test_figures(void **state)
{
	static const struct {
		double value;
		bool sign;
		const char *text;
	} percents[] = {
		{ -17.34, true, "-17.3%" },   { 2, true, "+2.0%" },
		{ 2, false, "2.0%" },	      { 0, true, "0.0%" },
		{ -0.0, true, "0.0%" },	      { 0.001, true, "+0.0%" },
		{ -0.001, true, "-0.0%" },    { NAN, true, "-" },
		{ 12345.6, true, "+12346%" }, { 1e9, true, "+1e+09%" },
	};
	static const struct {
		double value;
		int decimals;
		const char *text;
	} numbers[] = {
		{ 0.6666, 3, "0.667" },
		{ 1e6, 0, "1000000" },
		{ 1.0 / 3, 0, "0.3" },
		{ 7, 0, "7" },
		{ NAN, 2, "-" },
		{ 123456789012.0, 0, "123456789012" },
		{ 1234567890123.0, 0, "1.2346e+12" },
		{ -1e300, 1, "-1e+300" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(percents); i++)
		assert_string_equal(
			report_percent(percents[i].value, percents[i].sign).text,
			percents[i].text);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		assert_string_equal(
			report_number(numbers[i].value, numbers[i].decimals)
				.text,
			numbers[i].text);
}

/*
 * Three pairs with these changes of memory PSI, kswapd's scans, io PSI,
 * restored refaults, direct scans.
 */
static char *stall_text(const char *dir, int memory, int scans, int io,
			int restore, int direct)
{
	const struct {
		const char *counter;
		int change;
	} changes[] = { { MEMORY, memory },
			{ SCANS, scans },
			{ IO, io },
			{ RESTORE, restore },
			{ "vmstat.pgscan_direct", direct } };

	for (int seed = 1; seed <= 3; seed++) {
		json_t *base = make_record("base", seed);
		json_t *other = make_record("other", seed);

		for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
			json_int_t start = 10000 * seed;

			set_counter(base, changes[i].counter, 0, start);
			set_counter(other, changes[i].counter, 0,
				    start + changes[i].change * 1000);
		}
		put_record(dir, base);
		put_record(dir, other);
	}
	return text_of(dir);
}

/* The sentence about rising PSI belongs to data that show just that. */
static void test_stall_note(void **state)
{
	static const struct {
		int memory, scans, io, restore, direct;
		const char *ending; /* NULL: not a word */
	} cases[] = {
		{ 1, -1, -1, 0, 0, "I/O waits fell" },
		{ 1, -1, 0, 1, 0, "No change of I/O waits" },
		{ 1, -1, 1, 1, 0, "psi.io.some.total +5.0%." },
		{ 1, -1, 1, 0, 0, NULL },
		{ 1, -1, 0, 0, 0, NULL },
		{ 1, 1, -1, 1, 0, NULL },
		{ 1, 0, -1, 1, 0, NULL },
		{ 0, -1, -1, 1, 0, NULL },
		{ -1, -1, -1, 1, 0, NULL },
		/* Scanning that moved from one place to another is not less. */
		{ 1, -1, -1, 1, 1, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = stall_text(*state, cases[i].memory, cases[i].scans,
					cases[i].io, cases[i].restore,
					cases[i].direct);

		assert_well_set(text);
		if (cases[i].ending) {
			assert_says(text, "although less was scanned");
			assert_says(text, cases[i].ending);
		} else {
			assert_silent_about(text, "although less was scanned");
		}
		free(text);
	}
}

static json_t *find_metric(json_t *report, const char *name)
{
	json_t *row;
	size_t i;

	json_array_foreach (json_object_get(report, "metrics"), i, row) {
		if (!strcmp(json_string_value(json_object_get(row, "name")),
			    name))
			return row;
	}
	fail_msg("%s is not in the report", name);
	return NULL;
}

static void test_json(void **state)
{
	const char *base, *other, *verdict, *better, *unit;
	double base_mean, other_mean, sd, mean, dsd, low, high, percent;
	json_t *report, *row, *values;
	int n;

	put_example(*state);
	report = json_of(*state);
	row = find_metric(report, SCANS);
	assert_int_equal(
		json_unpack(row,
			    "{s:s, s:s, s:s, s:[{s:s, s:i, s:F, s:F, s:o},"
			    " {s:s, s:F}], s:{s:F, s:F, s:F, s:F, s:F}}",
			    "unit", &unit, "better", &better, "verdict",
			    &verdict, "arms", "label", &base, "n", &n, "mean",
			    &base_mean, "sd", &sd, "values", &values, "label",
			    &other, "mean", &other_mean, "difference", "mean",
			    &mean, "sd", &dsd, "low", &low, "high", &high,
			    "percent", &percent),
		0);
	assert_string_equal(unit, "pages");
	assert_string_equal(better, "lower");
	assert_string_equal(verdict, "no detectable change");
	assert_string_equal(base, "base");
	assert_string_equal(other, "other");
	assert_int_equal(n, 3);
	assert_true(base_mean == 200 && other_mean == 180 && sd == 100);
	assert_true(json_number_value(json_array_get(values, 2)) == 300);
	assert_true(mean == -20 && dsd == 10 && percent == -10);
	assert_true(fabs(low + 44.8414) < 1e-3 && fabs(high - 4.8414) < 1e-3);

	row = find_metric(report, "vmstat.pgsteal_kswapd");
	assert_true(json_is_null(json_object_get(row, "verdict")));
	assert_true(json_is_null(
		json_object_get(json_object_get(row, "difference"), "mean")));
	row = json_object_get(report, "conditions");
	assert_null(json_object_get(row, "seed"));
	assert_non_null(json_object_get(row, "kernel"));
	json_decref(report);
}

static char *slurp(const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s", dir, name);
	char *text = read_file(path, NULL);

	assert_non_null(text);
	free(path);
	return text;
}

/* Run `compare DIR` with standard output going to DIR/printed. */
static void run_compare(char *dir)
{
	char *path = xasprintf("%s/printed", dir);
	char *argv[] = { "compare", dir, NULL };
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int before = dup(STDOUT_FILENO);

	assert_true(fd >= 0 && before >= 0);
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	assert_int_equal(cmd_compare(2, argv), EXIT_OK);
	dup2(before, STDOUT_FILENO);
	close(before);
	close(fd);
	free(path);
}

/* Printed and saved alike; the same bytes again; nothing of where it ran. */
static void test_files(void **state)
{
	char *text, *printed, *json, *text_again, *json_again;

	put_example(*state);
	run_compare(*state);
	text = slurp(*state, "report.txt");
	printed = slurp(*state, "printed");
	json = slurp(*state, "report.json");
	assert_string_equal(text, printed);
	assert_silent_about(text, *state);
	assert_silent_about(json, *state);
	run_compare(*state);
	text_again = slurp(*state, "report.txt");
	json_again = slurp(*state, "report.json");
	assert_string_equal(text, text_again);
	assert_string_equal(json, json_again);
	free(text);
	free(printed);
	free(json);
	free(text_again);
	free(json_again);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_text),
		TEST(test_small_n),
		TEST(test_width),
		TEST(test_long_label),
		TEST(test_equal_arms),
		TEST(test_json),
		TEST(test_stall_note),
		TEST(test_files),
		cmocka_unit_test(test_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

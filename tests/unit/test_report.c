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

static char *report_of(const char *dir,
		       char *(*report)(const struct comparison *c))
{
	struct comparison c;
	char *error = NULL, *text;

	if (comparison_load(dir, NULL, &c, &error))
		fail_msg("%s", error);
	text = report(&c);
	comparison_free(&c);
	return text;
}

static char *text_of(const char *dir)
{
	return report_of(dir, report_text);
}

static json_t *json_of(const char *dir)
{
	char *text = report_of(dir, report_json);
	json_t *report;

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

/* Every line at most @columns of printable ASCII, none with a tail. */
static void assert_fits(const char *text, size_t columns)
{
	size_t column = 0;

	for (const char *c = text; *c; c++) {
		assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
		if (*c == '\n' && column)
			assert_true(c[-1] != ' ');
		column = *c == '\n' ? 0 : column + 1;
		if (column > columns)
			fail_msg("too wide: %.*s", (int)column, c - column + 1);
	}
	assert_true(*text && text[strlen(text) - 1] == '\n');
}

static void assert_well_set(const char *text)
{
	assert_fits(text, REPORT_COLUMNS);
}

static void put_launches(const char *dir, const char *label, int seed,
			 json_int_t ns, json_int_t scans)
{
	json_t *record = make_record(label, seed);

	set_observations(record, "launch_ns", &ns, 1);
	set_counter(record, SCANS, 50, 50 + scans);
	put_record(dir, record);
}

/* Differences of the launch -0.14 six times over, of the scans +1 -4 ... -36. */
static void put_example(const char *dir)
{
	for (int seed = 1; seed <= 6; seed++) {
		put_launches(dir, "base", seed, 700000 + seed * 50000,
			     seed * 100);
		put_launches(dir, "other", seed, 560000 + seed * 50000,
			     seed * 100 - seed * seed + (seed == 1 ? 2 : 0));
	}
}

static void test_text(void **state)
{
	char *text;

	put_example(*state);
	text = text_of(*state);
	assert_well_set(text);
	assert_says(text, "\nother against base, n=6\n"
			  "launch p50: 0.875 -> 0.735 ms (-16.0%), better, "
			  "n=6, p=0.031, 95% interval -16.0 .. -16.0 %");
	assert_says(text, "\nThe histories part by 5.000 s of virtual time, "
			  "first seen in vmstat.pgscan_kswapd (seed 1); 6 of "
			  "6\npairs do, by 5.000 .. 5.000 s.\n");
	/* Walsh averages -14.5 (the median), -36 and 1; 350 is the mean. */
	assert_says(text, "\n pgscan_kswapd                  350       335"
			  "   -4.1  -10.3   +0.3 0.062  "
			  "no detectable change\n");
	/* What the records do not have is not in the table. */
	assert_silent_about(text, "pgsteal_kswapd");
	assert_says(text, "which not both arms have, are left out");
	assert_says(text, "\nkernel       6.12.117, image 0123456789ab, append "
			  "panic=-1\n");
	assert_says(text, "\naccelerator  tcg, deterministic; QEMU 7.2.22\n");
	assert_says(text, "\nguest        x86_64, 380 MiB, 1 CPU,");
	assert_says(text, "(baseline): exec_promote=2 lru_rule=2\n");
	assert_says(text, "boots        6 pairs, seeds 1-6\n");
	assert_silent_about(text, "too small");
	assert_silent_about(text, "left out:");
	/* No PSI in the records, nothing to say about its averages. */
	assert_silent_about(text, "avg300 by");
	free(text);
}

/* Twelve of twelve in one direction: 2 of 4096 patterns of signs. */
static void test_small_p(void **state)
{
	char *text;

	for (int seed = 1; seed <= 12; seed++) {
		put_launches(*state, "base", seed, 800000, 100);
		put_launches(*state, "other", seed, 700000 - seed, 100);
	}
	text = text_of(*state);
	assert_says(text, "better, n=12, p<.001, 95% interval ");
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
			  "detectable change, n=1, p=1.000, too few pairs for");
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
	assert_says(text, "0.0      -      - 1.000  identical\n");
	assert_says(text, "\nidentical in every pair, to the byte: every "
			  "counter, series and observation.\n");
	assert_silent_about(text, "  better\n");
	assert_silent_about(text, "  worse\n");
	free(text);

	report = json_of(*state);
	json_array_foreach (json_object_get(report, "metrics"), i, row) {
		json_t *d = json_object_get(row, "difference");

		if (!json_integer_value(json_object_get(d, "n")))
			continue;
		assert_string_equal(
			json_string_value(json_object_get(row, "verdict")),
			"identical");
		assert_true(json_real_value(json_object_get(d, "mean")) == 0);
		assert_true(json_real_value(json_object_get(d, "sd")) == 0);
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
	/* And what chance does to the first of them. */
	for (int seed = 1; seed <= 4; seed++) {
		json_t *record = make_record(labels[1], seed * seed);

		SET_TEXT(record, "zz", "arm", "label");
		json_object_set_new(json_object_get(record, "arm"), "disturb",
				    json_integer(1));
		fill_everything(record, seed * 1000);
		put_record(*state, record);
	}
	text = text_of(*state);
	assert_well_set(text);
	assert_says(text, "   high  band     p  verdict\n");
	assert_says(text, "band: zz is a??+exec with a history");
	assert_says(text, "a??+exec");
	assert_says(text, "seeds 1 4 9 16\n");
	free(text);
	text = report_of(*state, report_changelog);
	assert_fits(text, CHANGELOG_COLUMNS);
	assert_says(text, " SEEDS=16 \\\n  ARMS=\"a??+exec \\\n  bcccc");
	assert_says(text,
		    " \\\n  two_touch+a-very-long-label-that-someone-chose"
		    "+for-an-arm\" \\\n  APPEND=\"panic=-1\"\n");
	free(text);
}

/*
 * Labels that are too long for their columns stand on several lines, to the bottom,
 * and are broken where one would say them in parts.
 */
static void test_long_label(void **state)
{
	static const struct {
		const char *base, *other, *heads;
	} examples[] = {
		{ "two_touch", "two_touch+exec",
		  "           two_touch\n two_touch     +exec rest\n" },
		{ "referenced_birth-psi_all", "two_touch+exec-psi_never",
		  "           two_touch\n reference     +exec\n"
		  "   d_birth      -psi\n  -psi_all    _never rest\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		char *text = NULL;
		size_t len;
		FILE *out = open_memstream(&text, &len);

		assert_non_null(out);
		report_heads(out, 0, examples[i].base, examples[i].other,
			     " rest");
		fclose(out);
		assert_string_equal(text, examples[i].heads);
		free(text);
	}
}

static void test_figures(void **state)
{
	static const struct {
		double value;
		const char *change, *size;
	} percents[] = {
		{ -17.34, "-17.3", "17.3" },
		{ 2, "+2.0", "2.0" },
		{ 0, "0.0", "0.0" },
		{ -0.0, "0.0", "0.0" },
		{ 0.001, "+0.0", "0.0" },
		{ -0.001, "-0.0", "0.0" },
		{ NAN, "-", "-" },
		{ 12345.6, "+12346", "12346" },
		{ 123456, "+1e+05", "1e+05" },
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
		{ 123456789.0, 0, "123456789" },
		{ 123456.7891, 3, "123457" },
		{ 1234567890123.0, 0, "1.235e+12" },
		{ -1e300, 1, "-1e+300" },
		{ -123456789.0, 0, "-1.23e+08" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(percents); i++) {
		assert_string_equal(report_percent(percents[i].value).text,
				    percents[i].change);
		assert_string_equal(report_size(percents[i].value, 5).text,
				    percents[i].size);
	}
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		assert_string_equal(
			report_number(numbers[i].value, numbers[i].decimals)
				.text,
			numbers[i].text);
	assert_string_equal(report_p(0.0166).text, "0.017");
	assert_string_equal(report_p(0.0005).text, "<.001");
	assert_string_equal(report_p(NAN).text, "-");
}

/*
 * Pairs enough for these changes to be detected: of memory PSI, kswapd's scans, io PSI,
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

	for (int seed = 1; seed <= 8; seed++) {
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
		{ 1, -1, 1, 1, 0, "psi.io.some.total +2.2%." },
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

/* Of two kernels, what only one of them counts is named. */
static void test_two_kernels(void **state)
{
	char *text;

	for (int i = 0; i < 2; i++) {
		json_t *record = make_record(i ? "new" : "old", 1);

		set_counter(record, SCANS, 0, 10);
		set_counter(record, i ? IO : MEMORY, 0, 10);
		if (i)
			SET_TEXT(record, "ffff", "conditions", "kernel",
				 "sha256");
		put_record(*state, record);
	}
	text = text_of(*state);
	assert_says(text, "\n- Only the kernel of new has " IO ".\n");
	assert_says(text, "\n- Only the kernel of old has " MEMORY ".\n");
	/* Another image has another history from the first instruction on. */
	assert_silent_about(text, "histories part");
	free(text);
	text = report_of(*state, report_changelog);
	assert_says(text, "\n  make measure SCENARIO=launch SEEDS=1 "
			  "ARMS=\"new=IMAGE old=IMAGE\" \\\n"
			  "  APPEND=\"panic=-1\"\n");
	free(text);
}

/* Losses stand as gains do, and are not left out when there are none. */
static void test_changelog(void **state)
{
	char *text;

	put_example(*state);
	text = report_of(*state, report_changelog);
	assert_fits(text, CHANGELOG_COLUMNS);
	assert_says(text, "other against base: n=6 pairs of boots, seeds 1-6\n"
			  "The histories part by");
	assert_says(text, "\n                             base     other change"
			  "    low   high   sd     p\n"
			  "primary metric: better\n"
			  "launch p50, ms              0.875     0.735  -16.0"
			  "  -16.0  -16.0  0.0 0.031\n"
			  "better:\n"
			  "launch p95, ms              0.875     0.735  -16.0"
			  "  -16.0  -16.0  0.0 0.031\n"
			  "launch mean, ms             0.875     0.735  -16.0"
			  "  -16.0  -16.0  0.0 0.031\n"
			  "worse: nothing\n"
			  "no detectable change:\n"
			  "  pgscan_kswapd\n"
			  "\n");
	assert_says(text, "\narms       base: 6.12.117, image 0123456789ab, "
			  "append panic=-1;\n");
	assert_says(text, "\nscenario   launch 5ce0a210aaaa, tcg, QEMU 7.2.22"
			  "\nagain:\n  make measure KERNEL=6.12 "
			  "SCENARIO=launch SEEDS=6 ARMS=\"base other\" \\\n"
			  "  APPEND=\"panic=-1\"\n");
	free(text);
	/* The other way round it is all loss. */
	for (int seed = 1; seed <= 6; seed++)
		put_launches(*state, "base", seed, 500000 + seed * 50000,
			     seed * 100);
	text = report_of(*state, report_changelog);
	assert_says(text, "primary metric: worse\n");
	assert_says(text, "\nbetter: nothing\nworse:\nlaunch p95, ms ");
	free(text);
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
	double base_mean, sd, mean, dsd, estimate, low, high, percent;
	double detectable, cv, p, p_table, p_holm;
	json_t *report, *row, *values;
	int n;

	put_example(*state);
	report = json_of(*state);
	row = find_metric(report, SCANS);
	assert_int_equal(
		json_unpack(
			row,
			"{s:s, s:s, s:s, s:[{s:s, s:i, s:F, s:F, s:o}, {s:s}],"
			" s:{s:F, s:F, s:F, s:F, s:F, s:F, s:F}, s:F, s:F, s:F,"
			" s:F}",
			"unit", &unit, "better", &better, "verdict", &verdict,
			"arms", "label", &base, "n", &n, "mean", &base_mean,
			"sd", &sd, "values", &values, "label", &other,
			"difference", "mean", &mean, "sd", &dsd, "estimate",
			&estimate, "low", &low, "high", &high, "percent",
			&percent, "detectable", &detectable,
			"baseline_cv_percent", &cv, "p", &p, "p_table",
			&p_table, "p_holm", &p_holm),
		0);
	assert_string_equal(unit, "pages");
	assert_string_equal(better, "lower");
	assert_string_equal(verdict, "no detectable change");
	assert_string_equal(base, "base");
	assert_string_equal(other, "other");
	assert_int_equal(n, 6);
	assert_true(base_mean == 350 && json_array_size(values) == 6);
	assert_true(json_number_value(json_array_get(values, 2)) == 300);
	assert_true(fabs(mean + 89.0 / 6) < 1e-9 && estimate == -14.5);
	assert_true(low == -36 && high == 1);
	assert_true(fabs(percent + 1450.0 / 350) < 1e-9);
	assert_true(fabs(cv - 100 * sd / 350) < 1e-9 && dsd > 0);
	assert_true(fabs(detectable - 3.49012 * dsd / sqrt(6)) < 1e-3);
	/* Of three, and two with p = 2/64 go before it. */
	assert_true(p == 4.0 / 64 && p_table == p && p_holm == 6.0 / 64);

	row = find_metric(report, "vmstat.pgsteal_kswapd");
	assert_true(json_is_null(json_object_get(row, "verdict")));
	assert_true(json_is_null(
		json_object_get(json_object_get(row, "difference"), "mean")));
	row = json_array_get(json_object_get(report, "pairings"), 0);
	assert_true(json_is_false(json_object_get(row, "identical")));
	row = json_array_get(json_object_get(row, "partings"), 5);
	assert_string_equal(json_string_value(json_object_get(row, "counter")),
			    SCANS);
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
	char *text, *printed, *json, *changelog, *text_again, *json_again;

	put_example(*state);
	run_compare(*state);
	text = slurp(*state, "report.txt");
	printed = slurp(*state, "printed");
	json = slurp(*state, "report.json");
	changelog = slurp(*state, "changelog.txt");
	assert_string_equal(text, printed);
	assert_silent_about(changelog, *state);
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
	free(changelog);
	free(text_again);
	free(json_again);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_text),	TEST(test_small_p),
		TEST(test_small_n),	TEST(test_width),
		TEST(test_long_label),	TEST(test_equal_arms),
		TEST(test_two_kernels), TEST(test_changelog),
		TEST(test_json),	TEST(test_stall_note),
		TEST(test_files),	cmocka_unit_test(test_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/* The page: a whole that needs nothing beside it, whatever records say. */
#include "synthetic.h"

#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

#include "commands.h"
#include "outdir.h"
#include "report_html.h"

#define S 1000000 /* microseconds */
#define SAMPLES 5
#define HOSTILE "</title><script>'\"&`touch broken-out`\x01\\"

static char *page_of(const char *dir)
{
	struct comparison c;
	char *error = NULL, *page;

	if (comparison_load(dir, NULL, &c, &error))
		fail_msg("%s", error);
	page = report_html(&c);
	comparison_free(&c);
	return page;
}

static void assert_says(const char *page, const char *words)
{
	if (!strstr(page, words))
		fail_msg("\"%s\" is not in the page", words);
}

static void assert_silent_about(const char *page, const char *words)
{
	if (strstr(page, words))
		fail_msg("\"%s\" is in the page", words);
}

/* An XPath over the page, in which every element is named as in HTML. */
static xmlXPathObject *find(xmlDoc *doc, const char *path)
{
	xmlXPathContext *context = xmlXPathNewContext(doc);
	xmlXPathObject *found;

	xmlXPathRegisterNs(context, BAD_CAST "h",
			   BAD_CAST "http://www.w3.org/1999/xhtml");
	xmlXPathRegisterNs(context, BAD_CAST "s",
			   BAD_CAST "http://www.w3.org/2000/svg");
	found = xmlXPathEvalExpression(BAD_CAST path, context);
	assert_non_null(found);
	xmlXPathFreeContext(context);
	return found;
}

static int count(xmlDoc *doc, const char *path)
{
	xmlXPathObject *found = find(doc, path);
	int n = xmlXPathNodeSetGetLength(found->nodesetval);

	xmlXPathFreeObject(found);
	return n;
}

/* Without recovery: a page that is not well-formed has no document. */
static xmlDoc *parse(const char *page)
{
	xmlDoc *doc = xmlReadMemory(page, (int)strlen(page), NULL, NULL,
				    XML_PARSE_NONET | XML_PARSE_NOERROR);

	if (!doc)
		fail_msg("not well-formed: %s",
			 xmlGetLastError() ? xmlGetLastError()->message : "?");
	return doc;
}

/* A counter that grows by @step from sample to sample. */
static void grow_counter(json_t *record, const char *name, json_int_t step)
{
	json_int_t values[SAMPLES];

	for (int i = 0; i < SAMPLES; i++)
		values[i] = i * step;
	set_series(record, name, values, SAMPLES);
}

static void set_generations(json_t *record, const char *memcg)
{
	static const char *const what[] = { "age_ms", "file", "anon" };

	for (int k = 0; k < 4; k++) {
		for (size_t i = 0; i < ARRAY_SIZE(what); i++) {
			char *name = xasprintf("lru_gen.%s.%d.%s", memcg, k,
					       what[i]);

			grow_counter(record, name, 1000 * (4 - k));
			free(name);
		}
	}
}

/* Memory stalls of 4 s; sites that sum up to @percent of them. */
static json_t *make_full(const char *label, int seed, int percent)
{
	json_int_t us[SAMPLES], ns[20];
	json_t *record = make_record(label, seed);

	for (int i = 0; i < SAMPLES; i++)
		us[i] = (i + 3) * S;
	set_times(record, "1000", us[0], us[SAMPLES - 1], us, SAMPLES);
	grow_counter(record, "psi.memory.some.total", S);
	grow_counter(record, "psi.io.some.total", S / 10 + seed);
	grow_counter(record, "stall.text_us", S / 100 * (percent - 50));
	grow_counter(record, "stall.kswapd_us", S / 2);
	grow_counter(record, "wait.text_us", 700000);
	grow_counter(record, "wait.text.counted_us", 200000);
	set_generations(record, "apps");
	set_generations(record, "data");
	for (int i = 0; i < 20; i++)
		ns[i] = 1000000 * (i + 1 + seed);
	set_observations(record, "launch_ns", ns, 20);
	set_observations(record, "frame_ns", ns, 20);
	set_observations(record, "memavail_kib", ns, 20);
	return record;
}

static void put_full(const char *dir, int percent)
{
	for (int seed = 1; seed <= 3; seed++) {
		put_record(dir, make_full("base", seed, percent));
		put_record(dir, make_full("other", seed, percent));
	}
}

/*
 * Stalls, waits; totals and rates of two; two distributions; generations of
 * three kinds, each in both arms and as a working set.
 */
#define FIGURES (1 + 1 + 4 + 2 + 9)

static void test_whole(void **state)
{
	static const char *const never[] = { "<script",
					     " src=", "href=", "@import",
					     "url(" };
	char *page;
	xmlDoc *doc;

	put_full(*state, 100);
	page = page_of(*state);
	doc = parse(page);
	assert_int_equal(count(doc, "//h:figure"), FIGURES);
	assert_int_equal(count(doc, "//h:figure/s:svg[@role='img']"), FIGURES);
	assert_int_equal(count(doc, "//s:svg[s:title[.!=''] and s:desc[.!='']"
				    " and @aria-labelledby]"),
			 FIGURES);
	assert_int_equal(count(doc, "//*[@id = preceding::*/@id or"
				    " @id = ancestor::*/@id]"),
			 0);
	assert_int_equal(
		count(doc, "//h:figure[.//s:path[@stroke='var(--line-1)']]"),
		4 + 2 + 3);
	assert_int_equal(count(doc, "//@*[contains(., 'rgb')]"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		assert_silent_about(page, never[i]);
	assert_silent_about(page, "Left out");
	assert_silent_about(page, *state);
	xmlFreeDoc(doc);
	free(page);
}

/* The figures of the example: by hand. */
static void test_words(void **state)
{
	char *page;

	put_full(*state, 99);
	page = page_of(*state);
	assert_says(page, "<title>launch: other against base</title>");
	assert_says(page, "launch p50 went from 12.500 to 12.500 ms (0.0%): ");
	assert_says(page, "base: 4000 ms after 4 s; n=3\n"
			  "other: 4000 ms after 4 s; n=3");
	assert_says(page, "base: up to 100 % after 0.5 s; n=3");
	assert_says(page,
		    "base: p50 12.5, p95 21.05, p99 22.41, longest 23 ms; "
		    "n=60");
	assert_says(page, "The parts add up to PSI's memory some total within "
			  "2 %: 99.0 % of it in base, 99.0 % of it in other.");
	assert_says(page, "</svg><b>1 </b>text, counted</th><td>800.0</td>"
			  "<td>800.0</td><td>+0.0</td>");
	assert_says(page, "<b>2 </b>text, not counted</th><td>2000.0</td>");
	/* 8 + 6 + 4 + 2 thousand; after 3 s the first is older than 10 s. */
	assert_says(page, "base: up to 20000 pages after 2 s; n=3");
	assert_says(page, "<pre>make measure KERNEL=6.12 SCENARIO=launch "
			  "SEEDS=3 ARMS=&quot;base other&quot;</pre>");
	assert_says(page, "accelerator  tcg, deterministic");
	free(page);
}

static void test_parts_do_not_add_up(void **state)
{
	char *page;

	put_full(*state, 97);
	page = page_of(*state);
	assert_says(page, "The parts do not add up to PSI's memory some total "
			  "within 2 %: 97.0 % of it in base");
	free(page);
}

/* What is worse stands beside what is better, in words. */
static void test_sides(void **state)
{
	char *page;
	xmlDoc *doc;

	for (int seed = 1; seed <= 8; seed++) {
		for (int arm = 0; arm < 2; arm++) {
			json_t *record =
				make_record(arm ? "other" : "base", seed);

			set_counter(record, "vmstat.pgscan_file", 0,
				    1000 - 500 * arm + seed);
			set_counter(record, "vmstat.pgmajfault", 0,
				    1000 + 500 * arm + seed);
			put_record(*state, record);
		}
	}
	page = page_of(*state);
	doc = parse(page);
	assert_int_equal(count(doc, "//h:div[h:h3='\u2717 Worse']/h:ul/h:li["
				    "starts-with(., 'vmstat.pgmajfault +49.')"
				    "]"),
			 1);
	assert_int_equal(count(doc, "//h:div[h:h3='\u2713 Better']/h:ul/h:li["
				    "starts-with(., 'vmstat.pgscan_file -49.')"
				    "]"),
			 1);
	assert_int_equal(count(doc, "//h:td[@class='worse' and "
				    ".='\u2717 worse']"),
			 1);
	assert_says(page, "do not have launch p50, the primary metric");
	xmlFreeDoc(doc);
	free(page);
}

static void test_left_out(void **state)
{
	char *page;
	xmlDoc *doc;

	put_boot(*state, "base", 1, "vmstat.pgscan_file", 1);
	put_boot(*state, "other", 1, "vmstat.pgscan_file", 1);
	page = page_of(*state);
	doc = parse(page);
	assert_int_equal(count(doc, "//h:section/h:p[starts-with(., "
				    "'Left out: no record has ')]"),
			 5);
	assert_int_equal(count(doc, "//h:figure"), 0);
	xmlFreeDoc(doc);
	free(page);
}

/* Names from files are text, in the page and in gnuplot. */
static void test_hostile(void **state)
{
	char *page;
	xmlDoc *doc;

	for (int seed = 1; seed <= 2; seed++) {
		for (int arm = 0; arm < 2; arm++) {
			char *name = xasprintf("%d-%d", arm, seed);
			json_t *record =
				make_full(arm ? HOSTILE : "base", seed, 100);
			json_int_t ns = 5;

			SET_TEXT(record, HOSTILE, "conditions", "scenario");
			grow_counter(record, "stall." HOSTILE "_us", S / 4);
			grow_counter(record, "wait." HOSTILE "_us", S / 4);
			set_observations(record, HOSTILE "_ns", &ns, 1);
			put_record_as(*state, name, record);
			free(name);
		}
	}
	page = page_of(*state);
	doc = parse(page);
	assert_int_equal(count(doc, "//h:figure/s:svg"), FIGURES + 1);
	assert_int_equal(count(doc, "//h:script | //s:script | //script"), 0);
	assert_int_equal(count(doc, "//h:title"), 1);
	assert_says(page, "<title>&lt;/title&gt;&lt;script&gt;'&quot;&amp;"
			  "`touch broken-out`?\\: ");
	assert_says(page, "There is no command line");
	assert_true(access("broken-out", F_OK));
	xmlFreeDoc(doc);
	free(page);
}

/* The same records, the same bytes: whoever looks, and however often. */
static void test_same_bytes(void **state)
{
	const char *home = getenv("HOME");
	char *keep = xasprintf("%s", home ? home : "/");
	char *settings = xasprintf("%s/.gnuplot", (char *)*state);
	char *traces = xasprintf("%s/was-read", (char *)*state);
	char *read = xasprintf("system 'touch %s'\n", traces);
	char *first, *second;

	put_full(*state, 100);
	first = page_of(*state);
	assert_int_equal(write_file(settings, read, strlen(read)), 0);
	setenv("HOME", *state, 1);
	setenv("GNUTERM", "dumb", 1);
	setenv("LC_ALL", "de_DE.UTF-8", 1);
	second = page_of(*state);
	unsetenv("LC_ALL");
	unsetenv("GNUTERM");
	setenv("HOME", keep, 1);
	assert_string_equal(first, second);
	assert_true(access(traces, F_OK));
	free(second);
	free(first);
	free(read);
	free(traces);
	free(settings);
	free(keep);
}

/* The page when gnuplot is looked for in @path alone. */
static char *page_with_path(const char *dir, const char *path)
{
	char *keep = xasprintf("%s", getenv("PATH"));
	char *page;

	setenv("PATH", path, 1);
	page = page_of(dir);
	setenv("PATH", keep, 1);
	free(keep);
	return page;
}

static void assert_without_figures(const char *page, const char *why)
{
	xmlDoc *doc = parse(page);

	assert_says(page, why);
	assert_int_equal(count(doc, "//h:figure"), 0);
	/* Of metrics, stalls and waits. */
	assert_int_equal(count(doc, "//h:table"), 3);
	xmlFreeDoc(doc);
}

static void test_without_gnuplot(void **state)
{
	char *page;

	put_full(*state, 100);
	page = page_with_path(*state, "/nonexistent");
	assert_without_figures(page, "Figures are left out: gnuplot is not "
				     "installed; Debian has it as "
				     "gnuplot-nox.");
	free(page);
}

static void test_broken_gnuplot(void **state)
{
	static const char *const broken[] = {
		"#!/bin/sh\necho '<oops>' >&2\nexit 1\n",
		/* More documents than are wanted, but it says it failed. */
		"#!/bin/sh\necho '<oops>' >&2\ni=0\n"
		"while [ $((i += 1)) -lt 99 ]; do\n"
		"echo '<?xml version=\"1.0\"?><svg></svg>'; done\nexit 1\n",
		"#!/bin/sh\necho '<oops>' >&2\necho '<?xml?><svg></svg>'\n",
	};
	char *path = xasprintf("%s/gnuplot", (char *)*state);
	char *page;

	put_full(*state, 100);
	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		assert_int_equal(write_file(path, broken[i], strlen(broken[i])),
				 0);
		chmod(path, 0700);
		page = page_with_path(*state, *state);
		assert_without_figures(page, "Figures are left out: gnuplot "
					     "failed: &lt;oops&gt;.");
		free(page);
	}
	free(path);
}

/* `compare` leaves it, and the next measurement removes it. */
static void test_file(void **state)
{
	char *path = xasprintf("%s/report.html", (char *)*state);
	char *argv[] = { "compare", *state, NULL };
	int before = dup(STDOUT_FILENO);
	char *page, *file;

	put_full(*state, 100);
	fflush(stdout);
	assert_non_null(freopen("/dev/null", "w", stdout));
	assert_int_equal(cmd_compare(2, argv), 0);
	fflush(stdout);
	dup2(before, STDOUT_FILENO);
	close(before);
	file = read_file(path, NULL);
	assert_non_null(file);
	page = page_of(*state);
	assert_string_equal(file, page);
	outdir_clear(*state);
	assert_true(access(path, F_OK));
	free(page);
	free(file);
	free(path);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_whole),
		TEST(test_words),
		TEST(test_parts_do_not_add_up),
		TEST(test_sides),
		TEST(test_left_out),
		TEST(test_hostile),
		TEST(test_same_bytes),
		TEST(test_without_gnuplot),
		TEST(test_broken_gnuplot),
		TEST(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

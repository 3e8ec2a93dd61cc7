// SPDX-License-Identifier: GPL-2.0
/* A whole stream, good and bad, and the record that is made of it. */
#include "streams.h"

#include "reading.h"
#include "record.h"

#define BEGIN "begin format=1 kernel=6.12.1 arch=x86_64"

static const char *const good[] = {
	BEGIN,
	"name 0 pgfault",
	"name 1 late",
	"name 3 huge",
	"name 4 never",
	"phase 100 setup",
	"sample 100 0=1 3=-9223372036854775808",
	"note  two  blanks",
	"phase 200 warmup",
	"sample 200 0=5",
	"sample 250 1=7",
	"phase 300 measure",
	"sample 300 0=10",
	"obs launch_ns 11 12",
	"obs other",
	"obs launch_ns 13",
	"sample 350 0=8 1=9",
	"phase 400 done",
	"sample 400 0=20 3=1",
	"end ok",
	NULL,
};

static void parse(const char *const *lines, struct reading *reading)
{
	size_t len;
	char *text = stream_text(lines, &len);

	reading_parse(text, len, reading);
	free(text);
}

static json_t *good_record(void)
{
	struct reading reading;
	json_t *conditions = json_pack("{s:i}", "seed", 1);
	json_t *arm = json_pack("{s:s}", "label", "classic");
	json_t *record;

	parse(good, &reading);
	assert_int_equal(reading.state, STREAM_OK);
	record = record_build(&reading, conditions, arm, "abc");
	json_decref(conditions);
	json_decref(arm);
	reading_free(&reading);
	return record;
}

static void expect_json(json_t *record, const char *object, const char *member,
			const char *want)
{
	json_t *value = json_object_get(record, object);
	char *text;

	if (member)
		value = json_object_get(value, member);
	text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT |
						 JSON_SORT_KEYS)
		     : NULL;
	if (!text || strcmp(text, want))
		fail_msg("%s %s: %s", object, member ? member : "",
			 text ? text : "absent");
	free(text);
}

static void test_record(void **state)
{
	static const struct {
		const char *object, *member, *want;
	} wanted[] = {
		{ "format", NULL, "1" },
		{ "conditions", NULL, "{\"seed\":1}" },
		{ "arm", NULL, "{\"label\":\"classic\"}" },
		{ "guest", "kernel", "\"6.12.1\"" },
		{ "stream_sha256", NULL, "\"abc\"" },
		{ "phases", NULL,
		  "[{\"name\":\"setup\",\"us\":100},"
		  "{\"name\":\"warmup\",\"us\":200},"
		  "{\"name\":\"measure\",\"us\":300},"
		  "{\"name\":\"done\",\"us\":400}]" },
		{ "sample_us", NULL, "[100,200,250,300,350,400]" },
		/* From measure to done, not from the first to the last. */
		{ "counters", "pgfault",
		  "{\"delta\":10,\"end\":20,\"series\":[1,5,5,10,8,20],"
		  "\"start\":10}" },
		{ "counters", "late",
		  "{\"delta\":2,\"end\":9,\"series\":[null,null,7,7,9,9],"
		  "\"start\":7}" },
		{ "observations", "launch_ns", "[11,12,13]" },
		{ "observations", "other", "[]" },
		{ "notes", NULL, "[\" two  blanks\"]" },
	};
	json_t *record = good_record();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		expect_json(record, wanted[i].object, wanted[i].member,
			    wanted[i].want);
	assert_null(
		json_object_get(json_object_get(record, "counters"), "never"));
	/* A difference that no 64 bits hold is not made up. */
	assert_true(json_is_null(json_object_get(
		json_object_get(json_object_get(record, "counters"), "huge"),
		"delta")));
	json_decref(record);
}

static void test_record_text_is_stable(void **state)
{
	json_t *one = good_record(), *two = good_record();
	char *a = record_text(one), *b = record_text(two);

	(void)state;
	assert_string_equal(a, b);
	assert_int_equal(strncmp(a, "{\n \"arm\": {", 11), 0);
	assert_string_equal(a + strlen(a) - 3, "\n}\n");
	free(a);
	free(b);
	json_decref(one);
	json_decref(two);
}

/* Numbers on one line, and nothing else, whatever the words contain. */
static void test_record_text_lines(void **state)
{
	json_t *record =
		json_pack("{s:[s,s], s:[i,n,i], s:[], s:[[i]], s:[{}]}", "a",
			  "[1", "2], \n", "b", -1, 2, "c", "d", 3, "e");
	char *text = record_text(record);

	(void)state;
	assert_string_equal(text,
			    "{\n \"a\": [\n  \"[1\",\n  \"2], \\n\"\n ],\n"
			    " \"b\": [-1, null, 2],\n \"c\": [],\n"
			    " \"d\": [\n  [3]\n ],\n"
			    " \"e\": [\n  {}\n ]\n}\n");
	free(text);
	json_decref(record);
}

static void test_fail_has_a_reason(void **state)
{
	static const char *const lines[] = { BEGIN, "end fail no  swap", NULL };
	static const char *const wordless[] = { BEGIN, "end fail", NULL };
	struct reading reading;

	(void)state;
	parse(lines, &reading);
	assert_int_equal(reading.state, STREAM_FAILED);
	assert_string_equal(reading.why, "no  swap");
	reading_free(&reading);
	parse(wordless, &reading);
	assert_int_equal(reading.state, STREAM_FAILED);
	assert_string_equal(reading.why, "no reason");
	reading_free(&reading);
}

/* Every prefix of a good stream is unfinished, or cut within a line. */
static void test_prefixes(void **state)
{
	size_t whole;
	char *text = stream_text(good, &whole);

	(void)state;
	for (size_t len = 0; len < whole; len++) {
		char *copy = xcalloc(len + 1, 1);
		struct reading reading;
		enum stream_state want = STREAM_CUT;

		memcpy(copy, text, len);
		if (!len)
			want = STREAM_EMPTY;
		else if (copy[len - 1] == '\n')
			want = STREAM_UNFINISHED;
		reading_parse(copy, len, &reading);
		if (reading.state != want)
			fail_msg("%zu bytes: %d, not %d", len, reading.state,
				 want);
		reading_free(&reading);
		free(copy);
	}
	free(text);
}

#define PHASES "phase 1 measure", "sample 1", "phase 2 done", "sample 2"

static const struct {
	const char *lines[8];
	const char *why;
} bad[] = {
	{ { "name 0 a" }, "line 1: begin must be the first" },
	{ { BEGIN, BEGIN }, "line 2: begin must be the first" },
	{ { "begin kernel=1" }, "stream format absent" },
	{ { "begin format=2 kernel=1" }, "stream format 2" },
	{ { "begin format=1" }, "which kernel" },
	{ { "begin format=1 format=1" }, "format twice" },
	{ { "begin format=1 =x" }, "bad field =x" },
	{ { "begin format=1 x" }, "bad field x" },
	{ { BEGIN, "name 0" }, "write `name" },
	{ { BEGIN, "name x a" }, "x is not a number" },
	{ { BEGIN, "name" }, "a number is missing" },
	{ { BEGIN, "name 0 a b" }, "write `name" },
	{ { BEGIN, "name -1 a" }, "not below" },
	{ { BEGIN, "name 4096 a" }, "not below" },
	{ { BEGIN, "name 0 a", "name 0 b" }, "named twice" },
	{ { BEGIN, "name 0 a", "name 1 a" }, "two ids" },
	{ { BEGIN, "sample 5 0=1" }, "id 0 has no name" },
	{ { BEGIN, "name 0 a", "sample 5 0" }, "not of the form" },
	{ { BEGIN, "name 0 a", "sample 5 0=" }, "is not a number" },
	{ { BEGIN, "name 0 a", "sample 5 0=1x" }, "is not a number" },
	{ { BEGIN, "sample 5", "sample 4" }, "time goes back" },
	{ { BEGIN, "sample" }, "a number is missing" },
	{ { BEGIN, "phase 1 lunch" }, "unknown phase lunch" },
	{ { BEGIN, "phase 1" }, "unknown phase" },
	{ { BEGIN, "phase 1 done", "sample 1", "phase 2 setup" },
	  "phase setup after phase done" },
	{ { BEGIN, "phase 1 done", "sample 1", "phase 2 done" },
	  "phase done after phase done" },
	{ { BEGIN, "phase 1 setup", "sample 2" }, "no sample was taken" },
	{ { BEGIN, "obs" }, "without a series" },
	{ { BEGIN, "obs a x" }, "x is not a number" },
	{ { BEGIN, "end" }, "neither ok nor fail" },
	{ { BEGIN, "end ok ok" }, "neither ok nor fail" },
	{ { BEGIN, "end ok" }, "without phases" },
	{ { BEGIN, "phase 1 measure", "sample 1", "phase 2 done", "end ok" },
	  "the last phase has no sample" },
	{ { BEGIN, PHASES, "end ok", "note x" }, "follows the end record" },
	{ { BEGIN, "note \x1b[0m" }, "byte 0x1b in column 11" },
	{ { BEGIN, "note \xc3\xa4" }, "byte 0xc3 in column 11" },
};

static void test_bad_streams(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct reading reading;

		parse(bad[i].lines, &reading);
		if (reading.state != STREAM_MALFORMED || !reading.why ||
		    !strstr(reading.why, bad[i].why))
			fail_msg("row %zu, wanted \"%s\": state %d, %s", i,
				 bad[i].why, reading.state,
				 reading.why ? reading.why : "no reason");
		reading_free(&reading);
	}
}

/* A lost line shows although all others are whole. */
static void test_lost_line(void **state)
{
	size_t len;
	char *text = stream_text(good, &len);
	char *second = strchr(text, '\n') + 1;
	char *third = strchr(second, '\n') + 1;
	struct reading reading;

	(void)state;
	len -= (size_t)(third - second);
	memmove(second, third, strlen(third) + 1);
	reading_parse(text, len, &reading);
	assert_int_equal(reading.state, STREAM_MALFORMED);
	assert_non_null(strstr(reading.why, "lines were lost"));
	reading_free(&reading);
	free(text);
}

/* Not even the beginning of a line comes after the end. */
static void test_end_is_the_end(void **state)
{
	size_t len;
	char *text = stream_text(good, &len);
	char *longer = xasprintf("%sx", text);
	struct reading reading;

	(void)state;
	reading_parse(longer, len + 1, &reading);
	assert_int_equal(reading.state, STREAM_MALFORMED);
	assert_non_null(strstr(reading.why, "follows the end record"));
	reading_free(&reading);
	free(longer);
	free(text);
}

static void test_too_long_line(void **state)
{
	char *text = xcalloc(RL_LINE_MAX + 2, 1);
	struct reading reading;

	(void)state;
	memset(text, 'x', RL_LINE_MAX);
	text[RL_LINE_MAX] = '\n';
	reading_parse(text, RL_LINE_MAX + 1, &reading);
	assert_int_equal(reading.state, STREAM_MALFORMED);
	assert_non_null(strstr(reading.why, "longer than"));
	reading_free(&reading);
	free(text);
}

/* Whatever is read as a whole run makes a record. */
static void digest(char *text, size_t len, size_t *whole)
{
	struct reading reading;

	reading_parse(text, len, &reading);
	if (reading.state == STREAM_OK) {
		json_t *conditions = json_object(), *arm = json_object();

		json_decref(record_build(&reading, conditions, arm, ""));
		json_decref(conditions);
		json_decref(arm);
		++*whole;
	}
	reading_free(&reading);
}

/* Raw bytes changed: the checksums must refuse nearly all of it. */
static void test_random_bytes(void **state)
{
	size_t len, whole = 0, room;
	char *text = stream_text(good, &len), *copy;
	uint64_t x = 88172645463325252;

	(void)state;
	room = len + 64;
	copy = xcalloc(room, 1);
	for (int i = 0; i < 5000; i++) {
		memcpy(copy, text, len + 1);
		digest(copy, mutate(copy, len, room, &x), &whole);
	}
	/* A "change" to the byte that is there changes nothing. */
	assert_true(whole < 500);
	free(copy);
	free(text);
}

/* Lines changed under good checksums: the handlers themselves. */
static void test_random_lines(void **state)
{
	char lines[ARRAY_SIZE(good)][256];
	const char *list[ARRAY_SIZE(good)];
	uint64_t x = 362436069362436069;
	size_t whole = 0, len;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		char *text, *c;
		size_t line = random_next(&x) % (ARRAY_SIZE(good) - 1);

		for (size_t j = 0; j < ARRAY_SIZE(good); j++) {
			list[j] = good[j];
			if (j != line || !good[j])
				continue;
			len = strlen(strcpy(lines[j], good[j]));
			mutate(lines[j], len, sizeof(lines[j]), &x);
			while ((c = strchr(lines[j], '\n')))
				*c = ' ';
			list[j] = lines[j];
		}
		text = stream_text(list, &len);
		digest(text, len, &whole);
		free(text);
	}
	/* Some changes are good streams, most are not. */
	assert_in_range(whole, 100, 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_record_text_is_stable),
		cmocka_unit_test(test_record_text_lines),
		cmocka_unit_test(test_fail_has_a_reason),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_bad_streams),
		cmocka_unit_test(test_lost_line),
		cmocka_unit_test(test_end_is_the_end),
		cmocka_unit_test(test_too_long_line),
		cmocka_unit_test(test_random_bytes),
		cmocka_unit_test(test_random_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/* Text tables: what is a pair, what is a number. */
#include "synthetic.h"

#include <limits.h>

#include "../../harness/record/kv.h"

static void expect_pair(char **text, struct kv *pair, const char *key,
			const char *value, int line)
{
	assert_int_equal(kv_next(text, pair), 1);
	assert_string_equal(pair->key, key);
	assert_string_equal(pair->value, value);
	assert_int_equal(pair->line, line);
}

static void test_pairs(void **state)
{
	char text[] = "# a comment\n"
		      "\n"
		      "key value\n"
		      "  indented \t two  words \r\n"
		      "alone\n"
		      "cut this # and not this\n"
		      "last one";
	char *rest = text;
	struct kv pair = { .line = 0 };

	(void)state;
	expect_pair(&rest, &pair, "key", "value", 3);
	expect_pair(&rest, &pair, "indented", "two  words", 4);
	expect_pair(&rest, &pair, "alone", "", 5);
	expect_pair(&rest, &pair, "cut", "this", 6);
	expect_pair(&rest, &pair, "last", "one", 7);
	assert_int_equal(kv_next(&rest, &pair), 0);
	assert_int_equal(kv_next(&rest, &pair), 0);
}

static void test_nothing_in_it(void **state)
{
	static const char *const texts[] = { "", "\n", "#", "# x\n \t\n\r\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct kv pair = { .line = 0 };
		char *text = xasprintf("%s", texts[i]), *rest = text;

		assert_int_equal(kv_next(&rest, &pair), 0);
		free(text);
	}
}

static const struct {
	const char *text;
	long long min, max;
	int status;
	long long value;
} numbers[] = {
	{ "0", 0, 0, 0, 0 },
	{ "-5", -5, 5, 0, -5 },
	{ "007", 0, 9, 0, 7 },
	{ "9223372036854775807", LLONG_MIN, LLONG_MAX, 0, LLONG_MAX },
	{ "-9223372036854775808", LLONG_MIN, LLONG_MAX, 0, LLONG_MIN },
	{ "9223372036854775808", LLONG_MIN, LLONG_MAX, -1, 0 },
	{ "6", 1, 5, -1, 0 },
	{ "0", 1, 5, -1, 0 },
	{ "", 0, 9, -1, 0 },
	{ "-", -9, 9, -1, 0 },
	{ "--1", -9, 9, -1, 0 },
	{ "+1", 0, 9, -1, 0 },
	{ " 1", 0, 9, -1, 0 },
	{ "1 ", 0, 9, -1, 0 },
	{ "1k", 0, 9, -1, 0 },
	{ "0x1", 0, 9, -1, 0 },
	{ "1.0", 0, 9, -1, 0 },
};

static void test_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		long long value = 0;
		int status = kv_number(numbers[i].text, numbers[i].min,
				       numbers[i].max, &value);

		if (status != numbers[i].status ||
		    (!status && value != numbers[i].value))
			fail_msg("\"%s\": status %d, value %lld",
				 numbers[i].text, status, value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_nothing_in_it),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

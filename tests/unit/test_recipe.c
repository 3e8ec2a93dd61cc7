// SPDX-License-Identifier: GPL-2.0
/* Recipes: arms that can share their history, and nothing else. */
#include "streams.h"

#include "recipe.h"

#define HEAD "id 6.12\narch x86_64\n"
#define ARMS "arm base rule=1 exec=2\narm other rule=2 exec=1\n"

static int load(const char *dir, const char *text, struct recipe *recipe,
		char **error)
{
	char *path = xasprintf("%s/r", dir);
	int err;

	assert_int_equal(write_file(path, text, strlen(text)), 0);
	err = recipe_load(path, recipe, error);
	free(path);
	return err;
}

static void test_good(void **state)
{
	struct recipe r;
	char *error = NULL, *labels;
	const struct recipe_arm *arm;

	assert_int_equal(load(*state,
			      "# mine\n" HEAD
			      "source debian x\npatch a\npatch b\n"
			      "append one two\n" ARMS "measure base other\n",
			      &r, &error),
			 0);
	assert_string_equal(r.id, "6.12");
	assert_string_equal(r.arch, "x86_64");
	assert_string_equal(r.append, "one two");
	assert_string_equal(r.measure, "base other");
	labels = recipe_labels(&r);
	assert_string_equal(labels, "base other");
	free(labels);
	arm = recipe_arm(&r, "other");
	assert_non_null(arm);
	assert_int_equal(arm->switches.n, 2);
	assert_string_equal(arm->switches.list[0].key, "rule");
	assert_string_equal(pairs_find(&arm->switches, "exec"), "1");
	assert_null(recipe_arm(&r, "oth"));
	recipe_free(&r);
}

static void test_least(void **state)
{
	struct recipe r;
	char *error = NULL, *labels;

	assert_int_equal(load(*state, HEAD, &r, &error), 0);
	assert_string_equal(r.append, "");
	assert_string_equal(r.measure, "");
	labels = recipe_labels(&r);
	assert_string_equal(labels, "");
	free(labels);
	recipe_free(&r);
}

static const struct {
	const char *text, *error;
} bad[] = {
	{ "", "r: id is missing" },
	{ "id 1\n", "r: arch is missing" },
	{ "id\narch x\n", "r: id is missing" },
	{ HEAD "id 2\n", ":3: id is given twice" },
	{ HEAD "colour red\n", ":3: unknown key colour" },
	{ "arm\n", "a label is missing" },
	{ "arm ../x a=1\n", "a label" },
	{ "arm -x a=1\n", "a label" },
	{ "arm .x a=1\n", "a label" },
	{ "arm a/b a=1\n", "a label" },
	{ "arm base a=1\narm base a=2\n", ":2: arm base is given twice" },
	{ "arm x rule\n", "rule is not of the form switch=value" },
	{ "arm x =1\n", "=1 is not of the form switch=value" },
	{ "arm x rule=\n", "rule is empty but must be one digit" },
	{ "arm x rule=:\n", "rule is : but must be one digit" },
	{ "arm x rule=/\n", "rule is / but must be one digit" },
	{ "arm x rule=10\n", "rule is 10 but must be one digit" },
	{ "arm x rule=y\n", "rule is y but must be one digit" },
	{ "arm x rule=1 rule=2\n", "rule is given twice" },
	/* Arms whose files the guest reads in different time. */
	{ HEAD "arm a x=1\narm b x=1 y=1\n", ":4: arm b must have the same" },
	{ HEAD "arm a x=1 y=1\narm b y=1 x=1\n", ":4: arm b must have the" },
	{ HEAD "arm a x=1\narm b xx=1\n", ":4: arm b must have the same" },
	{ HEAD "arm a x=1\narm b\n", ":4: arm b must have the same" },
};

static void test_bad(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct recipe r;
		char *error = NULL;
		int err = load(*state, bad[i].text, &r, &error);

		if (!err || !error || !strstr(error, bad[i].error))
			fail_msg("\"%s\": %s", bad[i].text,
				 error ? error : "taken");
		free(error);
	}
}

static void test_long_label(void **state)
{
	char *label = xcalloc(66, 1), *text, *error = NULL;
	struct recipe r;

	memset(label, 'a', 65);
	text = xasprintf("arm %s x=1\n", label);
	assert_int_equal(load(*state, text, &r, &error), -1);
	assert_non_null(strstr(error, "64 characters"));
	free(error);
	free(text);
	free(label);
}

static bool takes(const char *text, void *dir)
{
	struct recipe r;
	char *error = NULL;

	if (!load(dir, text, &r, &error)) {
		recipe_free(&r);
		return true;
	}
	assert_null(strchr(error, '\n'));
	free(error);
	return false;
}

static void test_random_bytes(void **state)
{
	assert_in_range(try_mutations(HEAD ARMS "measure base other\n", 1000,
				      123456789, takes, *state),
			50, 900);
}

#define TEST(function) \
	cmocka_unit_test_setup_teardown(function, make_scratch, remove_scratch)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_good),       TEST(test_least),	TEST(test_bad),
		TEST(test_long_label), TEST(test_random_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

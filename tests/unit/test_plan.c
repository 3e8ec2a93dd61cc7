// SPDX-License-Identifier: GPL-2.0
/* Which run comes when, what stands in its conditions, what makes its key. */
#include "synthetic.h"

#include "plan.h"

/* A bench of which the tests change one thing at a time. */
struct fixture {
	struct scenario scenario, renamed;
	struct recipe recipe;
	struct arm arms[2];
	struct bench bench;
	char *dir, *kernel;
};

static char *put_file(const char *dir, const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", dir, name);

	assert_int_equal(write_file(path, text, strlen(text)), 0);
	return path;
}

#define SCENARIO(primary)                                                  \
	"workload launch\nmemory_mib 380\ncpus 1\ntimeout_s 9\nsilence_s " \
	"9\nprimary " primary "\nset apps 4\n"

static void load(struct fixture *f, const char *name, const char *text,
		 struct scenario *scenario)
{
	char *path = put_file(f->dir, name, text), *error = NULL;

	assert_int_equal(scenario_load(path, scenario, &error), 0);
	free(path);
}

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	void *dir;
	char *path, *error = NULL;

	if (make_scratch(&dir))
		return -1;
	f->dir = dir;
	load(f, "a.scenario", SCENARIO("cold_ns.p50"), &f->scenario);
	load(f, "b.scenario", SCENARIO("launch_ns.p50"), &f->renamed);
	path = put_file(f->dir, "r",
			"id r\narch x86_64\nappend quiet\narm base a=1 b=2\n"
			"arm other a=2 b=2\narm again a=1 b=2\n");
	assert_int_equal(recipe_load(path, &f->recipe, &error), 0);
	free(path);
	f->kernel = put_file(f->dir, "kernel", "abc");
	for (int i = 0; i < 2; i++)
		assert_int_equal(arm_resolve(f->recipe.arms[i].label,
					     &f->recipe, f->kernel, &f->arms[i],
					     &error),
				 0);
	f->bench = (struct bench){
		.scenario = &f->scenario,
		.machine = machine_find("x86_64"),
		.accel = ACCEL_TCG,
		.qemu = "7.2.22",
		.initramfs = "/i",
		.initramfs_sha256 = "1234",
		.recipe_append = "quiet",
		.user_append = "",
	};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	void *dir = f->dir;

	scenario_free(&f->scenario);
	scenario_free(&f->renamed);
	recipe_free(&f->recipe);
	arm_free(&f->arms[0]);
	arm_free(&f->arms[1]);
	free(f->kernel);
	free(f);
	return remove_scratch(&dir);
}

/* A plan that is cut short still has whole pairs. */
static void test_order(void **state)
{
	static const char *const names[] = { "base-seed5", "other-seed5",
					     "base-seed6", "other-seed6",
					     "base-seed7", "other-seed7" };
	struct fixture *f = *state;
	struct plan plan;

	plan_make(&f->bench, f->arms, 2, 5, 3, &plan);
	assert_int_equal(plan.n, 6);
	for (size_t i = 0; i < plan.n; i++) {
		assert_string_equal(plan.jobs[i].name, names[i]);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(plan.jobs[i].key,
						plan.jobs[j].key);
	}
	plan_free(&plan);
}

/* The baseline once more, with fewer seeds, and another run for all that. */
static void test_disturbed(void **state)
{
	struct fixture *f = *state;
	struct arm arms[2] = { f->arms[0] };
	struct plan plan;
	char *error = NULL;

	assert_int_equal(
		arm_resolve("base~", &f->recipe, f->kernel, &arms[1], &error),
		0);
	assert_true(arms[1].disturbed);
	assert_string_equal(arms[1].text, "a 1\nb 2\ndisturb 1\n");
	arms[1].seeds = 1;
	plan_make(&f->bench, arms, 2, 1, 2, &plan);
	assert_int_equal(plan.n, 3);
	assert_string_equal(plan.jobs[1].name, "base~-seed1");
	assert_string_equal(plan.jobs[2].name, "base-seed2");
	assert_string_not_equal(plan.jobs[0].key, plan.jobs[1].key);
	assert_int_equal(json_integer_value(json_object_get(
				 plan.jobs[1].arm_json, "disturb")),
			 1);
	assert_null(json_object_get(plan.jobs[0].arm_json, "disturb"));
	plan_free(&plan);
	arm_free(&arms[1]);
}

static void test_conditions(void **state)
{
	struct fixture *f = *state;
	json_t *c, *machine, *argument;
	struct plan plan;
	size_t i;

	f->bench.user_append = "more";
	plan_make(&f->bench, &f->arms[1], 1, 3, 1, &plan);
	c = plan.jobs[0].conditions;
	machine = json_object_get(c, "machine");
#define TEXT(object, key) json_string_value(json_object_get(object, key))
	assert_string_equal(TEXT(c, "scenario"), "a");
	assert_string_equal(TEXT(c, "primary"), "cold_ns.p50");
	assert_string_equal(TEXT(c, "scenario_sha256"), f->scenario.sha256);
	assert_string_equal(TEXT(c, "initramfs_sha256"), "1234");
	assert_string_equal(TEXT(json_object_get(c, "job"), "apps"), "4");
	assert_string_equal(TEXT(json_object_get(c, "kernel"), "append"),
			    "quiet more");
	assert_string_equal(TEXT(machine, "accelerator"), "tcg");
	assert_string_equal(TEXT(machine, "qemu"), "7.2.22");
	assert_true(json_is_true(json_object_get(machine, "deterministic")));
	assert_int_equal(json_integer_value(json_object_get(c, "seed")), 3);
	/* Roles stand for files: no path of a machine gets into a record. */
	json_array_foreach (json_object_get(machine, "arguments"), i, argument)
		assert_null(strchr(json_string_value(argument), '/') &&
					    strstr(json_string_value(argument),
						   f->dir)
				    ? argument
				    : NULL);
	assert_string_equal(TEXT(plan.jobs[0].arm_json, "label"), "other");
	assert_string_equal(
		TEXT(json_object_get(plan.jobs[0].arm_json, "switches"), "a"),
		"2");
	plan_free(&plan);
}

/* The key of the one run of @arm and @seed. */
static void key_of(const struct bench *bench, const struct arm *arm,
		   long long seed, char key[65])
{
	struct plan plan;

	plan_make(bench, arm, 1, seed, 1, &plan);
	memcpy(key, plan.jobs[0].key, 65);
	plan_free(&plan);
}

static void test_key(void **state)
{
	struct fixture *f = *state;
	struct bench other[] = { f->bench, f->bench, f->bench,
				 f->bench, f->bench, f->bench };
	struct scenario larger = f->scenario;
	char key[65], same[65], differs[65];

	larger.memory_mib++;
	key_of(&f->bench, &f->arms[0], 1, key);
	/* The same run by another name, from other files of equal content. */
	other[0].scenario = &f->renamed;
	other[0].initramfs = "/elsewhere";
	key_of(&other[0], &f->arms[0], 1, same);
	assert_string_equal(key, same);

	key_of(&f->bench, &f->arms[0], 2, differs);
	assert_string_not_equal(key, differs);
	other[1].qemu = "8.0";
	memcpy(other[2].initramfs_sha256, "4321", 5);
	other[3].user_append = "x";
	other[4].accel = ACCEL_KVM;
	other[5].scenario = &larger;
	for (size_t i = 1; i < ARRAY_SIZE(other); i++) {
		key_of(&other[i], &f->arms[0], 1, differs);
		if (!strcmp(key, differs))
			fail_msg("change %zu keeps the key", i);
	}
}

/* Equal switches are one run if time is counted, two samples if it is real. */
static void test_key_and_label(void **state)
{
	struct fixture *f = *state;
	char *error = NULL, key[65], again[65];
	struct arm arm;

	assert_int_equal(
		arm_resolve("again", &f->recipe, f->kernel, &arm, &error), 0);
	key_of(&f->bench, &f->arms[0], 1, key);
	key_of(&f->bench, &arm, 1, again);
	assert_string_equal(key, again);
	f->bench.accel = ACCEL_KVM;
	key_of(&f->bench, &f->arms[0], 1, key);
	key_of(&f->bench, &arm, 1, again);
	assert_string_not_equal(key, again);
	arm_free(&arm);
}

static void test_deterministic(void **state)
{
	struct fixture *f = *state;
	struct scenario two = f->scenario;

	assert_true(bench_deterministic(&f->bench));
	two.cpus = 2;
	f->bench.scenario = &two;
	assert_false(bench_deterministic(&f->bench));
	f->bench.scenario = &f->scenario;
	f->bench.accel = ACCEL_KVM;
	assert_false(bench_deterministic(&f->bench));
}

static void test_resolve(void **state)
{
	struct fixture *f = *state;
	char *spec = xasprintf("mine=%s", f->kernel), *error = NULL;
	struct arm arm;

	assert_string_equal(f->arms[1].text, "a 2\nb 2\n");
	assert_int_equal(arm_resolve(spec, NULL, NULL, &arm, &error), 0);
	assert_string_equal(arm.label, "mine");
	assert_string_equal(arm.image, f->kernel);
	assert_string_equal(arm.text, "");
	assert_null(arm.switches);
	assert_string_equal(arm.image_sha256, f->arms[0].image_sha256);
	arm_free(&arm);
	free(spec);
}

static void test_resolve_bad(void **state)
{
	struct fixture *f = *state;
	const struct {
		const char *spec;
		const struct recipe *recipe;
		const char *kernel, *error;
	} bad[] = {
		{ "nonsense", &f->recipe, f->kernel,
		  "no arm nonsense in recipe r; there are: base other again" },
		{ "base", NULL, f->kernel, "name a recipe by --recipe" },
		{ "base", &f->recipe, NULL, "name a kernel image" },
		{ "base", &f->recipe, "/nonexistent", "No such file" },
		{ "a=", NULL, NULL, "write LABEL=IMAGE" },
		{ "=x", NULL, NULL, "a label is missing" },
		{ "a/b=x", NULL, NULL, "label" },
		{ "a=/nonexistent", NULL, NULL,
		  "kernel image /nonexistent: No such file" },
		{ "a=/", NULL, NULL, "kernel image /: Is a directory" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char *error = NULL;
		struct arm arm;
		int err = arm_resolve(bad[i].spec, bad[i].recipe, bad[i].kernel,
				      &arm, &error);

		if (!err || !strstr(error, bad[i].error))
			fail_msg("%s: %s", bad[i].spec,
				 error ? error : "taken");
		free(error);
	}
}

#define TEST(function) \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_order),	  TEST(test_disturbed),
		TEST(test_conditions),	  TEST(test_key),
		TEST(test_key_and_label), TEST(test_deterministic),
		TEST(test_resolve),	  TEST(test_resolve_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

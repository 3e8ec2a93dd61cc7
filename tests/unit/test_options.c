// SPDX-License-Identifier: GPL-2.0
/* Arguments of the subcommands: defaults, values, and one line for each error. */
#include "fork.h"

#include "options.h"

#define ARGS_MAX 16

struct call {
	enum command command;
	const char *args[ARGS_MAX];
	struct options options;
	bool go_on;
};

static void parse(void *data)
{
	struct call *call = data;
	char *argv[ARGS_MAX + 2] = { (char *)"x" };
	int argc = 1;

	while (call->args[argc - 1]) {
		argv[argc] = (char *)call->args[argc - 1];
		argc++;
	}
	call->go_on = options_parse(call->command, argc, argv, &call->options);
}

#define RUN_NEEDS "--scenario", "s", "--initramfs", "i", "--out", "o", "--arm"
#define MEASURE_NEEDS "--scenario", "s", "--initramfs", "i", "--out", "o"

static void test_defaults(void **state)
{
	struct call run = { COMMAND_RUN, { RUN_NEEDS, "a" }, { 0 }, false };
	struct call measure = {
		COMMAND_MEASURE, { MEASURE_NEEDS }, { 0 }, false
	};

	(void)state;
	parse(&run);
	assert_true(run.go_on);
	assert_string_equal(run.options.scenario, "s");
	assert_string_equal(run.options.initramfs, "i");
	assert_string_equal(run.options.out, "o");
	assert_string_equal(run.options.arms, "a");
	assert_string_equal(run.options.append, "");
	assert_string_equal(run.options.accel, "tcg");
	assert_int_equal(run.options.seed, 1);
	assert_false(run.options.fresh);
	assert_null(run.options.kernel);
	parse(&measure);
	assert_true(measure.go_on);
	assert_null(measure.options.arms);
	assert_int_equal(measure.options.seeds, 3);
	assert_true(measure.options.jobs >= 1);
}

static void test_values(void **state)
{
	struct call call = { COMMAND_MEASURE,
			     { MEASURE_NEEDS, "--fresh", "--arms=a b",
			       "--seeds", "17", "--jobs=2", "--append", "x y",
			       "--kernel=k" },
			     { 0 },
			     false };

	(void)state;
	parse(&call);
	assert_true(call.options.fresh);
	assert_string_equal(call.options.arms, "a b");
	assert_int_equal(call.options.seeds, 17);
	assert_int_equal(call.options.jobs, 2);
	assert_string_equal(call.options.append, "x y");
	assert_string_equal(call.options.kernel, "k");
}

static const struct {
	enum command command;
	const char *args[ARGS_MAX];
	const char *line;
} bad[] = {
	{ COMMAND_RUN, { NULL }, "run needs --scenario; see" },
	{ COMMAND_RUN, { "--scenario", "s" }, "run needs --initramfs; see" },
	{ COMMAND_RUN,
	  { MEASURE_NEEDS },
	  "run needs --arm; see `reclaimlab run --help`" },
	{ COMMAND_MEASURE, { "--seeds" }, "--seeds needs a value; see" },
	{ COMMAND_MEASURE,
	  { "--seeds", "many" },
	  "--seeds many: must be a number from 1 to 100000" },
	{ COMMAND_MEASURE, { "--seeds=0" }, "--seeds 0: must be a number" },
	{ COMMAND_MEASURE, { "--jobs", "4097" }, "from 1 to 4096" },
	{ COMMAND_RUN, { "--seed", "4294967296" }, "from 1 to 4294967295" },
	{ COMMAND_RUN, { "--seed=" }, "--seed : must be a number" },
	{ COMMAND_RUN, { "--seeds", "3" }, "run does not take --seeds" },
	{ COMMAND_MEASURE,
	  { "--seed", "3" },
	  "measure does not take --seed; see" },
	{ COMMAND_RUN, { "--colour" }, "run does not take --colour; see" },
	{ COMMAND_RUN, { RUN_NEEDS, "a", "b" }, "run does not take b; see" },
};

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct call call = { .command = bad[i].command };
		char *said, *newline;
		int status;

		memcpy(call.args, bad[i].args, sizeof(call.args));
		status = in_child(parse, &call, &said);
		newline = strchr(said, '\n');
		if (status != EXIT_USAGE || !newline || newline[1] ||
		    strncmp(said, "reclaimlab: ", 12) ||
		    !strstr(said, bad[i].line))
			fail_msg("row %zu: status %d: %s", i, status, said);
		free(said);
	}
}

static void test_help(void **state)
{
	static const struct {
		enum command command;
		const char *has, *lacks;
	} helps[] = {
		{ COMMAND_RUN, "\n  --seed N", "--seeds" },
		{ COMMAND_MEASURE, "\n  --seeds N", "--arm " },
		{ COMMAND_NATIVE, "\n  --allow-global", "--kernel" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(helps); i++) {
		struct call call = {
			helps[i].command, { "--colour", NULL }, { 0 }, false
		};
		char *said;

		call.args[0] = "--help";
		assert_int_equal(in_child(parse, &call, &said), 0);
		assert_int_equal(strncmp(said, "Usage: reclaimlab ", 18), 0);
		assert_non_null(strstr(said, helps[i].has));
		assert_null(strstr(said, helps[i].lacks));
		for (char *line = strtok(said, "\n"); line;
		     line = strtok(NULL, "\n"))
			assert_true(strlen(line) <= 100);
		free(said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
#include "options.h"

#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../record/kv.h"
#include "util.h"

#define BOTH (COMMAND_RUN | COMMAND_MEASURE)
#define MANY (COMMAND_MEASURE | COMMAND_NATIVE)
#define ALL (BOTH | COMMAND_NATIVE)
#define SEED_MAX UINT_MAX /* what QEMU's -seed takes is no larger */

enum kind {
	TEXT,
	NUMBER,
	FLAG,
};

/* In the order of the help text. */
static const struct row {
	const char *name;
	unsigned int commands;
	enum kind kind;
	size_t offset;
	bool required;
	long long max; /* of a number, which is at least 1 */
	const char *value, *help;
} rows[] = {
#define AT(member) offsetof(struct options, member)
	{ "scenario", ALL, TEXT, AT(scenario), true, 0, "FILE",
	  "what the guest does (harness/scenarios/)" },
	{ "initramfs", BOTH, TEXT, AT(initramfs), true, 0, "FILE",
	  "the guest's programs" },
	{ "out", ALL, TEXT, AT(out), true, 0, "DIR", "where results go" },
	{ "recipe", ALL, TEXT, AT(recipe), false, 0, "FILE",
	  "architecture, command line and arms (qemu/kernels/)" },
	{ "kernel", BOTH, TEXT, AT(kernel), false, 0, "IMAGE",
	  "that the recipe's arms boot" },
	{ "arm", COMMAND_RUN, TEXT, AT(arms), true, 0, "ARM",
	  "a label of the recipe, or LABEL=IMAGE" },
	{ "runner", COMMAND_NATIVE, TEXT, AT(runner), false, 0, "PATH",
	  "the program reclaimlab-native, which does the work" },
	{ "dir", COMMAND_NATIVE, TEXT, AT(dir), false, 0, "DIR",
	  "on a disk; it has its files in a directory there" },
	{ "by", COMMAND_NATIVE, TEXT, AT(by), false, 0, "WORD",
	  "toggle (default): one run after the other; or reboot:\n"
	  "one run a boot" },
	{ "arms", COMMAND_NATIVE, TEXT, AT(arms), false, 0, "\"A B\"",
	  "labels of the recipe, for a kernel with its switches, or,\n"
	  "by reboot, LABEL=RELEASE of uname -r; the baseline first" },
	{ "arms", COMMAND_MEASURE, TEXT, AT(arms), false, 0, "\"A B\"",
	  "labels of the recipe or LABEL=IMAGE, the baseline first\n"
	  "(default: the recipe's measure line)" },
	{ "seed", COMMAND_RUN, NUMBER, AT(seed), false, SEED_MAX, "N",
	  "of all the guest's random choices (default 1)" },
	{ "seeds", MANY, NUMBER, AT(seeds), false, 100000, "N",
	  "how many seeds, from 1 on (default 3)" },
	{ "band", COMMAND_MEASURE, NUMBER, AT(band), false, 100000, "N",
	  "how many of them also for the baseline with its history\n"
	  "disturbed: the band of chance (default none)" },
	{ "allow-global", COMMAND_NATIVE, FLAG, AT(allow_global), false, 0,
	  NULL, "change settings of the whole machine, and restore them" },
	{ "no-limit", COMMAND_NATIVE, FLAG, AT(no_limit), false, 0, NULL,
	  "do also what has no memcg limit" },
	{ "export", COMMAND_NATIVE, TEXT, AT(export), false, 0, "DIR",
	  "run nothing; leave jobs and run.sh there, for a device" },
	{ "import", COMMAND_NATIVE, TEXT, AT(import), false, 0, "DIR",
	  "run nothing; take the records that run.sh has left there" },
	{ "jobs", COMMAND_MEASURE, NUMBER, AT(jobs), false, 4096, "N",
	  "guests at a time (default: the processors)" },
	{ "append", BOTH, TEXT, AT(append), false, 0, "WORDS",
	  "more words for the kernel's command line" },
	{ "accel", BOTH, TEXT, AT(accel), false, 0, "NAME",
	  "tcg, deterministic (default); kvm, in real time;\n"
	  "or auto: kvm if a guest boots under it" },
	{ "arch", BOTH, TEXT, AT(arch), false, 0, "NAME",
	  "of the images, when there is no recipe (default x86_64)" },
	{ "fresh", ALL, FLAG, AT(fresh), false, 0, NULL,
	  "run even what is known (in a guest: and check that it is\n"
	  "the same)" },
#undef AT
};

#define NR_ROWS ARRAY_SIZE(rows)

static const struct about {
	enum command command;
	const char *name, *text, *status;
} abouts[] = {
	{ COMMAND_RUN, "run",
	  "Boots one guest with one arm and one seed, and leaves its record in\n"
	  "DIR/records; DIR/logs has the console and what is of the host. A run "
	  "that\nis known already is not made again.\n",
	  "Exit status: 0 the record is there, 1 the run failed, 2 wrong "
	  "usage,\nfiles or environment, and nothing was run.\n" },
	{ COMMAND_MEASURE, "measure",
	  "Boots every arm with every seed, several guests at a time, and "
	  "compares the\narms, paired by seed: DIR/report.txt, "
	  "DIR/report.json. Finished runs are kept\nand not made again.\n",
	  "Exit status: 0 measured and compared, 1 a run failed, 2 wrong "
	  "usage,\nfiles or environment, and nothing was run.\n" },
	{ COMMAND_NATIVE, "native",
	  "Does a scenario's work on this machine, in a cgroup with a limit, "
	  "for every arm\nand seed in turn, and compares. Finished runs are "
	  "kept: the same command, called\nagain, makes what is missing. "
	  "Settings of the machine are left alone unless\n--allow-global "
	  "says otherwise.\n",
	  "Exit status: 0 compared, 1 a run failed, 2 wrong usage, files or "
	  "environment,\n3 more runs are needed (--by reboot, --import).\n" },
};

static const struct about *about(enum command command)
{
	const struct about *a = abouts;

	while (a->command != command)
		a++;
	return a;
}

static void put_row(const struct row *row)
{
	const char *line = row->help;
	char *left =
		xasprintf("--%s %s", row->name, row->value ? row->value : "");

	printf("  %-20s", left);
	for (;;) {
		size_t len = strcspn(line, "\n");

		printf("%.*s\n", (int)len, line);
		line += len;
		if (!*line++)
			break;
		printf("%22s", "");
	}
	free(left);
}

static void help(enum command command)
{
	const struct about *a = about(command);

	printf("Usage: reclaimlab %s", a->name);
	for (size_t i = 0; i < NR_ROWS; i++)
		if (rows[i].required && rows[i].commands & command)
			printf(" --%s %s", rows[i].name, rows[i].value);
	printf(" [OPTION]...\n\n%s\n", a->text);
	for (size_t i = 0; i < NR_ROWS; i++)
		if (rows[i].commands & command)
			put_row(&rows[i]);
	printf("  %-20s%s\n\n%s", "--help", "this text", a->status);
}

/* The value returned for row i is i + 1; 'h' and '?' are far above. */
static void long_options(enum command command, struct option *list)
{
	size_t n = 0;

	for (size_t i = 0; i < NR_ROWS; i++)
		if (rows[i].commands & command)
			list[n++] =
				(struct option){ rows[i].name,
						 rows[i].kind == FLAG
							 ? no_argument
							 : required_argument,
						 NULL, (int)i + 1 };
	list[n] = (struct option){ "help", no_argument, NULL, 'h' };
}

/* The option as it was written, with or without =value. */
static const char *option_word(char **argv)
{
	return argv[optarg && optarg == argv[optind - 1] ? optind - 2
							 : optind - 1];
}

/*
 * getopt_long() takes a beginning for the whole: `measure --seed 3` would
 * quietly ask another question.
 */
static bool is_whole(const struct row *row, const char *word)
{
	size_t len = strlen(row->name);

	return !strncmp(word + 2, row->name, len) &&
	       (!word[2 + len] || word[2 + len] == '=');
}

static void take(const struct row *row, const char *value,
		 struct options *options)
{
	void *place = (char *)options + row->offset;

	if (row->kind == FLAG)
		*(bool *)place = true;
	else if (row->kind == TEXT)
		*(const char **)place = value;
	else if (kv_number(value, 1, row->max, place))
		die("--%s %s: must be a number from 1 to %lld", row->name,
		    value, row->max);
}

static void require(enum command command, const struct options *options)
{
	for (size_t i = 0; i < NR_ROWS; i++) {
		const char *const *place =
			(const void *)((const char *)options + rows[i].offset);

		if (rows[i].required && rows[i].commands & command && !*place)
			die("%s needs --%s; see `reclaimlab %s --help`",
			    about(command)->name, rows[i].name,
			    about(command)->name);
	}
}

static long long processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

bool options_parse(enum command command, int argc, char **argv,
		   struct options *options)
{
	struct option list[NR_ROWS + 2] = { 0 };
	const char *name = about(command)->name;
	int option;

	*options = (struct options){ .append = "",
				     .accel = "tcg",
				     .by = "toggle",
				     .seed = 1,
				     .seeds = 3,
				     .jobs = processors() };
	long_options(command, list);
	optind = 0; /* another parser may have run before */
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", list, NULL)) != -1) {
		if (option == 'h') {
			help(command);
			return false;
		}
		if (option == ':')
			die("%s needs a value; see `reclaimlab %s --help`",
			    argv[optind - 1], name);
		if (option == '?' ||
		    !is_whole(&rows[option - 1], option_word(argv)))
			die("%s does not take %s; see `reclaimlab %s --help`",
			    name, option_word(argv), name);
		take(&rows[option - 1], optarg, options);
	}
	if (optind < argc)
		die("%s does not take %s; see `reclaimlab %s --help`", name,
		    argv[optind], name);
	require(command, options);
	return true;
}

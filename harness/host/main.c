// SPDX-License-Identifier: GPL-2.0
/* reclaimlab: boots guests, compares what they say. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "util.h"

static int cmd_help(int argc, char **argv);

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *about;
} commands[] = {
	{ "measure", cmd_measure, "boot all arms with all seeds and compare" },
	{ "run", cmd_run, "boot one arm with one seed" },
	{ "native", cmd_native, "the same on a running machine or device" },
	{ "compare", cmd_compare, "compare the records of a directory" },
	{ "junit", cmd_junit, "results of tests as JUnit XML" },
	{ "help", cmd_help, "what a command takes: reclaimlab help COMMAND" },
};

static int usage(void)
{
	printf("Usage: reclaimlab COMMAND [OPTION]...\n\n"
	       "Boots a kernel under QEMU, has it do a scenario's work, and "
	       "compares arms of\nthe kernel by what reclaim did and cost.\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-10s%s\n", commands[i].name, commands[i].about);
	printf("\n`reclaimlab COMMAND --help` says what a command takes. "
	       "`make help`, in the\nsource tree, shows the short ways.\n");
	return EXIT_OK;
}

static int call(const char *name, int argc, char **argv)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return commands[i].run(argc, argv);
	die("no command %s; see `reclaimlab --help`", name);
}

static int cmd_help(int argc, char **argv)
{
	char help[] = "--help";
	char *asked[] = { argc > 1 ? argv[1] : NULL, help, NULL };

	if (argc < 2 || !strcmp(argv[1], "help") || *argv[1] == '-')
		return usage();
	return call(asked[0], 2, asked);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		die("name a command; see `reclaimlab --help`");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return usage();
	return call(argv[1], argc - 1, argv + 1);
}

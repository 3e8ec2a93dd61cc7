/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of the subcommands that boot guests, from one table.
 */
#ifndef RECLAIMLAB_HOST_OPTIONS_H
#define RECLAIMLAB_HOST_OPTIONS_H

#include <stdbool.h>

enum command {
	COMMAND_RUN = 1 << 0,
	COMMAND_MEASURE = 1 << 1,
	COMMAND_NATIVE = 1 << 2,
};

struct options {
	const char *kernel, *initramfs, *recipe, *scenario, *out;
	const char *arms; /* one label for run; NULL when not given */
	const char *append, *accel, *arch;
	long long seed;	 /* of run */
	long long seeds; /* of measure */
	long long band;	 /* of measure: seeds of the disturbed baseline */
	long long jobs;
	bool fresh;
	/* Of native: */
	const char *runner, *dir, *by, *export, *import;
	bool allow_global, no_limit;
};

/**
 * options_parse() - read a subcommand's arguments.
 *
 * Prints the help text when it is asked for. Whatever is wrong ends the program
 * with one line.
 *
 * Return: whether to go on; false after the help text.
 */
bool options_parse(enum command command, int argc, char **argv,
		   struct options *options);

#endif

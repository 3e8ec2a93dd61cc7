// SPDX-License-Identifier: GPL-2.0
/* `reclaimlab measure`: all arms with all seeds, and the comparison. */
#include "commands.h"
#include "interrupt.h"
#include "outdir.h"
#include "pool.h"
#include "setup.h"
#include "util.h"

int cmd_measure(int argc, char **argv)
{
	struct options options;
	struct setup setup;
	int failed, status = EXIT_RUN;

	if (!options_parse(COMMAND_MEASURE, argc, argv, &options))
		return EXIT_OK;
	setup_make(COMMAND_MEASURE, &options, &setup);
	outdir_clear(options.out);
	failed = pool_run(&setup.context, &setup.plan, options.jobs);
	if (failed < 0)
		interrupt_die();
	if (failed)
		warn("%d of %zu runs failed; the others are kept, the same "
		     "command makes the missing ones; `reclaimlab compare %s` "
		     "compares what there is",
		     failed, setup.plan.n, options.out);
	else
		status = compare_directory(options.out,
					   (const char *const *)setup.labels);
	setup_free(&setup);
	return status;
}

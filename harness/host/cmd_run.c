// SPDX-License-Identifier: GPL-2.0
/* `reclaimlab run`: one boot. */
#include <stdio.h>

#include "commands.h"
#include "interrupt.h"
#include "pool.h"
#include "setup.h"
#include "util.h"

int cmd_run(int argc, char **argv)
{
	struct options options;
	struct setup setup;
	int failed;

	if (!options_parse(COMMAND_RUN, argc, argv, &options))
		return EXIT_OK;
	setup_make(COMMAND_RUN, &options, &setup);
	failed = pool_run(&setup.context, &setup.plan, 1);
	if (failed < 0)
		interrupt_die();
	if (!failed)
		printf("%s/records/%s.json\n", options.out,
		       setup.plan.jobs[0].name);
	setup_free(&setup);
	return failed ? EXIT_RUN : EXIT_OK;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the options of a subcommand to a plan that is ready to run: files read,
 * arms found, accelerator chosen, result directory proven writable.
 */
#ifndef RECLAIMLAB_HOST_SETUP_H
#define RECLAIMLAB_HOST_SETUP_H

#include "job.h"
#include "options.h"

struct setup {
	struct recipe recipe;
	bool has_recipe;
	struct scenario scenario;
	char **labels; /* of the arms, in order; NULL ends the list */
	struct arm *arms;
	size_t nr_arms;
	char *qemu, *cache;
	struct bench bench;
	struct plan plan;
	struct job_context context;
	int claim; /* on the result directory */
};

/**
 * setup_make() - Whatever is wrong ends the program with one line, before
 * anything has been run.
 */
void setup_make(enum command command, const struct options *options,
		struct setup *setup);

void setup_free(struct setup *setup);

#endif

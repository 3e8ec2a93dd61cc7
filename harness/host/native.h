/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs on a machine as it is: arms that a switch or a reboot makes, and records
 * from the streams of the native runner, which says what the machine is.
 */
#ifndef RECLAIMLAB_HOST_NATIVE_H
#define RECLAIMLAB_HOST_NATIVE_H

#include <stdbool.h>

#include "recipe.h"
#include "scenario.h"

struct native_arm {
	char *label;
	const struct pairs *switches; /* NULL for a kernel of its own */
	char *text;		      /* of them, as the runner takes it */
	char *release;		      /* of such a kernel, else NULL */
};

/* One run: an arm with a seed. */
struct native_run {
	const struct native_arm *arm;
	const struct scenario *scenario;
	long long seed;
	const char *out; /* result directory */
	char *name;	 /* <label>-seed<N>, of its files */
};

/**
 * native_arm_resolve() - find what an arm's name stands for.
 * @spec: a label of @recipe, or LABEL=RELEASE, a kernel by what uname -r says.
 * @recipe: may be NULL.
 * @error: on failure one line, to be freed.
 *
 * Return: 0, or -1 with nothing to free but @error.
 */
int native_arm_resolve(const char *spec, const struct recipe *recipe,
		       struct native_arm *arm, char **error);

/**
 * native_arm_is_here() - can it be run without another kernel?
 */
bool native_arm_is_here(const struct native_arm *arm);

void native_arm_free(struct native_arm *arm);

/**
 * native_run_path() - of a file of a run; to be freed.
 * @dir: records or logs, or another name below the result directory.
 */
char *native_run_path(const struct native_run *run, const char *dir,
		      const char *suffix);

/**
 * native_run_known() - is its record there?
 * @error: set to a line when one is there that another question made.
 */
bool native_run_known(const struct native_run *run, char **error);

/**
 * native_run_import() - make the record of a run from its stream.
 * @stream: path.
 * @error: on failure a line, to be freed: the stream is not whole, or is of
 *	   another scenario, seed or arm.
 *
 * Return: 0, or -1.
 */
int native_run_import(const struct native_run *run, const char *stream,
		      char **error);

#endif

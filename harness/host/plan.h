/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The plan: which arm runs with which seed, in which order, under which
 * conditions. Everything that determines a run is in its conditions and its
 * arm; a run's key is their hash.
 */
#ifndef RECLAIMLAB_HOST_PLAN_H
#define RECLAIMLAB_HOST_PLAN_H

#include <jansson.h>

#include "qemu.h"
#include "recipe.h"
#include "scenario.h"

/* An arm to run: of the recipe, or a kernel image of its own. */
struct arm {
	char *label;
	char *image; /* path */
	char image_sha256[65];
	const struct pairs *switches; /* NULL for a foreign image */
	char *text;		      /* the arm file (record/kv.h) */
	/*
	 * Its history is disturbed on purpose as the switches are set: against
	 * the same arm undisturbed, every difference is chance.
	 */
	bool disturbed;
	long long seeds; /* only with so many of the first; 0: with all */
};

#define DISTURBED_MARK '~' /* ends the name of such an arm */

/* What all runs of a plan have in common. */
struct bench {
	const struct scenario *scenario;
	const struct machine *machine;
	enum accel accel;
	const char *qemu; /* version */
	const char *initramfs;
	char initramfs_sha256[65];
	const char *recipe_append, *user_append; /* "" for none */
};

struct job {
	const struct arm *arm;
	long long seed;
	char *name; /* <label>-seed<N>, of its files */
	json_t *conditions, *arm_json;
	char key[65];
};

struct plan {
	struct job *jobs;
	size_t n;
};

/**
 * arm_resolve() - find what an arm's name stands for.
 * @spec: a label of @recipe, or LABEL=IMAGE; a label of @recipe that ends with
 *	  DISTURBED_MARK is that arm, disturbed.
 * @recipe: may be NULL.
 * @kernel: the image of the recipe's arms, may be NULL.
 * @error: on failure one line, to be freed.
 *
 * The image's hash is taken here.
 *
 * Return: 0, or -1 with nothing to free but @error.
 */
int arm_resolve(const char *spec, const struct recipe *recipe,
		const char *kernel, struct arm *arm, char **error);

void arm_free(struct arm *arm);

/**
 * bench_deterministic() - is the same run twice the same to the byte?
 */
bool bench_deterministic(const struct bench *bench);

/**
 * pairs_json() - an object of strings; empty for NULL.
 */
json_t *pairs_json(const struct pairs *pairs);

/**
 * plan_make() - all arms with the first seed, all with the next, and so on: a
 * plan that is cut short still has pairs.
 * @arms: with distinct labels; @nr_arms of them.
 * @first, @nr_seeds: the seeds.
 */
void plan_make(const struct bench *bench, const struct arm *arms,
	       size_t nr_arms, long long first, long long nr_seeds,
	       struct plan *plan);

/**
 * job_setup() - the machine that a job runs on.
 */
struct qemu_setup job_setup(const struct bench *bench, const struct job *job);

void plan_free(struct plan *plan);

#endif

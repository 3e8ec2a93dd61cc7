/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records of a result directory: read, checked for form, and held against
 * each other for equal conditions.
 */
#ifndef RECLAIMLAB_HOST_RECORD_SET_H
#define RECLAIMLAB_HOST_RECORD_SET_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "history.h"

struct record {
	char *path;
	const char *file; /* name without directory, for messages */
	/*
	 * Without counters, observations and the samples' instants, which are
	 * most of it and what follows here.
	 */
	json_t *json;
	double *values;	       /* of metrics[], NaN where there is none */
	bool *counted;	       /* of metrics[]: is its counter in the record? */
	char digest[65];       /* of its history */
	char observations[65]; /* their SHA-256 */
	/* After records_fill(), like counters and observations in json. */
	struct history history;
	/* Pointing into json: */
	const char *label; /* of the arm */
	json_int_t seed;
	json_int_t disturb;  /* how far its history was on purpose, 0: not */
	const char *image;   /* SHA-256 of the kernel */
	const char *release; /* what the kernel calls itself */
	const char *stream;  /* SHA-256 of what the guest said, NULL: unknown */
};

struct record_set {
	struct record *records; /* sorted by label, then seed */
	size_t n;
};

/**
 * records_load() - read every *.json of @dir/records, in any order of files.
 * @error: on failure, one line to be freed that says what is wrong where: the
 *	   directory or a file cannot be read, is no record of this format, or
 *	   two files claim the same arm and seed.
 *
 * Return: 0, or -1 with @set empty.
 */
int records_load(const char *dir, struct record_set *set, char **error);

/**
 * record_history() - what the counters showed, read once more, to be freed.
 */
struct history record_history(const struct record *record);

/**
 * records_fill() - give the first records of every arm back their counters,
 * observations and histories.
 * @most: of an arm; the others stay without.
 *
 * records_condense() - take them away again.
 */
void records_fill(const struct record_set *set, size_t most);
void records_condense(const struct record_set *set);

/**
 * records_keep_arms() - drop the records of other arms.
 * @arms: labels, NULL ends the list.
 */
void records_keep_arms(struct record_set *set, const char *const *arms);

/**
 * records_check() - are the conditions of all records the same?
 *
 * Everything in a record's conditions must be equal but the seed, and so must
 * what the guest saw of its machine and which counters of metrics[] there are.
 * Between arms of different kernel images the image, its command line, the
 * memory it leaves and its counters may differ. Within an arm also the switches
 * must be equal.
 *
 * @images_differ: whether arms run different images.
 * @error: on failure, one line to be freed that names the field, both values
 *	   and both files.
 *
 * Return: 0, or -1.
 */
int records_check(const struct record_set *set, bool *images_differ,
		  char **error);

/**
 * record_conditions() - what is common to all records of a set that passed
 * records_check(): a record's conditions without the seed, and without the
 * kernel when @images_differ. The caller owns the object.
 */
json_t *record_conditions(const struct record *record, bool images_differ);

void records_free(struct record_set *set);

#endif

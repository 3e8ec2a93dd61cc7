/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two arms of one image share their history up to the first decision that
 * differs: where that shows first.
 */
#ifndef RECLAIMLAB_HOST_PARTING_H
#define RECLAIMLAB_HOST_PARTING_H

#include <stdbool.h>

#include "record_set.h"

struct parting {
	/*
	 * What differs first: a counter's name, or "sample_us" when not even
	 * the samples are taken at the same instant. NULL: nothing ever does.
	 */
	char *counter; /* to be freed */
	json_int_t us; /* virtual time of that sample in the first record */
};

/**
 * parting_find() - the first sample at which two boots show different figures.
 *
 * Both are read once more for it. What parted them came between the sample
 * before and this one.
 */
struct parting parting_find(const struct record *a, const struct record *b);

/**
 * parting_none() - are two boots equal in every counter, series, instant and
 * observation?
 */
bool parting_none(const struct record *a, const struct record *b);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Anonymous memory whose pages compress as far as the job says.
 */
#ifndef RECLAIMLAB_GUEST_ANON_H
#define RECLAIMLAB_GUEST_ANON_H

#include <stddef.h>

#include "job.h"
#include "rng.h"

/* The key that says how much of every page is random. */
extern const struct job_key anon_keys[];

struct anon {
	char *base;
	size_t pages;
};

/**
 * anon_make() - map and fill.
 * @rng: where the random part of every page comes from; the rest is zero.
 */
struct anon anon_make(size_t size, struct rng *rng);

/**
 * anon_touch() - read and write one word of a page.
 */
void anon_touch(const struct anon *anon, size_t page);

#endif

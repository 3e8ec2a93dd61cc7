/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Anonymous memory whose pages compress as far as the job says.
 */
#ifndef RECLAIMLAB_GUEST_ANON_H
#define RECLAIMLAB_GUEST_ANON_H

#include <stddef.h>

#include "rng.h"

struct anon {
	char *base;
	size_t pages;
};

/**
 * anon_make() - map and fill.
 * @random_percent: how much of every page is random, the rest is zero.
 * @rng: where the random part comes from.
 */
struct anon anon_make(size_t size, long long random_percent, struct rng *rng);

/**
 * anon_touch() - read and write one word of a page.
 */
void anon_touch(const struct anon *anon, size_t page);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A random order of 0 ... n-1 that needs no array: a list of page numbers would
 * itself be memory under reclaim, and would be paged in during a launch.
 *
 * The counter runs over the next power of two and passes through a mixer that
 * maps those numbers one to one (odd factors and xor-shifts can be undone);
 * results outside the range are skipped.
 */
#ifndef RECLAIMLAB_GUEST_SHUFFLE_H
#define RECLAIMLAB_GUEST_SHUFFLE_H

#include "rng.h"

struct shuffle {
	uint64_t n;
	uint64_t mask;
	unsigned int shift;
	uint64_t factor[2];
	uint64_t offset;
	uint64_t counter;
};

static inline struct shuffle shuffle_start(struct rng *rng, uint64_t n)
{
	struct shuffle s = { .n = n };
	unsigned int bits = 1;

	while (1ull << bits < n)
		bits++;
	s.mask = (1ull << bits) - 1;
	s.shift = (bits + 1) / 2;
	s.factor[0] = rng_next(rng) | 1;
	s.factor[1] = rng_next(rng) | 1;
	s.offset = rng_next(rng);
	return s;
}

/**
 * shuffle_next() - the next number; to be called at most n times.
 */
static inline uint64_t shuffle_next(struct shuffle *s)
{
	uint64_t x;

	do {
		x = (s->counter++ + s->offset) & s->mask;
		for (int i = 0; i < 2; i++) {
			x = (x * s->factor[i]) & s->mask;
			x ^= x >> s->shift;
		}
	} while (x >= s->n);
	return x;
}

#endif

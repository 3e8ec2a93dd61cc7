/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only source of chance in the guest. Everything random is drawn from the
 * job's seed, and every purpose has a stream of its own, so that one draw more
 * for one purpose leaves all the others as they were.
 *
 * The generator is splitmix64: a counter with a fixed odd step, and a mixer of
 * two multiplications over it. Sixty-four bits of state, every state on one
 * cycle, good enough for placing pages and filling them.
 */
#ifndef RECLAIMLAB_GUEST_RNG_H
#define RECLAIMLAB_GUEST_RNG_H

#include <stdint.h>

enum rng_purpose {
	RNG_SCHEDULE = 1, /* which app is launched next, and how */
	RNG_TEXT,	  /* the order in which text pages are called */
	RNG_ANON_ORDER,	  /* the order in which anonymous pages are touched */
	RNG_ANON_CONTENT, /* what is in them */
	RNG_CHURN,	  /* what is in the pages that come and go */
	RNG_WAKE,	  /* who does something in the background */
	RNG_FRAME,	  /* the pages that a frame needs */
	RNG_JOB,	  /* the pages that a short process needs */
};

struct rng {
	uint64_t state;
};

static inline uint64_t rng_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static inline uint64_t rng_next(struct rng *rng)
{
	rng->state += 0x9e3779b97f4a7c15u;
	return rng_mix(rng->state);
}

/**
 * rng_below() - a number from 0 to @limit - 1, @limit below 2^32.
 */
static inline uint64_t rng_below(struct rng *rng, uint64_t limit)
{
	return ((rng_next(rng) >> 32) * limit) >> 32;
}

/**
 * rng_stream() - the stream of one purpose.
 * @major, @minor: tell streams of one purpose apart, such as an app's number
 *		   and the launch's.
 */
static inline struct rng rng_stream(uint64_t seed, enum rng_purpose purpose,
				    uint64_t major, uint64_t minor)
{
	uint64_t state = rng_mix(seed + 0x9e3779b97f4a7c15u);

	state = rng_mix(state ^ (uint64_t)purpose);
	state = rng_mix(state ^ (major << 32) ^ minor);
	return (struct rng){ .state = state };
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_GENERATIONS_H
#define RECLAIMLAB_GUEST_GENERATIONS_H

/**
 * generations_prepare() - to be called before the sampler starts, whose samples
 * then have, of the workload's memcgs in debugfs's lru_gen,
 *
 *	lru_gen.<memcg>.<k>.age_ms	since generation k was made
 *	lru_gen.<memcg>.<k>.anon	pages in it
 *	lru_gen.<memcg>.<k>.file
 *
 * k is 0 for the oldest generation. <memcg> is apps; where the memcgs are split,
 * it is text and files.
 */
void generations_prepare(void);

#endif

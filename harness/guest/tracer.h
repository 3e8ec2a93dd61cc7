/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_TRACER_H
#define RECLAIMLAB_GUEST_TRACER_H

/**
 * tracer_start() - have the kernel tell of every memory stall and every wait for
 * a read, by kprobes, from now on.
 *
 * To be called before the sampler starts, whose samples then have the counters
 * of stalls.h, and beside them
 *
 *	trace.events	that were taken
 *	trace.lost	times that the kernel had to drop some; must be 0
 */
void tracer_start(void);

#endif

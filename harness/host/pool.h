/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Do a plan's jobs, several at a time, each in a process of its own: one that
 * fails, or dies, harms no other.
 */
#ifndef RECLAIMLAB_HOST_POOL_H
#define RECLAIMLAB_HOST_POOL_H

#include "job.h"

/**
 * pool_run() - do all jobs of @plan, in its order, at most @parallel at once;
 * say on stderr how far it is and what failed.
 *
 * Return: the number of jobs that failed, or -1 when interrupted; no process
 * that was started here is left then.
 */
int pool_run(const struct job_context *context, const struct plan *plan,
	     long long parallel);

#endif

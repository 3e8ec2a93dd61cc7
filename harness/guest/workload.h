/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A workload is a table of job keys and two functions. To add one: write it in
 * files of its own and name it in workloads.c.
 */
#ifndef RECLAIMLAB_GUEST_WORKLOAD_H
#define RECLAIMLAB_GUEST_WORKLOAD_H

#include <stdbool.h>

#include "job.h"

struct workload {
	const char *name;
	const struct job_key *keys;
	/*
	 * Tables of keys, NULL at the end: those that the values of @keys ask
	 * for, or with @all those that any value could ask for, which may be
	 * there without need. NULL where there are none.
	 */
	const struct job_key *const *(*more_keys)(bool all);
	/*
	 * May it be run on a running machine? Fails, or leaves things out, for
	 * what the job's values ask and cannot be had there. NULL: in no way.
	 */
	void (*check_native)(void);
	/*
	 * Before the sampler starts: what is to be sampled beside the kernel's
	 * usual counters. NULL for nothing.
	 */
	void (*prepare)(const struct job *job);
	/* Phase setup: files and processes. The switches are not set yet. */
	void (*setup)(const struct job *job);
	/* Phase warmup; calls record_phase("measure") when it is warm. */
	void (*run)(const struct job *job);
};

/* Every workload of this guest, NULL at the end. */
extern const struct workload *const workloads[];

#endif

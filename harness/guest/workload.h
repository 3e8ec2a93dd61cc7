/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A workload is a table of job keys and two functions. To add one: write it in
 * files of its own and name it in workloads.c.
 */
#ifndef RECLAIMLAB_GUEST_WORKLOAD_H
#define RECLAIMLAB_GUEST_WORKLOAD_H

#include "job.h"

struct workload {
	const char *name;
	const struct job_key *keys;
	/* Phase setup: files and processes. The switches are not set yet. */
	void (*setup)(const struct job *job);
	/* Phase warmup; calls record_phase("measure") when it is warm. */
	void (*run)(const struct job *job);
};

/* Every workload of this guest, NULL at the end. */
extern const struct workload *const workloads[];

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Do one job of a plan: find its record or boot the guest for it, and leave
 * <out>/records/<name>.json and <out>/logs/<name>.{log,console,stream}.
 */
#ifndef RECLAIMLAB_HOST_JOB_H
#define RECLAIMLAB_HOST_JOB_H

#include <stdbool.h>

#include "plan.h"

struct job_context {
	const struct bench *bench;
	const char *cache;
	const char *out;
	bool fresh; /* run even what is already known */
};

struct job_result {
	bool failed;
	bool reused;
	double seconds;
	char *message; /* when failed: what happened, in lines; else NULL */
};

/**
 * job_run() - do a job; a failed one leaves no record in @context->out.
 */
void job_run(const struct job_context *context, const struct job *job,
	     struct job_result *result);

#endif

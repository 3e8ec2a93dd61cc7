/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A scenario: which workload, with which parameters, on how large a machine,
 * and which metric answers the question.
 */
#ifndef RECLAIMLAB_HOST_SCENARIO_H
#define RECLAIMLAB_HOST_SCENARIO_H

#include "pairs.h"

struct scenario {
	char *name; /* of the file, without directory and .scenario */
	char *workload;
	char *about;   /* one line for people, "" if there is none */
	char *primary; /* name of a metric */
	long long memory_mib;
	long long cpus;
	long long timeout_s; /* of the host's time, for a whole run */
	long long silence_s; /* of the host's time, without any output */
	struct pairs set;    /* for the workload, in the file's order */
	/*
	 * Of what the guest sees: not of comments, layout, the watchdogs'
	 * limits. Two files of one hash make the same run.
	 */
	char sha256[65];
};

/**
 * scenario_load() - read a scenario file.
 * @error: on failure "path:line: what is wrong", to be freed.
 *
 * Return: 0, or -1 with nothing to free but @error.
 */
int scenario_load(const char *path, struct scenario *scenario, char **error);

/**
 * scenario_job() - the job for the guest (record/kv.h); to be freed.
 */
char *scenario_job(const struct scenario *scenario, long long seed);

void scenario_free(struct scenario *scenario);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The job: which workload, which seed, and a value for every key of the machine
 * and of the workload. There are no defaults: a scenario says everything, and so
 * a record says everything.
 */
#ifndef RECLAIMLAB_GUEST_JOB_H
#define RECLAIMLAB_GUEST_JOB_H

#include <stdbool.h>
#include <stdint.h>

struct job_key {
	const char *name; /* NULL ends a table */
	long long *value;
	long long min;
	long long max;
	const char *words; /* names for min, min + 1 ..., NULL for a number */
	const char **text; /* instead of a value: as it was given */
};

#define JOB_NUMBER(key, place, least, most)                                    \
	{                                                                      \
		.name = (key), .value = (place), .min = (least), .max = (most) \
	}
#define JOB_WORD(key, place, first, last, names)                 \
	{                                                        \
		.name = (key), .value = (place), .min = (first), \
		.max = (last), .words = (names)                  \
	}
#define JOB_TEXT(key, place)                   \
	{                                      \
		.name = (key), .text = (place) \
	}
#define JOB_END              \
	{                    \
		.name = NULL \
	}

/* The machine's keys, the same for every workload; the table is in job.c. */
struct machine {
	long long memcg_max_mib; /* memory.max of the apps, 0 for none */
	long long zram_mib;	 /* swap, 0 for none */
	long long swappiness;
	long long disk_delay_us;
	long long readahead_kib;
	long long sample_ms; /* 0: samples at the phase marks only */
};

enum yes_no {
	NO,
	YES,
};

struct workload;

struct job {
	const struct workload *workload;
	uint64_t seed;
	struct machine machine;
};

/**
 * job_read() - read the job from the host and fill in every key's value. The
 * run fails on a key that is unknown, missing, given twice or out of range.
 */
const struct job *job_read(void);

#endif

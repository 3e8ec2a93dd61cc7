/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far a plan is, on stderr: one line that is rewritten on a terminal, a
 * line for every finished job elsewhere.
 */
#ifndef RECLAIMLAB_HOST_PROGRESS_H
#define RECLAIMLAB_HOST_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
	bool terminal;
	size_t total, done, failed, reused, running;
	long long parallel;
	double booted_s;     /* of the finished boots, together */
	double last_done_at; /* seconds_now() */
};

void progress_start(struct progress *progress, size_t total,
		    long long parallel);

/**
 * progress_tick() - bring the line on a terminal up to date.
 */
void progress_tick(const struct progress *progress);

/**
 * progress_done() - a job has finished.
 * @what: its name; @seconds: how long it booted, 0 when it was reused.
 * @error: NULL, or the lines to print about its failure.
 */
void progress_done(struct progress *progress, const char *what, double seconds,
		   const char *error);

/**
 * progress_end() - leave a terminal's line empty.
 */
void progress_end(const struct progress *progress);

#endif

// SPDX-License-Identifier: GPL-2.0
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boot.h"
#include "util.h"

#define CLEAR "\r\033[K"

void progress_start(struct progress *progress, size_t total, long long parallel)
{
	*progress = (struct progress){
		.terminal = isatty(STDERR_FILENO),
		.total = total,
		.parallel = parallel,
		.last_done_at = seconds_now(),
	};
}

/* Known only when a boot has shown how long one takes. */
static char *time_left(const struct progress *p)
{
	size_t booted = p->done - p->reused;
	size_t left = p->total - p->done;
	double seconds;

	if (!booted || !left)
		return xasprintf("%s", "");
	seconds = p->booted_s / (double)booted * (double)left /
			  (double)p->parallel -
		  (seconds_now() - p->last_done_at);
	if (seconds < 1)
		seconds = 1;
	if (seconds < 90)
		return xasprintf(", about %.0f s left", seconds);
	return xasprintf(", about %.0f min left", seconds / 60);
}

void progress_tick(const struct progress *p)
{
	char *left;

	if (!p->terminal)
		return;
	left = time_left(p);
	fprintf(stderr, CLEAR "booting: %zu of %zu runs done", p->done,
		p->total);
	if (p->reused)
		fprintf(stderr, " (%zu reused)", p->reused);
	if (p->failed)
		fprintf(stderr, ", %zu failed", p->failed);
	fprintf(stderr, ", %zu running%s", p->running, left);
	free(left);
}

void progress_done(struct progress *p, const char *what, double seconds,
		   const char *error)
{
	p->done++;
	p->last_done_at = seconds_now();
	p->booted_s += seconds;
	if (error)
		p->failed++;
	else if (!seconds)
		p->reused++;

	if (p->terminal)
		fputs(CLEAR, stderr);
	if (error)
		warn("%s: %s", what, error);
	if (!p->terminal && !error && seconds)
		fprintf(stderr, "booting: %zu of %zu runs done: %s, %.1f s\n",
			p->done, p->total, what, seconds);
	else if (!p->terminal && !error)
		fprintf(stderr, "booting: %zu of %zu runs done: %s, reused\n",
			p->done, p->total, what);
	progress_tick(p);
}

void progress_end(const struct progress *p)
{
	if (p->terminal)
		fputs(CLEAR, stderr);
}

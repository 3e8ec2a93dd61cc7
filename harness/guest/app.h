/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An app: a process with program text of its own, text that all apps share, and
 * anonymous memory.
 */
#ifndef RECLAIMLAB_GUEST_APP_H
#define RECLAIMLAB_GUEST_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "child.h"
#include "job.h"

struct app {
	struct child child;
	char name[16];
	uint64_t id; /* chooses its random numbers */
	uint64_t seed;
	long long text_mib; /* its own */
	long long anon_mib;
};

/* What an app is to do. */
struct app_work {
	uint64_t turn;		/* chooses the order of the pages */
	long long text_percent; /* of own and shared text */
	long long anon_percent;
	/* With frames, instead: so many pages in each. */
	long long frames;
	long long frame_us;
	long long text_pages;
	long long anon_pages;
};

#define FRAMES_MAX 1024

/* The keys that all apps have in common. */
extern const struct job_key app_keys[];

/**
 * app_make_text() - make the file of an app's own text, and the shared one if it
 * is not there yet.
 */
void app_make_text(const struct app *app);

/**
 * app_start() - start the process; it maps its text and fills its memory, and
 * executes nothing yet.
 */
void app_start(struct app *app);

/**
 * app_end() - end the process, if there is one.
 */
void app_end(struct app *app);

/**
 * app_alive() - is there a process? It may have been killed for want of memory.
 */
bool app_alive(struct app *app);

/**
 * app_run() - bring an app to the front and let it work.
 * @cold: end the process first and start it anew; so it is done too when there
 *	  is none.
 *
 * Return: nanoseconds from the command until the last page was touched.
 */
uint64_t app_run(struct app *app, const struct app_work *work, bool cold);

/**
 * app_frame_ns() - how long frame @i of the last work with frames took.
 */
uint64_t app_frame_ns(long long i);

#endif

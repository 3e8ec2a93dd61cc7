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

#define APP_SHARED_TEXT "/data/shared.text"

enum text_birth {
	TEXT_BIRTH_FAULT,
	TEXT_BIRTH_WILLNEED,
};

struct app {
	struct child child;
	long long number;
	uint64_t seed;
	/* The sizes, from the job. */
	long long anon_mib;
	long long anon_random_percent;
	long long text_percent;
	long long anon_percent;
	enum text_birth text_birth;
};

/**
 * app_text_path() - the file of an app's own text.
 */
const char *app_text_path(long long number);

/**
 * app_start() - start the process; it maps its text and fills its memory, and
 * executes nothing yet.
 */
void app_start(struct app *app);

/**
 * app_launch() - bring an app to the front.
 * @launch: number of the launch, which chooses the order of the pages.
 * @cold: first end the process and start it anew.
 *
 * Return: nanoseconds from the command until the last page of text was called.
 */
uint64_t app_launch(struct app *app, long long launch, bool cold);

#endif

// SPDX-License-Identifier: GPL-2.0
#include "app.h"

#include <stdio.h>

#include "anon.h"
#include "guest.h"
#include "shuffle.h"
#include "textfile.h"

struct launch_command {
	uint64_t start_ns;
	uint64_t launch;
};

struct launch_answer {
	uint64_t ns;
};

/* What the process has, all of it reachable by reclaim. */
struct body {
	struct text own;
	struct text shared;
	struct anon anon;
};

const char *app_text_path(long long number)
{
	static char path[64];

	snprintf(path, sizeof(path), "/data/app%lld.text", number);
	return path;
}

static void body_make(struct body *body, const struct app *app)
{
	struct rng content = rng_stream(app->seed, RNG_ANON_CONTENT,
					(uint64_t)app->number, 0);

	body->own = text_map(app_text_path(app->number));
	body->shared = text_map(APP_SHARED_TEXT);
	body->anon = anon_make((size_t)app->anon_mib * MIB,
			       app->anon_random_percent, &content);
}

/*
 * Call text_percent of the text pages in random order, and between them touch
 * anon_percent of the anonymous ones, evenly spread, so that text is the last.
 */
static void execute(const struct body *body, const struct app *app,
		    uint64_t launch)
{
	uint64_t number = (uint64_t)app->number;
	struct rng text_rng = rng_stream(app->seed, RNG_TEXT, number, launch);
	struct rng anon_rng =
		rng_stream(app->seed, RNG_ANON_ORDER, number, launch);
	size_t pages = body->own.pages + body->shared.pages;
	size_t calls = pages * (size_t)app->text_percent / 100;
	size_t touches = body->anon.pages * (size_t)app->anon_percent / 100;
	struct shuffle text = shuffle_start(&text_rng, pages);
	struct shuffle anon = shuffle_start(&anon_rng, body->anon.pages);
	size_t touched = 0;

	for (size_t i = 0; i < calls; i++) {
		size_t page = shuffle_next(&text);

		for (; touched * calls < i * touches; touched++)
			anon_touch(&body->anon, shuffle_next(&anon));
		if (page < body->own.pages)
			text_call(&body->own, page);
		else
			text_call(&body->shared, page - body->own.pages);
	}
}

/*
 * The clock is stopped here, in the launched process, right after its last call:
 * init would add the time until it is scheduled again, and the reclaim of a
 * neighbour that runs first. The clock is started by init, because being woken
 * and faulting in one's own stack is a part of coming to the front.
 */
static void app_main(const struct child_link *link, const void *arg)
{
	const struct app *app = arg;
	struct launch_command command;
	struct launch_answer answer = { .ns = 0 };
	struct body body;

	body_make(&body, app);
	link_tell(link, &answer, sizeof(answer));
	for (;;) {
		link_hear(link, &command, sizeof(command));
		if (app->text_birth == TEXT_BIRTH_WILLNEED) {
			text_willneed(&body.own);
			text_willneed(&body.shared);
		}
		execute(&body, app, command.launch);
		answer.ns = now_ns() - command.start_ns;
		link_tell(link, &answer, sizeof(answer));
	}
}

void app_start(struct app *app)
{
	struct launch_answer ready;

	snprintf(app->child.name, sizeof(app->child.name), "app %lld",
		 app->number);
	child_start(&app->child, app_main, app);
	child_hear(&app->child, &ready, sizeof(ready));
}

uint64_t app_launch(struct app *app, long long launch, bool cold)
{
	struct launch_command command = { .launch = (uint64_t)launch };
	struct launch_answer answer;

	/* That the old process ends is not a part of the new one's launch. */
	if (cold)
		child_kill(&app->child);
	command.start_ns = now_ns();
	if (cold)
		app_start(app);
	child_tell(&app->child, &command, sizeof(command));
	child_hear(&app->child, &answer, sizeof(answer));
	return answer.ns;
}

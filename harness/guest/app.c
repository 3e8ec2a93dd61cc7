// SPDX-License-Identifier: GPL-2.0
#include "app.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "anon.h"
#include "guest.h"
#include "procs.h"
#include "shuffle.h"
#include "textfile.h"
#include "where.h"

enum text_birth {
	TEXT_BIRTH_FAULT,
	TEXT_BIRTH_WILLNEED,
};

static struct {
	long long shared_text_mib;
	long long text_birth;
	long long text_exec;
} job_app;

const struct job_key app_keys[] = {
	JOB_NUMBER("shared_text_mib", &job_app.shared_text_mib, 1, 1024),
	JOB_WORD("text_birth", &job_app.text_birth, TEXT_BIRTH_FAULT,
		 TEXT_BIRTH_WILLNEED, "fault willneed"),
	/* no: the same mappings without PROT_EXEC, and read. */
	JOB_WORD("text_exec", &job_app.text_exec, NO, YES, "no yes"),
	JOB_END,
};

struct command {
	uint64_t start_ns;
	struct app_work work;
};

struct answer {
	uint64_t ns;
};

/* What the process has, all of it reachable by reclaim. */
struct body {
	const struct app *app;
	struct text own;
	struct text shared;
	struct anon anon;
};

/* Init's, and so locked: writing a frame's time never waits for memory. */
static uint64_t *frame_ns;

static const char *text_path(const struct app *app)
{
	return data_path("%s.text", app->name);
}

/* No app is called so. */
static const char *shared_text_path(void)
{
	return data_path("shared.text");
}

void app_make_text(const struct app *app)
{
	if (access(shared_text_path(), F_OK))
		textfile_write(shared_text_path(),
			       (size_t)job_app.shared_text_mib * MIB);
	textfile_write(text_path(app), (size_t)app->text_mib * MIB);
}

static void body_make(struct body *body, const struct app *app)
{
	struct rng content =
		rng_stream(app->seed, RNG_ANON_CONTENT, app->id, 0);
	bool exec = job_app.text_exec;

	body->app = app;
	body->own = text_map(text_path(app), exec);
	body->shared = text_map(shared_text_path(), exec);
	body->anon = anon_make((size_t)app->anon_mib * MIB, &content);
}

static void call(const struct body *body, size_t page)
{
	if (page < body->own.pages)
		text_call(&body->own, page);
	else
		text_call(&body->shared, page - body->own.pages);
}

/*
 * Call text_percent of the text pages in random order, and between them touch
 * anon_percent of the anonymous ones, evenly spread, so that text is the last.
 */
static void execute(const struct body *body, const struct app_work *work)
{
	const struct app *app = body->app;
	struct rng text_rng =
		rng_stream(app->seed, RNG_TEXT, app->id, work->turn);
	struct rng anon_rng =
		rng_stream(app->seed, RNG_ANON_ORDER, app->id, work->turn);
	size_t pages = body->own.pages + body->shared.pages;
	size_t calls = pages * (size_t)work->text_percent / 100;
	size_t touches = body->anon.pages * (size_t)work->anon_percent / 100;
	struct shuffle text = shuffle_start(&text_rng, pages);
	struct shuffle anon = shuffle_start(&anon_rng, body->anon.pages);
	size_t touched = 0;

	for (size_t i = 0; i < calls; i++) {
		size_t page = shuffle_next(&text);

		for (; touched * calls < i * touches; touched++)
			anon_touch(&body->anon, shuffle_next(&anon));
		call(body, page);
	}
}

/* The next instant of the display at which a frame can begin. */
static uint64_t next_frame(uint64_t first, uint64_t step)
{
	uint64_t at = first + ((now_ns() - first) / step + 1) * step;
	struct timespec when = {
		.tv_sec = (time_t)(at / NSEC_PER_SEC),
		.tv_nsec = (long)(at % NSEC_PER_SEC),
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
	return at;
}

/* Each frame needs a few pages from anywhere, and is late if one of them is. */
static void draw_frames(const struct body *body, const struct app_work *work)
{
	const struct app *app = body->app;
	struct rng rng = rng_stream(app->seed, RNG_FRAME, app->id, work->turn);
	size_t pages = body->own.pages + body->shared.pages;
	uint64_t step = (uint64_t)work->frame_us * 1000;
	uint64_t begin = now_ns(), first = begin;

	for (long long i = 0; i < work->frames; i++) {
		for (long long j = 0; j < work->text_pages; j++)
			call(body, rng_below(&rng, pages));
		for (long long j = 0; j < work->anon_pages; j++)
			anon_touch(&body->anon,
				   rng_below(&rng, body->anon.pages));
		frame_ns[i] = now_ns() - begin;
		begin = next_frame(first, step);
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
	struct command command;
	struct answer answer = { .ns = 0 };
	struct body body;

	body_make(&body, app);
	link_tell(link, &answer, sizeof(answer));
	for (;;) {
		link_hear(link, &command, sizeof(command));
		if (command.work.frames) {
			draw_frames(&body, &command.work);
		} else {
			if (job_app.text_birth == TEXT_BIRTH_WILLNEED) {
				text_willneed(&body.own);
				text_willneed(&body.shared);
			}
			execute(&body, &command.work);
		}
		answer.ns = now_ns() - command.start_ns;
		link_tell(link, &answer, sizeof(answer));
	}
}

static void frames_setup(void)
{
	if (frame_ns)
		return;
	frame_ns = mmap(NULL, FRAMES_MAX * sizeof(*frame_ns),
			PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			0);
	if (frame_ns == MAP_FAILED)
		fail("cannot map the frames' times: %s", strerror(errno));
}

/*
 * Whom the killer may take: nobody who is in the foreground. It never runs beside this:
 * it has a higher priority and looks only when it is woken by the kernel.
 */
static void set_front(struct app *app, bool front)
{
	struct proc *proc = procs_find(app->child.pid);

	proc->front = front;
	proc->killable = !front;
	proc->used_ns = now_ns();
}

void app_start(struct app *app)
{
	struct answer ready;

	frames_setup();
	snprintf(app->child.name, sizeof(app->child.name), "app %s", app->name);
	child_start(&app->child, ROLE_APP, app_main, app);
	child_hear(&app->child, &ready, sizeof(ready));
	set_front(app, false);
}

void app_end(struct app *app)
{
	if (app_alive(app))
		child_kill(&app->child);
}

bool app_alive(struct app *app)
{
	return app->child.pid && !child_was_killed(&app->child);
}

uint64_t app_run(struct app *app, const struct app_work *work, bool cold)
{
	struct command command = { .work = *work };
	struct answer answer;

	/* That the old process ends is not a part of the new one's launch. */
	if (cold)
		app_end(app);
	command.start_ns = now_ns();
	if (!app_alive(app))
		app_start(app);
	set_front(app, true);
	child_tell(&app->child, &command, sizeof(command));
	child_hear(&app->child, &answer, sizeof(answer));
	set_front(app, false);
	return answer.ns;
}

uint64_t app_frame_ns(long long i)
{
	return frame_ns[i];
}

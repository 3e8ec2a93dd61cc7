// SPDX-License-Identifier: GPL-2.0
#include "background.h"

#include <stdio.h>

#include "anon.h"
#include "app.h"
#include "guest.h"
#include "rng.h"

#define APPS_MAX 64

static struct {
	long long apps;
	long long text_mib;	/* each app's own text */
	long long anon_mib;	/* each app's */
	long long text_percent; /* of own and shared text, in one launch */
	long long anon_percent; /* touched in one launch */
	long long cold_percent; /* of the launches start the process anew */
	long long wake_percent; /* of text and memory, in the background */
} job_apps;

static const struct job_key keys[] = {
	JOB_NUMBER("apps", &job_apps.apps, 1, APPS_MAX),
	JOB_NUMBER("text_mib", &job_apps.text_mib, 1, 1024),
	JOB_NUMBER("anon_mib", &job_apps.anon_mib, 1, 4096),
	JOB_NUMBER("text_percent", &job_apps.text_percent, 1, 100),
	JOB_NUMBER("anon_percent", &job_apps.anon_percent, 0, 100),
	JOB_NUMBER("cold_percent", &job_apps.cold_percent, 0, 100),
	JOB_NUMBER("wake_percent", &job_apps.wake_percent, 0, 100),
	JOB_END,
};

static struct app apps[APPS_MAX];
static uint64_t app_seed;

static void make_files(long long unused)
{
	(void)unused;
	/* Two steps have the same apps. */
	for (long long i = 0; i < job_apps.apps && !apps[i].text_mib; i++) {
		apps[i] = (struct app){
			.id = (uint64_t)i,
			.text_mib = job_apps.text_mib,
			.anon_mib = job_apps.anon_mib,
		};
		snprintf(apps[i].name, sizeof(apps[i].name), "app%lld", i);
		app_make_text(&apps[i]);
	}
}

static void start(uint64_t seed)
{
	app_seed = seed;
	for (long long i = 0; i < job_apps.apps && !apps[i].child.pid; i++) {
		apps[i].seed = seed;
		app_start(&apps[i]);
	}
}

/*
 * Every round brings every app to the front once, in a new random order: each
 * has been away for about as long as the others, and still nobody knows who is
 * next.
 */
static struct app *next_app(struct rng *schedule)
{
	static long long order[APPS_MAX];
	static long long left;
	uint64_t pick;
	long long app;

	if (!left) {
		left = job_apps.apps;
		for (long long i = 0; i < left; i++)
			order[i] = i;
	}
	pick = rng_below(schedule, (uint64_t)left);
	app = order[pick];
	order[pick] = order[--left];
	return &apps[app];
}

static void run_switch(const struct turn *turn)
{
	static struct rng schedule;
	const struct app_work work = {
		.turn = turn->number,
		.text_percent = job_apps.text_percent,
		.anon_percent = job_apps.anon_percent,
	};
	struct app *app;
	bool cold;

	if (!schedule.state)
		schedule = rng_stream(turn->seed, RNG_SCHEDULE, 0, 0);
	app = next_app(&schedule);
	cold = rng_below(&schedule, 100) < (uint64_t)job_apps.cold_percent ||
	       !app_alive(app);
	observe(turn, "memavail_kib", mem_available_kib());
	observe(turn, cold ? "start_ns" : "launch_ns",
		(int64_t)app_run(app, &work, cold));
}

static void run_wake(const struct turn *turn)
{
	const struct app_work work = {
		.turn = turn->number,
		.text_percent = job_apps.wake_percent,
		.anon_percent = job_apps.wake_percent,
	};
	struct rng rng = rng_stream(turn->seed, RNG_WAKE, 0, turn->number);

	for (long long i = 0; i < turn->amount; i++) {
		struct app *app =
			&apps[rng_below(&rng, (uint64_t)job_apps.apps)];

		if (app_alive(app))
			app_run(app, &work, false);
	}
}

const struct step switch_step = {
	.name = "switch",
	.keys = { keys, app_keys, anon_keys },
	.make_files = make_files,
	.start = start,
	.run = run_switch,
};

const struct step wake_step = {
	.name = "wake",
	.unit = "apps",
	.max = APPS_MAX,
	.keys = { keys, app_keys, anon_keys },
	.make_files = make_files,
	.start = start,
	.run = run_wake,
};

// SPDX-License-Identifier: GPL-2.0
#include "camera.h"

#include "anon.h"
#include "app.h"
#include "guest.h"

static struct {
	long long text_mib;
	long long anon_mib;
	long long text_percent; /* in a cold start */
	long long frame_us;
	long long frame_text_pages;
	long long frame_anon_pages;
} job_camera;

static const struct job_key keys[] = {
	JOB_NUMBER("camera_text_mib", &job_camera.text_mib, 1, 1024),
	JOB_NUMBER("camera_anon_mib", &job_camera.anon_mib, 1, 4096),
	JOB_NUMBER("camera_text_percent", &job_camera.text_percent, 1, 100),
	JOB_END,
};

static const struct job_key frame_keys[] = {
	JOB_NUMBER("frame_us", &job_camera.frame_us, 100, 1000000),
	JOB_NUMBER("frame_text_pages", &job_camera.frame_text_pages, 0, 100000),
	JOB_NUMBER("frame_anon_pages", &job_camera.frame_anon_pages, 0, 100000),
	JOB_END,
};

/* Behind all the apps in the background. */
static struct app camera = { .name = "camera", .id = 1000 };

static void make_files(long long unused)
{
	(void)unused;
	if (camera.text_mib)
		return;
	camera.text_mib = job_camera.text_mib;
	camera.anon_mib = job_camera.anon_mib;
	app_make_text(&camera);
}

static void start(uint64_t seed)
{
	camera.seed = seed;
}

static void run_cold(const struct turn *turn)
{
	const struct app_work work = {
		.turn = turn->number,
		.text_percent = job_camera.text_percent,
		.anon_percent = 100,
	};

	app_end(&camera);
	observe(turn, "memavail_kib", mem_available_kib());
	observe(turn, "cold_ns", (int64_t)app_run(&camera, &work, true));
}

static void run_scroll(const struct turn *turn)
{
	const struct app_work work = {
		.turn = turn->number,
		.frames = turn->amount,
		.frame_us = job_camera.frame_us,
		.text_pages = job_camera.frame_text_pages,
		.anon_pages = job_camera.frame_anon_pages,
	};
	const uint64_t deadline = (uint64_t)job_camera.frame_us * 1000;

	app_run(&camera, &work, false);
	for (long long i = 0; i < turn->amount; i++) {
		observe(turn, "frame_ns", (int64_t)app_frame_ns(i));
		observe(turn, "missed_frames", app_frame_ns(i) > deadline);
	}
}

const struct step cold_step = {
	.name = "cold",
	.keys = { keys, app_keys, anon_keys },
	.make_files = make_files,
	.start = start,
	.run = run_cold,
};

const struct step scroll_step = {
	.name = "scroll",
	.unit = "frames",
	.max = FRAMES_MAX,
	.keys = { keys, frame_keys, app_keys, anon_keys },
	.make_files = make_files,
	.start = start,
	.run = run_scroll,
};

// SPDX-License-Identifier: GPL-2.0
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "anon.h"
#include "app.h"
#include "guest.h"
#include "record.h"
#include "textfile.h"

#define APPS_MAX 64
#define DATA_FILE "/data/data"

static struct {
	long long apps;
	long long text_mib; /* each app's own text */
	long long shared_text_mib;
	long long text_birth;	/* enum text_birth */
	long long text_percent; /* of own and shared text, in one launch */
	long long anon_mib;	/* each app's */
	long long anon_random_percent; /* of a page; the rest is zero */
	long long anon_percent;	       /* touched in one launch */
	long long data_mib;   /* the file that is streamed, over and over */
	long long stream_mib; /* of it, after every launch */
	long long churn_mib; /* allocated, filled and freed after every launch */
	long long pause_ms;  /* idle, after every launch */
	long long cold_percent; /* of the launches start the process anew */
	long long warmup_launches;
	long long launches;
} job_launch;

static const struct job_key keys[] = {
	{ "apps", &job_launch.apps, 1, APPS_MAX, NULL },
	{ "text_mib", &job_launch.text_mib, 1, 1024, NULL },
	{ "shared_text_mib", &job_launch.shared_text_mib, 1, 1024, NULL },
	{ "text_birth", &job_launch.text_birth, TEXT_BIRTH_FAULT,
	  TEXT_BIRTH_WILLNEED, "fault willneed" },
	{ "text_percent", &job_launch.text_percent, 1, 100, NULL },
	{ "anon_mib", &job_launch.anon_mib, 1, 4096, NULL },
	{ "anon_random_percent", &job_launch.anon_random_percent, 0, 100,
	  NULL },
	{ "anon_percent", &job_launch.anon_percent, 0, 100, NULL },
	{ "data_mib", &job_launch.data_mib, 1, 65536, NULL },
	{ "stream_mib", &job_launch.stream_mib, 0, 65536, NULL },
	{ "churn_mib", &job_launch.churn_mib, 0, 4096, NULL },
	{ "pause_ms", &job_launch.pause_ms, 0, 600000, NULL },
	{ "cold_percent", &job_launch.cold_percent, 0, 100, NULL },
	{ "warmup_launches", &job_launch.warmup_launches, 0, 100000, NULL },
	{ "launches", &job_launch.launches, 1, 100000, NULL },
	{ NULL, NULL, 0, 0, NULL },
};

static struct app apps[APPS_MAX];

static void setup_files(void)
{
	for (long long i = 0; i < job_launch.apps; i++)
		textfile_write(app_text_path(i),
			       (size_t)job_launch.text_mib * MIB);
	textfile_write(APP_SHARED_TEXT,
		       (size_t)job_launch.shared_text_mib * MIB);
	datafile_write(DATA_FILE, (size_t)job_launch.data_mib * MIB);
}

static void setup(const struct job *job)
{
	setup_files();
	for (long long i = 0; i < job_launch.apps; i++) {
		apps[i] = (struct app){
			.number = i,
			.seed = job->seed,
			.anon_mib = job_launch.anon_mib,
			.anon_random_percent = job_launch.anon_random_percent,
			.text_percent = job_launch.text_percent,
			.anon_percent = job_launch.anon_percent,
			.text_birth = (enum text_birth)job_launch.text_birth,
		};
		app_start(&apps[i]);
	}
}

/* What the short-lived processes between launches need to know. */
struct errand {
	uint64_t seed;
	long long launch;
};

/* Read the next part of the data file, from the start again at its end. */
static void stream(const void *arg)
{
	static char buffer[128 * 1024];
	const struct errand *errand = arg;
	const uint64_t size = (uint64_t)job_launch.data_mib * MIB;
	const uint64_t length = (uint64_t)job_launch.stream_mib * MIB;
	const uint64_t start = (uint64_t)errand->launch * length;
	int fd = open(DATA_FILE, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail("cannot open " DATA_FILE ": %s", strerror(errno));
	/* Both sizes are whole MiB, so a buffer never crosses the file's end. */
	for (uint64_t done = 0; done < length; done += sizeof(buffer)) {
		off_t at = (off_t)((start + done) % size);

		if (pread(fd, buffer, sizeof(buffer), at) != sizeof(buffer))
			fail("cannot read " DATA_FILE ": %s", strerror(errno));
	}
}

static void churn(const void *arg)
{
	const struct errand *errand = arg;
	struct rng rng = rng_stream(errand->seed, RNG_CHURN, 0,
				    (uint64_t)errand->launch);

	anon_make((size_t)job_launch.churn_mib * MIB,
		  job_launch.anon_random_percent, &rng);
}

static void between_launches(uint64_t seed, long long launch)
{
	struct errand errand = { .seed = seed, .launch = launch };
	struct timespec idle = {
		.tv_sec = job_launch.pause_ms / 1000,
		.tv_nsec = job_launch.pause_ms % 1000 * 1000000,
	};

	if (job_launch.stream_mib)
		child_run("the streaming reader", stream, &errand);
	if (job_launch.churn_mib)
		child_run("the memory churner", churn, &errand);
	nanosleep(&idle, NULL);
}

/*
 * Every round launches every app once, in a new random order: each app has been
 * away for about as long as the others, and still nobody knows who is next.
 */
static struct app *next_app(struct rng *schedule)
{
	static long long order[APPS_MAX];
	static long long left;
	uint64_t pick;
	long long app;

	if (!left) {
		left = job_launch.apps;
		for (long long i = 0; i < left; i++)
			order[i] = i;
	}
	pick = rng_below(schedule, (uint64_t)left);
	app = order[pick];
	order[pick] = order[--left];
	return &apps[app];
}

static long long mem_available_kib(void)
{
	static char text[8192];
	const char *line;

	if (read_text("/proc/meminfo", text, sizeof(text)) < 0)
		fail("cannot read /proc/meminfo: %s", strerror(errno));
	line = strstr(text, "\nMemAvailable:");
	if (!line)
		fail("/proc/meminfo has no MemAvailable");
	return strtoll(line + strlen("\nMemAvailable:"), NULL, 10);
}

static void run(const struct job *job)
{
	struct rng schedule = rng_stream(job->seed, RNG_SCHEDULE, 0, 0);
	const long long first = job_launch.warmup_launches;
	const long long end = first + job_launch.launches;

	for (long long i = 0; i < end; i++) {
		struct app *app = next_app(&schedule);
		bool cold = rng_below(&schedule, 100) <
			    (uint64_t)job_launch.cold_percent;
		long long available;
		uint64_t ns;

		if (i == first)
			record_phase("measure");
		available = mem_available_kib();
		ns = app_launch(app, i, cold);
		if (i >= first) {
			record_obs("memavail_kib", available);
			record_obs("launch_ns", (int64_t)ns);
		}
		between_launches(job->seed, i);
	}
}

const struct workload launch_workload = {
	.name = "launch",
	.keys = keys,
	.setup = setup,
	.run = run,
};

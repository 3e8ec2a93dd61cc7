// SPDX-License-Identifier: GPL-2.0
#include "build.h"

#include "anon.h"
#include "child.h"
#include "files.h"
#include "guest.h"
#include "rng.h"
#include "shuffle.h"
#include "textfile.h"
#include "where.h"

#define PARALLEL_MAX 64
#define SOURCE_STEP (128 * 1024)

static struct {
	long long parallel;
	long long tools;    /* binaries there are */
	long long text_mib; /* of each */
	long long text_percent;
	long long anon_mib;   /* of a process */
	long long source_kib; /* that it reads */
} job_build;

static const struct job_key keys[] = {
	JOB_NUMBER("build_parallel", &job_build.parallel, 1, PARALLEL_MAX),
	JOB_NUMBER("build_tools", &job_build.tools, 1, 16),
	JOB_NUMBER("build_text_mib", &job_build.text_mib, 1, 1024),
	JOB_NUMBER("build_text_percent", &job_build.text_percent, 1, 100),
	JOB_NUMBER("build_anon_mib", &job_build.anon_mib, 1, 4096),
	JOB_NUMBER("build_source_kib", &job_build.source_kib, 0, 1 << 20),
	JOB_END,
};

static const char *tool_path(long long tool)
{
	return data_path("tool%lld.text", tool);
}

static void make_files(long long unused)
{
	files_make_data(unused);
	for (long long i = 0; i < job_build.tools; i++)
		textfile_write(tool_path(i), (size_t)job_build.text_mib * MIB);
}

struct build_job {
	uint64_t seed;
	uint64_t turn;
	uint64_t number;
};

static void compile(const void *arg)
{
	const struct build_job *job = arg;
	struct rng rng = rng_stream(job->seed, RNG_JOB, job->number, job->turn);
	uint64_t tool = rng_below(&rng, (uint64_t)job_build.tools);
	uint64_t source = rng_below(&rng, 1 << 16) * SOURCE_STEP;
	struct text text = text_map(tool_path((long long)tool), true);
	size_t calls = text.pages * (size_t)job_build.text_percent / 100;
	struct shuffle order = shuffle_start(&rng, text.pages);

	files_read(source, (uint64_t)job_build.source_kib * 1024 / SOURCE_STEP *
				   SOURCE_STEP);
	for (size_t i = 0; i < calls / 2; i++)
		text_call(&text, shuffle_next(&order));
	anon_make((size_t)job_build.anon_mib * MIB, &rng);
	for (size_t i = calls / 2; i < calls; i++)
		text_call(&text, shuffle_next(&order));
}

/* The oldest is waited for, so that who follows whom is the same every time. */
static void run(const struct turn *turn)
{
	static const char name[] = "a build job";
	pid_t running[PARALLEL_MAX];
	uint64_t start = now_ns();
	long long parallel = job_build.parallel;

	for (long long i = 0; i < turn->amount + parallel; i++) {
		struct build_job job = { turn->seed, turn->number,
					 (uint64_t)i };

		if (i >= parallel && i - parallel < turn->amount)
			child_finish(name, running[i % parallel]);
		if (i < turn->amount)
			running[i % parallel] =
				child_begin(name, ROLE_APP, compile, &job);
	}
	observe(turn, "build_ns", (int64_t)(now_ns() - start));
}

const struct step build_step = {
	.name = "build",
	.unit = "processes",
	.max = 100000,
	.keys = { keys, data_keys, anon_keys },
	.make_files = make_files,
	.run = run,
};

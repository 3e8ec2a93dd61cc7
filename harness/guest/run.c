// SPDX-License-Identifier: GPL-2.0
#include "run.h"

#include "native.h"
#include "record.h"
#include "switches.h"
#include "workload.h"

void run_job(const struct job *job)
{
	if (job->workload->prepare)
		job->workload->prepare(job);
	record_sampler_start((uint64_t)job->machine.sample_ms);
	native_notes();
	record_phase("setup");
	job->workload->setup(job);
	switches_apply();
	record_phase("warmup");
	job->workload->run(job);
	record_phase("done");
	record_end_ok();
}

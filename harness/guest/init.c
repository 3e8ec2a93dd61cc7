// SPDX-License-Identifier: GPL-2.0
/*
 * PID 1 of the guest: build the machine, run the job's workload, switch off.
 *
 * Everything up to switches_apply() is history that all arms share.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cgroup.h"
#include "disk.h"
#include "guest.h"
#include "job.h"
#include "mounts.h"
#include "procs.h"
#include "record.h"
#include "swap.h"
#include "switches.h"
#include "workload.h"

static void machine_start(const struct machine *machine)
{
	disk_start(machine->disk_delay_us, machine->readahead_kib);
	swap_start(machine->zram_mib, machine->swappiness);
	cgroup_start(machine->memcg_max_mib);
}

/*
 * Locked, so that neither init nor the program text it shares with every
 * process of the workload takes part in the reclaim that is measured. Children
 * do not inherit the lock.
 */
static void settle(void)
{
	signal(SIGPIPE, SIG_IGN);
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		fail("cannot lock init in memory: %s", strerror(errno));
}

int main(void)
{
	const struct job *job;

	if (getpid() != 1) {
		say("this is the init of a reclaimlab guest, run by a kernel");
		return 1;
	}
	fail_setup();
	settle();
	procs_setup();
	mounts_make();
	record_open();
	job = job_read();
	record_begin(job->workload->name, job->seed);

	machine_start(&job->machine);
	if (job->workload->prepare)
		job->workload->prepare(job);
	record_sampler_start((uint64_t)job->machine.sample_ms);
	record_phase("setup");
	job->workload->setup(job);
	switches_apply();
	record_phase("warmup");
	job->workload->run(job);
	record_phase("done");
	record_end_ok();
}

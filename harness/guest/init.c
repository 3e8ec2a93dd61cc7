// SPDX-License-Identifier: GPL-2.0
/*
 * PID 1 of the guest: build the machine, run the job's workload, switch off. Any
 * other process is the native runner.
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
#include "native.h"
#include "port.h"
#include "procs.h"
#include "record.h"
#include "run.h"
#include "swap.h"
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

int main(int argc, char **argv)
{
	const struct job *job;

	if (getpid() != 1)
		return native_main(argc, argv);
	fail_setup(record_end_fail);
	settle();
	procs_setup();
	mounts_make();
	record_open(port_open());
	job = job_read();
	record_begin(job->workload->name, job->seed, "");
	machine_start(&job->machine);
	run_job(job);
}

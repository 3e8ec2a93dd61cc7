// SPDX-License-Identifier: GPL-2.0
#include "cycle.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "balloon.h"
#include "cgroup.h"
#include "generations.h"
#include "globals.h"
#include "guest.h"
#include "killer.h"
#include "native.h"
#include "record.h"
#include "step_list.h"
#include "tracer.h"

static struct {
	const char *cycle;
	const char *sustain;
	long long warmup_cycles;
	long long cycles;
	long long sustain_s;
	long long free_mib; /* that the processes have; 0: all there is */
	long long fault_around_kib; /* 0: the kernel's own */
	long long split_memcg; /* enum yes_no: a memcg for each kind of process */
	long long stalls;      /* enum yes_no: attribute memory stalls */
	long long generations; /* enum yes_no: sample MGLRU's */
	long long killer;      /* enum yes_no: kill apps under pressure */
} job_cycle;

static const struct job_key keys[] = {
	JOB_TEXT("cycle", &job_cycle.cycle),
	JOB_TEXT("sustain", &job_cycle.sustain),
	JOB_NUMBER("warmup_cycles", &job_cycle.warmup_cycles, 0, 100000),
	JOB_NUMBER("cycles", &job_cycle.cycles, 1, 100000),
	JOB_NUMBER("sustain_s", &job_cycle.sustain_s, 0, 100000),
	JOB_NUMBER("free_mib", &job_cycle.free_mib, 0, 1 << 20),
	JOB_NUMBER("fault_around_kib", &job_cycle.fault_around_kib, 0, 1 << 20),
	JOB_WORD("split_memcg", &job_cycle.split_memcg, NO, YES, "no yes"),
	JOB_WORD("stalls", &job_cycle.stalls, NO, YES, "no yes"),
	JOB_WORD("generations", &job_cycle.generations, NO, YES, "no yes"),
	JOB_WORD("killer", &job_cycle.killer, NO, YES, "no yes"),
	JOB_END,
};

#define TABLES_MAX 32

static struct step_list cycle, sustain;

static long long most_of(const struct step *step)
{
	long long a = step_list_most(&cycle, step);
	long long b = step_list_most(&sustain, step);

	return a > b ? a : b;
}

/* Each table once: some steps share one. */
static size_t add_table(const struct job_key **tables, size_t n,
			const struct job_key *table)
{
	for (size_t i = 0; i < n; i++)
		if (tables[i] == table)
			return n;
	if (n == TABLES_MAX)
		fail("more than %d tables of keys", TABLES_MAX);
	tables[n] = table;
	return n + 1;
}

/* The tables of the steps in use, or of all. */
static const struct job_key *const *more_keys(bool all)
{
	static const struct job_key *tables[TABLES_MAX + 1];
	size_t n = 0;

	step_list_parse("cycle", job_cycle.cycle, &cycle);
	step_list_parse("sustain", job_cycle.sustain, &sustain);
	for (size_t i = 0; steps[i]; i++) {
		if (!all && most_of(steps[i]) < 0)
			continue;
		for (size_t j = 0; j < STEP_TABLES && steps[i]->keys[j]; j++)
			n = add_table(tables, n, steps[i]->keys[j]);
	}
	return tables;
}

#define FAULT_AROUND "/sys/kernel/debug/fault_around_bytes"

static void set_fault_around(void)
{
	if (job_cycle.fault_around_kib &&
	    globals_write(FAULT_AROUND, "%lld",
			  job_cycle.fault_around_kib * 1024))
		fail("cannot write " FAULT_AROUND ": %s", strerror(errno));
}

static void check_native(void)
{
	if (job_cycle.free_mib)
		fail("free_mib %lld would take the memory of everybody else: "
		     "set free_mib 0 in the scenario",
		     job_cycle.free_mib);
	if (job_cycle.fault_around_kib && !globals_allowed())
		fail("fault_around_kib %lld needs --allow-global, or set it to "
		     "0 in the scenario",
		     job_cycle.fault_around_kib);
	if (job_cycle.killer && geteuid())
		fail("the killer needs root: set killer no in the scenario");
	/* They are written for one processor, and for tracing of our own. */
	if (job_cycle.stalls)
		native_leave_out("stalls yes (in guests only)");
	if (job_cycle.generations)
		native_leave_out("generations yes (in guests only)");
	job_cycle.stalls = job_cycle.generations = NO;
}

static void prepare(const struct job *unused)
{
	(void)unused;
	if (job_cycle.stalls)
		tracer_start();
	if (job_cycle.killer)
		killer_prepare();
	if (job_cycle.generations)
		generations_prepare();
}

static void setup(const struct job *job)
{
	set_fault_around();
	if (job_cycle.split_memcg)
		cgroup_split();
	for (size_t i = 0; steps[i]; i++)
		if (most_of(steps[i]) >= 0 && steps[i]->make_files)
			steps[i]->make_files(most_of(steps[i]));
	if (job_cycle.free_mib)
		balloon_leave(job_cycle.free_mib);
	for (size_t i = 0; steps[i]; i++)
		if (most_of(steps[i]) >= 0 && steps[i]->start)
			steps[i]->start(job->seed);
	if (job_cycle.killer)
		killer_start();
}

static void run(const struct job *job)
{
	struct turn turn = { .seed = job->seed };
	const long long end = job_cycle.warmup_cycles + job_cycle.cycles;
	uint64_t until;

	for (long long i = 0; i < end; i++) {
		turn.measured = i >= job_cycle.warmup_cycles;
		if (i == job_cycle.warmup_cycles)
			record_phase("measure");
		step_list_run(&cycle, &turn);
	}
	if (!job_cycle.sustain_s || !sustain.n)
		return;
	record_phase("sustain");
	until = now_ns() + (uint64_t)job_cycle.sustain_s * NSEC_PER_SEC;
	while (now_ns() < until)
		step_list_run(&sustain, &turn);
}

const struct workload cycle_workload = {
	.name = "cycle",
	.keys = keys,
	.more_keys = more_keys,
	.check_native = check_native,
	.prepare = prepare,
	.setup = setup,
	.run = run,
};

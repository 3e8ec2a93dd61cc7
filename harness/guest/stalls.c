// SPDX-License-Identifier: GPL-2.0
#include "stalls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "counters.h"
#include "guest.h"
#include "procs.h"

static const char *const site_names[NR_SITES] = {
	[SITE_OTHER] = "other",	    [SITE_DIRECT_RECLAIM] = "direct_reclaim",
	[SITE_KSWAPD] = "kswapd",   [SITE_COMPACTION] = "compaction",
	[SITE_MEMCG] = "memcg",	    [SITE_READAHEAD] = "readahead",
	[SITE_SWAP_IN] = "swap_in", [SITE_TEXT] = "text",
	[SITE_DATA] = "data",
};

static const char *const wait_names[NR_WAITS] = {
	[WAIT_TEXT] = "text",
	[WAIT_DATA] = "data",
	[WAIT_READAHEAD] = "readahead",
	[WAIT_SWAP_IN] = "swap_in",
};

/* A task that is in a stall or a wait now. */
struct task {
	pid_t pid; /* 0: free */
	enum role role;
	unsigned int stalls; /* nested */
	enum site site;
	uint64_t stalled_ns; /* since its wait began */
	unsigned int waits;  /* nested */
	enum wait wait;
	uint64_t wait_began;
};

#define TASKS_MAX 256

static struct task tasks[TASKS_MAX];
static size_t nr_tasks; /* none is used behind these */
static unsigned int nr_stalled;
static uint64_t now;
static uint64_t site_ns[NR_SITES];
static struct {
	uint64_t n, ns, counted_ns;
} waits[NR_WAITS];

static struct task *task_find(pid_t pid)
{
	for (size_t i = 0; i < nr_tasks; i++)
		if (tasks[i].pid == pid)
			return &tasks[i];
	return NULL;
}

static struct task *task_get(pid_t pid)
{
	struct task *task = task_find(pid);

	if (task)
		return task;
	task = task_find(0);
	if (!task && nr_tasks < TASKS_MAX)
		task = &tasks[nr_tasks++];
	if (task)
		*task = (struct task){ .pid = pid, .role = procs_role(pid) };
	return task;
}

static void task_put(struct task *task)
{
	if (!task->stalls && !task->waits)
		task->pid = 0;
}

/* What has passed belongs to those that are in a stall, in equal parts. */
static void advance(uint64_t ns)
{
	uint64_t passed = ns > now ? ns - now : 0, left = passed;
	unsigned int stalled = nr_stalled;

	now += passed;
	for (size_t i = 0; stalled && i < nr_tasks; i++) {
		uint64_t part = left / stalled;

		if (!tasks[i].pid || !tasks[i].stalls)
			continue;
		tasks[i].stalled_ns += passed;
		site_ns[tasks[i].site] += part;
		left -= part;
		stalled--;
	}
}

void stalls_enter(uint64_t ns, pid_t pid, enum site site)
{
	struct task *task;

	advance(ns);
	task = task_get(pid);
	if (!task || task->stalls++)
		return;
	nr_stalled++;
	task->site = site;
	if (site == SITE_TEXT && task->role != ROLE_APP)
		task->site = SITE_DATA;
}

/* Of a stall from before the first event there is nothing to leave. */
void stalls_leave(uint64_t ns, pid_t pid)
{
	struct task *task;

	advance(ns);
	task = task_find(pid);
	if (!task || !task->stalls || --task->stalls)
		return;
	nr_stalled--;
	task_put(task);
}

void stalls_wait_begin(uint64_t ns, pid_t pid, enum wait wait)
{
	struct task *task;

	advance(ns);
	task = task_get(pid);
	if (!task || task->waits++)
		return;
	task->wait_began = now;
	task->stalled_ns = 0;
	task->wait = wait;
	if (wait == WAIT_TEXT && task->role != ROLE_APP)
		task->wait = WAIT_DATA;
}

void stalls_wait_end(uint64_t ns, pid_t pid)
{
	struct task *task;

	advance(ns);
	task = task_find(pid);
	if (!task || !task->waits || --task->waits)
		return;
	waits[task->wait].n++;
	waits[task->wait].ns += now - task->wait_began;
	waits[task->wait].counted_ns += task->stalled_ns;
	task_put(task);
}

static void put(const char *group, const char *name, const char *suffix,
		uint64_t value)
{
	char full[64];

	snprintf(full, sizeof(full), "%s%s%s", group, name, suffix);
	counter_set(full, (int64_t)value);
}

void stalls_report(uint64_t ns)
{
	advance(ns);
	for (size_t i = 0; i < NR_SITES; i++)
		put("stall.", site_names[i], "_us", site_ns[i] / 1000);
	for (size_t i = 0; i < NR_WAITS; i++) {
		put("wait.", wait_names[i], "", waits[i].n);
		put("wait.", wait_names[i], "_us", waits[i].ns / 1000);
		put("wait.", wait_names[i], ".counted_us",
		    waits[i].counted_ns / 1000);
		put("wait.", wait_names[i], ".uncounted_us",
		    (waits[i].ns - waits[i].counted_ns) / 1000);
	}
}

// SPDX-License-Identifier: GPL-2.0
#include "killer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "counters.h"
#include "guest.h"
#include "procs.h"

#define PRESSURE "/proc/pressure/memory"

/* Android's defaults. */
#define WINDOW_MS 1000	     /* how long it looks after an event */
#define POLL_MS 10	     /* how often meanwhile */
#define THRASHING_LIMIT 100  /* refaults in % of the file pages, in a window */
#define THRASHING_DECAY 50   /* of the limit, in %, after a kill */
#define SWAP_FREE_PERCENT 10 /* less is little */

enum level {
	LEVEL_SOME,
	LEVEL_FULL,
	NR_LEVELS,
};

static const char *const triggers[NR_LEVELS] = {
	[LEVEL_SOME] = "some 70000 1000000",
	[LEVEL_FULL] = "full 700000 1000000",
};

static struct {
	int64_t events, polls, kills;
} * shared;

/* What it reads: numbers of /proc/vmstat and /proc/meminfo. */
struct state {
	long long scans; /* pages looked at by reclaim */
	long long refaults;
	long long file_pages;
	long long swap_total, swap_free;
};

struct watch {
	struct state base; /* as the window began */
	struct state last;
	uint64_t until;
	long long limit;
	bool critical; /* a "full" event that no kill has answered */
};

static long long number(const char *text, const char *name)
{
	const char *line = strstr(text, name);

	return line ? strtoll(line + strlen(name), NULL, 10) : 0;
}

static void read_state(struct state *state)
{
	static char text[32768];

	if (read_text("/proc/vmstat", text, sizeof(text)) < 0)
		fail("cannot read /proc/vmstat: %s", strerror(errno));
	state->scans = number(text, "\npgscan_kswapd ") +
		       number(text, "\npgscan_direct ");
	state->refaults = number(text, "\nworkingset_refault_file ");
	state->file_pages = number(text, "\nnr_inactive_file ") +
			    number(text, "\nnr_active_file ");
	if (read_text("/proc/meminfo", text, sizeof(text)) < 0)
		fail("cannot read /proc/meminfo: %s", strerror(errno));
	state->swap_total = number(text, "\nSwapTotal:");
	state->swap_free = number(text, "\nSwapFree:");
}

/* The one that has been away the longest, which has the highest oom_score_adj. */
static struct proc *victim(void)
{
	struct proc *found = NULL;

	for (struct proc *p = procs_next(NULL); p; p = procs_next(p))
		if (p->killable && !p->killed &&
		    (!found || p->used_ns < found->used_ns))
			found = p;
	return found;
}

static bool kill_one(void)
{
	struct proc *proc = victim();

	if (!proc)
		return false;
	proc->killed = true;
	kill(proc->pid, SIGKILL);
	shared->kills++;
	return true;
}

static void window_begin(struct watch *watch)
{
	read_state(&watch->base);
	watch->last = watch->base;
	watch->until = now_ns() + WINDOW_MS * NSEC_PER_MSEC;
}

/* Without reclaim there is no reason to kill, whatever the other figures say. */
static bool must_kill(struct watch *watch)
{
	struct state now;
	long long thrashing;
	bool reclaim, swap_is_low;

	read_state(&now);
	reclaim = now.scans != watch->last.scans;
	watch->last = now;
	thrashing = 100 * (now.refaults - watch->base.refaults) /
		    (now.file_pages + 1);
	swap_is_low = now.swap_total &&
		      now.swap_free * 100 < now.swap_total * SWAP_FREE_PERCENT;
	if (!reclaim)
		return false;
	return watch->critical || thrashing > watch->limit ||
	       (swap_is_low && thrashing > watch->limit / 2);
}

static void look(struct watch *watch)
{
	shared->polls++;
	if (must_kill(watch) && kill_one()) {
		watch->critical = false;
		watch->limit = watch->limit * (100 - THRASHING_DECAY) / 100;
		window_begin(watch);
	}
	if (now_ns() < watch->until)
		return;
	/* A window without a kill: as patient as in the beginning. */
	watch->until = 0;
	watch->limit = THRASHING_LIMIT;
}

static int open_trigger(const char *trigger)
{
	int fd = open(PRESSURE, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	/* With its NUL, or the kernel cuts off the last digit. */
	if (fd < 0 || write(fd, trigger, strlen(trigger) + 1) < 0)
		fail("no trigger on " PRESSURE ": %s", strerror(errno));
	return fd;
}

/* Before whatever waits for memory, and never itself one of those. */
static void settle(void)
{
	struct sched_param param = { .sched_priority = 1 };

	if (mlockall(MCL_CURRENT | MCL_FUTURE) ||
	    sched_setscheduler(0, SCHED_FIFO, &param))
		fail("cannot settle the killer: %s", strerror(errno));
}

__attribute__((noreturn)) static void killer_main(void)
{
	struct watch watch = { .limit = THRASHING_LIMIT };
	struct pollfd fds[NR_LEVELS];

	settle();
	for (size_t i = 0; i < NR_LEVELS; i++)
		fds[i] = (struct pollfd){ .fd = open_trigger(triggers[i]),
					  .events = POLLPRI };
	for (;;) {
		int n = poll(fds, NR_LEVELS, watch.until ? POLL_MS : -1);

		for (size_t i = 0; n > 0 && i < NR_LEVELS; i++) {
			if (!(fds[i].revents & POLLPRI))
				continue;
			shared->events++;
			watch.critical |= i == LEVEL_FULL;
			if (!watch.until)
				window_begin(&watch);
		}
		if (watch.until)
			look(&watch);
	}
}

static void killer_read(void)
{
	int64_t alive = 0;

	for (struct proc *p = procs_next(NULL); p; p = procs_next(p))
		alive += p->killable && !p->killed;
	counter_set("killer.events", shared->events);
	counter_set("killer.polls", shared->polls);
	counter_set("killer.kills", shared->kills);
	counter_set("apps.alive", alive);
}

void killer_prepare(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		fail("cannot map the killer's counters");
	counters_add_reader(killer_read);
}

void killer_start(void)
{
	pid_t pid = fork_child();

	if (pid < 0)
		fail("cannot start the killer: %s", strerror(errno));
	if (!pid)
		killer_main();
}

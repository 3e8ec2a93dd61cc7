/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who waited for what: the kernel's psi_memstall_enter() and _leave(), and the
 * functions that wait for a read, as a stream of events in time, turned into
 * counters.
 *
 * While at least one task is in a memory stall, PSI's "some" of the machine
 * grows. That time is divided here among the tasks that stall at each moment and
 * so among the places where they do, and the parts add up to the whole. A stall
 * within another (reclaim that waits for a page) belongs to the outer one, as in
 * the kernel.
 *
 * A wait is the time one process spends in a function that waits for a read. The
 * part of it in which it was in a memory stall, at any place, is counted by PSI;
 * the rest PSI does not see.
 *
 * One processor only: with several, PSI weighs each by its load.
 */
#ifndef RECLAIMLAB_GUEST_STALLS_H
#define RECLAIMLAB_GUEST_STALLS_H

#include <stdint.h>
#include <sys/types.h>

/* Where a stall begins, as the caller of psi_memstall_enter() says. */
enum site {
	SITE_OTHER,
	SITE_DIRECT_RECLAIM,
	SITE_KSWAPD,
	SITE_COMPACTION,
	SITE_MEMCG,
	SITE_READAHEAD,
	SITE_SWAP_IN,
	SITE_TEXT, /* the read of a file's page by who executes text */
	SITE_DATA, /* and by who does not */
	NR_SITES,
};

/* What is read by the function that waits. */
enum wait {
	WAIT_TEXT,
	WAIT_DATA,
	WAIT_READAHEAD,
	WAIT_SWAP_IN,
	NR_WAITS,
};

/**
 * stalls_enter(), stalls_leave() - psi_memstall_enter(), psi_memstall_leave().
 * @ns: of the trace clock; never runs backwards.
 * @site: SITE_TEXT for every read of a file, whoever reads.
 */
void stalls_enter(uint64_t ns, pid_t pid, enum site site);
void stalls_leave(uint64_t ns, pid_t pid);

/**
 * stalls_wait_begin(), stalls_wait_end() - around a function that waits.
 * @wait: WAIT_TEXT for every read of a file, whoever reads.
 */
void stalls_wait_begin(uint64_t ns, pid_t pid, enum wait wait);
void stalls_wait_end(uint64_t ns, pid_t pid);

/**
 * stalls_report() - account until @ns, and set the counters
 *
 *	stall.<site>_us			parts of psi.memory.some.total
 *	wait.<what>			waits that have ended
 *	wait.<what>_us			their time
 *	wait.<what>.counted_us		of it PSI has counted
 *	wait.<what>.uncounted_us	and the rest
 */
void stalls_report(uint64_t ns);

#endif

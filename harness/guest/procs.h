/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who is who among the workload's processes: a table in memory that init, the
 * sampler and the killer share. Only init adds and removes.
 */
#ifndef RECLAIMLAB_GUEST_PROCS_H
#define RECLAIMLAB_GUEST_PROCS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum role {
	ROLE_NONE,  /* not one of the workload's */
	ROLE_APP,   /* executes text */
	ROLE_FILES, /* reads and writes files, or does what apps do not */
};

struct proc {
	pid_t pid; /* 0: never used */
	enum role role;
	bool gone;	  /* has ended; kept for who reads of it later */
	bool front;	  /* the app in the foreground: never to be killed */
	bool killable;	  /* in the background */
	bool killed;	  /* by the killer; init has not yet seen it */
	uint64_t used_ns; /* when it was last in the foreground */
};

#define PROCS_MAX 1024 /* living, and lately gone */

/**
 * procs_setup() - to be called once, before the first child.
 */
void procs_setup(void);

/**
 * procs_add() - note a process; the run fails when the table is full.
 */
struct proc *procs_add(pid_t pid, enum role role);

void procs_remove(pid_t pid);

/**
 * procs_find() - the living process with that pid, NULL when there is none.
 */
struct proc *procs_find(pid_t pid);

/**
 * procs_role() - what it is or was, ROLE_NONE for a stranger.
 */
enum role procs_role(pid_t pid);

/**
 * procs_next() - the living process behind @proc, the first for NULL, NULL behind
 * the last.
 */
struct proc *procs_next(const struct proc *proc);

#endif

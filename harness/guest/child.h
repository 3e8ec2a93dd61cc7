/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes of a workload: children of init in the apps' cgroup. Init tells them
 * what to do by one pipe and waits for the answer on another, so that the order
 * of events is the same in every run. A child that dies unasked ends the run.
 */
#ifndef RECLAIMLAB_GUEST_CHILD_H
#define RECLAIMLAB_GUEST_CHILD_H

#include <stddef.h>
#include <sys/types.h>

#include "procs.h"

struct child {
	char name[32];
	pid_t pid;   /* 0: not running */
	int command; /* init's ends of the pipes */
	int answer;
};

/* The child's ends of its pipes. */
struct child_link {
	int command;
	int answer;
};

/**
 * child_start() - start a process that runs @main, which must not return.
 * @child: @child->name says who it is in messages.
 */
void child_start(struct child *child, enum role role,
		 void (*main)(const struct child_link *link, const void *arg),
		 const void *arg);

/**
 * child_tell(), child_hear() - init's side: send a command, wait for an answer.
 */
void child_tell(struct child *child, const void *command, size_t size);
void child_hear(struct child *child, void *answer, size_t size);

/**
 * child_kill() - end the process with SIGKILL and wait until it is gone.
 */
void child_kill(struct child *child);

/**
 * child_was_killed() - has the killer ended it? If so it is gone from now on.
 */
bool child_was_killed(struct child *child);

/**
 * child_begin() - run @work in a short-lived process.
 * child_finish() - wait until it has ended.
 * child_run() - both.
 */
pid_t child_begin(const char *name, enum role role,
		  void (*work)(const void *arg), const void *arg);
void child_finish(const char *name, pid_t pid);
void child_run(const char *name, enum role role, void (*work)(const void *arg),
	       const void *arg);

/**
 * link_hear(), link_tell() - the child's side.
 */
void link_hear(const struct child_link *link, void *command, size_t size);
void link_tell(const struct child_link *link, const void *answer, size_t size);

#endif

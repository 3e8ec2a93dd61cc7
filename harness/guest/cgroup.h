/* SPDX-License-Identifier: GPL-2.0 */
/*
 *	root		init, the sampler, the killer (natively: nobody)
 *	`- apps		every process of the workload, and its limit; or, split,
 *	   |- text	those that execute text
 *	   `- files	those that read and write files
 *
 * Split, each kind of page has lists of its own to be looked at: pages belong to
 * whoever touched them first.
 */
#ifndef RECLAIMLAB_GUEST_CGROUP_H
#define RECLAIMLAB_GUEST_CGROUP_H

#include "procs.h"

/**
 * cgroup_start() - make the apps' cgroup.
 * @max_mib: its memory.max; 0 for no limit.
 */
void cgroup_start(long long max_mib);

/**
 * cgroup_split() - make the two below it, before any process is in it.
 */
void cgroup_split(void);

/**
 * cgroup_join_apps() - move the calling process there.
 */
void cgroup_join_apps(enum role role);

#endif

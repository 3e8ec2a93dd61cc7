/* SPDX-License-Identifier: GPL-2.0 */
/*
 *	root		init and the sampler
 *	`- apps		every process of the workload
 */
#ifndef RECLAIMLAB_GUEST_CGROUP_H
#define RECLAIMLAB_GUEST_CGROUP_H

#define APPS_CGROUP "/sys/fs/cgroup/apps"

/**
 * cgroup_start() - make the apps' cgroup.
 * @max_mib: its memory.max; 0 for no limit.
 */
void cgroup_start(long long max_mib);

/**
 * cgroup_join_apps() - move the calling process there.
 */
void cgroup_join_apps(void);

#endif

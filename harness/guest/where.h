/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the workload has its files and its cgroups: in a guest always at the same
 * places, on a running machine where there is room for them.
 */
#ifndef RECLAIMLAB_GUEST_WHERE_H
#define RECLAIMLAB_GUEST_WHERE_H

/**
 * where_set() - other places than a guest's.
 * @data, @cgroup: directories; not copied.
 */
void where_set(const char *data, const char *cgroup);

/**
 * data_path() - a file of the workload.
 * @fmt: its name, printf style.
 *
 * Return: the path, until the next call.
 */
__attribute__((format(printf, 1, 2))) const char *data_path(const char *fmt,
							    ...);

/**
 * cgroup_path() - a file or directory in the cgroup above the apps'.
 */
__attribute__((format(printf, 1, 2))) const char *cgroup_path(const char *fmt,
							      ...);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The room of a native run: its directory of files, and its cgroup.
 */
#ifndef RECLAIMLAB_GUEST_ROOM_H
#define RECLAIMLAB_GUEST_ROOM_H

/**
 * room_claim() - be the only native runner of this machine.
 */
void room_claim(void);

/**
 * room_make() - make directory, journal and cgroup, and set where.h to them.
 * What a killed run left there is cleared first. The run fails when there is no
 * cgroup v2 with a memory controller in which the caller may make one.
 * @parent: the directory in which that of the files is made.
 */
void room_make(const char *parent);

/**
 * room_clear() - restore settings and remove what room_make() made, as far as it
 * came; nobody of the run is alive any more.
 *
 * Return: 0, or -1 when something stays behind, which is said.
 */
int room_clear(void);

#endif

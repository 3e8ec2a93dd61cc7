/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The same program on a running machine, of which it has only a part:
 *
 *	guardian	makes room, starts init, and clears up whatever happens
 *	`- init		as in a guest, with the sampler and the workload below
 *
 * The room is a cgroup and a directory of files, both called ROOM_NAME. When the
 * guardian itself is killed the kernel ends the others, and the next run clears
 * up what is left.
 */
#ifndef RECLAIMLAB_GUEST_NATIVE_H
#define RECLAIMLAB_GUEST_NATIVE_H

#include <stdbool.h>

#define ROOM_NAME "reclaimlab-native.room"

/**
 * native_main() - the life of the guardian.
 *
 * Return: 0 when the run is complete, 1 when it failed; wrong arguments and what
 * cannot be done here end the process with 2 before anything was changed.
 */
int native_main(int argc, char **argv);

/**
 * is_native() - on a running machine, not in a guest?
 */
bool is_native(void);

/**
 * my_name() - of this program in messages.
 */
const char *my_name(void);

/**
 * native_leave_out() - note what the job wants and is not had. Only before the
 * sampler starts; the text must be the same in every run of the job.
 */
__attribute__((format(printf, 1, 2))) void native_leave_out(const char *fmt,
							    ...);

/**
 * native_notes() - have it recorded; nothing in a guest.
 */
void native_notes(void);

#endif

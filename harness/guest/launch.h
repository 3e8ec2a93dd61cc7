/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_LAUNCH_H
#define RECLAIMLAB_GUEST_LAUNCH_H

#include "workload.h"

/*
 * Workload "launch": a phone in small. Apps are brought to the front one after
 * the other; between two launches a big file is read and anonymous memory comes
 * and goes, so that the next app has lost a part of its pages. launch.c has the
 * table of its keys.
 */
extern const struct workload launch_workload;

#endif

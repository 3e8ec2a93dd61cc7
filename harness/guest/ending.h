/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_ENDING_H
#define RECLAIMLAB_GUEST_ENDING_H

#include "workload.h"

/*
 * Workload "ending": no work, only an end of the kind that the job asks for. The
 * checks of the host program use it, and "ok" shows that a guest boots.
 */
extern const struct workload ending_workload;

#endif

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_CYCLE_H
#define RECLAIMLAB_GUEST_CYCLE_H

#include "workload.h"

/*
 * Workload "cycle": the steps of one list over and over, first to get warm and
 * then measured; behind them, if wanted, another list until some time is over.
 * The keys are in the table of cycle.c; each step has its own beside it.
 */
extern const struct workload cycle_workload;

#endif

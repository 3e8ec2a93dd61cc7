/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_RUN_H
#define RECLAIMLAB_GUEST_RUN_H

#include "job.h"

/**
 * run_job() - the workload's life on a machine that is built, from its setup to
 * the last record.
 *
 * Everything up to switches_apply() is history that all arms share.
 */
__attribute__((noreturn)) void run_job(const struct job *job);

#endif

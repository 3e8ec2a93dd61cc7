/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_BUILD_H
#define RECLAIMLAB_GUEST_BUILD_H

#include "step.h"

/*
 * build:N: N short processes, build_parallel at a time, each of which executes
 * one of the same few binaries, reads a source and fills some memory: a kernel
 * build in small. Observed: build_ns, until the last has ended.
 */
extern const struct step build_step;

#endif

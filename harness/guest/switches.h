/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_SWITCHES_H
#define RECLAIMLAB_GUEST_SWITCHES_H

#include <stdbool.h>

/**
 * switches_apply() - read the arm from the host and write its switches to the
 * kernel's reclaimlab module.
 *
 * To be called once, at the end of the setup: up to here two arms have executed
 * the same instructions on the same data, and from here on a difference is the
 * switch's doing. So the path through this function does not depend on a
 * switch's value, and no copy of the value stays behind in memory.
 */
void switches_apply(void);

/**
 * switches_given() - does the arm set any? For native runs, before them.
 */
bool switches_given(void);

#endif

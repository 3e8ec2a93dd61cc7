/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_BACKGROUND_H
#define RECLAIMLAB_GUEST_BACKGROUND_H

#include "step.h"

/*
 * switch: the next of the apps comes to the front and executes text_percent of
 * its text. Observed: memavail_kib, launch_ns, or start_ns of an app that had to
 * be started for it: one that was killed, or cold_percent of them.
 */
extern const struct step switch_step;

/*
 * wake:N: N apps do a little in the background, a wake_percent of their text and
 * memory. One that was killed stays dead.
 */
extern const struct step wake_step;

#endif

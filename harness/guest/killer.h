/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_KILLER_H
#define RECLAIMLAB_GUEST_KILLER_H

/**
 * killer_prepare() - to be called before the sampler starts, whose samples then
 * have killer.events, killer.polls, killer.kills and apps.alive.
 */
void killer_prepare(void);

/**
 * killer_start() - from now on kill apps in the background when memory is short.
 *
 * A model of Android's low-memory killer, of what it reads and when it decides:
 * it sleeps until PSI tells of stalls, then looks at the counters for a while and
 * kills the app that has been away the longest when they say that the machine
 * reads the same pages again and again, or that swap is nearly full.
 */
void killer_start(void);

#endif

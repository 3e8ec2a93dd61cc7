/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_BALLOON_H
#define RECLAIMLAB_GUEST_BALLOON_H

/**
 * balloon_leave() - take memory away until @mib are free, for good.
 *
 * What a workload has must not depend on the size of the kernel's image, or
 * every change of its configuration would move all results. The run fails when
 * less is free to begin with.
 */
void balloon_leave(long long mib);

#endif

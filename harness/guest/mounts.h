/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_MOUNTS_H
#define RECLAIMLAB_GUEST_MOUNTS_H

/**
 * mounts_make() - mount every kernel file system the guest uses.
 */
void mounts_make(void);

#endif

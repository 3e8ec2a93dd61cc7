/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_SWAP_H
#define RECLAIMLAB_GUEST_SWAP_H

/**
 * swap_start() - compressed swap in memory (zram), as on a phone.
 * @mib: its size uncompressed; 0 for none.
 * @swappiness: vm.swappiness.
 */
void swap_start(long long mib, long long swappiness);

#endif

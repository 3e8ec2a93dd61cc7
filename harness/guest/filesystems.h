/* SPDX-License-Identifier: GPL-2.0 */
/*
 * File systems for the kselftests: beside the ext4 of DISK_MOUNT each on a disk
 * of its own below /mnt, if the initramfs has its image and the kernel knows it;
 * and a tmpfs. All discard what is deleted, or every scratch file would go on
 * taking guest memory.
 */
#ifndef RECLAIMLAB_GUEST_FILESYSTEMS_H
#define RECLAIMLAB_GUEST_FILESYSTEMS_H

/**
 * filesystems_start() - make and mount what there is.
 * @delay_us, @readahead_kib: as for disk_start().
 */
void filesystems_start(long long delay_us, long long readahead_kib);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The disk: a null_blk device that keeps its blocks in guest memory, so that
 * every read completes at a virtual instant. Only blocks that were written take
 * memory, and that memory cannot be reclaimed.
 */
#ifndef RECLAIMLAB_GUEST_DISK_H
#define RECLAIMLAB_GUEST_DISK_H

/* configfs directory, device node and, on newer kernels, the disk's own name. */
#define DISK_NAME "nullb0"
#define DISK_MOUNT "/data"

/**
 * disk_start() - make the disk, put the initramfs's ext4 file system on it and
 * mount it on DISK_MOUNT.
 * @delay_us: virtual microseconds that a request takes.
 * @readahead_kib: the block device's read-ahead.
 */
void disk_start(long long delay_us, long long readahead_kib);

#endif

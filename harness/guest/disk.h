/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Disks: null_blk devices that keep their blocks in guest memory, so that every
 * read completes at a virtual instant. Only blocks that were written take
 * memory, which cannot be reclaimed, until they are discarded.
 */
#ifndef RECLAIMLAB_GUEST_DISK_H
#define RECLAIMLAB_GUEST_DISK_H

#include <stdbool.h>

/* The disk that every workload has, and where it is mounted. */
#define DISK_NAME "nullb0"
#define DISK_MOUNT "/data"

struct disk {
	/* configfs directory, device node and, on newer kernels, the disk. */
	const char *name;
	/* What the pieces of its image are called before the dot. */
	const char *image;
	const char *type;
	const char *mount;
	const char *options;
};

/**
 * disk_given() - does the initramfs have the image?
 */
bool disk_given(const struct disk *disk);

/**
 * disk_make() - make the disk and put its image on it.
 * @delay_us: virtual microseconds that a request takes.
 * @readahead_kib: the block device's read-ahead.
 */
void disk_make(const struct disk *disk, long long delay_us,
	       long long readahead_kib);

/**
 * disk_mount() - mount it.
 *
 * Return: 0, or -1 with errno set; ENODEV when the kernel does not know the
 * file system.
 */
int disk_mount(const struct disk *disk);

/**
 * disk_start() - make and mount the ext4 file system on DISK_MOUNT.
 */
void disk_start(long long delay_us, long long readahead_kib);

#endif

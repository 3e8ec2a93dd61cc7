/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A disk of one's own whose every answer takes long, so that a read is under way
 * for as long as it takes to do something meanwhile: a null_blk device in memory.
 */
#ifndef PAGE_ADVICE_SLOW_DISK_H
#define PAGE_ADVICE_SLOW_DISK_H

#include <stddef.h>

struct slow_disk {
	char dir[96]; /* in configfs, "" when there is none */
	char name[32];
	int fd; /* open for direct reads and writes */
};

/**
 * slow_disk_make() - make one of 4 MiB that answers after @ms. Disks that a
 * killed test left are removed.
 *
 * Return: NULL, or what is missing, for SKIP.
 */
const char *slow_disk_make(struct slow_disk *disk, unsigned int ms);

/**
 * slow_disk_drop() - close and remove it; nothing to do when there is none.
 */
void slow_disk_drop(struct slow_disk *disk);

/**
 * slow_disk_reads() - how many reads it has not answered yet.
 *
 * Return: reads, or -1 when the kernel does not say.
 */
long slow_disk_reads(const struct slow_disk *disk);

#endif

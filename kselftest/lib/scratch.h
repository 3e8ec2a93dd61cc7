/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scratch files on a file system with a disk below it: claims about the page
 * cache mean nothing on tmpfs, where the cache is the file.
 */
#ifndef PAGE_ADVICE_SCRATCH_H
#define PAGE_ADVICE_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

/**
 * scratch_open() - a new file that has no name any more.
 * @why: on failure, what is missing, for SKIP.
 *
 * The directory is the first of $PAGE_ADVICE_DIR, /var/tmp, /tmp and the current
 * one that is on ext4, xfs, btrfs or f2fs, can be written to and has room for
 * 8192 pages.
 *
 * Return: a descriptor open for reading and writing, or -1.
 */
int scratch_open(const char **why);

/**
 * scratch_open_on() - the same on one type of file system ("ext4", "xfs",
 * "btrfs", "f2fs", "tmpfs"), also in what is mounted below /mnt.
 */
int scratch_open_on(const char *type, const char **why);

/**
 * scratch_has_room() - can @nr more pages be written to the file system?
 */
bool scratch_has_room(int fd, size_t nr);

/**
 * scratch_window() - the file system's read-ahead window, in pages, by
 * /sys/class/bdi. POSIX_FADV_SEQUENTIAL doubles it.
 *
 * Return: pages, or -1 when sysfs does not tell.
 */
long scratch_window(int fd);

/**
 * scratch_fill() - write @nr pages as fill() does, and wait until they are on
 * the disk, so that they are clean.
 *
 * Return: 0, or -1 with errno set.
 */
int scratch_fill(int fd, size_t nr);

/**
 * scratch_evict() - take the file's clean pages out of the page cache.
 *
 * Return: 0, or -1 when some page of the first @nr is still there.
 */
int scratch_evict(int fd, size_t nr);

/**
 * scratch_bring_in() - have pages @from to @to - 1 read ahead: no read(2) and no
 * fault has used them then. Waits up to 10 s.
 *
 * Return: 0, or -1 when they did not come.
 */
int scratch_bring_in(int fd, size_t from, size_t to);

/**
 * scratch_reopen() - another open file of the same inode, by /proc/self/fd.
 */
int scratch_reopen(int fd, int flags);

/**
 * cached() - how many of pages @from to @to - 1 of the file are in the page
 * cache, by mincore(2) on a mapping of our own.
 *
 * Return: pages, or -1 with errno set.
 */
long cached(int fd, size_t from, size_t to);

/**
 * cached_at_rest() - cached(), once pages that are being read have come in: one
 * page of a read-ahead wakes the reader while others of the same I/O are still
 * to be marked uptodate, and those mincore() does not show.
 */
long cached_at_rest(int fd, size_t from, size_t to);

/**
 * cached_tells() - can cached() be believed here? To those who may not write a
 * file mincore(2) says that everything is resident (Linux 5.2).
 *
 * Return: NULL, or what is wrong, for SKIP.
 */
const char *cached_tells(void);

#endif

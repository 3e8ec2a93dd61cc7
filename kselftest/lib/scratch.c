// SPDX-License-Identifier: GPL-2.0
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "pages.h"

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

static bool has_a_disk(const char *dir)
{
	struct statfs status;

	if (statfs(dir, &status))
		return false;
	switch ((unsigned int)status.f_type) {
	case EXT4_SUPER_MAGIC:
	case XFS_SUPER_MAGIC:
	case BTRFS_SUPER_MAGIC:
	case F2FS_SUPER_MAGIC:
		return true;
	default:
		return false;
	}
}

/* Return: a descriptor; -1 when @dir does not serve, with what @why says. */
static int open_in(const char *dir, const char **why)
{
	char path[4096];
	int fd;

	if (!dir || !has_a_disk(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/page_advice-XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		*why = "the scratch directory cannot be written to";
	else
		unlink(path);
	return fd;
}

int scratch_open(const char **why)
{
	int fd;

	*why = "no directory on ext4, xfs, btrfs or f2fs; set PAGE_ADVICE_DIR";
	fd = open_in(getenv("PAGE_ADVICE_DIR"), why);
	if (fd < 0)
		fd = open_in("/var/tmp", why);
	if (fd < 0)
		fd = open_in("/tmp", why);
	if (fd < 0)
		fd = open_in(".", why);
	return fd;
}

int scratch_fill(int fd, size_t nr)
{
	unsigned char *page = malloc(page_size());
	int err = page ? 0 : -1;

	for (size_t i = 0; i < nr && !err; i++) {
		memset(page, page_byte(i), page_size());
		if (pwrite(fd, page, page_size(), i * page_size()) !=
		    (ssize_t)page_size())
			err = -1;
	}
	free(page);
	return err ? -1 : fsync(fd);
}

int scratch_reopen(int fd, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, flags | O_CLOEXEC);
}

long cached(int fd, size_t from, size_t to)
{
	size_t len = (to - from) * page_size();
	unsigned char *vec = calloc(to - from, 1);
	long count = -1;
	void *area;

	area = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, from * page_size());
	if (area != MAP_FAILED && vec && !mincore(area, len, vec)) {
		count = 0;
		for (size_t page = 0; page < to - from; page++)
			count += vec[page] & 1;
	}
	if (area != MAP_FAILED)
		munmap(area, len);
	free(vec);
	return count;
}

/* A file that was never read must show no page, then, read, all of them. */
const char *cached_tells(void)
{
	const char *why;
	int fd = scratch_open(&why);
	char byte;

	if (fd < 0)
		return why;
	why = NULL;
	if (ftruncate(fd, 8 * page_size()))
		why = "a scratch file cannot be made";
	else if (cached(fd, 0, 8) != 0)
		why = "mincore() shows pages of a file that was never read";
	for (size_t page = 0; page < 8 && !why; page++)
		if (pread(fd, &byte, 1, page * page_size()) != 1)
			why = "a scratch file cannot be read";
	if (!why && cached(fd, 0, 8) != 8)
		why = "mincore() does not show pages that were just read";
	close(fd);
	return why;
}

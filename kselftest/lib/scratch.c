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
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "pages.h"

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Pages that a file may need: no test writes more without asking first. */
#define ROOM 8192

static const struct {
	const char *type;
	unsigned int magic;
	bool has_a_disk;
} kinds[] = {
	{ "ext4", EXT4_SUPER_MAGIC, true },
	{ "xfs", XFS_SUPER_MAGIC, true },
	{ "btrfs", BTRFS_SUPER_MAGIC, true },
	{ "f2fs", F2FS_SUPER_MAGIC, true },
	{ "tmpfs", TMPFS_MAGIC, false },
};

/* @type: NULL for any that has a disk. */
static bool is_on(const char *dir, const char *type)
{
	struct statfs status;

	if (statfs(dir, &status))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].magic == (unsigned int)status.f_type)
			return type ? !strcmp(kinds[i].type, type) :
				      kinds[i].has_a_disk;
	return false;
}

static const char *why_not(int error)
{
	switch (error) {
	case EROFS:
		return "the scratch directory is read-only";
	case ENOSPC:
	case EDQUOT:
		return "the scratch directory is full";
	default:
		return "the scratch directory cannot be written to";
	}
}

bool scratch_has_room(int fd, size_t nr)
{
	struct statfs status;

	return !fstatfs(fd, &status) &&
	       status.f_bavail * (unsigned long long)status.f_bsize >=
		       nr * (unsigned long long)page_size();
}

/* Return: a descriptor; -1 when @dir does not serve, with what @why says. */
static int open_in(const char *dir, const char *type, const char **why)
{
	char path[4096];
	int fd;

	if (!dir || !is_on(dir, type))
		return -1;
	snprintf(path, sizeof(path), "%s/page_advice-XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0) {
		*why = why_not(errno);
		return -1;
	}
	unlink(path);
	if (scratch_has_room(fd, ROOM))
		return fd;
	*why = why_not(ENOSPC);
	close(fd);
	return -1;
}

/* In the directories that are everybody's to use. */
static int open_here(const char *type, const char **why)
{
	const char *const dirs[] = {
		getenv("PAGE_ADVICE_DIR"), "/var/tmp", "/tmp", "."
	};
	int fd = -1;

	for (size_t i = 0; i < ARRAY_SIZE(dirs) && fd < 0; i++)
		fd = open_in(dirs[i], type, why);
	return fd;
}

int scratch_open(const char **why)
{
	*why = "no directory on ext4, xfs, btrfs or f2fs; set PAGE_ADVICE_DIR";
	return open_here(NULL, why);
}

/* The type of a mount is looked at before the mount: others might hang. */
static int open_below_mnt(const char *type, const char **why)
{
	FILE *mounts = fopen("/proc/self/mounts", "re");
	char line[1024], dir[384], is[64], mode[3];
	int fd = -1;

	while (mounts && fd < 0 && fgets(line, sizeof(line), mounts))
		if (sscanf(line, "%*s %383s %63s %2s", dir, is, mode) == 3 &&
		    !strncmp(dir, "/mnt/", strlen("/mnt/")) &&
		    !strcmp(is, type) && !strcmp(mode, "rw"))
			fd = open_in(dir, type, why);
	if (mounts)
		fclose(mounts);
	return fd;
}

int scratch_open_on(const char *type, const char **why)
{
	static char nowhere[64];
	int fd;

	snprintf(nowhere, sizeof(nowhere), "no directory on %s", type);
	*why = nowhere;
	fd = open_here(type, why);
	return fd < 0 ? open_below_mnt(type, why) : fd;
}

long scratch_window(int fd)
{
	char path[64], text[32] = "";
	struct stat status;
	ssize_t n = -1;
	int knob;

	if (fstat(fd, &status))
		return -1;
	snprintf(path, sizeof(path), "/sys/class/bdi/%u:%u/read_ahead_kb",
		 major(status.st_dev), minor(status.st_dev));
	knob = open(path, O_RDONLY | O_CLOEXEC);
	if (knob >= 0) {
		n = read(knob, text, sizeof(text) - 1);
		close(knob);
	}
	return n > 0 ? atol(text) * 1024 / (long)page_size() : -1;
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

int scratch_evict(int fd, size_t nr)
{
	if (posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		return -1;
	return cached(fd, 0, nr) == 0 ? 0 : -1;
}

int scratch_bring_in(int fd, size_t from, size_t to)
{
	/* A call may be capped, and is not waited for. */
	for (int i = 0; i < 1000 && from < to; i++) {
		if (posix_fadvise(fd, from * page_size(),
				  (to - from) * page_size(),
				  POSIX_FADV_WILLNEED))
			return -1;
		while (from < to && cached(fd, from, from + 1) == 1)
			from++;
		if (from < to)
			usleep(10000);
	}
	return from == to ? 0 : -1;
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

/* At rest is what 20 ms do not change, within 2 s. */
long cached_at_rest(int fd, size_t from, size_t to)
{
	struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
	long before, now = cached(fd, from, to);
	int tries = 100;

	do {
		before = now;
		nanosleep(&pause, NULL);
		now = cached(fd, from, to);
	} while (now != before && --tries);
	return now;
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

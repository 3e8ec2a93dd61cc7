// SPDX-License-Identifier: GPL-2.0
#include "workdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "util.h"

#define PREFIX "run."
#define ROOM_MIN (256 * 1024)

/* There are only files in it. */
static void remove_tree(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(path);
}

static int lock_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* A directory that can be locked belongs to nobody any more. */
static void remove_abandoned(const char *parent)
{
	DIR *dir = opendir(parent);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *path;
		int fd;

		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)))
			continue;
		path = xasprintf("%s/%s", parent, entry->d_name);
		fd = lock_directory(path);
		if (fd >= 0) {
			remove_tree(path);
			close(fd);
		}
		free(path);
	}
	if (dir)
		closedir(dir);
}

/*
 * Between mkdir and flock the new directory looks abandoned: makers take turns.
 */
int workdir_make(const char *cache, struct workdir *dir)
{
	char *parent = xasprintf("%s/tmp", cache);
	int turn = -1, error = 0;

	dir->path = xasprintf("%s/" PREFIX "XXXXXX", parent);
	dir->lock = -1;
	if (!make_directory(parent))
		turn = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (turn >= 0) {
		while (flock(turn, LOCK_EX) && errno == EINTR)
			;
		remove_abandoned(parent);
		if (mkdtemp(dir->path))
			dir->lock = lock_directory(dir->path);
	}
	if (dir->lock < 0)
		error = errno;
	if (turn >= 0)
		close(turn);
	free(parent);
	if (dir->lock < 0)
		free(dir->path);
	errno = error;
	return error ? -1 : 0;
}

char *workdir_file(const struct workdir *dir, const char *name)
{
	return xasprintf("%s/%s", dir->path, name);
}

int workdir_full(const struct workdir *dir)
{
	struct statvfs fs;

	return !statvfs(dir->path, &fs) &&
	       (unsigned long long)fs.f_bavail * fs.f_frsize < ROOM_MIN;
}

void workdir_remove(struct workdir *dir)
{
	remove_tree(dir->path);
	close(dir->lock);
	free(dir->path);
	dir->path = NULL;
}

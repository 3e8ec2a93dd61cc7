// SPDX-License-Identifier: GPL-2.0
#include "outdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "util.h"

/* A record is smaller, and a disk this full does not take one. */
#define PROBE_BYTES (256 * 1024)

static const char *const directories[] = { "records", "logs" };

static int probe(const char *path)
{
	char *file = xasprintf("%s/.probe", path);
	char *data = xcalloc(1, PROBE_BYTES);
	int err = write_file(file, data, PROBE_BYTES);
	int error = errno;

	unlink(file);
	free(data);
	free(file);
	errno = error;
	return err;
}

static int prepare(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		char *below = xasprintf("%s/%s", path, directories[i]);
		int err = make_directory(below) || probe(below);
		int error = errno;

		free(below);
		errno = error;
		if (err)
			return -1;
	}
	return 0;
}

int outdir_open(const char *path, bool alone, char **error)
{
	int fd = -1;

	if (!prepare(path))
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		*error = xasprintf("cannot write in %s: %s; name another "
				   "directory by --out (OUT= of make)",
				   path, strerror(errno));
		return -1;
	}
	if (flock(fd, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB)) {
		*error = xasprintf("%s is being written by another reclaimlab; "
				   "wait for it or name another directory by "
				   "--out (OUT= of make)",
				   path);
		close(fd);
		return -1;
	}
	return fd;
}

static void clear(const char *path, const char *pattern)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (!fnmatch(pattern, entry->d_name, 0))
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
}

void outdir_clear(const char *path)
{
	clear(path, "report.txt");
	clear(path, "report.json");
	clear(path, "report.html");
	clear(path, ".report.*.??????");
	clear(path, "changelog.txt");
	clear(path, ".changelog.*.??????");
	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		char *below = xasprintf("%s/%s", path, directories[i]);

		clear(below, ".*-seed*.??????");
		if (!i)
			clear(below, "*-seed*.json");
		free(below);
	}
}

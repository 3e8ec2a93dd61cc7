// SPDX-License-Identifier: GPL-2.0
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interrupt.h"
#include "record.h"
#include "util.h"

#define WAIT_MS 200

char *cache_directory(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct passwd *user;

	/* The specification says to ignore relative ones. */
	if (xdg && *xdg == '/')
		return xasprintf("%s/reclaimlab", xdg);
	if (!home || *home != '/') {
		user = getpwuid(getuid());
		home = user ? user->pw_dir : NULL;
	}
	return home ? xasprintf("%s/.cache/reclaimlab", home) : NULL;
}

static char *entry_path(const char *cache, const char *key, const char *suffix)
{
	return xasprintf("%s/runs/%s.%s", cache, key, suffix);
}

static int make_runs(const char *cache)
{
	char *runs = xasprintf("%s/runs", cache);
	int err = make_directory(runs);
	int error = errno;

	free(runs);
	errno = error;
	return err;
}

/* Is the file we locked still the one of that name? Its holder removes it. */
static int still_there(int fd, const char *path)
{
	struct stat ours, there;

	return !fstat(fd, &ours) && !stat(path, &there) &&
	       ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

static int lock_file(const char *path)
{
	int fd, error;

	for (;;) {
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
		if (fd < 0)
			return -1;
		if (!flock(fd, LOCK_EX | LOCK_NB)) {
			if (still_there(fd, path))
				return fd;
			errno = EWOULDBLOCK;
		}
		error = interrupted() ? EINTR : errno;
		close(fd);
		errno = error;
		if (error != EWOULDBLOCK)
			return -1;
		nap(WAIT_MS);
	}
}

int store_lock(const char *cache, const char *key)
{
	char *path;
	int fd, error;

	if (make_runs(cache))
		return -1;
	path = entry_path(cache, key, "lock");
	fd = lock_file(path);
	error = errno;
	free(path);
	errno = error;
	return fd;
}

void store_unlock(const char *cache, const char *key, int lock)
{
	char *path = entry_path(cache, key, "lock");

	unlink(path);
	close(lock);
	free(path);
}

json_t *store_get(const char *cache, const char *key)
{
	char *path = entry_path(cache, key, "json");
	size_t len = 0;
	char *text = read_file(path, &len);
	json_t *record = NULL;

	if (text)
		record = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	if (text && !json_is_object(record)) {
		warn("%s is damaged and not used", path);
		json_decref(record);
		record = NULL;
	}
	free(text);
	free(path);
	return record;
}

int store_put(const char *cache, const char *key, const json_t *record)
{
	char *path = entry_path(cache, key, "json");
	char *text = record_text(record);
	int err = make_runs(cache);
	int error;

	if (!err)
		err = write_file(path, text, strlen(text));
	error = errno;
	free(text);
	free(path);
	errno = error;
	return err;
}

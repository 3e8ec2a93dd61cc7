// SPDX-License-Identifier: GPL-2.0
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((format(printf, 1, 0))) static void say(const char *fmt,
						      va_list ap)
{
	/* One write, so that lines of several processes do not mix. */
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		return;
	fprintf(stderr, "reclaimlab: %s\n", text);
	free(text);
}

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	exit(EXIT_USAGE);
}

void warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		die("out of memory");
	return text;
}

void *xcalloc(size_t n, size_t size)
{
	void *memory = calloc(n ? n : 1, size ? size : 1);

	if (!memory)
		die("out of memory");
	return memory;
}

void *grow(void *array, size_t n, size_t *room, size_t size)
{
	size_t want = *room ? *room * 2 : 16;

	if (n < *room)
		return array;
	array = reallocarray(array, want, size);
	if (!array)
		die("out of memory");
	*room = want;
	return array;
}

static char *read_fd(int fd, size_t *len)
{
	size_t room = 0, n = 0;
	char *text = NULL;

	for (;;) {
		ssize_t got;

		text = grow(text, n + 1, &room, 1);
		got = read(fd, text + n, room - n - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			free(text);
			return NULL;
		}
		n += (size_t)got;
		if (!got)
			break;
	}
	text[n] = '\0';
	if (len)
		*len = n;
	return text;
}

char *read_file(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text;
	int error;

	if (fd < 0)
		return NULL;
	text = read_fd(fd, len);
	error = errno;
	close(fd);
	errno = error;
	return text;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Fill, make durable and close; the mode is what creat(2) would have given. */
static int fill(int fd, const void *data, size_t len)
{
	mode_t mask = umask(0);
	int err;

	umask(mask);
	err = write_all(fd, data, len) || fchmod(fd, 0666 & ~mask) || fsync(fd);
	return close(fd) || err ? -1 : 0;
}

int write_file(const char *path, const void *data, size_t len)
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash + 1 - path) : 0;
	char *temporary = xasprintf("%.*s.%s.XXXXXX", dir, path, path + dir);
	int fd = mkostemp(temporary, O_CLOEXEC);
	int err = -1, error;

	if (fd >= 0) {
		err = fill(fd, data, len);
		if (!err)
			err = rename(temporary, path);
	}
	error = errno;
	if (fd >= 0 && err)
		unlink(temporary);
	free(temporary);
	errno = error;
	return err;
}

int make_directory(const char *path)
{
	char *copy = xasprintf("%s", path);
	struct stat status;
	int error = 0;

	for (char *end = copy + 1; !error; end++) {
		char keep = *end;

		if (keep != '/' && keep)
			continue;
		*end = '\0';
		if (mkdir(copy, 0777) && errno != EEXIST)
			error = errno;
		*end = keep;
		if (!keep)
			break;
	}
	free(copy);
	/* A file in the way exists, too. */
	if (!error && !stat(path, &status) && !S_ISDIR(status.st_mode))
		error = ENOTDIR;
	errno = error;
	return error ? -1 : 0;
}

int sha256_file(const char *path, char hex[65])
{
	struct stat status;

	/* The library reads a directory's error as an empty file's hash. */
	if (stat(path, &status))
		return -1;
	if (!S_ISREG(status.st_mode)) {
		errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
		return -1;
	}
	return SHA256File(path, hex) ? 0 : -1;
}

void sha256_text(const void *data, size_t len, char hex[65])
{
	SHA256Data(data, len, hex);
}

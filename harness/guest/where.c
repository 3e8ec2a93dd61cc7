// SPDX-License-Identifier: GPL-2.0
#include "where.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "disk.h"
#include "guest.h"

struct place {
	const char *directory;
	char path[PATH_MAX];
};

static struct place data = { .directory = DISK_MOUNT };
static struct place cgroup = { .directory = "/sys/fs/cgroup" };

void where_set(const char *data_directory, const char *cgroup_directory)
{
	data.directory = data_directory;
	cgroup.directory = cgroup_directory;
}

__attribute__((format(printf, 2, 0))) static const char *
path_in(struct place *place, const char *fmt, va_list ap)
{
	const size_t size = sizeof(place->path);
	int len = snprintf(place->path, size, "%s/", place->directory);

	if (len < (int)size)
		len += vsnprintf(place->path + len, size - (size_t)len, fmt,
				 ap);
	if (len >= (int)size)
		fail("%s: the path is too long", place->directory);
	return place->path;
}

const char *data_path(const char *fmt, ...)
{
	const char *path;
	va_list ap;

	va_start(ap, fmt);
	path = path_in(&data, fmt, ap);
	va_end(ap);
	return path;
}

const char *cgroup_path(const char *fmt, ...)
{
	const char *path;
	va_list ap;

	va_start(ap, fmt);
	path = path_in(&cgroup, fmt, ap);
	va_end(ap);
	return path;
}

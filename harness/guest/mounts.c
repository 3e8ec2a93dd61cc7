// SPDX-License-Identifier: GPL-2.0
#include "mounts.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "guest.h"

static const struct {
	const char *type;
	const char *where;
	bool optional;
} mounts[] = {
	{ "proc", "/proc", false },
	{ "sysfs", "/sys", false },
	{ "devtmpfs", "/dev", false },
	{ "configfs", "/sys/kernel/config", false },
	{ "cgroup2", "/sys/fs/cgroup", false },
	{ "debugfs", "/sys/kernel/debug", true },
	{ "tracefs", "/sys/kernel/tracing", true },
	{ "tmpfs", "/tmp", true },
};

void mounts_make(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
		/* Fails where the kernel has made the directory already. */
		mkdir(mounts[i].where, 0755);
		if (mount(mounts[i].type, mounts[i].where, mounts[i].type, 0,
			  NULL) &&
		    errno != EBUSY && !mounts[i].optional)
			fail("cannot mount %s: %s (is it in the kernel?)",
			     mounts[i].type, strerror(errno));
	}
}

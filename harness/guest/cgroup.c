// SPDX-License-Identifier: GPL-2.0
#include "cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "guest.h"

void cgroup_start(long long max_mib)
{
	must_write_text("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	if (mkdir(APPS_CGROUP, 0755))
		fail("cannot make " APPS_CGROUP ": %s", strerror(errno));
	if (max_mib)
		must_write_text(APPS_CGROUP "/memory.max", "%lldM", max_mib);
}

static const char *const parts[] = {
	[ROLE_NONE] = "",
	[ROLE_APP] = "/text",
	[ROLE_FILES] = "/files",
};

static bool is_split;

void cgroup_split(void)
{
	char path[64];

	must_write_text(APPS_CGROUP "/cgroup.subtree_control", "+memory");
	for (size_t i = ROLE_APP; i < ARRAY_SIZE(parts); i++) {
		snprintf(path, sizeof(path), APPS_CGROUP "%s", parts[i]);
		if (mkdir(path, 0755))
			fail("cannot make %s: %s", path, strerror(errno));
	}
	is_split = true;
}

void cgroup_join_apps(enum role role)
{
	char path[64];

	snprintf(path, sizeof(path), APPS_CGROUP "%s/cgroup.procs",
		 is_split ? parts[role] : "");
	must_write_text(path, "0");
}

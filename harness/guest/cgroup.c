// SPDX-License-Identifier: GPL-2.0
#include "cgroup.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "guest.h"
#include "where.h"

static void make(const char *path)
{
	if (mkdir(path, 0755))
		fail("cannot make %s: %s", path, strerror(errno));
}

void cgroup_start(long long max_mib)
{
	must_write_text(cgroup_path("cgroup.subtree_control"), "+memory");
	make(cgroup_path("apps"));
	if (max_mib)
		must_write_text(cgroup_path("apps/memory.max"), "%lldM",
				max_mib);
}

static const char *const parts[] = {
	[ROLE_NONE] = "",
	[ROLE_APP] = "/text",
	[ROLE_FILES] = "/files",
};

static bool is_split;

void cgroup_split(void)
{
	must_write_text(cgroup_path("apps/cgroup.subtree_control"), "+memory");
	for (size_t i = ROLE_APP; i < ARRAY_SIZE(parts); i++)
		make(cgroup_path("apps%s", parts[i]));
	is_split = true;
}

void cgroup_join_apps(enum role role)
{
	must_write_text(
		cgroup_path("apps%s/cgroup.procs", is_split ? parts[role] : ""),
		"0");
}

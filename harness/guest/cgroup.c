// SPDX-License-Identifier: GPL-2.0
#include "cgroup.h"

#include <errno.h>
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

void cgroup_join_apps(void)
{
	must_write_text(APPS_CGROUP "/cgroup.procs", "0");
}

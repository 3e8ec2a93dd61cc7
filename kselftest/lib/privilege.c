// SPDX-License-Identifier: GPL-2.0
#include "privilege.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

bool has_capability(int cap)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};

	return !syscall(SYS_capget, &head, data) &&
	       data[cap / 32].effective & 1U << cap % 32;
}

bool drop_privilege(void)
{
	return geteuid() || (!setgid(NOBODY) && !setuid(NOBODY));
}

// SPDX-License-Identifier: GPL-2.0
#include "switches.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../record/kv.h"
#include "guest.h"
#include "hostdata.h"

#define PARAMETERS "/sys/module/reclaimlab/parameters/"

__attribute__((noinline)) static void apply(void)
{
	static char text[1024];
	struct kv pair = { .line = 0 };
	char path[128];
	char *rest = text;

	hostdata_read(RL_FWCFG_ARM, RL_CMDLINE_ARM, text, sizeof(text));
	while (kv_next(&rest, &pair)) {
		snprintf(path, sizeof(path), PARAMETERS "%s", pair.key);
		if (!write_text(path, "%s", pair.value))
			continue;
		if (errno == ENOENT)
			fail("kernel has no switch %s", pair.key);
		fail("switch %s cannot be set: %s", pair.key, strerror(errno));
	}
	explicit_bzero(text, sizeof(text));
}

/*
 * The frames that apply() and the C library used are still on the stack below
 * this one. Children inherit a copy, theirs can be swapped, and how long a page
 * takes to compress depends on its bytes.
 */
__attribute__((noinline)) static void wipe_stack(void)
{
	char below[16384];

	explicit_bzero(below, sizeof(below));
}

void switches_apply(void)
{
	apply();
	wipe_stack();
}

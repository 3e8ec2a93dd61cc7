// SPDX-License-Identifier: GPL-2.0
#include "switches.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../record/kv.h"
#include "globals.h"
#include "guest.h"
#include "hostdata.h"

#define PARAMETERS "/sys/module/reclaimlab/parameters/"

/* What is not one of our kernel's own switches. */
static const struct {
	const char *key, *path;
} elsewhere[] = {
	{ "lru_gen", "/sys/kernel/mm/lru_gen/enabled" },
};

/* Not a switch: time passes, and from here on chance falls otherwise. */
#define DISTURB "disturb"
#define DISTURB_TURNS 1000

static void disturb(const char *value)
{
	long turns = strtol(value, NULL, 10) * DISTURB_TURNS;

	for (volatile long i = 0; i < turns; i++)
		;
}

static void path_of(const char *key, char *path, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(elsewhere); i++) {
		if (!strcmp(elsewhere[i].key, key)) {
			snprintf(path, size, "%s", elsewhere[i].path);
			return;
		}
	}
	snprintf(path, size, PARAMETERS "%s", key);
}

__attribute__((noinline)) static void apply(void)
{
	static char text[1024];
	struct kv pair = { .line = 0 };
	char path[128];
	char *rest = text;

	hostdata_read(RL_FWCFG_ARM, RL_CMDLINE_ARM, text, sizeof(text));
	while (kv_next(&rest, &pair)) {
		if (!strcmp(pair.key, DISTURB)) {
			disturb(pair.value);
			continue;
		}
		path_of(pair.key, path, sizeof(path));
		if (!globals_write(path, "%s", pair.value))
			continue;
		if (errno == ENOENT)
			fail("kernel has no switch %s", pair.key);
		fail("switch %s cannot be set: %s", pair.key, strerror(errno));
	}
	explicit_bzero(text, sizeof(text));
}

bool switches_given(void)
{
	char text[1024], *rest = text;
	struct kv pair = { .line = 0 };

	hostdata_read(RL_FWCFG_ARM, RL_CMDLINE_ARM, text, sizeof(text));
	while (kv_next(&rest, &pair))
		if (strcmp(pair.key, DISTURB))
			return true;
	return false;
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

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "background.h"
#include "build.h"
#include "camera.h"
#include "files.h"
#include "guest.h"
#include "record.h"
#include "step.h"

static void pause_ms(const struct turn *turn)
{
	struct timespec idle = {
		.tv_sec = turn->amount / 1000,
		.tv_nsec = turn->amount % 1000 * 1000000,
	};

	nanosleep(&idle, NULL);
}

static const struct step pause_step = {
	.name = "pause",
	.unit = "ms",
	.max = 600000,
	.run = pause_ms,
};

const struct step *const steps[] = {
	&switch_step, &wake_step,  &cold_step,	&scroll_step,
	&stream_step, &serve_step, &write_step, &churn_step,
	&build_step,  &pause_step, NULL,
};

void observe(const struct turn *turn, const char *series, int64_t value)
{
	if (turn->measured)
		record_obs(series, value);
}

long long mem_available_kib(void)
{
	static char text[8192];
	const char *line;

	if (read_text("/proc/meminfo", text, sizeof(text)) < 0)
		fail("cannot read /proc/meminfo: %s", strerror(errno));
	line = strstr(text, "\nMemAvailable:");
	if (!line)
		fail("/proc/meminfo has no MemAvailable");
	return strtoll(line + strlen("\nMemAvailable:"), NULL, 10);
}

// SPDX-License-Identifier: GPL-2.0
#include "metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"
#include "util.h"

#define GROUP_LAUNCH "launches"
#define GROUP_CAMERA "the app that is watched"
#define GROUP_BUILD "the build"
#define GROUP_RECLAIM "reclaim, whole machine (/proc/vmstat, pages)"
#define GROUP_APPS "reclaim, the apps' memcg (memory.stat, pages)"
#define GROUP_REFAULT "refaults, whole machine (pages)"
#define GROUP_IO "faults, swap and I/O, whole machine"
#define GROUP_PSI "stall time (PSI total, ms)"
#define GROUP_SITES "memory some by the place of the stall"
#define GROUP_WAITS "waits for reads, and what of them PSI counted"
#define GROUP_KILLER "low-memory killer"
#define GROUP_AVG "memory PSI averages at the end (%)"
#define GROUP_OTHER "other, at the end"

#define KIB_TO_MIB (1.0 / 1024)
#define SECTOR_TO_MIB (512.0 / (1024 * 1024))
#define NS_TO_MS 1e-6
#define US_TO_MS 1e-3

/* A counter's metric has the counter's name. */
#define PAGES(group, prefix, counter, better, flags)                         \
	{                                                                    \
		prefix counter, group, counter, "pages", better, TAKE_DELTA, \
			prefix counter, 1, 0, flags                          \
	}
#define RECLAIM(counter, flags) \
	PAGES(GROUP_RECLAIM, "vmstat.", counter, BETTER_LOWER, flags)
#define APPS(counter, better) \
	PAGES(GROUP_APPS, "apps/memory.stat.", counter, better, 0)
#define REFAULT(counter, better) \
	PAGES(GROUP_REFAULT, "vmstat.", counter, better, 0)
/* A duration that the workload observed, as a metric in ms. */
#define DURATION(group, series, what, take, suffix)                            \
	{                                                                      \
		series "." suffix, group, what " " suffix, "ms", BETTER_LOWER, \
			take, series, NS_TO_MS, 3, 0                           \
	}
#define LAUNCH(take, suffix) \
	DURATION(GROUP_LAUNCH, "launch_ns", "launch", take, suffix)
#define START(take, suffix) \
	DURATION(GROUP_LAUNCH, "start_ns", "cold start", take, suffix)
#define COLD(take, suffix) \
	DURATION(GROUP_CAMERA, "cold_ns", "camera start", take, suffix)
/*
 * Where memory some comes from, and how much of a wait PSI sees: the reasons of
 * other figures and not costs of their own; guest/stalls.h.
 */
#define REASON(group, key, what, better)                                      \
	{                                                                     \
		key, group, what, "ms", better, TAKE_DELTA, key, US_TO_MS, 1, \
			0                                                     \
	}
#define SITE(site, what) \
	REASON(GROUP_SITES, "stall." site "_us", what, BETTER_NONE)
#define WAITS(key, what)                                            \
	REASON(GROUP_WAITS, "wait." key "_us", what, BETTER_LOWER), \
		REASON(GROUP_WAITS, "wait." key ".counted_us",      \
		       what ", counted", BETTER_NONE),              \
		REASON(GROUP_WAITS, "wait." key ".uncounted_us",    \
		       what ", uncounted", BETTER_NONE)
#define STALL(prefix, who, resource, kind)                                     \
	{                                                                      \
		prefix "psi." resource "." kind ".total", GROUP_PSI,           \
			who resource " " kind, "ms", BETTER_LOWER, TAKE_DELTA, \
			prefix "psi." resource "." kind ".total", US_TO_MS, 1, \
			0                                                      \
	}
#define AVERAGE(kind, window)                                                 \
	{                                                                     \
		"psi.memory." kind "." window, GROUP_AVG, kind " " window,    \
			"%", BETTER_LOWER, TAKE_END,                          \
			"psi.memory." kind "." window, 0.01, 2, METRIC_COARSE \
	}

/* clang-format off */
const struct metric metrics[] = {
	LAUNCH(TAKE_P50, "p50"),
	LAUNCH(TAKE_P95, "p95"),
	LAUNCH(TAKE_MEAN, "mean"),
	START(TAKE_P50, "p50"),
	START(TAKE_P95, "p95"),
	START(TAKE_MEAN, "mean"),
	{ "memavail_kib.mean", GROUP_LAUNCH, "memavail at start", "MiB",
	  BETTER_HIGHER, TAKE_MEAN, "memavail_kib", KIB_TO_MIB, 1, 0 },

	COLD(TAKE_P50, "p50"),
	COLD(TAKE_P95, "p95"),
	COLD(TAKE_MEAN, "mean"),
	DURATION(GROUP_CAMERA, "frame_ns", "frame", TAKE_MEAN, "mean"),
	DURATION(GROUP_CAMERA, "frame_ns", "frame", TAKE_P95, "p95"),
	{ "missed_frames.mean", GROUP_CAMERA, "missed frames", "%",
	  BETTER_LOWER, TAKE_MEAN, "missed_frames", 100, 2, 0 },
	DURATION(GROUP_CAMERA, "write_ns", "capture", TAKE_P50, "p50"),
	DURATION(GROUP_BUILD, "build_ns", "build", TAKE_P50, "p50"),
	DURATION(GROUP_BUILD, "build_ns", "build", TAKE_MEAN, "mean"),

	RECLAIM("pgsteal_kswapd", METRIC_SCOPE),
	RECLAIM("pgscan_kswapd", METRIC_SCOPE),
	RECLAIM("pgsteal_direct", METRIC_SCOPE),
	RECLAIM("pgscan_direct", METRIC_SCOPE),
	RECLAIM("pgsteal_anon", 0),
	RECLAIM("pgscan_anon", 0),
	RECLAIM("pgsteal_file", 0),
	RECLAIM("pgscan_file", 0),

	APPS("pgsteal", BETTER_LOWER),
	APPS("pgscan", BETTER_LOWER),
	APPS("pgsteal_kswapd", BETTER_LOWER),
	APPS("pgscan_kswapd", BETTER_LOWER),
	APPS("pgsteal_direct", BETTER_LOWER),
	APPS("pgscan_direct", BETTER_LOWER),
	APPS("workingset_refault_file", BETTER_LOWER),
	APPS("workingset_refault_anon", BETTER_LOWER),
	APPS("workingset_restore_file", BETTER_NONE),

	REFAULT("workingset_refault_file", BETTER_LOWER),
	REFAULT("workingset_refault_anon", BETTER_LOWER),
	/*
	 * Which refaults are taken for the working set's is the rule under
	 * test, not a cost: more or fewer of them says nothing by itself.
	 */
	REFAULT("workingset_activate_file", BETTER_NONE),
	REFAULT("workingset_restore_file", BETTER_NONE),

	{ "vmstat.pgmajfault", GROUP_IO, "pgmajfault", "faults",
	  BETTER_LOWER, TAKE_DELTA, "vmstat.pgmajfault", 1, 0, 0 },
	PAGES(GROUP_IO, "vmstat.", "pswpin", BETTER_LOWER, 0),
	PAGES(GROUP_IO, "vmstat.", "pswpout", BETTER_LOWER, 0),
	{ "disk.sectors_read", GROUP_IO, "read from disk", "MiB",
	  BETTER_LOWER, TAKE_DELTA, "disk.sectors_read", SECTOR_TO_MIB, 1, 0 },

	STALL("", "", "memory", "some"),
	STALL("", "", "memory", "full"),
	STALL("", "", "io", "some"),
	STALL("", "", "io", "full"),
	STALL("apps/", "apps ", "memory", "some"),
	STALL("apps/", "apps ", "memory", "full"),
	STALL("apps/", "apps ", "io", "some"),
	STALL("apps/", "apps ", "io", "full"),

	SITE("text", "text refaults"),
	SITE("data", "data refaults"),
	SITE("readahead", "read-ahead"),
	SITE("swap_in", "swap-ins"),
	SITE("direct_reclaim", "direct reclaim"),
	SITE("kswapd", "kswapd"),
	SITE("memcg", "memcg limits"),
	SITE("compaction", "compaction"),
	SITE("other", "other"),

	WAITS("text", "text waits"),
	WAITS("data", "data waits"),
	WAITS("readahead", "read-ahead"),
	WAITS("swap_in", "swap-in waits"),

	{ "killer.events", GROUP_KILLER, "PSI triggers", "events",
	  BETTER_LOWER, TAKE_DELTA, "killer.events", 1, 0, 0 },
	{ "killer.kills", GROUP_KILLER, "apps killed", "apps",
	  BETTER_LOWER, TAKE_DELTA, "killer.kills", 1, 0, 0 },
	{ "apps.alive", GROUP_KILLER, "apps alive", "apps",
	  BETTER_HIGHER, TAKE_END, "apps.alive", 1, 0, 0 },

	AVERAGE("some", "avg10"),
	AVERAGE("some", "avg60"),
	AVERAGE("some", "avg300"),
	AVERAGE("full", "avg10"),
	AVERAGE("full", "avg60"),
	AVERAGE("full", "avg300"),

	/* Falls when threads are gone: saved memory, or a killed app. */
	{ "vmstat.nr_kernel_stack", GROUP_OTHER, "kernel stack", "KiB",
	  BETTER_NONE, TAKE_END, "vmstat.nr_kernel_stack", 1, 0, 0 },
};
/* clang-format on */

const size_t nr_metrics = ARRAY_SIZE(metrics);

const struct metric *metric_find(const char *name)
{
	for (size_t i = 0; i < nr_metrics; i++)
		if (!strcmp(metrics[i].name, name))
			return &metrics[i];
	return NULL;
}

bool metric_decides(const struct metric *metric)
{
	return metric->better != BETTER_NONE &&
	       !(metric->flags & METRIC_COARSE);
}

/*
 * PSI's averages: what one sample of 1 % adds, from the kernel's fixed-point
 * factors EXP_10s, EXP_60s and EXP_300s (kernel/sched/psi.c).
 */
double metric_resolution(const struct metric *metric)
{
	static const struct {
		const char *window;
		int factor;
	} averages[] = { { ".avg10", 1677 },
			 { ".avg60", 1981 },
			 { ".avg300", 2034 } };
	const char *window = strrchr(metric->name, '.');

	if (!(metric->flags & METRIC_COARSE) || !window)
		return NAN;
	for (size_t i = 0; i < ARRAY_SIZE(averages); i++)
		if (!strcmp(window, averages[i].window))
			return (2048 - averages[i].factor) / 2048.0;
	return NAN;
}

const char *metric_better_word(enum metric_better better)
{
	static const char *const words[] = {
		[BETTER_NONE] = "none",
		[BETTER_LOWER] = "lower",
		[BETTER_HIGHER] = "higher",
	};

	return words[better];
}

static bool take_observations(const struct metric *metric, const json_t *series,
			      double *value)
{
	size_t n = json_array_size(series);
	double *values;

	if (!n)
		return false;
	values = calloc(n, sizeof(*values));
	if (!values)
		die("out of memory");
	for (size_t i = 0; i < n; i++)
		values[i] = json_number_value(json_array_get(series, i));
	if (metric->take == TAKE_MEAN)
		*value = stats_summary(values, n).mean;
	else
		*value = stats_quantile(values, n,
					metric->take == TAKE_P50 ? 0.5 : 0.95);
	free(values);
	return true;
}

static bool take_counter(const struct metric *metric, const json_t *counter,
			 double *value)
{
	const json_t *number = json_object_get(
		counter, metric->take == TAKE_DELTA ? "delta" : "end");

	if (!json_is_number(number))
		return false;
	*value = json_number_value(number);
	return true;
}

bool metric_value(const struct metric *metric, const json_t *record,
		  double *value)
{
	bool counter = metric->take == TAKE_DELTA || metric->take == TAKE_END;
	const json_t *from = json_object_get(
		json_object_get(record, counter ? "counters" : "observations"),
		metric->key);
	bool found = counter ? take_counter(metric, from, value)
			     : take_observations(metric, from, value);

	if (found)
		*value *= metric->scale;
	return found;
}

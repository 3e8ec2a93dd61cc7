/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records made up for tests: a scratch directory, and boots written into it
 * whose every figure the test chooses.
 */
#ifndef RECLAIMLAB_TESTS_SYNTHETIC_H
#define RECLAIMLAB_TESTS_SYNTHETIC_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* nftw(3) */
#endif

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */

#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util.h"

#define SYNTHETIC __attribute__((unused)) static

/* Setup and teardown of a test: *state is the directory, with records/. */
SYNTHETIC int make_scratch(void **state)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/reclaimlab-test-XXXXXX", tmp ? tmp : "/tmp");
	char *records;
	int err;

	if (!mkdtemp(dir))
		return -1;
	records = xasprintf("%s/records", dir);
	err = mkdir(records, 0700);
	free(records);
	*state = dir;
	return err;
}

static int remove_entry(const char *path, const struct stat *status, int type,
			struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

SYNTHETIC int remove_scratch(void **state)
{
	int err = nftw(*state, remove_entry, 8, FTW_DEPTH | FTW_PHYS);

	free(*state);
	return err;
}

/* A record without counters and observations. */
SYNTHETIC json_t *make_record(const char *label, int seed)
{
	json_t *record = json_pack(
		"{s:i, s:{s:s, s:s, s:s, s:i, s:{s:s, s:s},"
		" s:{s:s, s:i, s:i, s:s, s:b, s:s, s:[s, s, o, s, s]},"
		" s:{s:s, s:s}, s:s}, s:{s:s, s:{s:s, s:s}},"
		" s:{s:s, s:s, s:s}, s:[i, i], s:{}, s:{}, s:[]}",
		"format", 1, "conditions", "scenario", "launch",
		"scenario_sha256", "5ce0a210aaaaaaaaaaaaaaaa", "primary",
		"launch_ns.p50", "seed", seed, "job", "apps", "10", "launches",
		"40", "machine", "arch", "x86_64", "memory_mib", 380, "cpus", 1,
		"accelerator", "tcg", "deterministic", 1, "qemu", "7.2.22",
		"arguments", "-nodefaults", "-seed", json_sprintf("%d", seed),
		"-append", "panic=-1", "kernel", "sha256",
		"0123456789abcdef0123456789abcdef", "append", "panic=-1",
		"initramfs_sha256", "fedcba9876543210", "arm", "label", label,
		"switches", "exec_promote", strchr(label, '+') ? "1" : "2",
		"lru_rule", "2", "guest", "kernel", "6.12.117", "arch",
		"x86_64", "page", "4096", "sample_us", 1000000, 5000000,
		"counters", "observations", "notes");

	assert_non_null(record);
	return record;
}

SYNTHETIC void set_counter(json_t *record, const char *name, json_int_t start,
			   json_int_t end)
{
	json_t *counter = json_pack("{s:I, s:I, s:I, s:[I, I]}", "start", start,
				    "end", end, "delta", end - start, "series",
				    start, end);

	assert_int_equal(
		json_object_set_new(json_object_get(record, "counters"), name,
				    counter),
		0);
}

SYNTHETIC void set_observations(json_t *record, const char *name,
				const json_int_t *values, size_t n)
{
	json_t *series = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(series, json_integer(values[i]));
	assert_int_equal(
		json_object_set_new(json_object_get(record, "observations"),
				    name, series),
		0);
}

/* Sample instants and the measured phase, for counters over time. */
SYNTHETIC void set_times(json_t *record, const char *sample_ms,
			 json_int_t measure, json_int_t done,
			 const json_int_t *us, size_t n)
{
	json_t *times = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(times, json_integer(us[i]));
	json_object_set_new(record, "sample_us", times);
	json_object_set_new(record, "phases",
			    json_pack("[{s:s, s:I}, {s:s, s:I}]", "name",
				      "measure", "us", measure, "name", "done",
				      "us", done));
	json_object_set_new(
		json_object_get(json_object_get(record, "conditions"), "job"),
		"sample_ms", json_string(sample_ms));
}

#define NO_VALUE INT64_MIN /* of a counter that a sample does not have */

/* A counter with a value for each sample; its delta is from first to last. */
SYNTHETIC void set_series(json_t *record, const char *name,
			  const json_int_t *values, size_t n)
{
	json_t *series = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(series,
				      values[i] == NO_VALUE
					      ? json_null()
					      : json_integer(values[i]));
	json_object_set_new(json_object_get(record, "counters"), name,
			    json_pack("{s:I, s:I, s:I, s:o}", "start",
				      values[0], "end", values[n - 1], "delta",
				      values[n - 1] - values[0], "series",
				      series));
}

/* Set a text anywhere: "conditions", "kernel", "sha256", NULL, value. */
SYNTHETIC void set_text(json_t *record, const char *const *path,
			const char *value)
{
	while (path[1])
		record = json_object_get(record, *path++);
	assert_int_equal(json_object_set_new(record, *path, json_string(value)),
			 0);
}

#define SET_TEXT(record, value, ...) \
	set_text(record, (const char *const[]){ __VA_ARGS__, NULL }, value)

/* Write the record as DIR/records/<name>.json and drop it. */
SYNTHETIC void put_record_as(const char *dir, const char *name, json_t *record)
{
	char *path = xasprintf("%s/records/%s.json", dir, name);

	assert_int_equal(
		json_dump_file(record, path, JSON_SORT_KEYS | JSON_INDENT(1)),
		0);
	json_decref(record);
	free(path);
}

SYNTHETIC void put_record(const char *dir, json_t *record)
{
	char *name = xasprintf(
		"%s-seed%lld",
		json_string_value(json_object_get(
			json_object_get(record, "arm"), "label")),
		(long long)json_integer_value(json_object_get(
			json_object_get(record, "conditions"), "seed")));

	put_record_as(dir, name, record);
	free(name);
}

/* A boot with one counter, start 0. */
SYNTHETIC void put_boot(const char *dir, const char *label, int seed,
			const char *counter, json_int_t delta)
{
	json_t *record = make_record(label, seed);

	set_counter(record, counter, 0, delta);
	put_record(dir, record);
}

#endif

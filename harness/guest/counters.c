// SPDX-License-Identifier: GPL-2.0
#include "counters.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "guest.h"
#include "where.h"

#define COUNTERS_MAX 1024

static struct counter counters[COUNTERS_MAX];
static size_t nr_counters;
static size_t expected; /* where the next name most likely is */

static struct counter *counter_by_name(const char *prefix, const char *name)
{
	char full[sizeof(counters->name)];

	if (snprintf(full, sizeof(full), "%s%s", prefix, name) >=
	    (int)sizeof(full))
		return NULL;

	/* Files keep their order, so that the search is nearly always this. */
	if (expected < nr_counters && !strcmp(counters[expected].name, full))
		return &counters[expected++];

	for (size_t i = 0; i < nr_counters; i++) {
		if (!strcmp(counters[i].name, full)) {
			expected = i + 1;
			return &counters[i];
		}
	}
	if (nr_counters == COUNTERS_MAX)
		return NULL;
	memcpy(counters[nr_counters].name, full, sizeof(full));
	counters[nr_counters].changed = true;
	expected = nr_counters + 1;
	return &counters[nr_counters++];
}

static void set(const char *prefix, const char *name, int64_t value)
{
	struct counter *c = counter_by_name(prefix, name);

	if (!c)
		return;
	c->changed |= c->value != value;
	c->value = value;
}

void counter_set(const char *name, int64_t value)
{
	set("", name, value);
}

/* "name 123" and "Name:   123 kB": /proc/vmstat, /proc/meminfo, memory.stat */
static void parse_pairs(const char *prefix, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		char *name = strsep(&line, ": ");

		if (line)
			set(prefix, name, strtoll(line, NULL, 10));
	}
}

/* "1.23" in hundredths: averages travel as whole numbers. */
static int64_t hundredths(const char *value)
{
	char *end;
	int64_t whole = strtoll(value, &end, 10);

	if (end[0] != '.' || !end[1] || !end[2])
		return whole * 100;
	return whole * 100 + (end[1] - '0') * 10 + (end[2] - '0');
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=0", and "full ..." */
static void parse_pressure(const char *prefix, char *text)
{
	char *line, *field, name[32];

	while ((line = strsep(&text, "\n"))) {
		const char *kind = strsep(&line, " ");

		while ((field = strsep(&line, " "))) {
			const char *key = strsep(&field, "=");

			if (!field)
				continue;
			snprintf(name, sizeof(name), "%s.%s", kind, key);
			set(prefix, name,
			    strcmp(key, "total") ? hundredths(field)
						 : strtoll(field, NULL, 10));
		}
	}
}

static void parse_single(const char *prefix, char *text)
{
	set(prefix, "", strtoll(text, NULL, 10));
}

/* Documentation/block/stat.rst: reads, merges, sectors, time, then writes. */
static void parse_disk(const char *prefix, char *text)
{
	static const char *const fields[] = { "reads",		"reads_merged",
					      "sectors_read",	"read_ms",
					      "writes",		"writes_merged",
					      "sectors_written" };

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		set(prefix, fields[i], strtoll(text, &text, 10));
}

/* A relative path is in the workload's cgroup; none: the disk of its files. */
static struct source {
	const char *path;
	const char *prefix;
	void (*parse)(const char *prefix, char *text);
	int fd;
} sources[] = {
	{ "/proc/vmstat", "vmstat.", parse_pairs, -1 },
	{ "/proc/meminfo", "meminfo.", parse_pairs, -1 },
	{ "/proc/pressure/memory", "psi.memory.", parse_pressure, -1 },
	{ "/proc/pressure/io", "psi.io.", parse_pressure, -1 },
	{ "/proc/pressure/cpu", "psi.cpu.", parse_pressure, -1 },
	{ "apps/memory.current", "apps/memory.current", parse_single, -1 },
	{ "apps/memory.swap.current", "apps/memory.swap.current", parse_single,
	  -1 },
	{ "apps/memory.stat", "apps/memory.stat.", parse_pairs, -1 },
	{ "apps/memory.events", "apps/memory.events.", parse_pairs, -1 },
	{ "apps/memory.pressure", "apps/psi.memory.", parse_pressure, -1 },
	{ "apps/io.pressure", "apps/psi.io.", parse_pressure, -1 },
	{ "apps/cpu.pressure", "apps/psi.cpu.", parse_pressure, -1 },
	{ NULL, "disk.", parse_disk, -1 },
};

static void (*readers[8])(void);
static size_t nr_readers;

void counters_add_reader(void (*read)(void))
{
	if (nr_readers == ARRAY_SIZE(readers))
		fail("too many readers of counters");
	readers[nr_readers++] = read;
}

static const char *disk_path(void)
{
	static char path[64];
	struct stat st = { 0 };

	stat(data_path("."), &st);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat",
		 major(st.st_dev), minor(st.st_dev));
	return path;
}

void counters_open(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		const char *path = sources[i].path;

		if (!path)
			path = disk_path();
		else if (*path != '/')
			path = cgroup_path("%s", path);
		sources[i].fd = open(path, O_RDONLY | O_CLOEXEC);
	}
}

void counters_read(void)
{
	static char text[32768];

	expected = 0;
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		const struct source *s = &sources[i];
		ssize_t len;

		if (s->fd < 0)
			continue;
		/* PSI may be there and off: EOPNOTSUPP, the same as absent. */
		len = pread(s->fd, text, sizeof(text) - 1, 0);
		if (len <= 0)
			continue;
		text[len] = '\0';
		s->parse(s->prefix, text);
	}
	for (size_t i = 0; i < nr_readers; i++)
		readers[i]();
}

const struct counter *counter_get(size_t id)
{
	return id < nr_counters ? &counters[id] : NULL;
}

void counter_set_named(size_t id)
{
	counters[id].named = true;
}

void counter_clear_changed(size_t id)
{
	counters[id].changed = false;
}

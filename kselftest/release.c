// SPDX-License-Identifier: GPL-2.0
/*
 * The release of Android's page advice as a whole: a named arena and a mapped
 * asset, given back by madvise(2) and posix_fadvise(2), and every account in which
 * that shows.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/memcg.h"
#include "lib/pages.h"
#include "lib/scratch.h"

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

#define NAME "page_advice-arena"
#define MIB (1024 * 1024UL)

/* "Field: N kB" of a file of /proc; -1 when it is not there. */
static long field_kib(const char *path, const char *field)
{
	char text[8192], *line;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return -1;
	text[n] = '\0';
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (!strncmp(line, field, strlen(field)) &&
		    line[strlen(field)] == ':')
			return atol(line + strlen(field) + 1);
	return -1;
}

static long status_kib(const char *field)
{
	return field_kib("/proc/self/status", field);
}

/* Its counters are kept in batches for each CPU: stay on one. */
static void stay_on_this_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

FIXTURE(release)
{
	int fd;
	size_t arena_pages, asset_pages;
	unsigned char *arena, *asset;
	struct memcg cg;
	const char *no_memcg;
	bool named;
};

FIXTURE_VARIANT(release)
{
	size_t arena, asset; /* bytes */
};

FIXTURE_VARIANT_ADD(release, sixteenth)
{
	.arena = 4 * MIB, .asset = 8 * MIB,
};

FIXTURE_VARIANT_ADD(release, full_size)
{
	.arena = 64 * MIB, .asset = 128 * MIB,
};

/* Three times, so that nobody else has to give anything for it. */
static bool would_fit(size_t bytes)
{
	return field_kib("/proc/meminfo", "MemAvailable") / 3 >=
	       (long)(bytes / 1024);
}

FIXTURE_SETUP(release)
{
	const char *why = cached_tells();

	self->fd = -1;
	self->arena = MAP_FAILED;
	self->asset = MAP_FAILED;
	self->no_memcg = memcg_enter(&self->cg);
	if (why)
		SKIP(return, "%s", why);
	self->arena_pages = variant->arena / page_size();
	self->asset_pages = variant->asset / page_size();
	if (!would_fit(variant->arena + variant->asset))
		SKIP(return, "less than %lu MiB of memory are available",
		     3 * (variant->arena + variant->asset) / MIB);
	self->fd = scratch_open(&why);
	ASSERT_LE(0, self->fd);
	if (!scratch_has_room(self->fd, self->asset_pages))
		SKIP(return, "the scratch directory is full");
	stay_on_this_cpu();
	ASSERT_EQ(0, scratch_fill(self->fd, self->asset_pages));

	self->asset = map_alone(self->asset_pages, PROT_READ, MAP_SHARED,
				self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->asset);
	touch(self->asset, 0, self->asset_pages);
	self->arena = map_alone(self->arena_pages, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->arena);
	self->named = !prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME,
			     (unsigned long)self->arena, variant->arena,
			     (unsigned long)NAME);
	fill(self->arena, self->arena_pages);
}

FIXTURE_TEARDOWN(release)
{
	unmap_alone(self->arena, self->arena_pages);
	unmap_alone(self->asset, self->asset_pages);
	if (self->fd >= 0)
		close(self->fd);
	memcg_leave(&self->cg);
}

/* Return: 0 when all calls said that they did it. */
static int release(unsigned char *arena, size_t arena_size,
		   unsigned char *asset, size_t asset_size, int fd)
{
	return madvise(arena, arena_size, MADV_DONTNEED) ||
	       madvise(asset, asset_size, MADV_DONTNEED) ||
	       posix_fadvise(fd, 0, asset_size, POSIX_FADV_DONTNEED);
}

#define RELEASE()						\
	release(self->arena, variant->arena, self->asset,	\
		variant->asset, self->fd)

/* Did it fall by @want, all in bytes, but for what CPUs keep back? */
static bool fell_by(long before, long after, long want)
{
	return labs(before - after - want) <= memcg_slack();
}

/*
 * G10, A2, B3: RssAnon falls by the arena, RssFile by the asset, VmSize not at
 * all; the one reads zero then and the other its file.
 */
TEST_F(release, rss_falls)
{
	long anon = status_kib("RssAnon"), file = status_kib("RssFile");
	long size = status_kib("VmSize");

	if (anon < 0)
		SKIP(return, "kernel without RssAnon (4.5)");
	ASSERT_EQ(0, RELEASE());
	EXPECT_TRUE(fell_by(anon * 1024, status_kib("RssAnon") * 1024,
			    variant->arena));
	EXPECT_TRUE(fell_by(file * 1024, status_kib("RssFile") * 1024,
			    variant->asset));
	EXPECT_EQ(size, status_kib("VmSize"));
	EXPECT_EQ(0, cached(self->fd, 0, self->asset_pages));
	EXPECT_EQ(NONE, not_zero(self->arena, 0, 512));
	EXPECT_EQ(NONE, not_kept(self->asset, 0, 512));
	EXPECT_EQ(NONE, not_kept(self->asset, self->asset_pages - 512,
				 self->asset_pages));
}

/*
 * G10, A3, G1: so do anon and file of memory.stat, and memory.current by both;
 * memory.swap.current stays.
 */
TEST_F(release, charges_fall)
{
	long both = variant->arena + variant->asset;
	long current, anon, file, swap;

	if (self->no_memcg)
		SKIP(return, "%s", self->no_memcg);
	current = memcg_number(&self->cg, "memory.current");
	anon = memcg_stat(&self->cg, "anon");
	file = memcg_stat(&self->cg, "file");
	swap = memcg_number(&self->cg, "memory.swap.current");
	ASSERT_EQ(0, RELEASE());
	EXPECT_TRUE(fell_by(anon, memcg_stat(&self->cg, "anon"),
			    variant->arena));
	EXPECT_TRUE(fell_by(file, memcg_stat(&self->cg, "file"),
			    variant->asset));
	EXPECT_TRUE(fell_by(swap,
			    memcg_number(&self->cg, "memory.swap.current"),
			    0));
	/* With it goes what a file system keeps for each page, buffer heads. */
	current -= memcg_number(&self->cg, "memory.current");
	EXPECT_LE(both - memcg_slack(), current);
	EXPECT_GE(both + both / 32 + memcg_slack(), current);
}

/* The header of a mapping in smaps: is it the arena's? */
static bool is_arena(const char *line)
{
	return strstr(line, "[anon:" NAME "]");
}

/* As showmap does it: a field summed up over all mappings of the name. */
static long row_kib(const char *field)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	long sum = -1, value;
	bool within = false;
	char line[512];

	while (smaps && fgets(line, sizeof(line), smaps)) {
		unsigned long start, end;

		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			within = is_arena(line);
		else if (within && !strncmp(line, field, strlen(field)) &&
			 sscanf(line + strlen(field), ": %ld", &value) == 1)
			sum = (sum < 0 ? 0 : sum) + value;
	}
	if (smaps)
		fclose(smaps);
	return sum;
}

/* G10, E1: the row of the arena has all its pages before, none of them after. */
TEST_F(release, row_of_the_arena_is_exact)
{
	long all = variant->arena / 1024;

	if (!self->named && row_kib("Size") < 0)
		SKIP(return, "kernel without CONFIG_ANON_VMA_NAME");
	ASSERT_EQ(all, row_kib("Size"));
	EXPECT_EQ(all, row_kib("Rss"));
	EXPECT_EQ(all, row_kib("Pss"));
	EXPECT_EQ(all, row_kib("Private_Dirty"));
	ASSERT_EQ(0, RELEASE());
	EXPECT_EQ(all, row_kib("Size"));
	EXPECT_EQ(0, row_kib("Rss"));
	EXPECT_EQ(0, row_kib("Pss"));
	EXPECT_EQ(0, row_kib("Private_Dirty"));
}

#include "lib/main.h"

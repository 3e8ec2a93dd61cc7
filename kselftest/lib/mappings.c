// SPDX-License-Identifier: GPL-2.0
#include "mappings.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "huge.h"
#include "pages.h"
#include "scratch.h"

#ifndef __NR_mseal
#define __NR_mseal 462 /* Linux 6.10 */
#endif
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010 /* Linux 5.1 */
#endif
#ifndef MLOCK_ONFAULT
#define MLOCK_ONFAULT 1
#endif

/* A message of two parts; there is one at a time. */
static const char *because(const char *what)
{
	static char text[128];

	snprintf(text, sizeof(text), "%s: %s", what, strerror(errno));
	return text;
}

static int open_memfd(const char **why)
{
	*why = "no memfd_create(2)";
	return memfd_create("page_advice", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

/* A file without a name in a tmpfs without a place, or in the usual one. */
static int open_tmpfs(const char **why)
{
	int context = fsopen("tmpfs", FSOPEN_CLOEXEC), mount = -1, fd = -1;
	struct statfs status;

	*why = "neither a tmpfs at /dev/shm nor the right to mount one";
	if (context >= 0 &&
	    !fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mount = fsmount(context, FSMOUNT_CLOEXEC, 0);
	if (mount >= 0)
		fd = openat(mount, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	else if (!statfs("/dev/shm", &status) && status.f_type == TMPFS_MAGIC)
		fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (mount >= 0)
		close(mount);
	if (context >= 0)
		close(context);
	return fd;
}

static const char *no_access(struct mapping *m)
{
	if (mprotect(m->area, m->nr * page_size(), PROT_NONE))
		return because("mprotect");
	return NULL;
}

/* Of a fresh one the pages are locked as they come. */
static const char *lock(struct mapping *m)
{
	if (mlock2(m->area, m->nr * page_size(), m->fresh ? MLOCK_ONFAULT : 0))
		return because("mlock2");
	return NULL;
}

/* Only what cannot be written is protected from advice. */
static const char *seal(struct mapping *m)
{
	if (mprotect(m->area, m->nr * page_size(), PROT_READ))
		return because("mprotect");
	if (syscall(__NR_mseal, m->area, m->nr * page_size(), 0))
		return because("mseal");
	return NULL;
}

static const char *seal_writes(struct mapping *m)
{
	if (fcntl(m->fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE))
		return because("F_SEAL_FUTURE_WRITE");
	return NULL;
}

static const char *guard(struct mapping *m)
{
	m->gap = (m->from + m->to) / 2;
	if (unknown_advice(MADV_GUARD_INSTALL))
		return "no MADV_GUARD_INSTALL in this kernel";
	if (madvise(page_at(m->area, m->gap), page_size(), MADV_GUARD_INSTALL))
		return because("MADV_GUARD_INSTALL");
	return NULL;
}

static const char *hole(struct mapping *m)
{
	m->gap = (m->from + m->to) / 2;
	if (munmap(page_at(m->area, m->gap), page_size()))
		return because("munmap");
	return NULL;
}

/* Reclaim passes over what is dirty. */
static const char *clean(struct mapping *m)
{
	if (msync(m->area, m->nr * page_size(), MS_SYNC))
		return because("msync");
	return NULL;
}

#define PRIVATE (MAP_PRIVATE | MAP_ANONYMOUS)
#define SHARED (MAP_SHARED | MAP_ANONYMOUS)

/*
 * How to make them. With an offset, in pages, what is copied is not what the
 * file has in the same place.
 */
static const struct how {
	int (*open)(const char **why);
	int flags;
	bool disk, read_only;
	size_t offset;
	const char *(*finish)(struct mapping *m);
} kinds[NR_KINDS] = {
	[ANON] = { .flags = PRIVATE },
	[ANON_NO_ACCESS] = { .flags = PRIVATE, .finish = no_access },
	[ANON_LOCKED] = { .flags = PRIVATE, .finish = lock },
	[ANON_SEALED] = { .flags = PRIVATE, .finish = seal },
	[ANON_GUARD] = { .flags = PRIVATE, .finish = guard },
	[ANON_HOLE] = { .flags = PRIVATE, .finish = hole },
	[SHM_ANON] = { .flags = SHARED },
	[SHM_MEMFD] = { open_memfd, MAP_SHARED },
	[SHM_SEALED] = { open_memfd, MAP_SHARED, .finish = seal_writes },
	[SHM_TMPFS] = { open_tmpfs, MAP_SHARED },
	[FILE_PRIVATE] = { scratch_open, MAP_PRIVATE, true, .offset = 1 },
	[FILE_SHARED] = { scratch_open, MAP_SHARED, true, .finish = clean },
	[FILE_READ_ONLY] = { scratch_open, MAP_SHARED, true, true },
	[HUGETLB] = { .flags = PRIVATE | MAP_HUGETLB },
};

static const char *open_backing(struct mapping *m)
{
	const struct how *how = &kinds[m->kind];
	size_t pages = m->nr + how->offset;
	const char *why;
	int fd;

	if (!how->open)
		return NULL;
	m->fd = how->open(&why);
	if (m->fd < 0)
		return why;
	if (how->disk && scratch_fill(m->fd, pages))
		return because("the scratch file cannot be filled");
	if (!how->disk && ftruncate(m->fd, pages * page_size()))
		return because("ftruncate");
	if (!how->read_only)
		return NULL;
	fd = m->fd;
	m->fd = scratch_reopen(fd, O_RDONLY);
	close(fd);
	return m->fd < 0 ? because("the scratch file cannot be reopened")
			 : NULL;
}

static const char *reserve(struct mapping *m)
{
	size_t huge = hugetlb_pages();

	m->nr = 3 * huge;
	m->from = huge;
	m->to = 2 * huge;
	m->gap = m->nr;
	return hugetlb_reserve(3, &m->pool);
}

static const char *map(struct mapping *m, unsigned char *at)
{
	const struct how *how = &kinds[m->kind];
	int prot = PROT_READ | (how->read_only ? 0 : PROT_WRITE);
	size_t len = m->nr * page_size(), offset = how->offset * page_size();

	if (at)
		m->area = mmap(at, len, prot, how->flags | MAP_FIXED, m->fd,
			       offset);
	else if (m->kind == HUGETLB)
		m->area = mmap(NULL, len, prot, how->flags, -1, 0);
	else
		m->area = map_alone(m->nr, prot, how->flags, m->fd, offset);
	m->placed = at;
	if (m->area == MAP_FAILED)
		return because("mmap");
	/* EINVAL where the kernel has no huge pages. */
	madvise(m->area, len, MADV_NOHUGEPAGE);
	if (m->fresh)
		return NULL;
	if (how->read_only)
		touch(m->area, 0, m->nr);
	else
		fill(m->area, m->nr);
	return NULL;
}

void stay_on_this_cpu(void)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static const char *make(struct mapping *m, unsigned char *at)
{
	const char *why;

	stay_on_this_cpu();
	m->area = MAP_FAILED;
	m->fd = -1;
	m->pool = -1;
	m->from = m->nr / 3;
	m->to = m->nr - m->from;
	m->gap = m->nr;
	why = m->kind == HUGETLB ? reserve(m) : open_backing(m);
	if (!why)
		why = map(m, at);
	if (!why && kinds[m->kind].finish)
		why = kinds[m->kind].finish(m);
	return why;
}

const char *mapping_make(struct mapping *m, enum kind which, size_t nr)
{
	*m = (struct mapping){ .kind = which, .nr = nr };
	return make(m, NULL);
}

const char *mapping_fresh(struct mapping *m, enum kind which, size_t nr)
{
	*m = (struct mapping){ .kind = which, .nr = nr, .fresh = true };
	return make(m, NULL);
}

const char *mapping_place(struct mapping *m, enum kind which, unsigned char *at,
			  size_t nr, bool fresh)
{
	*m = (struct mapping){ .kind = which, .nr = nr, .fresh = fresh };
	return make(m, at);
}

/* What is sealed stays until the process ends. */
void mapping_drop(struct mapping *m)
{
	if (m->kind == HUGETLB && m->area != MAP_FAILED)
		munmap(m->area, m->nr * page_size());
	else if (!m->placed)
		unmap_alone(m->area, m->nr);
	m->area = MAP_FAILED;
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
	hugetlb_give_back(m->pool);
	m->pool = -1;
}

static bool is(struct mapping *m, enum content want, size_t page)
{
	/* Page p of the mapping is page p + offset of the file. */
	size_t offset = kinds[m->kind].offset;
	unsigned char *file = m->area - offset * page_size();
	bool kept = not_kept(m->area, page, page + 1) == NONE;
	bool zero = not_zero(m->area, page, page + 1) == NONE;

	switch (want) {
	case KEPT:
		return kept;
	case ZERO:
		return zero;
	case EITHER:
		return kept || zero;
	case FROM_FILE:
		return not_kept(file, page + offset, page + offset + 1) == NONE;
	}
	return false;
}

long mapping_not(struct mapping *m, enum content want, size_t from,
		 size_t to)
{
	unsigned char *start = page_at(m->area, from);
	size_t len = (to - from) * page_size();
	long found = NONE;

	if (m->kind == ANON_NO_ACCESS && mprotect(start, len, PROT_READ))
		return from;
	for (size_t page = from; page < to && found == NONE; page++)
		if (page != m->gap && !is(m, want, page))
			found = page;
	if (m->kind == ANON_NO_ACCESS && mprotect(start, len, PROT_NONE))
		return from;
	return found;
}

bool readable(const unsigned char *byte)
{
	int ends[2];
	bool can;

	if (pipe(ends))
		return false;
	can = write(ends[1], byte, 1) == 1;
	close(ends[0]);
	close(ends[1]);
	return can;
}

/* How many of pages @from to @to - 1 are within [@low, @high). */
static long overlap(unsigned char *area, size_t from, size_t to,
		    unsigned long low, unsigned long high)
{
	unsigned long start = (uintptr_t)page_at(area, from);
	unsigned long end = (uintptr_t)page_at(area, to);

	start = start > low ? start : low;
	end = end < high ? end : high;
	return start < end ? (end - start) / page_size() : 0;
}

int flagged_between(unsigned char *area, const size_t *edges, size_t nr,
		    const char *flag, long *counts)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	unsigned long low = 0, high = 0;
	char line[512], word[8];

	for (size_t i = 0; i < nr; i++)
		counts[i] = smaps ? 0 : -1;
	if (!smaps)
		return -1;
	snprintf(word, sizeof(word), " %s ", flag);
	while (fgets(line, sizeof(line), smaps)) {
		/* Where a mapping begins; names of fields are upper case. */
		if (isxdigit(line[0]) && !isupper(line[0]))
			sscanf(line, "%lx-%lx ", &low, &high);
		if (strncmp(line, "VmFlags:", 8) || !strstr(line, word))
			continue;
		for (size_t i = 0; i < nr; i++)
			counts[i] += overlap(area, edges[i], edges[i + 1], low,
					     high);
	}
	fclose(smaps);
	return 0;
}

long flagged(unsigned char *area, size_t from, size_t to, const char *flag)
{
	const size_t edges[] = { from, to };
	long count;

	flagged_between(area, edges, 1, flag, &count);
	return count;
}

bool unknown_advice(int advice)
{
	static unsigned char somewhere;
	uintptr_t page = (uintptr_t)&somewhere & ~(page_size() - 1);

	return madvise((void *)page, 0, advice) && errno == EINVAL;
}

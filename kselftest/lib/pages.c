// SPDX-License-Identifier: GPL-2.0
#include "pages.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

unsigned char *map_alone(size_t nr, int prot, int flags, int fd, off_t offset)
{
	unsigned char *guard = mmap(NULL, (nr + 2) * page_size(), PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (guard == MAP_FAILED)
		return MAP_FAILED;
	return mmap(guard + page_size(), nr * page_size(), prot,
		    flags | MAP_FIXED, fd, offset);
}

void unmap_alone(unsigned char *area, size_t nr)
{
	if (area != MAP_FAILED)
		munmap(area - page_size(), (nr + 2) * page_size());
}

unsigned char *map_anon(size_t nr)
{
	unsigned char *area = map_alone(nr, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		return MAP_FAILED;
	/* EINVAL where the kernel has no huge pages. */
	madvise(area, nr * page_size(), MADV_NOHUGEPAGE);
	fill(area, nr);
	return area;
}

bool has_zero_page(void)
{
	char words[4096] = "";
	int fd = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return true;
	if (read(fd, words, sizeof(words) - 1) < 0)
		words[0] = '\0';
	close(fd);
	return !strstr(words, "no_zero_page=1");
}

unsigned char *page_at(unsigned char *area, size_t page)
{
	return area + page * page_size();
}

unsigned char page_byte(size_t page)
{
	return 1 + page % 255;
}

void fill(unsigned char *area, size_t nr)
{
	for (size_t page = 0; page < nr; page++)
		memset(page_at(area, page), page_byte(page), page_size());
}

void touch(const unsigned char *area, size_t from, size_t to)
{
	for (size_t page = from; page < to; page++)
		(void)__atomic_load_n(area + page * page_size(),
				      __ATOMIC_RELAXED);
}

static bool page_is(const unsigned char *page, unsigned char want)
{
	return page[0] == want && !memcmp(page, page + 1, page_size() - 1);
}

long not_kept(unsigned char *area, size_t from, size_t to)
{
	for (size_t page = from; page < to; page++)
		if (!page_is(page_at(area, page), page_byte(page)))
			return page;
	return NONE;
}

long not_zero(unsigned char *area, size_t from, size_t to)
{
	for (size_t page = from; page < to; page++)
		if (!page_is(page_at(area, page), 0))
			return page;
	return NONE;
}

/* How many entries have the bit; Documentation/admin-guide/mm/pagemap.rst. */
static long count_bit(unsigned char *area, size_t from, size_t to, int bit)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	size_t first = (uintptr_t)area / page_size();
	long count = 0;

	if (fd < 0)
		return -1;
	for (size_t page = from; page < to && count >= 0; page++) {
		unsigned long long entry;

		if (pread(fd, &entry, sizeof(entry),
			  (first + page) * sizeof(entry)) != sizeof(entry))
			count = -1;
		else
			count += entry >> bit & 1;
	}
	close(fd);
	return count;
}

long present(unsigned char *area, size_t from, size_t to)
{
	return count_bit(area, from, to, 63);
}

long swapped(unsigned char *area, size_t from, size_t to)
{
	return count_bit(area, from, to, 62);
}

/* Return: whether the line begins a mapping, which is then within the area. */
static bool begins_mapping(const char *line, unsigned char *area, size_t nr,
			   bool *within, bool *across)
{
	uintptr_t low = (uintptr_t)area, high = low + nr * page_size();
	unsigned long start, end;

	if (sscanf(line, "%lx-%lx ", &start, &end) != 2)
		return false;
	*within = start >= low && end <= high;
	if (!*within && start < high && end > low)
		*across = true;
	return true;
}

long smaps_kib(unsigned char *area, size_t nr, const char *field)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	bool within = false, across = false;
	long sum = 0, found = 0, value;
	char line[512];

	if (!smaps)
		return -1;
	while (fgets(line, sizeof(line), smaps)) {
		size_t len = strlen(field);

		if (begins_mapping(line, area, nr, &within, &across))
			continue;
		if (!within || strncmp(line, field, len) || line[len] != ':')
			continue;
		if (sscanf(line + len + 1, "%ld", &value) == 1) {
			sum += value;
			found++;
		}
	}
	fclose(smaps);
	return found && !across ? sum : -1;
}

long kib(size_t nr)
{
	return nr * page_size() / 1024;
}

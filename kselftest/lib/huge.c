// SPDX-License-Identifier: GPL-2.0
#include "huge.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pages.h"

#define THP "/sys/kernel/mm/transparent_hugepage/"
#define POOL "/proc/sys/vm/nr_hugepages"

/* What one test may take, whatever the size of a page. */
#define MOST_BYTES (256UL << 20)

/* Reasons that have a number in them. */
static char reason[128];

static bool read_line(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "re");
	bool good = file && fgets(text, size, file);

	if (file)
		fclose(file);
	return good;
}

static bool write_line(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len = strlen(text);
	bool good = fd >= 0 && write(fd, text, len) == len;

	if (fd >= 0)
		close(fd);
	return good;
}

/* A number of /proc/meminfo, or -1. */
static long memory_info(const char *field)
{
	FILE *file = fopen("/proc/meminfo", "re");
	size_t len = strlen(field);
	char line[128];
	long value = -1;

	while (file && value < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, field, len) && line[len] == ':')
			value = atol(line + len + 1);
	if (file)
		fclose(file);
	return value;
}

size_t huge_pages(void)
{
	char text[32];

	if (!read_line(THP "hpage_pmd_size", text, sizeof(text)))
		return 0;
	return strtoul(text, NULL, 10) / page_size();
}

const char *huge_missing(size_t nr)
{
	if (!huge_pages())
		return "no transparent huge pages in this kernel";
	if (nr * huge_pages() * page_size() > MOST_BYTES) {
		snprintf(reason, sizeof(reason), "%zu huge pages are %ld MiB",
			 nr, kib(nr * huge_pages()) / 1024);
		return reason;
	}
	return NULL;
}

bool may_switch(void)
{
	const char *global = getenv("PAGE_ADVICE_GLOBAL");

	return global && !strcmp(global, "1");
}

unsigned char *map_aligned(size_t nr, size_t align, int prot, int flags, int fd,
			   off_t offset)
{
	size_t page = page_size(), unit = align * page;
	size_t len = (nr + 2 + align) * page;
	unsigned char *base = mmap(NULL, len, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char *area, *end;

	if (base == MAP_FAILED)
		return MAP_FAILED;
	area = base + page + unit - 1;
	area -= (uintptr_t)area % unit;
	end = area + (nr + 1) * page;
	/* One page without access stays on either side. */
	if (area - page > base)
		munmap(base, area - page - base);
	if (end < base + len)
		munmap(end, base + len - end);
	return mmap(area, nr * page, prot, flags | MAP_FIXED, fd, offset);
}

/* The eight bytes of a page in a file that has as many for each. */
static bool entry_of(const char *path, size_t index, unsigned long long *entry)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool good = fd >= 0 && pread(fd, entry, sizeof(*entry),
				     index * sizeof(*entry)) == sizeof(*entry);

	if (fd >= 0)
		close(fd);
	return good;
}

/* Documentation/admin-guide/mm/pagemap.rst */
#define PM_PFN_BITS 55
#define KPF_HEAD_BIT 15
#define KPF_TAIL_BIT 16

static bool bit(unsigned long long entry, int bit)
{
	return entry >> bit & 1;
}

long folio_pages(unsigned char *area, size_t page)
{
	unsigned long long entry, flags, pfn;
	long pages = 1;

	if (!entry_of("/proc/self/pagemap",
		      (uintptr_t)page_at(area, page) / page_size(), &entry) ||
	    !bit(entry, 63))
		return -1;
	pfn = entry << (64 - PM_PFN_BITS) >> (64 - PM_PFN_BITS);
	/* It is 0 for those who may not know. */
	if (!pfn || !entry_of("/proc/kpageflags", pfn, &flags))
		return -1;
	if (bit(flags, KPF_TAIL_BIT))
		return 0;
	if (!bit(flags, KPF_HEAD_BIT))
		return 1;
	while (entry_of("/proc/kpageflags", pfn + pages, &flags) &&
	       bit(flags, KPF_TAIL_BIT))
		pages++;
	return pages;
}

/* The kernel's own call: see the head of huge.h. */
static void advise(unsigned char *area, size_t nr, int advice)
{
	syscall(SYS_madvise, area, nr * page_size(), advice);
}

static bool taken(unsigned char *area, size_t nr, size_t folio)
{
	if (folio == huge_pages())
		return smaps_kib(area, nr, "AnonHugePages") == kib(nr);
	for (size_t page = 0; page < nr; page += folio)
		if (folio_pages(area, page) != (long)folio)
			return false;
	return true;
}

/* Where a page table is, no huge page comes any more. */
static bool renew(unsigned char *area, size_t nr)
{
	return mmap(area, nr * page_size(), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == area;
}

static bool try_take(unsigned char *area, size_t nr, size_t folio)
{
	bool good = false;

	/* Memory may have to be compacted for the next try. */
	for (int i = 0; i < 3 && !good; i++) {
		if (!renew(area, nr))
			return false;
		advise(area, nr, MADV_HUGEPAGE);
		fill(area, nr);
		advise(area, nr, MADV_NOHUGEPAGE);
		good = taken(area, nr, folio);
	}
	return good;
}

/* The word in brackets. */
static bool selected(char *text)
{
	char *from = strchr(text, '['), *to = strchr(text, ']');

	if (!from || !to || to < from)
		return false;
	*to = '\0';
	memmove(text, from + 1, to - from);
	return true;
}

/* As try_take(), with the switch at @path as it must be. */
static const char *take_switched(unsigned char *area, size_t nr, size_t folio,
				 const char *path)
{
	char before[128];
	bool off, good;

	if (!read_line(path, before, sizeof(before)) || !selected(before))
		return "no folios of this size in this kernel";
	off = !strcmp(before, "never");
	if (off && !may_switch())
		return "folios of this size are switched off, and PAGE_ADVICE_GLOBAL is not 1";
	if (off && !write_line(path, "madvise"))
		return "no permission to switch folios of this size on";
	good = try_take(area, nr, folio);
	if (off)
		write_line(path, before);
	return good ? NULL : "no folios of this size to be had";
}

const char *huge_take(unsigned char *area, size_t nr, size_t folio)
{
	char path[128];

	if (folio == huge_pages())
		return take_switched(area, nr, folio, THP "enabled");
	/* For folio_pages() there must be a page. */
	advise(area, nr, MADV_NOHUGEPAGE);
	fill(area, 1);
	if (folio_pages(area, 0) < 0)
		return "no permission to read /proc/kpageflags";
	snprintf(path, sizeof(path), THP "hugepages-%ldkB/enabled", kib(folio));
	return take_switched(area, nr, folio, path);
}

void base_take(unsigned char *area, size_t nr)
{
	syscall(SYS_prctl, PR_SET_THP_DISABLE, 1, 0, 0, 0);
	if (renew(area, nr))
		fill(area, nr);
	syscall(SYS_prctl, PR_SET_THP_DISABLE, 0, 0, 0, 0);
}

size_t hugetlb_pages(void)
{
	long size = memory_info("Hugepagesize");

	return size < 0 ? 0 : size * 1024 / page_size();
}

static long hugetlb_free(void)
{
	return memory_info("HugePages_Free") - memory_info("HugePages_Rsvd");
}

const char *hugetlb_reserve(size_t nr, long *before)
{
	char text[32];

	*before = -1;
	if (!hugetlb_pages() || !read_line(POOL, text, sizeof(text)))
		return "no hugetlb pages in this kernel";
	if (hugetlb_free() >= (long)nr)
		return NULL;
	if (!may_switch())
		return "no free hugetlb pages, and PAGE_ADVICE_GLOBAL is not 1";
	*before = atol(text);
	snprintf(text, sizeof(text), "%ld", *before + (long)nr);
	if (write_line(POOL, text) && hugetlb_free() >= (long)nr)
		return NULL;
	hugetlb_give_back(*before);
	*before = -1;
	return "no hugetlb pages can be reserved";
}

void hugetlb_give_back(long before)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", before);
	if (before >= 0)
		write_line(POOL, text);
}

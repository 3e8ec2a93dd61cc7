// SPDX-License-Identifier: GPL-2.0
#include "refault.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pages.h"
#include "psi.h"
#include "scratch.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21 /* Linux 5.4 */
#endif

/* More than any lineage counts: LRU_REFS_WIDTH is 2, and two flags. */
#define PASSES 8

/* A deadline that does not depend on the speed of the machine. */
#define MAX_ROUNDS 50

/*
 * Whole passes, since a second read of the page that was read last counts as
 * none (filemap_read()).
 */
static int read_pages(int fd, size_t from, size_t to)
{
	char byte;

	for (size_t page = from; page < to; page++)
		if (pread(fd, &byte, 1, page * page_size()) != 1)
			return -1;
	return 0;
}

const char *refault_start(struct refault *refault, size_t nr)
{
	const char *why;

	refault->nr = nr;
	refault->area = MAP_FAILED;
	refault->fd = scratch_open(&why);
	if (refault->fd < 0)
		return why;
	if (scratch_fill(refault->fd, 3 * nr))
		return "a scratch file cannot be filled";
	/* No read-ahead: one page, one request, one wait. */
	posix_fadvise(refault->fd, 0, 0, POSIX_FADV_RANDOM);
	for (int pass = 0; pass < PASSES; pass++)
		if (read_pages(refault->fd, 0, 3 * nr))
			return "a scratch file cannot be read";
	refault->area = map_alone(nr, PROT_READ, MAP_SHARED, refault->fd, 0);
	return refault->area == MAP_FAILED ? "a scratch file cannot be mapped"
					   : NULL;
}

void refault_end(struct refault *refault)
{
	unmap_alone(refault->area, refault->nr);
	if (refault->fd >= 0)
		close(refault->fd);
}

long refault_evict(struct refault *refault)
{
	/* It takes what is in the page table, and that alone. */
	touch(refault->area, 0, refault->nr);
	madvise(refault->area, refault->nr * page_size(), MADV_PAGEOUT);
	return cached(refault->fd, 0, refault->nr);
}

int refault_read(struct refault *refault)
{
	return read_pages(refault->fd, 0, refault->nr);
}

long refault_until(struct refault *refault, const char *path, const char *line,
		   long stall_us)
{
	long begin = psi_total(path, line), grown = 0;

	for (int round = 0; round < MAX_ROUNDS && grown < stall_us; round++) {
		long end = monotonic_ms() + 2 * PSI_JIFFY_MS;

		do {
			refault_evict(refault);
			refault_read(refault);
		} while (monotonic_ms() < end);
		grown = psi_total(path, line) - begin;
	}
	return grown;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Refaults at will: pages of a file that the kernel takes for the working set
 * are evicted and read again, one request of the disk each, without a limit and
 * without pressure on anybody else.
 */
#ifndef PAGE_ADVICE_REFAULT_H
#define PAGE_ADVICE_REFAULT_H

#include <stddef.h>

struct refault {
	int fd;
	unsigned char *area;
	size_t nr; /* pages that are evicted; twice as many stay */
};

/* None yet: refault_end() has nothing to do. */
#define REFAULT_NONE { .fd = -1, .area = (void *)-1 }

/**
 * refault_start() - a scratch file all of whose pages are in use.
 *
 * What makes a page one of the working set, so that the shadow of its eviction
 * says so (mm/swap.c, mm/workingset.c): with lru_gen, more reads than the
 * reference counter can count; without, that it was active. Hence every page is
 * read time and again. The pages that stay are for the kernel without lru_gen:
 * a refault counts there if its distance is below the number of active pages.
 *
 * Return: NULL, or what is missing, for SKIP.
 */
const char *refault_start(struct refault *refault, size_t nr);
void refault_end(struct refault *refault);

/**
 * refault_evict() - by MADV_PAGEOUT, which leaves a shadow; FADV_DONTNEED does
 * not.
 *
 * Return: how many of the pages are still cached, or -1 with errno set.
 */
long refault_evict(struct refault *refault);

/**
 * refault_read() - read the pages, one after another.
 *
 * Return: 0, or -1 with errno set.
 */
int refault_read(struct refault *refault);

/**
 * refault_until() - evict and read until a counter has grown.
 * @path, @line: of psi_total().
 * @stall_us: by so much.
 *
 * Return: microseconds that it grew, less than @stall_us when so many rounds of
 * it brought nothing that there is no hope.
 */
long refault_until(struct refault *refault, const char *path, const char *line,
		   long stall_us);

#endif

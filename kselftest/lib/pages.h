/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages: areas that are a mapping of their own, contents that tell every page
 * from every other, and what has become of them.
 */
#ifndef PAGE_ADVICE_PAGES_H
#define PAGE_ADVICE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Odd, above a batch of 31, and not a multiple of any folio size. */
#define NR_PAGES 67

/* No page: what the searches below return when there is nothing to find. */
#define NONE (-1L)

/**
 * page_size() - sysconf(_SC_PAGESIZE).
 */
size_t page_size(void);

/**
 * map_alone() - map @nr pages between two pages without access, so that no
 * neighbour ever merges with them and /proc/self/smaps has them for themselves.
 *
 * Return: the area, or MAP_FAILED with errno set. unmap_alone() takes it away.
 */
unsigned char *map_alone(size_t nr, int prot, int flags, int fd, off_t offset);
void unmap_alone(unsigned char *area, size_t nr);

/**
 * map_anon() - @nr private anonymous pages, written by fill(). Base pages: what
 * becomes of huge ones is another claim.
 */
unsigned char *map_anon(size_t nr);

/**
 * has_zero_page() - whether memory that is only read maps the zero page that all
 * share. A kernel under a hypervisor can be told at boot to do without.
 */
bool has_zero_page(void);

/**
 * page_at() - where page @page of @area begins.
 */
unsigned char *page_at(unsigned char *area, size_t page);

/**
 * page_byte() - what fill() writes into every byte of a page: never 0, and
 * another value in its neighbours.
 */
unsigned char page_byte(size_t page);

/**
 * fill() - write every byte of pages 0 to @nr - 1.
 */
void fill(unsigned char *area, size_t nr);

/**
 * touch() - read one byte of each of pages @from to @to - 1.
 */
void touch(const unsigned char *area, size_t from, size_t to);

/**
 * not_kept(), not_zero() - the first of pages @from to @to - 1 that differs in
 * any byte from what fill() wrote, or from zero; NONE if there is no such page.
 */
long not_kept(unsigned char *area, size_t from, size_t to);
long not_zero(unsigned char *area, size_t from, size_t to);

/**
 * present(), swapped() - how many of pages @from to @to - 1 the page table maps,
 * or has swapped out, by /proc/self/pagemap; negative if it cannot be read.
 */
long present(unsigned char *area, size_t from, size_t to);
long swapped(unsigned char *area, size_t from, size_t to);

/**
 * smaps_kib() - the sum of a field of /proc/self/smaps ("Rss", "Private_Dirty",
 * "LazyFree") over the mappings within @nr pages, in KiB. It is walked, hence
 * exact, where the counters of /proc/self/status may be batches off.
 *
 * Return: KiB, or negative when a mapping reaches beyond the area, or there is
 * none, or no such field.
 */
long smaps_kib(unsigned char *area, size_t nr, const char *field);

/**
 * kib() - the size of @nr pages in KiB, as smaps counts.
 */
long kib(size_t nr);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Huge pages and other large folios: how large, whether they are to be had here,
 * areas that have them. All is set up by system calls of its own, so that a
 * madvise() under test is not what brings about the state it is tested in.
 */
#ifndef PAGE_ADVICE_HUGE_H
#define PAGE_ADVICE_HUGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif

/**
 * huge_pages() - how many pages a transparent huge page has, one that a PMD maps.
 *
 * Return: pages, or 0 in a kernel without them.
 */
size_t huge_pages(void);

/**
 * huge_missing() - is there what keeps @nr of them from being tested?
 *
 * Return: NULL, or for SKIP that this kernel has none, or that @nr are more memory
 * than a test should take. Whether they can be had is only seen by huge_take():
 * a kernel switches them off where it has little memory, whatever was configured.
 */
const char *huge_missing(size_t nr);

/**
 * may_switch() - may global switches be set, and restored? Only where whoever
 * runs the tests says so by PAGE_ADVICE_GLOBAL=1, as in a guest of its own.
 */
bool may_switch(void);

/**
 * map_aligned() - map_alone() at a multiple of @align pages. unmap_alone() takes
 * it away.
 */
unsigned char *map_aligned(size_t nr, size_t align, int prot, int flags, int fd,
			   off_t offset);

/**
 * huge_take() - map @nr pages of private anonymous memory at @area, instead of
 * what is there, and fill() them, so that every @folio of them are one folio:
 * huge_pages(), or a smaller power of two. Afterwards the area is advised
 * MADV_NOHUGEPAGE, for khugepaged to leave it alone. The size's switch is set
 * meanwhile if it must and may.
 *
 * Return: NULL, or what is missing, for SKIP.
 */
const char *huge_take(unsigned char *area, size_t nr, size_t folio);

/**
 * base_take() - the same with base pages, and without advice: MADV_COLLAPSE
 * respects what MADV_NOHUGEPAGE says.
 */
void base_take(unsigned char *area, size_t nr);

/**
 * folio_pages() - how many pages the folio has that begins with this page, by
 * /proc/kpageflags.
 *
 * Return: pages, 0 when the page is in the middle of one, or negative when there
 * is no page or no permission to know.
 */
long folio_pages(unsigned char *area, size_t page);

/**
 * hugetlb_pages() - how many pages a page of the default hugetlb pool has; 0 in
 * a kernel without it.
 */
size_t hugetlb_pages(void);

/**
 * hugetlb_reserve() - see to it that @nr pages of the pool are free.
 * @before: what hugetlb_give_back() is to restore.
 *
 * Return: NULL, or what is missing, for SKIP.
 */
const char *hugetlb_reserve(size_t nr, long *before);
void hugetlb_give_back(long before);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generations of one memory cgroup, as debugfs shows them and lets one drive
 * them (Documentation/admin-guide/mm/multigen_lru.rst). Nothing here mounts or
 * switches anything.
 */
#ifndef PAGE_ADVICE_LRU_GEN_H
#define PAGE_ADVICE_LRU_GEN_H

#include <stdbool.h>
#include <stddef.h>

#include "memcg.h"

/* More than any kernel has (4). */
#define LRU_GENS 8

enum lru_type {
	LRU_ANON,
	LRU_FILE,
	NR_LRU_TYPES,
};

/* What a cgroup has on the node of the calling CPU. */
struct lru_gen {
	unsigned long long id;
	int node;
	unsigned long min_seq; /* the oldest that is shown */
	unsigned long max_seq;
	long pages[LRU_GENS][NR_LRU_TYPES]; /* the oldest first */
};

/**
 * lru_gen_on() - do generations decide here what is reclaimed?
 * lru_gen_walks() - does the aging look into page tables? Where it does not,
 * it sees no access.
 */
bool lru_gen_on(void);
bool lru_gen_walks(void);

/**
 * lru_gen_missing() - what the functions below need and do not find.
 *
 * Return: NULL, or the reason for SKIP.
 */
const char *lru_gen_missing(void);

/**
 * forget_translations() - let the next access of each of @nr pages be seen in the
 * page table again. Clearing the accessed bit flushes no TLB: as long as the
 * processor (or what emulates it) still has the translation, it sets no bit.
 * @prot: what the area is mapped with, anything but PROT_NONE.
 *
 * Return: 0, or -1 with errno set.
 */
int forget_translations(unsigned char *area, size_t nr, int prot);

/**
 * lru_gen_read() - push the batches of this CPU to the lists, and read what a
 * cgroup has. Be on one CPU all the time, see run_on().
 *
 * Return: 0, or -1 when it is not shown.
 */
int lru_gen_read(const struct memcg *memcg, struct lru_gen *lru);

/**
 * lru_gen_pages() - pages in the generations @from to @to, both included; those
 * that are not shown have none.
 */
long lru_gen_pages(const struct lru_gen *lru, enum lru_type type,
		   unsigned long from, unsigned long to);

/**
 * lru_gen_command() - write a command as it is.
 *
 * Return: 0, or -1 with errno set.
 */
int lru_gen_command(const char *format, ...);

/**
 * lru_gen_age() - begin a new generation: accesses of files are looked for, and
 * those of anonymous memory too if @anon.
 *
 * Return: 0; -1 when there is none after it.
 */
int lru_gen_age(const struct memcg *memcg, bool anon);

/**
 * lru_gen_evict() - evict all but the two youngest generations, which the kernel
 * never evicts from.
 * @swappiness: 0 for files only, 200 for anonymous memory first.
 *
 * Return: 0, or -1 with errno set.
 */
int lru_gen_evict(const struct memcg *memcg, int swappiness);

/**
 * lru_gen_trim() - do away with the old generations that have no file, so that
 * the next two agings need not merge any. A merged generation loses the marks of
 * a first use, which some kernels need.
 *
 * Return: 0, or -1 with errno set.
 */
int lru_gen_trim(const struct memcg *memcg);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A memory cgroup (v2) of one's own: limits and accounts that touch nobody else.
 */
#ifndef PAGE_ADVICE_MEMCG_H
#define PAGE_ADVICE_MEMCG_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct memcg {
	char home[512]; /* cgroup.procs of where the process came from */
	char dir[512];	/* "" when there is none */
	pid_t janitor;	/* removes it when we are killed */
};

/**
 * memcg_enter() - make a cgroup below the root of the cgroup2 mount, and move
 * there. Cgroups that a killed test left are removed.
 *
 * Return: NULL, or what is missing, for SKIP.
 */
const char *memcg_enter(struct memcg *memcg);

/**
 * memcg_leave() - move back and remove it; nothing to do when none was entered.
 */
void memcg_leave(struct memcg *memcg);

/**
 * memcg_write() - write a text into one of its files.
 *
 * Return: 0, or -1 with errno set.
 */
int memcg_write(const struct memcg *memcg, const char *file, const char *text);

/**
 * memcg_number() - the number in one of its files, "memory.current" for one.
 * memcg_stat() - a number of its memory.stat, by name.
 * memcg_event() - one of its memory.events, by name.
 *
 * Return: the number as the kernel gives it, or -1 when it is not there.
 */
long memcg_number(const struct memcg *memcg, const char *file);
long memcg_stat(const struct memcg *memcg, const char *name);
long memcg_event(const struct memcg *memcg, const char *name);

/**
 * memcg_reclaim() - have the kernel take @bytes of it, by memory.reclaim.
 *
 * Return: 0, or -1: EAGAIN when it got less, ENOENT in a kernel before 5.19.
 */
int memcg_reclaim(const struct memcg *memcg, size_t bytes);

/**
 * memcg_slack() - bytes that the charges may be off: every CPU keeps a batch of
 * 64 pages.
 */
long memcg_slack(void);

/**
 * has_swap() - is any swap in use on this machine?
 */
bool has_swap(void);

/**
 * memcg_make() - another cgroup beside the one of memcg_enter(), without moving
 * there. @label tells it from that one and from others; it is "-" and a word.
 *
 * Return: NULL, or what is missing, for SKIP.
 */
const char *memcg_make(struct memcg *memcg, const char *label);

/**
 * memcg_move() - move a process into it; 0 is the caller.
 *
 * Return: 0, or -1 with errno set.
 */
int memcg_move(const struct memcg *memcg, pid_t pid);

/**
 * memcg_remove() - remove what memcg_make() made and everybody has left; nothing
 * to do when it made none.
 */
void memcg_remove(struct memcg *memcg);

#endif

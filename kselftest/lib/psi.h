/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pressure stall information: totals and triggers, of the machine or of a
 * cgroup (Documentation/accounting/psi.rst).
 */
#ifndef PAGE_ADVICE_PSI_H
#define PAGE_ADVICE_PSI_H

#include <stdbool.h>
#include <stddef.h>

#include "memcg.h"

/* The longest there is, of HZ=100. */
#define PSI_JIFFY_MS 10

/**
 * psi_path() - the pressure file of a resource, "memory" for one.
 * @memcg: of this cgroup, or NULL for that of the machine.
 */
void psi_path(const struct memcg *memcg, const char *resource, char *path,
	      size_t size);

/**
 * psi_missing() - can a pressure file be read here?
 *
 * Return: NULL, or what is missing, for SKIP.
 */
const char *psi_missing(const char *path);

/**
 * psi_total() - how long there was a stall, ever: "total" of one of its lines.
 * It only grows.
 *
 * Every reading makes the kernel collect, with each CPU's share weighted by the
 * jiffies that it was not idle in this cgroup since the last time; a stall on a
 * CPU with less than one jiffy of them is lost for good (collect_percpu_times()
 * in kernel/sched/psi.c). Hence psi_settle() before it, or much to be counted.
 * @line: "some" or "full". Others than these are passed over.
 *
 * Return: microseconds, or -1 when it cannot be read or has no such line.
 */
long psi_total(const char *path, const char *line);

/**
 * psi_stay() - on the CPU that one is on, for psi_settle().
 * psi_settle() - be busy for more than the longest jiffy.
 */
void psi_stay(void);
void psi_settle(void);

/**
 * monotonic_ms() - CLOCK_MONOTONIC in milliseconds.
 */
long monotonic_ms(void);

/**
 * psi_open() - for one trigger.
 *
 * Return: a descriptor, or -1 with errno set.
 */
int psi_open(const char *path);

/**
 * psi_arm() - write a trigger, "some|full STALL_US WINDOW_US", and the newline
 * without which /proc/pressure takes away its last digit.
 * psi_write() - the @len bytes as they are.
 *
 * Return: 0, or -1 with errno set.
 */
int psi_arm(int fd, const char *trigger);
int psi_write(int fd, const char *text, size_t len);

/* What psi_poll() may find. */
enum psi_event {
	PSI_NOTHING, /* armed, and nothing happened */
	PSI_EVENT,
	PSI_GONE, /* not armed, or its cgroup is gone: POLLERR */
};

/**
 * psi_poll() - wait for an event, and take it.
 * @wait_ms: at most so long.
 */
enum psi_event psi_poll(int fd, int wait_ms);

/**
 * psi_armed() - is there a trigger? Does not wait; an event may be lost by it.
 */
bool psi_armed(int fd);

#endif

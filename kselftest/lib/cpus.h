/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processors: new pages wait in batches of the CPU they were made on, which other
 * CPUs do not see.
 */
#ifndef PAGE_ADVICE_CPUS_H
#define PAGE_ADVICE_CPUS_H

/**
 * cpus_allowed() - the first CPUs that the caller may run on.
 * @cpus: room for @max of their numbers.
 *
 * Return: how many were found, or -1 with errno set.
 */
int cpus_allowed(int cpus[], int max);

/**
 * run_on() - move the calling thread to a CPU, and keep it and its children there.
 *
 * Return: 0, or -1 with errno set.
 */
int run_on(int cpu);

#endif

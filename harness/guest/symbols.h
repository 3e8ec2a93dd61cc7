/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_SYMBOLS_H
#define RECLAIMLAB_GUEST_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/* A function of the kernel, and what the caller makes of it. */
struct symbol {
	const char *name; /* without the suffix a compiler adds to a part of it */
	int value;
};

/**
 * symbols_load() - find where functions are, in /proc/kallsyms.
 * @symbols: NULL as the name of the last one.
 *
 * Those that this kernel does not have, or has inlined, are simply not found.
 */
void symbols_load(const struct symbol *symbols);

/**
 * symbols_value() - what the function at @address stands for.
 *
 * Return: its value, or @otherwise when it is none of them.
 */
int symbols_value(uint64_t address, int otherwise);

#endif

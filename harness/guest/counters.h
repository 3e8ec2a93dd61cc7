/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's counters, by name. Kernels differ in what they count; whatever a
 * file holds is taken, and what is absent is simply not there.
 */
#ifndef RECLAIMLAB_GUEST_COUNTERS_H
#define RECLAIMLAB_GUEST_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct counter {
	char name[64];
	int64_t value;
	bool named;   /* its name has been sent */
	bool changed; /* since counter_clear_changed(); true when new */
};

/**
 * counters_open() - open every file that this kernel has; they stay open.
 */
void counters_open(void);

/**
 * counters_add_reader() - have counters_read() call @read as well, which sets
 * counters of its own.
 */
void counters_add_reader(void (*read)(void));

/**
 * counter_set() - to be called by such a reader.
 */
void counter_set(const char *name, int64_t value);

/**
 * counters_read() - read them all and mark what has changed.
 */
void counters_read(void);

/**
 * counter_get() - the counter with number @id, NULL behind the last one.
 */
const struct counter *counter_get(size_t id);

void counter_set_named(size_t id);
void counter_clear_changed(size_t id);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How did a guest end? One table tells the endings apart from what QEMU did,
 * what the stream says and what stands on the console.
 */
#ifndef RECLAIMLAB_HOST_ENDING_H
#define RECLAIMLAB_HOST_ENDING_H

#include "boot.h"
#include "reading.h"

enum ending {
	ENDING_COMPLETE,
	ENDING_INTERRUPTED,
	ENDING_QEMU_MISSING,
	ENDING_WORKLOAD_FAILED,
	ENDING_INIT_OOM,
	ENDING_SOFT_LOCKUP,
	ENDING_PANIC,
	ENDING_FLOOD,
	ENDING_DISK_FULL,
	ENDING_QEMU_REFUSED,
	ENDING_QEMU_KILLED,
	ENDING_MALFORMED,
	ENDING_TRUNCATED,
	ENDING_TIMEOUT,
	ENDING_SILENT,
	ENDING_POWER_OFF,
	NR_ENDINGS,
};

struct evidence {
	const char *binary; /* of QEMU */
	struct boot_result boot;
	const struct reading *reading;
	const char *console; /* whole text */
	const char *errors;  /* what QEMU itself said */
	double silence_s, timeout_s;
	int disk_full;
};

/**
 * ending_classify() - exactly one ending for any evidence.
 */
enum ending ending_classify(const struct evidence *evidence);

/**
 * ending_word() - a constant word for logs and tests: "panic".
 */
const char *ending_word(enum ending ending);

/**
 * ending_message() - one line that says what happened; to be freed.
 */
char *ending_message(enum ending ending, const struct evidence *evidence);

/**
 * ending_tail() - the last lines of a console, indented, control characters
 * replaced; "" when it is empty; to be freed.
 */
char *ending_tail(const char *console);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Settings that the whole machine feels. A guest's machine is its own; natively
 * they are changed only when that is allowed, and a journal, a file that outlives
 * its writer, says what they were.
 */
#ifndef RECLAIMLAB_GUEST_GLOBALS_H
#define RECLAIMLAB_GUEST_GLOBALS_H

#include <stdbool.h>
#include <stddef.h>

void globals_allow(void);
bool globals_allowed(void);

/**
 * globals_write() - write_text() to such a setting; natively its value is noted
 * in the journal first.
 *
 * Return: 0, or -1 with errno set, EPERM when it is not allowed.
 */
__attribute__((format(printf, 2, 3))) int globals_write(const char *path,
							const char *fmt, ...);

/**
 * journal_open() - begin a journal. The run fails when that cannot be done.
 */
void journal_open(const char *path);

/* What a journal's lines are about. */
#define JOURNAL_SET "set"	/* "<path> <value to restore>" */
#define JOURNAL_CGROUP "cgroup" /* path of the room's cgroup */

/**
 * journal_note() - add a line before what it tells of is done.
 */
void journal_note(const char *what, const char *text);

/**
 * journal_cgroup() - the path of the room's cgroup that a journal of this boot
 * noted last, "" when there is none.
 */
void journal_cgroup(const char *path, char *cgroup, size_t size);

/**
 * journal_undo() - restore what a journal of this boot says, the latest first.
 *
 * Return: 0 when everything is as it was, -1 otherwise; what is not is said.
 */
int journal_undo(const char *path);

#endif

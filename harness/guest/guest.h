/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every part of the guest needs: one way to fail, files of proc and sysfs
 * in one call.
 */
#ifndef RECLAIMLAB_GUEST_GUEST_H
#define RECLAIMLAB_GUEST_GUEST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define MIB (1024ull * 1024)
#define NSEC_PER_MSEC 1000000ull
#define NSEC_PER_SEC 1000000000ull

/**
 * fail_setup() - to be called before the first fork.
 * @end: ends the run when the calling process fails; must not return.
 */
void fail_setup(void (*end)(const char *reason));

/**
 * fail() - end the run: "end fail <message>" and power off. In a child process
 * of init the message is left where init finds it (see fail_of_child()) and the
 * child exits, so that there is one place from which the record ends.
 */
__attribute__((format(printf, 1, 2), noreturn)) void fail(const char *fmt, ...);

/**
 * fork_child() - fork(2) for a process that ends when its parent does.
 */
pid_t fork_child(void);

/**
 * fail_of_child() - the message of the child that failed, NULL if none did.
 */
const char *fail_of_child(void);

/**
 * say() - a line for the human who reads the console; never part of a record.
 */
__attribute__((format(printf, 1, 2))) void say(const char *fmt, ...);

/**
 * write_text() - open @path, write the formatted text in one write(2), close.
 *
 * Return: 0, or -1 with errno set.
 */
__attribute__((format(printf, 2, 3))) int write_text(const char *path,
						     const char *fmt, ...);

/**
 * must_write_text() - the same, and the run fails when it cannot be done.
 */
__attribute__((format(printf, 2, 3))) void
must_write_text(const char *path, const char *fmt, ...);

/**
 * read_text() - read a small file whole; @buffer is always NUL-terminated.
 *
 * Return: length, or -1 with errno set (EFBIG when it does not fit).
 */
long read_text(const char *path, char *buffer, size_t size);

/**
 * now_ns() - CLOCK_MONOTONIC, which is virtual time under icount.
 */
uint64_t now_ns(void);

/**
 * page_size() - bytes in a page of this kernel.
 */
size_t page_size(void);

#endif

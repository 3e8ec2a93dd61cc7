/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every part of the host program needs: one-line errors, strings that
 * cannot fail, files that are whole or absent.
 */
#ifndef RECLAIMLAB_HOST_UTIL_H
#define RECLAIMLAB_HOST_UTIL_H

#include <stddef.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Exit statuses of every subcommand. */
enum {
	EXIT_OK = 0,
	EXIT_RUN =
		1, /* a run failed, or the records do not allow the verdict */
	EXIT_USAGE = 2, /* arguments, environment, files: nothing was run */
	EXIT_MORE = 3,	/* all is well, and more runs are needed */
};

/**
 * die() - print "reclaimlab: <message>" in one line and exit with EXIT_USAGE.
 */
__attribute__((format(printf, 1, 2), noreturn)) void die(const char *fmt, ...);

/**
 * warn() - print "reclaimlab: <message>" in one line.
 */
__attribute__((format(printf, 1, 2))) void warn(const char *fmt, ...);

/**
 * xasprintf() - asprintf(3) that ends the program when memory is out.
 */
__attribute__((format(printf, 1, 2))) char *xasprintf(const char *fmt, ...);

/**
 * xcalloc() - calloc(3) that ends the program when memory is out.
 */
void *xcalloc(size_t n, size_t size);

/**
 * grow() - make room in an array for one more element.
 * @n: elements it has; @room: elements it has room for, updated.
 * @size: of an element.
 *
 * Return: the array, which may have moved.
 */
void *grow(void *array, size_t n, size_t *room, size_t size);

/**
 * read_file() - a whole file as a NUL-terminated text.
 * @len: its length in bytes, may be NULL.
 *
 * Return: the text, to be freed, or NULL with errno set.
 */
char *read_file(const char *path, size_t *len);

/**
 * write_file() - create or replace a file so that it is never seen half-written
 * (temporary name in the same directory, fsync(2), rename(2)).
 *
 * Return: 0, or -1 with errno set and nothing left behind.
 */
int write_file(const char *path, const void *data, size_t len);

/**
 * make_directory() - create a directory and its parents; existing is success.
 *
 * Return: 0, or -1 with errno set.
 */
int make_directory(const char *path);

/**
 * sha256_file(), sha256_text() - SHA-256 in lower-case hexadecimal.
 * @hex: receives 64 digits and a NUL.
 *
 * Return: 0, or -1 with errno set when the file cannot be read.
 */
int sha256_file(const char *path, char hex[65]);
void sha256_text(const void *data, size_t len, char hex[65]);

#endif

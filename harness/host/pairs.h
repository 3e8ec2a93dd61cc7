/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An ordered list of key and value, and the errors of the text files that such
 * lists are read from.
 */
#ifndef RECLAIMLAB_HOST_PAIRS_H
#define RECLAIMLAB_HOST_PAIRS_H

#include <stddef.h>

struct pair {
	char *key;
	char *value;
};

struct pairs {
	struct pair *list;
	size_t n;
	size_t room;
};

void pairs_add(struct pairs *pairs, const char *key, const char *value);

/**
 * pairs_put() - give @key another value, in its place; add it if it is new.
 */
void pairs_put(struct pairs *pairs, const char *key, const char *value);

/**
 * pairs_find() - the value of @key, or NULL.
 */
const char *pairs_find(const struct pairs *pairs, const char *key);

/**
 * pairs_text() - "key value\n" for each, in order; to be freed.
 */
char *pairs_text(const struct pairs *pairs);

void pairs_free(struct pairs *pairs);

/**
 * file_error() - set @error to "path:line: what", the line left out when 0.
 *
 * Return: -1.
 */
__attribute__((format(printf, 4, 5))) int
file_error(char **error, const char *path, int line, const char *fmt, ...);

/**
 * label_error() - what keeps @label from being a file's name, NULL if nothing.
 */
const char *label_error(const char *label);

#endif

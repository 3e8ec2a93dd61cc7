// SPDX-License-Identifier: GPL-2.0
#include "pairs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

void pairs_add(struct pairs *pairs, const char *key, const char *value)
{
	pairs->list =
		grow(pairs->list, pairs->n, &pairs->room, sizeof(*pairs->list));
	pairs->list[pairs->n].key = xasprintf("%s", key);
	pairs->list[pairs->n].value = xasprintf("%s", value);
	pairs->n++;
}

static struct pair *find(const struct pairs *pairs, const char *key)
{
	for (size_t i = 0; i < pairs->n; i++)
		if (!strcmp(pairs->list[i].key, key))
			return &pairs->list[i];
	return NULL;
}

void pairs_put(struct pairs *pairs, const char *key, const char *value)
{
	struct pair *pair = find(pairs, key);

	if (!pair) {
		pairs_add(pairs, key, value);
		return;
	}
	free(pair->value);
	pair->value = xasprintf("%s", value);
}

const char *pairs_find(const struct pairs *pairs, const char *key)
{
	const struct pair *pair = find(pairs, key);

	return pair ? pair->value : NULL;
}

char *pairs_text(const struct pairs *pairs)
{
	char *text = xasprintf("%s", "");

	for (size_t i = 0; i < pairs->n; i++) {
		char *longer = xasprintf("%s%s %s\n", text, pairs->list[i].key,
					 pairs->list[i].value);

		free(text);
		text = longer;
	}
	return text;
}

void pairs_free(struct pairs *pairs)
{
	for (size_t i = 0; i < pairs->n; i++) {
		free(pairs->list[i].key);
		free(pairs->list[i].value);
	}
	free(pairs->list);
	memset(pairs, 0, sizeof(*pairs));
}

int file_error(char **error, const char *path, int line, const char *fmt, ...)
{
	va_list ap;
	char *what;

	va_start(ap, fmt);
	if (vasprintf(&what, fmt, ap) < 0)
		die("out of memory");
	va_end(ap);
	*error = line ? xasprintf("%s:%d: %s", path, line, what)
		      : xasprintf("%s: %s", path, what);
	free(what);
	return -1;
}

const char *label_error(const char *label)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_.+-";

	if (!*label)
		return "a label is missing";
	if (strlen(label) > 64)
		return "a label has at most 64 characters";
	if (*label == '.' || *label == '-')
		return "a label begins with a letter or a digit";
	if (label[strspn(label, good)])
		return "a label has only letters, digits and _ . + -";
	return NULL;
}

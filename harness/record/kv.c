// SPDX-License-Identifier: GPL-2.0
#include "kv.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (isspace((unsigned char)*text))
		text++;
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

int kv_next(char **text, struct kv *pair)
{
	char *line;

	while ((line = strsep(text, "\n"))) {
		pair->line++;
		line[strcspn(line, "#")] = '\0';
		line = trim(line);
		if (!*line)
			continue;

		pair->key = strsep(&line, " \t");
		pair->value = line ? trim(line) : pair->key + strlen(pair->key);
		return 1;
	}
	return 0;
}

int kv_number(const char *value, long long min, long long max, long long *out)
{
	char *end;

	if (!isdigit((unsigned char)value[*value == '-']))
		return -1;
	errno = 0;
	*out = strtoll(value, &end, 10);
	return *end || errno || *out < min || *out > max ? -1 : 0;
}

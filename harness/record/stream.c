// SPDX-License-Identifier: GPL-2.0
#include "stream.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const type_words[RL_NR_TYPES] = {
	[RL_BEGIN] = "begin",	[RL_NAME] = "name", [RL_PHASE] = "phase",
	[RL_SAMPLE] = "sample", [RL_OBS] = "obs",   [RL_NOTE] = "note",
	[RL_END] = "end",
};

#define CRC_DIGITS 8
#define CRC_TAIL (2 + CRC_DIGITS) /* " *" and the digits */

const char *rl_type_word(enum rl_type type)
{
	return type_words[type];
}

uint32_t rl_crc32(const void *data, size_t len)
{
	const unsigned char *byte = data;
	uint32_t crc = ~0u;

	while (len--) {
		crc ^= *byte++;
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (0xedb88320u & -(crc & 1));
	}
	return ~crc;
}

__attribute__((format(printf, 2, 0))) static void
line_vadd(struct rl_writer *w, const char *fmt, va_list ap)
{
	/* The tail and the newline must always find room. */
	size_t room = sizeof(w->line) - CRC_TAIL - 1 - w->len;
	int n = vsnprintf(w->line + w->len, room, fmt, ap);

	if (n < 0 || (size_t)n >= room)
		w->failed = true;
	else
		w->len += (size_t)n;
}

void rl_line_add(struct rl_writer *w, const char *fmt, ...)
{
	va_list ap;

	if (w->failed)
		return;
	w->line[w->len++] = ' ';
	va_start(ap, fmt);
	line_vadd(w, fmt, ap);
	va_end(ap);
}

void rl_line_start(struct rl_writer *w, enum rl_type type)
{
	w->len = (size_t)snprintf(w->line, sizeof(w->line), "rl %llu %s",
				  (unsigned long long)w->seq, type_words[type]);
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return -1;
		}
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

int rl_line_finish(struct rl_writer *w)
{
	if (w->failed)
		return -1;

	w->len += (size_t)snprintf(w->line + w->len, CRC_TAIL + 2, " *%08x\n",
				   rl_crc32(w->line, w->len));
	w->seq++;
	if (write_all(w->fd, w->line, w->len))
		w->failed = true;
	return w->failed ? -1 : 0;
}

/* Check the checksum and cut it off. */
static const char *strip_crc(char *line)
{
	size_t len = strlen(line);
	char *tail;
	char want[CRC_TAIL + 1];

	if (len < CRC_TAIL)
		return "line is too short";
	tail = line + len - CRC_TAIL;
	snprintf(want, sizeof(want), " *%08x", rl_crc32(line, len - CRC_TAIL));
	if (strcmp(tail, want))
		return "checksum does not match";
	*tail = '\0';
	return NULL;
}

char *rl_next_field(char **fields)
{
	char *field;

	do {
		field = strsep(fields, " ");
	} while (field && !*field);
	return field;
}

const char *rl_line_parse(char *line, struct rl_line *out)
{
	const char *wrong = strip_crc(line);
	char *word, *end, *rest = line;

	if (wrong)
		return wrong;

	word = rl_next_field(&rest);
	if (!word || strcmp(word, "rl"))
		return "line does not begin with rl";

	word = rl_next_field(&rest);
	if (!word || *word < '0' || *word > '9')
		return "line has no number";
	errno = 0;
	out->seq = strtoull(word, &end, 10);
	if (*end || errno)
		return "line has no number";

	word = rl_next_field(&rest);
	for (int type = 0; word && type < RL_NR_TYPES; type++) {
		if (strcmp(word, type_words[type]))
			continue;
		out->type = type;
		out->fields = rest ? rest : line + strlen(line);
		return NULL;
	}
	return "unknown record type";
}

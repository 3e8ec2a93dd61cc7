// SPDX-License-Identifier: GPL-2.0
#include "globals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"
#include "native.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define JOURNAL_BOOT "boot"
#define LINES_MAX 64

static bool allowed;
static int journal = -1;

void globals_allow(void)
{
	allowed = true;
}

bool globals_allowed(void)
{
	return allowed;
}

/* Of "this [that] other" only what is in force. */
static void choose(char *value)
{
	char *open = strchr(value, '['), *close = strchr(value, ']');

	if (!open || !close || close < open)
		return;
	*close = '\0';
	memmove(value, open + 1, strlen(open + 1) + 1);
}

/* Return: 0, or -1 with errno set. */
static int current(const char *path, char *value, size_t size)
{
	if (read_text(path, value, size) < 0)
		return -1;
	value[strcspn(value, "\n")] = '\0';
	choose(value);
	return 0;
}

void journal_note(const char *what, const char *text)
{
	char line[1024];
	int len = snprintf(line, sizeof(line), "%s %s\n", what, text);

	if (len >= (int)sizeof(line) || write(journal, line, len) != len)
		fail("cannot write the journal");
}

void journal_open(const char *path)
{
	char boot[64];

	journal = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
		       0600);
	if (journal < 0)
		fail("cannot make %s: %s", path, strerror(errno));
	if (current(BOOT_ID, boot, sizeof(boot)))
		fail("cannot read " BOOT_ID ": %s", strerror(errno));
	journal_note(JOURNAL_BOOT, boot);
}

static int note_setting(const char *path)
{
	char value[256], line[512];

	if (!allowed) {
		errno = EPERM;
		return -1;
	}
	if (current(path, value, sizeof(value)))
		return -1;
	snprintf(line, sizeof(line), "%s %s", path, value);
	journal_note(JOURNAL_SET, line);
	return 0;
}

int globals_write(const char *path, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (is_native() && note_setting(path))
		return -1;
	return write_text(path, "%s", text);
}

static bool reads_as(const char *path, const char *value)
{
	char now[256];

	return !current(path, now, sizeof(now)) && !strcmp(now, value);
}

/* Return: 0, or -1 when it is not as it was, which is said. */
static int restore(char *line)
{
	char *value = line, *path = strsep(&value, " ");
	/* "+memory" is undone by "-memory", and reads as neither. */
	bool is_undo = *value == '-';

	if (!is_undo && reads_as(path, value))
		return 0;
	if (!write_text(path, "%s", value) &&
	    (is_undo || reads_as(path, value)))
		return 0;
	say("%s: cannot restore %s, which was %s", my_name(), path, value);
	return -1;
}

/* The next line of a journal, cut behind its first word; NULL at the end. */
static char *next_line(char **text, char **rest)
{
	while ((*rest = strsep(text, "\n"))) {
		char *what = strsep(rest, " ");

		/* A writer that was killed leaves a line without its end. */
		if (*rest && *text)
			return what;
	}
	return NULL;
}

/* Return: the lines of a journal of this boot, NULL when it is none. */
static char *read_journal(const char *path)
{
	static char text[32768];
	char boot[64], *left = text, *what, *rest;

	if (read_text(path, text, sizeof(text)) < 0)
		return NULL;
	what = next_line(&left, &rest);
	if (!what || strcmp(what, JOURNAL_BOOT) ||
	    current(BOOT_ID, boot, sizeof(boot)) || strcmp(rest, boot))
		return NULL;
	return left;
}

void journal_cgroup(const char *path, char *cgroup, size_t size)
{
	char *left = read_journal(path), *what, *rest;

	*cgroup = '\0';
	while ((what = next_line(&left, &rest)))
		if (!strcmp(what, JOURNAL_CGROUP))
			snprintf(cgroup, size, "%s", rest);
}

int journal_undo(const char *path)
{
	char *left = read_journal(path), *what, *rest, *settings[LINES_MAX];
	size_t n = 0;
	int err = 0;

	while ((what = next_line(&left, &rest)))
		if (!strcmp(what, JOURNAL_SET) && strchr(rest, ' ') &&
		    n < LINES_MAX)
			settings[n++] = rest;
	while (n)
		err |= restore(settings[--n]);
	return err;
}

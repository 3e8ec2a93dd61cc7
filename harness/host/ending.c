// SPDX-License-Identifier: GPL-2.0
#include "ending.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

#define TAIL_LINES 10
#define TAIL_COLUMNS 160

#define PANIC "Kernel panic - not syncing"

#define ANY (~0u)
#define BIT(n) (1u << (n))

#define EXITED BIT(BOOT_EXITED)

enum exit_wanted {
	STATUS_ANY,
	STATUS_ZERO,
	STATUS_OTHER,
};

/*
 * The first row that fits is the ending: what explains comes before what
 * follows from it. A whole stream is a whole run, whatever QEMU did after.
 */
static const struct row {
	enum ending ending;
	unsigned int boot;   /* set of enum boot_end */
	unsigned int stream; /* set of enum stream_state */
	enum exit_wanted status;
	const char *console[2]; /* both must stand there */
	int disk_full;
} rows[] = {
	{ ENDING_INTERRUPTED, BIT(BOOT_INTERRUPTED), ANY, 0, { 0 }, 0 },
	{ ENDING_QEMU_MISSING, BIT(BOOT_NOT_STARTED), ANY, 0, { 0 }, 0 },
	{ ENDING_COMPLETE, ANY, BIT(STREAM_OK), 0, { 0 }, 0 },
	{ ENDING_WORKLOAD_FAILED, ANY, BIT(STREAM_FAILED), 0, { 0 }, 0 },
	{ ENDING_INIT_OOM,
	  ANY,
	  ANY,
	  0,
	  { PANIC, "System is deadlocked on memory" },
	  0 },
	{ ENDING_INIT_OOM,
	  ANY,
	  ANY,
	  0,
	  { "Out of memory: Killed process 1 (", PANIC },
	  0 },
	{ ENDING_SOFT_LOCKUP, ANY, ANY, 0, { "BUG: soft lockup" }, 0 },
	{ ENDING_PANIC, ANY, ANY, 0, { PANIC }, 0 },
	{ ENDING_FLOOD, BIT(BOOT_FLOOD), ANY, 0, { 0 }, 0 },
	{ ENDING_DISK_FULL, ANY, ANY, 0, { 0 }, 1 },
	{ ENDING_QEMU_REFUSED, EXITED, ANY, STATUS_OTHER, { 0 }, 0 },
	{ ENDING_QEMU_KILLED, BIT(BOOT_SIGNALED), ANY, 0, { 0 }, 0 },
	{ ENDING_MALFORMED, ANY, BIT(STREAM_MALFORMED), 0, { 0 }, 0 },
	{ ENDING_TIMEOUT, BIT(BOOT_TIMEOUT), ANY, 0, { 0 }, 0 },
	{ ENDING_SILENT, BIT(BOOT_SILENT), ANY, 0, { 0 }, 0 },
	{ ENDING_TRUNCATED, EXITED, BIT(STREAM_CUT), STATUS_ZERO, { 0 }, 0 },
	{ ENDING_POWER_OFF, EXITED, ANY, STATUS_ZERO, { 0 }, 0 },
};

static int status_fits(enum exit_wanted wanted, int status)
{
	return wanted == STATUS_ANY || (wanted == STATUS_ZERO) == !status;
}

static int fits(const struct row *row, const struct evidence *e)
{
	if (!(row->boot & BIT(e->boot.end)) ||
	    !(row->stream & BIT(e->reading->state)) ||
	    !status_fits(row->status, e->boot.status) ||
	    (row->disk_full && !e->disk_full))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(row->console); i++)
		if (row->console[i] && !strstr(e->console, row->console[i]))
			return 0;
	return 1;
}

enum ending ending_classify(const struct evidence *evidence)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (fits(&rows[i], evidence))
			return rows[i].ending;
	die("internal error: QEMU's end %d, stream %d fit no ending",
	    evidence->boot.end, evidence->reading->state);
}

/* Details that complete the messages below; each to be freed. */

/* One line of @text from @at on, printable. */
static char *line_at(const char *at)
{
	char *line = xasprintf("%.*s", (int)strcspn(at, "\r\n"), at);

	for (char *c = line; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return line;
}

static char *line_with(const char *text, const char *words)
{
	const char *found = strstr(text, words);

	return line_at(found ? found : words);
}

static char *detail_panic(const struct evidence *e)
{
	char *line = line_with(e->console, PANIC);
	char *what =
		xasprintf("%s", line + strlen(PANIC) +
					strspn(line + strlen(PANIC), ": "));

	free(line);
	return what;
}

static char *detail_lockup(const struct evidence *e)
{
	return line_with(e->console, "soft lockup");
}

static char *detail_why(const struct evidence *e)
{
	return line_at(e->reading->why ? e->reading->why : "");
}

/* QEMU's last line is the error, those before are warnings. */
static char *detail_refused(const struct evidence *e)
{
	const char *line = e->errors, *next;
	char *said, *detail;

	while ((next = strchr(line, '\n')) && next[1])
		line = next + 1;
	said = line_at(line);
	detail = xasprintf("exit status %d, %s", e->boot.status,
			   *said ? said : "without a word");
	free(said);
	return detail;
}

static char *detail_signal(const struct evidence *e)
{
	return xasprintf("%d (%s)", e->boot.status, strsignal(e->boot.status));
}

static char *detail_missing(const struct evidence *e)
{
	return xasprintf("%s: %s", e->binary, strerror(e->boot.status));
}

static char *detail_silence(const struct evidence *e)
{
	return xasprintf("%.0f s%s", e->silence_s,
			 *e->console ? "" : ", not even as it booted");
}

static char *detail_timeout(const struct evidence *e)
{
	return xasprintf("%.0f s", e->timeout_s);
}

static char *detail_flood(const struct evidence *e)
{
	(void)e;
	return xasprintf("%d MiB on the console, or %u MiB of records",
			 CONSOLE_BYTES_MAX >> 20, STREAM_BYTES_MAX >> 20);
}

static char *detail_none(const struct evidence *e)
{
	(void)e;
	return xasprintf("%s", "");
}

static const struct {
	const char *word;
	const char *before, *after;
	char *(*detail)(const struct evidence *e);
} messages[NR_ENDINGS] = {
	[ENDING_COMPLETE] = { "complete", "complete", "", detail_none },
	[ENDING_INTERRUPTED] = { "interrupted", "interrupted", "",
				 detail_none },
	[ENDING_QEMU_MISSING] = { "qemu-missing", "QEMU cannot be started: ",
				  "", detail_missing },
	[ENDING_WORKLOAD_FAILED] = { "workload-failed",
				     "the workload failed: ", "", detail_why },
	[ENDING_INIT_OOM] = { "init-oom",
			      "init ran out of memory; give the scenario more "
			      "memory_mib (kernel panic: ",
			      ")", detail_panic },
	[ENDING_SOFT_LOCKUP] = { "soft-lockup", "the kernel locked up: ", "",
				 detail_lockup },
	[ENDING_PANIC] = { "panic", "kernel panic: ", "", detail_panic },
	[ENDING_FLOOD] = { "flood", "the guest wrote more than ",
			   " and was ended", detail_flood },
	[ENDING_DISK_FULL] = { "disk-full",
			       "no space is left in the cache directory for "
			       "the guest's output",
			       "", detail_none },
	[ENDING_QEMU_REFUSED] = { "qemu-refused", "QEMU gave up: ", "",
				  detail_refused },
	[ENDING_QEMU_KILLED] = { "qemu-killed", "QEMU was killed by signal ",
				 "", detail_signal },
	[ENDING_MALFORMED] = { "malformed", "malformed record stream, ", "",
			       detail_why },
	[ENDING_TRUNCATED] = { "truncated",
			       "truncated record stream: the machine went off "
			       "within a line",
			       "", detail_none },
	[ENDING_TIMEOUT] = { "timeout", "not done after ",
			     ", the scenario's timeout_s", detail_timeout },
	[ENDING_SILENT] = { "silent", "hung: the guest wrote nothing for ",
			    " (the scenario's silence_s)", detail_silence },
	[ENDING_POWER_OFF] = { "power-off",
			       "early power-off: the machine went off without "
			       "an end record",
			       "", detail_none },
};

const char *ending_word(enum ending ending)
{
	return messages[ending].word;
}

char *ending_message(enum ending ending, const struct evidence *evidence)
{
	char *detail = messages[ending].detail(evidence);
	char *message = xasprintf("%s%s%s", messages[ending].before, detail,
				  messages[ending].after);

	free(detail);
	return message;
}

char *ending_tail(const char *console)
{
	const char *at = console + strlen(console);
	char *tail = xasprintf("%s", "");
	int lines = 0;

	/* Back over TAIL_LINES line ends, the last one not counted. */
	while (at > console) {
		if (at[-1] == '\n' && at[0] && ++lines == TAIL_LINES)
			break;
		at--;
	}
	while (*at) {
		char *line = line_at(at);
		size_t len = strlen(line);
		char *longer;

		/* The \r that a console puts before \n is no line's end. */
		longer = len ? xasprintf("%s    %.*s\n", tail, TAIL_COLUMNS,
					 line)
			     : xasprintf("%s", tail);
		free(line);
		free(tail);
		tail = longer;
		at += len ? len : 1;
	}
	return tail;
}

// SPDX-License-Identifier: GPL-2.0
/* How a guest ended, from what was left: the table, row by row. */
#include "synthetic.h"

#include <errno.h>
#include <signal.h>

#include "ending.h"

#define PANICKED "[1.0] Kernel panic - not syncing: sysrq triggered crash\r\n"
#define DEADLOCKED \
	"[1.0] Kernel panic - not syncing: System is deadlocked on memory\r\n"
#define KILLED_INIT \
	"[1.0] Out of memory: Killed process 1 (init) total-vm:1kB\n"
#define LOCKED "[1.0] watchdog: BUG: soft lockup - CPU#0 stuck for 22s!\n"

static const struct row {
	enum boot_end boot;
	int status;
	enum stream_state stream;
	const char *console, *errors, *why;
	int disk_full;
	const char *word, *message;
} rows[] = {
	{ BOOT_EXITED, 0, STREAM_OK, "", "", NULL, 0, "complete", "complete" },
	/* A whole run is whole, whatever comes after it. */
	{ BOOT_SILENT, 0, STREAM_OK, PANICKED, "", NULL, 0, "complete", "" },
	{ BOOT_EXITED, 1, STREAM_OK, "", "x", NULL, 1, "complete", "" },
	{ BOOT_INTERRUPTED, 0, STREAM_OK, "", "", NULL, 0, "interrupted", "" },
	{ BOOT_NOT_STARTED, ENOENT, STREAM_EMPTY, "", "", NULL, 0,
	  "qemu-missing",
	  "QEMU cannot be started: qemu: No such file or directory" },
	{ BOOT_EXITED, 0, STREAM_FAILED, "", "", "no swap", 0,
	  "workload-failed", "the workload failed: no swap" },
	{ BOOT_EXITED, 0, STREAM_UNFINISHED, PANICKED, "", NULL, 0, "panic",
	  "kernel panic: sysrq triggered crash" },
	{ BOOT_EXITED, 0, STREAM_CUT, PANICKED, "", NULL, 0, "panic", "" },
	{ BOOT_TIMEOUT, 0, STREAM_EMPTY, PANICKED, "", NULL, 0, "panic", "" },
	{ BOOT_EXITED, 0, STREAM_EMPTY, DEADLOCKED, "", NULL, 0, "init-oom",
	  "init ran out of memory" },
	{ BOOT_EXITED, 0, STREAM_EMPTY, KILLED_INIT PANICKED, "", NULL, 0,
	  "init-oom", "memory_mib" },
	/* init was not ended by the kernel: no panic, no such ending. */
	{ BOOT_SILENT, 0, STREAM_EMPTY, KILLED_INIT, "", NULL, 0, "silent",
	  "" },
	{ BOOT_EXITED, 0, STREAM_EMPTY, LOCKED PANICKED, "", NULL, 0,
	  "soft-lockup",
	  "the kernel locked up: soft lockup - CPU#0 stuck for 22s!" },
	{ BOOT_FLOOD, 0, STREAM_UNFINISHED, "", "", NULL, 0, "flood",
	  "the guest wrote more than 8 MiB" },
	{ BOOT_EXITED, 0, STREAM_CUT, "", "", NULL, 1, "disk-full",
	  "no space is left" },
	{ BOOT_SILENT, 0, STREAM_CUT, "", "", NULL, 1, "disk-full", "" },
	{ BOOT_EXITED, 1, STREAM_EMPTY, "", "warning\nqemu: no kernel\n", NULL,
	  0, "qemu-refused", "QEMU gave up: exit status 1, qemu: no kernel" },
	{ BOOT_EXITED, 3, STREAM_EMPTY, "", "", NULL, 0, "qemu-refused",
	  "exit status 3, without a word" },
	{ BOOT_SIGNALED, SIGSEGV, STREAM_CUT, "", "", NULL, 0, "qemu-killed",
	  "QEMU was killed by signal 11 (Segmentation fault)" },
	{ BOOT_EXITED, 0, STREAM_MALFORMED, "", "", "line 3: x", 0, "malformed",
	  "malformed record stream, line 3: x" },
	{ BOOT_TIMEOUT, 0, STREAM_UNFINISHED, "", "", NULL, 0, "timeout",
	  "not done after 300 s" },
	{ BOOT_SILENT, 0, STREAM_UNFINISHED, "booted", "", NULL, 0, "silent",
	  "hung: the guest wrote nothing for 60 s (" },
	{ BOOT_SILENT, 0, STREAM_EMPTY, "", "", NULL, 0, "silent",
	  "not even as it booted" },
	{ BOOT_EXITED, 0, STREAM_CUT, "", "", NULL, 0, "truncated",
	  "truncated record stream" },
	{ BOOT_EXITED, 0, STREAM_UNFINISHED, "", "", NULL, 0, "power-off",
	  "early power-off" },
	{ BOOT_EXITED, 0, STREAM_EMPTY, "", "", NULL, 0, "power-off", "" },
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		struct reading reading = { .state = row->stream,
					   .why = (char *)row->why };
		struct evidence e = {
			.binary = "qemu",
			.boot = { row->boot, row->status, 1.0 },
			.reading = &reading,
			.console = row->console,
			.errors = row->errors,
			.silence_s = 60,
			.timeout_s = 300,
			.disk_full = row->disk_full,
		};
		enum ending ending = ending_classify(&e);
		char *message = ending_message(ending, &e);

		if (strcmp(ending_word(ending), row->word) ||
		    !strstr(message, row->message))
			fail_msg("row %zu: %s, %s", i, ending_word(ending),
				 message);
		assert_null(strchr(message, '\n'));
		free(message);
	}
}

/* No evidence is without an ending: ending_classify() would end the test. */
static void test_every_evidence(void **state)
{
	static const char *const consoles[] = { "", PANICKED, DEADLOCKED,
						KILLED_INIT, LOCKED };
	int seen[NR_ENDINGS] = { 0 };

	(void)state;
	for (int n = 0; n < 7 * 6 * 5 * 2 * 2; n++) {
		struct reading reading = { .state = n / 7 % 6,
					   .why = (char *)"why" };
		struct evidence e = {
			.binary = "qemu",
			.boot = { n % 7, n / 42 % 2, 0 },
			.reading = &reading,
			.disk_full = n / 84 % 2,
			.console = consoles[n / 168],
			.errors = "",
		};
		enum ending ending = ending_classify(&e);
		char *message = ending_message(ending, &e);

		assert_true(ending < NR_ENDINGS && *message);
		seen[ending]++;
		free(message);
	}
	for (int ending = 0; ending < NR_ENDINGS; ending++)
		if (!seen[ending])
			fail_msg("%s never came up", ending_word(ending));
}

static void expect_tail(const char *console, const char *want)
{
	char *tail = ending_tail(console);

	assert_string_equal(tail, want);
	free(tail);
}

static void test_tail(void **state)
{
	(void)state;
	expect_tail("", "");
	expect_tail("\n\r\n", "");
	expect_tail("one", "    one\n");
	expect_tail("one\r\n\r\n\033[31mtwo\t\x7f\n",
		    "    one\n    ?[31mtwo??\n");
	expect_tail("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\na\nb\n",
		    "    2\n    3\n    4\n    5\n    6\n    7\n    8\n    9\n"
		    "    a\n    b\n");
}

static void test_tail_cuts_long_lines(void **state)
{
	char *line = xcalloc(1001, 1), *tail;

	(void)state;
	memset(line, 'x', 1000);
	tail = ending_tail(line);
	assert_int_equal(strlen(tail), 4 + 160 + 1);
	free(tail);
	free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_every_evidence),
		cmocka_unit_test(test_tail),
		cmocka_unit_test(test_tail_cuts_long_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

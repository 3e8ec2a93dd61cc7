// SPDX-License-Identifier: GPL-2.0
#include "kselftest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "disk.h"
#include "filesystems.h"
#include "guest.h"
#include "record.h"

#define DIRECTORY "/kselftest"

/*
 * As the kernel's own runner has it: a file with "timeout=SECONDS". All lines
 * become variables of the programs' environment.
 */
#define SETTINGS "/settings"
#define TIMEOUT_S 45

static long long lru_gen;

static const struct job_key keys[] = {
	JOB_WORD("lru_gen", &lru_gen, 1, 2, "on off"),
	JOB_END,
};

/* What a kernel log must not say, whatever the program's own verdict. */
static const char *const complaints[] = {
	"BUG: ",
	"WARNING: ",
	"Bad rss-counter",
	"Bad page state",
	"psi: ",
	"blocked for more than",
	"Oops",
	"invoked oom-killer",
};

/* A line as it is put together, the rest of a too long one left out. */
struct line {
	char text[RECORD_NOTE_MAX];
	size_t len;
};

static void line_end(struct line *line, const char *program)
{
	line->text[line->len] = '\0';
	record_note("out %s %llu %s", program,
		    (unsigned long long)(now_ns() / NSEC_PER_MSEC), line->text);
	line->len = 0;
}

static void line_add(struct line *line, const char *program, const char *text,
		     size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\n')
			line_end(line, program);
		else if (line->len < sizeof(line->text) - 1)
			line->text[line->len++] = text[i];
	}
}

/* The name as it must be in a record: one word. */
static int is_program(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && !strchr(entry->d_name, ' ');
}

__attribute__((noreturn)) static void become(const char *program, int output)
{
	char path[300];

	snprintf(path, sizeof(path), DIRECTORY "/%s", program);
	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	setenv("PAGE_ADVICE_DIR", DISK_MOUNT, 1);
	/* The guest is theirs alone. */
	setenv("PAGE_ADVICE_GLOBAL", "1", 1);
	execl(path, program, (char *)NULL);
	_exit(127);
}

/* Return: whether the output ended in time; the lines of it are noted. */
static bool listen(const char *program, int output, uint64_t deadline)
{
	struct pollfd event = { .fd = output, .events = POLLIN };
	struct line line = { .len = 0 };
	char buffer[4096];
	ssize_t n = 1;

	while (n > 0) {
		uint64_t now = now_ns();
		int wait_ms =
			now < deadline
				? (int)((deadline - now) / NSEC_PER_MSEC) + 1
				: 0;

		if (poll(&event, 1, wait_ms) == 0)
			break;
		n = read(output, buffer, sizeof(buffer));
		if (n > 0)
			line_add(&line, program, buffer, (size_t)n);
	}
	if (line.len)
		line_end(&line, program);
	return n <= 0;
}

/* What the kernel has said since the last call, as far as it complains. */
static void scan_kernel_log(int log, const char *program)
{
	char entry[8192];
	ssize_t n;

	while ((n = read(log, entry, sizeof(entry) - 1)) > 0 ||
	       errno == EPIPE) {
		char *text;

		if (n <= 0)
			continue;
		entry[n] = '\0';
		text = strchr(entry, ';');
		for (size_t i = 0; text && i < ARRAY_SIZE(complaints); i++) {
			if (!strstr(text, complaints[i]))
				continue;
			text[strcspn(text, "\n")] = '\0';
			record_note("kernel %s %s", program, text + 1);
			break;
		}
	}
}

static void take_settings(void)
{
	char text[1024], *rest = text, *line;

	if (read_text(SETTINGS, text, sizeof(text)) < 0)
		return;
	while ((line = strsep(&rest, "\n"))) {
		char *value = strchr(line, '=');

		if (!value)
			continue;
		*value++ = '\0';
		setenv(line, value, 1);
	}
}

static unsigned long timeout_s(void)
{
	const char *value = getenv("timeout");

	return value ? strtoul(value, NULL, 10) : TIMEOUT_S;
}

static void run_program(const char *program)
{
	unsigned long limit_s = timeout_s();
	int output[2], status;
	bool ended;
	pid_t pid;

	record_note("run %s", program);
	if (pipe2(output, O_CLOEXEC))
		fail("cannot make a pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		fail("cannot start %s: %s", program, strerror(errno));
	if (!pid)
		become(program, output[1]);
	close(output[1]);
	ended = listen(program, output[0],
		       now_ns() + (uint64_t)limit_s * NSEC_PER_SEC);
	close(output[0]);
	/* Also what it left running. */
	if (!ended)
		kill(-pid, SIGKILL);
	waitpid(pid, &status, 0);
	kill(-pid, SIGKILL);
	if (!ended)
		record_note("timeout %s %lu", program, limit_s);
	else
		record_note("exit %s %d", program,
			    WIFSIGNALED(status) ? 128 + WTERMSIG(status)
						: WEXITSTATUS(status));
}

static void setup(const struct job *job)
{
	filesystems_start(job->machine.disk_delay_us,
			  job->machine.readahead_kib);
}

static void run(const struct job *job)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct dirent **entries;
	int n = scandir(DIRECTORY, &entries, is_program, alphasort);

	(void)job;
	if (lru_gen == 2)
		must_write_text("/sys/kernel/mm/lru_gen/enabled", "0");
	if (n <= 0)
		fail("the initramfs has no programs in " DIRECTORY);
	if (log < 0 || lseek(log, 0, SEEK_END) < 0)
		fail("cannot read the kernel's log: %s", strerror(errno));
	take_settings();
	record_phase("measure");
	for (int i = 0; i < n; i++) {
		run_program(entries[i]->d_name);
		errno = 0;
		scan_kernel_log(log, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	close(log);
}

const struct workload kselftest_workload = {
	.name = "kselftest",
	.keys = keys,
	.setup = setup,
	.run = run,
};

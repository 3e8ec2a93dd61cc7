// SPDX-License-Identifier: GPL-2.0
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "../record/stream.h"
#include "guest.h"
#include "native.h"
#include "power.h"
#include "sampler.h"

static struct rl_writer *writer;
static struct sampler_link sampler = { .command = -1, .answer = -1 };
static pid_t sampler_pid;

void record_open(int fd)
{
	struct rl_writer *w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (w == MAP_FAILED)
		fail("cannot map memory for the record stream");
	w->fd = fd;
	writer = w;
}

static unsigned long memtotal_kib(void)
{
	struct sysinfo info;

	sysinfo(&info);
	return info.totalram * info.mem_unit / 1024;
}

void record_begin(const char *workload, uint64_t seed, const char *more)
{
	struct utsname name;

	uname(&name);
	rl_line_start(writer, RL_BEGIN);
	rl_line_add(writer, "format=%d", RL_FORMAT);
	rl_line_add(writer, "kernel=%s", name.release);
	rl_line_add(writer, "arch=%s", name.machine);
	rl_line_add(writer, "page=%zu", page_size());
	rl_line_add(writer, "cpus=%ld", sysconf(_SC_NPROCESSORS_ONLN));
	rl_line_add(writer, "memtotal_kib=%lu", memtotal_kib());
	rl_line_add(writer, "workload=%s", workload);
	rl_line_add(writer, "seed=%llu", (unsigned long long)seed);
	if (*more)
		rl_line_add(writer, "%s", more);
	if (rl_line_finish(writer))
		fail("cannot write to the port of the records");
}

void record_sampler_start(uint64_t sample_ms)
{
	int command[2], answer[2];

	if (pipe2(command, O_CLOEXEC) || pipe2(answer, O_CLOEXEC))
		fail("cannot make the sampler's pipes: %s", strerror(errno));

	sampler_pid = fork_child();
	if (sampler_pid < 0)
		fail("cannot start the sampler: %s", strerror(errno));
	if (!sampler_pid) {
		close(command[1]);
		close(answer[0]);
		sampler_main(&(struct sampler_link){ command[0], answer[1] },
			     writer, sample_ms);
	}
	close(command[0]);
	close(answer[1]);
	sampler = (struct sampler_link){ command[1], answer[0] };
}

/* Return: 0 when the sampler has done it, -1 when it is gone. */
static int sampler_do(const struct sampler_command *command)
{
	char done;

	if (write(sampler.command, command, sizeof(*command)) !=
	    sizeof(*command))
		return -1;
	return read(sampler.answer, &done, 1) == 1 ? 0 : -1;
}

static void sampler_must_do(const struct sampler_command *command)
{
	const char *why;

	if (!sampler_do(command))
		return;
	why = fail_of_child();
	fail("%s", why ? why : "the sampler has died");
}

void record_phase(const char *word)
{
	struct sampler_command command = { .type = RL_PHASE };

	snprintf(command.word, sizeof(command.word), "%s", word);
	sampler_must_do(&command);
}

void record_obs(const char *series, int64_t value)
{
	struct sampler_command command = { .type = RL_OBS, .value = value };

	snprintf(command.word, sizeof(command.word), "%s", series);
	sampler_must_do(&command);
}

void record_note(const char *fmt, ...)
{
	struct sampler_command command = { .type = RL_NOTE };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command.word, sizeof(command.word), fmt, ap);
	va_end(ap);
	for (char *c = command.word; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	sampler_must_do(&command);
}

/* Take the writer back; the sampler finishes the line it is at. */
static void sampler_stop(void)
{
	struct sampler_command command = { .type = RL_END };

	if (sampler_pid <= 0)
		return;
	sampler_do(&command);
	waitpid(sampler_pid, NULL, 0);
	sampler_pid = 0;
}

__attribute__((noreturn)) static void record_end(const char *reason)
{
	if (writer) {
		sampler_stop();
		writer->failed = false;
		rl_line_start(writer, RL_END);
		if (reason)
			rl_line_add(writer, "fail %s", reason);
		else
			rl_line_add(writer, "ok");
		if (rl_line_finish(writer))
			say("%s: cannot write the last record", my_name());
		tcdrain(writer->fd);
	}
	if (is_native())
		_exit(reason != NULL);
	power_off();
}

void record_end_ok(void)
{
	record_end(NULL);
}

void record_end_fail(const char *reason)
{
	say("%s: the run fails: %s", my_name(), reason);
	record_end(reason);
}

// SPDX-License-Identifier: GPL-2.0
#include "ending.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include "child.h"
#include "guest.h"
#include "port.h"
#include "power.h"
#include "record.h"

static void end_ok(void)
{
}

static void end_fail(void)
{
	fail("as the job asked");
}

static void end_panic(void)
{
	must_write_text("/proc/sysrq-trigger", "c");
}

static void end_hang(void)
{
	for (;;)
		pause();
}

/* The machine goes off without a last record. */
static void end_poweroff(void)
{
	power_off();
}

static void eat_memory(const void *unused)
{
	(void)unused;
	for (;;) {
		char *p = mmap(NULL, MIB, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			fail("no address space left");
		memset(p, 0xa5, MIB);
	}
}

static void end_oom(void)
{
	child_run("the memory eater", ROLE_FILES, eat_memory, NULL);
}

static void end_init_oom(void)
{
	eat_memory(NULL);
}

/* PID 1 must not end. */
static void end_init_exit(void)
{
	_exit(0);
}

/* Behind the writer's back, as a broken line would. */
static void write_to_port(const char *text)
{
	int fd = port_open();

	if (write(fd, text, strlen(text)) < 0 || tcdrain(fd))
		fail("cannot write to the record port: %s", strerror(errno));
}

static void end_truncate(void)
{
	write_to_port("rl 1000 sample 12");
	power_off();
}

static void end_garbage(void)
{
	write_to_port("\033[0;31mno record\n");
}

/* In the order of the words in the table of keys. */
static void (*const endings[])(void) = {
	end_ok,	 end_fail,     end_panic,     end_hang,	    end_poweroff,
	end_oom, end_init_oom, end_init_exit, end_truncate, end_garbage,
};

static long long ending;

static const struct job_key keys[] = {
	JOB_WORD("ending", &ending, 0, ARRAY_SIZE(endings) - 1,
		 "ok fail panic hang poweroff oom init_oom init_exit truncate "
		 "garbage"),
	JOB_END,
};

static void setup(const struct job *job)
{
	(void)job;
}

static void run(const struct job *job)
{
	(void)job;
	record_phase("measure");
	endings[ending]();
}

const struct workload ending_workload = {
	.name = "ending",
	.keys = keys,
	.setup = setup,
	.run = run,
};

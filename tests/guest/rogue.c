// SPDX-License-Identifier: GPL-2.0
/* Programs that do wrong what a test program can do wrong; the name says what. */
#include <fcntl.h>
#include <glob.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/memcg.h"

static void hangs(void)
{
	for (;;)
		pause();
}

static void warns(void)
{
	int log = open("/dev/kmsg", O_WRONLY);

	puts("ok 1 fine");
	if (write(log, "WARNING: made up\n", 17) != 17)
		puts("cannot write to the log");
}

static void dies(void)
{
	puts("ok 1 fine");
	abort();
}

static void loses(void)
{
}

static void fails(void)
{
	puts("# rogue.c:1:fails:Expected 1 (1) == 2 (2)");
	puts("not ok 1 wrong");
}

static void skips(void)
{
	puts("ok 1 nothing # SKIP no reason at all");
	exit(4);
}

static void panics(void)
{
	int trigger = open("/proc/sysrq-trigger", O_WRONLY);

	puts("ok 1 fine\n#  RUN           global.last_words ...");
	if (write(trigger, "c", 1) != 1)
		puts("cannot crash");
}

/* Is killed in a memcg of its own, in which a child lives on. */
static void litters(void)
{
	struct memcg memcg;
	const char *why = memcg_enter(&memcg);

	if (why || memcg_number(&memcg, "memory.current") < 0)
		printf("# cannot make a memcg: %s\n", why);
	else if (fork() > 0)
		raise(SIGKILL);
	for (;;)
		pause();
}

/* After litters, in the order of names: is its memcg gone, within a second? */
static void looks(void)
{
	glob_t found;

	sleep(1);
	if (glob("/sys/fs/cgroup/page_advice-*", 0, NULL, &found))
		puts("ok 1 clean");
	else
		printf("not ok 1 clean\n");
}

static const struct {
	const char *name;
	void (*act)(void);
} acts[] = {
	{ "hangs", hangs },   { "warns", warns },     { "dies", dies },
	{ "loses", loses },   { "fails", fails },     { "skips", skips },
	{ "panics", panics }, { "litters", litters }, { "looks", looks },
};

int main(int argc, char **argv)
{
	(void)argc;
	setvbuf(stdout, NULL, _IONBF, 0);
	puts("TAP version 13\n1..1");
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		if (!strcmp(basename(argv[0]), acts[i].name))
			acts[i].act();
	return 0;
}

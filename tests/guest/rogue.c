// SPDX-License-Identifier: GPL-2.0
/* Programs that do wrong what a test program can do wrong; the name says what. */
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static const struct {
	const char *name;
	void (*act)(void);
} acts[] = {
	{ "hangs", hangs },   { "warns", warns }, { "dies", dies },
	{ "loses", loses },   { "fails", fails }, { "skips", skips },
	{ "panics", panics },
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

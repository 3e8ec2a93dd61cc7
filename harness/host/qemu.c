// SPDX-License-Identifier: GPL-2.0
#include "qemu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "../record/kv.h"
#include "util.h"

/*
 * noapictimer: to calibrate the APIC's timer a kernel spins on the time stamp
 * counter, which under -icount takes longer than all the rest of a boot. A
 * single processor can do with the HPET.
 *
 * no_timer_check: under a loaded host the kernel's test of the timer interrupt
 * loses its race with the emulator once in a hundred boots.
 */
static const struct machine machines[] = {
	{
		.arch = "x86_64",
		.binary = "qemu-system-x86_64",
		.package = "qemu-system-x86",
		.type = "pc",
		.cpu = { "max,-rdrand,-rdseed", "host" },
		.append = "console=ttyS0 no_timer_check",
		.append_deterministic = "noapictimer",
		.record_option = "-serial",
		.record_value = "chardev:record",
	},
	{
		/* One UART on board only, so the records take one on PCI. */
		.arch = "arm64",
		.binary = "qemu-system-aarch64",
		.package = "qemu-system-arm",
		.type = "virt",
		.cpu = { "max", "host" },
		.append = "console=ttyAMA0",
		.append_deterministic = "",
		.record_option = "-device",
		.record_value = "pci-serial,chardev=record",
	},
};

/*
 * Time is counted in instructions of two nanoseconds each and leaps over idle
 * time.
 *
 * rr=record is there for its lock, not for its log: while it records, QEMU keeps
 * its main loop from running beside the virtual CPU. Otherwise, if the host wakes
 * the main loop in the few microseconds between a guest's hlt and the moment at
 * which QEMU has counted the instructions before it, time leaps from too early
 * an instant and is off by those instructions from then on
 * (icount_start_warp_timer() and rr_cpu_thread_fn() of QEMU 7.2).
 */
#define ICOUNT "shift=1,sleep=off,rr=record,rrfile=/dev/null"

/*
 * Layout and random numbers the same in every boot; whatever goes wrong ends
 * the guest at once; null_blk makes no disk until init asks for one.
 */
#define COMMON_APPEND                                                \
	"panic=-1 oops=panic softlockup_panic=1 nokaslr norandmaps " \
	"random.trust_cpu=off random.trust_bootloader=off "          \
	"null_blk.nr_devices=0"

const struct qemu_files qemu_role_names = {
	.kernel = "kernel",
	.initramfs = "initramfs",
	.job = "job",
	.arm = "arm",
	.console = "console",
	.stream = "stream",
};

const struct machine *machine_find(const char *arch)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (!strcmp(machines[i].arch, arch))
			return &machines[i];
	return NULL;
}

char *machine_archs(void)
{
	char *archs = xasprintf("%s", machines[0].arch);

	for (size_t i = 1; i < ARRAY_SIZE(machines); i++) {
		char *longer = xasprintf("%s %s", archs, machines[i].arch);

		free(archs);
		archs = longer;
	}
	return archs;
}

const char *accel_word(enum accel accel)
{
	return accel == ACCEL_KVM ? "kvm" : "tcg";
}

struct command {
	char **argv;
	size_t n, room;
};

__attribute__((format(printf, 2, 3))) static void add(struct command *c,
						      const char *fmt, ...)
{
	va_list ap;
	char *word;

	va_start(ap, fmt);
	if (vasprintf(&word, fmt, ap) < 0)
		die("out of memory");
	va_end(ap);
	c->argv = grow(c->argv, c->n, &c->room, sizeof(*c->argv));
	c->argv[c->n++] = word;
}

/* The kernel's command line: what every guest needs comes first. */
static void add_append(struct command *c, const struct qemu_setup *setup)
{
	const char *more[] = {
		setup->deterministic ? setup->machine->append_deterministic
				     : "",
		setup->recipe_append,
		setup->user_append,
	};
	char *text = xasprintf("%s " COMMON_APPEND, setup->machine->append);

	for (size_t i = 0; i < ARRAY_SIZE(more); i++) {
		char *longer =
			xasprintf("%s%s%s", text, *more[i] ? " " : "", more[i]);

		free(text);
		text = longer;
	}
	add(c, "-append");
	add(c, "%s", text);
	free(text);
}

#define ADD(c, option, ...) (add(c, "%s", option), add(c, __VA_ARGS__))

/* QEMU's option values end at a comma; a doubled one stands for itself. */
static char *quote(const char *path)
{
	char *quoted = xcalloc(2 * strlen(path) + 1, 1), *to = quoted;

	for (; *path; path++) {
		*to++ = *path;
		if (*path == ',')
			*to++ = ',';
	}
	return quoted;
}

static void add_chardev(struct command *c, const char *id, const char *path)
{
	char *quoted = quote(path);

	ADD(c, "-chardev", "file,id=%s,path=%s", id, quoted);
	free(quoted);
}

static void add_fw_cfg(struct command *c, const char *name, const char *path)
{
	char *quoted;

	if (!path)
		return;
	quoted = quote(path);
	ADD(c, "-fw_cfg", "name=%s,file=%s", name, quoted);
	free(quoted);
}

static void add_machine(struct command *c, const struct qemu_setup *setup)
{
	const struct machine *machine = setup->machine;

	add(c, "%s", machine->binary);
	add(c, "-nodefaults");
	add(c, "-no-user-config");
	add(c, "-no-reboot");
	ADD(c, "-display", "none");
	ADD(c, "-machine", "%s", machine->type);
	ADD(c, "-accel", "%s", accel_word(setup->accel));
	ADD(c, "-cpu", "%s", machine->cpu[setup->accel]);
	ADD(c, "-smp", "%lld", setup->cpus);
	ADD(c, "-m", "%lld", setup->memory_mib);
	ADD(c, "-rtc", "base=2000-01-01,clock=vm");
	ADD(c, "-seed", "%lld", setup->seed);
	if (setup->deterministic)
		ADD(c, "-icount", "%s", ICOUNT);
}

char **qemu_command(const struct qemu_setup *setup,
		    const struct qemu_files *files)
{
	struct command c = { 0 };

	add_machine(&c, setup);
	ADD(&c, "-kernel", "%s", files->kernel);
	if (files->initramfs)
		ADD(&c, "-initrd", "%s", files->initramfs);
	add_append(&c, setup);
	add_chardev(&c, "console", files->console);
	ADD(&c, "-serial", "chardev:console");
	if (files->stream) {
		add_chardev(&c, "record", files->stream);
		ADD(&c, setup->machine->record_option, "%s",
		    setup->machine->record_value);
	}
	add_fw_cfg(&c, RL_FWCFG_JOB, files->job);
	add_fw_cfg(&c, RL_FWCFG_ARM, files->arm);

	c.argv = grow(c.argv, c.n, &c.room, sizeof(*c.argv));
	c.argv[c.n] = NULL;
	return c.argv;
}

void qemu_command_free(char **argv)
{
	for (char **word = argv; word && *word; word++)
		free(*word);
	free(argv);
}

char *qemu_version(const struct machine *machine, char **error)
{
	char *command = xasprintf("%s --version 2>/dev/null", machine->binary);
	FILE *pipe = popen(command, "re");
	char version[32] = "";
	int found = 0, status = -1;

	free(command);
	if (pipe) {
		found = fscanf(pipe, "QEMU emulator version %31[0-9.]",
			       version);
		while (fgetc(pipe) != EOF)
			;
		status = pclose(pipe);
	}
	if (found == 1 && !status)
		return xasprintf("%s", version);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		*error = xasprintf("%s is not in PATH: install the package %s "
				   "(`make deps` does)",
				   machine->binary, machine->package);
	else
		*error = xasprintf("%s --version does not answer as QEMU does",
				   machine->binary);
	return NULL;
}

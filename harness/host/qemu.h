/* SPDX-License-Identifier: GPL-2.0 */
/*
 * QEMU's command line for a guest, from one table of machines.
 */
#ifndef RECLAIMLAB_HOST_QEMU_H
#define RECLAIMLAB_HOST_QEMU_H

#include <stdbool.h>

enum accel {
	ACCEL_TCG,
	ACCEL_KVM,
};

struct machine {
	const char *arch;    /* as recipes write it */
	const char *binary;  /* of QEMU */
	const char *package; /* of Debian, that has it */
	const char *type;    /* -machine */
	const char *cpu[2];  /* -cpu, by accelerator */
	const char *append;  /* words the kernel needs on this machine */
	const char *append_deterministic; /* more of them, "" if none */
	/* What puts chardev `record` into the machine, as a UART. */
	const char *record_option, *record_value;
};

struct qemu_setup {
	const struct machine *machine;
	enum accel accel;
	/* Time is counted in instructions: same inputs, same bytes. */
	bool deterministic;
	long long memory_mib;
	long long cpus;
	long long seed;
	/* More words for the kernel's command line, "" for none. */
	const char *recipe_append, *user_append;
};

/*
 * The files of a run. Any may be NULL but the kernel and the console: QEMU then
 * does not hear of it.
 */
struct qemu_files {
	const char *kernel;
	const char *initramfs;
	const char *job;
	const char *arm;
	const char *console; /* written: kernel log */
	const char *stream;  /* written: records */
};

/* The names that stand for the files in a record. */
extern const struct qemu_files qemu_role_names;

/**
 * machine_find() - the machine for an architecture, or NULL.
 */
const struct machine *machine_find(const char *arch);

/**
 * machine_archs() - all architectures, with a blank between; to be freed.
 */
char *machine_archs(void);

const char *accel_word(enum accel accel);

/**
 * qemu_command() - the argument vector, argv[0] first, NULL last; to be freed
 * by qemu_command_free().
 */
char **qemu_command(const struct qemu_setup *setup,
		    const struct qemu_files *files);

void qemu_command_free(char **argv);

/**
 * qemu_version() - ask the binary for its version, "7.2.22".
 *
 * Return: the version, to be freed, or NULL with @error set to one line.
 */
char *qemu_version(const struct machine *machine, char **error);

#endif

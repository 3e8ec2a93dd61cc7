// SPDX-License-Identifier: GPL-2.0
#include "accel.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boot.h"
#include "interrupt.h"
#include "util.h"
#include "workdir.h"

/* Hardware boots a kernel to its first panic in less than a second. */
#define PROBE_SECONDS 15

/* Without an initramfs or a disk the kernel boots, panics and QEMU exits. */
static bool boots(const struct accel_probe *probe, const struct workdir *dir)
{
	char *console = workdir_file(dir, "console");
	char *errors = workdir_file(dir, "errors");
	struct qemu_setup setup = {
		.machine = probe->machine,
		.accel = ACCEL_KVM,
		.memory_mib = 256,
		.cpus = 1,
		.seed = 1,
		.recipe_append = "",
		.user_append = "",
	};
	struct qemu_files files = { .kernel = probe->kernel,
				    .console = console };
	struct boot_watch watch = {
		.console = console,
		.errors = errors,
		.silence_s = PROBE_SECONDS,
		.timeout_s = PROBE_SECONDS,
	};
	char **argv = qemu_command(&setup, &files);
	struct boot_result result;
	char *log;
	bool good;

	boot_run(argv, &watch, &result);
	log = read_file(console, NULL);
	good = result.end == BOOT_EXITED && !result.status && log &&
	       strstr(log, "Linux version");
	free(log);
	qemu_command_free(argv);
	free(errors);
	free(console);
	return good;
}

/* The answer holds for this boot of the host, as this user, with this image. */
static char *answer_path(const struct accel_probe *probe)
{
	char *boot = read_file("/proc/sys/kernel/random/boot_id", NULL);
	char *facts = xasprintf("%s %s %s %s %d", probe->machine->arch,
				probe->qemu, probe->kernel_sha256,
				boot ? boot : "",
				access("/dev/kvm", R_OK | W_OK));
	char hex[65], *path;

	sha256_text(facts, strlen(facts), hex);
	path = xasprintf("%s/accel/%s", probe->cache, hex);
	free(facts);
	free(boot);
	return path;
}

static int make_probe(const struct accel_probe *probe, const char *path,
		      bool *works, char **error)
{
	char *parent = xasprintf("%s/accel", probe->cache);
	struct workdir dir;

	if (make_directory(parent) || workdir_make(probe->cache, &dir)) {
		*error = xasprintf("cannot write in %s: %s", probe->cache,
				   strerror(errno));
		free(parent);
		return -1;
	}
	free(parent);
	*works = boots(probe, &dir);
	workdir_remove(&dir);
	if (interrupted()) {
		*error = xasprintf("interrupted");
		return -1;
	}
	/* A lost answer costs another probe. */
	write_file(path, *works ? "yes\n" : "no\n", *works ? 4 : 3);
	return 0;
}

static int kvm_works(const struct accel_probe *probe, bool *works, char **error)
{
	char *path, *answer;
	int err = 0;

	*works = false;
	if (access("/dev/kvm", F_OK))
		return 0;
	path = answer_path(probe);
	answer = read_file(path, NULL);
	if (answer)
		*works = !strcmp(answer, "yes\n");
	else
		err = make_probe(probe, path, works, error);
	free(answer);
	free(path);
	return err;
}

int accel_choose(const char *word, const struct accel_probe *probe,
		 enum accel *accel, char **error)
{
	bool works;

	*accel = ACCEL_TCG;
	if (!strcmp(word, "tcg"))
		return 0;
	if (strcmp(word, "kvm") && strcmp(word, "auto")) {
		*error = xasprintf("accelerator %s is not one of: tcg kvm auto",
				   word);
		return -1;
	}
	if (kvm_works(probe, &works, error))
		return -1;
	if (works) {
		*accel = ACCEL_KVM;
	} else if (!strcmp(word, "kvm")) {
		*error = xasprintf("kvm does not work here: no guest boots "
				   "under it; use --accel tcg");
		return -1;
	}
	return 0;
}

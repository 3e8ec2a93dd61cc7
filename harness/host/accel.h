/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which accelerator works? /dev/kvm can be there, open, and create machines
 * that never execute an instruction; so a guest is booted under it.
 */
#ifndef RECLAIMLAB_HOST_ACCEL_H
#define RECLAIMLAB_HOST_ACCEL_H

#include "qemu.h"

/* The fixed facts of a choice. */
struct accel_probe {
	const struct machine *machine;
	const char *qemu;   /* version */
	const char *kernel; /* image, and its hash */
	const char *kernel_sha256;
	const char *cache; /* directory; keeps the answer until a reboot */
};

/**
 * accel_choose() - turn "tcg", "kvm" or "auto" into an accelerator.
 * @error: on failure one line, to be freed.
 *
 * "auto" is kvm when it works. May take a quarter of a minute, once.
 *
 * Return: 0, or -1 when the word is none of the three, when kvm is asked for
 * and does not work, or when no probe can be made.
 */
int accel_choose(const char *word, const struct accel_probe *probe,
		 enum accel *accel, char **error);

#endif

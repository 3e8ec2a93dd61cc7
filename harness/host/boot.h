/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Start one QEMU, or what else does a run, watch it, see it end. No way out of
 * boot_run() leaves it behind, and the kernel ends it when this process is killed.
 */
#ifndef RECLAIMLAB_HOST_BOOT_H
#define RECLAIMLAB_HOST_BOOT_H

enum boot_end {
	BOOT_EXITED,	  /* by itself, see status */
	BOOT_SIGNALED,	  /* somebody else killed it, see status */
	BOOT_NOT_STARTED, /* status is an errno */
	BOOT_SILENT,
	BOOT_TIMEOUT,
	BOOT_FLOOD,
	BOOT_INTERRUPTED, /* we were asked to stop */
};

struct boot_watch {
	const char *console; /* files that QEMU writes */
	const char *stream;  /* may be NULL */
	const char *errors;  /* receives QEMU's own stdout and stderr */
	double silence_s;    /* neither file grew for so long */
	double timeout_s;
	/*
	 * Ends it before its time; 0: SIGKILL. Another one only for a program
	 * that then ends by itself.
	 */
	int end_signal;
};

/* Of the console; more is a guest gone wild. */
#define CONSOLE_BYTES_MAX (8 << 20)

struct boot_result {
	enum boot_end end;
	int status; /* exit status, signal or errno */
	double seconds;
	double first_record_s; /* until the stream began; 0 if it did not */
};

/**
 * boot_run() - run a QEMU to its end, or to ours.
 */
void boot_run(char *const *argv, const struct boot_watch *watch,
	      struct boot_result *result);

/**
 * seconds_now() - the host's monotonic clock.
 */
double seconds_now(void);

#endif

// SPDX-License-Identifier: GPL-2.0
#include "boot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "interrupt.h"
#include "reading.h"

#define TICK_MS 100

double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/*
 * In the child. A group of its own, so that Ctrl-C at the terminal reaches QEMU
 * through us only: by itself it would power the guest off and exit with 0.
 */
__attribute__((noreturn)) static void become_qemu(char *const *argv,
						  const char *errors,
						  int end_signal, int fail,
						  pid_t parent)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int log = open(errors, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int error;

	interrupt_reset();
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, end_signal);
	if (getppid() != parent)
		_exit(1);
	if (log >= 0 && null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(log, STDOUT_FILENO);
		dup2(log, STDERR_FILENO);
		execvp(argv[0], argv);
	}
	error = errno;
	if (write(fail, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

/* Return: the process, or -1 with errno set. */
static pid_t start(char *const *argv, const char *errors, int end_signal)
{
	pid_t parent = getpid(), pid;
	int fail[2], error = 0;

	if (pipe2(fail, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid)
		become_qemu(argv, errors, end_signal, fail[1], parent);
	if (pid < 0)
		error = errno;
	close(fail[1]);
	/* The end of the file comes with the exec. */
	while (pid > 0) {
		ssize_t n = read(fail[0], &error, sizeof(error));

		if (n < 0 && errno == EINTR)
			continue;
		if (n == sizeof(error)) {
			waitpid(pid, NULL, 0);
			pid = -1;
		}
		break;
	}
	close(fail[0]);
	errno = error;
	return pid;
}

static long long file_size(const char *path)
{
	struct stat status;

	return path && !stat(path, &status) ? (long long)status.st_size : 0;
}

/* What has been seen of a guest so far; times of seconds_now(). */
struct progress {
	double started, grew_at;
	long long size; /* of both files */
};

/* Return: whether the guest must be ended now, and why in @result. */
static int look(const struct boot_watch *watch, struct progress *seen,
		struct boot_result *result)
{
	long long console = file_size(watch->console);
	long long stream = file_size(watch->stream);
	double now = seconds_now();

	if (console + stream != seen->size)
		seen->grew_at = now;
	seen->size = console + stream;
	if (stream && !result->first_record_s)
		result->first_record_s = now - seen->started;

	if (interrupted())
		result->end = BOOT_INTERRUPTED;
	else if (console > CONSOLE_BYTES_MAX || stream > STREAM_BYTES_MAX)
		result->end = BOOT_FLOOD;
	else if (now - seen->started > watch->timeout_s)
		result->end = BOOT_TIMEOUT;
	else if (now - seen->grew_at > watch->silence_s)
		result->end = BOOT_SILENT;
	else
		return 0;
	return 1;
}

static int has_ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       info.si_pid;
}

static void reap(pid_t pid, struct boot_result *result)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (result->end != BOOT_EXITED)
		return;
	/* It may have ended because we were asked to. */
	if (interrupted()) {
		result->end = BOOT_INTERRUPTED;
	} else if (WIFSIGNALED(status)) {
		result->end = BOOT_SIGNALED;
		result->status = WTERMSIG(status);
	} else {
		result->status = WEXITSTATUS(status);
	}
}

void boot_run(char *const *argv, const struct boot_watch *watch,
	      struct boot_result *result)
{
	int end_signal = watch->end_signal ? watch->end_signal : SIGKILL;
	double started = seconds_now();
	struct progress seen = { .started = started, .grew_at = started };
	struct pollfd ended = { .events = POLLIN };
	pid_t pid;

	*result = (struct boot_result){ .end = BOOT_EXITED };
	pid = start(argv, watch->errors, end_signal);
	if (pid < 0) {
		result->end = BOOT_NOT_STARTED;
		result->status = errno;
		return;
	}
	ended.fd = pidfd_open(pid, 0);
	do {
		/* Without pidfd_open(2) (before 5.3) this is only a nap. */
		poll(&ended, 1, TICK_MS);
		if (has_ended(pid))
			break;
	} while (!look(watch, &seen, result));

	kill(pid, end_signal);
	reap(pid, result);
	if (ended.fd >= 0)
		close(ended.fd);
	result->seconds = seconds_now() - started;
}

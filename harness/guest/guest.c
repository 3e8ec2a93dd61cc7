// SPDX-License-Identifier: GPL-2.0
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "native.h"

/* Shared with every child, so that the last words of one reach init. */
static struct last_words {
	char text[256];
} * last_words;

/* The process that ends the run, and how. */
static pid_t chief;
static void (*end_run)(const char *reason);

void fail_setup(void (*end)(const char *reason))
{
	chief = getpid();
	end_run = end;
	if (last_words)
		return;
	last_words = mmap(NULL, sizeof(*last_words), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (last_words == MAP_FAILED) {
		last_words = NULL;
		fail("cannot map a page of shared memory");
	}
}

void fail(const char *fmt, ...)
{
	char text[sizeof(last_words->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);

	if (getpid() == chief)
		end_run(text);
	if (last_words && !last_words->text[0])
		memcpy(last_words->text, text, sizeof(text));
	_exit(1);
}

pid_t fork_child(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	/* Natively init can be killed, and must not leave anybody behind. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	return 0;
}

const char *fail_of_child(void)
{
	return last_words && last_words->text[0] ? last_words->text : NULL;
}

void say(const char *fmt, ...)
{
	char line[512];
	size_t len;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	len = strlen(line);
	line[len++] = '\n';
	if (write(is_native() ? STDERR_FILENO : STDOUT_FILENO, line, len) < 0)
		return; /* nobody listens, and nothing depends on it */
}

__attribute__((format(printf, 2, 0))) static int
write_text_va(const char *path, const char *fmt, va_list ap)
{
	char text[256];
	int len = vsnprintf(text, sizeof(text), fmt, ap);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;
	int error;

	if (fd < 0)
		return -1;
	n = write(fd, text, (size_t)len);
	error = errno;
	close(fd);
	errno = error;
	return n == len ? 0 : -1;
}

int write_text(const char *path, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = write_text_va(path, fmt, ap);
	va_end(ap);
	return ret;
}

void must_write_text(const char *path, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = write_text_va(path, fmt, ap);
	va_end(ap);
	if (ret)
		fail("cannot write %s: %s", path, strerror(errno));
}

long read_text(const char *path, char *buffer, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = -1;

	buffer[0] = '\0';
	if (fd < 0)
		return -1;
	while (len < size && (n = read(fd, buffer + len, size - len)) > 0)
		len += (size_t)n;
	close(fd);
	if (n < 0 || len == size) {
		if (n >= 0)
			errno = EFBIG;
		buffer[0] = '\0';
		return -1;
	}
	buffer[len] = '\0';
	return (long)len;
}

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

// SPDX-License-Identifier: GPL-2.0
#include "psi.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void psi_path(const struct memcg *memcg, const char *resource, char *path,
	      size_t size)
{
	if (memcg)
		snprintf(path, size, "%s/%s.pressure", memcg->dir, resource);
	else
		snprintf(path, size, "/proc/pressure/%s", resource);
}

/* Return: whether there is anything; NUL-terminated. */
static bool read_pressure(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	if (n < 0) {
		int err = errno;

		close(fd);
		errno = err;
		return false;
	}
	close(fd);
	text[n] = '\0';
	return true;
}

const char *psi_missing(const char *path)
{
	char text[1024];

	if (read_pressure(path, text, sizeof(text)))
		return strstr(text, "some ")
			       ? NULL
			       : "a pressure file without a line \"some\"";
	if (errno == EOPNOTSUPP)
		return "no PSI: it is switched off (boot with psi=1)";
	return "no PSI in this kernel (CONFIG_PSI), or not for cgroups";
}

long psi_total(const char *path, const char *line)
{
	size_t len = strlen(line);
	char text[1024], *at, *total;

	if (!read_pressure(path, text, sizeof(text)))
		return -1;
	for (at = strtok(text, "\n"); at; at = strtok(NULL, "\n")) {
		if (strncmp(at, line, len) || at[len] != ' ')
			continue;
		total = strstr(at, " total=");
		return total ? atol(total + strlen(" total=")) : -1;
	}
	return -1;
}

void psi_stay(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

void psi_settle(void)
{
	long end = monotonic_ms() + 2 * PSI_JIFFY_MS;

	while (monotonic_ms() < end)
		;
}

long monotonic_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int psi_open(const char *path)
{
	return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

int psi_arm(int fd, const char *trigger)
{
	char text[64];
	int len = snprintf(text, sizeof(text), "%s\n", trigger);

	return psi_write(fd, text, len);
}

int psi_write(int fd, const char *text, size_t len)
{
	return write(fd, text, len) == (ssize_t)len ? 0 : -1;
}

enum psi_event psi_poll(int fd, int wait_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLPRI };

	if (poll(&poll_fd, 1, wait_ms) <= 0)
		return PSI_NOTHING;
	if (poll_fd.revents & POLLERR)
		return PSI_GONE;
	return poll_fd.revents & POLLPRI ? PSI_EVENT : PSI_NOTHING;
}

bool psi_armed(int fd)
{
	return psi_poll(fd, 0) != PSI_GONE;
}

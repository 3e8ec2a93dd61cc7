// SPDX-License-Identifier: GPL-2.0
/*
 * A host that is busy in the worst way, to be preloaded into QEMU: the main loop
 * wakes up for nothing some ten thousand times a second, and every other thread
 * stops as often, wherever it happens to be. What a guest does must not depend
 * on it.
 *
 * How often it disturbed is written to the file $RESTLESS_COUNT at the end, so
 * that a test can tell that it was at work.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WAKE_NS 5000
#define PAUSE_EVERY_NS 100000
#define PAUSE_NS 20000
#define PAUSE_SIGNAL (SIGRTMAX - 3)

static unsigned int wakes, pauses;

static bool is_qemu(void)
{
	return !strncmp(program_invocation_short_name, "qemu-system-", 12);
}

static void *next(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
	  const sigset_t *mask)
{
	static const struct timespec soon = { .tv_nsec = WAKE_NS };
	typeof(ppoll) *real = next("ppoll");

	if (is_qemu() &&
	    (!timeout || timeout->tv_sec || timeout->tv_nsec > WAKE_NS)) {
		timeout = &soon;
		wakes++;
	}
	return real(fds, n, timeout, mask);
}

static void pause_here(int signal)
{
	static const struct timespec time = { .tv_nsec = PAUSE_NS };
	int saved = errno;

	(void)signal;
	nanosleep(&time, NULL);
	pauses++;
	errno = saved;
}

static void pause_again_and_again(void)
{
	struct sigaction action = { .sa_handler = pause_here,
				    .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
				  .sigev_signo = PAUSE_SIGNAL };
	struct itimerspec when = { { .tv_nsec = PAUSE_EVERY_NS },
				   { .tv_nsec = PAUSE_EVERY_NS } };
	sigset_t set;
	timer_t timer;

	event._sigev_un._tid = gettid();
	sigemptyset(&set);
	sigaddset(&set, PAUSE_SIGNAL);
	if (sigaction(PAUSE_SIGNAL, &action, NULL) ||
	    pthread_sigmask(SIG_UNBLOCK, &set, NULL) ||
	    timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &when, NULL))
		abort();
}

struct start {
	void *(*function)(void *);
	void *argument;
};

static void *start(void *data)
{
	struct start from = *(struct start *)data;

	free(data);
	pause_again_and_again();
	return from.function(from.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		   void *(*function)(void *), void *argument)
{
	typeof(pthread_create) *real = next("pthread_create");
	struct start *from;

	if (!is_qemu())
		return real(thread, attr, function, argument);
	from = malloc(sizeof(*from));
	if (!from)
		return EAGAIN;
	*from = (struct start){ function, argument };
	return real(thread, attr, start, from);
}

__attribute__((destructor)) static void tell(void)
{
	const char *path = getenv("RESTLESS_COUNT");
	FILE *file = path && is_qemu() ? fopen(path, "we") : NULL;

	if (!file)
		return;
	fprintf(file, "%u %u\n", wakes, pauses);
	fclose(file);
}

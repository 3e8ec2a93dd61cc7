// SPDX-License-Identifier: GPL-2.0
#include "interrupt.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "util.h"

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

static volatile sig_atomic_t came;

static void mark(int number)
{
	came = number;
}

/* Without SA_RESTART: waiting calls must return. */
void interrupt_setup(void)
{
	struct sigaction action = { .sa_handler = mark };

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		struct sigaction old;

		/* Leave alone what nohup or a background shell set. */
		sigaction(signals[i], NULL, &old);
		if (old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

void interrupt_reset(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_DFL);
}

int interrupted(void)
{
	return came;
}

void interrupt_die(void)
{
	signal(came, SIG_DFL);
	raise(came);
	_exit(128 + came);
}

void nap(int ms)
{
	poll(NULL, 0, ms);
}

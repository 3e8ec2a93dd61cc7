// SPDX-License-Identifier: GPL-2.0
#include "sampler.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "counters.h"
#include "guest.h"
#include "native.h"

static void send_names(struct rl_writer *w)
{
	const struct counter *c;

	for (size_t id = 0; (c = counter_get(id)); id++) {
		if (c->named)
			continue;
		rl_line_start(w, RL_NAME);
		rl_line_add(w, "%zu", id);
		rl_line_add(w, "%s", c->name);
		rl_line_finish(w);
		counter_set_named(id);
	}
}

static void send_sample(struct rl_writer *w, uint64_t us)
{
	const struct counter *c;

	rl_line_start(w, RL_SAMPLE);
	rl_line_add(w, "%llu", (unsigned long long)us);
	for (size_t id = 0; (c = counter_get(id)); id++) {
		if (!c->changed)
			continue;
		rl_line_add(w, "%zu=%lld", id, (long long)c->value);
		counter_clear_changed(id);
	}
	rl_line_finish(w);
}

/* All reading comes first: the counters belong to one instant. */
static void sample(struct rl_writer *w, const char *phase)
{
	uint64_t us = now_ns() / 1000;

	counters_read();
	send_names(w);
	if (phase) {
		rl_line_start(w, RL_PHASE);
		rl_line_add(w, "%llu", (unsigned long long)us);
		rl_line_add(w, "%s", phase);
		rl_line_finish(w);
	}
	send_sample(w, us);
}

static void obey(struct rl_writer *w, const struct sampler_command *command)
{
	switch (command->type) {
	case RL_PHASE:
		sample(w, command->word);
		break;
	case RL_OBS:
		rl_line_start(w, RL_OBS);
		rl_line_add(w, "%s", command->word);
		rl_line_add(w, "%lld", (long long)command->value);
		rl_line_finish(w);
		break;
	case RL_NOTE:
		rl_line_start(w, RL_NOTE);
		rl_line_add(w, "%s", command->word);
		rl_line_finish(w);
		break;
	default:
		break;
	}
}

/*
 * A timer at absolute instants: a sample that comes late does not move the ones
 * after it, and both arms of a comparison are sampled at the same instants.
 */
static int timer_start(uint64_t sample_ms)
{
	uint64_t step = sample_ms * NSEC_PER_MSEC;
	uint64_t first = (now_ns() / step + 1) * step;
	struct itimerspec when = {
		.it_value = { .tv_sec = (time_t)(first / NSEC_PER_SEC),
			      .tv_nsec = (long)(first % NSEC_PER_SEC) },
		.it_interval = { .tv_sec = (time_t)(step / NSEC_PER_SEC),
				 .tv_nsec = (long)(step % NSEC_PER_SEC) },
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	if (fd < 0 || timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL))
		fail("cannot start the sampler's timer: %s", strerror(errno));
	return fd;
}

/*
 * Locked, so that it is never a part of the memory pressure it reports;
 * real-time, so that an instant is an instant.
 */
static void settle(void)
{
	struct sched_param param = { .sched_priority = 1 };

	/* Natively that it cannot be is noted already. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE) && !is_native())
		fail("cannot lock the sampler in memory: %s", strerror(errno));
	if (sched_setscheduler(0, SCHED_FIFO, &param) && !is_native())
		fail("cannot make the sampler real-time: %s", strerror(errno));
}

void sampler_main(const struct sampler_link *link, struct rl_writer *writer,
		  uint64_t sample_ms)
{
	enum { COMMAND, TIMER };
	struct sampler_command command = { .type = RL_BEGIN };
	struct pollfd fds[] = {
		[COMMAND] = { .fd = link->command, .events = POLLIN },
		[TIMER] = { .fd = -1, .events = POLLIN },
	};
	uint64_t ticks;

	settle();
	counters_open();
	if (sample_ms)
		fds[TIMER].fd = timer_start(sample_ms);

	while (command.type != RL_END) {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0)
			continue;
		if (fds[TIMER].revents &&
		    read(fds[TIMER].fd, &ticks, sizeof(ticks)) > 0)
			sample(writer, NULL);
		if (fds[COMMAND].revents) {
			if (read(link->command, &command, sizeof(command)) !=
			    sizeof(command))
				fail("the sampler lost init");
			obey(writer, &command);
			if (writer->failed)
				fail("a record is too long or the port fails");
			if (write(link->answer, "", 1) != 1)
				fail("the sampler cannot answer init");
		}
	}
	_exit(0);
}

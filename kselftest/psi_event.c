// SPDX-License-Identifier: GPL-2.0
/*
 * When the triggers for pressure stall information fire, and when they do not
 * (Documentation/accounting/psi.rst).
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/memcg.h"
#include "lib/privilege.h"
#include "lib/psi.h"
#include "lib/refault.h"

/* Windows of 2 s are for everybody. */
#define GOOD "some 150000 2000000"

/* Children tell by their exit status. */
enum said {
	SAID_YES,
	SAID_REFUSED, /* by permission */
	SAID_NOTHING, /* in time */
};

/* Pages that are read one by one, and a stall of a tenth of a short window. */
#define READS 128
#define FEW_READS 8
#define WINDOW_MS 500L
#define STALL_US 50000L
#define EVENTS 3
#define PATIENCE_MS 10000

FIXTURE(event)
{
	struct memcg cg;
	struct refault refault;
	char path[600];
	int fd;
};

FIXTURE_VARIANT(event)
{
	const char *line;
	const char *trigger;
};

FIXTURE_VARIANT_ADD(event, some)
{
	.line = "some", .trigger = "some 50000 500000",
};

FIXTURE_VARIANT_ADD(event, full)
{
	.line = "full", .trigger = "full 50000 500000",
};

FIXTURE_SETUP(event)
{
	const char *why = memcg_enter(&self->cg);

	psi_stay();
	self->fd = -1;
	self->refault = (struct refault)REFAULT_NONE;
	if (!why) {
		psi_path(&self->cg, "memory", self->path, sizeof(self->path));
		why = psi_missing(self->path);
	}
	if (!why)
		why = refault_start(&self->refault, READS);
	if (!why && !has_capability(CAP_SYS_RESOURCE))
		why = "no CAP_SYS_RESOURCE, hence no window below 2 s";
	if (why)
		SKIP(return, "%s", why);
	self->fd = psi_open(self->path);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, psi_arm(self->fd, variant->trigger));
}

FIXTURE_TEARDOWN(event)
{
	if (self->fd >= 0)
		close(self->fd);
	refault_end(&self->refault);
	memcg_leave(&self->cg);
}

/*
 * A stall of twice the threshold at once, and time for the event.
 *
 * Return: whether it has to come: not if there were long pauses in the stall.
 */
static bool burst(struct refault *refault, const char *path, const char *line,
		  int fd, enum psi_event *event)
{
	long begin = monotonic_ms();
	long grown = refault_until(refault, path, line, 2 * STALL_US);
	bool dense = grown >= 2 * STALL_US &&
		     monotonic_ms() - begin <= WINDOW_MS / 2;

	*event = psi_poll(fd, dense ? 4 * WINDOW_MS : 0);
	return dense;
}

/*
 * M5: it fires when the stall within a window exceeds the threshold. Three times
 * it may miss one: a monitor that is itself late for a window starts anew.
 */
TEST_F(event, comes_when_the_stall_exceeds_the_threshold)
{
	long before = psi_total(self->path, variant->line);
	enum psi_event event = PSI_NOTHING;
	int missed = 0;

	for (int i = 0; i < 5 && missed < 3 && event != PSI_EVENT; i++)
		missed += burst(&self->refault, self->path, variant->line,
				self->fd, &event) &&
			  event != PSI_EVENT;
	if (event != PSI_EVENT && missed < 3)
		SKIP(return, "stalls above the threshold could not be made");
	EXPECT_EQ(PSI_EVENT, event);
	EXPECT_LE(STALL_US, psi_total(self->path, variant->line) - before);
}

/* M5: and not before that, however long one waits. */
TEST_F(event, does_not_come_below_the_threshold)
{
	long before = psi_total(self->path, variant->line), grown;
	enum psi_event event;

	self->refault.nr = FEW_READS;
	refault_until(&self->refault, self->path, variant->line, 1);
	self->refault.nr = READS;
	event = psi_poll(self->fd, 2 * WINDOW_MS);
	grown = psi_total(self->path, variant->line) - before;
	if (grown <= 0 || grown >= STALL_US)
		SKIP(return, "a stall of %ld us is not what was wanted", grown);
	EXPECT_EQ(PSI_NOTHING, event);
}

/* M5: there is no event without growth of "total". */
TEST_F(event, does_not_come_without_stall)
{
	long before = psi_total(self->path, variant->line);
	enum psi_event event = psi_poll(self->fd, 2 * WINDOW_MS);

	if (psi_total(self->path, variant->line) != before)
		SKIP(return, "the cgroup stalled by itself");
	EXPECT_EQ(PSI_NOTHING, event);
}

/* M5: however long the stall, there is one event in a window at most. */
TEST_F(event, comes_once_in_a_window)
{
	long before = psi_total(self->path, variant->line);
	long begin = monotonic_ms(), end = begin + 20 * WINDOW_MS, now = begin;
	long events = 0;

	while (events < EVENTS && now < end &&
	       refault_until(&self->refault, self->path, variant->line, 1) > 0) {
		events += psi_poll(self->fd, 0) == PSI_EVENT;
		now = monotonic_ms();
	}
	if (psi_total(self->path, variant->line) - before <=
	    (now - begin) * 400)
		SKIP(return, "two fifths of the time could not be stalled");
	EXPECT_EQ(EVENTS, events);
	/* The first may come at once. */
	EXPECT_LE((events - 1) * WINDOW_MS, now - begin + 1);
}

FIXTURE(source)
{
	struct memcg cg;
	int fd;
};

FIXTURE_SETUP(source)
{
	const char *why = memcg_make(&self->cg, "-gone");
	char path[600];

	self->fd = -1;
	if (!why) {
		psi_path(&self->cg, "memory", path, sizeof(path));
		why = psi_missing(path);
	}
	if (why)
		SKIP(return, "%s", why);
	self->fd = psi_open(path);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, psi_arm(self->fd, GOOD));
	ASSERT_EQ(PSI_NOTHING, psi_poll(self->fd, 0));
}

FIXTURE_TEARDOWN(source)
{
	if (self->fd >= 0)
		close(self->fd);
	memcg_remove(&self->cg);
}

/* M5: when the cgroup is removed, its trigger says that it is gone. */
TEST_F(source, removed_is_an_error)
{
	memcg_remove(&self->cg);
	EXPECT_EQ(PSI_GONE, psi_poll(self->fd, PATIENCE_MS));
	EXPECT_EQ(-1, psi_arm(self->fd, GOOD));
	EXPECT_EQ(ENODEV, errno);
}

/* M5: he who sleeps on it is woken. */
TEST_F(source, removed_wakes_those_who_wait)
{
	int status;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid)
		_exit(psi_poll(self->fd, PATIENCE_MS) == PSI_GONE
			      ? SAID_YES
			      : SAID_NOTHING);
	/* Long enough to be asleep; if it is not, it is the case above. */
	usleep(100000);
	memcg_remove(&self->cg);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(SAID_YES, WEXITSTATUS(status));
}

FIXTURE(nobody)
{
	struct memcg cg;
	struct refault refault;
	char path[600];
};

FIXTURE_SETUP(nobody)
{
	const char *why = memcg_enter(&self->cg);

	self->refault = (struct refault)REFAULT_NONE;
	if (!why) {
		psi_path(&self->cg, "memory", self->path, sizeof(self->path));
		why = psi_missing(self->path);
	}
	if (!why && chown(self->path, NOBODY, -1))
		why = "no permission to give a pressure file away";
	if (!why)
		why = refault_start(&self->refault, READS);
	if (why)
		SKIP(return, "%s", why);
}

FIXTURE_TEARDOWN(nobody)
{
	refault_end(&self->refault);
	memcg_leave(&self->cg);
}

/* Arms, says so by a byte, waits. */
static pid_t waiting_child(const char *path, int ready)
{
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	if (!drop_privilege())
		_exit(SAID_REFUSED);
	fd = psi_open(path);
	if (fd < 0 || psi_arm(fd, GOOD))
		_exit(SAID_REFUSED);
	if (write(ready, "", 1) != 1)
		_exit(SAID_REFUSED);
	close(ready);
	_exit(psi_poll(fd, PATIENCE_MS) == PSI_EVENT ? SAID_YES
						     : SAID_NOTHING);
}

/* M5: the trigger of somebody without privilege fires as well. */
TEST_F(nobody, gets_an_event)
{
	long before, begin, grown;
	int ready[2], status = 0;
	char byte;
	pid_t pid;

	if (refault_until(&self->refault, self->path, "some", STALL_US) <
	    STALL_US)
		SKIP(return, "no stall could be made");
	ASSERT_EQ(0, pipe(ready));
	pid = waiting_child(self->path, ready[1]);
	ASSERT_LT(0, pid);
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1) {
		waitpid(pid, NULL, 0);
		SKIP(return, "kernel without triggers for all (6.5)");
	}
	before = psi_total(self->path, "some");
	begin = monotonic_ms();
	/*
	 * More than the threshold in any window, until the child has its event.
	 * Nobody reads: whoever does when the averages are due takes the work
	 * from the one who looks at such triggers (psi_show(), psi_avgs_work()).
	 */
	while (!waitpid(pid, &status, WNOHANG)) {
		refault_evict(&self->refault);
		refault_read(&self->refault);
	}
	grown = psi_total(self->path, "some") - before;
	if (grown < (monotonic_ms() - begin) * 400)
		SKIP(return, "two fifths of the time could not be stalled");
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(SAID_YES, WEXITSTATUS(status));
	EXPECT_LE(150000, grown);
}

#include "lib/main.h"

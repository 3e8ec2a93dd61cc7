// SPDX-License-Identifier: GPL-2.0
/*
 * What the triggers of pressure stall information promise: which are taken, when
 * they fire, and when they do not (Documentation/accounting/psi.rst).
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/memcg.h"
#include "lib/pages.h"
#include "lib/psi.h"
#include "lib/refault.h"

#define NOBODY 65534

/* Windows of 2 s are for everybody, hence used where time does not pass. */
#define GOOD "some 150000 2000000"

FIXTURE(trigger)
{
	struct memcg cg;
	char path[600];
	int fd;
};

FIXTURE_VARIANT(trigger)
{
	bool of_cgroup;
};

FIXTURE_VARIANT_ADD(trigger, machine)
{
	.of_cgroup = false,
};

FIXTURE_VARIANT_ADD(trigger, cgroup)
{
	.of_cgroup = true,
};

FIXTURE_SETUP(trigger)
{
	const char *why = NULL;

	self->fd = -1;
	self->cg.dir[0] = '\0';
	if (variant->of_cgroup)
		why = memcg_enter(&self->cg);
	psi_path(variant->of_cgroup ? &self->cg : NULL, "memory", self->path,
		 sizeof(self->path));
	if (!why)
		why = psi_missing(self->path);
	if (!why) {
		self->fd = psi_open(self->path);
		if (self->fd < 0)
			why = "no permission to make a trigger";
	}
	if (why)
		SKIP(return, "%s", why);
}

FIXTURE_TEARDOWN(trigger)
{
	if (self->fd >= 0)
		close(self->fd);
	memcg_leave(&self->cg);
}

/* M5: without a trigger there is nothing to wait for, with one there is. */
TEST_F(trigger, is_armed_by_a_write)
{
	EXPECT_FALSE(psi_armed(self->fd));
	EXPECT_EQ(0, psi_arm(self->fd, GOOD));
	EXPECT_TRUE(psi_armed(self->fd));
}

/* M5: what makes no sense is EINVAL, and arms nothing. */
TEST_F(trigger, refuses_what_makes_no_sense)
{
	static const char *const bad[] = {
		"",
		"garbage",
		"some",
		"some 150000",
		"none 150000 2000000",
		"150000 2000000",
		"some -150000 2000000",
		"some x 2000000",
		"some 150000 x",
		"some 0 2000000",
		"full 0 2000000",
		"some 150000 0",
		"some 2000001 2000000",
		"full 2000001 2000000",
		"some 150000 12000000",
		"full 150000 12000000",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		int err = psi_arm(self->fd, bad[i]) ? errno : 0;

		EXPECT_EQ(EINVAL, err)
		{
			TH_LOG("trigger \"%s\"", bad[i]);
		}
		EXPECT_FALSE(psi_armed(self->fd));
	}
	EXPECT_EQ(0, psi_arm(self->fd, GOOD));
}

/* M5: all that is documented is taken, to the edges. */
TEST_F(trigger, accepts_what_is_documented)
{
	static const char *const good[] = {
		GOOD,
		"full 150000 2000000",
		"some 1 2000000",
		"some 2000000 2000000",
		"some 150000 10000000",
		"full 10000000 10000000",
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		int fd = psi_open(self->path);

		ASSERT_LE(0, fd);
		EXPECT_EQ(0, psi_arm(fd, good[i]))
		{
			TH_LOG("trigger \"%s\": %s", good[i], strerror(errno));
		}
		EXPECT_TRUE(psi_armed(fd));
		close(fd);
	}
}

/* M5: a second trigger of the same open file is EBUSY, the first one stays. */
TEST_F(trigger, is_one_for_each_open_file)
{
	int other = psi_open(self->path);

	ASSERT_LE(0, other);
	ASSERT_EQ(0, psi_arm(self->fd, GOOD));
	EXPECT_EQ(-1, psi_arm(self->fd, GOOD));
	EXPECT_EQ(EBUSY, errno);
	EXPECT_TRUE(psi_armed(self->fd));
	EXPECT_EQ(0, psi_arm(other, GOOD));
	EXPECT_TRUE(psi_armed(other));
	close(other);
	EXPECT_TRUE(psi_armed(self->fd));
}

/*
 * M5: a newline or a NUL saves the last digit: without it this window would be
 * shorter than the stall.
 */
TEST_F(trigger, terminator_saves_the_last_digit)
{
	static const char text[] = "some 2000000 2000000";
	int other = psi_open(self->path);

	ASSERT_LE(0, other);
	EXPECT_EQ(0, psi_arm(self->fd, text));
	EXPECT_EQ(0, psi_write(other, text, sizeof(text)));
	close(other);
}

/*
 * M5: without one the files of the machine may lose it, and take another trigger
 * than was written; those of a cgroup are always read whole.
 */
TEST_F(trigger, without_terminator_is_whole_or_short_by_one)
{
	static const char refused_if_short[] = "some 2000000 2000000";
	static const char refused_if_whole[] = "some 2000000 20000000";
	bool is_short = psi_write(self->fd, refused_if_short,
				  strlen(refused_if_short));
	int other = psi_open(self->path);

	ASSERT_LE(0, other);
	EXPECT_EQ(is_short, !psi_write(other, refused_if_whole,
				       strlen(refused_if_whole)));
	EXPECT_EQ(is_short, psi_armed(other));
	EXPECT_EQ(is_short, !psi_armed(self->fd));
	if (variant->of_cgroup)
		EXPECT_FALSE(is_short);
	close(other);
}

/* Children tell by their exit status. */
enum said {
	SAID_YES,
	SAID_NO,
	SAID_REFUSED, /* by permission */
	SAID_NOTHING, /* in time */
};

/* To have no privilege, for good; true also for those who never had any. */
static bool drop_privilege(void)
{
	return geteuid() || (!setgid(NOBODY) && !setuid(NOBODY));
}

/* Is the trigger taken of somebody without privilege? */
static enum said unprivileged_arms(const char *path, const char *trigger)
{
	int status, fd;
	pid_t pid = fork();

	if (!pid) {
		if (!drop_privilege())
			_exit(SAID_REFUSED);
		fd = psi_open(path);
		if (fd < 0)
			_exit(SAID_REFUSED);
		if (psi_arm(fd, trigger))
			_exit(errno == EINVAL ? SAID_NO : SAID_REFUSED);
		_exit(psi_armed(fd) ? SAID_YES : SAID_NO);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return SAID_REFUSED;
	return WEXITSTATUS(status);
}

/* M5: without privilege the window has to be a multiple of 2 s. */
TEST(unprivileged_windows_are_multiples_of_two_seconds)
{
	static const struct {
		const char *trigger;
		enum said want;
	} rows[] = {
		{ "some 150000 2000000", SAID_YES },
		{ "full 150000 2000000", SAID_YES },
		{ "some 150000 10000000", SAID_YES },
		{ "some 150000 500000", SAID_NO },
		{ "some 150000 1000000", SAID_NO },
		{ "full 150000 1000000", SAID_NO },
		{ "some 150000 1999999", SAID_NO },
		{ "some 150000 2000001", SAID_NO },
		{ "some 150000 3000000", SAID_NO },
		{ "some 150000 12000000", SAID_NO },
	};
	static const char path[] = "/proc/pressure/memory";
	const char *why = psi_missing(path);

	if (!why && unprivileged_arms(path, GOOD) == SAID_REFUSED)
		why = "kernel without triggers for all (6.5), or not for us";
	if (why)
		SKIP(return, "%s", why);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		EXPECT_EQ(rows[i].want,
			  unprivileged_arms(path, rows[i].trigger))
		{
			TH_LOG("trigger \"%s\"", rows[i].trigger);
		}
	}
}

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
	if (!why)
		self->fd = psi_open(self->path);
	if (!why && psi_arm(self->fd, variant->trigger))
		why = "no privilege for windows of less than 2 s";
	if (why)
		SKIP(return, "%s", why);
}

FIXTURE_TEARDOWN(event)
{
	if (self->fd >= 0)
		close(self->fd);
	refault_end(&self->refault);
	memcg_leave(&self->cg);
}

/* M5: it fires when the stall within a window exceeds the threshold. */
TEST_F(event, comes_when_the_stall_exceeds_the_threshold)
{
	long before = psi_total(self->path, variant->line);
	long begin = monotonic_ms(), grown, took;

	grown = refault_until(&self->refault, self->path, variant->line,
			      2 * STALL_US);
	took = monotonic_ms() - begin;
	if (grown < 2 * STALL_US || took > WINDOW_MS / 2)
		SKIP(return, "a stall of only %ld us in %ld ms could be made",
		     grown, took);
	EXPECT_EQ(PSI_EVENT, psi_poll(self->fd, PATIENCE_MS));
	EXPECT_LE(STALL_US, psi_total(self->path, variant->line) - before);
}

/* M5: and not before that, however long one waits. */
TEST_F(event, does_not_come_below_the_threshold)
{
	long before = psi_total(self->path, variant->line), grown;

	self->refault.nr = FEW_READS;
	refault_until(&self->refault, self->path, variant->line, 1);
	self->refault.nr = READS;
	EXPECT_EQ(PSI_NOTHING, psi_poll(self->fd, 2 * WINDOW_MS));
	grown = psi_total(self->path, variant->line) - before;
	if (grown <= 0 || grown >= STALL_US)
		SKIP(return, "a stall of %ld us is not what was wanted",
		     grown);
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

	while (events < EVENTS && now < end) {
		refault_until(&self->refault, self->path, variant->line, 1);
		events += psi_poll(self->fd, 0) == PSI_EVENT;
		now = monotonic_ms();
	}
	if (psi_total(self->path, variant->line) - before < (now - begin) * 400)
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
	ASSERT_EQ(PSI_NOTHING, psi_poll(self->fd, 0));
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
	if (!why && chown(self->path, NOBODY, NOBODY))
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
	_exit(psi_poll(fd, 2 * PATIENCE_MS) == PSI_EVENT ? SAID_YES
							 : SAID_NOTHING);
}

/* M5: the trigger of somebody without privilege fires as well. */
TEST_F(nobody, gets_an_event)
{
	long before = psi_total(self->path, "some"), begin, grown;
	int ready[2], status = 0;
	char byte;
	pid_t pid;

	ASSERT_EQ(0, pipe(ready));
	pid = waiting_child(self->path, ready[1]);
	ASSERT_LT(0, pid);
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1) {
		waitpid(pid, NULL, 0);
		SKIP(return, "kernel without triggers for all (6.5)");
	}
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

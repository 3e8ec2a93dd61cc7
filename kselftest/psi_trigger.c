// SPDX-License-Identifier: GPL-2.0
/*
 * Which triggers for pressure stall information the kernel takes, and of whom
 * (Documentation/accounting/psi.rst).
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/memcg.h"
#include "lib/privilege.h"
#include "lib/psi.h"

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
	EXPECT_TRUE(psi_armed(self->fd));
	EXPECT_EQ(0, psi_write(other, text, sizeof(text)));
	EXPECT_TRUE(psi_armed(other));
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
};

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

#include "lib/main.h"

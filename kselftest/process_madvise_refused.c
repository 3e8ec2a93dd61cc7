// SPDX-License-Identifier: GPL-2.0
/*
 * What process_madvise(2) refuses: advice that could hurt the target, callers
 * without the right to it, targets that are none, and arguments that make no
 * sense; each time without an effect.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/pages.h"
#include "lib/privilege.h"
#include "lib/remote.h"

/* A child that cannot become what it should be. */
#define HELPLESS 255

FIXTURE(target)
{
	struct remote remote;
	unsigned char *area;
	struct iovec range;
};

FIXTURE_SETUP(target)
{
	const char *why = remote_missing();

	self->remote.pid = 0;
	self->area = MAP_FAILED;
	if (why)
		SKIP(return, "%s", why);
	self->area = map_alone(NR_PAGES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	madvise(self->area, NR_PAGES * page_size(), MADV_NOHUGEPAGE);
	self->range.iov_base = self->area;
	self->range.iov_len = NR_PAGES * page_size();
	ASSERT_EQ(0, remote_start(&self->remote));
	ASSERT_EQ(0, remote_ask(&self->remote, remote_fill, self->area, 0,
				NR_PAGES));
}

FIXTURE_TEARDOWN(target)
{
	remote_stop(&self->remote);
	unmap_alone(self->area, NR_PAGES);
}

#define ASK(question) \
	remote_ask(&self->remote, question, self->area, 0, NR_PAGES)

/* Nothing was done, and what was refused can be done: the target is as it was. */
#define EXPECT_UNTOUCHED() do { \
	EXPECT_EQ(kib(NR_PAGES), ASK(remote_referenced)); \
	EXPECT_EQ(kib(NR_PAGES), ASK(remote_rss)); \
	EXPECT_EQ(NONE, ASK(not_kept)); \
} while (0)

/* D8: advice that discards, changes what a fork does, or is unknown is EINVAL. */
TEST_F(target, refuses_what_could_hurt)
{
	static const int advices[] = {
		MADV_DONTNEED, MADV_FREE, MADV_REMOVE, MADV_DONTFORK,
		MADV_WIPEONFORK, MADV_DONTDUMP,
		24,  /* MADV_DONTNEED_LOCKED */
		102, /* MADV_GUARD_INSTALL */
		-1, 99, INT_MAX, MADV_COLD | 0x100
	};

	for (size_t i = 0; i < ARRAY_SIZE(advices); i++) {
		errno = 0;
		EXPECT_EQ(-1, process_madvise(self->remote.pidfd, &self->range,
					      1, advices[i], 0));
		EXPECT_EQ(EINVAL, errno)
		{
			TH_LOG("advice %d", advices[i]);
		}
	}
	EXPECT_UNTOUCHED();
}

/* D8: there are no flags yet. */
TEST_F(target, refuses_flags)
{
	static const unsigned int flags[] = { 1, 2, 1u << 31, UINT_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		errno = 0;
		EXPECT_EQ(-1, process_madvise(self->remote.pidfd, &self->range,
					      1, MADV_COLD, flags[i]));
		EXPECT_EQ(EINVAL, errno);
	}
	EXPECT_UNTOUCHED();
}

/* D8: a vector of more than IOV_MAX elements is EINVAL, and none of it is done. */
TEST_F(target, refuses_too_long_vectors)
{
	static const size_t counts[] = { IOV_MAX + 1, 4 * IOV_MAX, SIZE_MAX };
	static struct iovec ranges[4 * IOV_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		ranges[i] = self->range;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		errno = 0;
		EXPECT_EQ(-1, process_madvise(self->remote.pidfd, ranges,
					      counts[i], MADV_COLD, 0));
		EXPECT_EQ(EINVAL, errno);
	}
	EXPECT_UNTOUCHED();
}

/* D8: an empty vector is nothing to do, but advice that is none is still EINVAL. */
TEST_F(target, empty_vector_does_nothing)
{
	struct iovec empty = { .iov_base = self->area, .iov_len = 0 };
	int fd = self->remote.pidfd;

	EXPECT_EQ(0, process_madvise(fd, &self->range, 0, MADV_COLD, 0));
	EXPECT_EQ(0, process_madvise(fd, NULL, 0, MADV_COLD, 0));
	EXPECT_EQ(0, process_madvise(fd, &empty, 1, MADV_COLD, 0));
	EXPECT_EQ(-1, process_madvise(fd, NULL, 0, MADV_DONTNEED, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_UNTOUCHED();
}

/* D8: a vector that cannot be read whole is EFAULT, before anything is done. */
TEST_F(target, refuses_unreadable_vectors)
{
	unsigned char *page = map_alone(1, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct iovec *last;
	const struct {
		const struct iovec *vec;
		size_t count;
	} rows[] = {
		{ NULL, 1 },
		{ (struct iovec *)(page + page_size()), 1 },
		{ (struct iovec *)(page + page_size()) - 1, 2 },
		{ (struct iovec *)(page + page_size()) - 1, 9 },
		{ (struct iovec *)-1L, 1 },
	};

	ASSERT_NE(MAP_FAILED, (void *)page);
	last = (struct iovec *)(page + page_size()) - 1;
	*last = self->range;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		errno = 0;
		EXPECT_EQ(-1, process_madvise(self->remote.pidfd, rows[i].vec,
					      rows[i].count, MADV_COLD, 0));
		EXPECT_EQ(EFAULT, errno)
		{
			TH_LOG("row %zu", i);
		}
	}
	EXPECT_UNTOUCHED();
	/* The element itself is good. */
	EXPECT_EQ((ssize_t)last->iov_len,
		  process_madvise(self->remote.pidfd, last, 1, MADV_COLD, 0));
	unmap_alone(page, 1);
}

/* D8: what is no pidfd is EBADF. */
TEST_F(target, refuses_what_is_no_pidfd)
{
	int ends[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int fds[5];

	ASSERT_EQ(0, pipe(ends));
	fds[0] = -1;
	fds[1] = INT_MAX;
	fds[2] = null;
	fds[3] = ends[0];
	fds[4] = dup(null);
	close(fds[4]);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		errno = 0;
		EXPECT_EQ(-1, process_madvise(fds[i], &self->range, 1,
					      MADV_COLD, 0));
		EXPECT_EQ(EBADF, errno)
		{
			TH_LOG("descriptor %d", fds[i]);
		}
	}
	close(ends[0]);
	close(ends[1]);
	close(null);
	EXPECT_UNTOUCHED();
}

/* D8: a zombie has no memory any more: ESRCH. */
TEST_F(target, refuses_zombies)
{
	remote_kill(&self->remote);
	EXPECT_EQ(-1, remote_advise(&self->remote, self->area, 0, NR_PAGES,
				    MADV_COLD));
	EXPECT_EQ(ESRCH, errno);
}

/* D8: a process that was reaped is ESRCH, whoever has its pid now. */
TEST_F(target, refuses_the_dead)
{
	remote_kill(&self->remote);
	ASSERT_EQ(self->remote.pid, waitpid(self->remote.pid, NULL, 0));
	self->remote.pid = -1;
	EXPECT_EQ(-1, remote_advise(&self->remote, self->area, 0, NR_PAGES,
				    MADV_COLD));
	EXPECT_EQ(ESRCH, errno);
}

static bool drop_nice(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return false;
	data[0].effective &= ~(1u << CAP_SYS_NICE);
	return !syscall(SYS_capset, &header, data);
}

static bool stay(void)
{
	return true;
}

/* May the caller look at the target, by the same right that is asked for here? */
static bool may_look(pid_t pid)
{
	char path[64], byte;
	bool good;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	good = fd >= 0 && read(fd, &byte, 1) == 1;
	close(fd);
	return good;
}

/*
 * A child becomes somebody else, and advises the target, or its parent when
 * there is none. Return: its errno, 0 when it could, HELPLESS.
 */
static int child_advises(bool (*become)(void), const struct remote *remote,
			 const struct iovec *range, bool look)
{
	int status, pid = fork();

	if (!pid) {
		ssize_t ret;

		if (!become() || (look && !may_look(remote->pid)))
			_exit(HELPLESS);
		ret = process_madvise(remote->pidfd, range, 1, MADV_COLD, 0);
		_exit(ret == (ssize_t)range->iov_len ? 0 : errno);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return HELPLESS;
	return WEXITSTATUS(status);
}

/* EPERM says the manual, EACCES the kernel. */
static bool is_denial(int error)
{
	return error == EPERM || error == EACCES;
}

/* D8: who may not ptrace the target may not advise it; a child that is root may. */
TEST_F(target, others_users_may_not)
{
	int error = child_advises(drop_privilege, &self->remote, &self->range,
				  false);

	if (error == HELPLESS)
		SKIP(return, "no permission to become another user");
	EXPECT_TRUE(is_denial(error))
	{
		TH_LOG("error %d", error);
	}
	EXPECT_UNTOUCHED();
	EXPECT_EQ(0, child_advises(stay, &self->remote, &self->range, false));
	EXPECT_EQ(0, ASK(remote_referenced));
}

/* D8: nor may a process that dropped its rights advise its own parent. */
TEST_F(target, parents_may_not_be_advised)
{
	struct remote parent = {
		.pid = getpid(),
		.pidfd = syscall(SYS_pidfd_open, getpid(), 0),
	};
	int error;

	fill(self->area, NR_PAGES);
	error = child_advises(drop_privilege, &parent, &self->range, false);
	if (error == HELPLESS)
		SKIP(return, "no permission to become another user");
	EXPECT_TRUE(is_denial(error));
	EXPECT_EQ(kib(NR_PAGES), remote_referenced(self->area, 0, NR_PAGES));
	close(parent.pidfd);
}

/* D8: without CAP_SYS_NICE root may look at the target, but advice is EPERM. */
TEST_F(target, root_needs_cap_sys_nice)
{
	EXPECT_EQ(EPERM, child_advises(drop_nice, &self->remote, &self->range,
				       true));
	EXPECT_UNTOUCHED();
	EXPECT_EQ(0, child_advises(stay, &self->remote, &self->range, true));
	EXPECT_EQ(0, ASK(remote_referenced));
}

static long to_nobody(unsigned char *area, size_t from, size_t to)
{
	(void)area;
	(void)from;
	(void)to;
	/* Who changes users is not looked at by others of that user. */
	return !drop_privilege() || prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

/* D8: nor is it enough to be the same user, who may look at the target. */
TEST_F(target, the_same_user_needs_cap_sys_nice)
{
	if (ASK(to_nobody))
		SKIP(return, "no permission to become another user");
	EXPECT_EQ(EPERM, child_advises(drop_privilege, &self->remote,
				       &self->range, true));
	EXPECT_UNTOUCHED();
	EXPECT_EQ(0, child_advises(stay, &self->remote, &self->range, true));
	EXPECT_EQ(0, ASK(remote_referenced));
}

static long advise_oneself(unsigned char *area, size_t from, size_t to)
{
	struct remote oneself = {
		.pidfd = syscall(SYS_pidfd_open, getpid(), 0),
	};
	ssize_t ret = remote_advise(&oneself, area, from, to, MADV_COLD);
	int error = ret < 0 ? errno : 0;

	close(oneself.pidfd);
	return error;
}

/* D8: oneself one may advise without any right, in kernels since 6.13. */
TEST_F(target, oneself_needs_no_right)
{
	long error;

	if (ASK(to_nobody))
		SKIP(return, "no permission to become another user");
	error = ASK(advise_oneself);
	if (error == EPERM)
		SKIP(return, "kernel asks for CAP_SYS_NICE for oneself, too");
	EXPECT_EQ(0, error);
	EXPECT_EQ(0, ASK(remote_referenced));
	EXPECT_EQ(NONE, ASK(not_kept));
}

#include "lib/main.h"

// SPDX-License-Identifier: GPL-2.0
#include "remote.h"

#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpus.h"
#include "pages.h"
#include "privilege.h"

/* include/linux/proc_ns.h: the user namespace that capable() looks at. */
#define INITIAL_USER_NAMESPACE 0xeffffffdU

struct order {
	remote_question *question;
	unsigned char *area;
	size_t from, to;
};

/* In the namespace that counts; none is there in a kernel without namespaces. */
static bool may_nice(void)
{
	struct stat user;

	return has_capability(CAP_SYS_NICE) &&
	       (stat("/proc/self/ns/user", &user) ||
		user.st_ino == INITIAL_USER_NAMESPACE);
}

const char *remote_missing(void)
{
	if (process_madvise(-1, NULL, 0, MADV_COLD, 0) < 0 && errno != EBADF)
		return "no process_madvise(2) (Linux 5.10)";
	return may_nice() ? NULL : "no CAP_SYS_NICE to advise others";
}

/* Until the other end of the pipe is closed. */
static void serve(int orders, int answers)
{
	struct order order;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(orders, &order, sizeof(order)) == sizeof(order)) {
		long answer = order.question(order.area, order.from, order.to);

		if (write(answers, &answer, sizeof(answer)) != sizeof(answer))
			break;
	}
	_exit(0);
}

int remote_start(struct remote *remote)
{
	int orders[2], answers[2];

	remote->pid = 0;
	if (run_on(sched_getcpu()) || pipe(orders))
		return -1;
	if (pipe(answers)) {
		close(orders[0]);
		close(orders[1]);
		return -1;
	}
	remote->ask = orders[1];
	remote->answer = answers[0];
	remote->pid = fork();
	if (!remote->pid) {
		close(orders[1]);
		close(answers[0]);
		serve(orders[0], answers[1]);
	}
	close(orders[0]);
	close(answers[1]);
	remote->pidfd = syscall(SYS_pidfd_open, remote->pid, 0);
	if (remote->pidfd >= 0)
		return 0;
	remote_stop(remote);
	return -1;
}

long remote_ask(const struct remote *remote, remote_question *question,
		unsigned char *area, size_t from, size_t to)
{
	struct order order = {
		.question = question, .area = area, .from = from, .to = to,
	};
	long answer;

	if (write(remote->ask, &order, sizeof(order)) != sizeof(order) ||
	    read(remote->answer, &answer, sizeof(answer)) != sizeof(answer))
		return LONG_MIN;
	return answer;
}

void remote_kill(const struct remote *remote)
{
	siginfo_t info;

	kill(remote->pid, SIGKILL);
	waitid(P_PID, remote->pid, &info, WEXITED | WNOWAIT);
}

void remote_stop(struct remote *remote)
{
	if (!remote->pid)
		return;
	close(remote->ask);
	close(remote->answer);
	if (remote->pidfd >= 0)
		close(remote->pidfd);
	if (remote->pid > 0) {
		kill(remote->pid, SIGKILL);
		waitpid(remote->pid, NULL, 0);
	}
	remote->pid = 0;
}

long remote_fill(unsigned char *area, size_t from, size_t to)
{
	for (size_t page = from; page < to; page++)
		memset(page_at(area, page), page_byte(page), page_size());
	return 0;
}

long remote_referenced(unsigned char *area, size_t from, size_t to)
{
	return smaps_kib(page_at(area, from), to - from, "Referenced");
}

long remote_rss(unsigned char *area, size_t from, size_t to)
{
	return smaps_kib(page_at(area, from), to - from, "Rss");
}

ssize_t remote_advise(const struct remote *remote, unsigned char *area,
		      size_t from, size_t to, int advice)
{
	struct iovec range = {
		.iov_base = page_at(area, from),
		.iov_len = (to - from) * page_size(),
	};

	return process_madvise(remote->pidfd, &range, 1, advice, 0);
}

// SPDX-License-Identifier: GPL-2.0
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cgroup.h"
#include "guest.h"

__attribute__((noreturn)) static void died(const char *name, int status)
{
	const char *why = fail_of_child();

	if (why)
		fail("%s: %s", name, why);
	if (WIFSIGNALED(status))
		fail("%s was killed by signal %d%s", name, WTERMSIG(status),
		     WTERMSIG(status) == SIGKILL ? " (out of memory?)" : "");
	fail("%s exited with status %d", name, WEXITSTATUS(status));
}

static int reap(const char *name, pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			fail("cannot wait for %s: %s", name, strerror(errno));
	}
	procs_remove(pid);
	return status;
}

__attribute__((noreturn)) static void gone(struct child *child)
{
	died(child->name, reap(child->name, child->pid));
}

static pid_t start(const char *name, enum role role)
{
	pid_t pid = fork_child();

	if (pid < 0)
		fail("cannot start %s: %s", name, strerror(errno));
	if (pid)
		procs_add(pid, role);
	else
		cgroup_join_apps(role);
	return pid;
}

void child_start(struct child *child, enum role role,
		 void (*main)(const struct child_link *link, const void *arg),
		 const void *arg)
{
	int command[2], answer[2];

	if (pipe2(command, O_CLOEXEC) || pipe2(answer, O_CLOEXEC))
		fail("cannot make the pipes of %s: %s", child->name,
		     strerror(errno));
	child->pid = start(child->name, role);
	if (!child->pid) {
		/* Init hears the end of the file when the child is gone. */
		close(command[1]);
		close(answer[0]);
		main(&(struct child_link){ command[0], answer[1] }, arg);
		_exit(0);
	}
	close(command[0]);
	close(answer[1]);
	child->command = command[1];
	child->answer = answer[0];
}

void child_tell(struct child *child, const void *command, size_t size)
{
	if (write(child->command, command, size) != (ssize_t)size)
		gone(child);
}

void child_hear(struct child *child, void *answer, size_t size)
{
	if (read(child->answer, answer, size) != (ssize_t)size)
		gone(child);
}

static void forget(struct child *child)
{
	reap(child->name, child->pid);
	close(child->command);
	close(child->answer);
	child->pid = 0;
}

void child_kill(struct child *child)
{
	kill(child->pid, SIGKILL);
	forget(child);
}

bool child_was_killed(struct child *child)
{
	if (!procs_find(child->pid)->killed)
		return false;
	forget(child);
	return true;
}

pid_t child_begin(const char *name, enum role role,
		  void (*work)(const void *arg), const void *arg)
{
	pid_t pid = start(name, role);

	if (!pid) {
		work(arg);
		_exit(0);
	}
	return pid;
}

void child_finish(const char *name, pid_t pid)
{
	int status = reap(name, pid);

	if (status)
		died(name, status);
}

void child_run(const char *name, enum role role, void (*work)(const void *arg),
	       const void *arg)
{
	child_finish(name, child_begin(name, role, work, arg));
}

void link_hear(const struct child_link *link, void *command, size_t size)
{
	if (read(link->command, command, size) != (ssize_t)size)
		fail("init has gone");
}

void link_tell(const struct child_link *link, const void *answer, size_t size)
{
	if (write(link->answer, answer, size) != (ssize_t)size)
		fail("init has gone");
}

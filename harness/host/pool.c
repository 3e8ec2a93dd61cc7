// SPDX-License-Identifier: GPL-2.0
#include "pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interrupt.h"
#include "progress.h"
#include "util.h"

#define TICK_MS 500
/* Fits into a pipe, so that a worker never waits for us. */
#define MESSAGE_MAX 8192

/* What a worker sends in one write before it ends. */
struct report {
	bool failed, reused;
	double seconds;
	char message[MESSAGE_MAX];
};

struct worker {
	pid_t pid;
	int pipe;
	const struct job *job;
};

struct pool {
	const struct job_context *context;
	const struct plan *plan;
	struct worker *workers;
	struct pollfd *ends; /* of the workers, in the same order */
	size_t room;	     /* for workers */
	struct progress progress;
};

__attribute__((noreturn)) static void work(const struct job_context *context,
					   const struct job *job, int pipe,
					   pid_t parent)
{
	static struct report report;
	struct job_result result;

	/* Not SIGKILL: there must be time to remove the private directory. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	job_run(context, job, &result);
	report.failed = result.failed;
	report.reused = result.reused;
	report.seconds = result.seconds;
	if (result.message)
		strncpy(report.message, result.message, MESSAGE_MAX - 1);
	_exit(write(pipe, &report, sizeof(report)) != sizeof(report));
}

static int start_worker(struct pool *pool, const struct job *job)
{
	size_t slot = pool->progress.running;
	pid_t parent = getpid(), pid;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid)
		work(pool->context, job, ends[1], parent);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return -1;
	}
	pool->workers[slot] =
		(struct worker){ .pid = pid, .pipe = ends[0], .job = job };
	pool->ends[slot] = (struct pollfd){ .fd = ends[0], .events = POLLIN };
	pool->progress.running++;
	return 0;
}

static ssize_t read_whole(int fd, void *data, size_t size)
{
	size_t n = 0;
	ssize_t got = 1;

	while (n < size && got) {
		got = read(fd, (char *)data + n, size - n);
		if (got > 0)
			n += (size_t)got;
		else if (got < 0 && errno != EINTR)
			return -1;
	}
	return (ssize_t)n;
}

/* Hear a worker out, and close the gap it leaves in the tables. */
static void finish_worker(struct pool *pool, size_t slot)
{
	struct worker worker = pool->workers[slot];
	static struct report report;
	size_t last = --pool->progress.running;
	const char *error = NULL;
	char *died = NULL;
	int status = 0;

	if (read_whole(worker.pipe, &report, sizeof(report)) != sizeof(report))
		memset(&report, 0, sizeof(report));
	close(worker.pipe);
	while (waitpid(worker.pid, &status, 0) < 0 && errno == EINTR)
		;
	pool->workers[slot] = pool->workers[last];
	pool->ends[slot] = pool->ends[last];

	if (interrupted())
		return;
	if (WIFSIGNALED(status))
		died = xasprintf("the process that watched it was killed by "
				 "signal %d",
				 WTERMSIG(status));
	else if (status)
		died = xasprintf("the process that watched it failed");
	if (died || report.failed)
		error = died ? died : report.message;
	progress_done(&pool->progress, worker.job->name,
		      report.reused ? 0 : report.seconds, error);
	free(died);
}

static void wait_for_workers(struct pool *pool)
{
	if (poll(pool->ends, pool->progress.running, TICK_MS) <= 0)
		return;
	/* Backwards: a finished one's place is taken by the last one. */
	for (size_t i = pool->progress.running; i--;)
		if (pool->ends[i].revents)
			finish_worker(pool, i);
}

static void stop_workers(struct pool *pool)
{
	for (size_t i = 0; i < pool->progress.running; i++)
		kill(pool->workers[i].pid, SIGTERM);
	while (pool->progress.running)
		finish_worker(pool, 0);
}

int pool_run(const struct job_context *context, const struct plan *plan,
	     long long parallel)
{
	struct pool pool = { .context = context, .plan = plan };
	size_t next = 0;

	pool.room = (size_t)parallel < plan->n ? (size_t)parallel : plan->n;
	pool.workers = xcalloc(pool.room, sizeof(*pool.workers));
	pool.ends = xcalloc(pool.room, sizeof(*pool.ends));
	progress_start(&pool.progress, plan->n, (long long)pool.room);

	while (!interrupted() && (next < plan->n || pool.progress.running)) {
		while (next < plan->n && pool.progress.running < pool.room) {
			/* Those that run are ended by our own end. */
			if (start_worker(&pool, &plan->jobs[next++]))
				die("cannot start a process: %s",
				    strerror(errno));
		}
		progress_tick(&pool.progress);
		wait_for_workers(&pool);
	}
	stop_workers(&pool);
	progress_end(&pool.progress);
	free(pool.workers);
	free(pool.ends);
	return interrupted() ? -1 : (int)pool.progress.failed;
}

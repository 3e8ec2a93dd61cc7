// SPDX-License-Identifier: GPL-2.0
#include "memcg.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pages.h"

#define PREFIX "page_advice-"

/* A small file whole, NUL-terminated. */
static int read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0, len = 0;

	if (fd < 0)
		return -1;
	while ((n = read(fd, text + len, size - 1 - len)) > 0)
		len += n;
	close(fd);
	text[len] = '\0';
	return n < 0 ? -1 : 0;
}

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len = strlen(text);
	bool good;

	if (fd < 0)
		return -1;
	good = write(fd, text, len) == len;
	close(fd);
	return good ? 0 : -1;
}

/* Where cgroup2 is mounted; false when it is not. */
static bool find_mount(char *mount, size_t size)
{
	FILE *mounts = fopen("/proc/self/mounts", "re");
	char line[1024], dir[384], type[64];
	bool found = false;

	while (mounts && !found && fgets(line, sizeof(line), mounts)) {
		if (sscanf(line, "%*s %383s %63s", dir, type) != 2 ||
		    strcmp(type, "cgroup2"))
			continue;
		snprintf(mount, size, "%s", dir);
		found = true;
	}
	if (mounts)
		fclose(mounts);
	return found;
}

/* The line "0::/path" of /proc/self/cgroup. */
static void find_home(struct memcg *memcg, const char *mount)
{
	char text[4096], *line = NULL;

	if (!read_text("/proc/self/cgroup", text, sizeof(text)))
		line = strstr(text, "0::");
	if (line)
		line[strcspn(line, "\n")] = '\0';
	snprintf(memcg->home, sizeof(memcg->home), "%s%.200s/cgroup.procs",
		 mount, line ? line + 3 : "");
}

/* A cgroup whose process is gone was left by a test that was killed. */
static void sweep(const char *mount)
{
	DIR *dir = opendir(mount);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int pid = atoi(entry->d_name + strlen(PREFIX));

		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) || pid <= 0)
			continue;
		if (kill(pid, 0) && errno == ESRCH)
			unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	}
	if (dir)
		closedir(dir);
}

/*
 * Children that were just reaped, or killed, may still be on their way out: up
 * to a second.
 */
static void remove_dir(const char *dir)
{
	for (int i = 0; i < 100 && rmdir(dir) && errno == EBUSY; i++)
		usleep(10000);
}

/* The child of start_janitor(): waits for its parent's death, then cleans up. */
static void be_janitor(const struct memcg *memcg, pid_t parent)
{
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* Not a part of what Ctrl-C ends, nor of what readers of us wait for. */
	setsid();
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
	if (getppid() == parent)
		sigwaitinfo(&term, NULL);
	memcg_write(memcg, "cgroup.kill", "1");
	remove_dir(memcg->dir);
	_exit(0);
}

static void start_janitor(struct memcg *memcg)
{
	pid_t parent = getpid();

	fflush(stdout);
	memcg->janitor = fork();
	if (!memcg->janitor)
		be_janitor(memcg, parent);
}

static void end_janitor(struct memcg *memcg)
{
	if (memcg->janitor <= 0)
		return;
	kill(memcg->janitor, SIGKILL);
	waitpid(memcg->janitor, NULL, 0);
	memcg->janitor = 0;
}

const char *memcg_make(struct memcg *memcg, const char *label)
{
	char mount[400], path[512], text[512];

	memcg->dir[0] = '\0';
	if (!find_mount(mount, sizeof(mount)))
		return "cgroup v2 is not mounted";
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", mount);
	if (read_text(path, text, sizeof(text)) || !strstr(text, "memory"))
		return "cgroup v2 has no memory controller for children";
	find_home(memcg, mount);
	sweep(mount);
	snprintf(memcg->dir, sizeof(memcg->dir), "%s/" PREFIX "%d%s", mount,
		 getpid(), label);
	if (mkdir(memcg->dir, 0755)) {
		memcg->dir[0] = '\0';
		return "no permission to make a cgroup";
	}
	start_janitor(memcg);
	return NULL;
}

const char *memcg_enter(struct memcg *memcg)
{
	const char *why = memcg_make(memcg, "");

	if (!why && memcg_write(memcg, "cgroup.procs", "0")) {
		memcg_leave(memcg);
		why = "no permission to move into a cgroup";
	}
	return why;
}

void memcg_leave(struct memcg *memcg)
{
	if (!memcg->dir[0])
		return;
	write_text(memcg->home, "0");
	memcg_remove(memcg);
}

static void path_of(const struct memcg *memcg, const char *file, char *path,
		    size_t size)
{
	snprintf(path, size, "%s/%s", memcg->dir, file);
}

int memcg_write(const struct memcg *memcg, const char *file, const char *text)
{
	char path[600];

	path_of(memcg, file, path, sizeof(path));
	return write_text(path, text);
}

long memcg_number(const struct memcg *memcg, const char *file)
{
	char path[600], text[64];

	path_of(memcg, file, path, sizeof(path));
	return read_text(path, text, sizeof(text)) ? -1 : atol(text);
}

/* The number behind a name in a file with a line for each. */
static long named(const struct memcg *memcg, const char *file, const char *name)
{
	char path[600], text[16384], *line;

	path_of(memcg, file, path, sizeof(path));
	if (read_text(path, text, sizeof(text)))
		return -1;
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		size_t len = strlen(name);

		if (!strncmp(line, name, len) && line[len] == ' ')
			return atol(line + len);
	}
	return -1;
}

long memcg_stat(const struct memcg *memcg, const char *name)
{
	return named(memcg, "memory.stat", name);
}

long memcg_event(const struct memcg *memcg, const char *name)
{
	return named(memcg, "memory.events", name);
}

int memcg_reclaim(const struct memcg *memcg, size_t bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", bytes);
	return memcg_write(memcg, "memory.reclaim", text);
}

long memcg_slack(void)
{
	return 64 * sysconf(_SC_NPROCESSORS_ONLN) * page_size();
}

bool has_swap(void)
{
	char text[8192], *line;

	if (read_text("/proc/meminfo", text, sizeof(text)))
		return false;
	line = strstr(text, "SwapTotal:");
	return line && atol(line + strlen("SwapTotal:")) > 0;
}

int memcg_move(const struct memcg *memcg, pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	return memcg_write(memcg, "cgroup.procs", text);
}

void memcg_remove(struct memcg *memcg)
{
	if (!memcg->dir[0])
		return;
	end_janitor(memcg);
	remove_dir(memcg->dir);
	memcg->dir[0] = '\0';
}

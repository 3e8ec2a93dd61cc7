// SPDX-License-Identifier: GPL-2.0
#include "room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "globals.h"
#include "guest.h"
#include "native.h"
#include "where.h"

#define PATIENCE_MS 5000

static char directory[PATH_MAX], journal[PATH_MAX], cgroup[PATH_MAX];
static bool made; /* the directory, by us */

__attribute__((format(printf, 2, 3))) static void set_path(char path[PATH_MAX],
							   const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(path, PATH_MAX, fmt, ap);
	va_end(ap);
	if (len >= PATH_MAX)
		fail("%s: the path is too long", path);
}

/* Where cgroup v2 is mounted. */
static const char *cgroup_mount(void)
{
	static char where[PATH_MAX];
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	char line[2 * PATH_MAX];

	*where = '\0';
	while (mounts && !*where && fgets(line, sizeof(line), mounts)) {
		char *rest = line;

		if (!strstr(line, " - cgroup2 "))
			continue;
		for (int i = 0; i < 4; i++)
			strsep(&rest, " ");
		set_path(where, "%s", strsep(&rest, " "));
	}
	if (mounts)
		fclose(mounts);
	if (!*where)
		fail("a cgroup v2 is needed, and none is mounted");
	return where;
}

void room_claim(void)
{
	/* Not closed on purpose: whoever lives on has it as well. */
	int fd = open(cgroup_mount(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB))
		fail("another %s runs on this machine, wait for it (%s)",
		     my_name(), strerror(errno));
}

/* Of a cgroup only directories can be removed, and its files go with it. */
static int remove_tree(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char below[PATH_MAX];

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		set_path(below, "%s/%s", path, entry->d_name);
		if (entry->d_type == DT_DIR)
			remove_tree(below);
		else
			unlink(below);
	}
	if (dir)
		closedir(dir);
	return rmdir(path) && errno != ENOENT ? -1 : 0;
}

/* What is in it ends; the kernel may need a moment until it has. */
static int remove_cgroup(const char *path)
{
	const struct timespec moment = { .tv_nsec = NSEC_PER_MSEC };
	char file[PATH_MAX];

	set_path(file, "%s/cgroup.kill", path);
	for (int ms = 0; ms < PATIENCE_MS; ms++) {
		if (!remove_tree(path))
			return 0;
		if (errno != EBUSY)
			break;
		write_text(file, "1");
		nanosleep(&moment, NULL);
	}
	say("%s: cannot remove %s: %s", my_name(), path, strerror(errno));
	return -1;
}

static int clear(void)
{
	const char *name;
	int err = 0;

	journal_cgroup(journal, cgroup, sizeof(cgroup));
	name = strrchr(cgroup, '/');
	if (name && !strcmp(name + 1, ROOM_NAME))
		err = remove_cgroup(cgroup);
	/* Then, because its memory controller can be one of the settings. */
	err |= journal_undo(journal);
	if (remove_tree(directory)) {
		say("%s: cannot remove %s: %s", my_name(), directory,
		    strerror(errno));
		err = -1;
	}
	return err;
}

int room_clear(void)
{
	int err = made ? clear() : 0;

	made = false;
	return err;
}

/*
 * Left by a killed run: then it has a journal and is ours alone. Whoever else
 * could write there could have us write anywhere.
 */
static void clear_leftover(void)
{
	struct stat st;

	/* Killed before there was anything in it. */
	if (!rmdir(directory) || lstat(directory, &st))
		return;
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_mode & 077 || access(journal, F_OK))
		fail("%s is not of a run of yours: name another --dir",
		     directory);
	say("%s: clearing up what a killed run has left in %s", my_name(),
	    directory);
	if (clear())
		fail("cannot clear up %s", directory);
}

static void make_directory(const char *parent)
{
	char real[PATH_MAX];
	struct statfs fs;

	if (!realpath(parent, real) || statfs(real, &fs))
		fail("--dir %s: %s", parent, strerror(errno));
	if (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC)
		fail("--dir %s is in memory: name one on a disk", parent);
	set_path(directory, "%s/" ROOM_NAME, real);
	set_path(journal, "%s/journal", directory);
	clear_leftover();
	if (mkdir(directory, 0700))
		fail("cannot make a directory in --dir %s: %s", parent,
		     strerror(errno));
	made = true;
	journal_open(journal);
}

static void own_cgroup(char path[PATH_MAX], const char *mount)
{
	char text[PATH_MAX], *line, *rest = text;

	if (read_text("/proc/self/cgroup", text, sizeof(text)) < 0)
		fail("cannot read /proc/self/cgroup: %s", strerror(errno));
	set_path(path, "%s", mount);
	while ((line = strsep(&rest, "\n")))
		if (!strncmp(line, "0::/", 4) && line[4])
			set_path(path, "%s%s", mount, line + 3);
}

/* Return: whether a cgroup below @parent was made and has a memory controller. */
static bool make_cgroup(const char *parent)
{
	char file[PATH_MAX];

	set_path(cgroup, "%s/" ROOM_NAME, parent);
	set_path(file, "%s/memory.max", cgroup);
	journal_note(JOURNAL_CGROUP, cgroup);
	if (mkdir(cgroup, 0755) &&
	    (errno != EEXIST || remove_cgroup(cgroup) || mkdir(cgroup, 0755)))
		return false;
	if (!access(file, W_OK))
		return true;
	rmdir(cgroup);
	return false;
}

/* The last resort: have the root give memory controllers to its children. */
static bool make_cgroup_in_root(const char *root)
{
	char file[PATH_MAX], undo[PATH_MAX + 16];

	if (!globals_allowed())
		return false;
	set_path(file, "%s/cgroup.subtree_control", root);
	snprintf(undo, sizeof(undo), "%s -memory", file);
	journal_note(JOURNAL_SET, undo);
	return !write_text(file, "+memory") && make_cgroup(root);
}

/* What may help where no cgroup could be made. */
static const char *advice(const char *root)
{
	char file[PATH_MAX], controllers[1024];

	set_path(file, "%s/cgroup.controllers", root);
	if (read_text(file, controllers, sizeof(controllers)) < 0 ||
	    !strstr(controllers, "memory"))
		return "v2 does not have it here (v1 may)";
	if (geteuid())
		return "try `systemd-run --user --scope -p Delegate=yes`";
	return "--allow-global enables it in the root";
}

/*
 * Controllers are given to the children of a cgroup without processes, and so
 * not to our own's: mostly it is the one above.
 */
static void find_cgroup(void)
{
	const char *root = cgroup_mount();
	char path[PATH_MAX];

	own_cgroup(path, root);
	while (!make_cgroup(path)) {
		if (strcmp(path, root)) {
			*strrchr(path, '/') = '\0';
			continue;
		}
		if (make_cgroup_in_root(root))
			return;
		fail("no cgroup v2 with a memory controller can be made: %s",
		     advice(root));
	}
}

void room_make(const char *parent)
{
	make_directory(parent);
	find_cgroup();
	where_set(directory, cgroup);
}

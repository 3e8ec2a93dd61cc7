// SPDX-License-Identifier: GPL-2.0
#include "slow_disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFIG "/sys/kernel/config/nullb"
#define PREFIX "page_advice-"

/* Documentation/block/null_blk.rst; irqmode 2 is a timer of completion_nsec. */
static const struct {
	const char *name;
	unsigned int value;
	unsigned int for_each_ms;
} settings[] = {
	{ "memory_backed", 1, 0 },
	{ "blocksize", 512, 0 },
	{ "size", 4, 0 },
	{ "irqmode", 2, 0 },
	{ "completion_nsec", 0, 1000000 },
	{ "power", 1, 0 },
	{ NULL, 0, 0 },
};

/* A disk whose maker is gone was left by a test that was killed. */
static void sweep(void)
{
	DIR *dir = opendir(CONFIG);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int pid = 0;

		if (sscanf(entry->d_name, PREFIX "%d", &pid) == 1 &&
		    kill(pid, 0) && errno == ESRCH)
			unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	}
	if (dir)
		closedir(dir);
}

static int set(const struct slow_disk *disk, const char *name,
	       unsigned int value)
{
	char path[160];
	int fd, err;

	snprintf(path, sizeof(path), "%s/%s", disk->dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	err = dprintf(fd, "%u", value) > 0 ? 0 : -1;
	close(fd);
	return err;
}

/* Older kernels number the disks, whatever the directory is called. */
static int open_node(struct slow_disk *disk)
{
	char path[160], index[16] = "";
	int fd;

	snprintf(path, sizeof(path), "/dev/%s", disk->name);
	disk->fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (disk->fd >= 0)
		return 0;
	snprintf(path, sizeof(path), "%s/index", disk->dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (read(fd, index, sizeof(index) - 1) > 0)
		snprintf(disk->name, sizeof(disk->name), "nullb%d",
			 atoi(index));
	close(fd);
	snprintf(path, sizeof(path), "/dev/%s", disk->name);
	disk->fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
	return disk->fd < 0 ? -1 : 0;
}

const char *slow_disk_make(struct slow_disk *disk, unsigned int ms)
{
	int err = 0;

	disk->fd = -1;
	disk->dir[0] = '\0';
	if (access(CONFIG, F_OK))
		return "no null_blk in configfs to make a slow disk of";
	sweep();
	snprintf(disk->name, sizeof(disk->name), PREFIX "%d", getpid());
	snprintf(disk->dir, sizeof(disk->dir), CONFIG "/%s", disk->name);
	if (mkdir(disk->dir, 0755)) {
		disk->dir[0] = '\0';
		return "no permission to make a null_blk disk";
	}
	for (size_t i = 0; settings[i].name; i++)
		err |= set(disk, settings[i].name,
			   settings[i].value + ms * settings[i].for_each_ms);
	if (!err && !open_node(disk))
		return NULL;
	slow_disk_drop(disk);
	return "null_blk cannot make a slow disk in memory";
}

void slow_disk_drop(struct slow_disk *disk)
{
	if (!disk->dir[0])
		return;
	if (disk->fd >= 0)
		close(disk->fd);
	rmdir(disk->dir);
	disk->dir[0] = '\0';
}

long slow_disk_reads(const struct slow_disk *disk)
{
	char path[96];
	long reads = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/block/%s/inflight", disk->name);
	file = fopen(path, "re");
	if (!file)
		return -1;
	if (fscanf(file, "%ld", &reads) != 1)
		reads = -1;
	fclose(file);
	return reads;
}

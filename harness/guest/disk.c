// SPDX-License-Identifier: GPL-2.0
#include "disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"

/*
 * A file system comes as the pieces of its image that are not zero, each in a
 * file of the initramfs's root directory named "IMAGE.<offset in hexadecimal>".
 * "IMAGE.mib" holds the size of the whole.
 */
#define SIZE_SUFFIX "mib"

static const struct disk data = {
	.name = DISK_NAME,
	.image = "disk",
	.type = "ext4",
	.mount = DISK_MOUNT,
	.options = "noinit_itable",
};

static void size_file(const struct disk *disk, char path[64])
{
	snprintf(path, 64, "/%s." SIZE_SUFFIX, disk->image);
}

static void node_of(const struct disk *disk, char path[64])
{
	snprintf(path, 64, "/dev/%s", disk->name);
}

bool disk_given(const struct disk *disk)
{
	char path[64];

	size_file(disk, path);
	return !access(path, R_OK);
}

static void configure(const struct disk *disk, const char *attribute,
		      long long value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/config/nullb/%s/%s",
		 disk->name, attribute);
	must_write_text(path, "%lld", value);
}

static void make_device(const struct disk *disk, long long delay_us)
{
	char path[64], mib[16];

	size_file(disk, path);
	if (read_text(path, mib, sizeof(mib)) <= 0)
		fail("the initramfs has no %s", path);
	snprintf(path, sizeof(path), "/sys/kernel/config/nullb/%s", disk->name);
	if (mkdir(path, 0755))
		fail("cannot make the null_blk disk: %s "
		     "(is null_blk in the kernel?)",
		     strerror(errno));
	configure(disk, "size", strtol(mib, NULL, 10));
	configure(disk, "blocksize", 4096);
	configure(disk, "memory_backed", 1);
	configure(disk, "discard", 1);
	/* 2: completion by a timer, which is the disk's latency. */
	configure(disk, "irqmode", 2);
	configure(disk, "completion_nsec", delay_us * 1000);
	configure(disk, "power", 1);
}

static void write_piece(int node, const char *path, off_t offset)
{
	static char block[65536];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		fail("cannot open %s: %s", path, strerror(errno));
	while ((n = read(fd, block, sizeof(block))) > 0) {
		if (pwrite(node, block, (size_t)n, offset) != n)
			fail("cannot write to the disk: %s", strerror(errno));
		offset += n;
	}
	close(fd);
}

/* Return: what follows "IMAGE." in a piece's name, NULL if it is none. */
static const char *piece_of(const struct disk *disk, const char *name)
{
	size_t len = strlen(disk->image);

	return !strncmp(name, disk->image, len) && name[len] == '.'
		       ? name + len + 1
		       : NULL;
}

/* The pieces are deleted: they would go on taking memory. */
static void write_filesystem(const struct disk *disk, const char *path)
{
	int node = open(path, O_WRONLY | O_CLOEXEC);
	DIR *root = opendir("/");
	struct dirent *entry;

	if (node < 0 || !root || chdir("/"))
		fail("cannot open %s: %s", path, strerror(errno));
	while ((entry = readdir(root))) {
		const char *offset = piece_of(disk, entry->d_name);
		char *end;
		off_t at;

		if (!offset)
			continue;
		at = strtoll(offset, &end, 16);
		if (!*end && end != offset)
			write_piece(node, entry->d_name, at);
		unlink(entry->d_name);
	}
	closedir(root);
	if (fsync(node))
		fail("cannot write to the disk: %s", strerror(errno));
	close(node);
}

void disk_make(const struct disk *disk, long long delay_us,
	       long long readahead_kib)
{
	char path[64];

	make_device(disk, delay_us);
	snprintf(path, sizeof(path), "/sys/block/%s/queue/read_ahead_kb",
		 disk->name);
	must_write_text(path, "%lld", readahead_kib);
	node_of(disk, path);
	write_filesystem(disk, path);
}

int disk_mount(const struct disk *disk)
{
	char node[64];

	node_of(disk, node);
	mkdir(disk->mount, 0755);
	return mount(node, disk->mount, disk->type, MS_NOATIME, disk->options);
}

void disk_start(long long delay_us, long long readahead_kib)
{
	disk_make(&data, delay_us, readahead_kib);
	if (disk_mount(&data))
		fail("cannot mount the disk: %s", strerror(errno));
}

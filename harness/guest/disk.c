// SPDX-License-Identifier: GPL-2.0
#include "disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"

#define CONFIG "/sys/kernel/config/nullb/" DISK_NAME "/"
#define NODE "/dev/" DISK_NAME

/*
 * The file system comes as the pieces of its image that are not zero, each in a
 * file of the initramfs's root directory named by its offset in hexadecimal.
 * "disk.mib" holds the size of the whole.
 */
#define PIECE "disk."
#define SIZE_FILE "/" PIECE "mib"

static void make_device(long long delay_us)
{
	char mib[16];

	if (read_text(SIZE_FILE, mib, sizeof(mib)) <= 0)
		fail("the initramfs has no " SIZE_FILE);
	if (mkdir("/sys/kernel/config/nullb/" DISK_NAME, 0755))
		fail("cannot make the null_blk disk: %s "
		     "(is null_blk in the kernel?)",
		     strerror(errno));
	must_write_text(CONFIG "size", "%ld", strtol(mib, NULL, 10));
	must_write_text(CONFIG "blocksize", "%d", 4096);
	must_write_text(CONFIG "memory_backed", "1");
	/* 2: completion by a timer, which is the disk's latency. */
	must_write_text(CONFIG "irqmode", "2");
	must_write_text(CONFIG "completion_nsec", "%lld", delay_us * 1000);
	must_write_text(CONFIG "power", "1");
}

static void write_piece(int disk, const char *path, off_t offset)
{
	static char block[65536];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		fail("cannot open %s: %s", path, strerror(errno));
	while ((n = read(fd, block, sizeof(block))) > 0) {
		if (pwrite(disk, block, (size_t)n, offset) != n)
			fail("cannot write to the disk: %s", strerror(errno));
		offset += n;
	}
	close(fd);
}

/* The pieces are deleted: they would go on taking memory. */
static void write_filesystem(void)
{
	int disk = open(NODE, O_WRONLY | O_CLOEXEC);
	DIR *root = opendir("/");
	struct dirent *entry;

	if (disk < 0 || !root || chdir("/"))
		fail("cannot open " NODE ": %s", strerror(errno));
	while ((entry = readdir(root))) {
		const char *offset = entry->d_name + strlen(PIECE);
		char *end;
		off_t at;

		if (strncmp(entry->d_name, PIECE, strlen(PIECE)))
			continue;
		at = strtoll(offset, &end, 16);
		if (!*end && end != offset)
			write_piece(disk, entry->d_name, at);
		unlink(entry->d_name);
	}
	closedir(root);
	if (fsync(disk))
		fail("cannot write to the disk: %s", strerror(errno));
	close(disk);
}

void disk_start(long long delay_us, long long readahead_kib)
{
	make_device(delay_us);
	must_write_text("/sys/block/" DISK_NAME "/queue/read_ahead_kb", "%lld",
			readahead_kib);
	write_filesystem();
	mkdir(DISK_MOUNT, 0755);
	if (mount(NODE, DISK_MOUNT, "ext4", MS_NOATIME, "noinit_itable"))
		fail("cannot mount the disk: %s", strerror(errno));
}

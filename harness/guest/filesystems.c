// SPDX-License-Identifier: GPL-2.0
#include "filesystems.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "disk.h"
#include "guest.h"

#define TMPFS "/mnt/tmpfs"

static const struct disk disks[] = {
	{ "nullb1", "xfs", "xfs", "/mnt/xfs", "discard" },
	{ "nullb2", "f2fs", "f2fs", "/mnt/f2fs", "discard,background_gc=off" },
};

void filesystems_start(long long delay_us, long long readahead_kib)
{
	if (mount(NULL, DISK_MOUNT, NULL, MS_REMOUNT | MS_NOATIME, "discard"))
		fail("cannot remount " DISK_MOUNT ": %s", strerror(errno));
	mkdir("/mnt", 0755);
	for (size_t i = 0; i < ARRAY_SIZE(disks); i++) {
		if (!disk_given(&disks[i]))
			continue;
		disk_make(&disks[i], delay_us, readahead_kib);
		if (disk_mount(&disks[i]) && errno != ENODEV)
			fail("cannot mount %s: %s", disks[i].mount,
			     strerror(errno));
	}
	mkdir(TMPFS, 0755);
	if (mount("tmpfs", TMPFS, "tmpfs", 0, NULL))
		fail("cannot mount " TMPFS ": %s", strerror(errno));
}

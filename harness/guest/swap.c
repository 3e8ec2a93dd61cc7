// SPDX-License-Identifier: GPL-2.0
#include "swap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/swap.h>
#include <unistd.h>

#include "guest.h"

/* The kernel's union swap_header, first version; a page with a magic at its end. */
struct swap_header {
	char bootbits[1024];
	uint32_t version;
	uint32_t last_page;
	uint32_t nr_badpages;
};

static void make_swap(const char *node, long long mib)
{
	static char page[65536];
	static const char magic[10] = "SWAPSPACE2";
	struct swap_header header = { .version = 1 };
	size_t size = page_size();
	int fd = open(node, O_WRONLY | O_CLOEXEC);

	header.last_page = (uint32_t)((unsigned long long)mib * MIB / size - 1);
	memcpy(page, &header, sizeof(header));
	memcpy(page + size - sizeof(magic), magic, sizeof(magic));
	if (fd < 0 || write(fd, page, size) != (ssize_t)size || fsync(fd))
		fail("cannot write to %s: %s", node, strerror(errno));
	close(fd);
}

void swap_start(long long mib, long long swappiness)
{
	must_write_text("/proc/sys/vm/swappiness", "%lld", swappiness);
	/* Reading ahead in memory gains nothing: as Android sets it. */
	must_write_text("/proc/sys/vm/page-cluster", "0");
	if (!mib)
		return;
	if (write_text("/sys/block/zram0/disksize", "%lldM", mib))
		fail("cannot size zram0: %s (is zram in the kernel?)",
		     strerror(errno));
	make_swap("/dev/zram0", mib);
	if (swapon("/dev/zram0", 0))
		fail("cannot swap to zram0: %s", strerror(errno));
}

// SPDX-License-Identifier: GPL-2.0
#include "balloon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guest.h"

static long long mem_free_kib(void)
{
	char text[8192];
	const char *line;

	if (read_text("/proc/meminfo", text, sizeof(text)) < 0)
		fail("cannot read /proc/meminfo: %s", strerror(errno));
	line = strstr(text, "\nMemFree:");
	return line ? strtoll(line + strlen("\nMemFree:"), NULL, 10) : 0;
}

void balloon_leave(long long mib)
{
	long long size_kib;
	char *base;

	sync();
	must_write_text("/proc/sys/vm/drop_caches", "3");
	size_kib = mem_free_kib() - mib * 1024;
	if (size_kib < 0)
		fail("%lld MiB are free, the job wants %lld: "
		     "give the machine more memory",
		     mem_free_kib() / 1024, mib);
	if (!size_kib)
		return;
	/* Init is locked, so is the balloon; children need no copy of it. */
	base = mmap(NULL, (size_t)size_kib * 1024, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (base == MAP_FAILED ||
	    madvise(base, (size_t)size_kib * 1024, MADV_DONTFORK))
		fail("cannot take %lld KiB: %s", size_kib, strerror(errno));
}

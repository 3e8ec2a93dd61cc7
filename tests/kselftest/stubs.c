// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel whose advice calls say yes and do nothing: linked into the kselftests
 * by --wrap.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>

int __wrap_madvise(void *start, size_t len, int advice);
int __wrap_posix_fadvise(int fd, off_t offset, off_t len, int advice);
int __wrap_prctl(int option, ...);

int __wrap_madvise(void *start, size_t len, int advice)
{
	(void)start;
	(void)len;
	(void)advice;
	return 0;
}

int __wrap_posix_fadvise(int fd, off_t offset, off_t len, int advice)
{
	(void)fd;
	(void)offset;
	(void)len;
	(void)advice;
	return 0;
}

int __wrap_prctl(int option, ...)
{
	(void)option;
	return 0;
}

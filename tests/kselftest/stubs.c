// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel whose advice calls say yes and do nothing: linked into the kselftests
 * by --wrap.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/uio.h>

int __wrap_madvise(void *start, size_t len, int advice);
int __wrap_posix_fadvise(int fd, off_t offset, off_t len, int advice);
int __wrap_prctl(int option, ...);
ssize_t __wrap_process_madvise(int pidfd, const struct iovec *vec, size_t count,
			       int advice, unsigned int flags);

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

ssize_t __wrap_process_madvise(int pidfd, const struct iovec *vec, size_t count,
			       int advice, unsigned int flags)
{
	ssize_t sum = 0;

	(void)pidfd;
	(void)advice;
	(void)flags;
	/* Dies of what cannot be read, which a test notices, too. */
	for (size_t i = 0; i < count; i++)
		sum += vec[i].iov_len;
	return sum;
}

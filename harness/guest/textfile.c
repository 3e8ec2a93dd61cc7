// SPDX-License-Identifier: GPL-2.0
#include "textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"

#if defined(__x86_64__)
static const unsigned char return_instruction[] = { 0xc3 };
#elif defined(__aarch64__)
static const unsigned char return_instruction[] = { 0xc0, 0x03, 0x5f, 0xd6 };
#else
#error "the return instruction of this architecture is not known"
#endif

static void write_file(const char *path, const void *pattern, size_t len,
		       size_t size)
{
	static char block[262144];
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	size_t n;

	for (size_t i = 0; i < sizeof(block); i += len)
		memcpy(block + i, pattern, len);
	if (fd < 0)
		fail("cannot make %s: %s", path, strerror(errno));
	for (; size; size -= n) {
		n = size < sizeof(block) ? size : sizeof(block);
		if (write(fd, block, n) != (ssize_t)n)
			fail("cannot write %s: %s", path, strerror(errno));
	}
	/* Written back, so that it can be dropped from the page cache. */
	if (fsync(fd))
		fail("cannot write %s: %s", path, strerror(errno));
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
}

void textfile_write(const char *path, size_t size)
{
	write_file(path, return_instruction, sizeof(return_instruction), size);
}

void datafile_write(const char *path, size_t size)
{
	write_file(path, "", 1, size);
}

struct text text_map(const char *path, bool exec)
{
	struct text text = { .exec = exec };
	struct stat st;

	text.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (text.fd < 0 || fstat(text.fd, &st))
		fail("cannot open %s: %s", path, strerror(errno));
	text.pages = (size_t)st.st_size / page_size();
	/* No advice on the mapping: it would switch recency off for it. */
	text.base = mmap(NULL, (size_t)st.st_size,
			 exec ? PROT_READ | PROT_EXEC : PROT_READ, MAP_PRIVATE,
			 text.fd, 0);
	if (text.base == MAP_FAILED)
		fail("cannot map %s: %s", path, strerror(errno));
	return text;
}

/*
 * One call reads no more than the device takes in one request, so it is done in
 * pieces, each as large as the usual read-ahead.
 */
void text_willneed(const struct text *text)
{
	const size_t piece = 128 * 1024;
	size_t size = text->pages * page_size();

	for (size_t at = 0; at < size; at += piece)
		posix_fadvise(text->fd, (off_t)at, (off_t)piece,
			      POSIX_FADV_WILLNEED);
}

void text_call(const struct text *text, size_t page)
{
	const char *address = text->base + page * page_size();
	void (*code)(void);

	if (!text->exec) {
		(void)*(const volatile char *)address;
		return;
	}
	/* The way from data to code that POSIX's dlsym() has, too. */
	memcpy(&code, &address, sizeof(code));
	code();
}

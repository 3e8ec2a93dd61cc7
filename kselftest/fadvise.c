// SPDX-License-Identifier: GPL-2.0
/*
 * What posix_fadvise(2) promises: which pages DONTNEED evicts and which it must
 * not, what the read-ahead hints change, what is refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/pages.h"
#include "lib/scratch.h"

/* 16 MiB of base pages of 4 KiB: many read-ahead windows. */
#define LARGE 4096

FIXTURE(file)
{
	int fd;
};

FIXTURE_SETUP(file)
{
	const char *why;

	self->fd = -1;
	why = cached_tells();
	if (why)
		SKIP(return, "%s", why);
	self->fd = scratch_open(&why);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, scratch_fill(self->fd, NR_PAGES));
	ASSERT_EQ(NR_PAGES, cached(self->fd, 0, NR_PAGES));
}

FIXTURE_TEARDOWN(file)
{
	if (self->fd >= 0)
		close(self->fd);
}

static int evict(int fd, off_t from, off_t len)
{
	return posix_fadvise(fd, from, len, POSIX_FADV_DONTNEED);
}

/* G1: clean pages that nobody maps go at once. */
TEST_F(file, dontneed_evicts)
{
	ASSERT_EQ(0, evict(self->fd, 0, NR_PAGES * page_size()));
	EXPECT_EQ(0, cached(self->fd, 0, NR_PAGES));
}

/* G1: also a page that has only just been read, and is still in a CPU's batch. */
TEST_F(file, dontneed_evicts_what_was_just_read)
{
	char byte;

	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_RANDOM));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	ASSERT_EQ(1, pread(self->fd, &byte, 1, 0));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	EXPECT_EQ(0, cached(self->fd, 0, NR_PAGES));
}

/* G1, G4: length 0 means up to the end of the file. */
TEST_F(file, length_zero_is_to_the_end)
{
	ASSERT_EQ(0, evict(self->fd, 32 * page_size(), 0));
	EXPECT_EQ(32, cached(self->fd, 0, 32));
	EXPECT_EQ(0, cached(self->fd, 64, NR_PAGES));
}

/* G2: dirty pages are not lost, whatever becomes of them. */
TEST_F(file, dirty_pages_are_not_lost)
{
	unsigned char byte = 0xaa;

	for (size_t page = 0; page < NR_PAGES; page++)
		ASSERT_EQ(1, pwrite(self->fd, &byte, 1, page * page_size()));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	for (size_t page = 0; page < NR_PAGES; page++) {
		ASSERT_EQ(1, pread(self->fd, &byte, 1, page * page_size()));
		EXPECT_EQ(0xaa, byte);
		ASSERT_EQ(1, pread(self->fd, &byte, 1,
				   page * page_size() + page_size() - 1));
		EXPECT_EQ(page_byte(page), byte);
	}
}

/* G2: after fdatasync(2) the pages that were dirty go, too. */
TEST_F(file, goes_once_it_is_clean)
{
	unsigned char byte = 0xaa;

	ASSERT_EQ(1, pwrite(self->fd, &byte, 1, 0));
	ASSERT_EQ(0, fdatasync(self->fd));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	EXPECT_EQ(0, cached(self->fd, 0, NR_PAGES));
	ASSERT_EQ(1, pread(self->fd, &byte, 1, 0));
	EXPECT_EQ(0xaa, byte);
}

/* G3: mapped pages stay; the release in two steps evicts them. */
TEST_F(file, mapped_pages_need_two_steps)
{
	size_t len = NR_PAGES * page_size();
	unsigned char *area =
		map_alone(NR_PAGES, PROT_READ, MAP_SHARED, self->fd, 0);

	ASSERT_NE(MAP_FAILED, (void *)area);
	touch(area, 0, NR_PAGES);
	ASSERT_EQ(NR_PAGES, present(area, 0, NR_PAGES));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	EXPECT_EQ(NR_PAGES, cached(self->fd, 0, NR_PAGES));
	EXPECT_EQ(NR_PAGES, present(area, 0, NR_PAGES));

	ASSERT_EQ(0, madvise(area, len, MADV_DONTNEED));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	EXPECT_EQ(0, cached(self->fd, 0, NR_PAGES));
	EXPECT_EQ(NONE, not_kept(area, 0, NR_PAGES));
	unmap_alone(area, NR_PAGES);
}

/* G3: the mapping of another process is not torn down. */
TEST_F(file, anothers_mapping_stays)
{
	unsigned char *area =
		map_alone(NR_PAGES, PROT_READ, MAP_SHARED, self->fd, 0);
	int status;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, (void *)area);
	touch(area, 0, NR_PAGES);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(madvise(area, NR_PAGES * page_size(), MADV_DONTNEED) ||
		      evict(self->fd, 0, 0));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(NR_PAGES, present(area, 0, NR_PAGES));
	unmap_alone(area, NR_PAGES);
}

FIXTURE(edge)
{
	int fd;
};

/* Bytes around the edges of pages 8 and 16, and the pages that must go. */
FIXTURE_VARIANT(edge)
{
	int from, to;
	size_t first, last;
};

FIXTURE_VARIANT_ADD(edge, whole)
{
	.from = 0, .to = 0, .first = 8, .last = 16,
};

FIXTURE_VARIANT_ADD(edge, starts_a_byte_late)
{
	.from = 1, .to = 0, .first = 9, .last = 16,
};

FIXTURE_VARIANT_ADD(edge, starts_a_byte_early)
{
	.from = -1, .to = 0, .first = 8, .last = 16,
};

FIXTURE_VARIANT_ADD(edge, ends_a_byte_early)
{
	.from = 0, .to = -1, .first = 8, .last = 15,
};

FIXTURE_VARIANT_ADD(edge, ends_a_byte_late)
{
	.from = 0, .to = 1, .first = 8, .last = 16,
};

FIXTURE_VARIANT_ADD(edge, inside_by_a_byte)
{
	.from = 1, .to = -1, .first = 9, .last = 15,
};

/* Pages of their own, read one by one without read-ahead. */
FIXTURE_SETUP(edge)
{
	const char *why = cached_tells();
	char byte;

	self->fd = -1;
	if (why)
		SKIP(return, "%s", why);
	self->fd = scratch_open(&why);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, scratch_fill(self->fd, NR_PAGES));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_RANDOM));
	for (size_t page = 0; page < NR_PAGES; page++)
		ASSERT_EQ(1, pread(self->fd, &byte, 1, page * page_size()));
	ASSERT_EQ(NR_PAGES, cached(self->fd, 0, NR_PAGES));
}

FIXTURE_TEARDOWN(edge)
{
	if (self->fd >= 0)
		close(self->fd);
}

/* G4: a page that is not wholly in the range stays, all others go. */
TEST_F(edge, keeps_partial_pages)
{
	off_t from = 8 * page_size() + variant->from;
	off_t to = 16 * page_size() + variant->to;

	ASSERT_EQ(0, evict(self->fd, from, to - from));
	EXPECT_EQ(0, cached(self->fd, variant->first, variant->last));
	EXPECT_EQ((long)variant->first, cached(self->fd, 0, variant->first));
	EXPECT_EQ((long)(NR_PAGES - variant->last),
		  cached(self->fd, variant->last, NR_PAGES));
}

/* G4: the partial last page of the file goes when the range ends there. */
TEST_F(file, partial_last_page_of_the_file_goes)
{
	off_t size = 9 * page_size() + 100;

	ASSERT_EQ(0, ftruncate(self->fd, size));
	ASSERT_EQ(0, fsync(self->fd));
	ASSERT_EQ(10, cached(self->fd, 0, 10));
	ASSERT_EQ(0, evict(self->fd, 0, size));
	EXPECT_EQ(0, cached(self->fd, 0, 10));
}

/* Read one byte in the middle of the evicted file; pages that came in. */
static long come_in(int fd, int advice)
{
	int reader = scratch_reopen(fd, O_RDONLY);
	long count = -1;
	char byte;

	if (reader >= 0 && !evict(fd, 0, 0) && !cached(fd, 0, LARGE) &&
	    !posix_fadvise(reader, 0, 0, advice) &&
	    pread(reader, &byte, 1, 0) == 1)
		count = cached_at_rest(fd, 0, LARGE);
	close(reader);
	return count;
}

/* G5: RANDOM stops read-ahead, NORMAL and SEQUENTIAL have it, for each open. */
TEST_F(file, random_reads_only_what_is_asked)
{
	ASSERT_EQ(0, scratch_fill(self->fd, LARGE));
	EXPECT_EQ(1, come_in(self->fd, POSIX_FADV_RANDOM));
	EXPECT_LT(1, come_in(self->fd, POSIX_FADV_NORMAL));
	EXPECT_LT(1, come_in(self->fd, POSIX_FADV_SEQUENTIAL));
	EXPECT_EQ(1, come_in(self->fd, POSIX_FADV_RANDOM));
}

/* G5: NORMAL takes back what RANDOM said about the same open file. */
TEST_F(file, normal_takes_random_back)
{
	char byte;

	ASSERT_EQ(0, scratch_fill(self->fd, LARGE));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_RANDOM));
	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_NORMAL));
	ASSERT_EQ(1, pread(self->fd, &byte, 1, 0));
	EXPECT_LT(1, cached_at_rest(self->fd, 0, LARGE));
}

/* G6: one call does not read a large file whole, however much it asks for. */
TEST_F(file, willneed_is_bounded)
{
	ASSERT_EQ(0, scratch_fill(self->fd, LARGE));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_WILLNEED));
	EXPECT_LT(0, cached_at_rest(self->fd, 0, LARGE));
	EXPECT_GT(LARGE, cached(self->fd, 0, LARGE));
}

/* G5: advice on one open file is none on another of the same inode. */
TEST_F(file, advice_is_of_the_open_file)
{
	int other = scratch_reopen(self->fd, O_RDONLY);
	char byte;

	ASSERT_LE(0, other);
	ASSERT_EQ(0, scratch_fill(self->fd, LARGE));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_RANDOM));
	ASSERT_EQ(1, pread(other, &byte, 1, 0));
	EXPECT_LT(1, cached_at_rest(self->fd, 0, LARGE));
	close(other);
}

/*
 * G6: WILLNEED brings the range in. A call may be capped (on 6.12 at the
 * read-ahead window): the next one asks for the rest.
 */
TEST_F(file, willneed_fills)
{
	struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
	long in = 0;

	ASSERT_EQ(0, scratch_fill(self->fd, 256));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	ASSERT_EQ(0, cached(self->fd, 0, 256));
	/* Asynchronous: up to 10 s, which a good kernel never takes. */
	for (int i = 0; i < 500 && in < 128; i++) {
		ASSERT_EQ(0, posix_fadvise(self->fd, in * page_size(),
					   (128 - in) * page_size(),
					   POSIX_FADV_WILLNEED));
		in = cached(self->fd, 0, 128);
		nanosleep(&pause, NULL);
	}
	EXPECT_EQ(128, in);
	/* Large folios may reach a little beyond; a whole file would not do. */
	EXPECT_LT(cached(self->fd, 128, 256), 128);
}

/* G7: NOREUSE and NORMAL evict nothing. */
TEST_F(file, noreuse_evicts_nothing)
{
	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_NOREUSE));
	EXPECT_EQ(NR_PAGES, cached(self->fd, 0, NR_PAGES));
	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_NORMAL));
	EXPECT_EQ(NR_PAGES, cached(self->fd, 0, NR_PAGES));
}

/* G8: unknown advice and a negative length are EINVAL, without effect. */
TEST_F(file, refuses_nonsense)
{
	static const int advices[] = {
		-1, 6, 7, 100, 0x7fffffff, POSIX_FADV_DONTNEED | 0x100
	};

	for (size_t i = 0; i < ARRAY_SIZE(advices); i++) {
		errno = 0;
		EXPECT_EQ(EINVAL, posix_fadvise(self->fd, 0, 0, advices[i]));
		/* The C library returns the error and leaves errno alone. */
		EXPECT_EQ(0, errno);
	}
	EXPECT_EQ(EINVAL, evict(self->fd, 0, -1));
	EXPECT_EQ(NR_PAGES, cached(self->fd, 0, NR_PAGES));
}

/* G8: a pipe is ESPIPE, whatever the advice; no file is EBADF. */
TEST(refuses_what_has_no_cache)
{
	int ends[2];

	ASSERT_EQ(0, pipe(ends));
	EXPECT_EQ(ESPIPE, evict(ends[0], 0, 0));
	EXPECT_EQ(ESPIPE, posix_fadvise(ends[0], 0, 0, 100));
	close(ends[0]);
	close(ends[1]);
	EXPECT_EQ(EBADF, evict(ends[0], 0, 0));
}

/* G8: tmpfs accepts every advice and keeps its content. */
TEST(memfd_accepts_and_ignores)
{
	int fd = memfd_create("page_advice", MFD_CLOEXEC);
	char byte = 0x55;

	ASSERT_LE(0, fd);
	ASSERT_EQ(1, write(fd, &byte, 1));
	for (int advice = POSIX_FADV_NORMAL; advice <= POSIX_FADV_NOREUSE;
	     advice++)
		EXPECT_EQ(0, posix_fadvise(fd, 0, 0, advice));
	byte = 0;
	EXPECT_EQ(1, pread(fd, &byte, 1, 0));
	EXPECT_EQ(0x55, byte);
	close(fd);
}

#include "lib/main.h"

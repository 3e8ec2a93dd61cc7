// SPDX-License-Identifier: GPL-2.0
/*
 * What must hold on every file system: each has its own way of putting pages into
 * the page cache and of writing them back, some use folios larger than a page,
 * and one has no disk to which a page could go.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/pages.h"
#include "lib/scratch.h"

/* Many read-ahead windows, the usual ones at least. */
#define STREAM 1024

/* Pages of the largest window with which folios stay small beside the files. */
#define SMALL_WINDOW 64

FIXTURE(on)
{
	int fd;
	size_t len;
	unsigned char *shared;
	/* How many of NR_PAGES advice cannot evict: all where there is no disk. */
	long left;
};

FIXTURE_VARIANT(on)
{
	const char *type;
	bool without_a_disk;
};

FIXTURE_VARIANT_ADD(on, ext4) { .type = "ext4" };
FIXTURE_VARIANT_ADD(on, xfs) { .type = "xfs" };
FIXTURE_VARIANT_ADD(on, btrfs) { .type = "btrfs" };
FIXTURE_VARIANT_ADD(on, f2fs) { .type = "f2fs" };
FIXTURE_VARIANT_ADD(on, tmpfs) { .type = "tmpfs", .without_a_disk = true };

static bool blocks_fit_pages(int fd)
{
	struct statfs status;

	return !fstatfs(fd, &status) &&
	       (size_t)status.f_bsize <= page_size();
}

FIXTURE_SETUP(on)
{
	const char *why;

	self->shared = MAP_FAILED;
	self->len = NR_PAGES * page_size();
	self->left = variant->without_a_disk ? NR_PAGES : 0;
	self->fd = scratch_open_on(variant->type, &why);
	if (self->fd < 0)
		SKIP(return, "%s", why);
	if (!blocks_fit_pages(self->fd))
		SKIP(return, "blocks of %s are larger than pages",
		     variant->type);
	ASSERT_EQ(0, ftruncate(self->fd, self->len));
	if (cached(self->fd, 0, NR_PAGES))
		SKIP(return, "mincore() shows pages that were never read");
	ASSERT_EQ(0, scratch_fill(self->fd, NR_PAGES));
	if (cached(self->fd, 0, NR_PAGES) != NR_PAGES)
		SKIP(return, "mincore() does not show pages just written");
	self->shared = map_alone(NR_PAGES, PROT_READ | PROT_WRITE, MAP_SHARED,
				 self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->shared);
}

FIXTURE_TEARDOWN(on)
{
	unmap_alone(self->shared, NR_PAGES);
	if (self->fd >= 0)
		close(self->fd);
}

static int evict(int fd, off_t from, off_t len)
{
	return posix_fadvise(fd, from, len, POSIX_FADV_DONTNEED);
}

/* A byte of each of pages @from to @to - 1, read as a file; 0 when all came. */
static int read_pages(int fd, size_t from, size_t to)
{
	char byte;

	for (size_t page = from; page < to; page++)
		if (pread(fd, &byte, 1, page * page_size()) != 1)
			return -1;
	return 0;
}

/* The first page whose first or last byte is not that one; NONE if all are. */
static long not_in_file(int fd, unsigned char first, size_t nr)
{
	for (size_t page = 0; page < nr; page++) {
		off_t start = page * page_size();
		unsigned char byte;

		if (pread(fd, &byte, 1, start) != 1 || byte != first)
			return page;
		if (pread(fd, &byte, 1, start + page_size() - 1) != 1 ||
		    byte != page_byte(page))
			return page;
	}
	return NONE;
}

/* G1: clean pages go, whether they were written or read, and can be read again. */
TEST_F(on, clean_pages_go)
{
	ASSERT_EQ(0, evict(self->fd, 0, self->len));
	EXPECT_EQ(self->left, cached(self->fd, 0, NR_PAGES));
	ASSERT_EQ(0, read_pages(self->fd, 0, NR_PAGES));
	ASSERT_EQ(NR_PAGES, cached(self->fd, 0, NR_PAGES));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	EXPECT_EQ(self->left, cached(self->fd, 0, NR_PAGES));
	EXPECT_EQ(NONE, not_kept(self->shared, 0, NR_PAGES));
}

/* G2: dirty pages are not lost; once written back they go. */
TEST_F(on, dirty_pages_go_once_they_are_clean)
{
	unsigned char byte = 0xaa;

	for (size_t page = 0; page < NR_PAGES; page++)
		ASSERT_EQ(1, pwrite(self->fd, &byte, 1, page * page_size()));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	EXPECT_EQ(NONE, not_in_file(self->fd, byte, NR_PAGES));
	ASSERT_EQ(0, fdatasync(self->fd));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	EXPECT_EQ(self->left, cached(self->fd, 0, NR_PAGES));
	EXPECT_EQ(NONE, not_in_file(self->fd, byte, NR_PAGES));
}

/* G3: mapped pages stay, in the middle of others that go; unmapped they go. */
TEST_F(on, mapped_pages_need_two_steps)
{
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_RANDOM));
	ASSERT_EQ(0, read_pages(self->fd, 0, NR_PAGES));
	ASSERT_EQ(0, madvise(self->shared, self->len, MADV_RANDOM));
	touch(self->shared, 20, 40);
	ASSERT_LE(20, present(self->shared, 20, 40));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	EXPECT_EQ(20, cached(self->fd, 20, 40));
	EXPECT_EQ(20, present(self->shared, 20, 40));
	EXPECT_EQ(variant->without_a_disk,
		  cached(self->fd, 0, NR_PAGES) == NR_PAGES);

	ASSERT_EQ(0, madvise(self->shared, self->len, MADV_DONTNEED));
	EXPECT_EQ(0, present(self->shared, 0, NR_PAGES));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	EXPECT_EQ(self->left, cached(self->fd, 0, NR_PAGES));
	EXPECT_EQ(NONE, not_kept(self->shared, 0, NR_PAGES));
}

/* Bytes around the edges of pages 8 and 16, and the pages that are whole. */
static const struct {
	int from, to;
	size_t first, last;
} edges[] = {
	{ .from = 0, .to = 0, .first = 8, .last = 16 },
	{ .from = 1, .to = 0, .first = 9, .last = 16 },
	{ .from = -1, .to = 0, .first = 8, .last = 16 },
	{ .from = 0, .to = -1, .first = 8, .last = 15 },
	{ .from = 0, .to = 1, .first = 8, .last = 16 },
	{ .from = 1, .to = -1, .first = 9, .last = 15 },
};

/* G4: pages that are not wholly in the range stay, those that are go. */
TEST_F(on, partial_pages_stay)
{
	/* Read one by one, so that no folio is larger than a page. */
	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_RANDOM));
	for (size_t i = 0; i < ARRAY_SIZE(edges); i++) {
		size_t first = edges[i].first, last = edges[i].last;
		off_t from = 8 * page_size() + edges[i].from;
		off_t to = 16 * page_size() + edges[i].to;

		ASSERT_EQ(0, evict(self->fd, 0, 0));
		ASSERT_EQ(0, read_pages(self->fd, 0, NR_PAGES));
		ASSERT_EQ(0, evict(self->fd, from, to - from));
		EXPECT_EQ(variant->without_a_disk ? (long)(last - first) : 0,
			  cached(self->fd, first, last))
		{
			TH_LOG("edge %zu", i);
		}
		EXPECT_EQ((long)first, cached(self->fd, 0, first))
		{
			TH_LOG("edge %zu", i);
		}
		EXPECT_EQ((long)(NR_PAGES - last),
			  cached(self->fd, last, NR_PAGES))
		{
			TH_LOG("edge %zu", i);
		}
	}
}

static bool has_small_window(int fd)
{
	long window = scratch_window(fd);

	return window >= 2 && window <= SMALL_WINDOW;
}

/* G4, X2: of folios of any size none goes that reaches beyond the range. */
TEST_F(on, folios_across_an_edge_stay)
{
	size_t from = 9, to = 599;

	if (!variant->without_a_disk && !has_small_window(self->fd))
		SKIP(return, "no read-ahead window of 2 to %d pages",
		     SMALL_WINDOW);
	ASSERT_EQ(0, scratch_fill(self->fd, STREAM));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	ASSERT_EQ(0, read_pages(self->fd, 0, STREAM));
	ASSERT_EQ(STREAM, cached(self->fd, 0, STREAM));
	/* From the second byte of page 8 to the last but one of page 599. */
	ASSERT_EQ(0, evict(self->fd, 8 * page_size() + 1,
			   (600 - 8) * page_size() - 2));
	EXPECT_EQ((long)from, cached(self->fd, 0, from));
	EXPECT_EQ((long)(STREAM - to), cached(self->fd, to, STREAM));
	EXPECT_EQ(variant->without_a_disk,
		  cached(self->fd, from, to) > (long)(to - from) / 2);
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	EXPECT_EQ(variant->without_a_disk ? STREAM : 0,
		  cached(self->fd, 0, STREAM));
}

/* Stream the file page by page; the most pages that were cached ahead. */
static long most_ahead(int fd, int advice)
{
	int reader = scratch_reopen(fd, O_RDONLY);
	long most = -1, ahead;

	if (reader >= 0 && !evict(fd, 0, 0) && !cached(fd, 0, STREAM) &&
	    !posix_fadvise(reader, 0, 0, advice))
		most = 0;
	for (size_t page = 0; page < STREAM / 2 && most >= 0; page++) {
		if (read_pages(reader, page, page + 1))
			most = -1;
		ahead = cached(fd, page + 1, STREAM);
		if (most >= 0 && ahead > most)
			most = ahead;
	}
	close(reader);
	return most;
}

/*
 * G5: RANDOM reads nothing ahead, NORMAL up to two windows, SEQUENTIAL twice as
 * much.
 */
TEST_F(on, sequential_doubles_the_window)
{
	long window = scratch_window(self->fd), normal, sequential;

	if (variant->without_a_disk)
		SKIP(return, "%s has nothing to read ahead", variant->type);
	if (!has_small_window(self->fd))
		SKIP(return, "no read-ahead window of 2 to %d pages",
		     SMALL_WINDOW);
	ASSERT_EQ(0, scratch_fill(self->fd, STREAM));
	EXPECT_EQ(0, most_ahead(self->fd, POSIX_FADV_RANDOM));
	normal = most_ahead(self->fd, POSIX_FADV_NORMAL);
	EXPECT_LT(0, normal);
	EXPECT_GE(2 * window, normal);
	sequential = most_ahead(self->fd, POSIX_FADV_SEQUENTIAL);
	EXPECT_LT(normal * 3 / 2, sequential);
	EXPECT_GE(4 * window, sequential);
}

/* G6: WILLNEED brings the file in, for who asks until all is there. */
TEST_F(on, willneed_fills)
{
	struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
	long in;

	ASSERT_EQ(0, evict(self->fd, 0, 0));
	in = cached(self->fd, 0, NR_PAGES);
	ASSERT_EQ(self->left, in);
	/* Asynchronous: up to 10 s, which a good kernel never takes. */
	for (int i = 0; i < 500 && in < NR_PAGES; i++) {
		ASSERT_EQ(0, posix_fadvise(self->fd, in * page_size(),
					   (NR_PAGES - in) * page_size(),
					   POSIX_FADV_WILLNEED));
		in = cached(self->fd, 0, NR_PAGES);
		nanosleep(&pause, NULL);
	}
	EXPECT_EQ(NR_PAGES, in);
	EXPECT_EQ(NONE, not_kept(self->shared, 0, NR_PAGES));
}

/* B1: the copies of a private mapping are lost, the file shows again. */
TEST_F(on, private_copies_are_lost)
{
	unsigned char *private = map_alone(NR_PAGES, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE, self->fd, 0);

	ASSERT_NE(MAP_FAILED, (void *)private);
	memset(private, 0, self->len);
	ASSERT_EQ(0, madvise(private, self->len, MADV_DONTNEED));
	EXPECT_EQ(NONE, not_kept(private, 0, NR_PAGES));
	unmap_alone(private, NR_PAGES);
}

/* B2: what was written through a mapping is read by read(2), and from the disk. */
TEST_F(on, dirty_mapped_pages_reach_the_disk)
{
	unsigned char byte = 0xaa;

	for (size_t page = 0; page < NR_PAGES; page++)
		*page_at(self->shared, page) = byte;
	ASSERT_EQ(0, madvise(self->shared, self->len, MADV_DONTNEED));
	EXPECT_EQ(0, present(self->shared, 0, NR_PAGES));
	EXPECT_EQ(NONE, not_in_file(self->fd, byte, NR_PAGES));
	ASSERT_EQ(0, fsync(self->fd));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	ASSERT_EQ(self->left, cached(self->fd, 0, NR_PAGES));
	EXPECT_EQ(NONE, not_in_file(self->fd, byte, NR_PAGES));
}

static long major_faults(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? -1 : usage.ru_majflt;
}

/* Unmap and touch all pages again; how many of the faults were major ones. */
static long touch_again(unsigned char *area)
{
	long before, after;

	if (madvise(area, NR_PAGES * page_size(), MADV_DONTNEED) ||
	    present(area, 0, NR_PAGES))
		return -1;
	before = major_faults();
	touch(area, 0, NR_PAGES);
	after = major_faults();
	return after - before;
}

/* B3: clean pages leave the mapping, stay cached and come back without I/O. */
TEST_F(on, clean_pages_come_back_without_io)
{
	touch(self->shared, 0, NR_PAGES);
	EXPECT_EQ(0, touch_again(self->shared));
	EXPECT_EQ(NR_PAGES, cached(self->fd, 0, NR_PAGES));

	/* The control: what was evicted has to be read. */
	ASSERT_EQ(0, madvise(self->shared, self->len, MADV_DONTNEED));
	ASSERT_EQ(0, evict(self->fd, 0, 0));
	ASSERT_EQ(self->left, cached(self->fd, 0, NR_PAGES));
	EXPECT_EQ(!variant->without_a_disk, touch_again(self->shared) > 0);
}

#include "lib/main.h"

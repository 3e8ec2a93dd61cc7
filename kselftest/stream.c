// SPDX-License-Identifier: GPL-2.0
/*
 * A large file read once, in chunks, by a reader who drops what it has consumed:
 * how much of it the page cache has at any time. And what it costs to touch again
 * what MADV_DONTNEED took out of a mapping.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/memcg.h"
#include "lib/pages.h"
#include "lib/scratch.h"

/* The file is so many chunks, and a part of a page. */
#define CHUNKS 10

/* A file and its reader; sizes in bytes but for @pages. */
struct archive {
	int fd, reader;
	size_t size, pages;
	unsigned char *buffer;
};

/* What a reader drops after each read. */
enum rule {
	NOTHING,
	/* The whole pages within what was read: Android's StreamAssetArchive. */
	LAST_READ,
	/* Everything from the start of the file to where it is. */
	ALL_CONSUMED,
};

/* What came of a stream, in pages. */
struct footprint {
	long before, after; /* at most, before and after a read was dropped */
	long end;	    /* when it had ended */
	long wrong;	    /* the first with wrong content, or NONE */
	long across;	    /* within a read and the next */
};

/* A last page in parts is like the start of a whole one. */
static const char *archive_make(struct archive *archive, size_t chunk,
				size_t tail)
{
	const char *why = cached_tells();

	*archive = (struct archive){
		.fd = -1, .reader = -1, .size = CHUNKS * chunk + tail,
	};
	if (why)
		return why;
	archive->pages = (archive->size + page_size() - 1) / page_size();
	archive->fd = scratch_open(&why);
	if (archive->fd < 0)
		return why;
	if (!scratch_has_room(archive->fd, archive->pages))
		return "the scratch directory is full";
	archive->reader = scratch_reopen(archive->fd, O_RDONLY);
	archive->buffer = malloc(chunk);
	return NULL;
}

/* Return: 0 when all of it is on the disk and nothing in the page cache. */
static int archive_write(const struct archive *archive)
{
	if (!archive->buffer || archive->reader < 0 ||
	    scratch_fill(archive->fd, archive->pages) ||
	    ftruncate(archive->fd, archive->size) || fsync(archive->fd) ||
	    posix_fadvise(archive->fd, 0, 0, POSIX_FADV_DONTNEED))
		return -1;
	return cached(archive->fd, 0, archive->pages);
}

static void archive_close(struct archive *archive)
{
	free(archive->buffer);
	if (archive->reader >= 0)
		close(archive->reader);
	if (archive->fd >= 0)
		close(archive->fd);
}

/* Of @len bytes at @offset, the first page that is not as fill() wrote it. */
static long wrong_page(const unsigned char *buffer, size_t offset, size_t len)
{
	while (len) {
		size_t page = offset / page_size();
		size_t n = (page + 1) * page_size() - offset;

		if (n > len)
			n = len;
		if (buffer[0] != page_byte(page) ||
		    memcmp(buffer, buffer + 1, n - 1))
			return page;
		buffer += n;
		offset += n;
		len -= n;
	}
	return NONE;
}

static size_t whole_pages(size_t bytes)
{
	return bytes / page_size() * page_size();
}

/* Return: 0 or an error number. */
static int drop(const struct archive *archive, enum rule rule, size_t offset,
		size_t len)
{
	size_t end = offset + len;

	if (rule == NOTHING)
		return 0;
	if (rule == LAST_READ) {
		len = whole_pages(len);
	} else {
		/* At the end of the file its last page goes, whole or not. */
		len = end < archive->size ? whole_pages(end) : end;
		offset = 0;
	}
	return len ? posix_fadvise(archive->reader, offset, len,
				   POSIX_FADV_DONTNEED) : 0;
}

static long most(long a, long b)
{
	return a > b ? a : b;
}

/* Read it whole, at most @limit bytes at a time. Return: 0 or an error. */
static int stream(const struct archive *archive, size_t limit, enum rule rule,
		  struct footprint *foot)
{
	size_t offset = 0;
	int err = posix_fadvise(archive->reader, 0, archive->size,
				POSIX_FADV_SEQUENTIAL);

	*foot = (struct footprint){ .wrong = NONE };
	while (!err && offset < archive->size) {
		ssize_t n = pread(archive->reader, archive->buffer, limit,
				  offset);

		if (n <= 0)
			return -1;
		if (foot->wrong == NONE)
			foot->wrong = wrong_page(archive->buffer, offset, n);
		foot->before = most(foot->before,
				    cached(archive->fd, 0, archive->pages));
		err = drop(archive, rule, offset, n);
		foot->end = cached(archive->fd, 0, archive->pages);
		foot->after = most(foot->after, foot->end);
		offset += n;
		foot->across += offset % page_size() != 0;
	}
	return err;
}

/*
 * The window as SEQUENTIAL doubles it. A read that is larger has one of its own
 * size. No folio that is read ahead is larger than the window.
 */
static long wide_window(const struct archive *archive, size_t limit)
{
	long window = scratch_window(archive->fd);

	return window < 0 ? -1 : most(2 * window, limit / page_size());
}

FIXTURE(stream)
{
	struct archive archive;
};

/* Pages and bytes: of a chunk, of what a read may return, of the tail. */
FIXTURE_VARIANT(stream)
{
	size_t chunk, read, read_bytes;
	bool ragged_end;
};

FIXTURE_VARIANT_ADD(stream, whole_chunks)
{
	.chunk = 256, .read = 256,
};

FIXTURE_VARIANT_ADD(stream, ragged_end)
{
	.chunk = 256, .read = 256, .ragged_end = true,
};

FIXTURE_VARIANT_ADD(stream, short_reads)
{
	.chunk = 256, .read = 100, .ragged_end = true,
};

FIXTURE_VARIANT_ADD(stream, ragged_reads)
{
	.chunk = 256, .read = 100, .read_bytes = 77, .ragged_end = true,
};

FIXTURE_VARIANT_ADD(stream, reads_below_a_page)
{
	.chunk = 64, .read_bytes = 3001, .ragged_end = true,
};

FIXTURE_VARIANT_ADD(stream, large_chunks)
{
	.chunk = 1024, .read = 1024, .ragged_end = true,
};

FIXTURE_SETUP(stream)
{
	const char *why = archive_make(&self->archive,
				       variant->chunk * page_size(),
				       variant->ragged_end ?
					       page_size() / 3 : 0);

	if (why)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, archive_write(&self->archive));
}

FIXTURE_TEARDOWN(stream)
{
	archive_close(&self->archive);
}

/*
 * G9: who drops all it has consumed never has more in the page cache than a read,
 * two windows, and the folio in which it is; nothing in the end. Who does not drop
 * anything has the file.
 */
TEST_F(stream, footprint_is_bounded)
{
	size_t limit = variant->read * page_size() + variant->read_bytes;
	long window = wide_window(&self->archive, limit);
	struct footprint foot;

	if (window < 0)
		SKIP(return, "sysfs does not tell the read-ahead window");
	if (3 * window > (long)self->archive.pages / 2)
		SKIP(return, "the read-ahead window is as large as the file");
	ASSERT_EQ(0, stream(&self->archive, limit, ALL_CONSUMED, &foot));
	EXPECT_EQ(NONE, foot.wrong);
	EXPECT_GE((long)variant->read + 1 + 3 * window, foot.before);
	EXPECT_GE(3 * window, foot.after);
	EXPECT_EQ(0, foot.end);

	ASSERT_EQ(0, stream(&self->archive, limit, NOTHING, &foot));
	EXPECT_EQ(NONE, foot.wrong);
	EXPECT_EQ((long)self->archive.pages, foot.end);
}

FIXTURE(documented)
{
	struct archive archive;
	size_t chunk;
};

FIXTURE_SETUP(documented)
{
	const char *why;

	self->chunk = 1024 * page_size();
	why = archive_make(&self->archive, self->chunk, page_size() / 3);
	if (why)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, archive_write(&self->archive));
}

FIXTURE_TEARDOWN(documented)
{
	archive_close(&self->archive);
}

/* G9: Android's reader is bounded as well; of the file its last page stays. */
TEST_F(documented, reader_of_whole_chunks_is_bounded)
{
	long window = wide_window(&self->archive, self->chunk);
	struct footprint foot;

	if (window < 0)
		SKIP(return, "sysfs does not tell the read-ahead window");
	ASSERT_EQ(0, stream(&self->archive, self->chunk, LAST_READ, &foot));
	EXPECT_EQ(NONE, foot.wrong);
	EXPECT_GE(1024 + 2 * window, foot.before);
	EXPECT_GE(2 * window, foot.after);
	EXPECT_EQ(1, foot.end);
}

/*
 * G4, G9: but short reads that end within a page leave that page behind, because
 * no range ever covers the whole of it, and all of its folio, which can be large.
 */
TEST_F(documented, ragged_reads_leave_pages)
{
	struct footprint foot;

	ASSERT_EQ(0, stream(&self->archive, self->chunk / 10 + 77, LAST_READ,
			    &foot));
	EXPECT_EQ(NONE, foot.wrong);
	EXPECT_LE(foot.across, foot.end);
	EXPECT_GT((long)self->archive.pages, foot.end);
}

FIXTURE(mapped)
{
	int fd;
	unsigned char *area;
	struct memcg cg;
};

FIXTURE_SETUP(mapped)
{
	const char *why = cached_tells();

	self->area = MAP_FAILED;
	self->cg.dir[0] = '\0';
	self->fd = -1;
	if (why)
		SKIP(return, "%s", why);
	self->fd = scratch_open(&why);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, scratch_fill(self->fd, NR_PAGES));
	self->area = map_alone(NR_PAGES, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	touch(self->area, 0, NR_PAGES);
}

FIXTURE_TEARDOWN(mapped)
{
	unmap_alone(self->area, NR_PAGES);
	if (self->fd >= 0)
		close(self->fd);
	memcg_leave(&self->cg);
}

/* Return: 0 when none of the pages is mapped any more. */
static long unmap_pages(unsigned char *area)
{
	if (madvise(area, NR_PAGES * page_size(), MADV_DONTNEED))
		return -1;
	return present(area, 0, NR_PAGES);
}

/* B3: what the next touch maps again is no major fault; evicted, it is one. */
TEST_F(mapped, next_touch_is_no_major_fault)
{
	const char *why = memcg_enter(&self->cg);
	long before;

	if (why)
		SKIP(return, "%s", why);
	before = memcg_stat(&self->cg, "pgmajfault");
	ASSERT_LE(0, before);
	ASSERT_EQ(0, unmap_pages(self->area));
	touch(self->area, 0, NR_PAGES);
	EXPECT_EQ(before, memcg_stat(&self->cg, "pgmajfault"));

	ASSERT_EQ(0, unmap_pages(self->area));
	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_DONTNEED));
	touch(self->area, 0, NR_PAGES);
	EXPECT_LT(before, memcg_stat(&self->cg, "pgmajfault"));
}

/* Bytes that this process made a disk read; negative if nobody counts them. */
static long bytes_read(void)
{
	FILE *io = fopen("/proc/self/io", "re");
	long value = -1;
	char line[128];

	while (io && value < 0 && fgets(line, sizeof(line), io))
		if (sscanf(line, "read_bytes: %ld", &value) != 1)
			value = -1;
	if (io)
		fclose(io);
	return value;
}

/* B3: ... and makes no disk read; evicted, the whole mapping has to be. */
TEST_F(mapped, next_touch_reads_nothing)
{
	long before = bytes_read();

	if (before < 0)
		SKIP(return, "kernel without CONFIG_TASK_IO_ACCOUNTING");
	ASSERT_EQ(0, unmap_pages(self->area));
	touch(self->area, 0, NR_PAGES);
	EXPECT_EQ(before, bytes_read());

	ASSERT_EQ(0, unmap_pages(self->area));
	ASSERT_EQ(0, posix_fadvise(self->fd, 0, 0, POSIX_FADV_DONTNEED));
	ASSERT_EQ(0, cached(self->fd, 0, NR_PAGES));
	touch(self->area, 0, NR_PAGES);
	EXPECT_LE(before + (long)(NR_PAGES * page_size()), bytes_read());
}

#include "lib/main.h"

// SPDX-License-Identifier: GPL-2.0
/*
 * A writer of much more than its cgroup may hold: reclaim has to wait for the
 * disk, not to kill. Without and with the multi-gen LRU; which of them it is, is
 * up to who runs this.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/memcg.h"
#include "lib/pages.h"
#include "lib/scratch.h"

/* Pages of the limit and of the file. */
#define LIMIT 1024
#define MANY (8 * LIMIT)

/* Pages that one call writes. */
#define CHUNK 16

/* Every word of a page tells which page it is, and where in it. */
static void compose(unsigned long *words, size_t page)
{
	size_t nr = page_size() / sizeof(*words);

	for (size_t i = 0; i < nr; i++)
		words[i] = page * nr + i + 1;
}

static bool write_by_calls(int fd)
{
	size_t len = CHUNK * page_size();
	unsigned char *chunk = malloc(len);

	for (size_t page = 0; chunk && page < MANY; page += CHUNK) {
		for (size_t i = 0; i < CHUNK; i++)
			compose((void *)page_at(chunk, i), page + i);
		if (write(fd, chunk, len) != (ssize_t)len)
			return false;
	}
	free(chunk);
	return chunk;
}

static bool write_by_mapping(int fd)
{
	unsigned char *area;

	if (ftruncate(fd, MANY * page_size()))
		return false;
	area = map_alone(MANY, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (area == MAP_FAILED)
		return false;
	for (size_t page = 0; page < MANY; page++)
		compose((void *)page_at(area, page), page);
	unmap_alone(area, MANY);
	return true;
}

/* The first page that is not as it was composed, or NONE. */
static long differs(int fd)
{
	unsigned long *want = malloc(page_size());
	unsigned long *found = malloc(page_size());
	long page = want && found ? 0 : MANY;

	for (; page < MANY; page++) {
		compose(want, page);
		if (pread(fd, found, page_size(), page * page_size()) !=
			    (ssize_t)page_size() ||
		    memcmp(want, found, page_size()))
			break;
	}
	if (want && found && page == MANY)
		page = NONE;
	free(want);
	free(found);
	return page;
}

FIXTURE(writer)
{
	struct memcg cg;
	int fd;
};

FIXTURE_VARIANT(writer)
{
	bool (*write)(int fd);
};

FIXTURE_VARIANT_ADD(writer, calls)
{
	.write = write_by_calls,
};

FIXTURE_VARIANT_ADD(writer, mapping)
{
	.write = write_by_mapping,
};

/* The test stays outside: it is no candidate for an OOM kill. */
FIXTURE_SETUP(writer)
{
	const char *why = memcg_make(&self->cg, "-writer");
	char limit[32];

	self->fd = -1;
	if (!why)
		self->fd = scratch_open(&why);
	if (self->fd < 0)
		SKIP(return, "%s", why);
	snprintf(limit, sizeof(limit), "%zu", LIMIT * page_size());
	ASSERT_EQ(0, memcg_write(&self->cg, "memory.max", limit));
}

FIXTURE_TEARDOWN(writer)
{
	memcg_remove(&self->cg);
	if (self->fd >= 0)
		close(self->fd);
}

/* M9: it ends, nobody is killed, and all that it wrote is there. */
TEST_F(writer, finishes_without_a_kill)
{
	int status;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid) {
		if (memcg_move(&self->cg, 0))
			_exit(1);
		_exit(variant->write(self->fd) && !fsync(self->fd) ? 0 : 2);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, memcg_event(&self->cg, "oom_kill"));
	/* The limit was met, and not once. */
	EXPECT_LT(1, memcg_event(&self->cg, "max"));
	/* From the disk, as far as it can be had. */
	posix_fadvise(self->fd, 0, 0, POSIX_FADV_DONTNEED);
	EXPECT_EQ(NONE, differs(self->fd));
}

#include "lib/main.h"

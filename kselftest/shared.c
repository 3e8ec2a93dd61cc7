// SPDX-License-Identifier: GPL-2.0
/*
 * Advice on memory that is not the caller's alone: what a child shares since it was
 * forked, and a file that belongs to somebody else.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/lru_gen.h"
#include "lib/memcg.h"
#include "lib/pages.h"
#include "lib/privilege.h"
#include "lib/scratch.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21 /* Linux 5.4 */
#endif

#define MANY 1024
#define FILE_PAGES 64

FIXTURE(shared)
{
	struct memcg cg;
	unsigned char *area;
	int go[2]; /* the child waits for its end */
	pid_t child;
};

FIXTURE_SETUP(shared)
{
	const char *why = memcg_enter(&self->cg);

	self->area = MAP_FAILED;
	if (!why && !has_swap())
		why = "no swap";
	if (!why && memcg_reclaim(&self->cg, 0) && errno == ENOENT)
		why = "kernel without memory.reclaim (5.19)";
	if (why)
		SKIP(return, "%s", why);
	self->area = map_anon(MANY);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
}

FIXTURE_TEARDOWN(shared)
{
	unmap_alone(self->area, MANY);
	memcg_leave(&self->cg);
}

/* Advice may skip what is in use for the moment: three tries. */
static long page_out(unsigned char *area)
{
	for (int i = 0; i < 3 && swapped(area, 0, MANY) < MANY * 9 / 10; i++)
		if (madvise(area, MANY * page_size(), MADV_PAGEOUT))
			return -1;
	return swapped(area, 0, MANY);
}

/*
 * A child that has the same pages and reads one byte of each, tells so, and reads
 * all of them once it is asked.
 */
static void fork_child(struct __test_metadata *_metadata,
		       FIXTURE_DATA(shared) * self)
{
	int told[2];
	char byte = 0;

	ASSERT_EQ(0, pipe(self->go));
	ASSERT_EQ(0, pipe(told));
	self->child = fork();
	ASSERT_LE(0, self->child);
	if (!self->child) {
		close(self->go[1]);
		touch(self->area, 0, MANY);
		if (write(told[1], &byte, 1) != 1 ||
		    read(self->go[0], &byte, 1))
			_exit(1);
		_exit(not_kept(self->area, 0, MANY) == NONE ? 0 : 2);
	}
	close(told[1]);
	EXPECT_EQ(1, read(told[0], &byte, 1));
	close(told[0]);
}

/* 0 if it read what it should. */
static int child_reads(FIXTURE_DATA(shared) * self)
{
	int status = -1;

	close(self->go[0]);
	close(self->go[1]);
	waitpid(self->child, &status, 0);
	return status;
}

/* D3: PAGEOUT leaves what a child shares, until the child is gone. */
TEST_F(shared, pageout_leaves_what_a_child_has)
{
	fork_child(_metadata, self);
	EXPECT_EQ(0, page_out(self->area));
	EXPECT_EQ(MANY, present(self->area, 0, MANY));
	EXPECT_EQ(0, child_reads(self));
	EXPECT_LE(MANY * 9 / 10, page_out(self->area));
	EXPECT_EQ(NONE, not_kept(self->area, 0, MANY));
}

/*
 * C6, C2: pages that a child shares are kept for the child under pressure, also
 * when both only read them since they came from swap: no page table is dirty then.
 */
TEST_F(shared, free_leaves_what_a_child_has)
{
	ASSERT_LE(MANY * 9 / 10, page_out(self->area));
	fork_child(_metadata, self);
	touch(self->area, 0, MANY);
	ASSERT_EQ(MANY, present(self->area, 0, MANY));
	EXPECT_EQ(0, madvise(self->area, MANY * page_size(), MADV_FREE));
	/* Pages that were used stay for a round or two. */
	for (int i = 0; i < 8 && present(self->area, 0, MANY) >= MANY / 2; i++)
		memcg_reclaim(&self->cg, 2 * MANY * page_size());
	if (present(self->area, 0, MANY) >= MANY / 2 && !lru_gen_on()) {
		child_reads(self);
		SKIP(return, "memory.reclaim takes none of them, lru_gen is off");
	}
	EXPECT_GT(MANY / 2, present(self->area, 0, MANY))
	{
		TH_LOG("no pressure");
	}
	EXPECT_EQ(0, child_reads(self));
}

/* The advice of somebody who owns nothing: an exit status. */
enum { ADVISED, HELPLESS, REFUSED, MISREAD };

static int nobody_pages_out(int fd, uid_t owner)
{
	unsigned char *area;

	if (!drop_privilege() || geteuid() == owner)
		return HELPLESS;
	area = map_alone(FILE_PAGES, PROT_READ, MAP_SHARED, fd, 0);
	if (area == MAP_FAILED || not_kept(area, 0, FILE_PAGES) != NONE)
		return MISREAD;
	for (int i = 0; i < 3; i++)
		if (madvise(area, FILE_PAGES * page_size(), MADV_PAGEOUT))
			return REFUSED;
	return ADVISED;
}

/*
 * D3: PAGEOUT leaves the pages of a file that the caller could not write, or it
 * would tell him what others read. The owner's advice takes them.
 */
TEST(pageout_leaves_anothers_file)
{
	const char *why = cached_tells();
	unsigned char *area;
	struct stat file;
	int fd, status;
	pid_t child;

	if (why)
		SKIP(return, "%s", why);
	fd = scratch_open(&why);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, scratch_fill(fd, FILE_PAGES));
	ASSERT_EQ(0, fchmod(fd, 0644));
	ASSERT_EQ(0, fstat(fd, &file));
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(nobody_pages_out(fd, file.st_uid));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	if (WEXITSTATUS(status) == HELPLESS)
		SKIP(return, "no permission to become another user");
	EXPECT_EQ(ADVISED, WEXITSTATUS(status));
	EXPECT_EQ(FILE_PAGES, cached(fd, 0, FILE_PAGES));

	area = map_alone(FILE_PAGES, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)area);
	touch(area, 0, FILE_PAGES);
	for (int i = 0; i < 3 && cached(fd, 0, FILE_PAGES) > FILE_PAGES / 10;
	     i++)
		ASSERT_EQ(0, madvise(area, FILE_PAGES * page_size(),
				     MADV_PAGEOUT));
	EXPECT_GE(FILE_PAGES / 10, cached(fd, 0, FILE_PAGES));
	unmap_alone(area, FILE_PAGES);
	close(fd);
}

#include "lib/main.h"

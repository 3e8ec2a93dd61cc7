// SPDX-License-Identifier: GPL-2.0
/*
 * What madvise(2) promises of MADV_DONTNEED on private anonymous memory: zero
 * fill, accounting, edges of the range, neighbours. Every case names its claim.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/pages.h"

#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24 /* Linux 5.18 */
#endif

FIXTURE(anon)
{
	size_t page_size;
	size_t len;
	unsigned char *area;
};

FIXTURE_SETUP(anon)
{
	self->page_size = page_size();
	self->len = NR_PAGES * self->page_size;
	self->area = map_anon(NR_PAGES);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
}

FIXTURE_TEARDOWN(anon)
{
	unmap_alone(self->area, NR_PAGES);
}

/* A1: after return every page reads zero when it is first read. */
TEST_F(anon, reads_zero)
{
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_DONTNEED));
	EXPECT_EQ(NONE, not_zero(self->area, 0, NR_PAGES));
}

/* A1: a page that is first written is zero but for what is written. */
TEST_F(anon, is_zero_around_a_first_write)
{
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_DONTNEED));
	for (size_t page = 0; page < NR_PAGES; page++) {
		unsigned char *byte =
			page_at(self->area, page) + self->page_size / 2;

		*byte = 0xff;
		EXPECT_EQ(0xff, *byte);
		*byte = 0;
	}
	EXPECT_EQ(NONE, not_zero(self->area, 0, NR_PAGES));
}

/* A1: what is written after the advice stays. */
TEST_F(anon, keeps_what_is_written_after)
{
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_DONTNEED));
	fill(self->area, NR_PAGES);
	EXPECT_EQ(NONE, not_kept(self->area, 0, NR_PAGES));
}

FIXTURE(size)
{
	unsigned char *area;
	size_t nr;
};

FIXTURE_VARIANT(size)
{
	size_t pages;
};

/* Around the batches of 15 and 31 entries, and a table's 512. */
FIXTURE_VARIANT_ADD(size, pages_1)
{
	.pages = 1,
};

FIXTURE_VARIANT_ADD(size, pages_2)
{
	.pages = 2,
};

FIXTURE_VARIANT_ADD(size, pages_3)
{
	.pages = 3,
};

FIXTURE_VARIANT_ADD(size, pages_14)
{
	.pages = 14,
};

FIXTURE_VARIANT_ADD(size, pages_15)
{
	.pages = 15,
};

FIXTURE_VARIANT_ADD(size, pages_16)
{
	.pages = 16,
};

FIXTURE_VARIANT_ADD(size, pages_30)
{
	.pages = 30,
};

FIXTURE_VARIANT_ADD(size, pages_31)
{
	.pages = 31,
};

FIXTURE_VARIANT_ADD(size, pages_32)
{
	.pages = 32,
};

FIXTURE_VARIANT_ADD(size, pages_511)
{
	.pages = 511,
};

FIXTURE_VARIANT_ADD(size, pages_512)
{
	.pages = 512,
};

FIXTURE_VARIANT_ADD(size, pages_513)
{
	.pages = 513,
};

FIXTURE_SETUP(size)
{
	self->nr = variant->pages + 2;
	self->area = map_anon(self->nr);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
}

FIXTURE_TEARDOWN(size)
{
	unmap_alone(self->area, self->nr);
}

/* A1, A2, X2, X4: exactly the range goes, whatever its size. */
TEST_F(size, takes_exactly_the_range)
{
	ASSERT_EQ(kib(self->nr), smaps_kib(self->area, self->nr, "Rss"));
	ASSERT_EQ(0, madvise(page_at(self->area, 1),
			     variant->pages * page_size(), MADV_DONTNEED));
	EXPECT_EQ(kib(2), smaps_kib(self->area, self->nr, "Rss"));
	EXPECT_EQ(NONE, not_kept(self->area, 0, 1));
	EXPECT_EQ(NONE, not_zero(self->area, 1, self->nr - 1));
	EXPECT_EQ(NONE, not_kept(self->area, self->nr - 1, self->nr));
}

/* A2: Rss, Pss and Private_Dirty fall by the range; Size stays. */
TEST_F(anon, falls_from_the_accounts_at_once)
{
	static const char *const fields[] = { "Rss", "Pss", "Private_Dirty",
					      "Anonymous" };

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		ASSERT_EQ(kib(NR_PAGES),
			  smaps_kib(self->area, NR_PAGES, fields[i]));
	ASSERT_EQ(0, madvise(page_at(self->area, 20), 40 * self->page_size,
			     MADV_DONTNEED));
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		EXPECT_EQ(kib(NR_PAGES - 40),
			  smaps_kib(self->area, NR_PAGES, fields[i]));
	EXPECT_EQ(kib(NR_PAGES), smaps_kib(self->area, NR_PAGES, "Size"));
	EXPECT_EQ(0, present(self->area, 20, 60));
	EXPECT_EQ(20, present(self->area, 0, 20));
	EXPECT_EQ(NR_PAGES - 60, present(self->area, 60, NR_PAGES));
}

/* A5: reading memory that is not there takes no page of its own. */
TEST_F(anon, reading_takes_no_page)
{
	if (!has_zero_page())
		SKIP(return, "booted with no_zero_page");
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_DONTNEED));
	touch(self->area, 0, NR_PAGES);
	EXPECT_EQ(0, smaps_kib(self->area, NR_PAGES, "Rss"));
	/* Mapped all the same: the zero page. */
	EXPECT_EQ(NR_PAGES, present(self->area, 0, NR_PAGES));
}

/* A5: a write takes exactly one page. */
TEST_F(anon, writing_takes_one_page)
{
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_DONTNEED));
	*page_at(self->area, 7) = 1;
	EXPECT_EQ(kib(1), smaps_kib(self->area, NR_PAGES, "Rss"));
	EXPECT_EQ(1, present(self->area, 7, 8));
	EXPECT_EQ(1, present(self->area, 0, NR_PAGES));
}

/* A6: a start that is not page-aligned is EINVAL, and nothing is done. */
TEST_F(anon, refuses_an_unaligned_start)
{
	EXPECT_EQ(-1, madvise(self->area + 1, self->page_size, MADV_DONTNEED));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(NONE, not_kept(self->area, 0, NR_PAGES));
}

/* A6: length 0 succeeds and does nothing. */
TEST_F(anon, accepts_length_zero)
{
	EXPECT_EQ(0, madvise(self->area, 0, MADV_DONTNEED));
	EXPECT_EQ(NONE, not_kept(self->area, 0, NR_PAGES));
}

/* A6: the length is rounded up to whole pages. */
TEST_F(anon, rounds_the_length_up)
{
	EXPECT_EQ(0, madvise(self->area, self->page_size + 1, MADV_DONTNEED));
	EXPECT_EQ(NONE, not_zero(self->area, 0, 2));
	EXPECT_EQ(NONE, not_kept(self->area, 2, NR_PAGES));
}

/* A6: a range that wraps around is EINVAL, and nothing is done. */
TEST_F(anon, refuses_a_range_that_wraps)
{
	EXPECT_EQ(-1, madvise(self->area, -self->page_size, MADV_DONTNEED));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(NONE, not_kept(self->area, 0, NR_PAGES));
}

/* A6: a hole is ENOMEM, and all that is mapped on both sides is done. */
TEST_F(anon, does_both_sides_of_a_hole)
{
	size_t hole = NR_PAGES / 2;

	ASSERT_EQ(0, munmap(page_at(self->area, hole), self->page_size));
	EXPECT_EQ(-1, madvise(self->area, self->len, MADV_DONTNEED));
	EXPECT_EQ(ENOMEM, errno);
	EXPECT_EQ(NONE, not_zero(self->area, 0, hole));
	EXPECT_EQ(NONE, not_zero(self->area, hole + 1, NR_PAGES));
}

/*
 * A7: the pages wholly within [@offset, @offset + @len), rounded inward as an
 * allocator must; false when there are none.
 */
static bool whole_pages(size_t offset, size_t len, size_t *from, size_t *to)
{
	*from = (offset + page_size() - 1) / page_size();
	*to = (offset + len) / page_size();
	return *from < *to;
}

/* A7: rounded inward, a release keeps every live byte of both edge pages. */
TEST_F(anon, rounding_inward_keeps_live_bytes)
{
	static const int edges[] = { -2, -1, 0, 1, 2 };

	for (size_t i = 0; i < ARRAY_SIZE(edges) * ARRAY_SIZE(edges); i++) {
		size_t offset = 3 * self->page_size + edges[i / 5];
		size_t end = 6 * self->page_size + edges[i % 5];
		size_t from, to, wrong = 0;

		fill(self->area, 9);
		ASSERT_TRUE(whole_pages(offset, end - offset, &from, &to));
		ASSERT_EQ(0, madvise(page_at(self->area, from),
				     (to - from) * self->page_size,
				     MADV_DONTNEED));
		for (size_t byte = 0; byte < 9 * self->page_size; byte++) {
			size_t page = byte / self->page_size;
			bool dead = page >= from && page < to;

			wrong += self->area[byte] !=
				 (dead ? 0 : page_byte(page));
			/* A byte outside of what was released is alive. */
			wrong += dead && (byte < offset || byte >= end);
		}
		EXPECT_EQ(0, wrong)
		{
			TH_LOG("released %zu to %zu", offset, end);
		}
	}
}

/* A7: rounding outward does destroy the neighbours on the edge pages. */
TEST_F(anon, rounding_outward_destroys_neighbours)
{
	ASSERT_EQ(0, madvise(page_at(self->area, 1), self->page_size / 2,
			     MADV_DONTNEED));
	EXPECT_EQ(NONE, not_zero(self->area, 1, 2));
}

/* A8: after fork only the copy of the caller goes. */
TEST_F(anon, leaves_the_parents_copy)
{
	int status;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid) {
		if (madvise(self->area, self->len, MADV_DONTNEED))
			_exit(1);
		_exit(not_zero(self->area, 0, NR_PAGES) == NONE ? 0 : 2);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(NONE, not_kept(self->area, 0, NR_PAGES));
}

/* A8: and the other way about, while the child holds its copy. */
TEST_F(anon, leaves_the_childs_copy)
{
	int go[2], status;
	char byte = 0;
	pid_t pid;

	ASSERT_EQ(0, pipe(go));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		_exit(not_kept(self->area, 0, NR_PAGES) == NONE ? 0 : 2);
	}
	EXPECT_EQ(0, madvise(self->area, self->len, MADV_DONTNEED));
	EXPECT_EQ(NONE, not_zero(self->area, 0, NR_PAGES));
	EXPECT_EQ(1, write(go[1], &byte, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

FIXTURE(access)
{
	unsigned char *area;
};

FIXTURE_VARIANT(access)
{
	int prot;
};

FIXTURE_VARIANT_ADD(access, none)
{
	.prot = PROT_NONE,
};

FIXTURE_VARIANT_ADD(access, read)
{
	.prot = PROT_READ,
};

FIXTURE_VARIANT_ADD(access, read_exec)
{
	.prot = PROT_READ | PROT_EXEC,
};

FIXTURE_SETUP(access)
{
	self->area = map_anon(NR_PAGES);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	ASSERT_EQ(0,
		  mprotect(self->area, NR_PAGES * page_size(), variant->prot));
}

FIXTURE_TEARDOWN(access)
{
	unmap_alone(self->area, NR_PAGES);
}

/* A9: memory without access is discarded like any other. */
TEST_F(access, is_discarded_without_it)
{
	size_t len = NR_PAGES * page_size();

	ASSERT_EQ(0, madvise(self->area, len, MADV_DONTNEED));
	EXPECT_EQ(0, smaps_kib(self->area, NR_PAGES, "Rss"));
	ASSERT_EQ(0, mprotect(self->area, len, PROT_READ | PROT_WRITE));
	EXPECT_EQ(NONE, not_zero(self->area, 0, NR_PAGES));
}

/* A10: of locked memory nothing goes, and it stays locked. */
TEST_F(anon, refuses_locked_memory)
{
	if (mlock(self->area, self->len))
		SKIP(return, "cannot lock them: %s", strerror(errno));
	EXPECT_EQ(-1, madvise(self->area, self->len, MADV_DONTNEED));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(NONE, not_kept(self->area, 0, NR_PAGES));
	EXPECT_EQ(kib(NR_PAGES), smaps_kib(self->area, NR_PAGES, "Locked"));
}

/* A10, X3: before the locked part it is done, from there on nothing. */
TEST_F(anon, stops_at_the_locked_part)
{
	if (mlock(page_at(self->area, 20), 20 * self->page_size))
		SKIP(return, "cannot lock 20 pages: %s", strerror(errno));
	EXPECT_EQ(-1, madvise(self->area, self->len, MADV_DONTNEED));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(NONE, not_zero(self->area, 0, 20));
	EXPECT_EQ(NONE, not_kept(self->area, 20, NR_PAGES));
}

/* A10: MADV_DONTNEED_LOCKED discards, and the range stays locked. */
TEST_F(anon, dontneed_locked_discards)
{
	if (mlock(self->area, self->len))
		SKIP(return, "cannot lock them: %s", strerror(errno));
	if (madvise(self->area, 0, MADV_DONTNEED_LOCKED))
		SKIP(return, "no MADV_DONTNEED_LOCKED in this kernel");
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_DONTNEED_LOCKED));
	EXPECT_EQ(NONE, not_zero(self->area, 0, NR_PAGES));
	fill(self->area, NR_PAGES);
	EXPECT_EQ(kib(NR_PAGES), smaps_kib(self->area, NR_PAGES, "Locked"));
}

#include "lib/main.h"

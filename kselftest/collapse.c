// SPDX-License-Identifier: GPL-2.0
/*
 * What MADV_COLLAPSE does: base pages become huge ones, wherever a whole huge
 * page lies within the range and nowhere else, and no byte changes.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/huge.h"
#include "lib/memcg.h"
#include "lib/pages.h"
#include "lib/scratch.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21 /* Linux 5.4 */
#endif
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13 */
#endif

/* Three huge pages could be, and some pages more at the end. */
#define NR_HUGE 3
#define NR_MORE 5

/*
 * As often as the kernel says that another try may succeed, ten times at most:
 * somebody may be looking at a page.
 */
static int collapse(unsigned char *area, size_t from, size_t to)
{
	int result = -1;

	errno = EAGAIN;
	for (int i = 0; i < 10 && result && errno == EAGAIN; i++)
		result = madvise(page_at(area, from), (to - from) * page_size(),
				 MADV_COLLAPSE);
	return result;
}

FIXTURE(base)
{
	unsigned char *area;
	size_t huge;
	size_t nr;
};

/* What is missing, for SKIP: found out in an area of its own. */
static const char *collapse_missing(void)
{
	size_t huge = huge_pages();
	const char *why = huge_missing(NR_HUGE + 1);
	unsigned char *area;

	if (why)
		return why;
	area = map_aligned(huge, huge, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		return "no memory";
	base_take(area, huge);
	errno = 0;
	if (syscall(SYS_madvise, area, huge * page_size(), MADV_COLLAPSE)) {
		if (errno == EINVAL)
			why = "no MADV_COLLAPSE in this kernel";
		if (errno == ENOMEM)
			why = "no huge pages to be had";
	}
	unmap_alone(area, huge);
	return why;
}

FIXTURE_SETUP(base)
{
	const char *why = collapse_missing();

	self->area = MAP_FAILED;
	if (why)
		SKIP(return, "%s", why);
	self->huge = huge_pages();
	self->nr = NR_HUGE * self->huge + NR_MORE;
	self->area = map_aligned(self->nr, self->huge, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	base_take(self->area, self->nr);
	ASSERT_EQ(0, smaps_kib(self->area, self->nr, "AnonHugePages"));
}

FIXTURE_TEARDOWN(base)
{
	unmap_alone(self->area, self->nr);
}

/* How much of pages @from to @to - 1 is huge, in KiB. */
static long huge_kib(unsigned char *area, size_t nr)
{
	return smaps_kib(area, nr, "AnonHugePages");
}

/* Is the huge page that begins at @page of the area there? */
static bool is_huge(unsigned char *area, size_t page)
{
	return folio_pages(area, page) == (long)huge_pages();
}

/*
 * D6, X2, X4: of any range the whole huge pages in it become huge, no more and no
 * fewer; the content, also on either side, and Rss stay.
 */
TEST_F(base, takes_whole_huge_pages_only)
{
	static const struct {
		int from_huge, from_page, to_huge, to_page, whole;
	} ranges[] = {
		{ 0, 0, 1, 0, 1 },  { 0, 0, 1, 1, 1 }, { 0, 0, 2, -1, 1 },
		{ 0, 1, 2, 0, 1 },  { 1, -1, 2, 1, 1 }, { 0, 0, 3, 0, 3 },
		{ 0, 1, 3, 0, 2 },  { 0, 0, 3, -1, 2 }, { 0, 1, 3, 5, 2 },
		{ 2, 0, 3, 5, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		size_t from = ranges[i].from_huge * self->huge +
			      ranges[i].from_page;
		size_t to = ranges[i].to_huge * self->huge + ranges[i].to_page;

		base_take(self->area, self->nr);
		ASSERT_EQ(0, collapse(self->area, from, to));
		EXPECT_EQ(kib(ranges[i].whole * self->huge),
			  huge_kib(self->area, self->nr));
		EXPECT_EQ(kib(self->nr),
			  smaps_kib(self->area, self->nr, "Rss"));
		EXPECT_EQ(NONE, not_kept(self->area, 0, self->nr))
		{
			TH_LOG("advised pages %zu to %zu", from, to);
		}
	}
}

/* D6, X4: a range without a whole huge page does nothing, one page more does. */
TEST_F(base, takes_nothing_of_less_than_one)
{
	static const struct {
		int from, to; /* around the second huge page */
	} ranges[] = { { 0, -1 }, { 1, 0 }, { 1, -1 }, { -1, -1 }, { 1, 1 } };

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		size_t from = self->huge + ranges[i].from;
		size_t to = 2 * self->huge + ranges[i].to;

		/* 0 or EINVAL, by where the range lies. */
		if (madvise(page_at(self->area, from),
			    (to - from) * page_size(), MADV_COLLAPSE))
			EXPECT_EQ(EINVAL, errno);
		EXPECT_EQ(0, huge_kib(self->area, self->nr))
		{
			TH_LOG("advised pages %zu to %zu", from, to);
		}
	}
	ASSERT_EQ(0, collapse(self->area, self->huge - 1, 2 * self->huge));
	EXPECT_EQ(kib(self->huge), huge_kib(self->area, self->nr));
	EXPECT_EQ(NONE, not_kept(self->area, 0, self->nr));
}

/* D6, X2: and it is the one in the range that becomes huge, not its neighbour. */
TEST_F(base, takes_the_one_in_the_range)
{
	ASSERT_EQ(0, collapse(self->area, self->huge, 2 * self->huge));
	ASSERT_EQ(kib(self->huge), huge_kib(self->area, self->nr));
	if (folio_pages(self->area, 0) < 0)
		SKIP(return, "no permission to read /proc/kpageflags");
	EXPECT_FALSE(is_huge(self->area, 0));
	EXPECT_TRUE(is_huge(self->area, self->huge));
	EXPECT_FALSE(is_huge(self->area, 2 * self->huge));
}

/* D6: again it is 0, and changes nothing. */
TEST_F(base, may_be_repeated)
{
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, collapse(self->area, 0, self->nr));
		EXPECT_EQ(kib(NR_HUGE * self->huge),
			  huge_kib(self->area, self->nr));
		EXPECT_EQ(NONE, not_kept(self->area, 0, self->nr));
	}
}

/* D6: pages that are not there become part of the huge page, and read zero. */
TEST_F(base, fills_what_is_not_there)
{
	size_t one = self->huge + self->huge / 2;

	syscall(SYS_madvise, page_at(self->area, self->huge),
		(one - self->huge) * page_size(), MADV_DONTNEED);
	syscall(SYS_madvise, page_at(self->area, one + 1),
		(2 * self->huge - one - 1) * page_size(), MADV_DONTNEED);
	ASSERT_EQ(0, collapse(self->area, self->huge, 2 * self->huge));
	EXPECT_EQ(kib(self->huge), huge_kib(self->area, self->nr));
	EXPECT_EQ(kib(self->nr), smaps_kib(self->area, self->nr, "Rss"));
	EXPECT_EQ(NONE, not_kept(self->area, 0, self->huge));
	EXPECT_EQ(NONE, not_zero(self->area, self->huge, one));
	EXPECT_EQ(NONE, not_kept(self->area, one, one + 1));
	EXPECT_EQ(NONE, not_zero(self->area, one + 1, 2 * self->huge));
	EXPECT_EQ(NONE, not_kept(self->area, 2 * self->huge, self->nr));
}

/* D6: where nothing is, nothing can be made huge: EINVAL. */
TEST_F(base, refuses_where_nothing_is)
{
	syscall(SYS_madvise, page_at(self->area, self->huge),
		self->huge * page_size(), MADV_DONTNEED);
	EXPECT_EQ(-1, collapse(self->area, self->huge, 2 * self->huge));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, present(self->area, self->huge, 2 * self->huge));
	EXPECT_EQ(NONE, not_kept(self->area, 0, self->huge));
}

/* D6, A11: part of what became huge can be discarded like any other. */
TEST_F(base, part_is_discarded_and_collapsed_again)
{
	size_t from = self->huge + 1, to = 2 * self->huge - 1;

	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, collapse(self->area, 0, self->nr));
		ASSERT_EQ(kib(NR_HUGE * self->huge),
			  huge_kib(self->area, self->nr));
		ASSERT_EQ(0, madvise(page_at(self->area, from),
				     (to - from) * page_size(), MADV_DONTNEED));
		EXPECT_EQ(kib((NR_HUGE - 1) * self->huge),
			  huge_kib(self->area, self->nr));
		EXPECT_EQ(NONE, not_kept(self->area, 0, from));
		EXPECT_EQ(NONE, not_zero(self->area, from, to));
		EXPECT_EQ(NONE, not_kept(self->area, to, self->nr));
	}
}

/* Up to 6.12 a huge page is only made where at least one page is writable. */
static void write_one_of_each(unsigned char *area)
{
	for (size_t page = 0; page < NR_HUGE * huge_pages();
	     page += huge_pages())
		*page_at(area, page) = page_byte(page);
}

/* D6, D3: swapped-out pages come in, with what was in them. */
TEST_F(base, brings_in_what_is_swapped_out)
{
	/* Some more may come in with the one that is written. */
	long most = self->huge / 2;

	if (!has_swap())
		SKIP(return, "no swap");
	for (int i = 0; i < 3; i++)
		syscall(SYS_madvise, self->area, self->huge * page_size(),
			MADV_PAGEOUT);
	write_one_of_each(self->area);
	ASSERT_LE(most, swapped(self->area, 0, self->huge));
	ASSERT_EQ(0, collapse(self->area, 0, self->huge));
	EXPECT_EQ(kib(self->huge), huge_kib(self->area, self->nr));
	EXPECT_EQ(0, swapped(self->area, 0, self->huge));
	EXPECT_EQ(NONE, not_kept(self->area, 0, self->nr));
}

/* Waits for a byte, then tells by its exit status what it has kept. */
static pid_t holder(unsigned char *area, size_t nr, const int *go)
{
	pid_t pid = fork();
	char byte;

	if (pid)
		return pid;
	close(go[1]);
	if (read(go[0], &byte, 1) != 1)
		_exit(1);
	_exit(not_kept(area, 0, nr) == NONE ? 0 : 2);
}

/* D6, X2: shared with a child, each has its own afterwards, as it was. */
TEST_F(base, leaves_the_childs_copy)
{
	int go[2], status;
	pid_t pid;

	ASSERT_EQ(0, pipe(go));
	pid = holder(self->area, self->nr, go);
	ASSERT_LE(0, pid);
	write_one_of_each(self->area);
	EXPECT_EQ(0, collapse(self->area, 0, self->nr));
	EXPECT_EQ(kib(NR_HUGE * self->huge), huge_kib(self->area, self->nr));
	EXPECT_EQ(NONE, not_kept(self->area, 0, self->nr));
	memset(self->area, 0xff, self->nr * page_size());
	EXPECT_EQ(1, write(go[1], "", 1));
	close(go[0]);
	close(go[1]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* D6: locked memory may become huge, and stays locked. */
TEST_F(base, locked_memory_stays_locked)
{
	if (mlock(self->area, self->nr * page_size()))
		SKIP(return, "cannot lock them: %s", strerror(errno));
	ASSERT_EQ(0, collapse(self->area, 0, self->nr));
	EXPECT_EQ(kib(NR_HUGE * self->huge), huge_kib(self->area, self->nr));
	EXPECT_EQ(kib(self->nr), smaps_kib(self->area, self->nr, "Locked"));
	EXPECT_EQ(NONE, not_kept(self->area, 0, self->nr));
}

/* D6, X3: a hole is ENOMEM, and what is whole on both sides is done. */
TEST_F(base, does_both_sides_of_a_hole)
{
	size_t hole = self->huge + self->huge / 2;

	ASSERT_EQ(0, munmap(page_at(self->area, hole), page_size()));
	EXPECT_EQ(-1, collapse(self->area, 0, self->nr));
	EXPECT_EQ(ENOMEM, errno);
	EXPECT_EQ(kib(2 * self->huge), huge_kib(self->area, self->nr));
	EXPECT_EQ(NONE, not_kept(self->area, 0, hole));
	EXPECT_EQ(NONE, not_kept(self->area, hole + 1, self->nr));
}

/*
 * D6, X3: at memory that may not become huge it stops with EINVAL, wherever that
 * lies: what is before it is done, nothing of it or behind.
 */
TEST_F(base, stops_at_what_may_not_be_huge)
{
	for (size_t stop = 0; stop < NR_HUGE; stop++) {
		base_take(self->area, self->nr);
		ASSERT_EQ(0, syscall(SYS_madvise,
				     page_at(self->area, stop * self->huge),
				     self->huge * page_size(),
				     MADV_NOHUGEPAGE));
		EXPECT_EQ(-1, collapse(self->area, 0, self->nr));
		EXPECT_EQ(EINVAL, errno);
		EXPECT_EQ(kib(stop * self->huge),
			  huge_kib(self->area, self->nr));
		EXPECT_EQ(NONE, not_kept(self->area, 0, self->nr));
	}
}

/* D6: a process that has them disabled for itself gets none: EINVAL. */
TEST_F(base, respects_the_processs_own_switch)
{
	ASSERT_EQ(0, syscall(SYS_prctl, PR_SET_THP_DISABLE, 1, 0, 0, 0));
	EXPECT_EQ(-1, collapse(self->area, 0, self->nr));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, huge_kib(self->area, self->nr));
	EXPECT_EQ(NONE, not_kept(self->area, 0, self->nr));
}

static sigjmp_buf on_fault;

static void fault(int signal)
{
	(void)signal;
	siglongjmp(on_fault, 1);
}

/* Does reading the page end in SIGSEGV? */
static bool faults(unsigned char *page)
{
	sighandler_t old = signal(SIGSEGV, fault);
	static bool done;

	done = false;
	if (!sigsetjmp(on_fault, 1)) {
		touch(page, 0, 1);
		done = true;
	}
	signal(SIGSEGV, old);
	return !done;
}

/* D6, D7: a huge page with a guard page in it is refused, and the guard stays. */
TEST_F(base, leaves_guard_pages)
{
	size_t guard = self->huge + 1;

	if (syscall(SYS_madvise, page_at(self->area, guard), page_size(),
		    MADV_GUARD_INSTALL))
		SKIP(return, "no MADV_GUARD_INSTALL in this kernel");
	EXPECT_EQ(-1, collapse(self->area, self->huge, 2 * self->huge));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, huge_kib(self->area, self->nr));
	EXPECT_TRUE(faults(page_at(self->area, guard)));
	EXPECT_EQ(NONE, not_kept(self->area, 0, guard));
	EXPECT_EQ(NONE, not_kept(self->area, guard + 1, self->nr));
}

/* D6: memory that several have becomes huge for all of them, as it was. */
TEST(shared_memory_becomes_huge)
{
	const char *why = collapse_missing();
	size_t huge = huge_pages(), nr = 2 * huge;
	unsigned char *area, *other;
	int fd;

	if (why)
		SKIP(return, "%s", why);
	fd = memfd_create("collapse", MFD_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, nr * page_size()));
	area = map_aligned(nr, huge, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	other = map_aligned(nr, huge, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)area);
	ASSERT_NE(MAP_FAILED, (void *)other);
	fill(area, nr);
	if (smaps_kib(area, nr, "ShmemPmdMapped"))
		SKIP(return, "shared memory is huge from the start");
	touch(other, 0, nr);
	ASSERT_EQ(0, collapse(area, 1, nr));
	EXPECT_EQ(kib(huge), smaps_kib(area, nr, "ShmemPmdMapped"));
	EXPECT_EQ(NONE, not_kept(area, 0, nr));
	EXPECT_EQ(NONE, not_kept(other, 0, nr));
	unmap_alone(area, nr);
	unmap_alone(other, nr);
	close(fd);
}

/* D6: so does the text of a file, where the kernel was built for it. */
TEST(text_of_a_file_becomes_huge)
{
	const char *why = collapse_missing();
	size_t huge = huge_pages();
	unsigned char *area;
	int fd, text;

	if (why)
		SKIP(return, "%s", why);
	fd = scratch_open(&why);
	if (fd < 0)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, scratch_fill(fd, huge));
	text = scratch_reopen(fd, O_RDONLY);
	ASSERT_LE(0, text);
	/* Not while anybody may write it. */
	close(fd);
	area = map_aligned(huge, huge, PROT_READ | PROT_EXEC, MAP_PRIVATE, text,
			   0);
	ASSERT_NE(MAP_FAILED, (void *)area);
	touch(area, 0, huge);
	if (collapse(area, 0, huge) && errno == EINVAL)
		SKIP(return, "no huge pages for files in this kernel");
	EXPECT_EQ(kib(huge), smaps_kib(area, huge, "FilePmdMapped"));
	EXPECT_EQ(NONE, not_kept(area, 0, huge));
	unmap_alone(area, huge);
	close(text);
}

#include "lib/main.h"

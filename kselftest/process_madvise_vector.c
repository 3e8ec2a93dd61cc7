// SPDX-License-Identifier: GPL-2.0
/*
 * What process_madvise(2) promises of a vector: every element is done, in order,
 * up to the first that fails; the return value says how many bytes that was, and
 * the elements after it are as they were.
 */
#include <errno.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/memcg.h"
#include "lib/pages.h"
#include "lib/remote.h"

/* From where one element begins to where the next one does, in pages. */
#define STRIDE 6

/* The kernel has room for 8 elements (UIO_FASTIOV) without asking for memory. */
static const size_t counts[] = { 2, 8, 9, 17 };

/* Elements of an area of the target, each a mapping of its own. */
struct vector {
	struct remote remote;
	unsigned char *area;
	size_t count;
	struct iovec ranges[17];
};

/* Not all alike, so that bytes are told from elements. */
static size_t pages_of(size_t element)
{
	return 3 + element % 2;
}

/* Ask about one element. */
static long ask(const struct vector *vector, remote_question *question,
		size_t element)
{
	size_t from = element * STRIDE;

	return remote_ask(&vector->remote, question, vector->area, from,
			  from + pages_of(element));
}

static int vector_make(struct vector *vector, size_t count)
{
	int err = 0;

	vector->count = count;
	vector->remote.pid = 0;
	vector->area = map_alone(count * STRIDE, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (vector->area == MAP_FAILED)
		return -1;
	madvise(vector->area, count * STRIDE * page_size(), MADV_NOHUGEPAGE);
	for (size_t i = 0; i < count; i++) {
		struct iovec *range = &vector->ranges[i];

		range->iov_base = page_at(vector->area, i * STRIDE);
		range->iov_len = pages_of(i) * page_size();
		err |= mprotect(range->iov_base, range->iov_len,
				PROT_READ | PROT_WRITE);
	}
	err |= remote_start(&vector->remote);
	for (size_t i = 0; i < count && !err; i++)
		err |= ask(vector, remote_fill, i);
	return err;
}

static void vector_drop(struct vector *vector)
{
	remote_stop(&vector->remote);
	unmap_alone(vector->area, vector->count * STRIDE);
}

static ssize_t vector_advise(const struct vector *vector, int advice)
{
	return process_madvise(vector->remote.pidfd, vector->ranges,
			       vector->count, advice, 0);
}

/* The bytes of elements 0 to @to - 1. */
static ssize_t bytes(const struct vector *vector, size_t to)
{
	ssize_t sum = 0;

	for (size_t i = 0; i < to; i++)
		sum += vector->ranges[i].iov_len;
	return sum;
}

/* Questions that spoil an element. */
static long unmap(unsigned char *area, size_t from, size_t to)
{
	return munmap(page_at(area, from), (to - from) * page_size());
}

static long unmap_one_page(unsigned char *area, size_t from, size_t to)
{
	(void)to;
	return munmap(page_at(area, from + 1), page_size());
}

static long lock(unsigned char *area, size_t from, size_t to)
{
	return mlock(page_at(area, from), (to - from) * page_size());
}

/* What becomes of the element that fails. */
enum fate {
	UNMAPPED,
	ALL_DONE,
	AS_IT_WAS,
};

FIXTURE(fails)
{
	struct memcg cg;
	bool memcg;
};

FIXTURE_VARIANT(fails)
{
	int advice;
	remote_question *left; /* KiB that advice has not yet done */
	remote_question *spoil;
	int shift; /* bytes that the element's start is off */
	int error;
	enum fate fate;
};

FIXTURE_VARIANT_ADD(fails, hole)
{
	.advice = MADV_COLD, .left = remote_referenced, .spoil = unmap,
	.error = ENOMEM, .fate = UNMAPPED,
};

FIXTURE_VARIANT_ADD(fails, hole_inside)
{
	.advice = MADV_COLD, .left = remote_referenced, .spoil = unmap_one_page,
	.error = ENOMEM, .fate = ALL_DONE,
};

FIXTURE_VARIANT_ADD(fails, unaligned)
{
	.advice = MADV_COLD, .left = remote_referenced, .shift = 1,
	.error = EINVAL, .fate = AS_IT_WAS,
};

FIXTURE_VARIANT_ADD(fails, locked)
{
	.advice = MADV_COLD, .left = remote_referenced, .spoil = lock,
	.error = EINVAL, .fate = AS_IT_WAS,
};

FIXTURE_VARIANT_ADD(fails, pageout_of_hole_inside)
{
	.advice = MADV_PAGEOUT, .left = remote_rss, .spoil = unmap_one_page,
	.error = ENOMEM, .fate = ALL_DONE,
};

FIXTURE_VARIANT_ADD(fails, pageout_of_locked)
{
	.advice = MADV_PAGEOUT, .left = remote_rss, .spoil = lock,
	.error = EINVAL, .fate = AS_IT_WAS,
};

FIXTURE_SETUP(fails)
{
	const char *why = remote_missing();

	self->cg.dir[0] = '\0';
	if (!why && variant->advice == MADV_PAGEOUT)
		why = has_swap() ? memcg_enter(&self->cg) : "no swap";
	if (why)
		SKIP(return, "%s", why);
}

FIXTURE_TEARDOWN(fails)
{
	memcg_leave(&self->cg);
}

/* KiB that should be left of an element after the one @at has failed. */
static long should_be_left(enum fate fate, size_t element, size_t at)
{
	if (element == at && fate == UNMAPPED)
		return -1;
	if (element < at || (element == at && fate == ALL_DONE))
		return 0;
	return kib(pages_of(element));
}

/* A vector of @count elements whose element @at is the first that fails. */
static void fail_at(struct __test_metadata *_metadata,
		    const FIXTURE_VARIANT(fails) * variant, size_t count,
		    size_t at)
{
	struct vector vector;
	ssize_t ret;

	EXPECT_EQ(0, vector_make(&vector, count));
	if (variant->spoil && ask(&vector, variant->spoil, at)) {
		vector_drop(&vector);
		SKIP(return, "cannot lock %zu pages", pages_of(at));
	}
	vector.ranges[at].iov_base =
		(char *)vector.ranges[at].iov_base + variant->shift;
	errno = 0;
	ret = vector_advise(&vector, variant->advice);
	EXPECT_EQ(at ? bytes(&vector, at) : -1, ret);
	EXPECT_EQ(at ? 0 : variant->error, errno);
	for (size_t i = 0; i < count; i++) {
		EXPECT_EQ(should_be_left(variant->fate, i, at),
			  ask(&vector, variant->left, i))
		{
			TH_LOG("element %zu of %zu, %zu fails", i, count, at);
		}
		EXPECT_TRUE(i == at || ask(&vector, not_kept, i) == NONE);
	}
	vector_drop(&vector);
}

/* X3, D8: a first element that fails is an error, and nothing after it is done. */
TEST_F(fails, first_element)
{
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		fail_at(_metadata, variant, counts[i], 0);
}

/* X3, D8: a later one ends the call: the bytes before it, done, nothing after. */
TEST_F(fails, middle_element)
{
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		fail_at(_metadata, variant, counts[i], (counts[i] + 1) / 2);
}

/* X3, D8: when the last one fails, all others are done and counted. */
TEST_F(fails, last_element)
{
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		fail_at(_metadata, variant, counts[i], counts[i] - 1);
}

FIXTURE(vector)
{
	struct vector vector;
};

FIXTURE_SETUP(vector)
{
	const char *why = remote_missing();

	self->vector.remote.pid = 0;
	self->vector.area = MAP_FAILED;
	if (why)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, vector_make(&self->vector, 9));
}

FIXTURE_TEARDOWN(vector)
{
	vector_drop(&self->vector);
}

/* KiB of elements @from to @to - 1 that are still referenced. */
static long left(const struct vector *vector, size_t from, size_t to)
{
	long sum = 0;

	for (size_t i = from; i < to; i++)
		sum += ask(vector, remote_referenced, i);
	return sum;
}

/* D8: all elements are done, and all bytes counted. */
TEST_F(vector, is_done_and_counted)
{
	struct vector *vector = &self->vector;

	ASSERT_EQ(bytes(vector, 9) / 1024, left(vector, 0, 9));
	EXPECT_EQ(bytes(vector, 9), vector_advise(vector, MADV_COLD));
	EXPECT_EQ(0, left(vector, 0, 9));
	for (size_t i = 0; i < 9; i++)
		EXPECT_EQ(NONE, ask(vector, not_kept, i));
}

/* D8: elements need no order, and one that comes twice counts twice. */
TEST_F(vector, may_repeat_and_go_back)
{
	struct vector *vector = &self->vector;
	struct iovec *ranges = vector->ranges;
	struct iovec other[4] = { ranges[7], ranges[2], ranges[2], ranges[5] };

	EXPECT_EQ((ssize_t)(ranges[7].iov_len + 2 * ranges[2].iov_len +
			    ranges[5].iov_len),
		  process_madvise(vector->remote.pidfd, other, 4, MADV_COLD,
				  0));
	for (size_t i = 0; i < 9; i++)
		EXPECT_EQ(i == 2 || i == 5 || i == 7 ? 0 : kib(pages_of(i)),
			  ask(vector, remote_referenced, i));
}

/* D8: empty elements are passed over. */
TEST_F(vector, may_have_empty_elements)
{
	struct vector *vector = &self->vector;
	ssize_t all = bytes(vector, 9);

	vector->ranges[0].iov_len = 0;
	vector->ranges[4].iov_len = 0;
	vector->ranges[8].iov_len = 0;
	EXPECT_EQ(all - (ssize_t)((2 * pages_of(0) + pages_of(8)) *
				  page_size()),
		  vector_advise(vector, MADV_COLD));
	for (size_t i = 0; i < 9; i++)
		EXPECT_EQ(i % 4 ? 0 : kib(pages_of(i)),
			  ask(vector, remote_referenced, i));
}

/* D8, X4: a length is rounded up to pages, but counted as it was given. */
TEST_F(vector, counts_the_bytes_given)
{
	struct vector *vector = &self->vector;
	struct iovec *ranges = vector->ranges;

	ranges[0].iov_len = 1;
	ranges[1].iov_len = 2 * page_size() + 1;
	ranges[2].iov_len = 3 * page_size() - 1;
	EXPECT_EQ((ssize_t)(5 * page_size() + 1),
		  process_madvise(vector->remote.pidfd, ranges, 3, MADV_COLD,
				  0));
	EXPECT_EQ(kib(pages_of(0) - 1), ask(vector, remote_referenced, 0));
	EXPECT_EQ(kib(pages_of(1) - 3), ask(vector, remote_referenced, 1));
	EXPECT_EQ(0, ask(vector, remote_referenced, 2));
	EXPECT_EQ(kib(pages_of(3)), ask(vector, remote_referenced, 3));
}

FIXTURE(longest)
{
	struct remote remote;
	unsigned char *area;
};

static struct iovec every_other[IOV_MAX];

/* As many elements as there may be: every other page of one mapping. */
FIXTURE_SETUP(longest)
{
	const char *why = remote_missing();

	self->remote.pid = 0;
	self->area = MAP_FAILED;
	if (why)
		SKIP(return, "%s", why);
	self->area = map_alone(2 * IOV_MAX, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	madvise(self->area, 2 * IOV_MAX * page_size(), MADV_NOHUGEPAGE);
	for (size_t i = 0; i < IOV_MAX; i++) {
		every_other[i].iov_base = page_at(self->area, 2 * i);
		every_other[i].iov_len = page_size();
	}
	ASSERT_EQ(0, remote_start(&self->remote));
	ASSERT_EQ(0, remote_ask(&self->remote, remote_fill, self->area, 0,
				2 * IOV_MAX));
}

FIXTURE_TEARDOWN(longest)
{
	remote_stop(&self->remote);
	unmap_alone(self->area, 2 * IOV_MAX);
}

/* What is still referenced, in KiB. */
#define LEFT() \
	remote_ask(&self->remote, remote_referenced, self->area, 0, 2 * IOV_MAX)

/* D8, X4: IOV_MAX elements are not too many: every other page is done. */
TEST_F(longest, is_done_and_counted)
{
	ASSERT_EQ(kib(2 * IOV_MAX), LEFT());
	EXPECT_EQ((ssize_t)(IOV_MAX * page_size()),
		  process_madvise(self->remote.pidfd, every_other, IOV_MAX,
				  MADV_COLD, 0));
	EXPECT_EQ(kib(IOV_MAX), LEFT());
}

/* X3, X4: ... and ends at the element that fails, wherever it is. */
TEST_F(longest, ends_where_it_fails)
{
	static const size_t fails[] = { 0, 9, IOV_MAX / 2, IOV_MAX - 1 };

	for (size_t i = 0; i < ARRAY_SIZE(fails); i++) {
		struct iovec *range = &every_other[fails[i]];

		range->iov_base = (char *)range->iov_base + 1;
		EXPECT_EQ(fails[i] ? (ssize_t)(fails[i] * page_size()) : -1,
			  process_madvise(self->remote.pidfd, every_other,
					  IOV_MAX, MADV_COLD, 0));
		EXPECT_EQ(kib(2 * IOV_MAX - fails[i]), LEFT());
		range->iov_base = (char *)range->iov_base - 1;
	}
}

FIXTURE(huge_range)
{
	struct remote remote;
	unsigned char *area;
	size_t pages;
};

/* 3 GiB of address space, of which only the two ends have pages. */
FIXTURE_SETUP(huge_range)
{
	const char *why = remote_missing();

	self->remote.pid = 0;
	self->area = MAP_FAILED;
	self->pages = (3UL << 30) / page_size();
	if (!why && sizeof(long) < 8)
		why = "no 3 GiB of addresses";
	if (why)
		SKIP(return, "%s", why);
	self->area = map_alone(self->pages, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			       0);
	if (self->area == MAP_FAILED)
		SKIP(return, "3 GiB cannot be mapped");
	madvise(self->area, self->pages * page_size(), MADV_NOHUGEPAGE);
	ASSERT_EQ(0, remote_start(&self->remote));
	ASSERT_EQ(0, remote_ask(&self->remote, remote_fill, self->area, 0, 1));
	ASSERT_EQ(0, remote_ask(&self->remote, remote_fill, self->area,
				self->pages - 1, self->pages));
}

FIXTURE_TEARDOWN(huge_range)
{
	remote_stop(&self->remote);
	unmap_alone(self->area, self->pages);
}

/*
 * X4: no call does more than INT_MAX bytes, rounded down to pages; what it says
 * is what it did, and the next call can go on from there.
 */
TEST_F(huge_range, says_how_far_it_came)
{
	ssize_t ret = remote_advise(&self->remote, self->area, 0, self->pages,
				    MADV_COLD);
	size_t done = ret / page_size();

	ASSERT_LT(0, ret);
	ASSERT_EQ(0, ret % (ssize_t)page_size());
	EXPECT_EQ(done < self->pages ? kib(1) : 0,
		  remote_ask(&self->remote, remote_referenced, self->area, 0,
			     self->pages));
	EXPECT_EQ((ssize_t)((self->pages - done) * page_size()),
		  remote_advise(&self->remote, self->area, done, self->pages,
				MADV_COLD));
	EXPECT_EQ(0, remote_ask(&self->remote, remote_referenced, self->area, 0,
				self->pages));
}

#include "lib/main.h"

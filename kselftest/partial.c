// SPDX-License-Identifier: GPL-2.0
/*
 * Advice over three mappings of which one cannot take it: what is before that one
 * is done, what is after it is done only if it is a hole, and the answer tells.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/mappings.h"
#include "lib/memcg.h"
#include "lib/pages.h"

/* So many pages that the sum of those that are done tells which they are. */
static const size_t pages[] = { 3, 5, 9 };

#define PARTS ARRAY_SIZE(pages)
#define ALL 17

/* How advice is seen to have been done. */
enum sign { ABSENT, CLEAN, UNREFERENCED, PRESENT, FLAGGED };

/* The row of mappings. */
struct row {
	unsigned char *area;
	struct mapping parts[PARTS];
};

struct call {
	struct advice advice;
	enum sign sign;
	const char *flag;
	enum kind good; /* of two of the parts */
	enum kind bad; /* of the one that cannot take it */
	int err;
	enum content content; /* of what is done */
};

FIXTURE(advice)
{
	struct row row;
};

FIXTURE_VARIANT(advice)
{
	struct call call;
};

FIXTURE_VARIANT_ADD(advice, dontneed_hole)
{
	{ ADVICE(MADV_DONTNEED), ABSENT, NULL,
	  ANON, ANON_HOLE, ENOMEM, ZERO },
};

FIXTURE_VARIANT_ADD(advice, dontneed_locked)
{
	{ ADVICE(MADV_DONTNEED), ABSENT, NULL,
	  ANON, ANON_LOCKED, EINVAL, ZERO },
};

FIXTURE_VARIANT_ADD(advice, dontneed_sealed)
{
	{ ADVICE(MADV_DONTNEED), ABSENT, NULL,
	  ANON, ANON_SEALED, EPERM, ZERO },
};

FIXTURE_VARIANT_ADD(advice, dontneed_locked_hole)
{
	{ ADVICE(MADV_DONTNEED_LOCKED), ABSENT, NULL,
	  ANON_LOCKED, ANON_HOLE, ENOMEM, ZERO },
};

FIXTURE_VARIANT_ADD(advice, dontneed_locked_sealed)
{
	{ ADVICE(MADV_DONTNEED_LOCKED), ABSENT, NULL,
	  ANON_LOCKED, ANON_SEALED, EPERM, ZERO },
};

FIXTURE_VARIANT_ADD(advice, free_hole)
{
	{ ADVICE(MADV_FREE), CLEAN, NULL,
	  ANON, ANON_HOLE, ENOMEM, EITHER },
};

FIXTURE_VARIANT_ADD(advice, free_locked)
{
	{ ADVICE(MADV_FREE), CLEAN, NULL,
	  ANON, ANON_LOCKED, EINVAL, EITHER },
};

FIXTURE_VARIANT_ADD(advice, free_sealed)
{
	{ ADVICE(MADV_FREE), CLEAN, NULL,
	  ANON, ANON_SEALED, EPERM, EITHER },
};

FIXTURE_VARIANT_ADD(advice, free_private_file)
{
	{ ADVICE(MADV_FREE), CLEAN, NULL,
	  ANON, FILE_PRIVATE, EINVAL, EITHER },
};

FIXTURE_VARIANT_ADD(advice, free_shared_anonymous)
{
	{ ADVICE(MADV_FREE), CLEAN, NULL,
	  ANON, SHM_ANON, EINVAL, EITHER },
};

FIXTURE_VARIANT_ADD(advice, remove_hole)
{
	{ ADVICE(MADV_REMOVE), ABSENT, NULL,
	  SHM_ANON, ANON_HOLE, ENOMEM, ZERO },
};

FIXTURE_VARIANT_ADD(advice, remove_private_anonymous)
{
	{ ADVICE(MADV_REMOVE), ABSENT, NULL,
	  SHM_ANON, ANON, EINVAL, ZERO },
};

FIXTURE_VARIANT_ADD(advice, remove_sealed_memfd)
{
	{ ADVICE(MADV_REMOVE), ABSENT, NULL,
	  SHM_MEMFD, SHM_SEALED, EPERM, ZERO },
};

FIXTURE_VARIANT_ADD(advice, remove_read_only_file)
{
	{ ADVICE(MADV_REMOVE), ABSENT, NULL,
	  FILE_SHARED, FILE_READ_ONLY, EACCES, ZERO },
};

FIXTURE_VARIANT_ADD(advice, cold_hole)
{
	{ ADVICE(MADV_COLD), UNREFERENCED, NULL,
	  ANON, ANON_HOLE, ENOMEM, KEPT },
};

FIXTURE_VARIANT_ADD(advice, cold_locked)
{
	{ ADVICE(MADV_COLD), UNREFERENCED, NULL,
	  ANON, ANON_LOCKED, EINVAL, KEPT },
};

FIXTURE_VARIANT_ADD(advice, pageout_hole)
{
	{ ADVICE(MADV_PAGEOUT), ABSENT, NULL,
	  ANON, ANON_HOLE, ENOMEM, KEPT },
};

FIXTURE_VARIANT_ADD(advice, pageout_locked)
{
	{ ADVICE(MADV_PAGEOUT), ABSENT, NULL,
	  ANON, ANON_LOCKED, EINVAL, KEPT },
};

FIXTURE_VARIANT_ADD(advice, populate_read_hole)
{
	{ ADVICE(MADV_POPULATE_READ), PRESENT, NULL,
	  ANON, ANON_HOLE, ENOMEM, ZERO },
};

FIXTURE_VARIANT_ADD(advice, populate_read_no_access)
{
	{ ADVICE(MADV_POPULATE_READ), PRESENT, NULL,
	  ANON, ANON_NO_ACCESS, EINVAL, ZERO },
};

FIXTURE_VARIANT_ADD(advice, populate_write_hole)
{
	{ ADVICE(MADV_POPULATE_WRITE), PRESENT, NULL,
	  SHM_MEMFD, ANON_HOLE, ENOMEM, ZERO },
};

FIXTURE_VARIANT_ADD(advice, populate_write_sealed)
{
	{ ADVICE(MADV_POPULATE_WRITE), PRESENT, NULL,
	  ANON, ANON_SEALED, EINVAL, ZERO },
};

FIXTURE_VARIANT_ADD(advice, random_hole)
{
	{ ADVICE(MADV_RANDOM), FLAGGED, "rr",
	  FILE_SHARED, ANON_HOLE, ENOMEM, KEPT },
};

FIXTURE_VARIANT_ADD(advice, dontdump_hole)
{
	{ ADVICE(MADV_DONTDUMP), FLAGGED, "dd",
	  ANON, ANON_HOLE, ENOMEM, KEPT },
};

FIXTURE_VARIANT_ADD(advice, dontfork_hole)
{
	{ ADVICE(MADV_DONTFORK), FLAGGED, "dc",
	  SHM_MEMFD, ANON_HOLE, ENOMEM, KEPT },
};

FIXTURE_VARIANT_ADD(advice, dontfork_sealed)
{
	{ ADVICE(MADV_DONTFORK), FLAGGED, "dc",
	  ANON, ANON_SEALED, EPERM, KEPT },
};

FIXTURE_VARIANT_ADD(advice, wipeonfork_hole)
{
	{ ADVICE(MADV_WIPEONFORK), FLAGGED, "wf",
	  ANON, ANON_HOLE, ENOMEM, KEPT },
};

FIXTURE_VARIANT_ADD(advice, wipeonfork_shared_file)
{
	{ ADVICE(MADV_WIPEONFORK), FLAGGED, "wf",
	  ANON, FILE_SHARED, EINVAL, KEPT },
};

FIXTURE_VARIANT_ADD(advice, guard_install_hole)
{
	{ ADVICE(MADV_GUARD_INSTALL), ABSENT, NULL,
	  ANON, ANON_HOLE, ENOMEM, ZERO },
};

FIXTURE_VARIANT_ADD(advice, guard_install_locked)
{
	{ ADVICE(MADV_GUARD_INSTALL), ABSENT, NULL,
	  ANON, ANON_LOCKED, EINVAL, ZERO },
};

static const struct mapping none = {
	.area = MAP_FAILED,
	.fd = -1,
	.pool = -1,
};

FIXTURE_SETUP(advice)
{
	for (size_t part = 0; part < PARTS; part++)
		self->row.parts[part] = none;
	self->row.area = MAP_FAILED;
	if (unknown_advice(variant->call.advice.value))
		SKIP(return, "no %s in this kernel", variant->call.advice.name);
	if (variant->call.advice.value == MADV_PAGEOUT && !has_swap())
		SKIP(return, "no swap");
}

FIXTURE_TEARDOWN(advice)
{
	for (size_t part = 0; part < PARTS; part++)
		mapping_drop(&self->row.parts[part]);
	unmap_alone(self->row.area, ALL);
}

/*
 * One after the other, the bad one being the nth; or what is missing. In a new
 * place, as what was sealed cannot be taken away.
 */
static const char *place(struct row *row, const struct call *call, size_t nth)
{
	const char *why = NULL;
	unsigned char *at;

	for (size_t part = 0; part < PARTS; part++)
		mapping_drop(&row->parts[part]);
	unmap_alone(row->area, ALL);
	row->area = map_alone(ALL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
	if (row->area == MAP_FAILED)
		return "no memory";
	at = row->area;
	for (size_t part = 0; part < PARTS && !why; part++) {
		struct mapping *m = &row->parts[part];
		enum kind kind = part == nth ? call->bad : call->good;

		if (kind == ANON_HOLE)
			munmap(at, pages[part] * page_size());
		else
			why = mapping_place(m, kind, at, pages[part],
					    call->sign == PRESENT);
		at = page_at(at, pages[part]);
	}
	return why;
}

/* How many of the @nr pages that are mapped are as the advice makes them. */
static long count_done(unsigned char *area, const struct call *call, long nr)
{
	switch (call->sign) {
	case ABSENT:
		return nr - present(area, 0, ALL);
	case CLEAN:
		return nr - smaps_kib(area, ALL, "Private_Dirty") / kib(1);
	case UNREFERENCED:
		return nr - smaps_kib(area, ALL, "Referenced") / kib(1);
	case PRESENT:
		return present(area, 0, ALL);
	case FLAGGED:
		return flagged(area, 0, ALL, call->flag);
	}
	return -1;
}

/* Does it pass over the bad part? Prefaulting stops even at a hole. */
static bool goes_on(const struct call *call)
{
	return call->bad == ANON_HOLE && call->sign != PRESENT;
}

static bool is_done(const struct call *call, size_t part, size_t nth)
{
	return part < nth || (part > nth && goes_on(call));
}

/* Reclaim may leave one of ten pages, and is asked again then. */
static long advise(struct row *row, const struct call *call, long mapped,
		   long want, int *err)
{
	bool reclaims = call->advice.value == MADV_PAGEOUT;
	int tries = reclaims ? 3 : 1;
	long done = -1;

	while (tries-- && done < want) {
		bool bad = madvise(row->area, ALL * page_size(),
				   call->advice.value);

		*err = bad ? errno : 0;
		done = count_done(row->area, call, mapped);
	}
	if (reclaims && done < want && done >= want * 9 / 10)
		return want;
	return done;
}

/* Of what is done, and of what is not, which is as it was. */
static bool content_is_right(const struct call *call, struct mapping *m,
			     bool done)
{
	enum content before = call->sign == PRESENT ? ZERO : KEPT;

	if (m->area == MAP_FAILED)
		return true; /* the hole */
	if (done && call->advice.value == MADV_GUARD_INSTALL)
		return !readable(m->area);
	return mapping_not(m, done ? call->content : before, 0, m->nr) == NONE;
}

/* X3: with what cannot take it first, in the middle and last. */
TEST_F(advice, does_what_comes_before)
{
	const struct call *call = &variant->call;
	struct row *row = &self->row;

	for (size_t nth = 0; nth < PARTS; nth++) {
		long mapped = ALL, want = 0, done;
		const char *why = place(row, call, nth);
		int err = -1;

		if (why && !nth)
			SKIP(return, "%s", why);
		ASSERT_EQ(NULL, (void *)why);
		if (call->bad == ANON_HOLE)
			mapped -= pages[nth];
		for (size_t part = 0; part < PARTS; part++)
			want += is_done(call, part, nth) ? pages[part] : 0;
		ASSERT_EQ(0, count_done(row->area, call, mapped));
		done = advise(row, call, mapped, want, &err);
		EXPECT_EQ(call->err, err)
		{
			TH_LOG("part %zu cannot take it", nth);
		}
		EXPECT_EQ(want, done)
		{
			TH_LOG("of 3, 5, 9 pages part %zu cannot take it", nth);
		}
		for (size_t part = 0; part < PARTS; part++) {
			struct mapping *m = &row->parts[part];
			bool was_done = is_done(call, part, nth);

			EXPECT_TRUE(content_is_right(call, m, was_done))
			{
				TH_LOG("content of part %zu, part %zu cannot take it",
				       part, nth);
			}
		}
	}
}

#include "lib/main.h"

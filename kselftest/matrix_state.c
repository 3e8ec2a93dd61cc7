// SPDX-License-Identifier: GPL-2.0
/*
 * Every advice of madvise(2) that is about the mapping, or about pages that are
 * not there yet, against every kind of mapping: flags, what a child gets, what
 * is prefaulted, guard pages. Advice that is about pages is in matrix.c.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/mappings.h"
#include "lib/matrix.h"
#include "lib/pages.h"

#define BIT(kind) (1u << (kind))
#define ANY_ANON                                                               \
	(BIT(ANON) | BIT(ANON_NO_ACCESS) | BIT(ANON_LOCKED) |                  \
	 BIT(ANON_SEALED) | BIT(ANON_GUARD) | BIT(ANON_HOLE))
#define ANY_DISK (BIT(FILE_PRIVATE) | BIT(FILE_SHARED) | BIT(FILE_READ_ONLY))

/* Of the table below. */
enum { FORK = 8, WIPE };

/*
 * Advice that sets a flag of the mapping and the advice that clears it. Kinds of
 * mapping may refuse the first, or take it and pay no attention.
 */
static const struct flag {
	struct advice set, clear;
	const char *flag;
	unsigned int invalid, sealed, ignored;
	/* Newer kernels refuse to clear it, although they let it be set. */
	unsigned int stuck;
} flags[] = {
	{ .set = ADVICE(MADV_RANDOM), ADVICE(MADV_NORMAL), .flag = "rr" },
	{ .set = ADVICE(MADV_RANDOM), ADVICE(MADV_SEQUENTIAL), .flag = "rr" },
	{ .set = ADVICE(MADV_SEQUENTIAL), ADVICE(MADV_NORMAL), .flag = "sr" },
	{ .set = ADVICE(MADV_SEQUENTIAL), ADVICE(MADV_RANDOM), .flag = "sr" },
	{ .set = ADVICE(MADV_DONTDUMP), ADVICE(MADV_DODUMP), .flag = "dd" },
	{ .set = ADVICE(MADV_HUGEPAGE), ADVICE(MADV_NOHUGEPAGE), .flag = "hg" },
	{ .set = ADVICE(MADV_NOHUGEPAGE), ADVICE(MADV_HUGEPAGE), .flag = "nh" },
	/* Only what is private can have pages that merge. */
	{ .set = ADVICE(MADV_MERGEABLE), ADVICE(MADV_UNMERGEABLE), .flag = "mg",
	  .ignored = ~(ANY_ANON | BIT(FILE_PRIVATE)) },
	/* A seal keeps a child from having anything but what its parent has. */
	[FORK] = { .set = ADVICE(MADV_DONTFORK), ADVICE(MADV_DOFORK),
		   .flag = "dc", .sealed = BIT(ANON_SEALED),
		   .stuck = BIT(HUGETLB) },
	/* Only what has no file, not even one that the kernel made. */
	[WIPE] = { .set = ADVICE(MADV_WIPEONFORK), ADVICE(MADV_KEEPONFORK),
		   .flag = "wf", .sealed = BIT(ANON_SEALED),
		   .invalid = ~ANY_ANON },
};

/* How many pages have a flag, before the range, in it, and after it. */
static void count_flag(struct mapping *m, const char *flag, long *counts)
{
	const size_t edges[] = { 0, m->from, m->to, m->nr };

	flagged_between(m->area, edges, 3, flag, counts);
}

/* Those of the range, and those around it, which never change. */
static void check_flag(struct __test_metadata *_metadata, struct mapping *m,
		       const char *name, const char *flag, long want,
		       const long *before)
{
	long now[3];

	count_flag(m, flag, now);
	EXPECT_EQ(want, now[1])
	{
		TH_LOG("%s: pages of the range with \"%s\"", name, flag);
	}
	EXPECT_EQ(before[0], now[0])
	{
		TH_LOG("%s: pages before the range with \"%s\"", name, flag);
	}
	EXPECT_EQ(before[2], now[2])
	{
		TH_LOG("%s: pages after the range with \"%s\"", name, flag);
	}
}

static enum outcome setting(const struct flag *flag, enum kind kind)
{
	if (flag->sealed & BIT(kind))
		return SEALED;
	return flag->invalid & BIT(kind) ? INVALID : NOTHING;
}

/* Return: whether the flag is clear then. */
static bool clear(struct __test_metadata *_metadata, struct mapping *m,
		  const struct flag *flag)
{
	int err = advise(m, flag->clear.value);

	if (err == EINVAL && flag->stuck & BIT(m->kind))
		return false;
	check_answer(_metadata, m, &flag->clear, NOTHING, err);
	return true;
}

/* X1, X2: advice about the mapping shows in VmFlags, of the range alone. */
TEST_F(mapping, shows_advice_in_vmflags)
{
	struct mapping *m = &self->m;
	const struct advice last = { "all of them", 0 };
	/* A guard page is in the mapping, a hole is not. */
	long all = m->to - m->from - (m->kind == ANON_HOLE);

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		const struct flag *flag = &flags[i];
		enum outcome want = setting(flag, m->kind);
		bool sets = want == NOTHING && !(flag->ignored & BIT(m->kind));
		long before[3];

		if (unknown_advice(flag->set.value)) {
			TH_LOG("not in this kernel: %s", flag->set.name);
			continue;
		}
		count_flag(m, flag->flag, before);
		if (clear(_metadata, m, flag))
			check_flag(_metadata, m, flag->clear.name, flag->flag,
				   0, before);
		check_answer(_metadata, m, &flag->set, want,
			     advise(m, flag->set.value));
		check_flag(_metadata, m, flag->set.name, flag->flag,
			   sets ? all : 0, before);
		if (clear(_metadata, m, flag))
			check_flag(_metadata, m, flag->clear.name, flag->flag,
				   0, before);
	}
	check_pages(_metadata, m, &last, NOTHING);
}

enum seen { SAME, ABSENT, WIPED };

static bool mapped(unsigned char *page)
{
	unsigned char resident;

	return !mincore(page, page_size(), &resident);
}

/* What the child has of the range; 0, or what is wrong. */
static int look(struct mapping *m, enum seen want)
{
	bool absent = want == ABSENT;

	if (mapping_not(m, KEPT, 0, m->from) != NONE ||
	    mapping_not(m, KEPT, m->to, m->nr) != NONE)
		return 1;
	for (size_t page = m->from; page < m->to; page++)
		if (page != m->gap && mapped(page_at(m->area, page)) == absent)
			return 2;
	if (absent)
		return 0;
	if (mapping_not(m, want == WIPED ? ZERO : KEPT, m->from, m->to) != NONE)
		return 3;
	return 0;
}

static int look_in_a_child(struct mapping *m, enum seen want)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(look(m, want));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* X1: a child gets of the range what was advised, and all of what is around. */
TEST_F(mapping, gives_a_child_what_is_advised)
{
	static const struct {
		struct advice advice;
		enum seen seen;
		const struct flag *flag;
	} steps[] = {
		{ ADVICE(MADV_WIPEONFORK), WIPED, &flags[WIPE] },
		{ ADVICE(MADV_KEEPONFORK), SAME, &flags[WIPE] },
		{ ADVICE(MADV_DONTFORK), ABSENT, &flags[FORK] },
		{ ADVICE(MADV_DOFORK), SAME, &flags[FORK] },
	};
	struct mapping *m = &self->m;
	enum seen seen = SAME;
	const struct advice last = { "all of them", 0 };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		int err = advise(m, steps[i].advice.value);
		int wrong;

		if (!err || (m->kind == ANON_HOLE && err == ENOMEM))
			seen = steps[i].seen;
		if (steps[i].seen != SAME)
			check_answer(_metadata, m, &steps[i].advice,
				     setting(steps[i].flag, m->kind), err);
		wrong = look_in_a_child(m, seen);
		EXPECT_EQ(0, wrong)
		{
			TH_LOG("%s: 1 is around, 2 is mapped, 3 is content",
			       steps[i].advice.name);
		}
	}
	check_pages(_metadata, m, &last, NOTHING);
}

static const struct advice populates[] = {
	ADVICE(MADV_POPULATE_READ),
	ADVICE(MADV_POPULATE_WRITE),
};

/* Without permission nothing comes; a gap stops it. */
static const int populated[NR_KINDS][ARRAY_SIZE(populates)] = {
	[ANON_NO_ACCESS] = { EINVAL, EINVAL },
	[ANON_SEALED] = { 0, EINVAL },
	[ANON_GUARD] = { EFAULT, EFAULT },
	[ANON_HOLE] = { ENOMEM, ENOMEM },
	[FILE_READ_ONLY] = { 0, EINVAL },
};

/* X1, X2, D5: what may be prefaulted is, up to a gap, and nothing else. */
TEST_F(mapping, prefaults_what_it_may)
{
	struct mapping *m = &self->m;
	bool disk = BIT(m->kind) & ANY_DISK;
	enum content content = m->kind == FILE_PRIVATE ? FROM_FILE :
			       disk			   ? KEPT :
							     ZERO;

	for (size_t i = 0; i < ARRAY_SIZE(populates); i++) {
		int want = populated[m->kind][i], err;
		size_t end = want == EINVAL ? m->from :
			     want	    ? m->gap :
					      m->to;

		if (unknown_advice(populates[i].value))
			SKIP(return, "no %s in this kernel", populates[i].name);
		mapping_drop(m);
		ASSERT_EQ(NULL, (void *)mapping_fresh(m, m->kind, NR_PAGES));
		ASSERT_EQ(0, present(m->area, 0, m->nr));
		err = advise(m, populates[i].value);
		EXPECT_EQ(want, err)
		{
			TH_LOG("%s", populates[i].name);
		}
		EXPECT_EQ((long)(end - m->from),
			  present(m->area, m->from, m->to));
		/* A read fault maps what is cached around it, too. */
		if (!disk || i)
			EXPECT_EQ((long)(end - m->from),
				  present(m->area, 0, m->nr));
		EXPECT_EQ(NONE, mapping_not(m, content, 0, m->nr));
	}
}

/* What guard pages can be in; for files it depends on the kernel. */
static const enum outcome guarded[NR_KINDS] = {
	[ANON] = ZEROED,	  [ANON_NO_ACCESS] = ZEROED,
	[ANON_LOCKED] = INVALID,  [ANON_SEALED] = SEALED,
	[ANON_GUARD] = ZEROED,	  [ANON_HOLE] = ZEROED,
	[SHM_ANON] = UNMAPPED,	  [SHM_MEMFD] = UNMAPPED,
	[SHM_SEALED] = UNMAPPED,  [SHM_TMPFS] = UNMAPPED,
	[FILE_PRIVATE] = REREAD,  [FILE_SHARED] = UNMAPPED,
	[FILE_READ_ONLY] = UNMAPPED, [HUGETLB] = INVALID,
};

/* X1, X2, D7: guard pages are where they may be, and only there. */
TEST_F(mapping, guards_what_it_may)
{
	static const struct advice install = ADVICE(MADV_GUARD_INSTALL);
	static const struct advice remove = ADVICE(MADV_GUARD_REMOVE);
	struct mapping *m = &self->m;
	enum outcome want = guarded[m->kind];
	int err;

	if (unknown_advice(MADV_GUARD_INSTALL))
		SKIP(return, "no MADV_GUARD_INSTALL in this kernel");
	err = advise(m, MADV_GUARD_INSTALL);
	if (err == EINVAL && (want == UNMAPPED || want == REREAD))
		want = INVALID; /* before Linux 6.15 */
	check_answer(_metadata, m, &install, want, err);
	if (outcomes[want].pages == STAY) {
		check_pages(_metadata, m, &install, want);
		return;
	}
	EXPECT_EQ(0, present(m->area, m->from, m->to));
	for (size_t page = m->from; page < m->to; page++)
		EXPECT_FALSE(readable(page_at(m->area, page)));
	check_around(_metadata, m, install.name);
	check_answer(_metadata, m, &remove, want, advise(m, MADV_GUARD_REMOVE));
	if (m->kind == ANON_GUARD)
		m->gap = m->nr;
	check_pages(_metadata, m, &remove, want);
}

#include "lib/main.h"

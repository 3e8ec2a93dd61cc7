// SPDX-License-Identifier: GPL-2.0
/*
 * What prctl(2) promises of PR_SET_VMA_ANON_NAME: the name shows, is copied,
 * follows the mapping when it is split, and bad ones are refused.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/pages.h"
#include "lib/scratch.h"

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

#define NAME_MAX_CHARS 79

static int set_name(void *start, size_t len, const char *name)
{
	return prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, (unsigned long)start,
		     len, (unsigned long)name);
}

/* E5: a kernel without it says EINVAL to a good name, too. */
static bool kernel_has_names(void)
{
	unsigned char *area =
		map_alone(1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool has = area != MAP_FAILED && !set_name(area, page_size(), "probe");

	unmap_alone(area, 1);
	return has;
}

/*
 * The mappings that begin within the @nr pages of @area: their names in @names,
 * "" for none.
 *
 * Return: how many, at most @max; negative if they cannot be read.
 */
static int names_of(unsigned char *area, size_t nr, char names[][256], int max)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long low = (unsigned long)area, start, end;
	char line[512];
	int n = 0;

	if (!maps)
		return -1;
	while (n < max && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx", &start, &end) != 2 || start < low ||
		    start >= low + nr * page_size())
			continue;
		if (sscanf(line, "%*s %*s %*s %*s %*s %255[^\n]",
			   names[n]) != 1)
			names[n][0] = '\0';
		n++;
	}
	fclose(maps);
	return n;
}

FIXTURE(name)
{
	unsigned char *area;
	size_t len;
	char names[4][256];
};

FIXTURE_VARIANT(name)
{
	int flags;
	const char *prefix;
};

FIXTURE_VARIANT_ADD(name, private_anon)
{
	.flags = MAP_PRIVATE | MAP_ANONYMOUS, .prefix = "anon",
};

FIXTURE_VARIANT_ADD(name, shared_anon)
{
	.flags = MAP_SHARED | MAP_ANONYMOUS, .prefix = "anon_shmem",
};

FIXTURE_SETUP(name)
{
	self->area = MAP_FAILED;
	if (!kernel_has_names())
		SKIP(return, "kernel without CONFIG_ANON_VMA_NAME");
	self->len = 9 * page_size();
	self->area =
		map_alone(9, PROT_READ | PROT_WRITE, variant->flags, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	fill(self->area, 9);
}

FIXTURE_TEARDOWN(name)
{
	unmap_alone(self->area, 9);
}

/* "[anon:x]" or "[anon_shmem:x]", as this mapping shows the name x. */
#define EXPECT_NAME(index, name_)					\
	do {								\
		char want[256];						\
		snprintf(want, sizeof(want), "[%s:%s]", variant->prefix, name_); \
		EXPECT_STREQ(want, self->names[index]);			\
	} while (0)

/* E1: the name shows in maps, and takes nothing away. */
TEST_F(name, shows)
{
	ASSERT_EQ(0, set_name(self->area, self->len, "an arena"));
	ASSERT_EQ(1, names_of(self->area, 9, self->names, 4));
	EXPECT_NAME(0, "an arena");
	EXPECT_EQ(NONE, not_kept(self->area, 0, 9));
}

/* E1: Rss and Pss are those of the named mapping. */
TEST_F(name, has_its_own_accounts)
{
	ASSERT_EQ(0, set_name(self->area, self->len, "arena"));
	EXPECT_EQ(kib(9), smaps_kib(self->area, 9, "Rss"));
	EXPECT_EQ(kib(9), smaps_kib(self->area, 9, "Pss"));
	ASSERT_EQ(0, madvise(self->area, self->len, MADV_DONTNEED));
	EXPECT_EQ(0, smaps_kib(self->area, 9, "Rss"));
	ASSERT_EQ(1, names_of(self->area, 9, self->names, 4));
	EXPECT_NAME(0, "arena");
}

/* E1: NULL clears it, another name replaces it. */
TEST_F(name, is_replaced_and_cleared)
{
	ASSERT_EQ(0, set_name(self->area, self->len, "one"));
	ASSERT_EQ(0, set_name(self->area, self->len, "two"));
	ASSERT_EQ(1, names_of(self->area, 9, self->names, 4));
	EXPECT_NAME(0, "two");
	ASSERT_EQ(0, set_name(self->area, self->len, NULL));
	ASSERT_EQ(1, names_of(self->area, 9, self->names, 4));
	EXPECT_EQ(NULL, strstr(self->names[0], "two"));
}

/* E3: the kernel has its own copy: the caller's buffer may change. */
TEST_F(name, is_copied)
{
	char buffer[] = "before";

	ASSERT_EQ(0, set_name(self->area, self->len, buffer));
	memset(buffer, 'x', sizeof(buffer) - 1);
	ASSERT_EQ(1, names_of(self->area, 9, self->names, 4));
	EXPECT_NAME(0, "before");
}

/* E1, E4: a part is named alone; named like its neighbours it merges again. */
TEST_F(name, splits_and_merges)
{
	ASSERT_EQ(0, set_name(self->area, self->len, "all"));
	ASSERT_EQ(0, set_name(page_at(self->area, 3), 3 * page_size(), "mid"));
	ASSERT_EQ(3, names_of(self->area, 9, self->names, 4));
	EXPECT_NAME(0, "all");
	EXPECT_NAME(1, "mid");
	EXPECT_NAME(2, "all");
	ASSERT_EQ(0, set_name(page_at(self->area, 3), 3 * page_size(), "all"));
	EXPECT_EQ(1, names_of(self->area, 9, self->names, 4));
}

/* E4: a mapping that is split for another reason keeps the name in all parts. */
TEST_F(name, stays_with_the_parts)
{
	ASSERT_EQ(0, set_name(self->area, self->len, "arena"));
	ASSERT_EQ(0,
		  mprotect(page_at(self->area, 3), 3 * page_size(), PROT_READ));
	ASSERT_EQ(3, names_of(self->area, 9, self->names, 4));
	for (int i = 0; i < 3; i++)
		EXPECT_NAME(i, "arena");
}

/* E2: a hole is ENOMEM, and what is mapped is named all the same. */
TEST_F(name, names_both_sides_of_a_hole)
{
	ASSERT_EQ(0, munmap(page_at(self->area, 4), page_size()));
	EXPECT_EQ(-1, set_name(self->area, self->len, "arena"));
	EXPECT_EQ(ENOMEM, errno);
	ASSERT_EQ(2, names_of(self->area, 9, self->names, 4));
	EXPECT_NAME(0, "arena");
	EXPECT_NAME(1, "arena");
}

/* E2: the longest name is 79 characters; one more is EINVAL. */
TEST_F(name, has_at_most_79_characters)
{
	char longest[NAME_MAX_CHARS + 2];

	memset(longest, 'n', sizeof(longest));
	longest[NAME_MAX_CHARS + 1] = '\0';
	EXPECT_EQ(-1, set_name(self->area, self->len, longest));
	EXPECT_EQ(EINVAL, errno);
	longest[NAME_MAX_CHARS] = '\0';
	ASSERT_EQ(0, set_name(self->area, self->len, longest));
	ASSERT_EQ(1, names_of(self->area, 9, self->names, 4));
	EXPECT_NAME(0, longest);
}

/* E2: every byte is taken or refused as the man page lists them. */
TEST_F(name, takes_printable_characters_only)
{
	for (int byte = 1; byte < 256; byte++) {
		char text[] = { 'a', (char)byte, 'z', '\0' };
		bool good = byte >= ' ' && byte <= '~' &&
			    !strchr("\\`$[]", byte);

		ASSERT_EQ(0, set_name(self->area, self->len, "old"));
		EXPECT_EQ(good ? 0 : -1, set_name(self->area, self->len, text))
		{
			TH_LOG("byte 0x%02x", byte);
		}
		if (!good)
			EXPECT_EQ(EINVAL, errno);
		ASSERT_EQ(1, names_of(self->area, 9, self->names, 4));
		EXPECT_NAME(0, good ? text : "old");
	}
}

/* E2: an unaligned address is EINVAL, a pointer to nowhere EFAULT. */
TEST_F(name, refuses_bad_addresses)
{
	ASSERT_EQ(0, set_name(self->area, self->len, "old"));
	EXPECT_EQ(-1, set_name(self->area + 1, page_size(), "new"));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, set_name(self->area, self->len, (const char *)8));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(1, names_of(self->area, 9, self->names, 4));
	EXPECT_NAME(0, "old");
}

/* E5: a good name is taken and shown, or the feature is not there: EINVAL. */
TEST(good_name_is_shown_or_einval)
{
	char names[1][256];
	unsigned char *area;
	bool taken;

	area = map_alone(1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)area);
	taken = !set_name(area, page_size(), "good");
	if (!taken)
		EXPECT_EQ(EINVAL, errno);
	ASSERT_EQ(1, names_of(area, 1, names, 1));
	EXPECT_STREQ(taken ? "[anon:good]" : "", names[0]);
	unmap_alone(area, 1);
}

/* E2: a file mapping is EBADF and keeps the file's name. */
TEST(file_mapping_is_refused)
{
	char names[1][256];
	unsigned char *area;
	const char *why;
	int fd;

	if (!kernel_has_names())
		SKIP(return, "kernel without CONFIG_ANON_VMA_NAME");
	fd = scratch_open(&why);
	if (fd < 0)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, scratch_fill(fd, 1));
	area = map_alone(1, PROT_READ, MAP_PRIVATE, fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)area);
	EXPECT_EQ(-1, set_name(area, page_size(), "new"));
	EXPECT_EQ(EBADF, errno);
	ASSERT_EQ(1, names_of(area, 1, names, 1));
	EXPECT_NE(NULL, strstr(names[0], "page_advice-"));
	unmap_alone(area, 1);
	close(fd);
}

#include "lib/main.h"

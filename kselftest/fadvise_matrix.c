// SPDX-License-Identifier: GPL-2.0
/*
 * Every advice of posix_fadvise(2) on every kind of file: what it returns, and
 * what becomes of the page cache. What is expected is in tables; mm/fadvise.c is
 * where it comes from.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "lib/mappings.h"
#include "lib/pages.h"
#include "lib/scratch.h"

static const struct {
	const char *name;
	int value;
} known[] = {
	{ "POSIX_FADV_NORMAL", POSIX_FADV_NORMAL },
	{ "POSIX_FADV_RANDOM", POSIX_FADV_RANDOM },
	{ "POSIX_FADV_SEQUENTIAL", POSIX_FADV_SEQUENTIAL },
	{ "POSIX_FADV_WILLNEED", POSIX_FADV_WILLNEED },
	{ "POSIX_FADV_DONTNEED", POSIX_FADV_DONTNEED },
	{ "POSIX_FADV_NOREUSE", POSIX_FADV_NOREUSE },
};

/* A file, and what holds it. */
struct object {
	int fd; /* that is advised */
	int other; /* to read and write the same file, or to be closed */
};

static const char *because(const char *what)
{
	static char text[128];

	snprintf(text, sizeof(text), "%s: %s", what, strerror(errno));
	return text;
}

/* A scratch file, through a second descriptor with other flags. */
static const char *open_scratch(struct object *object, int flags)
{
	const char *why;

	object->other = scratch_open(&why);
	if (object->other < 0)
		return why;
	if (scratch_fill(object->other, NR_PAGES))
		return because("the scratch file cannot be filled");
	object->fd = scratch_reopen(object->other, flags);
	return object->fd < 0 ? because("open") : NULL;
}

static const char *open_path(struct object *object, const char *path, int flags)
{
	object->fd = open(path, flags | O_CLOEXEC);
	return object->fd < 0 ? because(path) : NULL;
}

static const char *open_zero(struct object *object, int flags)
{
	return open_path(object, "/dev/zero", flags);
}

static const char *open_directory(struct object *object, int flags)
{
	const char *dir = getenv("PAGE_ADVICE_DIR");

	return open_path(object, dir ? dir : ".", flags);
}

static const char *open_proc(struct object *object, int flags)
{
	return open_path(object, "/proc/self/maps", flags);
}

static const char *open_pipe(struct object *object, int flags)
{
	int ends[2];

	if (pipe2(ends, flags))
		return because("pipe2");
	object->fd = ends[0];
	object->other = ends[1];
	return NULL;
}

static const char *open_socket(struct object *object, int flags)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | flags, 0, ends))
		return because("no sockets");
	object->fd = ends[0];
	object->other = ends[1];
	return NULL;
}

static const char *open_eventfd(struct object *object, int flags)
{
	object->fd = eventfd(0, flags);
	return object->fd < 0 ? because("eventfd") : NULL;
}

/* Memory as a file, or a file in memory. */
static const char *open_memory(struct object *object, int flags)
{
	struct mapping m;
	const char *why = mapping_make(&m, flags, NR_PAGES);

	object->fd = dup(m.fd);
	mapping_drop(&m);
	return why;
}

static const char *open_closed(struct object *object, int flags)
{
	(void)flags;
	object->fd = -1;
	return NULL;
}

FIXTURE(object)
{
	struct object it;
};

FIXTURE_VARIANT(object)
{
	const char *(*open)(struct object *object, int flags);
	int flags;
	/* Of known advice, unknown advice, and a negative length. */
	int known, unknown, negative;
	bool cache; /* has pages that can be evicted */
	bool content; /* has pages at all */
};

/*
 * The mode of the descriptor does not matter, only that it is a real one. What
 * has no device behind it takes all advice but ignores it; FIFOs are told from
 * all others before anything else is looked at.
 */
FIXTURE_VARIANT_ADD(object, file)
{
	open_scratch, O_RDWR, 0, EINVAL, EINVAL, true, true,
};

FIXTURE_VARIANT_ADD(object, read_only)
{
	open_scratch, O_RDONLY, 0, EINVAL, EINVAL, true, true,
};

FIXTURE_VARIANT_ADD(object, write_only)
{
	open_scratch, O_WRONLY, 0, EINVAL, EINVAL, true, true,
};

FIXTURE_VARIANT_ADD(object, o_path)
{
	open_scratch, O_PATH, EBADF, EBADF, EBADF, false, true,
};

FIXTURE_VARIANT_ADD(object, memfd)
{
	open_memory, SHM_MEMFD, 0, EINVAL, EINVAL, false, true,
};

FIXTURE_VARIANT_ADD(object, sealed_memfd)
{
	open_memory, SHM_SEALED, 0, EINVAL, EINVAL, false, true,
};

FIXTURE_VARIANT_ADD(object, tmpfs)
{
	open_memory, SHM_TMPFS, 0, EINVAL, EINVAL, false, true,
};

FIXTURE_VARIANT_ADD(object, directory)
{
	open_directory, O_DIRECTORY, 0, EINVAL, EINVAL, false, false,
};

FIXTURE_VARIANT_ADD(object, zero_device)
{
	open_zero, O_RDWR, 0, EINVAL, EINVAL, false, false,
};

FIXTURE_VARIANT_ADD(object, proc_file)
{
	open_proc, O_RDONLY, 0, EINVAL, EINVAL, false, false,
};

FIXTURE_VARIANT_ADD(object, event)
{
	open_eventfd, EFD_CLOEXEC, 0, EINVAL, EINVAL, false, false,
};

FIXTURE_VARIANT_ADD(object, socket)
{
	open_socket, SOCK_CLOEXEC, 0, EINVAL, EINVAL, false, false,
};

FIXTURE_VARIANT_ADD(object, pipe)
{
	open_pipe, O_CLOEXEC, ESPIPE, ESPIPE, ESPIPE, false, false,
};

FIXTURE_VARIANT_ADD(object, closed)
{
	open_closed, 0, EBADF, EBADF, EBADF, false, false,
};

FIXTURE_SETUP(object)
{
	const char *why;

	self->it = (struct object){ .fd = -1, .other = -1 };
	why = variant->open(&self->it, variant->flags);
	if (why)
		SKIP(return, "%s", why);
}

FIXTURE_TEARDOWN(object)
{
	if (self->it.fd >= 0)
		close(self->it.fd);
	if (self->it.other >= 0)
		close(self->it.other);
}

/* The first page that is not what it was; NONE if there is no such page. */
static long spoilt(struct object *object)
{
	int fd = object->other >= 0 ? object->other : object->fd;
	unsigned char *area =
		map_alone(NR_PAGES, PROT_READ, MAP_SHARED, fd, 0);
	long page = 0;

	if (area != MAP_FAILED)
		page = not_kept(area, 0, NR_PAGES);
	unmap_alone(area, NR_PAGES);
	return page;
}

/* What is in the cache; of what has none to be evicted, all that there is. */
static long resident(struct object *object)
{
	return cached(object->other >= 0 ? object->other : object->fd, 0,
		      NR_PAGES);
}

/* X1, G8: every advice has its answer, and DONTNEED alone evicts anything. */
TEST_F(object, answers_known_advice)
{
	const char *wrong = variant->cache ? cached_tells() : NULL;

	if (wrong)
		SKIP(return, "%s", wrong);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		int err = posix_fadvise(self->it.fd, 0, 0, known[i].value);
		bool evicts = variant->cache &&
			      known[i].value == POSIX_FADV_DONTNEED;
		long here = variant->content ? resident(&self->it) : 0;
		long want = variant->content && !evicts ? NR_PAGES : 0;

		EXPECT_EQ(variant->known, err)
		{
			TH_LOG("%s", known[i].name);
		}
		EXPECT_EQ(want, here)
		{
			TH_LOG("%s: pages in the cache", known[i].name);
		}
		EXPECT_EQ(NONE, variant->content ? spoilt(&self->it) : NONE)
		{
			TH_LOG("%s: content", known[i].name);
		}
	}
}

static bool is_known(int value)
{
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		found |= value == known[i].value;
	return found;
}

/* X1, G8: advice is a number: what is unknown is refused, and evicts nothing. */
TEST_F(object, refuses_unknown_advice)
{
	static const int values[] = {
		-1, -POSIX_FADV_DONTNEED, ~POSIX_FADV_DONTNEED, INT_MIN, INT_MAX,
		4, 5, 6, 7, 8, 9, 16, 32, 64, 100,
		POSIX_FADV_DONTNEED | POSIX_FADV_SEQUENTIAL,
		POSIX_FADV_DONTNEED | POSIX_FADV_WILLNEED,
		POSIX_FADV_DONTNEED | 0x100, POSIX_FADV_DONTNEED | 0x10000,
		POSIX_FADV_DONTNEED | INT_MIN,
	};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		int err;

		if (is_known(values[i]))
			continue;
		err = posix_fadvise(self->it.fd, 0, 0, values[i]);
		EXPECT_EQ(variant->unknown, err)
		{
			TH_LOG("advice %d", values[i]);
		}
	}
	if (variant->content)
		EXPECT_EQ(NR_PAGES, resident(&self->it));
}

/* X1, G8: a negative length is refused, whatever the advice. */
TEST_F(object, refuses_a_negative_length)
{
	static const off_t lengths[] = { -1, -2, LLONG_MIN };

	for (size_t i = 0; i < ARRAY_SIZE(known) * ARRAY_SIZE(lengths); i++) {
		off_t len = lengths[i % ARRAY_SIZE(lengths)];
		size_t advice = i / ARRAY_SIZE(lengths);
		int err = posix_fadvise(self->it.fd, 0, len,
					known[advice].value);

		EXPECT_EQ(variant->negative, err)
		{
			TH_LOG("%s, length %lld", known[advice].name,
			       (long long)len);
		}
	}
	if (variant->content)
		EXPECT_EQ(NR_PAGES, resident(&self->it));
}

/* X1, G1: DONTNEED | RANDOM is NOREUSE: two advices in one are a third. */
TEST(takes_ored_advice_as_another)
{
	int ored = POSIX_FADV_DONTNEED | POSIX_FADV_RANDOM;
	struct object object = { -1, -1 };
	const char *why = cached_tells();

	if (!why)
		why = open_scratch(&object, O_RDWR);
	if (why)
		SKIP(return, "%s", why);
	if (ored != POSIX_FADV_NOREUSE)
		SKIP(return, "another number on this architecture");
	EXPECT_EQ(0, posix_fadvise(object.fd, 0, 0, ored));
	EXPECT_EQ(NR_PAGES, resident(&object));
	EXPECT_EQ(0, posix_fadvise(object.fd, 0, 0, POSIX_FADV_DONTNEED));
	EXPECT_EQ(0, resident(&object));
	close(object.fd);
	close(object.other);
}

#include "lib/main.h"

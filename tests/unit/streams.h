/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Record streams made up for tests, written by the guest's own writer, and
 * random changes to them that are the same in every run of a test.
 */
#ifndef RECLAIMLAB_TESTS_STREAMS_H
#define RECLAIMLAB_TESTS_STREAMS_H

#include "synthetic.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "../../harness/record/stream.h"

/* What a writer put into the file behind its descriptor; to be freed. */
SYNTHETIC char *written(int fd, size_t *len)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text;

	assert_true(size >= 0);
	text = xcalloc((size_t)size + 1, 1);
	assert_int_equal(pread(fd, text, (size_t)size, 0), size);
	*len = (size_t)size;
	return text;
}

SYNTHETIC struct rl_writer *writer_open(void)
{
	struct rl_writer *w = xcalloc(1, sizeof(*w));

	w->fd = memfd_create("stream", MFD_CLOEXEC);
	assert_true(w->fd >= 0);
	return w;
}

SYNTHETIC void writer_close(struct rl_writer *w)
{
	close(w->fd);
	free(w);
}

/*
 * A stream from its lines without number and checksum, "phase 1 setup" for
 * one; NULL ends them. To be freed.
 */
SYNTHETIC char *stream_text(const char *const *lines, size_t *len)
{
	struct rl_writer *w = writer_open();
	char *text;

	for (; *lines; lines++) {
		/* Any type will do: the line's own is put in its place. */
		w->len = (size_t)snprintf(w->line, sizeof(w->line), "rl %llu",
					  (unsigned long long)w->seq);
		rl_line_add(w, "%s", *lines);
		assert_int_equal(rl_line_finish(w), 0);
	}
	text = written(w->fd, len);
	writer_close(w);
	return text;
}

/* xorshift64; the same numbers everywhere. */
SYNTHETIC uint64_t random_next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Change, drop, double or add a few bytes of @text, which has room for @room. */
SYNTHETIC size_t mutate(char *text, size_t len, size_t room, uint64_t *x)
{
	static const char likely[] = " =*-0129\n#rle\0\xff";
	int changes = 1 + (int)(random_next(x) % 4);

	while (changes--) {
		size_t at = len ? random_next(x) % len : 0;
		char byte = likely[random_next(x) % (sizeof(likely) - 1)];

		switch (random_next(x) % 4) {
		case 0: /* change */
			if (len)
				text[at] = byte;
			break;
		case 1: /* add */
			if (len + 1 >= room)
				break;
			memmove(text + at + 1, text + at, len - at);
			text[at] = byte;
			len++;
			break;
		case 2: /* drop */
			if (!len)
				break;
			memmove(text + at, text + at + 1, len - at - 1);
			len--;
			break;
		case 3: /* cut, rarely */
			if (random_next(x) % 8 == 0)
				len = at;
			break;
		}
	}
	text[len] = '\0';
	return len;
}

/*
 * @takes() is given @times changed copies of @text: whatever it is, it must
 * come back.
 *
 * Return: how many it took for good.
 */
SYNTHETIC int try_mutations(const char *text, int times, uint64_t seed,
			    bool (*takes)(const char *text, void *data),
			    void *data)
{
	size_t len = strlen(text), room = len + 64;
	char *copy = xcalloc(room, 1);
	int good = 0;

	for (int i = 0; i < times; i++) {
		memcpy(copy, text, len + 1);
		mutate(copy, len, room, &seed);
		good += takes(copy, data);
	}
	free(copy);
	return good;
}

#endif

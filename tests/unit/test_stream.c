// SPDX-License-Identifier: GPL-2.0
/* One line of the record stream: what is written is read, all else is refused. */
#include "streams.h"

static void test_crc(void **state)
{
	(void)state;
	/* The check value of CRC-32 in every list of them. */
	assert_int_equal(rl_crc32("123456789", 9), 0xcbf43926);
	assert_int_equal(rl_crc32("", 0), 0);
}

static void test_round_trip(void **state)
{
	struct rl_writer *w = writer_open();
	size_t len;
	char *text, *newline;

	(void)state;
	for (int type = 0; type < RL_NR_TYPES; type++) {
		rl_line_start(w, type);
		rl_line_add(w, "%d=%s", type, "x");
		rl_line_add(w, "last");
		assert_int_equal(rl_line_finish(w), 0);
	}
	text = written(w->fd, &len);
	newline = text;
	for (int type = 0; type < RL_NR_TYPES; type++) {
		char *start = newline, *fields, *field;
		struct rl_line line;
		char want[8];

		newline = strchr(start, '\n');
		assert_non_null(newline);
		*newline++ = '\0';
		assert_null(rl_line_parse(start, &line));
		assert_int_equal(line.seq, type);
		assert_int_equal(line.type, type);
		snprintf(want, sizeof(want), "%d=x", type);
		fields = line.fields;
		assert_string_equal(rl_next_field(&fields), want);
		assert_string_equal(rl_next_field(&fields), "last");
		field = rl_next_field(&fields);
		assert_null(field);
	}
	assert_int_equal(newline - text, len);
	free(text);
	writer_close(w);
}

/* A line started anew drops the unfinished one. */
static void test_restart(void **state)
{
	struct rl_writer *w = writer_open();
	size_t len;
	char *text;

	(void)state;
	rl_line_start(w, RL_NOTE);
	rl_line_add(w, "lost");
	rl_line_start(w, RL_END);
	rl_line_add(w, "ok");
	assert_int_equal(rl_line_finish(w), 0);
	text = written(w->fd, &len);
	assert_int_equal(strncmp(text, "rl 0 end ok *", 13), 0);
	free(text);
	writer_close(w);
}

/* Room for the checksum is never given away; once too long is failed for good. */
static void test_too_long(void **state)
{
	char *filler = xcalloc(RL_LINE_MAX + 1, 1);
	bool failed = false;
	size_t shortest = 0, longest = 0;

	(void)state;
	for (size_t n = RL_LINE_MAX - 40; n <= RL_LINE_MAX; n++) {
		struct rl_writer *w = writer_open();
		size_t len;
		char *text;

		memset(filler, 'x', n);
		filler[n] = '\0';
		rl_line_start(w, RL_NOTE);
		rl_line_add(w, "%s", filler);
		if (rl_line_finish(w)) {
			if (!failed)
				shortest = n;
			failed = true;
			rl_line_start(w, RL_NOTE);
			assert_int_equal(rl_line_finish(w), -1);
		} else {
			assert_false(failed);
			longest = n;
		}
		text = written(w->fd, &len);
		assert_true(len <= RL_LINE_MAX);
		assert_int_equal(!len, failed);
		free(text);
		writer_close(w);
	}
	assert_int_equal(longest + 1, shortest);
	free(filler);
}

static void test_cannot_write(void **state)
{
	struct rl_writer *w = writer_open();
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_true(full >= 0);
	assert_int_equal(dup2(full, w->fd), w->fd);
	close(full);
	rl_line_start(w, RL_END);
	assert_int_equal(rl_line_finish(w), -1);
	assert_true(w->failed);
	writer_close(w);
}

/* The texts have no checksum; a right one is added, so that the rest is read. */
static const struct {
	const char *text, *wrong;
} bad_lines[] = {
	{ "", "line does not begin with rl" },
	{ "x 0 end ok", "line does not begin with rl" },
	{ "rl", "line has no number" },
	{ "rl end", "line has no number" },
	{ "rl -1 end", "line has no number" },
	{ "rl 1x end", "line has no number" },
	{ "rl 99999999999999999999 end", "line has no number" },
	{ "rl 0", "unknown record type" },
	{ "rl 0 ends", "unknown record type" },
	{ "rl 0 END", "unknown record type" },
};

static void test_bad_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad_lines); i++) {
		const char *text = bad_lines[i].text, *wrong;
		struct rl_line line;
		char *whole = xasprintf("%s *%08x", text,
					rl_crc32(text, strlen(text)));

		wrong = rl_line_parse(whole, &line);
		if (!wrong || strcmp(wrong, bad_lines[i].wrong))
			fail_msg("\"%s\": %s", text, wrong ? wrong : "taken");
		free(whole);
	}
}

/* No byte can change without the checksum telling. */
static void test_every_byte_counts(void **state)
{
	static const char text[] = "rl 7 sample 1000 0=5 1=-3";
	char *good = xasprintf("%s *%08x", text, rl_crc32(text, strlen(text)));

	(void)state;
	for (size_t i = 0; i < strlen(good); i++) {
		for (int byte = 1; byte < 256; byte++) {
			char *bad = xasprintf("%s", good);
			struct rl_line line;

			bad[i] = (char)byte;
			if (byte != (unsigned char)good[i])
				assert_non_null(rl_line_parse(bad, &line));
			free(bad);
		}
	}
	for (size_t len = 0; len < strlen(good); len++) {
		char *cut = xasprintf("%.*s", (int)len, good);
		struct rl_line line;

		assert_non_null(rl_line_parse(cut, &line));
		free(cut);
	}
	free(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crc),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_restart),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_cannot_write),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_every_byte_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

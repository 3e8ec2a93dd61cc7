// SPDX-License-Identifier: GPL-2.0
/* The cache of finished runs, and files that are whole or absent. */
#include "fork.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>

#include "store.h"

static void test_keeps(void **state)
{
	json_t *record = json_pack("{s:i, s:[i]}", "b", 1, "a", 2), *back;

	assert_null(store_get(*state, "key"));
	assert_int_equal(store_put(*state, "key", record), 0);
	back = store_get(*state, "key");
	assert_true(json_equal(back, record));
	json_decref(back);
	assert_null(store_get(*state, "other"));
	json_decref(record);
}

static void get(void *dir)
{
	exit(store_get(dir, "key") ? 1 : 0);
}

/* What is damaged is said to be and counts as absent. */
static void test_damaged(void **state)
{
	static const char *const texts[] = { "", "{", "[1]", "{\"a\":1}x",
					     "{\"a\":1,\"a\":2}" };
	char *path = xasprintf("%s/runs/key.json", (char *)*state);
	json_t *record = json_object();
	char *said;

	assert_int_equal(store_put(*state, "key", record), 0);
	json_decref(record);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(write_file(path, texts[i], strlen(texts[i])),
				 0);
		assert_int_equal(in_child(get, *state, &said), 0);
		assert_non_null(strstr(said, "is damaged and not used\n"));
		free(said);
	}
	free(path);
}

/* A second caller waits until the first is done. */
static void test_lock_excludes(void **state)
{
	int lock = store_lock(*state, "key"), report[2];
	struct pollfd event = { .events = POLLIN };
	char byte;
	pid_t pid;

	assert_true(lock >= 0);
	assert_int_equal(pipe2(report, O_CLOEXEC), 0);
	event.fd = report[0];
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(lock);
		lock = store_lock(*state, "key");
		if (lock >= 0 && write(report[1], "x", 1) == 1)
			store_unlock(*state, "key", lock);
		_exit(0);
	}
	close(report[1]);
	/* Never wrong: a child that is slow has not got it, either. */
	assert_int_equal(poll(&event, 1, 300), 0);
	store_unlock(*state, "key", lock);
	assert_int_equal(read(report[0], &byte, 1), 1);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(report[0]);
}

static void test_locks_of_other_runs(void **state)
{
	int one = store_lock(*state, "one"), two = store_lock(*state, "two");
	char *path = xasprintf("%s/runs/one.lock", (char *)*state);

	assert_true(one >= 0 && two >= 0);
	store_unlock(*state, "one", one);
	store_unlock(*state, "two", two);
	assert_int_equal(access(path, F_OK), -1);
	free(path);
}

static void test_cache_directory(void **state)
{
	static const struct {
		const char *xdg, *home, *want;
	} rows[] = {
		{ "/x", "/h", "/x/reclaimlab" },
		{ NULL, "/h", "/h/.cache/reclaimlab" },
		{ "", "/h", "/h/.cache/reclaimlab" },
		{ "relative", "/h", "/h/.cache/reclaimlab" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *is;

		if (rows[i].xdg)
			setenv("XDG_CACHE_HOME", rows[i].xdg, 1);
		else
			unsetenv("XDG_CACHE_HOME");
		setenv("HOME", rows[i].home, 1);
		is = cache_directory();
		assert_string_equal(is, rows[i].want);
		free(is);
	}
}

static void test_write_file_replaces(void **state)
{
	char *path = xasprintf("%s/f", (char *)*state), *text;
	size_t len;

	assert_int_equal(write_file(path, "longer", 6), 0);
	assert_int_equal(write_file(path, "a\0b", 3), 0);
	text = read_file(path, &len);
	assert_int_equal(len, 3);
	assert_memory_equal(text, "a\0b", 4);
	free(text);
	free(path);
	assert_int_equal(write_file("/nonexistent/f", "x", 1), -1);
	assert_int_equal(errno, ENOENT);
}

static void test_make_directory(void **state)
{
	char *deep = xasprintf("%s/a/b//c", (char *)*state);
	char *file = xasprintf("%s/f", (char *)*state);

	assert_int_equal(make_directory(deep), 0);
	assert_int_equal(make_directory(deep), 0);
	assert_int_equal(access(deep, W_OK), 0);
	assert_int_equal(write_file(file, "", 0), 0);
	assert_int_equal(make_directory(file), -1);
	assert_int_equal(errno, ENOTDIR);
	free(deep);
	free(file);
}

static void test_sha256(void **state)
{
	/* FIPS 180-4's example. */
	static const char want[] = "ba7816bf8f01cfea414140de5dae2223"
				   "b00361a396177a9cb410ff61f20015ad";
	char *path = xasprintf("%s/f", (char *)*state), hex[65];

	sha256_text("abc", 3, hex);
	assert_string_equal(hex, want);
	assert_int_equal(write_file(path, "abc", 3), 0);
	assert_int_equal(sha256_file(path, hex), 0);
	assert_string_equal(hex, want);
	assert_int_equal(sha256_file("/nonexistent", hex), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(sha256_file(*state, hex), -1);
	assert_int_equal(errno, EISDIR);
	free(path);
}

#define TEST(function) \
	cmocka_unit_test_setup_teardown(function, make_scratch, remove_scratch)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_keeps),	    TEST(test_damaged),
		TEST(test_lock_excludes),   TEST(test_locks_of_other_runs),
		TEST(test_cache_directory), TEST(test_write_file_replaces),
		TEST(test_make_directory),  TEST(test_sha256),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

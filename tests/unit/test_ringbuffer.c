// SPDX-License-Identifier: GPL-2.0
/* Pages of the kernel's trace buffer, made by hand and then by chance. */
#include "../../harness/guest/ringbuffer.c"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "../../harness/guest/rng.h"

#define HEADER (sizeof(uint64_t) + sizeof(unsigned long))
#define WORD(type, delta) ((uint32_t)(type) | (uint32_t)(delta) << TYPE_BITS)

static unsigned char page[4096];
static size_t end;
static struct {
	uint64_t ns;
	uint16_t id;
	size_t size;
} seen[8192];
static size_t nr_seen;

static void note(uint64_t ns, const unsigned char *data, size_t size)
{
	/* Every byte of it is within the page. */
	assert_in_range((uintptr_t)data, (uintptr_t)page,
			(uintptr_t)page + sizeof(page) - size);
	assert_in_range(nr_seen, 0, sizeof(seen) / sizeof(*seen) - 1);
	seen[nr_seen].ns = ns;
	memcpy(&seen[nr_seen].id, data, sizeof(uint16_t));
	seen[nr_seen++].size = size;
}

static void start_page(uint64_t time)
{
	memset(page, 0, sizeof(page));
	memcpy(page, &time, sizeof(time));
	end = HEADER;
	nr_seen = 0;
}

static void put(uint32_t word)
{
	memcpy(page + end, &word, sizeof(word));
	end += sizeof(word);
}

static bool take(uint32_t flags)
{
	uint32_t commit = (uint32_t)(end - HEADER) | flags;

	memcpy(page + sizeof(uint64_t), &commit, sizeof(commit));
	return ringbuffer_page(page, sizeof(page), note);
}

static void test_events(void **state)
{
	(void)state;
	start_page(1000);
	put(WORD(2, 0)); /* two words of data */
	put(7);
	put(70);
	put(WORD(1, 5));
	put(8);
	put(WORD(0, 6)); /* the length in a word of its own: 4 + 8 */
	put(12);
	put(9);
	put(90);
	assert_true(take(0));
	assert_int_equal(nr_seen, 3);
	assert_int_equal(seen[0].ns, 1000);
	assert_int_equal(seen[0].id, 7);
	assert_int_equal(seen[0].size, 8);
	assert_int_equal(seen[1].ns, 1005);
	assert_int_equal(seen[1].size, 4);
	assert_int_equal(seen[2].ns, 1011);
	assert_int_equal(seen[2].id, 9);
	assert_int_equal(seen[2].size, 8);
}

static void test_time(void **state)
{
	const uint64_t stamp = 5000000000ull;

	(void)state;
	start_page(1000);
	put(WORD(TIME_EXTEND, 3));
	put(2); /* 2 << 27 */
	put(WORD(1, 1));
	put(1);
	put(WORD(PADDING, 9)); /* a dropped event: length 8 and its data */
	put(8);
	put(0);
	put(WORD(1, 2));
	put(2);
	put(WORD(TIME_STAMP, stamp & ((1u << TIME_BITS) - 1)));
	put((uint32_t)(stamp >> TIME_BITS));
	put(WORD(1, 4));
	put(3);
	put(WORD(PADDING, 0)); /* the rest of the page */
	put(WORD(1, 4));
	assert_true(take(0));
	assert_int_equal(nr_seen, 3);
	assert_int_equal(seen[0].ns, 1000 + 3 + (2ull << 27) + 1);
	assert_int_equal(seen[1].ns, seen[0].ns + 2);
	assert_int_equal(seen[2].ns, stamp + 4);
}

static void test_lost(void **state)
{
	(void)state;
	start_page(1000);
	put(WORD(1, 0));
	put(1);
	assert_false(take(MISSED_EVENTS));
	assert_int_equal(nr_seen, 1);
}

static void test_impossible(void **state)
{
	(void)state;
	start_page(1000);
	put(WORD(28, 0));
	assert_false(take(0)); /* longer than the page says it is */
	assert_int_equal(nr_seen, 0);
	assert_false(ringbuffer_page(page, 4, note));
	start_page(1000);
	end = sizeof(page) + 100;
	assert_false(take(0));
}

/* Whatever the bytes are, nothing outside the page is touched. */
static void test_random(void **state)
{
	struct rng rng = { .state = 1 };

	(void)state;
	for (int i = 0; i < 3000; i++) {
		start_page(rng_next(&rng));
		for (size_t j = 0; j < sizeof(page); j += 8) {
			uint64_t word = rng_next(&rng);

			memcpy(page + j, &word, sizeof(word));
		}
		end = HEADER + rng_below(&rng, sizeof(page));
		take(0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_impossible),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

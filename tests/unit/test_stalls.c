// SPDX-License-Identifier: GPL-2.0
/* Whose stall, which wait: the guest's arithmetic, without a guest. */
#include "../../harness/guest/stalls.c"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define APP 10
#define READER 20
#define KSWAPD 30

enum role procs_role(pid_t pid)
{
	return pid == APP ? ROLE_APP : pid == READER ? ROLE_FILES : ROLE_NONE;
}

static struct {
	char name[64];
	int64_t value;
} set[64];

void counter_set(const char *name, int64_t value)
{
	size_t i = 0;

	while (*set[i].name && strcmp(set[i].name, name))
		i++;
	assert_in_range(i, 0, ARRAY_SIZE(set) - 1);
	snprintf(set[i].name, sizeof(set[i].name), "%s", name);
	set[i].value = value;
}

static int64_t counter(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(set); i++)
		if (!strcmp(set[i].name, name))
			return set[i].value;
	fail_msg("no counter %s", name);
	return -1;
}

static int start(void **state)
{
	(void)state;
	memset(tasks, 0, sizeof(tasks));
	memset(site_ns, 0, sizeof(site_ns));
	memset(waits, 0, sizeof(waits));
	memset(set, 0, sizeof(set));
	nr_tasks = 0;
	nr_stalled = 0;
	now = 0;
	return 0;
}

#define US(us) ((us)*1000ull)

static void test_one_stall(void **state)
{
	(void)state;
	stalls_enter(US(100), KSWAPD, SITE_KSWAPD);
	stalls_leave(US(130), KSWAPD);
	stalls_report(US(200));
	assert_int_equal(counter("stall.kswapd_us"), 30);
	assert_int_equal(counter("stall.other_us"), 0);
}

/* Some counts time once however many stall: the parts are shares of it. */
static void test_two_share(void **state)
{
	(void)state;
	stalls_enter(US(100), KSWAPD, SITE_KSWAPD);
	stalls_enter(US(110), APP, SITE_SWAP_IN);
	stalls_leave(US(130), KSWAPD);
	stalls_leave(US(140), APP);
	stalls_report(US(200));
	assert_int_equal(counter("stall.kswapd_us"), 20);
	assert_int_equal(counter("stall.swap_in_us"), 20);
}

/* As psi_memstall_enter() has it: only the outermost counts. */
static void test_nested(void **state)
{
	(void)state;
	stalls_enter(US(100), APP, SITE_DIRECT_RECLAIM);
	stalls_enter(US(110), APP, SITE_TEXT);
	stalls_leave(US(120), APP);
	stalls_leave(US(150), APP);
	stalls_report(US(200));
	assert_int_equal(counter("stall.direct_reclaim_us"), 50);
	assert_int_equal(counter("stall.text_us"), 0);
}

static void test_still_stalled(void **state)
{
	(void)state;
	stalls_enter(US(100), KSWAPD, SITE_KSWAPD);
	stalls_report(US(150));
	assert_int_equal(counter("stall.kswapd_us"), 50);
	stalls_leave(US(170), KSWAPD);
	stalls_report(US(200));
	assert_int_equal(counter("stall.kswapd_us"), 70);
}

/* A stall that began before anybody looked. */
static void test_leave_without_enter(void **state)
{
	(void)state;
	stalls_leave(US(100), APP);
	stalls_wait_end(US(110), APP);
	stalls_enter(US(120), APP, SITE_MEMCG);
	stalls_leave(US(125), APP);
	stalls_report(US(200));
	assert_int_equal(counter("stall.memcg_us"), 5);
	assert_int_equal(counter("wait.text"), 0);
}

static void test_text_is_told_by_who_reads(void **state)
{
	(void)state;
	stalls_enter(US(100), READER, SITE_TEXT);
	stalls_leave(US(110), READER);
	stalls_enter(US(110), APP, SITE_TEXT);
	stalls_leave(US(130), APP);
	stalls_report(US(200));
	assert_int_equal(counter("stall.data_us"), 10);
	assert_int_equal(counter("stall.text_us"), 20);
}

/* What PSI saw of a wait, and what it did not. */
static void test_waits(void **state)
{
	(void)state;
	stalls_wait_begin(US(100), APP, WAIT_TEXT);
	stalls_wait_begin(US(101), APP, WAIT_TEXT); /* nested */
	stalls_enter(US(102), APP, SITE_TEXT);
	stalls_enter(US(105), KSWAPD, SITE_KSWAPD);
	stalls_leave(US(150), APP);
	stalls_wait_end(US(151), APP);
	stalls_wait_end(US(160), APP);
	stalls_leave(US(170), KSWAPD);
	stalls_wait_begin(US(170), READER, WAIT_TEXT);
	stalls_wait_end(US(180), READER);
	stalls_report(US(200));
	assert_int_equal(counter("wait.text"), 1);
	assert_int_equal(counter("wait.text_us"), 60);
	/* All of its own stall, however many others stalled beside it. */
	assert_int_equal(counter("wait.text.counted_us"), 48);
	assert_int_equal(counter("wait.text.uncounted_us"), 12);
	assert_int_equal(counter("wait.data_us"), 10);
	assert_int_equal(counter("wait.data.counted_us"), 0);
}

/* A reclaimer's wait is not the stall of its reclaim before. */
static void test_wait_within_a_stall(void **state)
{
	(void)state;
	stalls_enter(US(100), APP, SITE_DIRECT_RECLAIM);
	stalls_wait_begin(US(120), APP, WAIT_SWAP_IN);
	stalls_wait_end(US(130), APP);
	stalls_leave(US(140), APP);
	stalls_report(US(200));
	assert_int_equal(counter("wait.swap_in_us"), 10);
	assert_int_equal(counter("wait.swap_in.counted_us"), 10);
	assert_int_equal(counter("stall.direct_reclaim_us"), 40);
}

/* More tasks than there is room for: some are lost, nothing breaks. */
static void test_many(void **state)
{
	(void)state;
	for (pid_t pid = 1000; pid < 1000 + 2 * TASKS_MAX; pid++)
		stalls_enter(US(100), pid, SITE_MEMCG);
	for (pid_t pid = 1000; pid < 1000 + 2 * TASKS_MAX; pid++)
		stalls_leave(US(200), pid);
	stalls_report(US(300));
	assert_int_equal(counter("stall.memcg_us"), 100);
}

#define TEST(function) cmocka_unit_test_setup(function, start)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_one_stall),
		TEST(test_two_share),
		TEST(test_nested),
		TEST(test_still_stalled),
		TEST(test_leave_without_enter),
		TEST(test_text_is_told_by_who_reads),
		TEST(test_waits),
		TEST(test_wait_within_a_stall),
		TEST(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

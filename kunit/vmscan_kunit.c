// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of which folios the multi-gen LRU promotes. Included at the end of
 * mm/vmscan.c, whose static functions they call.
 *
 * Trees follow one of these rules:
 *
 *	classic		promote whatever is found young (6.1 to 6.13)
 *	two_touch	promote what is found young a second time (from 6.14 on)
 *	+exec		and mapped executable files at the first (from 7.3 on)
 *
 * mglru_lineage.h says what the source looks like here; install.sh makes it.
 */
#include <kunit/test.h>

#include "mglru_lineage.h"

/* Digit by digit, of numbers in mixed radix. */
static unsigned int take_digit(unsigned int *number, unsigned int radix)
{
	unsigned int digit = *number % radix;

	*number /= radix;
	return digit;
}

#include "mglru_scene.h"
#include "mglru_decision_kunit.c"
#include "mglru_paths_kunit.c"
#include "mglru_life_kunit.c"
#include "mglru_refault_kunit.c"

/* The paths of which that was seen, as a list. */
static bool list_paths(char *list, size_t size, int what)
{
	size_t len = 0;

	list[0] = '\0';
	for (enum call_path path = 0; path < NR_PATHS; path++)
		if (seen[path] == what)
			len += scnprintf(list + len, size - len, "%s%s",
					 len ? ", " : "", path_names[path]);
	return len;
}

static const char *rule(struct kunit *test, bool exec)
{
	if (is_born_referenced(test))
		return exec ? "referenced_birth+exec" : "referenced_birth";
	return exec ? "two_touch+exec" : "two_touch";
}

/* What was found here, for people and for run.sh. */
static void verdict(struct kunit *test)
{
	char live[128], not_live[128], unseen[128];
	bool any = list_paths(live, sizeof(live), LIVE);
	bool missed = list_paths(not_live, sizeof(not_live), NOT_LIVE);
	bool gaps = list_paths(unseen, sizeof(unseen), UNSEEN);

	KUNIT_EXPECT_EQ(test, data_kept, LINEAGE_TWO_TOUCH);
	if (data_promoted && !data_kept) {
		kunit_info(test, "classic: executable promotion is a no-op");
		return;
	}
	/* A change that only some of the paths know is half a change. */
	KUNIT_EXPECT_NE(test, any, missed);
	kunit_info(test, "%s: executable promotion:%s%s%s%s%s%s%s",
		   rule(test, any && !missed), any ? " live on " : "", live,
		   any && missed ? " |" : "", missed ? " not live on " : "",
		   not_live, gaps ? " | not seen on " : "", unseen);
}

static struct kunit_case verdict_cases[] = {
	KUNIT_CASE(verdict),
	{}
};

static struct kunit_suite verdict_suite = {
	.name = "mglru_verdict",
	.test_cases = verdict_cases,
};

/* Those that age and evict come last: births depend on the generations. */
kunit_test_suites(&decision_suite, &paths_suite, &life_suite, &refault_suite,
		  &verdict_suite);

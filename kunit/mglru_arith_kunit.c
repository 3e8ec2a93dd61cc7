// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the arithmetic under MGLRU's decisions: which slot a sequence
 * number has, and which tier a number of references. Exhaustive over their small
 * domains, against what Documentation/mm/multigen_lru.rst says of them.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/mmzone.h>

#include "mglru_lineage.h"

/* Generations live in MAX_NR_GENS slots, taken in turn for ever. */
static void seq_takes_slots_in_turn(struct kunit *test)
{
	int expected = lru_gen_from_seq(0);

	KUNIT_ASSERT_EQ(test, expected, 0);
	for (unsigned long seq = 0; seq < 5 * MAX_NR_GENS; seq++) {
		KUNIT_EXPECT_EQ_MSG(test, lru_gen_from_seq(seq), expected,
				    "seq %lu", seq);
		if (++expected == MAX_NR_GENS)
			expected = 0;
	}
}

/* All generations that can exist at a time have slots of their own. */
static void live_generations_never_share_a_slot(struct kunit *test)
{
	for (unsigned long min = 0; min < 2 * MAX_NR_GENS; min++) {
		unsigned long seen = 0;

		for (unsigned long seq = min; seq < min + MAX_NR_GENS; seq++) {
			unsigned long slot = BIT(lru_gen_from_seq(seq));

			KUNIT_EXPECT_FALSE_MSG(test, seen & slot,
					       "seq %lu from %lu", seq, min);
			seen |= slot;
		}
		KUNIT_EXPECT_EQ(test, seen, BIT(MAX_NR_GENS) - 1);
	}
}

/* Statistics are kept for NR_HIST_GENS generations, the latest ones. */
static void hist_keeps_the_latest(struct kunit *test)
{
	for (unsigned long seq = 0; seq < 5 * NR_HIST_GENS; seq++) {
		int hist = lru_hist_from_seq(seq);

		KUNIT_EXPECT_GE(test, hist, 0);
		KUNIT_EXPECT_LT(test, hist, (int)NR_HIST_GENS);
		KUNIT_EXPECT_EQ(test, hist,
				lru_hist_from_seq(seq + NR_HIST_GENS));
	}
}

/*
 * "A page accessed N times through file descriptors is in tier order_base_2(N)".
 * The model counts doublings.
 */
static void tier_is_the_number_of_doublings(struct kunit *test)
{
	int most = BIT(LRU_REFS_WIDTH) + !LINEAGE_TWO_TOUCH;

	for (int accesses = 1; accesses <= most; accesses++) {
		int tier = 0;

		while ((1 << tier) < accesses)
			tier++;
		KUNIT_EXPECT_EQ_MSG(test, lineage_tier(accesses, false), tier,
				    "%d accesses", accesses);
		KUNIT_EXPECT_LT(test, tier, (int)MAX_NR_TIERS);
	}
}

/* Where the workingset is no access, it has the last tier for itself. */
static void workingset_has_the_last_tier(struct kunit *test)
{
	if (!LINEAGE_TWO_TOUCH)
		kunit_skip(test, "PG_workingset counts as an access here");
	for (int accesses = 1; accesses <= BIT(LRU_REFS_WIDTH); accesses++) {
		KUNIT_EXPECT_EQ(test, lineage_tier(accesses, true),
				(int)MAX_NR_TIERS - 1);
		KUNIT_EXPECT_LT(test, lineage_tier(accesses, false),
				(int)MAX_NR_TIERS - 1);
	}
}

static struct kunit_case mglru_arith_cases[] = {
	KUNIT_CASE(seq_takes_slots_in_turn),
	KUNIT_CASE(live_generations_never_share_a_slot),
	KUNIT_CASE(hist_keeps_the_latest),
	KUNIT_CASE(tier_is_the_number_of_doublings),
	KUNIT_CASE(workingset_has_the_last_tier),
	{}
};

static struct kunit_suite mglru_arith_suite = {
	.name = "mglru_arith",
	.test_cases = mglru_arith_cases,
};

kunit_test_suites(&mglru_arith_suite);

MODULE_DESCRIPTION("KUnit tests of MGLRU's arithmetic");
MODULE_LICENSE("GPL");

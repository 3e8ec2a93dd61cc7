// SPDX-License-Identifier: GPL-2.0
/*
 * From birth to eviction: which of two folios of a file, one mapped executable
 * and one not, are still there when the generations before the youngest have been
 * evicted, by what the kernel itself does to age and to evict.
 */
struct life {
	const char *name;
	bool in_fault; /* born when it was first used, else by a read before */
	unsigned int uses; /* with a walk after each */
	bool young; /* used again when it is about to be evicted */
	bool in_walk; /* by kswapd, else as a limit of a memcg is hit */
};

static const struct life lives[] = {
	{ "by a read, never used" },
	{ "by a read, used once", .uses = 1 },
	{ "by a read, used twice", .uses = 2 },
	{ "by a fault, used once", .in_fault = true, .uses = 1 },
	{ "by a fault, used twice", .in_fault = true, .uses = 2 },
	{ "by a read, young when kswapd comes", .young = true, .in_walk = true },
	{ "by a read, young at a limit", .young = true },
};

KUNIT_ARRAY_PARAM_DESC(life, lives, name);

static struct lruvec *life_lruvec(void)
{
	return mem_cgroup_lruvec(NULL, NODE_DATA(first_memory_node));
}

/* A new generation, after a walk if the processor marks what is used. */
static void age(struct kunit *test)
{
	struct lruvec *lruvec = life_lruvec();
	struct reclaim_state state = {};
	struct scan_control __maybe_unused sc = {};

	begin_reclaim(&state, lruvec, false);
	KUNIT_EXPECT_EQ(test, 0, lineage_run_aging(lruvec, &sc));
	clear_mm_walk();
	end_reclaim(NULL);
}

/* Evict every generation but the youngest two, of files. */
static unsigned long evict(struct kunit *test, bool in_walk)
{
	struct lruvec *lruvec = life_lruvec();
	struct reclaim_state state = {};
	struct scan_control sc = {
		.may_unmap = true,
		.reclaim_idx = MAX_NR_ZONES - 1,
		.gfp_mask = GFP_KERNEL,
	};
	struct lru_gen_mm_walk *walk = begin_reclaim(&state, lruvec, in_walk);
	unsigned long seq = lruvec->lrugen.max_seq - MIN_NR_GENS;

	KUNIT_EXPECT_EQ(test, 0, run_eviction(lruvec, seq, &sc, 0, ULONG_MAX));
	end_reclaim(walk);
	return sc.nr_reclaimed;
}

/* Nothing but the two youngest generations, empty: births land in these. */
static void begin_life(struct kunit *test)
{
	evict(test, false);
	KUNIT_ASSERT_EQ(test, life_lruvec()->lrugen.min_seq[LRU_GEN_FILE] + 1,
			life_lruvec()->lrugen.max_seq);
}

/* The walk of the aging itself, where there is one, else the test's. */
static void use_and_age(struct kunit *test, struct scene *scene)
{
	touch_all(test, scene);
	lru_add_drain();
	if (!arch_has_hw_pte_young())
		walk_scene(scene, life_lruvec());
	age(test);
}

/* Is it promoted when it is first found young? */
static bool first_use_counts(const struct life *life, bool exec)
{
	return !LINEAGE_TWO_TOUCH || (LINEAGE_EXEC && exec) ||
	       (LINEAGE_REFERENCED_BIRTH && life->in_fault);
}

static bool survives(const struct life *life, bool exec)
{
	return life->young || life->uses > 1 ||
	       (life->uses == 1 && first_use_counts(life, exec));
}

static void expect_life(struct kunit *test, const struct scene *scene, bool exec)
{
	const struct life *life = test->param_value;
	struct folio *folio = folio_of(scene, number_in(scene, exec, 0));

	KUNIT_EXPECT_EQ_MSG(test, !!folio, survives(life, exec), "%s",
			    exec ? "executable" : "data");
	if (folio && life->young && LINEAGE_TWO_TOUCH)
		KUNIT_EXPECT_EQ_MSG(test, folio_test_workingset(folio),
				    first_use_counts(life, exec), "%s",
				    exec ? "executable" : "data");
}

static void life_decides(struct kunit *test)
{
	const struct life *life = test->param_value;
	struct scene scene = { .nr = 1, .exec_first = true };

	begin_life(test);
	scene_open(test, &scene);
	lru_gen_add_mm(scene.mm);
	if (!life->in_fault)
		cache_all(test, &scene);
	for (unsigned int i = 0; i < life->uses; i++)
		use_and_age(test, &scene);
	if (!life->uses)
		age(test);
	if (life->young)
		touch_all(test, &scene);
	evict(test, life->in_walk);
	expect_life(test, &scene, true);
	expect_life(test, &scene, false);
	scene_close(&scene);
}

/*
 * Eviction takes folios off the LRU in batches. Looking around from the first must
 * not take from the others of the batch that they were used: it would be known
 * nowhere else, and they would be evicted.
 */
static void batch_survives(struct kunit *test)
{
	struct scene scene = { .nr = 16, .exec_first = true };

	begin_life(test);
	scene_open(test, &scene);
	cache_all(test, &scene);
	age(test);
	touch_all(test, &scene);
	evict(test, false);
	for (unsigned int i = 0; i < 2 * scene.nr; i++)
		KUNIT_EXPECT_NOT_NULL(test, folio_of(&scene, i));
	scene_close(&scene);
}

static struct kunit_case life_cases[] = {
	KUNIT_CASE_PARAM(life_decides, life_gen_params),
	KUNIT_CASE(batch_survives),
	{}
};

static struct kunit_suite life_suite = {
	.name = "mglru_life",
	.suite_init = scene_suite_init,
	.suite_exit = scene_suite_exit,
	.test_cases = life_cases,
};

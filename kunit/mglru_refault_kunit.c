// SPDX-License-Identifier: GPL-2.0
/*
 * From promotion to pressure: a promoted folio that is evicted and comes back is
 * of the working set, and waiting for it is a memory stall; for any other it is
 * not. This is how promoting more can raise memory pressure though no more is
 * read.
 */
struct comeback {
	const char *name;
	unsigned int uses; /* with a walk after each, then it is evicted */
	bool fresh; /* not evicted: it was never there */
	bool by_read; /* comes back by a read, else by a fault */
};

static const struct comeback comebacks[] = {
	{ "fault for what was never there", .fresh = true },
	{ "read of what was never there", .fresh = true, .by_read = true },
	{ "fault for what was not used" },
	{ "read of what was not used", .by_read = true },
	{ "fault for what was used once", .uses = 1 },
	{ "read of what was used once", .uses = 1, .by_read = true },
	{ "fault for what was used twice", .uses = 2 },
	{ "read of what was used twice", .uses = 2, .by_read = true },
};

KUNIT_ARRAY_PARAM_DESC(comeback, comebacks, name);

/* As MADV_PAGEOUT does, so that no generation is older or younger after it. */
static void page_out(struct kunit *test, const struct scene *scene,
		     unsigned int number)
{
	struct xarray *pages = &scene->file->f_mapping->i_pages;
	struct folio *folio = folio_of(scene, number);
	LIST_HEAD(list);

	folio_get(folio);
	KUNIT_ASSERT_TRUE(test, lineage_isolate(folio));
	list_add(&folio->lru, &list);
	folio_put(folio);
	KUNIT_ASSERT_EQ(test, 1, reclaim_pages(&list));
	/* Its shadow. */
	KUNIT_ASSERT_TRUE(test, xa_is_value(xa_load(pages, number)));
}

static bool is_promoted(const struct comeback *comeback, bool exec)
{
	return comeback->uses > 1 ||
	       (comeback->uses == 1 &&
		(!LINEAGE_TWO_TOUCH || (LINEAGE_EXEC && exec)));
}

/* Does it come back with PG_workingset? */
static bool is_workingset(const struct comeback *comeback, bool exec)
{
	if (comeback->fresh)
		return false;
	/* Classic goes by when it comes back: soon, and by a fault. */
	if (!LINEAGE_TWO_TOUCH)
		return !comeback->by_read;
	return is_promoted(comeback, exec);
}

static void come_back(struct kunit *test, const struct scene *scene,
		      unsigned int number)
{
	const struct comeback *comeback = test->param_value;
	loff_t pos = number * PAGE_SIZE;
	char byte;

	scene_read.folios = 0;
	if (comeback->by_read)
		KUNIT_EXPECT_EQ(test, 1, kernel_read(scene->file, &byte, 1, &pos));
	else
		touch(test, scene, number);
	KUNIT_ASSERT_EQ(test, scene_read.folios, 1);
}

static void skip_without_psi(struct kunit *test)
{
#ifdef CONFIG_PSI
	if (!static_branch_likely(&psi_disabled))
		return;
#endif
	kunit_skip(test, "the kernel does not count pressure");
}

static void refault(struct kunit *test, bool exec)
{
	const struct comeback *comeback = test->param_value;
	struct scene scene = { .nr = 1, .exec_first = true };
	unsigned int number = number_in(&scene, exec, 0);
	struct folio *folio;

	scene_open(test, &scene);
	if (!comeback->fresh) {
		cache_all(test, &scene);
		for (unsigned int i = 0; i < comeback->uses; i++) {
			touch(test, &scene, number);
			walk_scene(&scene, life_lruvec());
		}
		folio = folio_of(&scene, number);
		KUNIT_EXPECT_EQ(test, folio_test_workingset(folio),
				LINEAGE_TWO_TOUCH && is_promoted(comeback, exec));
		page_out(test, &scene, number);
	}
	come_back(test, &scene, number);
	KUNIT_EXPECT_EQ(test, scene_read.workingset, is_workingset(comeback, exec));
	KUNIT_EXPECT_EQ(test, scene_read.stalled,
			lineage_stalls(is_workingset(comeback, exec)));
	KUNIT_EXPECT_FALSE(test, is_stalled());
	folio = folio_of(&scene, number);
	KUNIT_EXPECT_EQ(test, folio_test_workingset(folio),
			is_workingset(comeback, exec));
	scene_close(&scene);
}

/* Of a file mapped executable. */
static void text_comes_back(struct kunit *test)
{
	skip_without_psi(test);
	refault(test, true);
}

/* Of one that is not. */
static void data_comes_back(struct kunit *test)
{
	skip_without_psi(test);
	refault(test, false);
}

/* How many tasks are stalled, as PSI counts them. */
static unsigned int count_stalled(void)
{
	unsigned int count = 0;
#ifdef CONFIG_PSI
	int cpu;

	for_each_possible_cpu(cpu)
		count += per_cpu_ptr(psi_system.pcpu, cpu)->tasks[NR_MEMSTALL];
#endif
	return count;
}

/* A stall within a stall is one, and lasts as long as the outer. */
static void nested_stalls_are_one(struct kunit *test)
{
	unsigned int before = count_stalled();
	unsigned long outer, inner;

	skip_without_psi(test);
	psi_memstall_enter(&outer);
	KUNIT_EXPECT_TRUE(test, is_stalled());
	KUNIT_EXPECT_EQ(test, count_stalled(), before + 1);
	psi_memstall_enter(&inner);
	KUNIT_EXPECT_EQ(test, count_stalled(), before + 1);
	psi_memstall_leave(&inner);
	KUNIT_EXPECT_TRUE(test, is_stalled());
	KUNIT_EXPECT_EQ(test, count_stalled(), before + 1);
	psi_memstall_leave(&outer);
	KUNIT_EXPECT_FALSE(test, is_stalled());
	KUNIT_EXPECT_EQ(test, count_stalled(), before);
}

static struct kunit_case refault_cases[] = {
	KUNIT_CASE_PARAM(text_comes_back, comeback_gen_params),
	KUNIT_CASE_PARAM(data_comes_back, comeback_gen_params),
	KUNIT_CASE(nested_stalls_are_one),
	{}
};

static struct kunit_suite refault_suite = {
	.name = "mglru_refault",
	.suite_init = scene_suite_init,
	.suite_exit = scene_suite_exit,
	.test_cases = refault_cases,
};

// SPDX-License-Identifier: GPL-2.0
/*
 * On which paths is the first use of a mapped executable file enough? On each of
 * them the rule must be given the flags of the right VMA: one executable and one
 * that is not lie next to each other, all pages of both are used once, and then
 * one folio is looked at, the first of its VMA, the last or one between.
 */
enum call_path { PTE_WALK, PMD_WALK, LOOK_AROUND_IN_WALK, LOOK_AROUND, EVICTION, NR_PATHS };

static const char *const path_names[] = {
	"PTE walk", "PMD walk", "look-around in a walk", "look-around",
	"eviction",
};

struct route {
	enum call_path path;
	unsigned int order, nr; /* of the folios; how many in each VMA */
};

#define LARGE_ORDER 2

static const struct route routes[] = {
	{ PTE_WALK, 0, 8 },
	{ PTE_WALK, LARGE_ORDER, 8 },
	{ PMD_WALK, PMD_SHIFT - PAGE_SHIFT, 3 },
	{ LOOK_AROUND_IN_WALK, 0, 8 },
	{ LOOK_AROUND_IN_WALK, LARGE_ORDER, 8 },
	{ LOOK_AROUND, 0, 8 },
	{ LOOK_AROUND, LARGE_ORDER, 8 },
	{ EVICTION, 0, 8 },
	{ EVICTION, LARGE_ORDER, 8 },
};

enum place { FIRST, BETWEEN, LAST, NR_PLACES };

static const char *const place_names[] = { "first", "between", "last" };

#define NR_VIEWS (ARRAY_SIZE(routes) * NR_PLACES * 2 * 2)

struct view {
	const struct route *route;
	bool exec; /* the VMA that is looked at */
	bool exec_first;
	enum place place;
};

static struct view views[NR_VIEWS];

static int paths_init(struct kunit_suite *suite)
{
	for (unsigned int i = 0; i < NR_VIEWS; i++) {
		unsigned int number = i;

		views[i].place = take_digit(&number, NR_PLACES);
		views[i].exec = take_digit(&number, 2);
		views[i].exec_first = take_digit(&number, 2);
		views[i].route = &routes[number];
	}
	return scene_suite_init(suite);
}

static void describe_view(struct view *view, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s%s: %s of %s VMA, the %s",
		 path_names[view->route->path],
		 view->route->order == LARGE_ORDER ? ", large" : "",
		 place_names[view->place], view->exec ? "exec" : "data",
		 view->exec == view->exec_first ? "lower" : "upper");
}

KUNIT_ARRAY_PARAM(view, views, describe_view);

static void open_route(struct kunit *test, struct scene *scene,
		       const struct route *route, bool exec_first)
{
	if (route->order && !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		kunit_skip(test, "no large folios without transparent huge pages");
	if (route->path == PMD_WALK && !IS_ENABLED(CONFIG_LRU_GEN_WALKS_MMU))
		kunit_skip(test, "no walk of huge pages without accessed bits by hardware");
	*scene = (struct scene){
		.order = route->order,
		.nr = route->nr,
		.exec_first = exec_first,
	};
	scene_open(test, scene);
	cache_all(test, scene);
	touch_all(test, scene);
}

/*
 * The rmap of a folio in reclaim: around it, whatever else is young is seen. Its
 * own fate is told as folio_check_references() tells it.
 */
static bool look_at(struct kunit *test, struct folio *folio, bool in_walk)
{
	struct scan_control sc = {};
	struct reclaim_state state = {};
	struct lru_gen_mm_walk *walk;
	enum folio_references references;

	folio_get(folio);
	KUNIT_ASSERT_TRUE(test, lineage_isolate(folio));
	folio_lock(folio);
	walk = begin_reclaim(&state, folio_lruvec(folio), in_walk);
	references = folio_check_references(folio, &sc);
	end_reclaim(walk);
	folio_unlock(folio);
	folio_putback_lru(folio);
	folio_put(folio);
	lru_add_drain();
	return references == FOLIOREF_ACTIVATE;
}

/* Take the path; did it promote the folio of that number? */
static bool take_path(struct kunit *test, struct scene *scene, enum call_path path,
		      bool exec, unsigned int number)
{
	struct folio *folio = folio_of(scene, number);
	/* One to look around from, which is no place that is looked at. */
	unsigned int other = number_in(scene, exec, 1);

	switch (path) {
	case PTE_WALK:
	case PMD_WALK:
		walk_scene(scene, folio_lruvec(folio));
		break;
	case LOOK_AROUND_IN_WALK:
	case LOOK_AROUND:
		look_at(test, folio_of(scene, other),
			path == LOOK_AROUND_IN_WALK);
		break;
	case EVICTION:
		return look_at(test, folio, false);
	default:
		KUNIT_FAIL(test, "no such path");
	}
	return is_young(folio);
}

/* Does the first use promote it on that path, under the rule of this tree? */
static bool first_use_promotes(enum call_path path, bool exec)
{
	/* Classic eviction has the rule of the LRU before: of text only. */
	if (!LINEAGE_TWO_TOUCH)
		return path != EVICTION || exec || LINEAGE_COUNTS_TWICE;
	return LINEAGE_EXEC && exec;
}

/* What the first use of executable folios was seen to do, on each path. */
static enum { UNSEEN, LIVE, NOT_LIVE } seen[NR_PATHS];
/* And what that of others did, when the page tables are walked. */
static bool data_promoted, data_kept;

static void path_decides(struct kunit *test)
{
	const struct view *view = test->param_value;
	enum call_path path = view->route->path;
	unsigned int last = view->route->nr - 1;
	const unsigned int places[] = { 0, last - last / 2, last };
	unsigned int number;
	struct folio *folio;
	struct scene scene;
	bool promoted;

	open_route(test, &scene, view->route, view->exec_first);
	number = number_in(&scene, view->exec, places[view->place]);
	folio = folio_of(&scene, number);
	KUNIT_ASSERT_FALSE(test, is_young(folio));
	KUNIT_ASSERT_FALSE(test, folio_test_referenced(folio));
	KUNIT_ASSERT_FALSE(test, folio_test_workingset(folio));

	promoted = take_path(test, &scene, path, view->exec, number);
	KUNIT_EXPECT_EQ(test, promoted, first_use_promotes(path, view->exec));
	if (LINEAGE_TWO_TOUCH) {
		KUNIT_EXPECT_EQ(test, folio_test_workingset(folio), promoted);
		KUNIT_EXPECT_EQ(test, folio_test_referenced(folio), !promoted);
	}
	if (view->exec && seen[path] != NOT_LIVE)
		seen[path] = promoted ? LIVE : NOT_LIVE;
	if (!view->exec && path == PTE_WALK)
		*(promoted ? &data_promoted : &data_kept) = true;
	scene_close(&scene);
}

static void describe_route(const struct route *route, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s%s", path_names[route->path],
		 route->order == LARGE_ORDER ? ", large" : "");
}

KUNIT_ARRAY_PARAM(route, routes, describe_route);

/* A second use promotes whatever the VMA, under any rule. */
static void second_use_promotes(struct kunit *test)
{
	const struct route *route = test->param_value;
	unsigned int number;
	struct scene scene;

	open_route(test, &scene, route, true);
	number = number_in(&scene, false, 0);
	take_path(test, &scene, route->path, false, number);
	touch_all(test, &scene);
	KUNIT_EXPECT_TRUE(test, take_path(test, &scene, route->path, false, number));
	scene_close(&scene);
}

static bool make_page_old(struct kunit *test, struct scene *scene,
			  unsigned long address)
{
	struct vm_area_struct *vma = vma_lookup(scene->mm, address);
	bool was_young = false;
	spinlock_t *ptl; /* of the page table */
	pte_t *pte;

	pte = get_locked_pte(scene->mm, address, &ptl);
	KUNIT_ASSERT_NOT_NULL(test, pte);
	if (pte_present(ptep_get(pte)))
		was_young = ptep_test_and_clear_young(vma, address, pte);
	pte_unmap_unlock(pte, ptl);
	return was_young;
}

/* As if it had not been used; a fault may have mapped one page of it or all. */
static void make_old(struct kunit *test, struct scene *scene, unsigned int number)
{
	unsigned long start = address_of(scene, number);
	unsigned int young = 0;

	mmap_read_lock(scene->mm);
	for (size_t at = 0; at < folio_bytes(scene); at += PAGE_SIZE)
		young += make_page_old(test, scene, start + at);
	mmap_read_unlock(scene->mm);
	KUNIT_EXPECT_GT(test, young, 0);
}

/* What was not used is left as it was, though all around it was used. */
static void unused_is_left(struct kunit *test)
{
	const struct route *route = test->param_value;
	unsigned int number;
	struct folio *folio;
	struct scene scene;

	if (route->path == PMD_WALK)
		kunit_skip(test, "has no page table entries to make old");
	open_route(test, &scene, route, true);
	number = number_in(&scene, true, 2);
	folio = folio_of(&scene, number);
	make_old(test, &scene, number);
	KUNIT_EXPECT_FALSE(test, take_path(test, &scene, route->path, true, number));
	KUNIT_EXPECT_FALSE(test, folio_test_referenced(folio));
	KUNIT_EXPECT_FALSE(test, folio_test_workingset(folio));
	scene_close(&scene);
}

/* Looking around ends with the VMA. */
static void neighbour_is_left(struct kunit *test)
{
	const struct route *route = test->param_value;
	struct scene scene;

	if (route->path == PTE_WALK || route->path == PMD_WALK)
		kunit_skip(test, "a walk goes on to the next VMA");
	open_route(test, &scene, route, true);
	look_at(test, folio_of(&scene, number_in(&scene, true, 1)),
		route->path == LOOK_AROUND_IN_WALK);
	for (unsigned int i = 0; i < scene.nr; i++) {
		struct folio *folio = folio_of(&scene, number_in(&scene, false, i));

		KUNIT_EXPECT_FALSE(test, is_young(folio));
		KUNIT_EXPECT_FALSE(test, folio_test_referenced(folio));
	}
	scene_close(&scene);
}

static struct kunit_case paths_cases[] = {
	KUNIT_CASE_PARAM(path_decides, view_gen_params),
	KUNIT_CASE_PARAM(second_use_promotes, route_gen_params),
	KUNIT_CASE_PARAM(unused_is_left, route_gen_params),
	KUNIT_CASE_PARAM(neighbour_is_left, route_gen_params),
	{}
};

static struct kunit_suite paths_suite = {
	.name = "mglru_paths",
	.suite_init = paths_init,
	.suite_exit = scene_suite_exit,
	.test_cases = paths_cases,
};

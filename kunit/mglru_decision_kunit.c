// SPDX-License-Identifier: GPL-2.0
/*
 * Which folios are promoted when they are found young, and what is left of their
 * flags: every state in which a folio can be is tried, against a model of the
 * rule that this tree follows.
 */
enum kind { FILE_PAGES, LAZYFREE, ANON, SHMEM, NR_KINDS };

static const char *const kind_names[] = { "file", "lazyfree", "anon", "shmem" };

#define NR_REFS 4
#define NR_STATES (NR_REFS * NR_KINDS * 2 * 2 * 2 * 2 * 2)

/* Generations of a folio before and, if promoted, after: slots, not sequences. */
#define OLD_GEN 1
#define NEW_GEN 3

struct state {
	bool referenced, workingset;
	unsigned int refs; /* in LRU_REFS_MASK */
	enum kind kind;
	bool exec; /* the VMA in which it was found */
	bool isolated, large;
};

static struct state states[NR_STATES];

static int decision_init(struct kunit_suite *suite)
{
	for (unsigned int i = 0; i < NR_STATES; i++) {
		unsigned int number = i;

		states[i].referenced = take_digit(&number, 2);
		states[i].workingset = take_digit(&number, 2);
		states[i].refs = take_digit(&number, NR_REFS);
		states[i].exec = take_digit(&number, 2);
		states[i].isolated = take_digit(&number, 2);
		states[i].large = take_digit(&number, 2);
		states[i].kind = take_digit(&number, NR_KINDS);
	}
	return 0;
}

static void describe(struct state *state, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s%s%s%s%s%s refs %u",
		 kind_names[state->kind], state->large ? " large" : "",
		 state->exec ? " exec" : "", state->isolated ? " isolated" : "",
		 state->referenced ? " referenced" : "",
		 state->workingset ? " workingset" : "", state->refs);
}

KUNIT_ARRAY_PARAM(state, states, describe);

/* What is decided about: the flags word holds all of it. */
#define DECIDED (LRU_GEN_MASK | LRU_REFS_MASK | BIT(PG_referenced) | \
		 BIT(PG_workingset) | BIT(PG_active))

struct outcome {
	bool promoted;
	bool referenced, workingset;
	unsigned int refs;
	int gen; /* a slot, or -1 for none */
};

static struct outcome unchanged(const struct state *state)
{
	return (struct outcome){
		.referenced = state->referenced,
		.workingset = state->workingset,
		.refs = state->refs,
		.gen = state->isolated ? -1 : OLD_GEN,
	};
}

static unsigned long flags_of(const struct outcome *outcome)
{
	return (outcome->gen + 1UL) << LRU_GEN_PGOFF |
	       (unsigned long)outcome->refs << LRU_REFS_PGOFF |
	       (outcome->referenced ? BIT(PG_referenced) : 0) |
	       (outcome->workingset ? BIT(PG_workingset) : 0);
}

static bool on_file_lru(const struct state *state)
{
	return state->kind == FILE_PAGES || state->kind == LAZYFREE;
}

/* Is this the use that only marks the folio? */
static bool is_first_use(const struct state *state)
{
	return !state->referenced && !state->workingset &&
	       !(LINEAGE_EXEC && state->exec && on_file_lru(state));
}

/* By the page table walk: it writes the generation itself. */
static struct outcome walk_model(const struct state *state)
{
	struct outcome after = unchanged(state);

	if (LINEAGE_TWO_TOUCH && is_first_use(state)) {
		after.referenced = true;
		after.refs = 0;
		return after;
	}
	if (state->isolated) {
		/* Classic tells shrink_folio_list(), which has it in hand. */
		after.referenced |= !LINEAGE_TWO_TOUCH;
		return after;
	}
	after.referenced = false;
	after.workingset = LINEAGE_TWO_TOUCH;
	after.refs = 0;
	after.gen = NEW_GEN;
	after.promoted = true;
	return after;
}

/* By the rmap: the folio is activated by who asked. */
static struct outcome rmap_model(const struct state *state)
{
	struct outcome after = unchanged(state);
	bool known = state->referenced || state->workingset;

	after.promoted = !is_first_use(state);
	after.refs = 0;
	if (!after.promoted) {
		after.referenced = true;
	} else if (LINEAGE_COUNTS_USES && known &&
		   !(state->referenced && state->refs)) {
		/* As one more access, after none or one. */
		after.referenced = true;
		after.refs = state->referenced ? 1 : 0;
	} else {
		after.referenced = false;
		after.workingset = true;
	}
	return after;
}

struct made {
	struct folio *folio;
	unsigned long flags;
};

static struct made make_folio(struct kunit *test, const struct state *state)
{
	struct outcome before = unchanged(state);
	struct made made;

	made.folio = folio_alloc(GFP_KERNEL, state->large ? 2 : 0);
	KUNIT_ASSERT_NOT_NULL(test, made.folio);
	made.flags = *lineage_flags(made.folio);
	if (!on_file_lru(state))
		folio_set_swapbacked(made.folio);
	if (state->kind == LAZYFREE || state->kind == ANON)
		/* The bit that makes folio_test_anon() true. */
		made.folio->mapping = (void *)1UL;
	*lineage_flags(made.folio) |= flags_of(&before);
	return made;
}

static void drop_folio(struct made made)
{
	made.folio->mapping = NULL;
	*lineage_flags(made.folio) = made.flags;
	folio_put(made.folio);
}

static void expect_outcome(struct kunit *test, const struct made *made,
			   const struct outcome *outcome, bool promoted)
{
	unsigned long flags = *lineage_flags(made->folio);

	KUNIT_EXPECT_EQ(test, promoted, outcome->promoted);
	KUNIT_EXPECT_EQ(test, !!(flags & BIT(PG_referenced)),
			outcome->referenced);
	KUNIT_EXPECT_EQ(test, !!(flags & BIT(PG_workingset)),
			outcome->workingset);
	KUNIT_EXPECT_EQ(test, (flags & LRU_REFS_MASK) >> LRU_REFS_PGOFF,
			outcome->refs);
	KUNIT_EXPECT_EQ(test, folio_lru_gen(made->folio), outcome->gen);
	KUNIT_EXPECT_EQ(test, flags & DECIDED, flags_of(outcome));
}

static void skip_what_cannot_be(struct kunit *test, const struct state *state)
{
	if (state->refs >= BIT(LRU_REFS_WIDTH))
		kunit_skip(test, "LRU_REFS_WIDTH is %d here",
			   (int)LRU_REFS_WIDTH);
}

/* folio_update_gen(): the page table walk found the folio young. */
static void walk_decides(struct kunit *test)
{
	const struct state *state = test->param_value;
	struct outcome outcome = walk_model(state);
	struct made made;
	int old_gen;

	skip_what_cannot_be(test, state);
	made = make_folio(test, state);
	rcu_read_lock();
	old_gen = lineage_update_gen(made.folio, NEW_GEN, state->exec);
	rcu_read_unlock();
	/* Who is promoted must be taken from where it was counted. */
	KUNIT_EXPECT_EQ(test, old_gen, outcome.promoted ? OLD_GEN : -1);
	expect_outcome(test, &made, &outcome, old_gen >= 0);
	drop_folio(made);
}

/* lru_gen_set_refs(): eviction or look-around found the folio young. */
static void rmap_decides(struct kunit *test)
{
	const struct state *state = test->param_value;
	struct outcome outcome = rmap_model(state);
	struct made made;
	bool promoted;

	skip_what_cannot_be(test, state);
	if (!LINEAGE_TWO_TOUCH)
		kunit_skip(test, "no lru_gen_set_refs() under this rule");
	made = make_folio(test, state);
	promoted = lineage_set_refs(made.folio, state->exec);
	expect_outcome(test, &made, &outcome, promoted);
	drop_folio(made);
}

struct birth {
	const char *name;
	bool in_fault, workingset, swapbacked;
};

static const struct birth births[] = {
	{ "file by a fault", .in_fault = true },
	{ "file by a fault, refaulted", .in_fault = true, .workingset = true },
	{ "file by a read" },
	{ "file by a read, refaulted", .workingset = true },
	{ "anon by a fault", .in_fault = true, .swapbacked = true },
	{ "anon without a fault", .swapbacked = true },
};

KUNIT_ARRAY_PARAM_DESC(birth, births, name);

static struct folio *bear_folio(struct kunit *test, const struct birth *birth)
{
	struct folio *folio = folio_alloc(GFP_KERNEL, 0);

	KUNIT_ASSERT_NOT_NULL(test, folio);
	if (birth->swapbacked)
		folio_set_swapbacked(folio);
	if (birth->workingset)
		folio_set_workingset(folio);
	current->in_lru_fault = birth->in_fault;
	folio_add_lru(folio);
	current->in_lru_fault = false;
	lru_add_drain();
	return folio;
}

/* With as many generations as there can be, which is how a lruvec begins. */
static int age_model(const struct birth *birth)
{
	bool active = birth->in_fault &&
		      (birth->workingset || !LINEAGE_REFERENCED_BIRTH);

	if (!LINEAGE_TWO_TOUCH)
		return birth->in_fault ? 0 : birth->swapbacked ? 1 : 2;
	if (active)
		return birth->workingset ? 0 : 1;
	if (birth->swapbacked)
		return 1;
	return birth->workingset || birth->in_fault ? 2 : 3;
}

/* folio_add_lru(): where the life of a folio begins. */
static void birth_decides(struct kunit *test)
{
	const struct birth *birth = test->param_value;
	struct folio *folio = bear_folio(test, birth);
	struct lineage_lru_gen *lrugen = &folio_lruvec(folio)->lrugen;

	if (lrugen->max_seq - lrugen->min_seq[!birth->swapbacked] + 1 ==
	    MAX_NR_GENS)
		KUNIT_EXPECT_EQ(test, age_of(folio), age_model(birth));
	else
		kunit_info(test, "aged already: generations are not compared");
	KUNIT_EXPECT_EQ(test, folio_test_referenced(folio),
			LINEAGE_REFERENCED_BIRTH && birth->in_fault &&
			!birth->workingset);
	KUNIT_EXPECT_EQ(test, folio_test_workingset(folio), birth->workingset);
	/* That is of isolated folios. */
	KUNIT_EXPECT_FALSE(test, folio_test_active(folio));
	folio_put(folio);
}

static bool is_born_referenced(struct kunit *test)
{
	struct folio *folio = bear_folio(test, &births[0]);
	bool referenced = folio_test_referenced(folio);

	folio_put(folio);
	return referenced;
}

static struct kunit_case decision_cases[] = {
	KUNIT_CASE_PARAM(walk_decides, state_gen_params),
	KUNIT_CASE_PARAM(rmap_decides, state_gen_params),
	KUNIT_CASE_PARAM(birth_decides, birth_gen_params),
	{}
};

static struct kunit_suite decision_suite = {
	.name = "mglru_decision",
	.suite_init = decision_init,
	.test_cases = decision_cases,
};

// SPDX-License-Identifier: GPL-2.0
/* Where stalled and waited time goes: stacked bars, one for each arm. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribution.h"
#include "report_html.h"
#include "util.h"

#define US_TO_MS 1e-3
#define GAP_MAX 0.02 /* between a sum of parts and the whole */
#define MEMORY_STALL "psi.memory.some.total"

/* What is stacked: a counter's growth in ms, in every arm; NaN for none. */
struct part {
	char *label;
	double *ms;
};

struct parts {
	size_t arms, n, room;
	struct part *list;
};

/* What people call what stands between prefix and suffix of a counter. */
struct name {
	const char *word, *label;
};

/* Counters called <prefix>WORD<suffix>: the words, known ones first. */
struct family {
	const char *prefix, *suffix;
	const struct name *known;
	size_t n_known;
};

static const struct name sites[] = {
	{ "direct_reclaim", "direct reclaim" },
	{ "kswapd", "kswapd" },
	{ "text", "reads of text" },
	{ "data", "reads of file data" },
	{ "readahead", "readahead" },
	{ "swap_in", "swap-in" },
	{ "memcg", "a memcg's limit" },
	{ "compaction", "compaction" },
	{ "other", "other" },
};

static const struct name kinds[] = {
	{ "text", "text" },
	{ "data", "file data" },
	{ "swap_in", "swap-in" },
};

static const struct family stalls = { "stall.", "_us", sites,
				      ARRAY_SIZE(sites) };
static const struct family waits = { "wait.", "_us", kinds, ARRAY_SIZE(kinds) };

static const json_t *counter_of(const struct record *record, const char *name)
{
	return json_object_get(json_object_get(record->json, "counters"), name);
}

/* Mean growth in the measured phase over the boots that have the counter. */
static double mean_ms(const struct arm *arm, const char *name)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < arm->n; i++) {
		const json_t *delta = json_object_get(
			counter_of(&arm->records[i], name), "delta");

		if (!json_is_number(delta))
			continue;
		sum += json_number_value(delta);
		n++;
	}
	return n ? sum / (double)n * US_TO_MS : NAN;
}

/* The word in a counter's name, to be freed; NULL when it is of no family. */
static char *word_in(const struct family *family, const char *counter)
{
	size_t before = strlen(family->prefix), behind = strlen(family->suffix);
	size_t len = strlen(counter);

	if (len <= before + behind ||
	    strncmp(counter, family->prefix, before) ||
	    strcmp(counter + len - behind, family->suffix))
		return NULL;
	return xasprintf("%.*s", (int)(len - before - behind),
			 counter + before);
}

static const char *label_of(const struct family *family, const char *word)
{
	for (size_t i = 0; i < family->n_known; i++)
		if (!strcmp(family->known[i].word, word))
			return family->known[i].label;
	return word;
}

/*
 * The words of a family that any record has, as keys of an object: whatever
 * the guest tells apart is shown, also what is not known here.
 */
static json_t *words_of(const struct comparison *c, const struct family *family)
{
	json_t *found = json_object(), *words = json_object(), *unused;
	const char *name;

	for (size_t i = 0; i < c->set.n; i++) {
		json_object_foreach (
			json_object_get(c->set.records[i].json, "counters"),
			name, unused) {
			char *word = word_in(family, name);

			if (word)
				json_object_set_new(found, word, json_null());
			free(word);
		}
	}
	for (size_t i = 0; i < family->n_known; i++)
		if (json_object_get(found, family->known[i].word))
			json_object_set_new(words, family->known[i].word,
					    json_null());
	json_object_update(words, found);
	json_decref(found);
	return words;
}

static struct part *add_part(struct parts *parts, char *label)
{
	struct part *part;

	parts->list =
		grow(parts->list, parts->n, &parts->room, sizeof(*parts->list));
	part = &parts->list[parts->n++];
	part->label = label;
	part->ms = xcalloc(parts->arms, sizeof(*part->ms));
	return part;
}

static void add_counter(const struct comparison *c, struct parts *parts,
			char *label, const char *name)
{
	struct part *part = add_part(parts, label);

	for (size_t i = 0; i < c->n_arms; i++)
		part->ms[i] = mean_ms(&c->arms[i], name);
}

/* A sum over @n parts of what an arm has of them. */
static double sum_ms(const struct parts *parts, size_t n, size_t arm)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(parts->list[i].ms[arm]))
			sum += parts->list[i].ms[arm];
	return sum;
}

static void add_sum(struct parts *parts)
{
	size_t n = parts->n;
	struct part *part = add_part(parts, xasprintf("sum"));

	for (size_t i = 0; i < parts->arms; i++)
		part->ms[i] = sum_ms(parts, n, i);
}

static void parts_free(struct parts *parts)
{
	for (size_t i = 0; i < parts->n; i++) {
		free(parts->list[i].label);
		free(parts->list[i].ms);
	}
	free(parts->list);
}

static char *number(double ms)
{
	return isnan(ms) ? xasprintf("-") : xasprintf("%.1f", ms);
}

/* The bars' legend and their figures: part, every arm, every difference. */
static void fill_cells(const struct comparison *c, const struct parts *parts,
		       size_t stacked, struct cells *cells)
{
	char **text;

	cells->columns = 2 * c->n_arms;
	cells->rows = 1 + parts->n;
	cells->swatches = stacked;
	text = xcalloc(cells->rows * cells->columns, sizeof(*text));
	cells->text = text;
	*text++ = xasprintf("ms, mean over boots");
	for (size_t i = 0; i < c->n_arms; i++)
		*text++ = xasprintf("%s", arm_label(&c->arms[i]));
	for (size_t i = 1; i < c->n_arms; i++)
		*text++ = c->n_arms == 2 ? xasprintf("difference")
					 : xasprintf("difference of %s",
						     arm_label(&c->arms[i]));
	for (size_t j = 0; j < parts->n; j++) {
		const double *ms = parts->list[j].ms;

		*text++ = xasprintf("%s", parts->list[j].label);
		for (size_t i = 0; i < c->n_arms; i++)
			*text++ = number(ms[i]);
		for (size_t i = 1; i < c->n_arms; i++)
			*text++ = isnan(ms[i] - ms[0])
					  ? xasprintf("-")
					  : xasprintf("%+.1f", ms[i] - ms[0]);
	}
}

/* Bars of the first @stacked parts; the others are in the table alone. */
static void show(const struct comparison *c, const struct parts *parts,
		 size_t stacked, char *title, struct section *section)
{
	double *values = xcalloc(c->n_arms * stacked, sizeof(*values));
	const char **labels = xcalloc(c->n_arms, sizeof(*labels));
	const struct axes axes = { .x = "ms" };
	char *summary = NULL;

	for (size_t i = 0; i < c->n_arms; i++) {
		labels[i] = arm_label(&c->arms[i]);
		for (size_t j = 0; j < stacked; j++)
			values[i * stacked + j] =
				fmax(parts->list[j].ms[i], 0); /* not NaN */
		summary = append(summary, "%s%s: %.1f ms together",
				 summary ? "\n" : "", labels[i],
				 sum_ms(parts, stacked, i));
	}
	section_add(section, title, summary,
		    plot_bars(&axes, labels, c->n_arms, values, stacked));
	fill_cells(c, parts, stacked, &section->cells);
	free(labels);
	free(values);
}

/* Do the parts explain what PSI has counted? In words, to be freed. */
static char *coverage(const struct comparison *c, const struct parts *parts,
		      size_t stacked)
{
	const double *psi = parts->list[parts->n - 1].ms;
	bool whole = true;
	char *words = NULL, *said;

	for (size_t i = 0; i < c->n_arms; i++) {
		double part = sum_ms(parts, stacked, i) / psi[i];

		/* Not so if there is no total, either. */
		whole &= fabs(part - 1) <= GAP_MAX;
		words = append(words, "%s%.1f %% of it in %s",
			       words ? ", " : "", 100 * part,
			       arm_label(&c->arms[i]));
	}
	said = xasprintf("The parts %s up to PSI's memory some total within "
			 "%.0f %%: %s.",
			 whole ? "add" : "do not add", 100 * GAP_MAX, words);
	free(words);
	return said;
}

static void add_site(const struct comparison *c, struct parts *parts,
		     const char *word)
{
	char *name = xasprintf("%s%s%s", stalls.prefix, word, stalls.suffix);

	add_counter(c, parts, xasprintf("%s", label_of(&stalls, word)), name);
	free(name);
}

/* What the differences come to, a sentence for each; NULL when unknown. */
static char *why(const struct comparison *c)
{
	char *text = NULL;

	for (size_t i = 0; i + 1 < c->n_arms; i++) {
		struct attribution a;
		char *words;

		if (!attribution_make(&c->pairings[i], &a))
			continue;
		words = attribution_words(&a);
		text = append(text, "In %s %s ",
			      arm_label(c->pairings[i].other), words);
		free(words);
	}
	return text;
}

void section_stalls(const struct comparison *c, struct section *section)
{
	struct parts parts = { .arms = c->n_arms };
	json_t *words = words_of(c, &stalls), *unused;
	const char *word;
	size_t stacked;
	char *sums;

	section->title = "Where memory stalls come from";
	json_object_foreach (words, word, unused) {
		add_site(c, &parts, word);
	}
	json_decref(words);
	if (!parts.n) {
		section->text = xasprintf("Left out: no record has counters "
					  "stall.*_us.");
		return;
	}
	stacked = parts.n;
	add_sum(&parts);
	add_counter(c, &parts, xasprintf(MEMORY_STALL), MEMORY_STALL);
	show(c, &parts, stacked, xasprintf("memory stalls by site (ms)"),
	     section);
	sums = coverage(c, &parts, stacked);
	section->text = append(why(c),
			       "Time in memory stalls in the measured phase, "
			       "by the place in the kernel. Numbers in the "
			       "bars are those of the table. %s",
			       sums);
	free(sums);
	parts_free(&parts);
}

/* A kind of wait in two parts: what PSI counted of it, and what it did not. */
static void add_wait(const struct comparison *c, struct parts *parts,
		     const char *kind)
{
	const char *label = label_of(&waits, kind);
	char *all = xasprintf("wait.%s_us", kind);
	char *counted = xasprintf("wait.%s.counted_us", kind);
	struct part *rest;

	add_counter(c, parts, xasprintf("%s, counted", label), counted);
	add_counter(c, parts, xasprintf("%s, not counted", label), all);
	rest = &parts->list[parts->n - 1];
	for (size_t i = 0; i < c->n_arms; i++)
		rest->ms[i] -= rest[-1].ms[i];
	free(counted);
	free(all);
}

void section_waits(const struct comparison *c, struct section *section)
{
	struct parts parts = { .arms = c->n_arms };
	json_t *words = words_of(c, &waits), *unused;
	const char *word;
	size_t stacked;

	section->title = "What processes waited for";
	json_object_foreach (words, word, unused) {
		if (!strchr(word, '.')) /* not KIND.counted */
			add_wait(c, &parts, word);
	}
	json_decref(words);
	if (!parts.n) {
		section->text = xasprintf("Left out: no record has counters "
					  "wait.*_us.");
		return;
	}
	stacked = parts.n;
	add_sum(&parts);
	show(c, &parts, stacked, xasprintf("waits for reads (ms)"), section);
	section->text = xasprintf("Time that processes waited for reads in the "
				  "measured phase, and how much of it PSI "
				  "counted as a memory stall. More counted and "
				  "less not counted is the same wait under "
				  "another name.");
	parts_free(&parts);
}

// SPDX-License-Identifier: GPL-2.0
#include "attribution.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

static const struct {
	const char *key, *name;
} sites[ATTRIBUTION_SITES] = {
	{ "text", "refaults of executable text" },
	{ "data", "refaults of other file pages" },
	{ "readahead", "read-ahead of refaulting pages" },
	{ "swap_in", "swap-ins" },
	{ "direct_reclaim", "direct reclaim" },
	{ "kswapd", "kswapd" },
	{ "memcg", "reclaim at memcg limits" },
	{ "compaction", "compaction" },
	{ "other", "other places" },
};

/* What a process waits for, and the site where its counted part shows. */
static const struct {
	const char *key, *name;
} waits[ATTRIBUTION_WAITS] = {
	{ "text", "reads of executable text" },
	{ "data", "reads of other file pages" },
	{ "readahead", "read-ahead" },
	{ "swap_in", "swap-ins" },
};

/* Return: false when no pair has that metric. */
static bool take(const struct pairing *pairing, const char *before,
		 const char *key, const char *behind, struct side *side)
{
	char name[64];
	const struct row *row;

	snprintf(name, sizeof(name), "%s%s%s", before, key, behind);
	row = find_row(pairing, name);
	if (!row->n)
		return false;
	*side = (struct side){ row->base_summary.mean,
			       row->other_summary.mean };
	return true;
}

static double change(const struct side *side)
{
	return side->other - side->base;
}

static const struct side *site_of(const struct attribution *a, const char *key)
{
	for (size_t i = 0; i < ATTRIBUTION_SITES; i++)
		if (!strcmp(sites[i].key, key))
			return &a->sites[i].ms;
	return NULL;
}

static bool take_sites(const struct pairing *pairing, struct attribution *a)
{
	for (size_t i = 0; i < ATTRIBUTION_SITES; i++) {
		a->sites[i].name = sites[i].name;
		if (!take(pairing, "stall.", sites[i].key, "_us",
			  &a->sites[i].ms))
			return false;
		a->sum.base += a->sites[i].ms.base;
		a->sum.other += a->sites[i].ms.other;
	}
	return true;
}

static bool take_waits(const struct pairing *pairing, struct attribution *a)
{
	for (size_t i = 0; i < ATTRIBUTION_WAITS; i++) {
		double more, gone;

		a->waits[i].name = waits[i].name;
		if (!take(pairing, "wait.", waits[i].key, ".counted_us",
			  &a->waits[i].counted) ||
		    !take(pairing, "wait.", waits[i].key, ".uncounted_us",
			  &a->waits[i].uncounted))
			return false;
		more = change(site_of(a, waits[i].key));
		gone = -change(&a->waits[i].uncounted);
		a->waits[i].relabelled = fmax(0, fmin(more, gone));
		a->relabelled += a->waits[i].relabelled;
	}
	return true;
}

static bool is_near(double sum, double whole)
{
	return fabs(sum - whole) <= ATTRIBUTION_TOLERANCE * fabs(whole);
}

bool attribution_make(const struct pairing *pairing, struct attribution *a)
{
	memset(a, 0, sizeof(*a));
	if (!take(pairing, "psi.memory.", "some", ".total", &a->psi) ||
	    !take_sites(pairing, a) || !take_waits(pairing, a))
		return false;
	a->rise = change(&a->psi);
	a->adds_up = is_near(a->sum.base, a->psi.base) &&
		     is_near(a->sum.other, a->psi.other);
	return true;
}

/* "A, B and C" of the waits that were there before; to be freed. */
static char *relabelled_words(const struct attribution *a)
{
	char *words = xasprintf("%s", "");

	for (size_t i = 0; i < ATTRIBUTION_WAITS; i++) {
		char *longer;

		if (a->waits[i].relabelled < ATTRIBUTION_LEAST_MS)
			continue;
		longer = xasprintf("%s%s%.1f ms are %s", words,
				   *words ? ", " : "", a->waits[i].relabelled,
				   a->waits[i].name);
		free(words);
		words = longer;
	}
	return words;
}

static char *rise_words(const struct attribution *a)
{
	double new_ms = a->rise - a->relabelled;
	char *known = relabelled_words(a), *words;

	if (!*known)
		words = xasprintf("memory some rose by %.1f ms: all of it is "
				  "new waiting; no wait was there before "
				  "without being counted.",
				  a->rise);
	else if (new_ms > 0)
		words = xasprintf("memory some rose by %.1f ms: %s that the "
				  "baseline waited for without counting it; "
				  "%.1f ms (%.0f %%) are new waiting.",
				  a->rise, known, new_ms,
				  100 * new_ms / a->rise);
	else
		words = xasprintf("memory some rose by %.1f ms: %s that the "
				  "baseline waited for without counting it; "
				  "all other waiting became %.1f ms less.",
				  a->rise, known, -new_ms);
	free(known);
	return words;
}

static char *fall_words(const struct attribution *a)
{
	if (a->rise > -ATTRIBUTION_LEAST_MS)
		return xasprintf("memory some did not change.");
	if (a->relabelled < ATTRIBUTION_LEAST_MS)
		return xasprintf("memory some fell by %.1f ms.", -a->rise);
	return xasprintf("memory some fell by %.1f ms, although %.1f ms are "
			 "counted now that the baseline waited for without "
			 "counting: real waiting fell by %.1f ms.",
			 -a->rise, a->relabelled, a->relabelled - a->rise);
}

char *attribution_words(const struct attribution *a)
{
	return a->rise >= ATTRIBUTION_LEAST_MS ? rise_words(a) : fall_words(a);
}

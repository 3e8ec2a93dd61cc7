// SPDX-License-Identifier: GPL-2.0
/* Why memory pressure differs, in words and in a table of stalls and waits. */
#include <math.h>
#include <stdlib.h>

#include "attribution.h"
#include "report.h"
#include "util.h"

#define LEAST_MS 0.05 /* what is less is printed as nothing */

static void put_line(FILE *out, const char *name, const struct side *ms)
{
	fprintf(out, "  %-38s %12.1f %12.1f %+12.1f\n", name, ms->base,
		ms->other, ms->other - ms->base);
}

static void put_sites(FILE *out, const struct attribution *a)
{
	fprintf(out, "  %-38s %12s %12s %12s\n", "memory some by place, ms",
		"baseline", "other", "change");
	for (size_t i = 0; i < ATTRIBUTION_SITES; i++)
		if (a->sites[i].ms.base >= LEAST_MS ||
		    a->sites[i].ms.other >= LEAST_MS)
			put_line(out, a->sites[i].name, &a->sites[i].ms);
	put_line(out, "sum", &a->sum);
	put_line(out, "PSI's own total", &a->psi);
}

static void put_waits(FILE *out, const struct attribution *a)
{
	fputs("  what processes waited for, ms\n", out);
	for (size_t i = 0; i < ATTRIBUTION_WAITS; i++) {
		put_line(out, a->waits[i].name,
			 &(struct side){ a->waits[i].counted.base +
						 a->waits[i].uncounted.base,
					 a->waits[i].counted.other +
						 a->waits[i].uncounted.other });
		put_line(out, "  counted as a memory stall",
			 &a->waits[i].counted);
		put_line(out, "  not counted", &a->waits[i].uncounted);
	}
}

/* "A, B and C" of the waits that were there before; to be freed. */
static char *relabelled_words(const struct attribution *a)
{
	char *words = xasprintf("%s", "");

	for (size_t i = 0; i < ATTRIBUTION_WAITS; i++) {
		char *longer;

		if (a->waits[i].relabelled < LEAST_MS)
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
	if (a->rise > -LEAST_MS)
		return xasprintf("memory some did not change.");
	if (a->relabelled < LEAST_MS)
		return xasprintf("memory some fell by %.1f ms.", -a->rise);
	return xasprintf("memory some fell by %.1f ms, although %.1f ms are "
			 "counted now that the baseline waited for without "
			 "counting: real waiting fell by %.1f ms.",
			 -a->rise, a->relabelled, a->relabelled - a->rise);
}

void report_attribution(FILE *out, const struct pairing *pairing)
{
	struct attribution a;
	char *words;

	if (!attribution_make(pairing, &a))
		return;
	fputc('\n', out);
	words = a.rise >= LEAST_MS ? rise_words(&a) : fall_words(&a);
	report_wrap(out, REPORT_COLUMNS, "why: ", words);
	free(words);
	if (!a.adds_up)
		report_wrap(out, REPORT_COLUMNS, "     ",
			    "The parts do NOT add up to PSI's total within "
			    "2 %: do not rely on them.");
	put_sites(out, &a);
	put_waits(out, &a);
}

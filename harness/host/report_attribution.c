// SPDX-License-Identifier: GPL-2.0
/* Why memory pressure differs, in words and in a table of stalls and waits. */
#include <stdlib.h>

#include "attribution.h"
#include "report.h"
#include "util.h"

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
		if (a->sites[i].ms.base >= ATTRIBUTION_LEAST_MS ||
		    a->sites[i].ms.other >= ATTRIBUTION_LEAST_MS)
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

void report_attribution(FILE *out, const struct pairing *pairing)
{
	struct attribution a;
	char *words;

	if (!attribution_make(pairing, &a))
		return;
	fputc('\n', out);
	words = attribution_words(&a);
	report_wrap(out, REPORT_COLUMNS, "why: ", words);
	free(words);
	if (!a.adds_up)
		report_wrap(out, REPORT_COLUMNS, "     ",
			    "The parts do NOT add up to PSI's total within "
			    "2 %: do not rely on them.");
	put_sites(out, &a);
	put_waits(out, &a);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The table of the text report, one for every arm but the baseline:
 *
 *	label (1 + 24)  baseline (10)  other (10)  change (7)  low (7)  high (7)
 *	[band (6)]  p (6)  verdict (2 + 20)
 *
 * Baseline first, one row a metric, headings between groups, as readers of
 * mmtests are used to.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "util.h"

#define LABEL_WIDTH 25

/*
 * Where to break a label that is longer than a column: before what sets it apart
 * from other arms if possible, else between words.
 */
static size_t chunk(const char *label)
{
	size_t len = strlen(label);

	if (len <= NUMBER_MAX)
		return len;
	for (const char *mark = "+-_"; *mark; mark++)
		for (size_t i = NUMBER_MAX; i > 1; i--)
			if (label[i] == *mark)
				return i;
	return NUMBER_MAX;
}

static size_t lines_of(const char *label)
{
	size_t lines = 1;

	for (size_t len; (len = chunk(label)) < strlen(label); lines++)
		label += len;
	return lines;
}

/* Take the part of *@label for this line, at the bottom of @left lines. */
static void take_chunk(const char **label, size_t left,
		       char out[NUMBER_MAX + 1])
{
	size_t len = lines_of(*label) == left ? chunk(*label) : 0;

	for (size_t i = 0; i < len; i++)
		out[i] = (*label)[i] >= ' ' && (*label)[i] <= '~' ? (*label)[i]
								  : '?';
	out[len] = '\0';
	*label += len;
}

void report_heads(FILE *out, int indent, const char *base, const char *other,
		  const char *rest)
{
	size_t left = lines_of(base) > lines_of(other) ? lines_of(base)
						       : lines_of(other);

	for (; left; left--) {
		char a[NUMBER_MAX + 1], b[NUMBER_MAX + 1];

		take_chunk(&base, left, a);
		take_chunk(&other, left, b);
		fprintf(out, "%*s%*s%*s%s\n", indent, "", NUMBER_MAX + 1, a,
			NUMBER_MAX + 1, b, left == 1 ? rest : "");
	}
}

/* The unit is said once: in the heading of the group, or else in the row. */
char *report_label(const struct metric *metric)
{
	if (strstr(metric->group, metric->unit))
		return xasprintf("%s", metric->label);
	return xasprintf("%s, %s", metric->label, metric->unit);
}

/* "-" alone says why not: so coarse are the steps. */
static char *row_verdict(const struct row *row)
{
	double step = metric_resolution(row->metric);

	if (row->verdict == VERDICT_NOT_GIVEN && row->difference.n && step > 0)
		return xasprintf("- (steps of %.2g)", step);
	return xasprintf("%s", verdict_word(row->verdict));
}

static void put_row(FILE *out, const struct row *row, const struct row *band)
{
	int decimals = row->metric->decimals;
	struct cell base = report_number(row->base_summary.mean, decimals);
	struct cell other = report_number(row->other_summary.mean, decimals);
	struct cell change = report_percent(row->effect.value * row->scale);
	struct cell low = report_percent(row->effect.low * row->scale);
	struct cell high = report_percent(row->effect.high * row->scale);
	char *label = report_label(row->metric), *verdict = row_verdict(row);

	/* Something after nothing: a change, though not one in per cent. */
	if (row->difference.n && isnan(row->scale))
		strcpy(change.text, "from 0");
	if (strlen(label) >= LABEL_WIDTH)
		fprintf(out, " %s\n", label);
	fprintf(out, " %-*s%10s%10s%7s%7s%7s", LABEL_WIDTH - 1,
		strlen(label) < LABEL_WIDTH ? label : "", base.text, other.text,
		change.text, low.text, high.text);
	if (band)
		fprintf(out, "%6s",
			report_size(band_width(band) * band->scale, 5).text);
	fprintf(out, "%6s  %s\n", report_row_p(row).text, verdict);
	free(verdict);
	free(label);
}

/* In per cent of the baseline, or in the metric's unit if it has no per cent. */
static char *interval_words(const struct row *row)
{
	const struct estimate *e = &row->effect;
	const struct metric *m = row->metric;

	if (isnan(e->low))
		return xasprintf("too few pairs for an interval");
	if (isfinite(row->scale))
		return xasprintf("95%% interval %s .. %s %%",
				 report_percent(e->low * row->scale).text,
				 report_percent(e->high * row->scale).text);
	return xasprintf("95%% interval %s .. %s %s",
			 report_number(e->low, m->decimals).text,
			 report_number(e->high, m->decimals).text, m->unit);
}

/* "launch p50: 0.810 -> 0.670 ms (-17.3%), better, n=10, ..." */
static void put_primary(FILE *out, const struct row *row)
{
	const struct metric *m = row->metric;
	struct cell base = report_number(row->base_summary.mean, m->decimals);
	struct cell other = report_number(row->other_summary.mean, m->decimals);
	struct cell change = report_percent(row->effect.value * row->scale);
	struct cell least =
		report_size(row->detectable * row->scale, PERCENT_MAX);
	struct cell p = report_p(row->p);
	char *first = xasprintf("%s: ", m->label);
	char *interval = interval_words(row);
	char *words;

	if (!row->n)
		words = xasprintf("not in the records, no verdict");
	else
		words = xasprintf(
			"%s -> %s %s (%s%s), %s, n=%zu, p%s%s, %s%s%s%s",
			base.text, other.text, m->unit, change.text,
			isfinite(row->scale) ? "%" : "",
			verdict_word(row->verdict), row->difference.n,
			*p.text == '<' ? "" : "=", p.text, interval,
			*least.text == '-' ? "" : "; it would take ",
			*least.text == '-' ? "" : least.text,
			*least.text == '-' ? "" : "% to be detected");
	report_wrap(out, REPORT_COLUMNS, first, words);
	free(words);
	free(interval);
	free(first);
}

void report_table(FILE *out, const struct comparison *c,
		  const struct pairing *pairing)
{
	const char *base = c->arms->records->label;
	const char *other = pairing->other->records->label;
	const char *group = "";
	char *parting = report_parting(pairing);
	char *title =
		xasprintf("%s against %s, n=%zu", other, base, pairing->n);

	fputc('\n', out);
	report_wrap(out, REPORT_COLUMNS, "", title);
	put_primary(out, find_row(pairing, c->primary->name));
	if (parting)
		report_wrap(out, REPORT_COLUMNS, "", parting);
	fputc('\n', out);
	report_heads(out, LABEL_WIDTH, base, other,
		     c->band ? " change    low   high  band     p  verdict"
			     : " change    low   high     p  verdict");
	for (size_t i = 0; i < nr_metrics; i++) {
		const struct row *row = &pairing->rows[i];

		if (!row->n)
			continue;
		if (strcmp(group, row->metric->group)) {
			group = row->metric->group;
			fprintf(out, "%s\n", group);
		}
		put_row(out, row, c->band ? &c->band->rows[i] : NULL);
	}
	free(parting);
	free(title);
}

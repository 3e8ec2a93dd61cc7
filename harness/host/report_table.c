// SPDX-License-Identifier: GPL-2.0
/*
 * The table of the text report, one for every arm but the baseline:
 *
 *	label (26)  baseline (13)  other (13)  change (9)  +- (8)  sd (8)
 *	verdict (2 + 20)
 *
 * Baseline first, one row a metric, headings between groups, as readers of
 * mmtests are used to.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "util.h"

#define LABEL_WIDTH 26

/* Where to break a label that is longer than a column: before a '+' if any. */
static size_t chunk(const char *label)
{
	size_t len = strlen(label);

	if (len <= NUMBER_MAX)
		return len;
	for (size_t i = NUMBER_MAX; i > 1; i--)
		if (label[i] == '+')
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

static void put_header(FILE *out, const char *base, const char *other)
{
	size_t left = lines_of(base) > lines_of(other) ? lines_of(base)
						       : lines_of(other);

	for (; left; left--) {
		bool last = left == 1;
		char a[NUMBER_MAX + 1], b[NUMBER_MAX + 1];

		take_chunk(&base, left, a);
		take_chunk(&other, left, b);
		fprintf(out, "%*s%13s%13s", LABEL_WIDTH, "", a, b);
		if (last)
			fprintf(out, "%9s%8s%8s  %s", "change", "+-CI95", "sd",
				"verdict");
		fputc('\n', out);
	}
}

/* The unit is said once: in the heading of the group, or else in the row. */
static char *row_label(const struct metric *metric)
{
	if (strstr(metric->group, metric->unit))
		return xasprintf("%s", metric->label);
	return xasprintf("%s, %s", metric->label, metric->unit);
}

static void put_row(FILE *out, const struct row *row)
{
	const struct difference *d = &row->difference;
	double half_width = (d->interval.high - d->interval.low) / 2;
	int decimals = row->metric->decimals;
	struct cell base = report_number(row->base_summary.mean, decimals);
	struct cell other = report_number(row->other_summary.mean, decimals);
	struct cell change = report_percent(d->summary.mean * d->scale, true);
	struct cell half = report_percent(half_width * d->scale, false);
	struct cell sd = report_percent(d->summary.sd * d->scale, false);
	char *label = row_label(row->metric);

	/* Something after nothing: a change, though not one in per cent. */
	if (d->summary.n && isnan(d->scale))
		strcpy(change.text, "from 0");
	fprintf(out, "  %-*s%13s%13s%9s%8s%8s  %s\n", LABEL_WIDTH - 2, label,
		base.text, other.text, change.text, half.text, sd.text,
		verdict_word(row->verdict));
	free(label);
}

/* In per cent of the baseline, or in the metric's unit if it has no per cent. */
static char *interval_words(const struct row *row)
{
	const struct difference *d = &row->difference;
	const struct metric *m = row->metric;

	if (isfinite(d->scale))
		return xasprintf(
			"%s .. %s",
			report_percent(d->interval.low * d->scale, true).text,
			report_percent(d->interval.high * d->scale, true).text);
	return xasprintf(
		"%s .. %s %s", report_number(d->interval.low, m->decimals).text,
		report_number(d->interval.high, m->decimals).text, m->unit);
}

/* "0.810 -> 0.670 ms (-17.3%), better, n=3, 95% CI of the difference ..." */
static void put_primary(FILE *out, const struct row *row)
{
	const struct difference *d = &row->difference;
	const struct metric *m = row->metric;
	struct cell base = report_number(row->base_summary.mean, m->decimals);
	struct cell other = report_number(row->other_summary.mean, m->decimals);
	struct cell change = report_percent(d->summary.mean * d->scale, true);
	char *first = xasprintf("%s: ", m->label);
	char *interval = interval_words(row);
	char *words;

	if (!row->n)
		words = xasprintf("not in the records, no verdict");
	else
		words = xasprintf("%s -> %s %s (%s), %s, n=%zu, 95%% CI of the "
				  "difference %s",
				  base.text, other.text, m->unit, change.text,
				  verdict_word(row->verdict), d->summary.n,
				  interval);
	report_wrap(out, first, words);
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
	char *title = xasprintf("%s against %s", other, base);

	fputc('\n', out);
	report_wrap(out, "", title);
	put_primary(out, find_row(pairing, c->primary->name));
	fputc('\n', out);
	put_header(out, base, other);
	for (size_t i = 0; i < nr_metrics; i++) {
		const struct row *row = &pairing->rows[i];

		if (strcmp(group, row->metric->group)) {
			group = row->metric->group;
			fprintf(out, "%s\n", group);
		}
		put_row(out, row);
	}
	free(title);
}

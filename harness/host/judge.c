// SPDX-License-Identifier: GPL-2.0
#include "judge.h"

#include <math.h>
#include <stdlib.h>

#include "permutation.h"
#include "util.h"

const char *verdict_word(enum verdict verdict)
{
	static const char *const words[] = {
		[VERDICT_NOT_GIVEN] = "-",
		[VERDICT_BETTER] = "better",
		[VERDICT_WORSE] = "worse",
		[VERDICT_SAME] = "no detectable change",
		[VERDICT_IDENTICAL] = "identical",
	};

	return words[verdict];
}

static bool is_identical(const struct row *row)
{
	return row->difference.min == 0 && row->difference.max == 0;
}

int detected(const struct row *row)
{
	double p = isnan(row->p_table) ? row->p : row->p_table;

	if (!(p <= ALPHA))
		return 0;
	return row->difference.mean > 0 ? 1 : -1;
}

double band_width(const struct row *row)
{
	if (row->difference.n < PAIRS_TO_DECIDE)
		return fmax(fabs(row->difference.min),
			    fabs(row->difference.max));
	return fmax(fabs(row->effect.low), fabs(row->effect.high));
}

static enum verdict decide(const struct row *row)
{
	int sign = detected(row);

	if (!row->difference.n)
		return VERDICT_NOT_GIVEN;
	if (is_identical(row))
		return VERDICT_IDENTICAL;
	if (row->metric->flags & METRIC_COARSE)
		return VERDICT_NOT_GIVEN;
	if (!sign)
		return VERDICT_SAME;
	if (!metric_decides(row->metric))
		return VERDICT_NOT_GIVEN;
	if ((row->metric->better == BETTER_HIGHER) == (sign > 0))
		return VERDICT_BETTER;
	return VERDICT_WORSE;
}

/* What a row says by itself. */
static void measure(struct row *row, bool comparable)
{
	size_t n = comparable ? row->n : 0;
	double *values = xcalloc(n, sizeof(*values));
	double level;

	for (size_t i = 0; i < n; i++)
		values[i] = row->other[i] - row->base[i];
	row->base_summary = stats_summary(row->base, row->n);
	row->other_summary = stats_summary(row->other, row->n);
	row->difference = stats_summary(values, n);
	row->effect = stats_hodges_lehmann(values, n, CONFIDENCE);
	row->detectable = NAN;
	if (n >= PAIRS_TO_DECIDE)
		row->detectable =
			stats_detectable(row->difference.sd, n, ALPHA, POWER);
	level = fabs(row->base_summary.mean);
	row->scale = row->variation = NAN;
	if (level > 0) {
		row->scale = 100 / level;
		row->variation = row->base_summary.sd * row->scale;
	} else if (is_identical(row)) {
		row->scale = 0; /* nothing to nothing is no change */
	}
	row->p = row->p_table = row->p_holm = NAN;
	free(values);
}

/* The differences of a row by pair; nothing stands for a pair without. */
static void spread_out(const struct row *row, const json_int_t *seeds,
		       size_t pairs, double *differences)
{
	for (size_t pair = 0, i = 0; pair < pairs && i < row->n; pair++) {
		if (row->seeds[i] != seeds[pair])
			continue;
		differences[pair] = row->other[i] - row->base[i];
		i++;
	}
}

static bool in_family(const struct row *row, const struct metric *primary)
{
	return metric_decides(row->metric) && row->metric != primary;
}

static bool alone(const struct row *row, const struct metric *primary)
{
	return !in_family(row, primary) &&
	       !(row->metric->flags & METRIC_COARSE);
}

/* Test those rows that have differences and that @take takes. */
static void test(struct row *rows, size_t n, const json_int_t *seeds,
		 size_t pairs, const struct metric *primary,
		 bool (*take)(const struct row *row,
			      const struct metric *primary))
{
	struct row **taken = xcalloc(n, sizeof(*taken));
	double *differences = xcalloc(n * pairs, sizeof(*differences));
	double *p = xcalloc(3 * n, sizeof(*p));
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (!rows[i].difference.n || !take(&rows[i], primary))
			continue;
		spread_out(&rows[i], seeds, pairs, &differences[k * pairs]);
		taken[k++] = &rows[i];
	}
	sign_flip_test(differences, k, pairs, p, p + n);
	stats_holm(p, k, p + 2 * n);
	for (size_t i = 0; i < k; i++) {
		taken[i]->p = p[i];
		if (take != in_family)
			continue;
		taken[i]->p_table = p[n + i];
		taken[i]->p_holm = p[2 * n + i];
	}
	free(p);
	free(differences);
	free(taken);
}

void judge_table(struct row *rows, size_t n, const json_int_t *seeds,
		 size_t pairs, const struct metric *primary, bool scopes_differ)
{
	for (size_t i = 0; i < n; i++)
		measure(&rows[i], !scopes_differ || !(rows[i].metric->flags &
						      METRIC_SCOPE));
	test(rows, n, seeds, pairs, primary, in_family);
	test(rows, n, seeds, pairs, primary, alone);
	for (size_t i = 0; i < n; i++)
		rows[i].verdict = decide(&rows[i]);
}

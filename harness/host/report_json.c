// SPDX-License-Identifier: GPL-2.0
/* The comparison for programs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribution.h"
#include "report.h"
#include "util.h"

#define REPORT_FORMAT 1

/* Every object is put together in one call; none may be lost unnoticed. */
static json_t *must(json_t *json)
{
	if (!json)
		die("out of memory, or a text that is not UTF-8");
	return json;
}

/* JSON has no NaN: what is not defined is null. */
static json_t *real(double value)
{
	return must(isfinite(value) ? json_real(value) : json_null());
}

static json_t *arm_json(const struct arm *arm)
{
	const struct record *record = arm->records;
	json_t *seeds = must(json_array());

	for (size_t i = 0; i < arm->n; i++)
		json_array_append_new(seeds, json_integer(record[i].seed));
	return must(json_pack(
		"{s:s, s:O, s:O, s:O, s:o}", "label", record->label, "switches",
		json_object_get(json_object_get(record->json, "arm"),
				"switches"),
		"kernel",
		json_object_get(json_object_get(record->json, "conditions"),
				"kernel"),
		"guest", json_object_get(record->json, "guest"), "seeds",
		seeds));
}

static json_t *side_json(const char *label, const struct summary *summary,
			 const double *values)
{
	json_t *list = must(json_array());

	for (size_t i = 0; i < summary->n; i++)
		json_array_append_new(list, real(values[i]));
	return must(json_pack("{s:s, s:I, s:o, s:o, s:o}", "label", label, "n",
			      (json_int_t)summary->n, "mean",
			      real(summary->mean), "sd", real(summary->sd),
			      "values", list));
}

static json_t *difference_json(const struct row *row)
{
	return must(json_pack(
		"{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "n",
		(json_int_t)row->difference.n, "mean",
		real(row->difference.mean), "sd", real(row->difference.sd),
		"estimate", real(row->effect.value), "low",
		real(row->effect.low), "high", real(row->effect.high),
		"percent", real(row->effect.value * row->scale), "detectable",
		real(row->detectable)));
}

/* What chance does to this metric: the baseline against itself, disturbed. */
static json_t *band_json(const struct comparison *c, const struct row *row)
{
	const struct row *band;

	if (!c->band)
		return must(json_null());
	band = find_row(c->band, row->metric->name);
	return must(json_pack(
		"{s:s, s:I, s:o, s:o, s:o, s:o, s:o}", "label",
		c->band->other->records->label, "n",
		(json_int_t)band->difference.n, "low", real(band->effect.low),
		"high", real(band->effect.high), "sd",
		real(band->difference.sd), "width", real(band_width(band)),
		"percent", real(band_width(band) * band->scale)));
}

static json_t *row_json(const struct comparison *c, const struct pairing *p,
			const struct row *row)
{
	const struct metric *m = row->metric;
	json_t *seeds = must(json_array());
	json_t *verdict = row->verdict == VERDICT_NOT_GIVEN
				  ? json_null()
				  : json_string(verdict_word(row->verdict));

	for (size_t i = 0; i < row->n; i++)
		json_array_append_new(seeds, json_integer(row->seeds[i]));
	return must(json_pack(
		"{s:s, s:s, s:s, s:s, s:b, s:o, s:[o, o], s:o, s:o, s:o, s:o,"
		" s:o, s:o, s:o, s:o}",
		"name", m->name, "label", m->label, "unit", m->unit, "better",
		metric_better_word(m->better), "decides", metric_decides(m),
		"resolution", real(metric_resolution(m)), "arms",
		side_json(c->arms->records->label, &row->base_summary,
			  row->base),
		side_json(p->other->records->label, &row->other_summary,
			  row->other),
		"seeds", seeds, "difference", difference_json(row),
		"baseline_cv_percent", real(row->variation), "p", real(row->p),
		"p_table", real(row->p_table), "p_holm", real(row->p_holm),
		"band", band_json(c, row), "verdict", verdict));
}

/* Of two arms: are they one, and if not, where does that show first? */
/* Milliseconds; the sites and waits themselves are among the metrics. */
static json_t *attribution_json(const struct pairing *pairing)
{
	struct attribution a;

	if (!attribution_make(pairing, &a))
		return must(json_null());
	return must(json_pack("{s:b, s:o, s:o, s:[o, o], s:[o, o]}", "adds_up",
			      a.adds_up, "rise", real(a.rise), "not_new",
			      real(a.relabelled), "psi", real(a.psi.base),
			      real(a.psi.other), "sum", real(a.sum.base),
			      real(a.sum.other)));
}

static json_t *pairing_json(const struct comparison *c, const struct pairing *p)
{
	json_t *partings = must(json_array());

	for (size_t i = 0; i < p->n_partings; i++) {
		const struct parting *parting = &p->partings[i];

		json_array_append_new(
			partings,
			must(parting->counter
				     ? json_pack("{s:I, s:s, s:I}", "seed",
						 p->seeds[i], "counter",
						 parting->counter, "us",
						 parting->us)
				     : json_pack("{s:I, s:n, s:n}", "seed",
						 p->seeds[i], "counter",
						 "us")));
	}
	return must(json_pack("{s:[s, s], s:b, s:b, s:o, s:o}", "arms",
			      c->arms->records->label, p->other->records->label,
			      "identical", p->identical, "same_streams",
			      p->same_streams, "partings", partings,
			      "memory_some_ms", attribution_json(p)));
}

char *report_json(const struct comparison *c)
{
	json_t *arms = must(json_array()), *rows = must(json_array());
	json_t *left_out = must(json_array()), *pairings = must(json_array());
	json_t *report;
	char *text, *line;

	for (size_t i = 0; i < c->n_arms; i++)
		json_array_append_new(arms, arm_json(&c->arms[i]));
	for (size_t i = 0; i + 1 < c->n_arms; i++) {
		json_array_append_new(pairings,
				      pairing_json(c, &c->pairings[i]));
		for (size_t j = 0; j < nr_metrics; j++)
			json_array_append_new(
				rows, row_json(c, &c->pairings[i],
					       &c->pairings[i].rows[j]));
	}
	for (size_t i = 0; i < c->n_left_out; i++)
		json_array_append_new(left_out,
				      must(json_string(c->left_out[i])));
	report = must(
		json_pack("{s:i, s:f, s:o, s:o, s:o, s:o, s:o}", "format",
			  REPORT_FORMAT, "confidence", CONFIDENCE, "conditions",
			  record_conditions(c->set.records, c->images_differ),
			  "arms", arms, "pairings", pairings, "metrics", rows,
			  "left_out", left_out));
	text = json_dumps(report, JSON_SORT_KEYS | JSON_INDENT(1));
	if (!text)
		die("out of memory");
	line = xasprintf("%s\n", text);
	free(text);
	json_decref(report);
	return line;
}

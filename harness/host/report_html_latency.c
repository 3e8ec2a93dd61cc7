// SPDX-License-Identifier: GPL-2.0
/* How long things took: the distribution of every series of observations. */
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_html.h"
#include "util.h"

#define NS_TO_MS 1e-6
#define QUANTILES CURVE_POINTS_MAX
#define LOG_FROM 30 /* times the least is the most: a logarithmic axis */

static const char suffix[] = "_ns";

/* The observations of all boots of an arm, ascending. */
struct sample {
	double *ms;
	size_t n;
};

static json_t *observations(const struct record *record)
{
	return json_object_get(record->json, "observations");
}

static int ascending(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static struct sample pool_arm(const struct arm *arm, const char *name)
{
	struct sample pool = { 0 };
	size_t room = 0;

	for (size_t i = 0; i < arm->n; i++) {
		json_t *value;
		size_t k;

		json_array_foreach (
			json_object_get(observations(&arm->records[i]), name),
			k, value) {
			pool.ms =
				grow(pool.ms, pool.n, &room, sizeof(*pool.ms));
			pool.ms[pool.n++] = json_number_value(value) * NS_TO_MS;
		}
	}
	if (pool.n)
		qsort(pool.ms, pool.n, sizeof(*pool.ms), ascending);
	return pool;
}

static double quantile(const struct sample *sample, double p)
{
	return gsl_stats_quantile_from_sorted_data(sample->ms, 1, sample->n, p);
}

/* How many per cent of all took at most so long. */
static struct curve distribution(const struct sample *sample)
{
	struct curve curve = curve_alloc(sample->n ? QUANTILES : 0);

	for (size_t i = 0; i < curve.n; i++) {
		double p = (double)i / (QUANTILES - 1);

		curve.x[i] = quantile(sample, p);
		curve.y[i] = 100 * p;
	}
	return curve;
}

static char *describe(const struct comparison *c, const struct sample *samples)
{
	char *words = NULL;

	for (size_t i = 0; i < c->n_arms; i++) {
		const struct sample *s = &samples[i];

		words = append(words, "%s%s: ", words ? "\n" : "",
			       arm_label(&c->arms[i]));
		if (s->n)
			words = append(words,
				       "p50 %.4g, p95 %.4g, p99 %.4g, "
				       "longest %.4g ms; n=%zu",
				       quantile(s, 0.5), quantile(s, 0.95),
				       quantile(s, 0.99), s->ms[s->n - 1],
				       s->n);
		else
			words = append(words, "not in the records");
	}
	return words;
}

static bool wide(const struct sample *samples, size_t n)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < n; i++) {
		if (!samples[i].n)
			continue;
		least = fmin(least, samples[i].ms[0]);
		most = fmax(most, samples[i].ms[samples[i].n - 1]);
	}
	return least > 0 && most > least * LOG_FROM;
}

static void add_series(const struct comparison *c, struct section *section,
		       const char *name)
{
	struct sample *samples = xcalloc(c->n_arms, sizeof(*samples));
	struct curve *curves = xcalloc(c->n_arms, sizeof(*curves));
	struct axes axes = { .x = "ms", .y_max = 100 };

	for (size_t i = 0; i < c->n_arms; i++) {
		samples[i] = pool_arm(&c->arms[i], name);
		curves[i] = distribution(&samples[i]);
	}
	axes.log_x = wide(samples, c->n_arms);
	section_add(section,
		    xasprintf("%.*s (%% that took at most so long%s)",
			      (int)(strlen(name) - strlen(suffix)), name,
			      axes.log_x ? "; logarithmic" : ""),
		    describe(c, samples), plot_lines(&axes, curves, c->n_arms));
	for (size_t i = 0; i < c->n_arms; i++) {
		free(samples[i].ms);
		curve_free(&curves[i]);
	}
	free(curves);
	free(samples);
}

static bool is_latency(const char *name)
{
	size_t len = strlen(name);

	return len > strlen(suffix) &&
	       !strcmp(name + len - strlen(suffix), suffix);
}

void section_latency(const struct comparison *c, struct section *section)
{
	json_t *names = json_object(); /* a set */
	const char *name;
	json_t *unused;

	section->title = "How long things took";
	section->legend = LEGEND_ARMS;
	for (size_t i = 0; i < c->set.n; i++) {
		json_object_foreach (observations(&c->set.records[i]), name,
				     unused) {
			if (is_latency(name))
				json_object_set_new(names, name, json_null());
		}
	}
	json_object_foreach (names, name, unused) {
		add_series(c, section, name);
	}
	json_decref(names);
	section->text =
		section->n
			? xasprintf("All observations of an arm's boots "
				    "together. A curve further to the left is "
				    "faster.")
			: xasprintf("Left out: no record has observations "
				    "called *_ns.");
}

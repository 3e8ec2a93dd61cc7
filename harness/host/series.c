// SPDX-License-Identifier: GPL-2.0
#include "series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../record/kv.h"
#include "util.h"

#define US_PER_S 1e6
#define SAMPLE_MS_MAX 3600000

struct curve curve_alloc(size_t n)
{
	return (struct curve){
		.n = n,
		.x = xcalloc(n, sizeof(double)),
		.y = xcalloc(n, sizeof(double)),
		.boots = 1,
	};
}

void curve_free(struct curve *curve)
{
	free(curve->x);
	free(curve->y);
	memset(curve, 0, sizeof(*curve));
}

/* When a phase begins, in microseconds; NaN when the record does not say. */
static double phase_us(const json_t *record, const char *name)
{
	json_t *phase;
	size_t i;

	json_array_foreach (json_object_get(record, "phases"), i, phase) {
		const char *word =
			json_string_value(json_object_get(phase, "name"));

		if (word && !strcmp(word, name))
			return json_number_value(json_object_get(phase, "us"));
	}
	return NAN;
}

bool series_of_record(const struct record *record, const void *name,
		      struct curve *curve)
{
	double begin = phase_us(record->json, "measure");
	double end = phase_us(record->json, "done");
	size_t n, samples;
	double *values = history_values(&record->history, name, &n);
	double *us = history_times(&record->history, &samples);

	*curve = curve_alloc(n);
	curve->n = 0;
	for (size_t i = 0; n == samples && i < n; i++) {
		if (!(us[i] >= begin && us[i] <= end))
			continue;
		curve->x[curve->n] = (us[i] - begin) / US_PER_S;
		curve->y[curve->n++] = values[i];
	}
	free(us);
	free(values);
	for (size_t i = 1; i < curve->n; i++)
		if (curve->x[i] < curve->x[i - 1])
			curve->n = 0; /* time never runs backwards */
	if (!curve->n)
		curve_free(curve);
	return curve->n;
}

/* The value at @x between samples. @from: where the last search ended. */
static double value_at(const struct curve *curve, double x, size_t *from)
{
	size_t i = *from;
	double part;

	while (i + 1 < curve->n && curve->x[i + 1] < x)
		i++;
	*from = i;
	if (x <= curve->x[i] || i + 1 == curve->n)
		return curve->y[i];
	part = (x - curve->x[i]) / (curve->x[i + 1] - curve->x[i]);
	/* On a sample, its neighbour need not have a value. */
	if (part == 1)
		return curve->y[i + 1];
	return curve->y[i] + part * (curve->y[i + 1] - curve->y[i]);
}

/* Seconds from one sample to the next; 0 when the record does not say. */
static double sample_step(const json_t *record)
{
	const char *text = json_string_value(json_object_get(
		json_object_get(json_object_get(record, "conditions"), "job"),
		"sample_ms"));
	long long ms;

	if (!text || kv_number(text, 1, SAMPLE_MS_MAX, &ms))
		return 0;
	return (double)ms / 1000;
}

/* Mean of @n >= 1 curves. */
static struct curve mean(const struct curve *curves, size_t n, double step)
{
	double end = curves[0].x[curves[0].n - 1];
	size_t points, every;
	struct curve out;

	for (size_t i = 1; i < n; i++)
		end = fmin(end, curves[i].x[curves[i].n - 1]);
	/* A phase that ends on the grid ends on a point in spite of rounding. */
	points = (size_t)(end / step + 1e-9) + 1;
	every = (points + CURVE_POINTS_MAX - 1) / CURVE_POINTS_MAX;
	out = curve_alloc((points - 1) / every + 1);
	out.boots = n;
	for (size_t k = 0; k < out.n; k++)
		out.x[k] = fmin((double)(k * every) * step, end);
	for (size_t i = 0; i < n; i++) {
		size_t from = 0;

		for (size_t k = 0; k < out.n; k++)
			out.y[k] += value_at(&curves[i], out.x[k], &from) /
				    (double)n;
	}
	return out;
}

struct curve series_mean(const struct arm *arm, curve_maker make,
			 const void *what)
{
	double step = sample_step(arm->records->json);
	struct curve *curves = xcalloc(arm->n, sizeof(*curves));
	struct curve out = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < arm->n && i < BOOTS_DRAWN; i++)
		n += make(&arm->records[i], what, &curves[n]);
	if (n && step)
		out = mean(curves, n, step);
	for (size_t i = 0; i < n; i++)
		curve_free(&curves[i]);
	free(curves);
	return out;
}

struct curve curve_rate(const struct curve *curve)
{
	struct curve rate = curve_alloc(curve->n ? curve->n - 1 : 0);

	rate.boots = curve->boots;
	for (size_t i = 0; i < rate.n; i++) {
		double s = curve->x[i + 1] - curve->x[i];

		rate.x[i] = curve->x[i] + s / 2;
		rate.y[i] = (curve->y[i + 1] - curve->y[i]) / s;
	}
	return rate;
}

bool curve_has_line(const struct curve *curve)
{
	for (size_t i = 1; i < curve->n; i++)
		if (isfinite(curve->y[i - 1]) && isfinite(curve->y[i]))
			return true;
	return false;
}

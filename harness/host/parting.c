// SPDX-License-Identifier: GPL-2.0
#include "parting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

static json_int_t instant(const struct history *history, size_t sample)
{
	size_t n;
	double *us = history_times(history, &n);
	json_int_t at =
		sample < n && !isnan(us[sample]) ? (json_int_t)us[sample] : 0;

	free(us);
	return at;
}

struct parting parting_find(const struct record *a, const struct record *b)
{
	struct history in_a, in_b;
	struct parting parting = { 0 };
	const char *name;
	size_t sample;

	if (!strcmp(a->digest, b->digest))
		return parting;
	in_a = record_history(a);
	in_b = record_history(b);
	name = history_parting(&in_a, &in_b, &sample);
	if (name)
		parting = (struct parting){ xasprintf("%s", name),
					    instant(&in_a, sample) };
	history_free(&in_a);
	history_free(&in_b);
	return parting;
}

bool parting_none(const struct record *a, const struct record *b)
{
	const json_t *in_a = json_object_get(a->json, "phases");
	const json_t *in_b = json_object_get(b->json, "phases");

	return !strcmp(a->digest, b->digest) &&
	       !strcmp(a->observations, b->observations) &&
	       ((!in_a && !in_b) || json_equal(in_a, in_b));
}

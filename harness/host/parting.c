// SPDX-License-Identifier: GPL-2.0
#include "parting.h"

#include <string.h>

static json_t *samples(const struct record *record)
{
	return json_object_get(record->json, "sample_us");
}

/* The first sample whose instant differs, or that only one of them has. */
static size_t samples_part(const json_t *a, const json_t *b)
{
	size_t i = 0;

	while (i < json_array_size(a) && i < json_array_size(b) &&
	       json_equal(json_array_get(a, i), json_array_get(b, i)))
		i++;
	return i;
}

static bool equal_member(const struct record *a, const struct record *b,
			 const char *key)
{
	json_t *in_a = json_object_get(a->json, key);
	json_t *in_b = json_object_get(b->json, key);

	return (!in_a && !in_b) || json_equal(in_a, in_b);
}

struct parting parting_find(const struct record *a, const struct record *b)
{
	const json_t *us = samples(a);
	size_t sample, instant = samples_part(us, samples(b));
	const char *name = history_parting(&a->history, &b->history, &sample);

	if (!equal_member(a, b, "sample_us") && (!name || instant < sample)) {
		name = "sample_us";
		sample = instant;
	}
	if (!name)
		return (struct parting){ NULL, 0 };
	return (struct parting){ name, json_integer_value(
					       json_array_get(us, sample)) };
}

bool parting_none(const struct record *a, const struct record *b)
{
	return history_same(&a->history, &b->history) &&
	       !strcmp(a->observations, b->observations) &&
	       equal_member(a, b, "sample_us") && equal_member(a, b, "phases");
}

// SPDX-License-Identifier: GPL-2.0
#include "history.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

#define KEY "\"series\":"

static void put_byte(struct history *h, unsigned char byte)
{
	h->bytes = grow(h->bytes, h->len, &h->room, 1);
	h->bytes[h->len++] = byte;
}

/* Seven bits a byte, the lowest first; the top bit says that more follow. */
static void put_number(struct history *h, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		put_byte(h, number | 0x80);
	put_byte(h, number);
}

/* A value as its distance from the one before: 0, -1, 1, -2, 2, ... from 1 on. */
static void put_value(struct history *h, uint64_t value, uint64_t *before)
{
	uint64_t step = value - *before;
	uint64_t folded = step << 1 ^ (step >> 63 ? UINT64_MAX : 0);

	*before = value;
	/* 0 is null's; the two farthest distances share a number. */
	put_number(h, folded == UINT64_MAX ? folded : folded + 1);
}

/* Called for every value: what <string.h> offers is too slow for so little. */
static const char *skip_space(const char *text)
{
	while (*text == ' ' || *text == '\n' || *text == '\t' || *text == '\r')
		text++;
	return text;
}

/* Pack one element. Return: behind it, or NULL when it is something else. */
static const char *pack_element(struct history *h, const char *text,
				uint64_t *before)
{
	bool negative = *text == '-';
	uint64_t size = 0;

	if (*text == 'n' && !strncmp(text, "null", 4)) {
		put_number(h, 0);
		return text + 4;
	}
	text += negative;
	if (!isdigit(*text))
		return NULL;
	for (; isdigit(*text); text++)
		if (__builtin_mul_overflow(size, 10, &size) ||
		    __builtin_add_overflow(size, *text - '0', &size))
			return NULL;
	if (size > (uint64_t)INT64_MAX + negative)
		return NULL;
	put_value(h, negative ? -size : size, before);
	return text;
}

/* Pack an array. Return: behind it, or NULL when it is something else. */
static const char *pack_array(struct history *h, const char *text)
{
	uint64_t before = 0;

	if (*text++ != '[')
		return NULL;
	text = skip_space(text);
	if (*text == ']')
		return text + 1;
	for (;;) {
		text = pack_element(h, skip_space(text), &before);
		if (!text)
			return NULL;
		text = skip_space(text);
		if (*text == ']')
			return text + 1;
		if (*text++ != ',')
			return NULL;
	}
}

/*
 * In a text that JSON allows, these bytes are a member's key: within a string
 * there would be a backslash before the second quote.
 */
size_t history_cut(struct history *h, char *text, size_t len)
{
	const char *from = text, *end = text + len, *key;
	char *to = text;

	while ((key = memmem(from, end - from, KEY, strlen(KEY)))) {
		const char *value = skip_space(key + strlen(KEY));
		size_t start = h->len;
		const char *behind = pack_array(h, value);

		memmove(to, from, value - from);
		to += value - from;
		from = value;
		if (!behind) {
			h->len = start;
			continue;
		}
		h->packed = grow(h->packed, h->nr_packed, &h->packed_room,
				 sizeof(*h->packed));
		h->packed[h->nr_packed++] =
			(struct packed){ start, h->len - start };
		*to++ = '0';
		from = behind;
	}
	memmove(to, from, end - from);
	to += end - from;
	*to = '\0';
	return to - text;
}

static int by_name(const void *left, const void *right)
{
	const struct counter_history *a = left, *b = right;

	return strcmp(a->name, b->name);
}

const char *history_adopt(struct history *h, json_t *counters)
{
	const char *name;
	json_t *counter;
	size_t used = 0;

	h->counters = xcalloc(json_object_size(counters), sizeof(*h->counters));
	json_object_foreach (counters, name, counter) {
		const json_t *series = json_object_get(counter, "series");

		if (!series)
			continue;
		if (!json_is_integer(series) || used == h->nr_packed)
			return name;
		h->counters[h->nr_counters++] = (struct counter_history){
			.name = xasprintf("%s", name),
			.series = h->packed[used++],
		};
	}
	free(h->packed);
	h->packed = NULL;
	if (h->len && !(h->bytes = reallocarray(h->bytes, h->len, 1)))
		die("out of memory");
	qsort(h->counters, h->nr_counters, sizeof(*h->counters), by_name);
	return used < h->nr_packed ? "series" : NULL;
}

static bool same_series(const struct history *a, const struct packed *in_a,
			const struct history *b, const struct packed *in_b)
{
	return in_a->len == in_b->len &&
	       !memcmp(a->bytes + in_a->at, b->bytes + in_b->at, in_a->len);
}

bool history_same(const struct history *a, const struct history *b)
{
	if (a->nr_counters != b->nr_counters)
		return false;
	for (size_t i = 0; i < a->nr_counters; i++)
		if (strcmp(a->counters[i].name, b->counters[i].name) ||
		    !same_series(a, &a->counters[i].series, b,
				 &b->counters[i].series))
			return false;
	return true;
}

/*
 * Which value is the first to differ? Up to there the bytes are equal, too, and
 * the last byte of every value has no top bit.
 */
static size_t first_difference(const struct history *a,
			       const struct packed *in_a,
			       const struct history *b,
			       const struct packed *in_b)
{
	const unsigned char *bytes = a->bytes + in_a->at;
	const unsigned char *others = b->bytes + in_b->at;
	size_t sample = 0;

	for (size_t i = 0;
	     i < in_a->len && i < in_b->len && bytes[i] == others[i]; i++)
		sample += bytes[i] < 0x80;
	return sample;
}

const char *history_parting(const struct history *a, const struct history *b,
			    size_t *sample)
{
	const char *name = NULL;

	for (size_t i = 0, j = 0; i < a->nr_counters && j < b->nr_counters;) {
		const struct counter_history *in_a = &a->counters[i];
		const struct counter_history *in_b = &b->counters[j];
		int order = strcmp(in_a->name, in_b->name);
		size_t here;

		i += order <= 0;
		j += order >= 0;
		if (order || same_series(a, &in_a->series, b, &in_b->series))
			continue;
		here = first_difference(a, &in_a->series, b, &in_b->series);
		if (!name || here < *sample) {
			name = in_a->name;
			*sample = here;
		}
	}
	return name;
}

void history_free(struct history *h)
{
	for (size_t i = 0; i < h->nr_counters; i++)
		free(h->counters[i].name);
	free(h->counters);
	free(h->packed);
	free(h->bytes);
	memset(h, 0, sizeof(*h));
}

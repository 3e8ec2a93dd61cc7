// SPDX-License-Identifier: GPL-2.0
#include "history.h"

#include <ctype.h>
#include <math.h>
#include <sha2.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

/* The members whose values are packed: of every counter, and of the record. */
static const char *const keys[] = { "\"series\":", "\"sample_us\":" };

/* What stands for an element; a change of value is its distance, from 2 on. */
#define CODE_NULL 0
#define CODE_RUN 1 /* and how often the value before is there once more */

/* A series while it is packed. */
struct packer {
	struct history *h;
	uint64_t value, run;
};

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

static void end_run(struct packer *p)
{
	if (!p->run)
		return;
	put_number(p->h, CODE_RUN);
	put_number(p->h, p->run);
	p->run = 0;
}

static void put_null(struct packer *p)
{
	end_run(p);
	put_number(p->h, CODE_NULL);
}

/* Distances in the order 0, -1, 1, -2, 2, ...; the two farthest share one. */
static void put_value(struct packer *p, uint64_t value)
{
	uint64_t step = value - p->value;
	uint64_t folded = step << 1 ^ (step >> 63 ? UINT64_MAX : 0);

	p->value = value;
	if (!folded) {
		p->run++;
		return;
	}
	end_run(p);
	put_number(p->h, folded == UINT64_MAX ? folded : folded + 1);
}

/* Called for every value: what <string.h> offers is too slow for so little. */
static const char *skip_space(const char *text)
{
	while (*text == ' ' || *text == '\n' || *text == '\t' || *text == '\r')
		text++;
	return text;
}

/* Pack one element. Return: behind it, or NULL when it is something else. */
static const char *pack_element(struct packer *p, const char *text)
{
	bool negative = *text == '-';
	uint64_t size = 0;

	if (*text == 'n' && !strncmp(text, "null", 4)) {
		put_null(p);
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
	put_value(p, negative ? -size : size);
	return text;
}

/* How many bytes from @text on are those @distance before them? */
static size_t repeated(const char *text, size_t distance, const char *end)
{
	const char *at = text;
	uint64_t here, before;

	for (; end - at >= (ptrdiff_t)sizeof(here); at += sizeof(here)) {
		memcpy(&here, at, sizeof(here));
		memcpy(&before, at - distance, sizeof(before));
		if (here != before)
			break;
	}
	while (at < end && *at == *(at - distance))
		at++;
	return at - text;
}

/*
 * Most counters stand still most of the time: at @text what was packed from
 * @element on, comma and all, may be there again and again. Return: behind it.
 */
static const char *pack_repeated(struct packer *p, const char *element,
				 const char *text, const char *end)
{
	size_t size = text - element;
	size_t n = repeated(text, size, end) / size;

	p->run += n;
	return text + n * size;
}

/* Pack an array. Return: behind it, or NULL when it is none, or is empty. */
static const char *pack_array(struct history *h, const char *text,
			      const char *end)
{
	struct packer p = { .h = h };

	if (*text != '[')
		return NULL;
	text = skip_space(text + 1);
	for (;;) {
		const char *element = text;

		text = pack_element(&p, text);
		if (!text)
			return NULL;
		text = skip_space(text);
		if (*text != ',')
			break;
		text = skip_space(text + 1);
		if (*element != 'n')
			text = pack_repeated(&p, element, text, end);
	}
	end_run(&p);
	return *text == ']' ? text + 1 : NULL;
}

static void add_packed(struct history *h, size_t start)
{
	h->packed = grow(h->packed, h->nr_packed, &h->packed_room,
			 sizeof(*h->packed));
	h->packed[h->nr_packed++] = (struct packed){ start, h->len - start };
}

/*
 * Pack every array behind @key and leave its number among the packed instead.
 * In a text that JSON allows, a key's bytes are a member's key: within a string
 * there would be a backslash before the second quote.
 */
static size_t cut(struct history *h, const char *key, char *text, size_t len)
{
	const char *from = text, *end = text + len, *found;
	char *to = text;

	while ((found = memmem(from, end - from, key, strlen(key)))) {
		const char *value = skip_space(found + strlen(key));
		size_t start = h->len;
		const char *behind = pack_array(h, value, end);
		char number[24];
		int digits = sprintf(number, "%zu", h->nr_packed);

		memmove(to, from, value - from);
		to += value - from;
		from = value;
		if (!behind || behind - value < digits || h->len > UINT32_MAX) {
			h->len = start;
			continue;
		}
		add_packed(h, start);
		to = mempcpy(to, number, digits);
		from = behind;
	}
	memmove(to, from, end - from);
	to += end - from;
	*to = '\0';
	return to - text;
}

size_t history_cut(struct history *h, char *text, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		len = cut(h, keys[i], text, len);
	return len;
}

/*
 * Take the series that @json says by its number. None, or an empty one, is
 * fine; but every series has one owner.
 */
static bool adopt(struct history *h, const json_t *json, struct packed *series)
{
	json_int_t number = json_integer_value(json);

	*series = (struct packed){ 0 };
	if (!json || (json_is_array(json) && !json_array_size(json)))
		return true;
	if (!json_is_integer(json) || number < 0 ||
	    number >= (json_int_t)h->nr_packed || !h->packed[number].len)
		return false;
	*series = h->packed[number];
	h->packed[number].len = 0;
	h->nr_adopted++;
	return true;
}

/* All names behind each other: there are many of them, in every record. */
static char *room_for_names(json_t *counters)
{
	const char *name;
	json_t *counter;
	size_t size = 0;

	json_object_foreach (counters, name, counter)
		size += strlen(name) + 1;
	return xcalloc(1, size + 1);
}

static int by_name(const void *left, const void *right)
{
	const struct counter_history *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static const char *adopt_counters(struct history *h, json_t *counters)
{
	char *at = h->names = room_for_names(counters);
	const char *name;
	json_t *counter;

	h->counters = xcalloc(json_object_size(counters), sizeof(*h->counters));
	json_object_foreach (counters, name, counter) {
		struct counter_history *own = &h->counters[h->nr_counters];

		if (!adopt(h, json_object_get(counter, "series"), &own->series))
			return name;
		if (!own->series.len)
			continue;
		own->name = at;
		at = stpcpy(at, name) + 1;
		h->nr_counters++;
	}
	qsort(h->counters, h->nr_counters, sizeof(*h->counters), by_name);
	return NULL;
}

const char *history_adopt(struct history *h, const json_t *record)
{
	const char *wrong =
		adopt_counters(h, json_object_get(record, "counters"));

	if (!wrong &&
	    !adopt(h, json_object_get(record, "sample_us"), &h->times))
		wrong = "sample_us";
	if (!wrong && h->nr_adopted < h->nr_packed)
		wrong = "series";
	free(h->packed);
	h->packed = NULL;
	if (h->len && !(h->bytes = reallocarray(h->bytes, h->len, 1)))
		die("out of memory");
	return wrong;
}

/* A series while it is unpacked. */
struct cursor {
	const unsigned char *at, *end;
	uint64_t value, run;
	bool null; /* the element has no value */
};

static struct cursor unpack(const struct history *h,
			    const struct packed *series)
{
	return (struct cursor){
		.at = h->bytes + series->at,
		.end = h->bytes + series->at + series->len,
	};
}

static uint64_t next_number(struct cursor *c)
{
	uint64_t number = 0;
	int shift = 0;

	do {
		number |= (uint64_t)(*c->at & 0x7f) << shift;
		shift += 7;
	} while (*c->at++ & 0x80);
	return number;
}

/* Step to the next element. Return: false behind the last. */
static bool next(struct cursor *c)
{
	uint64_t code, folded;

	c->null = false;
	if (c->run) {
		c->run--;
		return true;
	}
	if (c->at == c->end)
		return false;
	code = next_number(c);
	switch (code) {
	case CODE_NULL:
		c->null = true;
		return true;
	case CODE_RUN:
		c->run = next_number(c) - 1;
		return true;
	default:
		folded = code == UINT64_MAX ? code : code - 1;
		c->value += folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0);
		return true;
	}
}

static bool same_series(const struct history *a, const struct packed *in_a,
			const struct history *b, const struct packed *in_b)
{
	return in_a->len == in_b->len &&
	       !memcmp(a->bytes + in_a->at, b->bytes + in_b->at, in_a->len);
}

static void hash(SHA2_CTX *context, const void *data, size_t len)
{
	SHA256Update(context, data, len);
}

void history_digest(const struct history *h, char hex[65])
{
	SHA2_CTX context;

	SHA256Init(&context);
	hash(&context, &h->times.len, sizeof(h->times.len));
	hash(&context, h->bytes + h->times.at, h->times.len);
	for (size_t i = 0; i < h->nr_counters; i++) {
		const struct counter_history *counter = &h->counters[i];
		const struct packed *series = &counter->series;

		hash(&context, counter->name, strlen(counter->name) + 1);
		hash(&context, &series->len, sizeof(series->len));
		hash(&context, h->bytes + series->at, series->len);
	}
	SHA256End(&context, hex);
}

/* Which element is the first to differ, or to be in one of them only? */
static size_t first_difference(const struct history *a,
			       const struct packed *in_a,
			       const struct history *b,
			       const struct packed *in_b)
{
	struct cursor one = unpack(a, in_a), other = unpack(b, in_b);
	size_t sample = 0;

	while (next(&one) && next(&other) && one.null == other.null &&
	       one.value == other.value)
		sample++;
	return sample;
}

/* Where two boots part in a series, if that is before @sample. */
static bool part_earlier(const struct history *a, const struct packed *in_a,
			 const struct history *b, const struct packed *in_b,
			 size_t *sample)
{
	size_t here;

	if (same_series(a, in_a, b, in_b))
		return false;
	here = first_difference(a, in_a, b, in_b);
	if (here >= *sample)
		return false;
	*sample = here;
	return true;
}

const char *history_parting(const struct history *a, const struct history *b,
			    size_t *sample)
{
	const char *name = NULL;

	*sample = SIZE_MAX;
	for (size_t i = 0, j = 0; i < a->nr_counters && j < b->nr_counters;) {
		const struct counter_history *in_a = &a->counters[i];
		const struct counter_history *in_b = &b->counters[j];
		int order = strcmp(in_a->name, in_b->name);

		i += order <= 0;
		j += order >= 0;
		if (!order &&
		    part_earlier(a, &in_a->series, b, &in_b->series, sample))
			name = in_a->name;
	}
	if (part_earlier(a, &a->times, b, &b->times, sample))
		name = "sample_us";
	return name;
}

static double *values_of(const struct history *h, const struct packed *series,
			 size_t *n)
{
	struct cursor c = unpack(h, series);
	double *values = NULL;
	size_t room = 0;

	*n = 0;
	while (next(&c)) {
		values = grow(values, *n, &room, sizeof(*values));
		values[(*n)++] = c.null ? NAN : (double)(int64_t)c.value;
	}
	return values;
}

double *history_values(const struct history *h, const char *name, size_t *n)
{
	const struct counter_history key = { .name = name };
	const struct counter_history *found;

	*n = 0;
	if (!h->nr_counters)
		return NULL;
	found = bsearch(&key, h->counters, h->nr_counters, sizeof(key),
			by_name);
	return found ? values_of(h, &found->series, n) : NULL;
}

double *history_times(const struct history *h, size_t *n)
{
	return values_of(h, &h->times, n);
}

void history_free(struct history *h)
{
	free(h->names);
	free(h->counters);
	free(h->packed);
	free(h->bytes);
	memset(h, 0, sizeof(*h));
}

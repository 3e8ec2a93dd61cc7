/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every counter showed at every sample of a boot, packed: a record is
 * mostly that.
 */
#ifndef RECLAIMLAB_HOST_HISTORY_H
#define RECLAIMLAB_HOST_HISTORY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packed {
	uint32_t at, len; /* in bytes */
};

struct counter_history {
	const char *name;
	struct packed series;
};

struct history {
	unsigned char *bytes;
	size_t len, room;
	struct packed *packed; /* series without a name yet, as in the text */
	size_t nr_packed, packed_room, nr_adopted;
	char *names;
	struct counter_history *counters; /* sorted by name */
	size_t nr_counters;
	struct packed times; /* when the samples were taken */
};

/**
 * history_cut() - take the series of counters and the samples' instants out of
 * a record's text.
 * @text: of @len bytes; every member "series" or "sample_us"
 *	  that is an array of integers and null becomes a number by which
 *	  history_adopt() knows it.
 *
 * What is left is as well-formed as what there was.
 *
 * Return: the new length.
 */
size_t history_cut(struct history *history, char *text, size_t len);

/**
 * history_adopt() - give the series their names.
 * @record: from the text after history_cut().
 *
 * Return: NULL, or the name of the counter whose series is not what it should
 * be, or of the member.
 */
const char *history_adopt(struct history *history, const json_t *record);

/**
 * history_digest() - the SHA-256 of all of it.
 * @hex: equal if two boots have the same counters with the same series at the
 *	 same instants, and only then.
 */
void history_digest(const struct history *history, char hex[65]);

/**
 * history_parting() - where two boots first differ.
 * @sample: receives the index of the first sample at which a counter that both
 *	    have differs, or the instant.
 * Return: the first such counter's name, "sample_us" when only the instant
 * differs there, NULL when nothing does.
 */
const char *history_parting(const struct history *a, const struct history *b,
			    size_t *sample);

/**
 * history_values() - a counter at every sample, NaN where it had no value.
 *
 * history_times() - the samples' instants in microseconds.
 *
 * Return: @n values to be freed; NULL and 0 when there are none.
 */
double *history_values(const struct history *history, const char *name,
		       size_t *n);
double *history_times(const struct history *history, size_t *n);

void history_free(struct history *history);

#endif

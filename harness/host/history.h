/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every counter showed at every sample of a boot, packed: a record is
 * mostly that, and a comparison of a thousand records holds them all.
 */
#ifndef RECLAIMLAB_HOST_HISTORY_H
#define RECLAIMLAB_HOST_HISTORY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct packed {
	size_t at, len; /* in bytes */
};

struct counter_history {
	char *name;
	struct packed series;
};

struct history {
	unsigned char *bytes;
	size_t len, room;
	struct packed *packed; /* series without a name yet, as in the text */
	size_t nr_packed, packed_room;
	struct counter_history *counters; /* sorted by name */
	size_t nr_counters;
};

/**
 * history_cut() - take the series of counters out of a record's text.
 * @text: of @len bytes; every member "series" that is an array of integers and
 *	  null becomes a number by which history_adopt() knows it.
 *
 * What is left is as well-formed as what there was.
 *
 * Return: the new length.
 */
size_t history_cut(struct history *history, char *text, size_t len);

/**
 * history_adopt() - give the series their names.
 * @counters: the record's, from the text after history_cut(), members in the
 *	      order of the text.
 *
 * Return: NULL, or the name of the member whose series is not what it should
 * be.
 */
const char *history_adopt(struct history *history, json_t *counters);

/**
 * history_same() - have two boots the same counters with the same series?
 */
bool history_same(const struct history *a, const struct history *b);

/**
 * history_parting() - where two boots first differ.
 * @sample: receives the index of the first sample at which a counter that both
 *	    have differs.
 * Return: the first such counter's name, NULL when none differs.
 */
const char *history_parting(const struct history *a, const struct history *b,
			    size_t *sample);

void history_free(struct history *history);

#endif

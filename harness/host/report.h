/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A comparison for people and for programs. Both depend on nothing but the
 * records: no time, no path, no locale.
 */
#ifndef RECLAIMLAB_HOST_REPORT_H
#define RECLAIMLAB_HOST_REPORT_H

#include <stdio.h>

#include "compare.h"

#define REPORT_COLUMNS 100 /* no line of the text is longer */

/**
 * report_text() - conditions, the primary metric in one sentence, the table,
 * notes: plain ASCII, at most REPORT_COLUMNS wide, ends with a newline.
 *
 * Return: the text, to be freed.
 */
char *report_text(const struct comparison *c);

/**
 * report_json() - the same as an object with sorted keys: conditions, arms,
 * metrics, left_out. There is one element of metrics for every metric and every
 * arm but the baseline; its two arms are the baseline and that arm. What is not
 * known or not defined is null.
 *
 * Return: the text, ends with a newline, to be freed.
 */
char *report_json(const struct comparison *c);

/* The parts of the text. */
void report_conditions(FILE *out, const struct comparison *c);
void report_table(FILE *out, const struct comparison *c,
		  const struct pairing *pairing);
void report_notes(FILE *out, const struct comparison *c);

/**
 * report_wrap() - print words, in lines of at most REPORT_COLUMNS.
 * @first: stands before the first line; following ones are indented as far.
 * Bytes that are not printable ASCII become '?'.
 */
void report_wrap(FILE *out, const char *first, const char *words);

#define NUMBER_MAX 9  /* characters of a value */
#define PERCENT_MAX 6 /* characters of a change */

struct cell {
	char text[NUMBER_MAX + 1];
};

/**
 * report_percent() - a change in per cent for people: "-17.3", "0.0" for
 * exactly none ("+0.0" is a small one), "-" for an undefined one; at most
 * PERCENT_MAX wide.
 */
struct cell report_percent(double percent);

/**
 * report_size() - the same of what has no sign, one narrower.
 */
struct cell report_size(double percent);

/**
 * report_p() - a p value: "0.017", "<.001", "-" for none.
 */
struct cell report_p(double p);

/**
 * report_number() - a value in its unit, "-" when undefined; in exponent form
 * when it would be wider than NUMBER_MAX.
 */
struct cell report_number(double value, int decimals);

#endif

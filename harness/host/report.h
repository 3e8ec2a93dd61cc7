/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A comparison for people and for programs. Both depend on nothing but the
 * records: no time, no path, no locale.
 */
#ifndef RECLAIMLAB_HOST_REPORT_H
#define RECLAIMLAB_HOST_REPORT_H

#include <stdio.h>

#include "compare.h"

#define REPORT_COLUMNS 100   /* no line of the text is longer */
#define CHANGELOG_COLUMNS 75 /* nor one that goes into a changelog */

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

/**
 * report_changelog() - what belongs into a commit message: every change that
 * was detected, gains and losses alike, what was not, under which conditions,
 * and the command that does it again; at most CHANGELOG_COLUMNS wide.
 *
 * Return: the text, ends with a newline, to be freed.
 */
char *report_changelog(const struct comparison *c);

/**
 * report_render() - collect what @put prints, with figures as in the C locale
 * whatever the program around has chosen.
 *
 * Return: the text, to be freed.
 */
char *report_render(const struct comparison *c,
		    void (*put)(FILE *out, const struct comparison *c));

/* The parts of the text. */
void report_conditions(FILE *out, const struct comparison *c);
void report_table(FILE *out, const struct comparison *c,
		  const struct pairing *pairing);
void report_attribution(FILE *out, const struct pairing *pairing);
void report_notes(FILE *out, const struct comparison *c);

/**
 * report_parting() - how far the histories of the arms go together, in a
 * sentence to be freed; NULL when there is nothing to say: two images.
 */
char *report_parting(const struct pairing *pairing);

/* What several of them need, to be freed: */
char *report_kernel(const struct record *record);
char *report_switches(const struct record *record);
char *report_seeds(const struct pairing *pairing);

/**
 * report_heads() - the lines above a table: the two arms over their columns of
 * NUMBER_MAX + 1, a long label broken to stand on several lines.
 * @indent: the width before them; @rest: behind them, on the last line.
 */
void report_heads(FILE *out, int indent, const char *base, const char *other,
		  const char *rest);

/**
 * report_label() - a metric's label and, where its group does not say it, its
 * unit; to be freed.
 */
char *report_label(const struct metric *metric);

/**
 * report_wrap() - print words, in lines of at most @columns.
 * @first: stands before the first line; following ones are indented as far.
 * Bytes that are not printable ASCII become '?'.
 */
void report_wrap(FILE *out, size_t columns, const char *first,
		 const char *words);

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
 * report_size() - the same of what has no sign, at most @room wide.
 */
struct cell report_size(double percent, int room);

/**
 * report_p() - a p value: "0.017", "<.001", "-" for none.
 */
struct cell report_p(double p);

/**
 * report_row_p() - the p that a row's verdict comes from.
 */
struct cell report_row_p(const struct row *row);

/**
 * report_number() - a value in its unit, "-" when undefined; in exponent form
 * when it would be wider than NUMBER_MAX.
 */
struct cell report_number(double value, int decimals);

#endif

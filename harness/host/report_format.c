// SPDX-License-Identifier: GPL-2.0
/* How figures and words are set in the text report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "util.h"

/* Room for the longest double that %f can print. */
#define ANY_DOUBLE 400

static struct cell make_cell(const char *text)
{
	struct cell cell;

	snprintf(cell.text, sizeof(cell.text), "%.*s", NUMBER_MAX, text);
	return cell;
}

static struct cell percent_cell(double percent, const char *sign, int room)
{
	char text[ANY_DOUBLE];
	double size = fabs(percent);
	int len;

	if (!isfinite(percent))
		return make_cell("-");
	if (percent == 0)
		return make_cell("0.0");
	len = snprintf(text, sizeof(text), "%s%.1f", sign, size);
	if (len > room)
		len = snprintf(text, sizeof(text), "%s%.0f", sign, size);
	if (len > room)
		snprintf(text, sizeof(text), "%s%.0e", sign, size);
	return make_cell(text);
}

struct cell report_percent(double percent)
{
	return percent_cell(percent, percent < 0 ? "-" : "+", PERCENT_MAX);
}

struct cell report_size(double percent, int room)
{
	return percent_cell(percent, "", room);
}

struct cell report_p(double p)
{
	char text[ANY_DOUBLE];

	if (!isfinite(p))
		return make_cell("-");
	snprintf(text, sizeof(text), "%.3f", p);
	return make_cell(p < 0.001 ? "<.001" : text);
}

struct cell report_row_p(const struct row *row)
{
	return report_p(isnan(row->p_table) ? row->p : row->p_table);
}

struct cell report_number(double value, int decimals)
{
	char text[ANY_DOUBLE];

	if (!isfinite(value))
		return make_cell("-");
	/* A mean of small counts needs a digit to be told from its fellows. */
	if (!decimals && fabs(value) < 100 && value != rint(value))
		decimals = 1;
	if (snprintf(text, sizeof(text), "%.*f", decimals, value) >
		    NUMBER_MAX &&
	    snprintf(text, sizeof(text), "%.0f", value) > NUMBER_MAX)
		snprintf(text, sizeof(text), "%.*g", value < 0 ? 3 : 4, value);
	return make_cell(text);
}

static void put_ascii(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		fputc(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?', out);
}

void report_wrap(FILE *out, size_t columns, const char *first,
		 const char *words)
{
	size_t indent = strlen(first), column = indent;
	bool fresh = true; /* nothing stands behind the indent yet */

	fputs(first, out);
	for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
		size_t len = strcspn(words, " ");

		if (!fresh && column + 1 + len > columns) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
			fresh = true;
		}
		/* A word that is longer than a line is cut. */
		if (len > columns - indent)
			len = columns - indent;
		if (!fresh)
			fputc(' ', out);
		put_ascii(out, words, len);
		column += len + !fresh;
		fresh = false;
		words += len;
	}
	fputc('\n', out);
}

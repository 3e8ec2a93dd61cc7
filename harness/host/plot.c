// SPDX-License-Identifier: GPL-2.0
/* The scripts. Who runs them is in gnuplot.c. */
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "svg.h"
#include "util.h"

#define BAR_HALF 0.22	  /* of the room that a bar has */
#define LABEL_AT 0.36	  /* above its middle */
#define LABEL_MAX 48	  /* characters */
#define NUMBER_WIDTH 0.03 /* of the axis, for the number in a part */

static const char *const dashes[PLOT_LINES] = { "", "6,3", "2,2", "9,3,2,3",
						"12,4" };

const char *plot_dashes(size_t style)
{
	return dashes[style % PLOT_LINES];
}

static FILE *script_open(char **text, size_t *len)
{
	FILE *out = open_memstream(text, len);

	if (!out)
		die("out of memory");
	return out;
}

static void script_close(FILE *out)
{
	if (fclose(out))
		die("out of memory");
}

/* What is all but one point would be an empty range when it is rounded. */
static void put_range(FILE *out, const char *axis, double low, double high)
{
	if (!(high - low > fabs(low) * 1e-6))
		high = low + (low != 0 ? fabs(low) * 0.1 : 1);
	fprintf(out, "set %srange [%.9g:%.9g]\n", axis, low, high);
}

static void put_head(FILE *out, const struct axes *axes)
{
	fprintf(out,
		"reset\nset output\nset key off\nset border 3\n"
		"set tics nomirror\nset lmargin 8\nset rmargin 2\n"
		"set tmargin 1\nset bmargin 3\nset format y '%%.5g'\n"
		"set xlabel '%s' offset 0,0.5\n",
		axes->x);
	if (axes->log_x)
		fputs("set logscale x\n", out);
}

/* Widen [*@low, *@high] to the finite ones of @n values. */
static void widen(const double *values, size_t n, double *low, double *high)
{
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(values[i]))
			continue;
		*low = fmin(*low, values[i]);
		*high = fmax(*high, values[i]);
	}
}

static void put_ranges(FILE *out, const struct axes *axes,
		       const struct curve *curves, size_t n)
{
	double left = INFINITY, right = -INFINITY, low = 0, high = 0;

	for (size_t i = 0; i < n; i++) {
		widen(curves[i].x, curves[i].n, &left, &right);
		widen(curves[i].y, curves[i].n, &low, &high);
	}
	put_range(out, "x", axes->from_zero ? fmin(left, 0) : left, right);
	put_range(out, "y", low * 1.05,
		  (axes->y_max > 0 ? axes->y_max : high) * 1.05);
}

char *plot_lines(const struct axes *axes, const struct curve *curves, size_t n)
{
	char *text = NULL;
	size_t len, drawn = 0;
	FILE *out = script_open(&text, &len);

	put_head(out, axes);
	put_ranges(out, axes, curves, n);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "$c%zu << EOD\n", i);
		for (size_t k = 0; k < curves[i].n; k++)
			fprintf(out, "%.9g %.9g\n", curves[i].x[k],
				curves[i].y[k]);
		fputs("EOD\n", out);
	}
	for (size_t i = 0; i < n; i++) {
		const char *dash = plot_dashes(i);

		if (!curve_has_line(&curves[i]))
			continue;
		fprintf(out,
			"%s $c%zu using 1:2 with lines lw 1.5 dt %s%s%s lc %s",
			drawn++ ? "," : "plot", i, *dash ? "(" : "",
			*dash ? dash : "1", *dash ? ")" : "",
			svg_colour(SVG_LINE, i % PLOT_LINES).text);
	}
	fputc('\n', out);
	script_close(out);
	if (drawn)
		return text;
	free(text);
	return NULL;
}

/* Adds: NaN where one of the curves has no value. */
static double stack_at(const struct curve *curves, size_t n, size_t k)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		if (curves[i].n)
			sum += k < curves[i].n ? curves[i].y[k] : NAN;
	return sum;
}

/* Curves of the same boots have the same points, and the others none. */
static const struct curve *longest(const struct curve *curves, size_t n)
{
	const struct curve *found = curves;

	for (size_t i = 1; i < n; i++)
		if (curves[i].n > found->n)
			found = &curves[i];
	return found;
}

double plot_stack_max(const struct curve *curves, size_t n)
{
	double max = 0;

	for (size_t k = 0; n && k < longest(curves, n)->n; k++)
		max = fmax(max, stack_at(curves, n, k));
	return max;
}

char *plot_areas(const struct axes *axes, const struct curve *curves, size_t n)
{
	const struct curve *whole = n ? longest(curves, n) : NULL;
	struct axes own = *axes;
	char *text = NULL;
	size_t len;
	FILE *out;

	if (!whole || !curve_has_line(whole))
		return NULL;
	if (!own.y_max)
		own.y_max = plot_stack_max(curves, n);
	out = script_open(&text, &len);
	put_head(out, axes);
	put_ranges(out, &own, whole, 1);
	fputs("set style fill solid 1 noborder\n$c << EOD\n", out);
	for (size_t k = 0; k < whole->n; k++) {
		fprintf(out, "%.9g", whole->x[k]);
		for (size_t i = 0; i <= n; i++)
			fprintf(out, " %.9g", stack_at(curves, i, k));
		fputc('\n', out);
	}
	fputs("EOD\nplot", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, " $c using 1:%zu:%zu with filledcurves lc %s,",
			i + 2, i + 3, svg_colour(SVG_AGE, i % PLOT_FILLS).text);
	for (size_t i = 0; i < n; i++)
		fprintf(out, " $c using 1:%zu with lines lw 0.7 lc 'black'%s",
			i + 3, i + 1 < n ? "," : "\n");
	script_close(out);
	return text;
}

/* In quotes; what gnuplot could take for more than text is left out. */
static void put_text(FILE *out, const char *text)
{
	fputc('\'', out);
	for (size_t i = 0; i < LABEL_MAX && text[i]; i++)
		fputc(text[i] < ' ' || text[i] > '~' || text[i] == '\'' ||
				      text[i] == '`' || text[i] == '\\'
			      ? '?'
			      : text[i],
		      out);
	fputc('\'', out);
}

/* Where a part lies, and its number if that fits into it. */
static void put_part(FILE *out, size_t bar, double from, double to,
		     size_t number)
{
	fprintf(out, "%.9g %zu %.9g %.9g %.9g %.9g ", (from + to) / 2, bar,
		from, to, (double)bar - BAR_HALF, (double)bar + BAR_HALF);
	if (number)
		fprintf(out, "%zu\n", number);
	else
		fputs("\"\"\n", out);
}

static void put_parts(FILE *out, const double *values, size_t bars,
		      size_t parts, double width)
{
	double *from = xcalloc(bars, sizeof(*from));

	for (size_t j = 0; j < parts; j++) {
		fprintf(out, "$p%zu << EOD\n", j);
		for (size_t i = 0; i < bars; i++) {
			double part = values[i * parts + j];
			bool fits = part > width * NUMBER_WIDTH;

			put_part(out, i, from[i], from[i] + part,
				 fits ? j + 1 : 0);
			from[i] += part;
		}
		fputs("EOD\n", out);
	}
	free(from);
}

static double widest(const double *values, size_t bars, size_t parts)
{
	double most = 0;

	for (size_t i = 0; i < bars; i++) {
		double sum = 0;

		for (size_t j = 0; j < parts; j++)
			sum += values[i * parts + j];
		most = fmax(most, sum);
	}
	return most;
}

char *plot_bars(const struct axes *axes, const char *const *labels, size_t bars,
		const double *values, size_t parts)
{
	double width = widest(values, bars, parts);
	char *text = NULL;
	size_t len;
	FILE *out;

	if (!(width > 0) || !isfinite(width))
		return NULL;
	out = script_open(&text, &len);
	put_head(out, axes);
	put_range(out, "x", 0, width * 1.02);
	/* The first bar is the upmost. */
	fprintf(out,
		"set yrange [%.9g:-0.55]\nset border 1\nunset ytics\n"
		"set lmargin 2\nset style fill solid 1 border lc %s\n",
		(double)bars - 0.65, svg_colour(SVG_PAPER, 0).text);
	for (size_t i = 0; i < bars; i++) {
		fprintf(out, "set label %zu ", i + 1);
		put_text(out, labels[i]);
		fprintf(out, " at 0,%.9g\n", (double)i - LABEL_AT);
	}
	put_parts(out, values, bars, parts, width);
	for (size_t j = 0; j < parts; j++)
		fprintf(out, "%s $p%zu using 1:2:3:4:5:6 with boxxyerror lc %s",
			j ? "," : "plot", j,
			svg_colour(SVG_FILL, j % PLOT_FILLS).text);
	for (size_t j = 0; j < parts; j++)
		fprintf(out, ", $p%zu using 1:2:7 with labels tc %s", j,
			svg_colour(SVG_ON_FILL, 0).text);
	fputc('\n', out);
	script_close(out);
	return text;
}

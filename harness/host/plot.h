/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures by gnuplot: a script for each, and one gnuplot that makes SVG of all.
 *
 * A script holds figures and words of ours, and text from records only as
 * labels that were made harmless. Where gnuplot puts colours, the page's style
 * sheet has the say: see svg.h.
 */
#ifndef RECLAIMLAB_HOST_PLOT_H
#define RECLAIMLAB_HOST_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "series.h"

/* Of a line's colours and dashes; more lines begin again. */
#define PLOT_LINES 5
/* Of the colours in which things are stacked; more begin again. */
#define PLOT_FILLS 9

struct figure {
	char *title;   /* what is seen, with its unit */
	char *summary; /* the same in figures, for whoever cannot see it */
	char *script;  /* for gnuplot */
	char *svg;     /* NULL until drawn */
};

struct axes {
	const char *x; /* what is to the right, with its unit: words of ours */
	bool log_x;
	bool from_zero; /* to the right, whatever the curves are */
	double y_max;	/* 0: as the curves are */
};

/**
 * plot_lines() - a script that draws curves as lines, the i-th in style i.
 * Curves without a line (curve_has_line()) are left out.
 *
 * Return: the script, to be freed; NULL when nothing is to be seen.
 */
char *plot_lines(const struct axes *axes, const struct curve *curves, size_t n);

/**
 * plot_areas() - a script that stacks curves with the same x, the first lowest.
 *
 * Return: as plot_lines().
 */
char *plot_areas(const struct axes *axes, const struct curve *curves, size_t n);

/**
 * plot_stack_max() - how high the stack of plot_areas() rises; 0 without one.
 */
double plot_stack_max(const struct curve *curves, size_t n);

/**
 * plot_bars() - a script that draws bars, one below the other, each a stack of
 * parts from left to right. Parts that are wide enough carry their number,
 * from 1 on.
 * @labels: of the bars, any text.
 * @values: @bars times @parts of them, not negative.
 *
 * Return: as plot_lines().
 */
char *plot_bars(const struct axes *axes, const char *const *labels, size_t bars,
		const double *values, size_t parts);

/**
 * plot_dashes() - the dashes of a line's style, as of SVG's stroke-dasharray;
 * "" for a solid line.
 */
const char *plot_dashes(size_t style);

/**
 * plots_draw() - let gnuplot fill the svg of every figure.
 * @error: on failure, one line to be freed that says what to do.
 *
 * Return: 0, or -1 with no svg at all.
 */
int plots_draw(struct figure *const *figures, size_t n, char **error);

#endif

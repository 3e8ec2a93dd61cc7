/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What gnuplot draws, made fit for a page: colours that the page's style sheet
 * gives, a title and words for who cannot see it, nothing that is not needed.
 */
#ifndef RECLAIMLAB_HOST_SVG_H
#define RECLAIMLAB_HOST_SVG_H

#include <stddef.h>

/*
 * Colours have names in a page, which gnuplot does not know. It is given ones
 * that nobody would choose, and svg_tidy() puts var(--NAME-NUMBER) there.
 */
enum svg_colour {
	SVG_LINE,
	SVG_FILL,
	SVG_AGE,
	SVG_ON_FILL, /* of text on a fill */
	SVG_PAPER,   /* behind everything */
	SVG_NR_COLOURS,
};

struct svg_colour_text {
	char text[16];
};

/**
 * svg_colour() - for a script of gnuplot: a quoted colour.
 * @number: below 256.
 */
struct svg_colour_text svg_colour(enum svg_colour colour, size_t number);

/**
 * svg_tidy() - one figure for a page.
 * @text: @len bytes, one document of gnuplot's svg terminal.
 * @number: of the figure in its page, from which its ids are made.
 * @title, @summary: UTF-8, become the figure's title and description.
 *
 * Return: an svg element, to be freed; NULL when @text is no SVG.
 */
char *svg_tidy(const char *text, size_t len, size_t number, const char *title,
	       const char *summary);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The report as one page: no network, no script, nothing beside it. It depends
 * on nothing but the records, and on gnuplot for its figures.
 */
#ifndef RECLAIMLAB_HOST_REPORT_HTML_H
#define RECLAIMLAB_HOST_REPORT_HTML_H

#include "compare.h"
#include "html.h"
#include "plot.h"

/**
 * report_html() - the page.
 *
 * Without gnuplot it has no figures and says in one line what to install.
 *
 * Return: XHTML, ends with a newline, to be freed.
 */
char *report_html(const struct comparison *c);

/* What follows is between the parts of the page. */

enum legend {
	LEGEND_NONE,
	LEGEND_ARMS,	    /* lines, one style for each arm */
	LEGEND_GENERATIONS, /* areas, one for each generation */
};

/* Rows of texts under a headline; the first column says what a row is. */
struct cells {
	size_t columns, rows; /* rows with the headline, 0: no table */
	char **text;	      /* rows * columns, owned */
	size_t swatches;      /* so many rows have a colour of the bars */
};

/* Something to see, made from all records before any of it is drawn. */
struct section {
	const char *title;
	char *text; /* how to read it; or why it is left out */
	enum legend legend;
	struct figure **figures;
	size_t n, room;
	struct cells cells;
};

/**
 * section_add() - append a figure. Everything is owned by the section then.
 * @script: NULL when there is nothing to see, and then no figure is added.
 *
 * Return: whether one was added.
 */
bool section_add(struct section *section, char *title, char *summary,
		 char *script);

/**
 * arm_label() - what people call the arm.
 */
const char *arm_label(const struct arm *arm);

/**
 * append() - put a text at the end of another.
 * @text: a string that is freed, or NULL for none yet.
 *
 * Return: both, to be freed.
 */
__attribute__((format(printf, 2, 3))) char *append(char *text, const char *fmt,
						   ...);

/* The sections; each sets title and text, and may add figures and a table. */
void section_stalls(const struct comparison *c, struct section *section);
void section_waits(const struct comparison *c, struct section *section);
void section_psi(const struct comparison *c, struct section *section);
void section_latency(const struct comparison *c, struct section *section);
void section_generations(const struct comparison *c, struct section *section);

/**
 * html_verdicts() - the primary metric in a sentence for each pair of arms.
 */
void html_verdicts(struct html *html, const struct comparison *c);

/**
 * html_table() - what rose and fell at a glance, and the table.
 */
void html_table(struct html *html, const struct comparison *c,
		const struct pairing *pairing);

#endif

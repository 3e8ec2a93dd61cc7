// SPDX-License-Identifier: GPL-2.0
/* The page: its frame, and the order of what is in it. */
#include "report_html.h"

#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "page_css.h"
#include "pairs.h"
#include "report.h"
#include "util.h"

/* Nothing may be fetched and nothing run, whatever a record says. */
static const char policy[] = "default-src 'none'; style-src 'unsafe-inline'";

static void (*const sections[])(const struct comparison *, struct section *) = {
	section_stalls,	 section_waits,	      section_psi,
	section_latency, section_generations,
};

#define NR_SECTIONS ARRAY_SIZE(sections)

char *append(char *text, const char *fmt, ...)
{
	char *more, *both;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&more, fmt, ap);
	va_end(ap);
	if (n < 0)
		die("out of memory");
	both = xasprintf("%s%s", text ? text : "", more);
	free(more);
	free(text);
	return both;
}

const char *arm_label(const struct arm *arm)
{
	return arm->records->label;
}

bool section_add(struct section *section, char *title, char *summary,
		 char *script)
{
	struct figure *figure;

	if (!script) {
		free(title);
		free(summary);
		return false;
	}
	figure = xcalloc(1, sizeof(*figure));
	figure->title = html_clean(title);
	figure->summary = html_clean(summary);
	figure->script = script;
	free(title);
	free(summary);
	section->figures = grow(section->figures, section->n, &section->room,
				sizeof(struct figure *));
	section->figures[section->n++] = figure;
	return true;
}

static void section_free(struct section *section)
{
	for (size_t i = 0; i < section->n; i++) {
		free(section->figures[i]->title);
		free(section->figures[i]->summary);
		free(section->figures[i]->script);
		free(section->figures[i]->svg);
		free(section->figures[i]);
	}
	free(section->figures);
	for (size_t i = 0; i < section->cells.rows * section->cells.columns;
	     i++)
		free(section->cells.text[i]);
	free(section->cells.text);
	free(section->text);
}

/* Return: NULL, or why there are no figures. */
static char *draw(const struct section *all)
{
	struct figure **figures;
	char *error = NULL;
	size_t n = 0;

	for (size_t i = 0; i < NR_SECTIONS; i++)
		n += all[i].n;
	figures = xcalloc(n, sizeof(struct figure *));
	n = 0;
	for (size_t i = 0; i < NR_SECTIONS; i++)
		for (size_t k = 0; k < all[i].n; k++)
			figures[n++] = all[i].figures[k];
	if (n)
		plots_draw(figures, n, &error);
	free(figures);
	return error;
}

/* What stands for an entry of the legend: a small drawing. */
static void put_sample(struct html *html, const char *shape)
{
	html_open(html, "svg");
	html_attribute(html, "class", "sample");
	html_attribute(html, "viewBox", "0 0 36 12");
	html_attribute(html, "aria-hidden", "true");
	html_attribute(html, "xmlns", "http://www.w3.org/2000/svg");
	html_raw(html, shape);
	html_close(html);
}

static char *line_sample(size_t style)
{
	return xasprintf(
		"<path d=\"M0,6 H36\" fill=\"none\" stroke-width=\"2\""
		" stroke=\"var(--line-%zu)\" stroke-dasharray=\"%s\"/>",
		style % PLOT_LINES,
		*plot_dashes(style) ? plot_dashes(style) : "none");
}

static char *fill_sample(const char *colour, size_t number)
{
	return xasprintf("<rect x=\"1\" y=\"1\" width=\"34\" height=\"10\" "
			 "stroke=\"currentColor\" fill=\"var(--%s-%zu)\"/>",
			 colour, number % PLOT_FILLS);
}

static void put_entry(struct html *html, char *sample, const char *text)
{
	html_open(html, "li");
	put_sample(html, sample);
	html_text(html, text);
	html_close(html);
	free(sample);
}

static void put_legend(struct html *html, const struct comparison *c,
		       enum legend legend)
{
	static const char *const ages[] = { "oldest", "second", "third",
					    "youngest, of four" };

	html_open(html, "ul");
	html_attribute(html, "class", "legend");
	for (size_t i = 0; i < c->n_arms; i++)
		put_entry(html, line_sample(i), arm_label(&c->arms[i]));
	for (size_t i = 0; legend == LEGEND_GENERATIONS && i < ARRAY_SIZE(ages);
	     i++)
		put_entry(html, fill_sample("age", i), ages[i]);
	html_close(html);
	html_raw(html, "\n");
}

static void put_cells(struct html *html, const struct cells *cells)
{
	html_scroll(html, "figures of the bars");
	html_open(html, "table");
	for (size_t row = 0; row < cells->rows; row++) {
		char **text = cells->text + row * cells->columns;
		bool head = !row, stacked = row && row <= cells->swatches;

		html_open(html, "tr");
		html_attribute(html, "class", head || stacked ? "part" : "sum");
		html_open(html, "th");
		html_attribute(html, "scope", head ? "col" : "row");
		if (stacked) {
			char *sample = fill_sample("fill", row - 1);

			put_sample(html, sample);
			free(sample);
			html_printf(html, "b", NULL, "%zu ", row);
		}
		html_text(html, text[0]);
		html_close(html);
		for (size_t i = 1; i < cells->columns; i++)
			html_put(html, head ? "th" : "td", NULL, text[i]);
		html_close(html);
		html_raw(html, "\n");
	}
	html_close(html);
	html_close(html);
}

static void put_figure(struct html *html, const struct figure *figure)
{
	html_open(html, "figure");
	html_put(html, "b", NULL, figure->title);
	html_raw(html, figure->svg);
	html_put(html, "figcaption", NULL, figure->summary);
	html_close(html);
	html_raw(html, "\n");
}

static void put_figures(struct html *html, const struct comparison *c,
			const struct section *section)
{
	if (section->legend != LEGEND_NONE)
		put_legend(html, c, section->legend);
	html_open(html, "div");
	html_attribute(html, "class", "figures");
	for (size_t i = 0; i < section->n; i++)
		put_figure(html, section->figures[i]);
	html_close(html);
}

static void put_section(struct html *html, const struct comparison *c,
			const struct section *section, bool drawn)
{
	html_open(html, "section");
	html_put(html, "h2", NULL, section->title);
	html_put(html, "p", NULL, section->text);
	html_raw(html, "\n");
	html_open(html, "div");
	html_attribute(html, "class", "beside");
	if (drawn && section->n)
		put_figures(html, c, section);
	if (section->cells.rows)
		put_cells(html, &section->cells);
	html_close(html);
	html_close(html);
	html_raw(html, "\n");
}

/* A part of the text report, as it is there. */
static void put_text_part(struct html *html, const char *title,
			  void (*part)(FILE *out, const struct comparison *c),
			  const struct comparison *c)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		die("out of memory");
	part(out, c);
	if (fclose(out))
		die("out of memory");
	html_put(html, "h2", NULL, title);
	html_put(html, "pre", NULL, text + strspn(text, "\n"));
	free(text);
}

/* The recipe of a release: 6.12.118 is of 6.12. */
static char *recipe_of(const char *release)
{
	size_t major = strcspn(release, ".");
	size_t minor =
		release[major] ? strspn(release + major + 1, "0123456789") : 0;

	return xasprintf("%.*s", (int)(major + 1 + minor), release);
}

/* Arms as make takes them; NULL when their names are none that it takes. */
static char *arms_words(const struct comparison *c)
{
	char *words = NULL;

	for (size_t i = 0; i < c->n_arms; i++) {
		if (label_error(arm_label(&c->arms[i]))) {
			free(words);
			return NULL;
		}
		words = append(words, "%s%s%s", words ? " " : "",
			       arm_label(&c->arms[i]),
			       c->images_differ ? "=IMAGE" : "");
	}
	return words;
}

/* A text among the conditions, which all records share. */
static const char *condition(const struct comparison *c, const char *name)
{
	return json_string_value(json_object_get(
		json_object_get(c->set.records->json, "conditions"), name));
}

static bool is_deterministic(const struct comparison *c)
{
	const json_t *conditions =
		json_object_get(c->set.records->json, "conditions");

	return json_is_true(json_object_get(
		json_object_get(conditions, "machine"), "deterministic"));
}

/* Records know images by their hashes, not what they were built from. */
static void put_reproduce(struct html *html, const struct comparison *c)
{
	const char *scenario = condition(c, "scenario");
	const struct pairing *p = c->pairings;
	char *kernel = recipe_of(c->set.records->release);
	char *arms = arms_words(c);

	html_put(html, "h2", NULL, "How to reproduce it");
	if (!arms || label_error(scenario) || label_error(kernel))
		html_put(html, "p", NULL,
			 "There is no command line: arms, scenario or kernel "
			 "have names that make measure does not take.");
	else
		html_printf(html, "pre", NULL,
			    "make measure KERNEL=%s SCENARIO=%s SEEDS=%lld "
			    "ARMS=\"%s\"",
			    kernel, scenario, (long long)p->seeds[p->n - 1],
			    arms);
	html_printf(html, "p", NULL,
		    "%sThe conditions that it reports must be those below%s.",
		    c->images_differ ? "IMAGE stands for a kernel image. " : "",
		    is_deterministic(c)
			    ? "; then the figures are these to the last digit"
			    : "");
	free(arms);
	free(kernel);
}

/* "launch: B, C against A" */
static char *title_of(const struct comparison *c)
{
	char *title = xasprintf("%s:", condition(c, "scenario"));

	for (size_t i = 1; i < c->n_arms; i++)
		title = append(title, "%s %s", i > 1 ? "," : "",
			       arm_label(&c->arms[i]));
	return append(title, " against %s", arm_label(c->arms));
}

static void put_head(struct html *html, const char *title)
{
	html_open(html, "head");
	html_raw(html, "\n<meta charset=\"utf-8\"/>\n");
	html_raw(html, "<meta name=\"viewport\" "
		       "content=\"width=device-width, initial-scale=1\"/>\n"
		       "<meta http-equiv=\"Content-Security-Policy\" "
		       "content=\"");
	html_raw(html, policy);
	html_raw(html, "\"/>\n");
	html_put(html, "title", NULL, title);
	html_open(html, "style");
	html_raw(html, page_css);
	html_close(html);
	html_close(html);
	html_raw(html, "\n");
}

static void put_body(struct html *html, const struct comparison *c,
		     const struct section *all, const char *title)
{
	char *error = draw(all);

	html_open(html, "body");
	html_open(html, "main");
	html_put(html, "h1", NULL, title);
	html_verdicts(html, c);
	if (error)
		html_printf(html, "p", "soft", "Figures are left out: %s.",
			    error);
	for (size_t i = 0; i + 1 < c->n_arms; i++)
		html_table(html, c, &c->pairings[i]);
	put_text_part(html, "Notes", report_notes, c);
	for (size_t i = 0; i < NR_SECTIONS; i++)
		put_section(html, c, &all[i], !error);
	put_reproduce(html, c);
	put_text_part(html, "Conditions", report_conditions, c);
	html_close(html);
	html_close(html);
	free(error);
}

char *report_html(const struct comparison *c)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	locale_t before = uselocale(plain);
	struct section all[NR_SECTIONS] = { 0 };
	struct html *html = html_start();
	char *title = title_of(c);

	if (!plain)
		die("out of memory");
	records_fill(&c->set, BOOTS_DRAWN);
	for (size_t i = 0; i < NR_SECTIONS; i++)
		sections[i](c, &all[i]);
	html_open(html, "html");
	html_attribute(html, "xmlns", "http://www.w3.org/1999/xhtml");
	html_attribute(html, "lang", "en");
	html_raw(html, "\n");
	put_head(html, title);
	put_body(html, c, all, title);
	for (size_t i = 0; i < NR_SECTIONS; i++)
		section_free(&all[i]);
	records_condense(&c->set);
	free(title);
	uselocale(before);
	freelocale(plain);
	return html_end(html);
}

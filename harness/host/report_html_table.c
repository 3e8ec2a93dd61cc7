// SPDX-License-Identifier: GPL-2.0
/* The figures of the page's table, and what they come to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "report_html.h"
#include "util.h"

/* All that is shown of a row: the only place that looks into it. */
struct shown {
	const struct metric *metric;
	struct cell base, other, change, low, high;
	const char *verdict;
	size_t pairs;
	bool interval;
};

static struct cell with_sign(double percent)
{
	struct cell cell = report_percent(percent);

	if (isfinite(percent))
		strcat(cell.text, "%");
	return cell;
}

static struct shown show(const struct row *row)
{
	const struct estimate *effect = &row->effect;
	const struct metric *m = row->metric;
	struct shown shown = {
		.metric = m,
		.base = report_number(row->base_summary.mean, m->decimals),
		.other = report_number(row->other_summary.mean, m->decimals),
		.change = with_sign(effect->value * row->scale),
		.low = with_sign(effect->low * row->scale),
		.high = with_sign(effect->high * row->scale),
		.verdict = verdict_word(row->verdict),
		.pairs = row->difference.n,
		.interval = isfinite(effect->low * row->scale) &&
			    isfinite(effect->high * row->scale),
	};

	/* Something after nothing: a change, though not one in per cent. */
	if (row->difference.n && isnan(row->scale))
		strcpy(shown.change.text, "from 0");
	return shown;
}

static bool is_worse(const struct shown *shown)
{
	return !strcmp(shown->verdict, "worse");
}

static bool is_better(const struct shown *shown)
{
	return !strcmp(shown->verdict, "better");
}

/* A word and a sign; the colour says nothing that they do not. */
static void put_verdict(struct html *html, const char *element,
			const struct shown *shown)
{
	const char *class = "none", *sign = "";

	if (is_better(shown)) {
		class = "better";
		sign = "\u2713 ";
	} else if (is_worse(shown)) {
		class = "worse";
		sign = "\u2717 ";
	}
	html_printf(html, element, class, "%s%s", sign, shown->verdict);
}

static void put_interval(struct html *html, const struct shown *shown)
{
	const char *plural = shown->pairs == 1 ? "" : "s";

	if (shown->interval)
		html_printf(html, "span", NULL,
			    " (%zu pair%s, 95 %% interval of the difference "
			    "%s to %s).",
			    shown->pairs, plural, shown->low.text,
			    shown->high.text);
	else
		html_printf(html, "span", NULL,
			    " (%zu pair%s, too few for an interval).",
			    shown->pairs, plural);
}

void html_verdicts(struct html *html, const struct comparison *c)
{
	for (size_t i = 0; i + 1 < c->n_arms; i++) {
		const struct pairing *p = &c->pairings[i];
		struct shown shown = show(find_row(p, c->primary->name));

		html_open(html, "p");
		html_attribute(html, "class", "verdict");
		html_put(html, "b", NULL, arm_label(p->other));
		html_text(html, " against ");
		html_put(html, "b", NULL, arm_label(c->arms));
		if (!shown.pairs) {
			html_printf(html, "span", NULL,
				    ": the records do not have %s, the primary "
				    "metric; no verdict.",
				    shown.metric->label);
		} else {
			html_printf(html, "span", NULL,
				    ": %s went from %s to %s %s (%s): ",
				    shown.metric->label, shown.base.text,
				    shown.other.text, shown.metric->unit,
				    shown.change.text);
			put_verdict(html, "strong", &shown);
			put_interval(html, &shown);
		}
		html_close(html);
	}
}

/* What was decided one way, as a list. */
static void put_side(struct html *html, const struct pairing *p,
		     const char *title, bool (*is)(const struct shown *))
{
	size_t n = 0;

	html_open(html, "div");
	html_put(html, "h3", NULL, title);
	html_open(html, "ul");
	for (size_t i = 0; i < nr_metrics; i++) {
		struct shown shown = show(&p->rows[i]);

		if (!is(&shown))
			continue;
		html_printf(html, "li", NULL, "%s %s", shown.metric->name,
			    shown.change.text);
		n++;
	}
	if (!n)
		html_put(html, "li", NULL, "nothing");
	html_close(html);
	html_close(html);
}

/* A label may be broken before a '+': columns are as narrow as their figures. */
static void put_words(struct html *html, const char *label)
{
	size_t len;

	for (; *label; label += len) {
		char *part;

		len = 1 + strcspn(label + 1, "+");
		part = xasprintf("%.*s", (int)len, label);
		html_text(html, part);
		free(part);
		if (label[len])
			html_raw(html, "<wbr/>");
	}
}

static void put_head(struct html *html, const struct comparison *c,
		     const struct pairing *p)
{
	const char *const columns[] = {
		"metric", arm_label(c->arms), arm_label(p->other),
		"change", "95 % interval",    "verdict"
	};

	html_open(html, "thead");
	html_open(html, "tr");
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		html_open(html, "th");
		html_attribute(html, "scope", "col");
		put_words(html, columns[i]);
		html_close(html);
	}
	html_close(html);
	html_close(html);
	html_raw(html, "\n");
}

static void put_row(struct html *html, const struct row *row)
{
	struct shown shown = show(row);

	html_open(html, "tr");
	html_open(html, "th");
	html_attribute(html, "scope", "row");
	html_text(html, shown.metric->label);
	if (!strstr(shown.metric->group, shown.metric->unit))
		html_printf(html, "small", NULL, ", %s", shown.metric->unit);
	html_close(html);
	html_put(html, "td", NULL, shown.base.text);
	html_put(html, "td", NULL, shown.other.text);
	html_put(html, "td", NULL, shown.change.text);
	if (shown.interval)
		html_printf(html, "td", NULL, "%s \u2026 %s", shown.low.text,
			    shown.high.text);
	else
		html_put(html, "td", NULL, "-");
	put_verdict(html, "td", &shown);
	html_close(html);
	html_raw(html, "\n");
}

void html_table(struct html *html, const struct comparison *c,
		const struct pairing *pairing)
{
	const char *group = "";

	html_printf(html, "h2", NULL, "%s against %s",
		    arm_label(pairing->other), arm_label(c->arms));
	html_open(html, "div");
	html_attribute(html, "class", "sides");
	put_side(html, pairing, "\u2717 Worse", is_worse);
	put_side(html, pairing, "\u2713 Better", is_better);
	html_close(html);
	html_scroll(html, "table of all metrics");
	html_open(html, "table");
	html_attribute(html, "class", "metrics");
	put_head(html, c, pairing);
	for (size_t i = 0; i < nr_metrics; i++) {
		if (!pairing->rows[i].n)
			continue;
		const struct metric *metric = pairing->rows[i].metric;

		if (strcmp(group, metric->group)) {
			if (*group)
				html_close(html);
			group = metric->group;
			html_open(html, "tbody");
			html_open(html, "tr");
			html_attribute(html, "class", "group");
			html_open(html, "th");
			html_attribute(html, "scope", "rowgroup");
			html_attribute(html, "colspan", "6");
			html_text(html, group);
			html_close(html);
			html_close(html);
			html_raw(html, "\n");
		}
		put_row(html, &pairing->rows[i]);
	}
	for (int i = 0; i < 3; i++)
		html_close(html); /* tbody, table, div */
}

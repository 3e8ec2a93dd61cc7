// SPDX-License-Identifier: GPL-2.0
/* What is drawn over time: stalls, and the generations of the LRU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_html.h"
#include "util.h"

#define US_TO_MS 1e-3
#define MS_PER_S_TO_PERCENT 0.1
#define GENERATIONS_MAX 4 /* MAX_NR_GENS of the kernel */
#define WORKING_SET_MS 10000

static const struct axes over_time = {
	.x = "s of the measured phase",
	.from_zero = true,
};

static struct curve *curves_of(const struct comparison *c, curve_maker make,
			       const void *what)
{
	struct curve *curves = xcalloc(c->n_arms, sizeof(*curves));

	for (size_t i = 0; i < c->n_arms; i++)
		curves[i] = series_mean(&c->arms[i], make, what);
	return curves;
}

static void curves_free(struct curve *curves, size_t n)
{
	for (size_t i = 0; i < n; i++)
		curve_free(&curves[i]);
	free(curves);
}

/* Which point of a curve the words under a figure are about. */
static size_t last(const struct curve *curve)
{
	return curve->n - 1;
}

static size_t highest(const struct curve *curve)
{
	size_t at = 0;

	for (size_t k = 1; k < curve->n; k++)
		if (curve->y[k] > curve->y[at] || isnan(curve->y[at]))
			at = k;
	return at;
}

/* So many decimals that three digits or more are seen. */
static int decimals(double value)
{
	return fabs(value) >= 100 ? 0 : fabs(value) >= 1 ? 1 : 3;
}

/* One line an arm. @what: of the point. */
static char *describe(const struct comparison *c, const struct curve *curves,
		      size_t (*point)(const struct curve *curve),
		      const char *what, const char *unit)
{
	char *words = NULL;

	for (size_t i = 0; i < c->n_arms; i++) {
		const struct curve *curve = &curves[i];
		double y;

		words = append(words, "%s%s: ", words ? "\n" : "",
			       arm_label(&c->arms[i]));
		if (!curve_has_line(curve)) {
			words = append(words, "not in the records");
			continue;
		}
		y = curve->y[point(curve)];
		words = append(words, "%s%.*f %s after %.4g s; n=%zu", what,
			       decimals(y), y, unit, curve->x[point(curve)],
			       curve->boots);
	}
	return words;
}

/* Of a PSI total: milliseconds since the measured phase began. */
static bool stalled_ms(const struct record *record, const void *name,
		       struct curve *curve)
{
	if (!series_of_record(record, name, curve))
		return false;
	for (size_t i = curve->n; i-- > 0;)
		curve->y[i] = (curve->y[i] - curve->y[0]) * US_TO_MS;
	return true;
}

struct stall {
	const char *name, *label;
};

static bool add_total(const struct comparison *c, struct section *section,
		      const struct stall *stall)
{
	struct curve *total = curves_of(c, stalled_ms, stall->name);
	bool added = section_add(section,
				 xasprintf("%s, total (ms)", stall->label),
				 describe(c, total, last, "", "ms"),
				 plot_lines(&over_time, total, c->n_arms));

	curves_free(total, c->n_arms);
	return added;
}

static void add_rate(const struct comparison *c, struct section *section,
		     const struct stall *stall)
{
	struct curve *total = curves_of(c, stalled_ms, stall->name);
	struct curve *rate = xcalloc(c->n_arms, sizeof(*rate));

	for (size_t i = 0; i < c->n_arms; i++) {
		rate[i] = curve_rate(&total[i]);
		for (size_t k = 0; k < rate[i].n; k++)
			rate[i].y[k] *= MS_PER_S_TO_PERCENT;
	}
	section_add(section,
		    xasprintf("%s, rate (%% of the time)", stall->label),
		    describe(c, rate, highest, "up to ", "%"),
		    plot_lines(&over_time, rate, c->n_arms));
	curves_free(rate, c->n_arms);
	curves_free(total, c->n_arms);
}

void section_psi(const struct comparison *c, struct section *section)
{
	static const struct stall stalls[] = {
		{ "psi.memory.some.total", "memory, some" },
		{ "psi.memory.full.total", "memory, full" },
		{ "apps/psi.memory.some.total", "apps' memory, some" },
		{ "psi.io.some.total", "I/O, some" },
		{ "psi.io.full.total", "I/O, full" },
		{ "apps/psi.io.some.total", "apps' I/O, some" },
	};
	char *absent = NULL;

	section->title = "Stalls over time (PSI)";
	section->legend = LEGEND_ARMS;
	for (size_t i = 0; i < ARRAY_SIZE(stalls); i++)
		if (!add_total(c, section, &stalls[i]))
			absent = append(absent, "%s%s", absent ? ", " : "",
					stalls[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(stalls); i++)
		add_rate(c, section, &stalls[i]);
	if (!section->n)
		section->text = xasprintf("Left out: no record has a series of "
					  "psi.*.total.");
	else
		section->text =
			xasprintf("Means over the boots of an arm, from the "
				  "begin of the measured phase to the end of "
				  "the shortest.%s%s%s",
				  absent ? " Not in the records: " : "",
				  absent ? absent : "", absent ? "." : "");
	free(absent);
}

/* Pages of a memcg: text and data are files', in memcgs of their own. */
struct pages {
	const char *memcg, *kind, *label;
};

static const struct pages pages[] = {
	{ "apps", "file", "text" },
	{ "data", "file", "data" },
	{ "apps", "anon", "anon" },
};

static bool generation_series(const struct record *record,
			      const struct pages *of, size_t generation,
			      const char *what, struct curve *curve)
{
	char *name =
		xasprintf("lru_gen.%s.%zu.%s", of->memcg, generation, what);
	bool found = series_of_record(record, name, curve);

	free(name);
	return found;
}

struct generation {
	const struct pages *of;
	size_t number; /* 0 is the oldest */
};

static bool generation_pages(const struct record *record, const void *what,
			     struct curve *curve)
{
	const struct generation *generation = what;

	return generation_series(record, generation->of, generation->number,
				 generation->of->kind, curve);
}

/* Add the pages of a generation where it is young. */
static bool add_young(const struct record *record, const struct pages *of,
		      size_t generation, struct curve *sum)
{
	struct curve age, count;

	if (!generation_series(record, of, generation, "age_ms", &age))
		return false;
	if (!generation_series(record, of, generation, of->kind, &count)) {
		curve_free(&age);
		return false;
	}
	if (!sum->n)
		*sum = curve_alloc(count.n);
	for (size_t i = 0; i < sum->n; i++) {
		sum->x[i] = count.x[i];
		if (age.y[i] < WORKING_SET_MS)
			sum->y[i] += count.y[i];
	}
	curve_free(&count);
	curve_free(&age);
	return true;
}

/* Pages in generations that were opened in the last WORKING_SET_MS. */
static bool working_set(const struct record *record, const void *of,
			struct curve *curve)
{
	bool any = false;

	memset(curve, 0, sizeof(*curve));
	for (size_t k = 0; k < GENERATIONS_MAX; k++)
		any |= add_young(record, of, k, curve);
	return any;
}

static void add_generations(const struct comparison *c, struct section *section,
			    const struct pages *of)
{
	struct curve *curves =
		xcalloc(c->n_arms * GENERATIONS_MAX, sizeof(*curves));
	struct axes axes = over_time;

	for (size_t i = 0; i < c->n_arms; i++) {
		struct curve *stack = &curves[i * GENERATIONS_MAX];

		for (size_t k = 0; k < GENERATIONS_MAX; k++)
			stack[k] = series_mean(&c->arms[i], generation_pages,
					       &(struct generation){ of, k });
		axes.y_max = fmax(axes.y_max,
				  plot_stack_max(stack, GENERATIONS_MAX));
	}
	/* One scale, so that the arms can be compared. */
	for (size_t i = 0; i < c->n_arms; i++)
		section_add(section,
			    xasprintf("%s, %s: pages by generation", of->label,
				      arm_label(&c->arms[i])),
			    xasprintf("%s pages of %s; the scale is that of "
				      "the other arms; n=%zu",
				      of->kind, of->memcg,
				      curves[i * GENERATIONS_MAX].boots),
			    plot_areas(&axes, &curves[i * GENERATIONS_MAX],
				       GENERATIONS_MAX));
	curves_free(curves, c->n_arms * GENERATIONS_MAX);
}

static void add_working_set(const struct comparison *c, struct section *section,
			    const struct pages *of)
{
	struct curve *curves = curves_of(c, working_set, of);

	section_add(section,
		    xasprintf("%s: working set (pages younger than %d s)",
			      of->label, WORKING_SET_MS / 1000),
		    describe(c, curves, highest, "up to ", "pages"),
		    plot_lines(&over_time, curves, c->n_arms));
	curves_free(curves, c->n_arms);
}

void section_generations(const struct comparison *c, struct section *section)
{
	section->title = "Generations over time (MGLRU)";
	section->legend = LEGEND_GENERATIONS;
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		add_generations(c, section, &pages[i]);
		add_working_set(c, section, &pages[i]);
	}
	section->text =
		section->n
			? xasprintf(
				  "Means over the boots of an arm. The oldest "
				  "generation is at the bottom. The working "
				  "set is an estimate: pages in generations "
				  "that were opened less than %d s before.",
				  WORKING_SET_MS / 1000)
			: xasprintf(
				  "Left out: no record has counters lru_gen.*, "
				  "which a guest reads from debugfs.");
}

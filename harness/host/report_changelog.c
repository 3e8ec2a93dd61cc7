// SPDX-License-Identifier: GPL-2.0
/*
 * The comparison for a commit message:
 *
 *	label (23)  baseline (10)  other (10)  change (7)  low (7)  high (7)
 *	sd (5)  p (6)
 *
 * in sections by verdict, losses set like gains.
 */
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "util.h"

#define LABEL_WIDTH 23
#define HASH_SHOWN 12

/* Which rows a section has; the primary metric stands before all. */
struct section {
	enum verdict verdict;
	const char *heading;
	bool figures; /* a line for each row, or else only their names */
	bool always;  /* said even when there are none */
};

static const struct section sections[] = {
	{ VERDICT_BETTER, "better", true, true },
	{ VERDICT_WORSE, "worse", true, true },
	{ VERDICT_NOT_GIVEN, "changed, but no gain or loss by itself", true,
	  false },
	{ VERDICT_SAME, "no detectable change", false, false },
	{ VERDICT_IDENTICAL, "identical", false, false },
};

static bool belongs(const struct row *row, const struct section *section)
{
	if (row->verdict != section->verdict)
		return false;
	return row->verdict != VERDICT_NOT_GIVEN || detected(row);
}

/*
 * What the headings of the table say: whose it is, that it is pressure, and the
 * unit but for plain counts.
 */
static char *full_label(const struct metric *metric)
{
	const char *slash = strchr(metric->name, '/');
	int owner = slash ? (int)(slash - metric->name) : 0;
	bool named = owner && !strncmp(metric->label, metric->name, owner);
	bool count = !strcmp(metric->unit, "pages") ||
		     !strcmp(metric->unit, "faults");

	return xasprintf("%.*s%s%s%s%s%s", owner, metric->name,
			 owner ? " " : "",
			 strstr(metric->name, "psi.") ? "PSI " : "",
			 metric->label + (named ? owner + 1 : 0),
			 count ? "" : ", ", count ? "" : metric->unit);
}

static void put_row(FILE *out, const struct row *row)
{
	int decimals = row->metric->decimals;
	char *label = full_label(row->metric);
	const struct estimate *e = &row->effect;
	bool fits = strlen(label) <= LABEL_WIDTH;

	if (!fits)
		fprintf(out, "%s\n", label);
	fprintf(out, "%-*s%10s%10s%7s%7s%7s%5s%6s\n", LABEL_WIDTH,
		fits ? label : "",
		report_number(row->base_summary.mean, decimals).text,
		report_number(row->other_summary.mean, decimals).text,
		report_percent(e->value * row->scale).text,
		report_percent(e->low * row->scale).text,
		report_percent(e->high * row->scale).text,
		report_size(row->difference.sd * row->scale, 4).text,
		report_row_p(row).text);
	free(label);
}

static void put_names(FILE *out, const struct comparison *c,
		      const struct pairing *p, const struct section *section)
{
	char *names = xasprintf("%s", "");

	for (size_t i = 0; i < nr_metrics; i++) {
		const struct row *row = &p->rows[i];
		char *label, *longer;

		if (!belongs(row, section) || row->metric == c->primary)
			continue;
		label = full_label(row->metric);
		*strchrnul(label, ',') = '\0';
		longer = xasprintf("%s%s%s", names, *names ? ", " : "", label);
		free(label);
		free(names);
		names = longer;
	}
	report_wrap(out, CHANGELOG_COLUMNS, "  ", names);
	free(names);
}

static void put_section(FILE *out, const struct comparison *c,
			const struct pairing *p, const struct section *section)
{
	size_t n = 0;

	for (size_t i = 0; i < nr_metrics; i++)
		n += belongs(&p->rows[i], section) &&
		     p->rows[i].metric != c->primary;
	if (!n && !section->always)
		return;
	fprintf(out, "%s:%s\n", section->heading, n ? "" : " nothing");
	if (n && !section->figures)
		put_names(out, c, p, section);
	for (size_t i = 0; i < nr_metrics && section->figures; i++)
		if (belongs(&p->rows[i], section) &&
		    p->rows[i].metric != c->primary)
			put_row(out, &p->rows[i]);
}

static void put_table(FILE *out, const struct comparison *c,
		      const struct pairing *p)
{
	const struct row *primary = find_row(p, c->primary->name);
	const char *base = c->arms->records->label;
	const char *other = p->other->records->label;
	char *seeds = report_seeds(p);
	char *parting = report_parting(p);
	char *title = xasprintf("%s against %s: n=%zu pairs of boots, seeds %s",
				other, base, p->n, seeds);

	report_wrap(out, CHANGELOG_COLUMNS, "", title);
	if (parting)
		report_wrap(out, CHANGELOG_COLUMNS, "", parting);
	fputc('\n', out);
	report_heads(out, LABEL_WIDTH, base, other,
		     " change    low   high   sd     p");
	fprintf(out, "primary metric: %s\n", verdict_word(primary->verdict));
	put_row(out, primary);
	for (size_t i = 0; i < ARRAY_SIZE(sections) && !p->identical; i++)
		put_section(out, c, p, &sections[i]);
	fputc('\n', out);
	free(title);
	free(parting);
	free(seeds);
}

static void put(FILE *out, const char *first, char *words)
{
	report_wrap(out, CHANGELOG_COLUMNS, first, words);
	free(words);
}

static void put_identity(FILE *out, const struct comparison *c)
{
	const struct record *record = c->set.records;
	const char *name = "?", *hash = "?", *accelerator = "?", *qemu = "?";

	json_unpack(record->json, "{s:{s?s, s?s, s:{s?s, s?s}}}", "conditions",
		    "scenario", &name, "scenario_sha256", &hash, "machine",
		    "accelerator", &accelerator, "qemu", &qemu);
	for (size_t i = 0; i < c->n_arms; i++) {
		char *kernel = report_kernel(c->arms[i].records);
		char *switches = report_switches(c->arms[i].records);

		put(out, i ? "           " : "arms       ",
		    xasprintf("%s: %s%s%s", c->arms[i].records->label, kernel,
			      *switches ? "; " : "", switches));
		free(switches);
		free(kernel);
	}
	put(out, "scenario   ",
	    xasprintf("%s %.*s, %s, QEMU %s", name, HASH_SHOWN, hash,
		      accelerator, qemu));
}

/*
 * The one command, in as many lines as it takes; a shell reads it back, within
 * quotes, too. Labels of this program have at most 64 ASCII letters and fit.
 */
static void put_command(FILE *out, char *command)
{
	const int room = CHANGELOG_COLUMNS - (int)strlen("   \\");
	int column = 0;
	char *rest = NULL;

	for (char *c = command; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	for (char *word = strtok_r(command, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest)) {
		int len = (int)strnlen(word, room);
		/* The quoted words stand together if they can. */
		const char *quote = strstr(word, "=\"");
		int need = quote && !strchr(quote + 2, '"')
				   ? len + 1 + (int)strcspn(rest, "\"") + 1
				   : len;

		if (column && column + 1 + need > room) {
			fputs(" \\\n", out);
			column = 0;
		}
		fprintf(out, "%s%.*s", column ? " " : "  ", len, word);
		column += len + !!column;
	}
	fputc('\n', out);
}

/* What a shell would not read back as it stands is left to the reader. */
static char *append_words(const json_t *conditions)
{
	const char *append = json_string_value(json_object_get(
		json_object_get(conditions, "kernel"), "append"));

	if (!append || !*append || strpbrk(append, "\"$`\\!"))
		return xasprintf("%s", "");
	return xasprintf(" APPEND=\"%s\"", append);
}

/* KERNEL= is the recipe of that name; images are what their labels say. */
static char *make_words(const struct comparison *c)
{
	const struct record *record = c->set.records;
	const json_t *conditions = json_object_get(record->json, "conditions");
	const char *scenario =
		json_string_value(json_object_get(conditions, "scenario"));
	const char *dot = strchrnul(record->release, '.');
	int len = (int)(dot - record->release);
	json_int_t last = 0;
	char *arms = xasprintf("%s", ""), *append = append_words(conditions);
	char *command;

	if (*dot)
		len += 1 + (int)strspn(dot + 1, "0123456789");
	for (size_t i = 0; i < c->n_arms; i++) {
		const struct arm *arm = &c->arms[i];
		char *longer = xasprintf("%s%s%s%s", arms, i ? " " : "",
					 arm->records->label,
					 c->images_differ ? "=IMAGE" : "");

		free(arms);
		arms = longer;
		if (arm->records[arm->n - 1].seed > last)
			last = arm->records[arm->n - 1].seed;
	}
	command = xasprintf(
		"make measure %s%.*s%sSCENARIO=%s SEEDS=%lld "
		"ARMS=\"%s\"%s",
		c->images_differ ? "" : "KERNEL=", c->images_differ ? 0 : len,
		record->release, c->images_differ ? "" : " ", scenario,
		(long long)last, arms, append);
	free(arms);
	free(append);
	return command;
}

static void put_all(FILE *out, const struct comparison *c)
{
	char *command = make_words(c);

	for (size_t i = 0; i + 1 < c->n_arms; i++)
		put_table(out, c, &c->pairings[i]);
	put(out, "",
	    xasprintf("Means over boots. In %% of the baseline's mean: change "
		      "(Hodges-Lehmann), low .. high (its 95%% interval), sd "
		      "(of the paired differences). p: sign flips; adjusted "
		      "for the table but for the primary metric and what is "
		      "no gain or loss."));
	fputc('\n', out);
	put_identity(out, c);
	fputs("again:\n", out);
	put_command(out, command);
	free(command);
}

char *report_changelog(const struct comparison *c)
{
	return report_render(c, put_all);
}

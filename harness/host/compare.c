// SPDX-License-Identifier: GPL-2.0
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

const struct row *find_row(const struct pairing *pairing, const char *name)
{
	return &pairing->rows[metric_find(name) - metrics];
}

static enum scope scope_of(const char *release)
{
	int major = 0, minor = 0;

	if (sscanf(release, "%d.%d", &major, &minor) != 2)
		return SCOPE_UNKNOWN;
	if (major > 7 || (major == 7 && minor >= 2))
		return SCOPE_WITH_MEMCG;
	if (major < 6 || (major == 6 && minor <= 12))
		return SCOPE_WITHOUT_MEMCG;
	return SCOPE_UNKNOWN;
}

static const struct record *find_seed(const struct arm *arm, json_int_t seed)
{
	for (size_t i = 0; i < arm->n; i++)
		if (arm->records[i].seed == seed)
			return &arm->records[i];
	return NULL;
}

static void fill_row(struct row *row, const struct metric *metric,
		     const struct arm *base, const struct pairing *pairing)
{
	row->metric = metric;
	row->seeds = xcalloc(pairing->n, sizeof(*row->seeds));
	row->base = xcalloc(pairing->n, sizeof(*row->base));
	row->other = xcalloc(pairing->n, sizeof(*row->other));
	for (size_t i = 0; i < pairing->n; i++) {
		json_int_t seed = pairing->seeds[i];
		const struct record *a = find_seed(base, seed);
		const struct record *b = find_seed(pairing->other, seed);

		row->base[row->n] = a->values[metric - metrics];
		row->other[row->n] = b->values[metric - metrics];
		if (isnan(row->base[row->n]) || isnan(row->other[row->n]))
			continue;
		row->seeds[row->n++] = seed;
	}
}

#define PARTINGS_MAX 32 /* pairs whose records are read once more */

/* How far the two histories of each pair go together. */
static void follow(struct pairing *pairing, const struct arm *base)
{
	bool one_image =
		!strcmp(base->records->image, pairing->other->records->image);

	pairing->identical = pairing->same_streams = true;
	if (one_image) {
		pairing->n_partings = pairing->n < PARTINGS_MAX ? pairing->n
								: PARTINGS_MAX;
		pairing->partings = xcalloc(pairing->n_partings,
					    sizeof(*pairing->partings));
	}
	for (size_t i = 0; i < pairing->n; i++) {
		const struct record *a = find_seed(base, pairing->seeds[i]);
		const struct record *b =
			find_seed(pairing->other, pairing->seeds[i]);

		pairing->identical &= parting_none(a, b);
		pairing->same_streams &= a->stream && b->stream &&
					 !strcmp(a->stream, b->stream);
		if (i < pairing->n_partings)
			pairing->partings[i] = parting_find(a, b);
	}
}

static int compute_pairing(struct pairing *pairing, const struct arm *base,
			   const struct arm *other,
			   const struct metric *primary)
{
	pairing->other = other;
	pairing->scopes_differ = base->scope != other->scope;
	pairing->seeds = xcalloc(base->n, sizeof(*pairing->seeds));
	for (size_t i = 0; i < base->n; i++)
		if (find_seed(other, base->records[i].seed))
			pairing->seeds[pairing->n++] = base->records[i].seed;
	pairing->rows = xcalloc(nr_metrics, sizeof(*pairing->rows));
	if (!pairing->n)
		return -1;
	for (size_t i = 0; i < nr_metrics; i++)
		fill_row(&pairing->rows[i], &metrics[i], base, pairing);
	judge_table(pairing->rows, nr_metrics, pairing->seeds, pairing->n,
		    primary, pairing->scopes_differ);
	follow(pairing, base);
	return 0;
}

/* Name the records of @arm that have no partner in @partner. */
static void note_left_out(struct comparison *c, const struct arm *arm,
			  const struct arm *partner)
{
	for (size_t i = 0; i < arm->n; i++) {
		const struct record *record = &arm->records[i];

		if (find_seed(partner, record->seed))
			continue;
		c->left_out = realloc(c->left_out,
				      (c->n_left_out + 1) * sizeof(char *));
		if (!c->left_out)
			die("out of memory");
		c->left_out[c->n_left_out++] =
			xasprintf("left out: seed %lld of %s, because %s has "
				  "no record of that seed",
				  (long long)record->seed, record->label,
				  partner->records->label);
	}
}

static void group_by_arm(struct comparison *c)
{
	const struct record_set *set = &c->set;

	c->arms = xcalloc(set->n, sizeof(*c->arms));
	for (size_t i = 0; i < set->n; i++) {
		const struct record *record = &set->records[i];

		if (!i || strcmp(record->label, record[-1].label))
			c->arms[c->n_arms++] = (struct arm){
				.records = record,
				.scope = scope_of(record->release),
			};
		c->arms[c->n_arms - 1].n++;
	}
}

/* Put the arm called @label at @place. */
static int place_arm(struct comparison *c, size_t place, const char *label,
		     char **error)
{
	for (size_t i = 0; i < c->n_arms; i++) {
		struct arm found = c->arms[i];

		if (strcmp(found.records->label, label))
			continue;
		if (i < place) {
			*error = xasprintf("arm %s is named twice", label);
			return -1;
		}
		c->arms[i] = c->arms[place];
		c->arms[place] = found;
		return 0;
	}
	*error = xasprintf("no record of arm %s", label);
	return -1;
}

static int order_arms(struct comparison *c, const char *const *labels,
		      char **error)
{
	for (size_t i = 0; labels && labels[i]; i++)
		if (place_arm(c, i, labels[i], error))
			return -1;
	return 0;
}

static bool same_but_disturbed(const struct record *a, const struct record *b)
{
	return !strcmp(a->image, b->image) &&
	       json_equal(json_object_get(json_object_get(a->json, "arm"),
					  "switches"),
			  json_object_get(json_object_get(b->json, "arm"),
					  "switches"));
}

/* Set the disturbed arm, if there is one, behind those that are judged. */
static int set_band_aside(struct comparison *c, char **error)
{
	const struct record *base = c->arms->records;
	size_t i = 0;

	while (i < c->n_arms && !c->arms[i].records->disturb)
		i++;
	if (i == c->n_arms)
		return 0;
	if (!i) {
		*error = xasprintf("arm %s was disturbed on purpose and is no "
				   "baseline",
				   base->label);
		return -1;
	}
	if (!same_but_disturbed(base, c->arms[i].records)) {
		*error = xasprintf("arm %s was disturbed on purpose but is not "
				   "the baseline, %s, otherwise",
				   c->arms[i].records->label, base->label);
		return -1;
	}
	for (c->n_arms--; i < c->n_arms; i++) {
		struct arm next = c->arms[i + 1];

		c->arms[i + 1] = c->arms[i];
		c->arms[i] = next;
	}
	c->band = xcalloc(1, sizeof(*c->band));
	return 0;
}

static int need_two_arms(const struct comparison *c, char **error)
{
	if (c->n_arms >= 2)
		return 0;
	*error = xasprintf("a comparison needs two arms, there is %s",
			   c->n_arms ? c->arms->records->label : "none");
	return -1;
}

static int find_primary(struct comparison *c, char **error)
{
	const char *name = json_string_value(json_object_get(
		json_object_get(c->set.records->json, "conditions"),
		"primary"));

	c->primary = metric_find(name);
	if (c->primary)
		return 0;
	*error = xasprintf("%s: primary metric %s is not in the table",
			   c->set.records->file, name);
	return -1;
}

static int compute_one(struct comparison *c, struct pairing *pairing,
		       const struct arm *other, char **error)
{
	if (compute_pairing(pairing, c->arms, other, c->primary)) {
		*error = xasprintf("arms %s and %s have no seed in common",
				   c->arms->records->label,
				   other->records->label);
		return EXIT_RUN;
	}
	note_left_out(c, c->arms, other);
	note_left_out(c, other, c->arms);
	return EXIT_OK;
}

static int compute(struct comparison *c, char **error)
{
	int status = EXIT_OK;

	c->pairings = xcalloc(c->n_arms - 1, sizeof(*c->pairings));
	for (size_t i = 1; i < c->n_arms && !status; i++)
		status =
			compute_one(c, &c->pairings[i - 1], &c->arms[i], error);
	if (c->band && !status)
		status = compute_one(c, c->band, &c->arms[c->n_arms], error);
	return status;
}

int comparison_load(const char *dir, const char *const *labels,
		    struct comparison *c, char **error)
{
	int status = EXIT_USAGE;

	memset(c, 0, sizeof(*c));
	if (records_load(dir, &c->set, error))
		return EXIT_USAGE;
	if (labels)
		records_keep_arms(&c->set, labels);
	group_by_arm(c);
	if (!order_arms(c, labels, error) && !set_band_aside(c, error) &&
	    !need_two_arms(c, error) &&
	    !records_check(&c->set, &c->images_differ, error) &&
	    !find_primary(c, error))
		status = compute(c, error);
	if (status)
		comparison_free(c);
	return status;
}

static void pairing_free(struct pairing *pairing)
{
	for (size_t i = 0; pairing->rows && i < nr_metrics; i++) {
		free(pairing->rows[i].seeds);
		free(pairing->rows[i].base);
		free(pairing->rows[i].other);
	}
	free(pairing->rows);
	for (size_t i = 0; i < pairing->n_partings; i++)
		free(pairing->partings[i].counter);
	free(pairing->partings);
	free(pairing->seeds);
}

void comparison_free(struct comparison *c)
{
	for (size_t i = 1; c->pairings && i < c->n_arms; i++)
		pairing_free(&c->pairings[i - 1]);
	free(c->pairings);
	if (c->band)
		pairing_free(c->band);
	free(c->band);
	free(c->arms);
	for (size_t i = 0; i < c->n_left_out; i++)
		free(c->left_out[i]);
	free(c->left_out);
	records_free(&c->set);
	memset(c, 0, sizeof(*c));
}

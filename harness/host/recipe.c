// SPDX-License-Identifier: GPL-2.0
#include "recipe.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../record/kv.h"
#include "util.h"

struct reading {
	const char *path;
	struct recipe *recipe;
	char **error;
};

/* Keys with one text; those without a place are for the kernel's builder. */
static const struct key {
	const char *name;
	long offset;
	bool required;
} keys[] = {
	{ "id", offsetof(struct recipe, id), true },
	{ "arch", offsetof(struct recipe, arch), true },
	{ "append", offsetof(struct recipe, append), false },
	{ "measure", offsetof(struct recipe, measure), false },
	{ "source", -1, false },
	{ "config", -1, false },
	{ "patch", -1, false },
	{ "about", -1, false },
};

static char **text_of(struct recipe *recipe, const struct key *key)
{
	return (char **)((char *)recipe + key->offset);
}

static int add_switch(struct reading *r, struct recipe_arm *arm, char *word)
{
	char *value = strchr(word, '=');

	if (!value || value == word)
		return file_error(r->error, r->path, arm->line,
				  "arm %s: %s is not of the form switch=value",
				  arm->label, word);
	*value++ = '\0';
	if (value[0] < '0' || value[0] > '9' || value[1])
		return file_error(r->error, r->path, arm->line,
				  "arm %s: %s is %s but must be one digit from "
				  "0 to 9, so that the arms' files are of "
				  "equal length",
				  arm->label, word, *value ? value : "empty");
	if (pairs_find(&arm->switches, word))
		return file_error(r->error, r->path, arm->line,
				  "arm %s: %s is given twice", arm->label,
				  word);
	pairs_add(&arm->switches, word, value);
	return 0;
}

static int check_label(struct reading *r, const char *label, int line)
{
	const char *wrong = label_error(label);

	if (wrong)
		return file_error(r->error, r->path, line, "arm %s: %s", label,
				  wrong);
	if (recipe_arm(r->recipe, label))
		return file_error(r->error, r->path, line,
				  "arm %s is given twice", label);
	return 0;
}

static int take_arm(struct reading *r, const struct kv *pair)
{
	struct recipe *recipe = r->recipe;
	struct recipe_arm *arm;
	char *rest = pair->value, *word = strsep(&rest, " \t");

	if (check_label(r, word, pair->line))
		return -1;
	recipe->arms = grow(recipe->arms, recipe->nr_arms, &recipe->room,
			    sizeof(*recipe->arms));
	arm = &recipe->arms[recipe->nr_arms++];
	memset(arm, 0, sizeof(*arm));
	arm->label = xasprintf("%s", word);
	arm->line = pair->line;
	while ((word = strsep(&rest, " \t")))
		if (*word && add_switch(r, arm, word))
			return -1;
	return 0;
}

static int take(struct reading *r, const struct kv *pair)
{
	if (!strcmp(pair->key, "arm"))
		return take_arm(r, pair);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		char **text;

		if (strcmp(keys[i].name, pair->key))
			continue;
		if (keys[i].offset < 0)
			return 0;
		text = text_of(r->recipe, &keys[i]);
		if (*text)
			return file_error(r->error, r->path, pair->line,
					  "%s is given twice", pair->key);
		*text = xasprintf("%s", pair->value);
		return 0;
	}
	return file_error(r->error, r->path, pair->line, "unknown key %s",
			  pair->key);
}

/* All arms must have the first one's switches, in its order. */
static int check_switches(struct reading *r)
{
	const struct recipe_arm *first = r->recipe->arms;

	for (size_t i = 1; i < r->recipe->nr_arms; i++) {
		const struct recipe_arm *arm = &r->recipe->arms[i];
		bool same = arm->switches.n == first->switches.n;

		for (size_t j = 0; same && j < first->switches.n; j++)
			same = !strcmp(arm->switches.list[j].key,
				       first->switches.list[j].key);
		if (!same)
			return file_error(r->error, r->path, arm->line,
					  "arm %s must have the same switches "
					  "in the same order as arm %s, so "
					  "that their files are of equal "
					  "length",
					  arm->label, first->label);
	}
	return 0;
}

static int check_whole(struct reading *r)
{
	struct recipe *recipe = r->recipe;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		char **text;

		if (keys[i].offset < 0)
			continue;
		text = text_of(recipe, &keys[i]);
		if (keys[i].required && (!*text || !**text))
			return file_error(r->error, r->path, 0, "%s is missing",
					  keys[i].name);
		if (!*text)
			*text = xasprintf("%s", "");
	}
	return check_switches(r);
}

int recipe_load(const char *path, struct recipe *recipe, char **error)
{
	struct reading r = { .path = path, .recipe = recipe, .error = error };
	struct kv pair = { .line = 0 };
	char *text = read_file(path, NULL), *rest = text;
	int err = 0;

	memset(recipe, 0, sizeof(*recipe));
	if (!text)
		return file_error(error, path, 0, "cannot read the recipe: %s",
				  strerror(errno));
	while (!err && kv_next(&rest, &pair))
		err = take(&r, &pair);
	if (!err)
		err = check_whole(&r);
	free(text);
	if (err)
		recipe_free(recipe);
	return err;
}

const struct recipe_arm *recipe_arm(const struct recipe *recipe,
				    const char *label)
{
	for (size_t i = 0; i < recipe->nr_arms; i++)
		if (!strcmp(recipe->arms[i].label, label))
			return &recipe->arms[i];
	return NULL;
}

char *recipe_labels(const struct recipe *recipe)
{
	char *labels = xasprintf("%s", "");

	for (size_t i = 0; i < recipe->nr_arms; i++) {
		char *longer = xasprintf("%s%s%s", labels, i ? " " : "",
					 recipe->arms[i].label);

		free(labels);
		labels = longer;
	}
	return labels;
}

void recipe_free(struct recipe *recipe)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].offset >= 0)
			free(*text_of(recipe, &keys[i]));
	for (size_t i = 0; i < recipe->nr_arms; i++) {
		free(recipe->arms[i].label);
		pairs_free(&recipe->arms[i].switches);
	}
	free(recipe->arms);
	memset(recipe, 0, sizeof(*recipe));
}

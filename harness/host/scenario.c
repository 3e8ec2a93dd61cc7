// SPDX-License-Identifier: GPL-2.0
#include "scenario.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../record/kv.h"
#include "metrics.h"
#include "util.h"

/* A key of the file: a number when it has a maximum, else a text. */
struct key {
	const char *name;
	size_t offset;
	long long max;
	bool optional;
	bool in_hash; /* what it says reaches the guest */
};

#define AT(member) offsetof(struct scenario, member)

static const struct key keys[] = {
	{ "workload", AT(workload), 0, false, true },
	{ "about", AT(about), 0, true, false },
	{ "primary", AT(primary), 0, false, false },
	{ "memory_mib", AT(memory_mib), 1 << 20, false, true },
	{ "cpus", AT(cpus), 255, false, true },
	{ "timeout_s", AT(timeout_s), 1000000, false, false },
	{ "silence_s", AT(silence_s), 1000000, false, false },
};

#define LIKE_MAX 4 /* scenarios in a chain of `like` */

/* One file. What a file that it is like has said, it may say otherwise. */
struct reading {
	const char *path;
	struct scenario *scenario;
	bool seen[ARRAY_SIZE(keys)];
	struct pairs set;
	size_t lines; /* read so far */
	int depth;
	char **error;
};

static char **text_of(struct scenario *scenario, const struct key *key)
{
	return (char **)((char *)scenario + key->offset);
}

static long long *number_of(struct scenario *scenario, const struct key *key)
{
	return (long long *)((char *)scenario + key->offset);
}

static int take_set(struct reading *r, const struct kv *pair)
{
	char *value = pair->value;
	const char *key = strsep(&value, " \t");

	if (!*key || !value)
		return file_error(r->error, r->path, pair->line,
				  "write `set KEY VALUE`");
	value += strspn(value, " \t");
	if (value[strcspn(value, " \t")])
		return file_error(r->error, r->path, pair->line,
				  "the value of %s must be one word", key);
	if (!strcmp(key, "workload") || !strcmp(key, "seed"))
		return file_error(r->error, r->path, pair->line,
				  "%s is not for `set` to give", key);
	if (pairs_find(&r->set, key))
		return file_error(r->error, r->path, pair->line,
				  "%s is set twice", key);
	pairs_add(&r->set, key, value);
	pairs_put(&r->scenario->set, key, value);
	return 0;
}

static int take_key(struct reading *r, size_t i, const struct kv *pair)
{
	const struct key *key = &keys[i];

	if (r->seen[i])
		return file_error(r->error, r->path, pair->line,
				  "%s is given twice", key->name);
	r->seen[i] = true;
	if (!*pair->value)
		return file_error(r->error, r->path, pair->line,
				  "%s needs a value", key->name);
	if (!key->max) {
		free(*text_of(r->scenario, key));
		*text_of(r->scenario, key) = xasprintf("%s", pair->value);
		return 0;
	}
	if (kv_number(pair->value, 1, key->max, number_of(r->scenario, key)))
		return file_error(r->error, r->path, pair->line,
				  "%s is %s but must be a number from 1 to "
				  "%lld",
				  key->name, pair->value, key->max);
	return 0;
}

static int read_all(struct reading *r);

/* The path of scenario @name beside the one at @path; to be freed. */
static char *beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return xasprintf("%.*s%s.scenario", slash ? (int)(slash + 1 - path) : 0,
			 path, name);
}

static int take_like(struct reading *r, const struct kv *pair)
{
	const char *wrong = label_error(pair->value);
	struct reading other = { .scenario = r->scenario,
				 .depth = r->depth + 1,
				 .error = r->error };
	char *path;
	int err;

	if (r->lines)
		return file_error(r->error, r->path, pair->line,
				  "like must come before everything else");
	if (wrong)
		return file_error(r->error, r->path, pair->line,
				  "write `like SCENARIO`, a name: %s", wrong);
	if (other.depth == LIKE_MAX)
		return file_error(r->error, r->path, pair->line,
				  "more than %d scenarios like each other",
				  LIKE_MAX);
	path = beside(r->path, pair->value);
	other.path = path;
	err = read_all(&other);
	free(path);
	return err;
}

static int take(struct reading *r, const struct kv *pair)
{
	if (!strcmp(pair->key, "like"))
		return take_like(r, pair);
	if (!strcmp(pair->key, "set"))
		return take_set(r, pair);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(keys[i].name, pair->key))
			return take_key(r, i, pair);
	return file_error(r->error, r->path, pair->line,
			  "unknown key %s; the workload's own are written "
			  "`set %s VALUE`",
			  pair->key, pair->key);
}

static int read_all(struct reading *r)
{
	struct kv pair = { .line = 0 };
	char *text = read_file(r->path, NULL), *rest = text;
	int err = 0;

	if (!text)
		return file_error(r->error, r->path, 0,
				  "cannot read the scenario: %s",
				  strerror(errno));
	for (; !err && kv_next(&rest, &pair); r->lines++)
		err = take(r, &pair);
	free(text);
	pairs_free(&r->set);
	return err;
}

static int check_all(const struct reading *r)
{
	struct scenario *scenario = r->scenario;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!keys[i].optional &&
		    (keys[i].max ? !*number_of(scenario, &keys[i])
				 : !*text_of(scenario, &keys[i])))
			return file_error(r->error, r->path, 0, "%s is missing",
					  keys[i].name);
	if (!metric_find(scenario->primary))
		return file_error(r->error, r->path, 0,
				  "primary %s is no metric: see the names in a "
				  "report.json",
				  scenario->primary);
	return 0;
}

static char *name_of(const char *path)
{
	static const char suffix[] = ".scenario";
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t len = strlen(name), cut = strlen(suffix);

	if (len > cut && !strcmp(name + len - cut, suffix))
		len -= cut;
	return xasprintf("%.*s", (int)len, name);
}

static void hash(struct scenario *scenario)
{
	struct pairs said = { 0 };
	char *text, *set = pairs_text(&scenario->set), *all;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!keys[i].in_hash)
			continue;
		text = keys[i].max
			       ? xasprintf("%lld",
					   *number_of(scenario, &keys[i]))
			       : xasprintf("%s", *text_of(scenario, &keys[i]));
		pairs_add(&said, keys[i].name, text);
		free(text);
	}
	text = pairs_text(&said);
	all = xasprintf("%s%s", text, set);
	sha256_text(all, strlen(all), scenario->sha256);
	free(all);
	free(text);
	free(set);
	pairs_free(&said);
}

int scenario_load(const char *path, struct scenario *scenario, char **error)
{
	struct reading r = { .path = path,
			     .scenario = scenario,
			     .error = error };

	memset(scenario, 0, sizeof(*scenario));
	if (read_all(&r) || check_all(&r)) {
		scenario_free(scenario);
		return -1;
	}
	if (!scenario->about)
		scenario->about = xasprintf("%s", "");
	scenario->name = name_of(path);
	hash(scenario);
	return 0;
}

char *scenario_job(const struct scenario *scenario, long long seed)
{
	char *set = pairs_text(&scenario->set);
	char *job = xasprintf("workload %s\nseed %lld\n%s", scenario->workload,
			      seed, set);

	free(set);
	return job;
}

void scenario_free(struct scenario *scenario)
{
	free(scenario->name);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!keys[i].max)
			free(*text_of(scenario, &keys[i]));
	pairs_free(&scenario->set);
	memset(scenario, 0, sizeof(*scenario));
}

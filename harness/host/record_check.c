// SPDX-License-Identifier: GPL-2.0
/* Are the records of a set comparable? See records_check(). */
#include <stdlib.h>
#include <string.h>

#include "metrics.h"
#include "record_set.h"
#include "util.h"

/*
 * QEMU's arguments repeat the seed and the kernel's command line: replace the
 * word behind @option, so that they are judged where they belong.
 */
static void blank_argument(json_t *arguments, const char *option)
{
	size_t n = json_array_size(arguments);

	for (size_t i = 0; i + 1 < n; i++) {
		const char *word =
			json_string_value(json_array_get(arguments, i));

		if (word && !strcmp(word, option))
			json_array_set_new(arguments, i + 1, json_string(""));
	}
}

json_t *record_conditions(const struct record *record, bool images_differ)
{
	json_t *conditions =
		json_deep_copy(json_object_get(record->json, "conditions"));
	json_t *arguments;

	if (!conditions)
		die("out of memory");
	arguments = json_object_get(json_object_get(conditions, "machine"),
				    "arguments");
	json_object_del(conditions, "seed");
	blank_argument(arguments, "-seed");
	if (images_differ) {
		json_object_del(conditions, "kernel");
		blank_argument(arguments, "-append");
	}
	return conditions;
}

static char *show(const json_t *value)
{
	char *text;

	if (!value)
		return xasprintf("absent");
	text = json_dumps(value,
			  JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
	if (!text)
		die("out of memory");
	return text;
}

static char *first_difference(const char *path, json_t *a, json_t *b,
			      json_t **value_a, json_t **value_b);

/* Of the members of @a, then of those that @b alone has. */
static char *object_difference(const char *path, json_t *a, json_t *b,
			       json_t **value_a, json_t **value_b)
{
	json_t *sides[] = { a, b };
	json_t *unused;
	const char *key;
	char *found = NULL;

	for (size_t side = 0; side < 2 && !found; side++) {
		json_object_foreach (sides[side], key, unused) {
			char *below = xasprintf("%s.%s", path, key);

			found = first_difference(below, json_object_get(a, key),
						 json_object_get(b, key),
						 value_a, value_b);
			free(below);
			if (found)
				break;
		}
	}
	return found;
}

static char *array_difference(const char *path, json_t *a, json_t *b,
			      json_t **value_a, json_t **value_b)
{
	size_t n = json_array_size(a) > json_array_size(b) ? json_array_size(a)
							   : json_array_size(b);
	char *found = NULL;

	for (size_t i = 0; i < n && !found; i++) {
		char *below = xasprintf("%s[%zu]", path, i);

		found = first_difference(below, json_array_get(a, i),
					 json_array_get(b, i), value_a,
					 value_b);
		free(below);
	}
	return found;
}

/*
 * Return: the path of the first leaf in which @a and @b differ, to be freed,
 * with the two values (NULL: absent); or NULL when they are equal.
 */
static char *first_difference(const char *path, json_t *a, json_t *b,
			      json_t **value_a, json_t **value_b)
{
	if (json_is_object(a) && json_is_object(b))
		return object_difference(path, a, b, value_a, value_b);
	if (json_is_array(a) && json_is_array(b))
		return array_difference(path, a, b, value_a, value_b);
	if (json_equal(a, b))
		return NULL;
	*value_a = a;
	*value_b = b;
	return xasprintf("%s", path);
}

/* Return: 0 when equal, else -1 with the line that says what is not. */
static int require_equal(const char *what, json_t *a, json_t *b,
			 const struct record *record_a,
			 const struct record *record_b, char **error)
{
	json_t *value_a = NULL, *value_b = NULL;
	char *path = first_difference(what, a, b, &value_a, &value_b);
	char *text_a, *text_b;

	if (!path)
		return 0;
	text_a = show(value_a);
	text_b = show(value_b);
	*error = xasprintf("cannot compare: %s is %s in %s but %s in %s", path,
			   text_a, record_a->file, text_b, record_b->file);
	free(text_a);
	free(text_b);
	free(path);
	return -1;
}

/*
 * What the guest saw, but for what the seed, the arm and the image may change.
 * A native run also has sums of its job, in which the seed is, and of its arm.
 */
static json_t *guest_of(const struct record *record, bool images_differ)
{
	json_t *guest = json_copy(json_object_get(record->json, "guest"));

	if (!guest)
		die("out of memory");
	json_object_del(guest, "seed");
	json_object_del(guest, "job");
	json_object_del(guest, "arm");
	if (images_differ) {
		json_object_del(guest, "kernel");
		json_object_del(guest, "memtotal_kib");
	}
	return guest;
}

static int check_guest(const struct record *a, const struct record *b,
		       bool images_differ, char **error)
{
	json_t *guest_a = guest_of(a, images_differ);
	json_t *guest_b = guest_of(b, images_differ);
	int err = require_equal("guest", guest_a, guest_b, a, b, error);

	json_decref(guest_a);
	json_decref(guest_b);
	return err;
}

/* One image has one set of counters; another kernel may have others. */
static int check_counters(const struct record *a, const struct record *b,
			  char **error)
{
	for (size_t i = 0; i < nr_metrics; i++) {
		const struct record *with = a->counted[i] ? a : b;

		if (a->counted[i] == b->counted[i])
			continue;
		*error = xasprintf("cannot compare: counter %s is in %s but "
				   "not in %s",
				   metrics[i].key, with->file,
				   with == a ? b->file : a->file);
		return -1;
	}
	return 0;
}

static int check_pair(const struct record *a, const struct record *b,
		      char **error)
{
	bool same_arm = !strcmp(a->label, b->label);
	bool images_differ = !same_arm && strcmp(a->image, b->image);
	json_t *conditions_a = record_conditions(a, images_differ);
	json_t *conditions_b = record_conditions(b, images_differ);
	int err = require_equal("conditions", conditions_a, conditions_b, a, b,
				error);

	if (!err && same_arm)
		err = require_equal("arm", json_object_get(a->json, "arm"),
				    json_object_get(b->json, "arm"), a, b,
				    error);
	if (!err)
		err = check_guest(a, b, images_differ, error);
	if (!err && !images_differ)
		err = check_counters(a, b, error);
	json_decref(conditions_a);
	json_decref(conditions_b);
	return err;
}

/* The first record of the arm that record @i belongs to. */
static const struct record *arm_head(const struct record_set *set, size_t i)
{
	while (i && !strcmp(set->records[i - 1].label, set->records[i].label))
		i--;
	return &set->records[i];
}

int records_check(const struct record_set *set, bool *images_differ,
		  char **error)
{
	*images_differ = false;
	for (size_t i = 1; i < set->n; i++) {
		const struct record *record = &set->records[i];
		const struct record *head = arm_head(set, i);

		if (head != record && check_pair(head, record, error))
			return -1;
		/* Every arm against each arm before it, by their first ones. */
		for (size_t j = 0; head == record && j < i; j++) {
			const struct record *other = &set->records[j];

			if (arm_head(set, j) != other)
				continue;
			if (check_pair(other, record, error))
				return -1;
			if (strcmp(other->image, record->image))
				*images_differ = true;
		}
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
#include "record_set.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "metrics.h"
#include "util.h"

#define RECORD_FORMAT 1
#define THREADS_MAX 8

static bool counters_well_formed(json_t *counters, const char **which)
{
	static const char *const numbers[] = { "start", "end", "delta" };
	json_t *counter, *number;

	json_object_foreach (counters, *which, counter) {
		if (!json_is_object(counter))
			return false;
		for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
			number = json_object_get(counter, numbers[i]);
			if (!json_is_integer(number) && !json_is_null(number))
				return false;
		}
	}
	return true;
}

static bool observations_well_formed(json_t *observations, const char **which)
{
	json_t *series, *number;
	size_t i;

	json_object_foreach (observations, *which, series) {
		if (!json_is_array(series))
			return false;
		json_array_foreach (series, i, number) {
			if (!json_is_number(number))
				return false;
		}
	}
	return true;
}

/*
 * Take the fields a comparison stands on; what it only shows may be absent.
 * Return: NULL, or what is wrong, to be freed.
 */
static char *record_parse(struct record *record)
{
	json_t *counters = NULL, *observations = NULL, *switches, *machine;
	const char *scenario, *primary, *which;
	json_error_t error;
	int format;

	if (json_unpack_ex(
		    record->json, &error, 0,
		    "{s:i, s:{s:s, s:s, s:I, s:o, s:{s:s}}, s:{s:s, s:o, s?I},"
		    " s:{s:s}, s:o, s:o, s?s}",
		    "format", &format, "conditions", "scenario", &scenario,
		    "primary", &primary, "seed", &record->seed, "machine",
		    &machine, "kernel", "sha256", &record->image, "arm",
		    "label", &record->label, "switches", &switches, "disturb",
		    &record->disturb, "guest", "kernel", &record->release,
		    "counters", &counters, "observations", &observations,
		    "stream_sha256", &record->stream))
		return xasprintf("not a record: %s", error.text);
	if (format != RECORD_FORMAT)
		return xasprintf("record format %d, this program reads %d",
				 format, RECORD_FORMAT);
	if (!json_is_object(machine) || !json_is_object(switches) ||
	    !json_is_object(counters) || !json_is_object(observations))
		return xasprintf("not a record: machine, switches, counters "
				 "and observations must be objects");
	which = history_adopt(&record->history, record->json);
	if (which || !counters_well_formed(counters, &which))
		return xasprintf("not a record: counter %s is malformed",
				 which);
	if (!observations_well_formed(observations, &which))
		return xasprintf("not a record: series %s is malformed", which);
	return NULL;
}

static const char *const large[] = { "counters", "observations" };

static void condense(struct record *record)
{
	history_free(&record->history);
	for (size_t i = 0; i < ARRAY_SIZE(large); i++)
		json_object_del(record->json, large[i]);
}

/* Take what a comparison needs of the many figures, and let them go. */
static void record_take(struct record *record)
{
	json_t *counters = json_object_get(record->json, "counters");
	json_t *observations = json_object_get(record->json, "observations");
	char *text = json_dumps(observations, JSON_SORT_KEYS | JSON_COMPACT);

	if (!text)
		die("out of memory");
	sha256_text(text, strlen(text), record->observations);
	free(text);
	history_digest(&record->history, record->digest);
	record->values = xcalloc(nr_metrics, sizeof(*record->values));
	record->counted = xcalloc(nr_metrics, sizeof(*record->counted));
	for (size_t i = 0; i < nr_metrics; i++) {
		record->counted[i] = json_object_get(counters, metrics[i].key);
		if (!metric_value(&metrics[i], record->json,
				  &record->values[i]))
			record->values[i] = NAN;
	}
	condense(record);
}

/* The record's text without its series, which a history takes. */
static json_t *read_rest(const char *path, struct history *history,
			 char **error)
{
	json_error_t json_error;
	json_t *json;
	size_t len;
	char *text = read_file(path, &len);

	if (!text) {
		*error = xasprintf("%s: %s", path, strerror(errno));
		return NULL;
	}
	len = history_cut(history, text, len);
	json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &json_error);
	free(text);
	if (!json)
		*error = xasprintf("%s: not a record: %s", path,
				   json_error.text);
	return json;
}

/* Of a record that was read before. */
static json_t *read_again(const struct record *record, struct history *history)
{
	char *error;
	json_t *json = read_rest(record->path, history, &error);

	if (!json)
		die("%s", error);
	if (history_adopt(history, json))
		die("%s has changed", record->path);
	return json;
}

struct history record_history(const struct record *record)
{
	struct history history = { 0 };

	json_decref(read_again(record, &history));
	return history;
}

static void fill(struct record *record)
{
	json_t *json = read_again(record, &record->history);

	for (size_t i = 0; i < ARRAY_SIZE(large); i++)
		json_object_set(record->json, large[i],
				json_object_get(json, large[i]));
	json_decref(json);
}

void records_fill(const struct record_set *set, size_t most)
{
	const char *label = "";
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		n = strcmp(label, set->records[i].label) ? 1 : n + 1;
		label = set->records[i].label;
		if (n <= most)
			fill(&set->records[i]);
	}
}

void records_condense(const struct record_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		condense(&set->records[i]);
}

static int record_load(struct record *record, char **error)
{
	char *wrong;

	record->json = read_rest(record->path, &record->history, error);
	if (!record->json)
		return -1;
	wrong = record_parse(record);
	if (wrong) {
		*error = xasprintf("%s: %s", record->path, wrong);
		free(wrong);
		return -1;
	}
	record_take(record);
	return 0;
}

static int is_record_name(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > 5 &&
	       !strcmp(entry->d_name + len - 5, ".json");
}

/* Not alphasort(), whose order depends on the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int by_arm_and_seed(const void *left, const void *right)
{
	const struct record *a = left, *b = right;
	int order = strcmp(a->label, b->label);

	if (!order)
		order = (a->seed > b->seed) - (a->seed < b->seed);
	return order;
}

static int find_twins(const struct record_set *set, char **error)
{
	for (size_t i = 1; i < set->n; i++) {
		const struct record *a = &set->records[i - 1];
		const struct record *b = &set->records[i];

		if (by_arm_and_seed(a, b))
			continue;
		*error = xasprintf("%s and %s are both arm %s, seed %lld: "
				   "remove one",
				   a->file, b->file, a->label,
				   (long long)a->seed);
		return -1;
	}
	return 0;
}

/* Files that are read by whichever thread comes first. */
struct queue {
	struct record *records;
	char **errors; /* one for each, or NULL */
	size_t n;
	atomic_size_t next;
};

static void *load_some(void *argument)
{
	struct queue *queue = argument;

	for (size_t i; (i = atomic_fetch_add(&queue->next, 1)) < queue->n;)
		record_load(&queue->records[i], &queue->errors[i]);
	return NULL;
}

/* What cannot be started is no loss: this thread does it all, if it must. */
static void load_all(struct queue *queue)
{
	pthread_t threads[THREADS_MAX];
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	int n = 0;

	while (n + 1 < processors && n < THREADS_MAX &&
	       !pthread_create(&threads[n], NULL, load_some, queue))
		n++;
	load_some(queue);
	while (n)
		pthread_join(threads[--n], NULL);
}

static int load_files(const char *dir, struct dirent **names, int n,
		      struct record_set *set, char **error)
{
	struct queue queue = { .n = (size_t)n };

	queue.records = set->records = xcalloc(n, sizeof(*set->records));
	queue.errors = xcalloc(n, sizeof(*queue.errors));
	for (set->n = 0; set->n < queue.n; set->n++) {
		struct record *record = &set->records[set->n];

		record->path = xasprintf("%s/%s", dir, names[set->n]->d_name);
		record->file = record->path + strlen(dir) + 1;
	}
	load_all(&queue);
	/* The first in the order of names, whoever came upon it when. */
	for (size_t i = 0; i < queue.n; i++) {
		if (!*error)
			*error = queue.errors[i];
		else
			free(queue.errors[i]);
	}
	free(queue.errors);
	if (*error)
		return -1;
	qsort(set->records, set->n, sizeof(*set->records), by_arm_and_seed);
	return find_twins(set, error);
}

int records_load(const char *dir, struct record_set *set, char **error)
{
	char *path = xasprintf("%s/records", dir);
	struct dirent **names = NULL;
	int n, err = -1;

	memset(set, 0, sizeof(*set));
	*error = NULL;
	n = scandir(path, &names, is_record_name, by_name);
	if (n < 0)
		*error = xasprintf("%s: %s; `reclaimlab measure --out DIR` "
				   "makes DIR/records",
				   path, strerror(errno));
	else if (!n)
		*error = xasprintf("%s: no records (*.json) in it", path);
	else
		err = load_files(path, names, n, set, error);
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	free(path);
	if (err)
		records_free(set);
	return err;
}

static void record_free(struct record *record)
{
	free(record->path);
	free(record->values);
	free(record->counted);
	history_free(&record->history);
	json_decref(record->json);
}

void records_keep_arms(struct record_set *set, const char *const *arms)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->n; i++) {
		const char *const *arm = arms;

		while (*arm && strcmp(*arm, set->records[i].label))
			arm++;
		if (*arm)
			set->records[kept++] = set->records[i];
		else
			record_free(&set->records[i]);
	}
	set->n = kept;
}

void records_free(struct record_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		record_free(&set->records[i]);
	free(set->records);
	memset(set, 0, sizeof(*set));
}

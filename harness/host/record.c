// SPDX-License-Identifier: GPL-2.0
#include "record.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

/* jansson says so only by its return value when memory is out. */
static json_t *must(json_t *value)
{
	if (!value)
		die("out of memory");
	return value;
}

static void put(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, must(value)))
		die("out of memory");
}

static void append(json_t *array, json_t *value)
{
	if (json_array_append_new(array, must(value)))
		die("out of memory");
}

static json_t *numbers(const int64_t *values, size_t n)
{
	json_t *array = must(json_array());

	for (size_t i = 0; i < n; i++)
		append(array, json_integer(values[i]));
	return array;
}

static json_t *value_at(const struct counter *counter, size_t sample)
{
	if (counter->first > sample)
		return json_null();
	return json_integer(counter->values[sample - counter->first]);
}

static json_t *counter_json(const struct counter *counter, size_t start,
			    size_t end, size_t nr_samples)
{
	json_t *json = must(json_object()), *series = must(json_array());
	json_t *from = must(value_at(counter, start));
	json_t *to = must(value_at(counter, end));
	json_int_t delta;

	/* A difference that does not fit is as good as unknown. */
	if (json_is_null(from) || json_is_null(to) ||
	    __builtin_sub_overflow(json_integer_value(to),
				   json_integer_value(from), &delta))
		put(json, "delta", json_null());
	else
		put(json, "delta", json_integer(delta));
	put(json, "start", from);
	put(json, "end", to);
	for (size_t i = 0; i < nr_samples; i++)
		append(series, value_at(counter, i));
	put(json, "series", series);
	return json;
}

static json_t *counters_json(const struct reading *reading)
{
	const struct phase_mark *measure =
		reading_phase(reading, PHASE_MEASURE);
	const struct phase_mark *done = reading_phase(reading, PHASE_DONE);
	json_t *json = must(json_object());

	for (size_t i = 0; i < reading->nr_ids; i++) {
		const struct counter *counter = reading->counters[i];

		if (counter && counter->first != SIZE_MAX)
			put(json, counter->name,
			    counter_json(counter, measure->sample, done->sample,
					 reading->nr_samples));
	}
	return json;
}

static json_t *phases_json(const struct reading *reading)
{
	json_t *json = must(json_array());

	for (size_t i = 0; i < reading->nr_phases; i++)
		append(json,
		       json_pack("{s:s, s:I}", "name",
				 phase_word(reading->phases[i].phase), "us",
				 (json_int_t)reading->phases[i].us));
	return json;
}

static json_t *observations_json(const struct reading *reading)
{
	json_t *json = must(json_object());

	for (size_t i = 0; i < reading->nr_series; i++)
		put(json, reading->series[i].name,
		    numbers(reading->series[i].values, reading->series[i].n));
	return json;
}

static json_t *guest_json(const struct reading *reading)
{
	json_t *json = must(json_object());

	for (size_t i = 0; i < reading->begin.n; i++)
		put(json, reading->begin.list[i].key,
		    json_string(reading->begin.list[i].value));
	return json;
}

static json_t *notes_json(const struct reading *reading)
{
	json_t *json = must(json_array());

	for (size_t i = 0; i < reading->nr_notes; i++)
		append(json, json_string(reading->notes[i]));
	return json;
}

json_t *record_build(const struct reading *reading, json_t *conditions,
		     json_t *arm, const char *stream_sha256)
{
	json_t *json = must(json_object());

	put(json, "format", json_integer(RECORD_FORMAT_WRITTEN));
	put(json, "conditions", json_deep_copy(conditions));
	put(json, "arm", json_deep_copy(arm));
	put(json, "guest", guest_json(reading));
	put(json, "stream_sha256", json_string(stream_sha256));
	put(json, "phases", phases_json(reading));
	put(json, "sample_us",
	    numbers(reading->sample_us, reading->nr_samples));
	put(json, "counters", counters_json(reading));
	put(json, "observations", observations_json(reading));
	put(json, "notes", notes_json(reading));
	return json;
}

/* Behind the white space that jansson puts between elements. */
static const char *behind_space(const char *text)
{
	return text + strspn(text, "\n ");
}

/*
 * Put arrays of numbers on one line each: they are most of a record, and most
 * of them would be indentation. Within a string there is no line break, so that
 * every one is between elements.
 */
static void flatten(char *text)
{
	const char *from = text;
	char *to = text;
	bool flat = false;

	while (*from) {
		if (*from == '[')
			flat = from[1] == '\n' &&
			       strchr("-0123456789n", *behind_space(from + 1));
		else if (*from == ']')
			flat = false;
		*to++ = *from++;
		if (!flat || *from != '\n')
			continue;
		from = behind_space(from);
		if (to[-1] == ',')
			*to++ = ' ';
	}
	*to = '\0';
}

char *record_text(const json_t *record)
{
	char *json = json_dumps(record, JSON_SORT_KEYS | JSON_INDENT(1));
	char *text;

	if (!json)
		die("out of memory");
	flatten(json);
	text = xasprintf("%s\n", json);
	free(json);
	return text;
}

// SPDX-License-Identifier: GPL-2.0
#include "reading.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../record/kv.h"
#include "../record/stream.h"
#include "util.h"

#define IDS_MAX 4096
#define CELLS_MAX (4u << 20)  /* counters x samples */
#define VALUES_MAX (1u << 20) /* observations, of all series */
#define SERIES_MAX 256
#define NOTES_MAX 65536
#define BEGIN_MAX 64

struct parser {
	struct reading *r;
	size_t line;
	int64_t last_us;
	bool phase_open; /* the last phase still waits for its sample */
	bool ended;
	size_t cells, values;
};

static const char *const phase_words[NR_PHASES] = {
	[PHASE_SETUP] = "setup",     [PHASE_WARMUP] = "warmup",
	[PHASE_MEASURE] = "measure", [PHASE_SUSTAIN] = "sustain",
	[PHASE_DONE] = "done",
};

const char *phase_word(enum phase phase)
{
	return phase_words[phase];
}

const struct phase_mark *reading_phase(const struct reading *reading,
				       enum phase phase)
{
	for (size_t i = 0; i < reading->nr_phases; i++)
		if (reading->phases[i].phase == phase)
			return &reading->phases[i];
	return NULL;
}

/* Return: -1, so that a handler can leave with it. */
__attribute__((format(printf, 2, 3))) static int malformed(struct parser *p,
							   const char *fmt, ...)
{
	va_list ap;
	char *what;

	va_start(ap, fmt);
	if (vasprintf(&what, fmt, ap) < 0)
		die("out of memory");
	va_end(ap);
	free(p->r->why);
	p->r->why = xasprintf("line %zu: %s", p->line, what);
	p->r->state = STREAM_MALFORMED;
	free(what);
	return -1;
}

static int take_number(struct parser *p, const char *text, int64_t *out)
{
	long long value;

	if (!text)
		return malformed(p, "a number is missing");
	if (kv_number(text, INT64_MIN, INT64_MAX, &value))
		return malformed(p, "%.40s is not a number", text);
	*out = value;
	return 0;
}

/* Time never runs backwards. */
static int take_time(struct parser *p, char **fields, int64_t *us)
{
	if (take_number(p, rl_next_field(fields), us))
		return -1;
	if (*us < p->last_us)
		return malformed(p, "time goes back from %lld to %lld us",
				 (long long)p->last_us, (long long)*us);
	p->last_us = *us;
	return 0;
}

static int take_begin(struct parser *p, char *fields)
{
	struct pairs *begin = &p->r->begin;
	const char *format;
	char *field;

	while ((field = rl_next_field(&fields))) {
		char *value = strchr(field, '=');

		if (!value || value == field || begin->n == BEGIN_MAX)
			return malformed(p, "begin: bad field %.40s", field);
		*value++ = '\0';
		if (pairs_find(begin, field))
			return malformed(p, "begin: %.40s twice", field);
		pairs_add(begin, field, value);
	}
	format = pairs_find(begin, "format");
	if (!format || strcmp(format, "1"))
		return malformed(p, "stream format %.40s, this program reads 1",
				 format ? format : "absent");
	if (!pairs_find(begin, "kernel"))
		return malformed(p, "begin does not say which kernel runs");
	return 0;
}

static struct counter *counter_by_id(struct parser *p, int64_t id)
{
	if (id < 0 || (size_t)id >= p->r->nr_ids)
		return NULL;
	return p->r->counters[id];
}

static int take_name(struct parser *p, char *fields)
{
	struct reading *r = p->r;
	struct counter *counter;
	const char *name;
	int64_t id;

	if (take_number(p, rl_next_field(&fields), &id))
		return -1;
	name = rl_next_field(&fields);
	if (!name || rl_next_field(&fields))
		return malformed(p, "write `name <id> <counter>`");
	if (id < 0 || id >= IDS_MAX)
		return malformed(p, "counter id %lld is not below %d",
				 (long long)id, IDS_MAX);
	if (counter_by_id(p, id))
		return malformed(p, "counter id %lld is named twice",
				 (long long)id);
	for (size_t i = 0; i < r->nr_ids; i++)
		if (r->counters[i] && !strcmp(r->counters[i]->name, name))
			return malformed(p, "counter %.40s has two ids", name);

	counter = xcalloc(1, sizeof(*counter));
	counter->name = xasprintf("%s", name);
	counter->first = SIZE_MAX;
	r->counters[id] = counter;
	if ((size_t)id >= r->nr_ids)
		r->nr_ids = (size_t)id + 1;
	return 0;
}

static int take_phase(struct parser *p, char *fields)
{
	struct reading *r = p->r;
	struct phase_mark *mark;
	const char *word;
	size_t phase = 0;
	int64_t us;

	if (take_time(p, &fields, &us))
		return -1;
	word = rl_next_field(&fields);
	while (word && phase < NR_PHASES && strcmp(word, phase_words[phase]))
		phase++;
	if (!word || phase == NR_PHASES || rl_next_field(&fields))
		return malformed(p, "unknown phase %.40s", word ? word : "");
	if (r->nr_phases && r->phases[r->nr_phases - 1].phase >= phase)
		return malformed(
			p, "phase %s after phase %s", word,
			phase_words[r->phases[r->nr_phases - 1].phase]);
	mark = &r->phases[r->nr_phases++];
	*mark = (struct phase_mark){ .phase = phase, .us = us };
	p->phase_open = true;
	return 0;
}

static int take_value(struct parser *p, char *field)
{
	char *value = strchr(field, '=');
	struct counter *counter;
	int64_t id, number = 0; /* gcc 12 does not see that it is set */

	if (!value)
		return malformed(p, "%.40s is not of the form id=value", field);
	*value++ = '\0';
	if (take_number(p, field, &id) || take_number(p, value, &number))
		return -1;
	counter = counter_by_id(p, id);
	if (!counter)
		return malformed(p, "counter id %lld has no name",
				 (long long)id);
	if (counter->first == SIZE_MAX)
		counter->first = p->r->nr_samples - 1;
	counter->now = number;
	return 0;
}

/* Every counter that was seen once has a value in every later sample. */
static int extend_counters(struct parser *p)
{
	struct reading *r = p->r;

	for (size_t i = 0; i < r->nr_ids; i++) {
		struct counter *counter = r->counters[i];

		if (!counter || counter->first == SIZE_MAX)
			continue;
		if (p->cells++ == CELLS_MAX)
			return malformed(p, "more than %u counter values",
					 CELLS_MAX);
		counter->values = grow(counter->values, counter->n,
				       &counter->room,
				       sizeof(*counter->values));
		counter->values[counter->n++] = counter->now;
	}
	return 0;
}

static int take_sample(struct parser *p, char *fields)
{
	struct reading *r = p->r;
	struct phase_mark *mark = &r->phases[r->nr_phases - p->phase_open];
	char *field;
	int64_t us;

	if (take_time(p, &fields, &us))
		return -1;
	if (r->nr_samples == CELLS_MAX)
		return malformed(p, "more than %u samples", CELLS_MAX);
	if (p->phase_open && us != mark->us)
		return malformed(p, "no sample was taken as phase %s began",
				 phase_words[mark->phase]);
	if (p->phase_open)
		mark->sample = r->nr_samples;
	p->phase_open = false;

	r->sample_us = grow(r->sample_us, r->nr_samples, &r->samples_room,
			    sizeof(*r->sample_us));
	r->sample_us[r->nr_samples++] = us;
	while ((field = rl_next_field(&fields)))
		if (take_value(p, field))
			return -1;
	return extend_counters(p);
}

static struct series *series_by_name(struct parser *p, const char *name)
{
	struct reading *r = p->r;
	struct series *series;

	for (size_t i = 0; i < r->nr_series; i++)
		if (!strcmp(r->series[i].name, name))
			return &r->series[i];
	if (r->nr_series == SERIES_MAX)
		return NULL;
	r->series = grow(r->series, r->nr_series, &r->series_room,
			 sizeof(*r->series));
	series = &r->series[r->nr_series++];
	memset(series, 0, sizeof(*series));
	series->name = xasprintf("%s", name);
	return series;
}

static int take_obs(struct parser *p, char *fields)
{
	const char *name = rl_next_field(&fields);
	struct series *series;
	char *field;

	if (!name)
		return malformed(p, "an observation without a series");
	series = series_by_name(p, name);
	if (!series)
		return malformed(p, "more than %d series", SERIES_MAX);
	while ((field = rl_next_field(&fields))) {
		int64_t value;

		if (take_number(p, field, &value))
			return -1;
		if (p->values++ == VALUES_MAX)
			return malformed(p, "more than %u observations",
					 VALUES_MAX);
		series->values = grow(series->values, series->n, &series->room,
				      sizeof(*series->values));
		series->values[series->n++] = value;
	}
	return 0;
}

static int take_note(struct parser *p, char *fields)
{
	struct reading *r = p->r;

	if (r->nr_notes == NOTES_MAX)
		return malformed(p, "more than %d notes", NOTES_MAX);
	r->notes =
		grow(r->notes, r->nr_notes, &r->notes_room, sizeof(*r->notes));
	r->notes[r->nr_notes++] = xasprintf("%s", fields);
	return 0;
}

static int take_end(struct parser *p, char *fields)
{
	const char *word = rl_next_field(&fields);

	p->ended = true;
	if (word && !strcmp(word, "fail")) {
		p->r->why = xasprintf("%s",
				      fields && *fields ? fields : "no reason");
		p->r->state = STREAM_FAILED;
		return 0;
	}
	if (!word || strcmp(word, "ok") || rl_next_field(&fields))
		return malformed(p, "end is neither ok nor fail");
	if (p->phase_open)
		return malformed(p, "the last phase has no sample");
	if (!reading_phase(p->r, PHASE_MEASURE) ||
	    !reading_phase(p->r, PHASE_DONE))
		return malformed(p, "end ok without phases measure and done");
	p->r->state = STREAM_OK;
	return 0;
}

static int (*const handlers[RL_NR_TYPES])(struct parser *, char *) = {
	[RL_BEGIN] = take_begin, [RL_NAME] = take_name,
	[RL_PHASE] = take_phase, [RL_SAMPLE] = take_sample,
	[RL_OBS] = take_obs,	 [RL_NOTE] = take_note,
	[RL_END] = take_end,
};

static int check_bytes(struct parser *p, const char *line, size_t len)
{
	if (len >= RL_LINE_MAX)
		return malformed(p, "longer than %d bytes", RL_LINE_MAX);
	for (size_t i = 0; i < len; i++)
		if (line[i] < ' ' || line[i] > '~')
			return malformed(p, "byte 0x%02x in column %zu",
					 (unsigned char)line[i], i + 1);
	return 0;
}

static int take_line(struct parser *p, char *text, size_t len)
{
	uint64_t seq = p->line++;
	struct rl_line line;
	const char *wrong;

	if (p->ended)
		return malformed(p, "something follows the end record");
	if (check_bytes(p, text, len))
		return -1;
	wrong = rl_line_parse(text, &line);
	if (wrong)
		return malformed(p, "%s", wrong);
	if (line.seq != seq)
		return malformed(p,
				 "record %llu stands where %llu should: "
				 "lines were lost",
				 (unsigned long long)line.seq,
				 (unsigned long long)seq);
	if ((line.type == RL_BEGIN) != !seq)
		return malformed(p, "begin must be the first record and only "
				    "that");
	return handlers[line.type](p, line.fields);
}

void reading_parse(char *text, size_t len, struct reading *reading)
{
	struct parser p = { .r = reading };
	char *end = text + len;

	memset(reading, 0, sizeof(*reading));
	reading->counters = xcalloc(IDS_MAX, sizeof(*reading->counters));
	if (!len)
		return;
	reading->state = STREAM_UNFINISHED;
	if (len > STREAM_BYTES_MAX) {
		malformed(&p, "the stream is longer than %u bytes",
			  STREAM_BYTES_MAX);
		return;
	}
	while (text < end) {
		char *newline = memchr(text, '\n', (size_t)(end - text));

		if (!newline && p.ended) {
			p.line++;
			malformed(&p, "something follows the end record");
			return;
		}
		if (!newline) {
			reading->state = STREAM_CUT;
			return;
		}
		*newline = '\0';
		if (take_line(&p, text, (size_t)(newline - text)))
			return;
		text = newline + 1;
	}
}

void reading_free(struct reading *reading)
{
	for (size_t i = 0; i < reading->nr_ids; i++) {
		if (!reading->counters[i])
			continue;
		free(reading->counters[i]->name);
		free(reading->counters[i]->values);
		free(reading->counters[i]);
	}
	for (size_t i = 0; i < reading->nr_series; i++) {
		free(reading->series[i].name);
		free(reading->series[i].values);
	}
	for (size_t i = 0; i < reading->nr_notes; i++)
		free(reading->notes[i]);
	free(reading->counters);
	free(reading->series);
	free(reading->notes);
	free(reading->sample_us);
	pairs_free(&reading->begin);
	free(reading->why);
	memset(reading, 0, sizeof(*reading));
}

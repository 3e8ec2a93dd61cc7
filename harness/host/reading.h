/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A record stream (record/stream.h) taken apart and checked. The guest is not
 * trusted: whatever bytes arrive, time and memory stay bounded and the worst
 * that comes out is STREAM_MALFORMED.
 */
#ifndef RECLAIMLAB_HOST_READING_H
#define RECLAIMLAB_HOST_READING_H

#include <stddef.h>
#include <stdint.h>

#include "pairs.h"

/* Of a counter: one value a sample, from the first sample that had it. */
struct counter {
	char *name;
	size_t first; /* sample, SIZE_MAX when none had it */
	int64_t *values;
	size_t n, room;
	int64_t now;
};

struct series {
	char *name;
	int64_t *values;
	size_t n, room;
};

enum phase {
	PHASE_SETUP,
	PHASE_WARMUP,
	PHASE_MEASURE,
	PHASE_SUSTAIN,
	PHASE_DONE,
	NR_PHASES,
};

struct phase_mark {
	enum phase phase;
	int64_t us;
	size_t sample; /* taken as the phase began */
};

enum stream_state {
	STREAM_EMPTY,
	STREAM_UNFINISHED, /* whole lines, all good, but no end record */
	STREAM_CUT,	   /* the last line has no end */
	STREAM_MALFORMED,
	STREAM_FAILED, /* the guest says: end fail */
	STREAM_OK,
};

struct reading {
	enum stream_state state;
	char *why; /* FAILED: the guest's reason; MALFORMED: "line N: ..." */
	struct pairs begin;
	struct phase_mark phases[NR_PHASES];
	size_t nr_phases;
	int64_t *sample_us;
	size_t nr_samples, samples_room;
	struct counter **counters; /* by the stream's id, NULL where unused */
	size_t nr_ids;
	struct series *series;
	size_t nr_series, series_room;
	char **notes;
	size_t nr_notes, notes_room;
};

/* What is more than this is not read as a stream of this bench. */
#define STREAM_BYTES_MAX (64u << 20)

/**
 * reading_parse() - read a stream, as far as it is good.
 * @text: @len bytes and a NUL; the bytes may be anything. Cut up in place.
 */
void reading_parse(char *text, size_t len, struct reading *reading);

/**
 * phase_word() - the word of a phase in the stream.
 */
const char *phase_word(enum phase phase);

/**
 * reading_phase() - the mark of a phase, NULL when it did not begin.
 */
const struct phase_mark *reading_phase(const struct reading *reading,
				       enum phase phase);

void reading_free(struct reading *reading);

#endif

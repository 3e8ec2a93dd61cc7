/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How init and the workloads speak to the record stream.
 *
 * One process owns the writer at any time: init until record_sampler_start(),
 * then the sampler (sampler.h), which init tells by a pipe what to say, and init
 * again once the sampler has been stopped. The writer itself is in shared
 * memory, so that the numbering goes on whoever writes.
 */
#ifndef RECLAIMLAB_GUEST_RECORD_H
#define RECLAIMLAB_GUEST_RECORD_H

#include <stdint.h>

/**
 * record_open() - take what the records go to.
 */
void record_open(int fd);

/**
 * record_begin() - the first line of the stream.
 * @more: "key=value ..." at its end; "" for nothing.
 */
void record_begin(const char *workload, uint64_t seed, const char *more);

/**
 * record_sampler_start() - hand the writer to a sampler.
 * @sample_ms: virtual milliseconds between periodic samples, 0 for none.
 */
void record_sampler_start(uint64_t sample_ms);

/**
 * record_phase() - a phase begins now; a sample is taken at the same instant.
 * @word: setup, warmup, measure, sustain or done.
 *
 * This and record_obs() return when the line has left, so that the writing never
 * runs beside what is measured next.
 */
void record_phase(const char *word);

/**
 * record_obs() - append one observation to a series.
 */
void record_obs(const char *series, int64_t value);

#define RECORD_NOTE_MAX 512 /* bytes of a note, the NUL included */

/**
 * record_note() - a line for the reader. What is not printable ASCII becomes
 * '?', what is too long is cut.
 */
__attribute__((format(printf, 1, 2))) void record_note(const char *fmt, ...);

/**
 * record_end_ok(), record_end_fail() - the last line, then power off; natively
 * the process ends, with status 0 or 1.
 */
__attribute__((noreturn)) void record_end_ok(void);
__attribute__((noreturn)) void record_end_fail(const char *reason);

#endif

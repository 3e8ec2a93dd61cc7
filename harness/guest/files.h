/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Steps that push others' pages out: files that are read and written, memory
 * that comes and goes.
 */
#ifndef RECLAIMLAB_GUEST_FILES_H
#define RECLAIMLAB_GUEST_FILES_H

#include "step.h"

/* The key of the file that is read, over and over. */
extern const struct job_key data_keys[];

/**
 * files_make_data() - make that file, if it is not there yet.
 */
void files_make_data(long long unused);

/**
 * files_read() - read a part of it; what is behind its end is at its beginning.
 * @at, @size: bytes, both multiples of 128 KiB.
 */
void files_read(uint64_t at, uint64_t size);

/* stream:N: a process reads the next N MiB and ends. */
extern const struct step stream_step;

/*
 * serve:N: a file server begins to read the next N MiB, beside the steps that
 * follow; when it comes to it again, it first waits until that is done.
 */
extern const struct step serve_step;

/* write:N: a process writes N MiB and waits until they are on disk. Observed:
 * write_ns.
 */
extern const struct step write_step;

/* churn:N: a process fills N MiB of memory and ends. */
extern const struct step churn_step;

#endif

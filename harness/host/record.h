/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The record of one boot, as JSON: under which conditions, which arm, what the
 * guest said. Nothing in it depends on the host, on paths or on wall time.
 */
#ifndef RECLAIMLAB_HOST_RECORD_H
#define RECLAIMLAB_HOST_RECORD_H

#include <jansson.h>

#include "reading.h"

#define RECORD_FORMAT_WRITTEN 1

/**
 * record_build() - the record of a run whose stream is STREAM_OK.
 * @conditions, @arm: as plan_conditions() and plan_arm() make them; borrowed.
 * @stream_sha256: of the stream as it arrived.
 *
 * Return: the object, owned by the caller.
 */
json_t *record_build(const struct reading *reading, json_t *conditions,
		     json_t *arm, const char *stream_sha256);

/**
 * record_text() - the bytes of a record's file: keys sorted, one space of
 * indentation, numbers of an array on one line, a newline at the end; to be
 * freed.
 */
char *record_text(const json_t *record);

#endif

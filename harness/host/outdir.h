/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The result directory: records/, logs/, and the report of a comparison.
 */
#ifndef RECLAIMLAB_HOST_OUTDIR_H
#define RECLAIMLAB_HOST_OUTDIR_H

#include <stdbool.h>

/**
 * outdir_open() - make the directory and prove that it can be written.
 * @alone: refuse when another measurement, or any run, is writing there.
 *
 * Return: a descriptor that holds the claim; or -1 with @error set to one line.
 */
int outdir_open(const char *path, bool alone, char **error);

/**
 * outdir_clear() - remove what former measurements have left: records, the
 * report, and half-written files of killed ones. Other files are left alone.
 */
void outdir_clear(const char *path);

#endif

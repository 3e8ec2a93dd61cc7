/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cache of finished runs, by content: <cache>/runs/<key>.json. Callers that
 * want the same run at once take turns; the second finds it done.
 */
#ifndef RECLAIMLAB_HOST_STORE_H
#define RECLAIMLAB_HOST_STORE_H

#include <jansson.h>

/**
 * cache_directory() - ${XDG_CACHE_HOME:-~/.cache}/reclaimlab; to be freed.
 *
 * Return: the path, or NULL when there is no home directory.
 */
char *cache_directory(void);

/**
 * store_lock() - take the right to make the run @key, waiting for it.
 *
 * Return: a descriptor for store_unlock(); or -1 with errno set, EINTR when
 * interrupted() while waiting.
 */
int store_lock(const char *cache, const char *key);

void store_unlock(const char *cache, const char *key, int lock);

/**
 * store_get() - the record of a run, NULL when it is not there or not whole.
 */
json_t *store_get(const char *cache, const char *key);

/**
 * store_put() - keep a record.
 *
 * Return: 0, or -1 with errno set.
 */
int store_put(const char *cache, const char *key, const json_t *record);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A private directory for one boot, under the cache directory's tmp/. It is
 * locked as long as its process lives; those of killed processes are removed
 * when the next one is made.
 */
#ifndef RECLAIMLAB_HOST_WORKDIR_H
#define RECLAIMLAB_HOST_WORKDIR_H

struct workdir {
	char *path;
	int lock; /* descriptor */
};

/**
 * workdir_make() - Return: 0, or -1 with errno set.
 */
int workdir_make(const char *cache, struct workdir *dir);

/**
 * workdir_file() - the path of a file in it; to be freed.
 */
char *workdir_file(const struct workdir *dir, const char *name);

/**
 * workdir_full() - is so little room left that a guest's output may be lost?
 */
int workdir_full(const struct workdir *dir);

/**
 * workdir_remove() - with all files in it.
 */
void workdir_remove(struct workdir *dir);

#endif

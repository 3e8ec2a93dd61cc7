/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Program text that costs nothing but its pages: files full of return
 * instructions, mapped executable and really called.
 */
#ifndef RECLAIMLAB_GUEST_TEXTFILE_H
#define RECLAIMLAB_GUEST_TEXTFILE_H

#include <stdbool.h>
#include <stddef.h>

struct text {
	int fd;
	const char *base;
	size_t pages;
	bool exec;
};

/**
 * textfile_write() - make a file of @size bytes of return instructions, on disk
 * and out of the page cache.
 */
void textfile_write(const char *path, size_t size);

/**
 * datafile_write() - the same with zeros: a file to read.
 */
void datafile_write(const char *path, size_t size);

/**
 * text_map() - map a whole text file, private.
 * @exec: executable; if not, text_call() only reads.
 */
struct text text_map(const char *path, bool exec);

/**
 * text_willneed() - ask for the whole file, as Android's runtime does before it
 * executes: the pages are then born of read-ahead and not of a fault.
 */
void text_willneed(const struct text *text);

/**
 * text_call() - call the code at the start of a page.
 */
void text_call(const struct text *text, size_t page);

#endif

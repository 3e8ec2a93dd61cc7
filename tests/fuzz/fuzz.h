/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzzers share. Each is one LLVMFuzzerTestOneInput(), which libFuzzer
 * calls with bytes of its own and replay.c with those of corpus/.
 */
#ifndef RECLAIMLAB_TESTS_FUZZ_H
#define RECLAIMLAB_TESTS_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stops the fuzzer with this input: what must not be is. */
#define FUZZ_HOLDS(condition) ((condition) ? (void)0 : abort())

/* The input as a text of its own, so that reading beyond it is noticed. */
__attribute__((unused)) static char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	FUZZ_HOLDS(text);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* The input as a file in memory; its path is good until the next call. */
__attribute__((unused)) static const char *fuzz_file(const uint8_t *data,
						     size_t size)
{
	static char path[32];
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("input", MFD_CLOEXEC);
	FUZZ_HOLDS(fd >= 0 && !ftruncate(fd, 0) &&
		   pwrite(fd, data, size, 0) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

/* A parser that refuses says why in one line, and one that accepts says nothing. */
#define FUZZ_ANSWERS(refused, error)                                       \
	FUZZ_HOLDS((refused) ? (error) && *(error) && !strchr(error, '\n') \
			     : !(error))

#endif

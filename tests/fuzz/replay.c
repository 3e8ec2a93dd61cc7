// SPDX-License-Identifier: GPL-2.0
/*
 * replay FILE...: the fuzzer that this is linked to, with the bytes of each file,
 * of every beginning of a short one and of one with a byte changed, as TAP. So a
 * corpus is a test also where there is no libFuzzer.
 */
#include "fuzz.h"

/* Longer files are cut and changed at this many places. */
#define PLACES 64

static uint8_t *whole(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	long length;
	uint8_t *data;

	FUZZ_HOLDS(file && !fseek(file, 0, SEEK_END));
	length = ftell(file);
	FUZZ_HOLDS(length >= 0);
	*size = (size_t)length;
	data = malloc(*size + 1);
	rewind(file);
	FUZZ_HOLDS(data && fread(data, 1, *size, file) == *size);
	fclose(file);
	return data;
}

static void try(const char *path)
{
	size_t size, step;
	uint8_t *data = whole(path, &size);

	step = size / PLACES + 1;
	LLVMFuzzerTestOneInput(data, size);
	for (size_t i = 0; i < size; i += step) {
		LLVMFuzzerTestOneInput(data, i);
		data[i] ^= (uint8_t)(1 + i % 255);
		LLVMFuzzerTestOneInput(data, size);
		data[i] ^= (uint8_t)(1 + i % 255);
	}
	free(data);
}

int main(int argc, char **argv)
{
	printf("TAP version 13\n1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++) {
		const char *name = strrchr(argv[i], '/');

		try(argv[i]);
		printf("ok %d - %s\n", i, name ? name + 1 : argv[i]);
		fflush(stdout);
	}
	return 0;
}

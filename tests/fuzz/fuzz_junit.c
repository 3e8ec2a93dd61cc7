// SPDX-License-Identifier: GPL-2.0
/* Results of tests on their way to JUnit's XML. */
#include "fuzz.h"

#include "junit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *results = json_loadb((const char *)data, size, 0, NULL);
	char *error = NULL, *text;

	if (!results)
		return 0;
	text = junit_text(results, &error);
	FUZZ_ANSWERS(!text, error);
	free(text);
	free(error);
	json_decref(results);
	return 0;
}

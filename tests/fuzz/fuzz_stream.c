// SPDX-License-Identifier: GPL-2.0
/* What a guest writes to its port, with whatever else gets there. */
#include "fuzz.h"

#include "reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct reading reading;

	memset(&reading, 0, sizeof(reading));
	reading_parse(text, size, &reading);
	reading_free(&reading);
	free(text);
	return 0;
}

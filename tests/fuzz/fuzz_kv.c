// SPDX-License-Identifier: GPL-2.0
/* Lines of keys and values: jobs, arms, scenarios, recipes. */
#include "fuzz.h"

#include "kv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = text;
	struct kv pair = { 0 };
	int line = 0;

	while (kv_next(&rest, &pair)) {
		long long number;

		FUZZ_HOLDS(*pair.key && pair.line > line);
		line = pair.line;
		if (!kv_number(pair.value, -5, 1000, &number))
			FUZZ_HOLDS(number >= -5 && number <= 1000);
	}
	free(text);
	return 0;
}

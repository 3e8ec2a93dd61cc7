// SPDX-License-Identifier: GPL-2.0
/* One line of a stream: a changed one is not taken for a good one. */
#include "fuzz.h"

#include "stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *field;
	struct rl_line line;

	if (!rl_line_parse(text, &line)) {
		FUZZ_HOLDS(rl_type_word(line.type));
		while ((field = rl_next_field(&line.fields)))
			FUZZ_HOLDS(!strchr(field, ' '));
	}
	free(text);
	return 0;
}

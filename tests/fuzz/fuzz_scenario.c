// SPDX-License-Identifier: GPL-2.0
/* Scenario files, which users write. */
#include "fuzz.h"

#include "scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scenario scenario;
	char *error = NULL;
	int refused = scenario_load(fuzz_file(data, size), &scenario, &error);

	FUZZ_ANSWERS(refused, error);
	if (!refused) {
		free(scenario_job(&scenario, 1));
		scenario_free(&scenario);
	}
	free(error);
	return 0;
}

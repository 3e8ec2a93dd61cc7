// SPDX-License-Identifier: GPL-2.0
/* Recipes of kernels. */
#include "fuzz.h"

#include "recipe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recipe recipe;
	char *error = NULL;
	int refused = recipe_load(fuzz_file(data, size), &recipe, &error);

	FUZZ_ANSWERS(refused, error);
	if (!refused) {
		free(recipe_labels(&recipe));
		recipe_free(&recipe);
	}
	free(error);
	return 0;
}

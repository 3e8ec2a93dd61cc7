// SPDX-License-Identifier: GPL-2.0
/* The record of a boot, as compare reads it: whole, cut or changed. */
#include "fuzz.h"

#include <sys/stat.h>

#include "record_set.h"

/* A directory with the input as records/input.json; removed at the end. */
static char directory[] = "/tmp/fuzz_record.XXXXXX";

static void in_it(char path[64], const char *name)
{
	snprintf(path, 64, "%s%s", directory, name);
}

static void remove_it(void)
{
	static const char *const names[] = { "/records/input.json", "/records",
					     "" };
	char path[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		in_it(path, names[i]);
		remove(path);
	}
}

static void make_it(void)
{
	char path[64];

	FUZZ_HOLDS(mkdtemp(directory));
	in_it(path, "/records");
	FUZZ_HOLDS(!mkdir(path, 0700));
	atexit(remove_it);
}

static void write_it(const uint8_t *data, size_t size)
{
	char path[64];
	FILE *file;

	in_it(path, "/records/input.json");
	file = fopen(path, "we");
	FUZZ_HOLDS(file && fwrite(data, 1, size, file) == size &&
		   !fclose(file));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct record_set set;
	char *error = NULL;
	bool differ;
	int refused;

	if (strstr(directory, "XXXXXX"))
		make_it();
	write_it(data, size);
	refused = records_load(directory, &set, &error);
	FUZZ_ANSWERS(refused, error);
	if (!refused) {
		if (!records_check(&set, &differ, &error))
			json_decref(record_conditions(set.records, differ));
		records_fill(&set, 1);
		records_condense(&set);
		records_free(&set);
	}
	free(error);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
#include "symbols.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "guest.h"

#define RANGES_MAX 64

static struct range {
	uint64_t start, end;
	int value;
} ranges[RANGES_MAX];
static size_t nr_ranges;

static const struct symbol *find(const struct symbol *symbols, const char *name)
{
	size_t len = strcspn(name, ".\n");

	for (; symbols->name; symbols++)
		if (strlen(symbols->name) == len &&
		    !memcmp(symbols->name, name, len))
			return symbols;
	return NULL;
}

/* The kernel lists its own functions by address: each ends where one begins. */
void symbols_load(const struct symbol *symbols)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[512], type, name[256];
	const struct symbol *symbol;
	unsigned long long address;
	bool open = false;

	if (!file)
		fail("the kernel has no /proc/kallsyms");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx %c %255s", &address, &type, name) != 3)
			continue;
		if (open && address > ranges[nr_ranges - 1].start) {
			ranges[nr_ranges - 1].end = address;
			open = false;
		}
		symbol = type == 't' || type == 'T' ? find(symbols, name)
						    : NULL;
		if (!symbol || open || nr_ranges == RANGES_MAX)
			continue;
		ranges[nr_ranges++] =
			(struct range){ address, UINT64_MAX, symbol->value };
		open = true;
	}
	fclose(file);
}

int symbols_value(uint64_t address, int otherwise)
{
	for (size_t i = 0; i < nr_ranges; i++)
		if (address >= ranges[i].start && address < ranges[i].end)
			return ranges[i].value;
	return otherwise;
}

// SPDX-License-Identifier: GPL-2.0
#include "generations.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "counters.h"
#include "guest.h"

#define LRU_GEN "/sys/kernel/debug/lru_gen"
#define GENERATIONS_MAX 4 /* MAX_NR_GENS of the kernel */

static int lru_gen = -1;

struct generation {
	int64_t age_ms, anon, file;
};

/* The last part of the path, if it is one of ours. */
static const char *memcg_name(const char *path)
{
	static const char *const names[] = { "apps", "text", "files" };
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; slash && i < ARRAY_SIZE(names); i++)
		if (!strcmp(slash + 1, names[i]))
			return names[i];
	return NULL;
}

static void put(const char *memcg, size_t k, const char *what, int64_t value)
{
	char name[64];

	snprintf(name, sizeof(name), "lru_gen.%s.%zu.%s", memcg, k, what);
	counter_set(name, value);
}

static void put_all(const char *memcg, const struct generation *g)
{
	for (size_t k = 0; memcg && k < GENERATIONS_MAX; k++) {
		put(memcg, k, "age_ms", g[k].age_ms);
		put(memcg, k, "anon", g[k].anon);
		put(memcg, k, "file", g[k].file);
	}
}

/*
 * "memcg <id> <path>", then for each node " node <n>", then for each generation,
 * the oldest first, "<seq> <age in ms> <anon pages> <file pages>".
 */
static void parse(char *text)
{
	struct generation g[GENERATIONS_MAX] = { 0 };
	const char *memcg = NULL;
	char *line, path[256];
	size_t k = 0;

	while ((line = strsep(&text, "\n"))) {
		long long seq, age, anon, file;

		if (sscanf(line, "memcg %*u %255s", path) == 1) {
			put_all(memcg, g);
			memset(g, 0, sizeof(g));
			memcg = memcg_name(path);
			k = 0;
		} else if (memcg && k < GENERATIONS_MAX &&
			   sscanf(line, "%lld %lld %lld %lld", &seq, &age,
				  &anon, &file) == 4) {
			g[k++] = (struct generation){ age, anon, file };
		}
	}
	put_all(memcg, g);
}

static void generations_read(void)
{
	static char text[32768];
	size_t len = 0;
	ssize_t n;

	/* Given out a memcg at a time. */
	while (len < sizeof(text) - 1 &&
	       (n = pread(lru_gen, text + len, sizeof(text) - 1 - len,
			  (off_t)len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	parse(text);
}

void generations_prepare(void)
{
	lru_gen = open(LRU_GEN, O_RDONLY | O_CLOEXEC);
	if (lru_gen >= 0)
		counters_add_reader(generations_read);
}

// SPDX-License-Identifier: GPL-2.0
#include "anon.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "guest.h"

static long long random_percent;

const struct job_key anon_keys[] = {
	JOB_NUMBER("anon_random_percent", &random_percent, 0, 100),
	JOB_END,
};

struct anon anon_make(size_t size, struct rng *rng)
{
	size_t page = page_size();
	size_t words = page * (size_t)random_percent / 100 / sizeof(uint64_t);
	struct anon anon = { .pages = size / page };

	anon.base = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (anon.base == MAP_FAILED)
		fail("cannot map %zu bytes: %s", size, strerror(errno));
	for (size_t i = 0; i < anon.pages; i++) {
		uint64_t *word = (uint64_t *)(void *)(anon.base + i * page);

		/* Every page is written, even where nothing is random. */
		word[page / sizeof(uint64_t) - 1] = i;
		for (size_t j = 0; j < words; j++)
			word[j] = rng_next(rng);
	}
	return anon;
}

void anon_touch(const struct anon *anon, size_t page)
{
	volatile uint64_t *word =
		(uint64_t *)(void *)(anon->base + page * page_size());

	*word += 1;
}

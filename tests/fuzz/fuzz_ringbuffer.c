// SPDX-License-Identifier: GPL-2.0
/* Pages of the kernel's trace. */
#include "../../harness/guest/ringbuffer.c"

#include "fuzz.h"

static unsigned int sum;

static void touch(uint64_t ns, const unsigned char *data, size_t size)
{
	sum += (unsigned int)ns;
	for (size_t i = 0; i < size; i++)
		sum += data[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *page = fuzz_text(data, size);

	ringbuffer_page((unsigned char *)page, size, touch);
	free(page);
	return 0;
}

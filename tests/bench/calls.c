// SPDX-License-Identifier: GPL-2.0
/*
 * Claim A13: what MADV_DONTNEED of 1 MiB costs in one call and in one for each
 * page. Prints both in microseconds, the quickest of TRIES, and the TLB flushes
 * of both, where the kernel counts them.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define LENGTH (1 << 20)
#define TRIES 200

struct cost {
	double us;
	long flushes; /* of all TRIES; -1 if they are not counted */
};

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

/* There with CONFIG_DEBUG_TLBFLUSH; of all processors. */
static long tlb_flushes(void)
{
	FILE *vmstat = fopen("/proc/vmstat", "re");
	char name[64];
	long value, sum = -1;

	while (vmstat && fscanf(vmstat, "%63s %ld", name, &value) == 2)
		if (!strncmp(name, "nr_tlb_local_flush", 18))
			sum = (sum < 0 ? 0 : sum) + value;
	if (vmstat)
		fclose(vmstat);
	return sum;
}

static int discard(char *area, size_t step, struct cost *cost)
{
	long before = tlb_flushes();

	for (int i = 0; i < TRIES; i++) {
		double start, us;

		memset(area, 1, LENGTH);
		start = now_us();
		for (size_t at = 0; at < LENGTH; at += step)
			if (madvise(area + at, step, MADV_DONTNEED))
				return -1;
		us = now_us() - start;
		if (!i || us < cost->us)
			cost->us = us;
	}
	cost->flushes = before < 0 ? -1 : tlb_flushes() - before;
	return 0;
}

int main(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct cost one, many;
	char *area = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area != MAP_FAILED)
		/* Pages are meant, not huge ones; a kernel may have none. */
		(void)madvise(area, LENGTH, MADV_NOHUGEPAGE);
	if (area == MAP_FAILED || discard(area, LENGTH, &one) ||
	    discard(area, page, &many)) {
		perror("calls");
		return 1;
	}
	printf("%zu calls %.1f us, one call %.1f us, ratio %.1f", LENGTH / page,
	       many.us, one.us, many.us / one.us);
	if (one.flushes >= 0)
		printf(", TLB flushes %ld and %ld", many.flushes / TRIES,
		       one.flushes / TRIES);
	putchar('\n');
	return 0;
}

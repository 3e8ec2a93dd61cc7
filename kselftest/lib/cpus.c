// SPDX-License-Identifier: GPL-2.0
#include "cpus.h"

#include <sched.h>

int cpus_allowed(int cpus[], int max)
{
	cpu_set_t set;
	int count = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -1;
	for (int cpu = 0; cpu < CPU_SETSIZE && count < max; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[count++] = cpu;
	return count;
}

int run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	/* On its return the thread is there. */
	return sched_setaffinity(0, sizeof(set), &set);
}

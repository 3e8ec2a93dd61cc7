// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>

#include "cycle.h"
#include "ending.h"
#include "kselftest.h"
#include "workload.h"

const struct workload *const workloads[] = {
	&cycle_workload,
	&ending_workload,
	&kselftest_workload,
	NULL,
};

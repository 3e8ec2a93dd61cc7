// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>

#include "ending.h"
#include "kselftest.h"
#include "launch.h"
#include "workload.h"

const struct workload *const workloads[] = {
	&launch_workload,
	&ending_workload,
	&kselftest_workload,
	NULL,
};

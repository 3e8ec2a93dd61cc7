/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_KSELFTEST_H
#define RECLAIMLAB_GUEST_KSELFTEST_H

#include "workload.h"

/*
 * Runs every program of /kselftest, in the order of their names, and notes
 *
 *	run <program>			before it starts
 *	out <program> <line>		each line of its output
 *	kernel <program> <line>		of the kernel's log, when it complains
 *	exit <program> <status>		exit status, or 128 + signal
 *	timeout <program> <seconds>	instead, when it had to be killed
 */
extern const struct workload kselftest_workload;

#endif

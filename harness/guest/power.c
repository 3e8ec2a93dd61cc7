// SPDX-License-Identifier: GPL-2.0
#include "power.h"

#include <sys/reboot.h>
#include <unistd.h>

void power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	/* A machine that cannot: PID 1 must not return, the host will notice. */
	for (;;)
		pause();
}

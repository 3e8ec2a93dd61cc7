/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_POWER_H
#define RECLAIMLAB_GUEST_POWER_H

/**
 * power_off() - write everything back and switch the machine off.
 */
__attribute__((noreturn)) void power_off(void);

#endif

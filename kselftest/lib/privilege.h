/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What this process may do, and to do without it.
 */
#ifndef PAGE_ADVICE_PRIVILEGE_H
#define PAGE_ADVICE_PRIVILEGE_H

#include <stdbool.h>

/* Who owns nothing. */
#define NOBODY 65534

/**
 * has_capability() - is it in the effective set? A CAP_ of linux/capability.h.
 */
bool has_capability(int cap);

/**
 * drop_privilege() - become NOBODY, for good: for a child.
 *
 * Return: whether there is no privilege now; true also for those who had none.
 */
bool drop_privilege(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SIGINT, SIGTERM and SIGHUP ask to stop: whoever waits asks here, cleans up
 * and returns.
 */
#ifndef RECLAIMLAB_HOST_INTERRUPT_H
#define RECLAIMLAB_HOST_INTERRUPT_H

/**
 * interrupt_setup() - from now on the signals only set a mark, and make system
 * calls return with EINTR.
 */
void interrupt_setup(void);

/**
 * interrupt_reset() - back to the signals' defaults, before an exec.
 */
void interrupt_reset(void);

/**
 * interrupted() - the signal that came, 0 if none did.
 */
int interrupted(void);

/**
 * interrupt_die() - end the process by the signal that came, so that the shell
 * or make that called sees it.
 */
__attribute__((noreturn)) void interrupt_die(void);

/**
 * nap() - sleep for some milliseconds or until a signal comes.
 */
void nap(int ms);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_PORT_H
#define RECLAIMLAB_GUEST_PORT_H

/**
 * port_open() - open the serial port that carries the records, in raw mode.
 *
 * It is the second UART, never the one of the kernel's console. The run fails
 * when there is none.
 */
int port_open(void);

#endif

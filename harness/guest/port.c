// SPDX-License-Identifier: GPL-2.0
#include "port.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "guest.h"

/*
 * Two 8250 on a PC; two PL011 on arm64, or one PL011 for the console and an
 * 8250 on PCI, because QEMU's virt machine long had only one PL011 to give.
 */
static const char *const ports[] = {
#ifdef __aarch64__
	"/dev/ttyAMA1",
	"/dev/ttyS0",
#else
	"/dev/ttyS1",
#endif
};

/* The 8250 driver makes nodes for ports that the machine does not have. */
static int has_uart(int fd)
{
	struct serial_struct info;

	return !ioctl(fd, TIOCGSERIAL, &info) && info.type != PORT_UNKNOWN;
}

/* Records are bytes: no CR before LF, no echo, no flow control. */
static void make_raw(int fd)
{
	struct termios mode;

	if (tcgetattr(fd, &mode))
		fail("cannot read the mode of the record port: %s",
		     strerror(errno));
	cfmakeraw(&mode);
	mode.c_cflag |= CLOCAL;
	mode.c_cflag &= ~(tcflag_t)CRTSCTS;
	if (tcsetattr(fd, TCSANOW, &mode))
		fail("cannot make the record port raw: %s", strerror(errno));
}

int port_open(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(ports); i++) {
		/* O_NONBLOCK: opening must not wait for a carrier. */
		int fd = open(ports[i],
			      O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);

		if (fd < 0)
			continue;
		if (has_uart(fd)) {
			make_raw(fd);
			fcntl(fd, F_SETFL, 0);
			return fd;
		}
		close(fd);
	}
	fail("no port for the records: give QEMU a second -serial");
}

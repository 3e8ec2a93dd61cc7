/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_RINGBUFFER_H
#define RECLAIMLAB_GUEST_RINGBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * ringbuffer_page() - take one page of trace_pipe_raw apart.
 * @page: @size bytes, as events/header_page and events/header_event of tracefs
 *	  describe them.
 * @event: called for every event with its time, its data and their size; the
 *	   first two bytes of the data are the event's id.
 *
 * Return: whether all is there; false when the kernel says that events were lost
 * before this page, or when it is not as described.
 */
bool ringbuffer_page(const unsigned char *page, size_t size,
		     void (*event)(uint64_t ns, const unsigned char *data,
				   size_t size));

#endif

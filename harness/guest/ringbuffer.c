// SPDX-License-Identifier: GPL-2.0
#include "ringbuffer.h"

#include <string.h>

/*
 * A page: the time of its first event, the length of what is committed with two
 * flags, and the events. An event: five bits of type, 27 of time since the last
 * one, then its data.
 */
#define MISSED_EVENTS (1u << 31)
#define MISSED_STORED (1u << 30)
#define COMMIT_MASK 0x07ffffffu
#define TYPE_BITS 5
#define TIME_BITS 27

enum type_len {
	DATA_MAX = 28, /* up to here the length of the data in words */
	PADDING,
	TIME_EXTEND,
	TIME_STAMP,
};

/* The top bits of an absolute stamp are those of the time before. */
#define STAMP_BITS 59

static uint32_t word_at(const unsigned char *data)
{
	uint32_t word;

	memcpy(&word, data, sizeof(word));
	return word;
}

bool ringbuffer_page(const unsigned char *page, size_t size,
		     void (*event)(uint64_t ns, const unsigned char *data,
				   size_t size))
{
	const size_t header = sizeof(uint64_t) + sizeof(unsigned long);
	uint64_t time;
	uint32_t flags;
	size_t end;

	if (size < header)
		return false;
	memcpy(&time, page, sizeof(time));
	flags = word_at(page + sizeof(time));
	end = header + (flags & COMMIT_MASK);
	if (end > size)
		return false;

	for (size_t at = header; at + 4 <= end;) {
		uint32_t head = word_at(page + at);
		unsigned int type = head & ((1u << TYPE_BITS) - 1);
		uint64_t delta = head >> TYPE_BITS;
		size_t length = 4 * (size_t)type;
		uint64_t stamp;

		at += 4;
		if (type == 0 || type > DATA_MAX) {
			/* Padding without time ends the page. */
			if (at + 4 > end || (type == PADDING && !delta))
				break;
			length = word_at(page + at);
		}
		stamp = (delta & ((1u << TIME_BITS) - 1)) |
			(uint64_t)length << TIME_BITS;
		switch (type) {
		case TIME_EXTEND:
			time += stamp;
			at += 4;
			continue;
		case TIME_STAMP:
			time = (time >> STAMP_BITS << STAMP_BITS) | stamp;
			at += 4;
			continue;
		case PADDING:
			at += length;
			continue;
		case 0:
			/* The length counts the word it is in. */
			at += 4;
			length = length < 4 ? 0 : length - 4;
			break;
		default:
			break;
		}
		time += delta;
		if (length > end - at || length < sizeof(uint16_t))
			return false;
		event(time, page + at, length);
		at += (length + 3) & ~(size_t)3;
	}
	return !(flags & (MISSED_EVENTS | MISSED_STORED));
}

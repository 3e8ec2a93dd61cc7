/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sampler: a process of its own in the root cgroup, locked in memory and
 * with real-time priority, that reads the kernel's counters at fixed virtual
 * instants and at the phase marks, and writes the record stream.
 *
 * It does all the writing because samples fall due while init waits for a
 * launch, and two writers would mix their numbering.
 */
#ifndef RECLAIMLAB_GUEST_SAMPLER_H
#define RECLAIMLAB_GUEST_SAMPLER_H

#include <stdint.h>

#include "../record/stream.h"
#include "record.h"

/*
 * What init asks for: RL_PHASE, RL_OBS, RL_NOTE, or RL_END to stop. One byte
 * answers.
 */
struct sampler_command {
	enum rl_type type;
	int64_t value;
	char word[RECORD_NOTE_MAX];
};

struct sampler_link {
	int command;
	int answer;
};

/**
 * sampler_main() - the sampler's life, in a forked child of init.
 * @link: the ends on which it reads commands and writes answers.
 * @writer: the stream, in memory shared with init.
 * @sample_ms: virtual milliseconds between periodic samples, which fall on the
 *	       whole multiples since boot; 0 for none.
 */
__attribute__((noreturn)) void sampler_main(const struct sampler_link *link,
					    struct rl_writer *writer,
					    uint64_t sample_ms);

#endif

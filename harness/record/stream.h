/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The record stream: what the guest says and the host reads.
 *
 * One line is one record:
 *
 *	rl <seq> <type> [<field> ...] *<crc32>\n
 *
 * <seq> counts lines from 0, <crc32> is eight hexadecimal digits over
 * everything before " *". A line that was cut, merged with another or garbled
 * by a console is therefore told from a good one, and a missing line shows as
 * a gap in <seq>. Nothing in a line depends on the host: no wall-clock time,
 * no pointer, no host path.
 *
 *	begin <key>=<value> ...		first line: format, kernel, arch, page,
 *					cpus, memtotal_kib, workload, seed
 *	name <id> <counter>		a counter's number, once, before its use
 *	phase <us> <word>		a phase begins: setup warmup measure
 *					sustain done
 *	sample <us> <id>=<value> ...	counters that changed since the last
 *					sample (the first one has them all)
 *	obs <series> <value> ...	observations, appended to a series
 *	note <text>			for the reader of the log
 *	end ok | end fail <reason>	last line
 *
 * <us> is CLOCK_MONOTONIC in microseconds, virtual under icount. Values are
 * signed 64-bit decimals; a counter's or series' unit is the suffix of its name
 * (_ns, _us, _kib, ...) or, for the kernel's own counters, the kernel's.
 * Averages such as PSI's avg10 travel in hundredths.
 */
#ifndef RECLAIMLAB_RECORD_STREAM_H
#define RECLAIMLAB_RECORD_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RL_FORMAT 1	  /* of the stream; begin says it */
#define RL_LINE_MAX 32768 /* bytes of a line, newline included */

enum rl_type {
	RL_BEGIN,
	RL_NAME,
	RL_PHASE,
	RL_SAMPLE,
	RL_OBS,
	RL_NOTE,
	RL_END,
	RL_NR_TYPES,
};

/**
 * rl_type_word() - the word that stands for a record type in a line.
 */
const char *rl_type_word(enum rl_type type);

/**
 * rl_crc32() - CRC-32 (IEEE 802.3, as zlib's crc32()) of @len bytes.
 */
uint32_t rl_crc32(const void *data, size_t len);

/*
 * Writing. A line is put together in memory and leaves in one write(2), so
 * that two writers on one port never mix within a line.
 */
struct rl_writer {
	int fd;
	uint64_t seq;
	bool failed; /* a line did not fit or could not be written */
	size_t len;
	char line[RL_LINE_MAX];
};

/**
 * rl_line_start() - begin a line of @type, dropping an unfinished one.
 */
void rl_line_start(struct rl_writer *w, enum rl_type type);

/**
 * rl_line_add() - append one field, printf style, with a space before it.
 */
__attribute__((format(printf, 2, 3))) void rl_line_add(struct rl_writer *w,
						       const char *fmt, ...);

/**
 * rl_line_finish() - checksum the line and write it to w->fd.
 *
 * Return: 0, or -1 with w->failed set when the line was too long or write(2)
 * failed; the caller need not check each line, w->failed stays.
 */
int rl_line_finish(struct rl_writer *w);

/*
 * Reading, one line at a time.
 */
struct rl_line {
	uint64_t seq;
	enum rl_type type;
	char *fields; /* the rest, NUL-terminated, "" when none */
};

/**
 * rl_line_parse() - take a line apart.
 * @line: the line without its newline; modified, and @out points into it.
 * @out: filled on success only.
 *
 * Return: NULL, or a constant text that says what is wrong with the line.
 */
const char *rl_line_parse(char *line, struct rl_line *out);

/**
 * rl_next_field() - take the next space-separated field from *@fields.
 *
 * Return: the field, or NULL at the end.
 */
char *rl_next_field(char **fields);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Another process, for process_madvise(2): it has pages of its own where the
 * caller has an area, and tells what became of them.
 */
#ifndef PAGE_ADVICE_REMOTE_H
#define PAGE_ADVICE_REMOTE_H

#include <stddef.h>
#include <sys/types.h>

struct remote {
	pid_t pid; /* 0 when there is none */
	int pidfd;
	int ask, answer; /* pipes to it and from it */
};

/**
 * remote_question - what the process is asked: a function about pages @from to
 * @to - 1 of an area, as present() is one.
 */
typedef long remote_question(unsigned char *area, size_t from, size_t to);

/**
 * remote_missing() - what one needs to advise another process.
 *
 * Return: NULL, or what is missing, for SKIP.
 */
const char *remote_missing(void);

/**
 * remote_start() - fork a process. It has the mappings of the caller, and in
 * those that are private and untouched no page yet; it waits for questions, and
 * runs on the CPU of the caller, whose batches it shares.
 *
 * Return: 0, or -1 with errno set.
 */
int remote_start(struct remote *remote);

/**
 * remote_ask() - have the process call @question.
 *
 * Return: what it returned, or LONG_MIN when the process is gone.
 */
long remote_ask(const struct remote *remote, remote_question *question,
		unsigned char *area, size_t from, size_t to);

/**
 * remote_kill() - kill the process and wait until it is a zombie.
 * remote_stop() - kill it, reap it, and close all; nothing to do when there is
 * none. The pidfd is closed, too.
 */
void remote_kill(const struct remote *remote);
void remote_stop(struct remote *remote);

/**
 * remote_fill(), remote_referenced(), remote_rss() - questions: have the pages
 * be written as by fill(), which returns 0; the KiB of the range's mappings that
 * were accessed since the last MADV_COLD, or that are mapped, by smaps_kib().
 */
remote_question remote_fill, remote_referenced, remote_rss;

/**
 * remote_advise() - process_madvise(2) with one range, of pages @from to
 * @to - 1.
 */
ssize_t remote_advise(const struct remote *remote, unsigned char *area,
		      size_t from, size_t to, int advice);

#endif

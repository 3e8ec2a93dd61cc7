/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text tables of this bench: one "key value" pair a line, '#' begins a
 * comment, blank lines count for nothing. Recipes, scenarios and the job that
 * the host hands to the guest are written so.
 */
#ifndef RECLAIMLAB_RECORD_KV_H
#define RECLAIMLAB_RECORD_KV_H

/*
 * The job, as the guest finds it in QEMU's fw_cfg. The arm is a file of its own
 * and of the same length in every arm, so that reading the job cannot tell two
 * arms apart and the arm is read only when it is applied.
 */
#define RL_FWCFG_JOB "opt/reclaimlab/job"
#define RL_FWCFG_ARM "opt/reclaimlab/arm"

/*
 * Machines without fw_cfg: the same pairs on the kernel's command line, joined
 * as key=value,key=value behind these words.
 */
#define RL_CMDLINE_JOB "reclaimlab_job="
#define RL_CMDLINE_ARM "reclaimlab_arm="

struct kv {
	char *key;
	char *value; /* rest of the line, trimmed; "" when there is none */
	int line;    /* number, from 1 */
};

/**
 * kv_next() - take the next pair from a text.
 * @text: in: the text, NUL-terminated; out: what is left of it. The pairs point
 *	  into the text, which is cut up in place.
 * @pair: the pair; @pair->line must be 0 before the first call.
 *
 * Return: 1 for a pair, 0 at the end of the text.
 */
int kv_next(char **text, struct kv *pair);

/**
 * kv_number() - a whole number in decimal, nothing after it.
 *
 * Return: 0, or -1 when @value is no number or outside @min to @max.
 */
int kv_number(const char *value, long long min, long long max, long long *out);

#endif

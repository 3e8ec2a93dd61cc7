/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIMLAB_GUEST_STEP_LIST_H
#define RECLAIMLAB_GUEST_STEP_LIST_H

#include <stddef.h>

#include "step.h"

#define LIST_MAX 32

struct step_list {
	size_t n;
	struct {
		const struct step *step;
		long long amount; /* 0 when the step takes none */
	} uses[LIST_MAX];
};

/**
 * step_list_parse() - read "name:amount+name+..."; the run fails on a step that
 * is unknown, lacks its amount or has one too many.
 * @key: the job key it is from, for messages.
 * @text: "none" is the empty list.
 */
void step_list_parse(const char *key, const char *text, struct step_list *list);

/**
 * step_list_most() - the largest amount of @step, -1 when it is not there.
 */
long long step_list_most(const struct step_list *list, const struct step *step);

/**
 * step_list_run() - run them all once.
 * @turn: counted on with every step; what it says of seed and measuring holds.
 */
void step_list_run(const struct step_list *list, struct turn *turn);

#endif

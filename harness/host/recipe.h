/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A kernel recipe, as far as running goes: architecture, command line, arms.
 * How the kernel is built from it is not looked at here.
 */
#ifndef RECLAIMLAB_HOST_RECIPE_H
#define RECLAIMLAB_HOST_RECIPE_H

#include "pairs.h"

struct recipe_arm {
	char *label;
	int line;
	struct pairs switches; /* the same names in every arm, one digit each */
};

struct recipe {
	char *id;
	char *arch;
	char *append; /* words for the kernel's command line, "" if none */
	struct recipe_arm *arms;
	size_t nr_arms;
	size_t room;
	char *measure; /* labels of the default arms, "" if none */
};

/**
 * recipe_load() - read a recipe file.
 *
 * Arms must be told apart by their switches' values alone, every value being
 * one digit from 1 to 9: arms that the guest reads in a different number of
 * instructions would no longer share their history.
 *
 * @error: on failure "path:line: what is wrong", to be freed.
 *
 * Return: 0, or -1 with nothing to free but @error.
 */
int recipe_load(const char *path, struct recipe *recipe, char **error);

/**
 * recipe_arm() - the arm of that label, or NULL.
 */
const struct recipe_arm *recipe_arm(const struct recipe *recipe,
				    const char *label);

/**
 * recipe_labels() - all labels with a blank between them; to be freed.
 */
char *recipe_labels(const struct recipe *recipe);

void recipe_free(struct recipe *recipe);

#endif

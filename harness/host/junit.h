/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Results of tests as JUnit XML, for those who read nothing else.
 */
#ifndef RECLAIMLAB_HOST_JUNIT_H
#define RECLAIMLAB_HOST_JUNIT_H

#include <jansson.h>

/**
 * junit_text() - a <testsuites> document: a suite for each family, in the order
 * of the cases, a case for each case.
 * @results: what kselftest/results.jq makes.
 * @error: on failure one line that says what is wrong with it, to be freed.
 *
 * A case that fails is a failure; one that stands for a whole program (its name
 * ends in ".program") is an error, and so is an unexpected skip. Characters that
 * XML 1.0 does not allow become '?'. There is no timestamp: the same results
 * give the same bytes.
 *
 * Return: the document, to be freed, or NULL.
 */
char *junit_text(const json_t *results, char **error);

#endif

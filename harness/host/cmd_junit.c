// SPDX-License-Identifier: GPL-2.0
/* `reclaimlab junit`: results of tests as JUnit XML. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "junit.h"
#include "util.h"

static const char usage[] =
	"Usage: reclaimlab junit RESULTS.json\n"
	"\n"
	"Prints the results of `make kselftest` as JUnit XML.\n"
	"\n"
	"Exit status: 0, or 2 when the file is not such results.\n";

int cmd_junit(int argc, char **argv)
{
	char *error = NULL, *text;
	json_error_t why;
	json_t *results;

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return fputs(usage, stdout) == EOF ? EXIT_USAGE : EXIT_OK;
	if (argc != 2)
		die("junit takes one file; see `reclaimlab junit --help`");
	results = json_load_file(argv[1], 0, &why);
	if (!results)
		die("cannot read %s: %s", argv[1], why.text);
	text = junit_text(results, &error);
	if (!text)
		die("%s: %s", argv[1], error);
	if (fputs(text, stdout) == EOF || fflush(stdout))
		die("cannot print the document");
	free(text);
	json_decref(results);
	return EXIT_OK;
}

// SPDX-License-Identifier: GPL-2.0
/* `reclaimlab compare`: the table from records that are there already. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "report.h"
#include "report_html.h"
#include "util.h"

static const char usage[] =
	"Usage: reclaimlab compare DIR [--arms \"BASELINE OTHER ...\"]\n"
	"\n"
	"Compares the records in DIR/records (one boot each), paired by seed,\n"
	"prints the table and leaves it in DIR/report.txt, DIR/report.json and, with\n"
	"figures, DIR/report.html; in DIR/changelog.txt what belongs into a commit\n"
	"message.\n"
	"Refuses when the records were not made under the same conditions.\n"
	"\n"
	"  --arms \"A B\"  only these arms, in this order; the first is the\n"
	"                baseline (default: all there are, sorted by name)\n"
	"  --help        this text\n"
	"\n"
	"Exit status: 0 compared, 1 the arms share no seed,\n"
	"2 wrong usage, malformed records or unequal conditions.\n";

static int save(const char *dir, const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", dir, name);
	int err = write_file(path, text, strlen(text));

	if (err)
		warn("cannot write %s: %s", path, strerror(errno));
	free(path);
	return err;
}

int compare_directory(const char *dir, const char *const *arms)
{
	struct comparison c;
	char *error = NULL, *text, *json, *html, *changelog;
	int status = comparison_load(dir, arms, &c, &error);

	if (status) {
		warn("%s", error);
		free(error);
		return status;
	}
	text = report_text(&c);
	json = report_json(&c);
	changelog = report_changelog(&c);
	/* Printed first: whoever cannot write there can still read. */
	if (fputs(text, stdout) == EOF || fflush(stdout)) {
		warn("cannot print the table: %s", strerror(errno));
		status = EXIT_USAGE;
	}
	html = report_html(&c);
	if (save(dir, "report.txt", text) || save(dir, "report.json", json) ||
	    save(dir, "changelog.txt", changelog) ||
	    save(dir, "report.html", html))
		status = EXIT_USAGE;
	free(html);
	free(changelog);
	free(json);
	free(text);
	comparison_free(&c);
	return status;
}

/* Cut "A B" up into a list that ends with NULL; the words stay in @text. */
static const char **split_words(char *text)
{
	const char **words = calloc(strlen(text) / 2 + 2, sizeof(*words));
	char *rest = NULL;
	size_t n = 0;

	if (!words)
		die("out of memory");
	for (char *word = strtok_r(text, " \t\n", &rest); word;
	     word = strtok_r(NULL, " \t\n", &rest))
		words[n++] = word;
	return words;
}

int cmd_compare(int argc, char **argv)
{
	static const struct option options[] = {
		{ "arms", required_argument, NULL, 'a' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char **arms = NULL;
	char *list = NULL;
	int option, status;

	optind = 0; /* another parser may have run before */
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'a':
			list = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return EXIT_OK;
		default:
			die("see `reclaimlab compare --help`");
		}
	}
	if (argc - optind != 1)
		die("compare takes one directory; see `reclaimlab compare "
		    "--help`");
	if (list)
		arms = split_words(list);
	status = compare_directory(argv[optind], arms);
	free(arms);
	return status;
}

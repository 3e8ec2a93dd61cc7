// SPDX-License-Identifier: GPL-2.0
/* `reclaimlab native`: the runs of a comparison on a machine as it is. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot.h"
#include "commands.h"
#include "interrupt.h"
#include "native.h"
#include "options.h"
#include "outdir.h"
#include "util.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

struct native {
	const struct options *options;
	struct scenario scenario;
	struct recipe recipe;
	bool has_recipe, by_reboot;
	struct native_arm *arms;
	char **labels; /* of them; NULL ends the list */
	size_t nr_arms;
	struct native_run *runs;
	size_t nr_runs;
	char *boot; /* the file with the id of the boot that ran last */
	int claim;
};

static void add_arm(struct native *n, const char *spec)
{
	struct native_arm *arm = &n->arms[n->nr_arms];
	char *error = NULL;

	if (native_arm_resolve(spec, n->has_recipe ? &n->recipe : NULL, arm,
			       &error))
		die("%s", error);
	if (arm->release && !n->by_reboot)
		die("arm %s is a kernel: that takes --by reboot", spec);
	for (size_t i = 0; i < n->nr_arms; i++)
		if (!strcmp(n->labels[i], arm->label))
			die("arm %s is given twice", arm->label);
	n->labels[n->nr_arms++] = arm->label;
}

static void find_arms(struct native *n)
{
	const char *list = n->options->arms;
	char *copy, *rest = NULL;

	if (!list)
		list = n->has_recipe ? n->recipe.measure : "";
	n->arms = xcalloc(strlen(list) / 2 + 2, sizeof(*n->arms));
	n->labels = xcalloc(strlen(list) / 2 + 2, sizeof(*n->labels));
	copy = xasprintf("%s", list);
	for (char *spec = strtok_r(copy, " \t\n", &rest); spec;
	     spec = strtok_r(NULL, " \t\n", &rest))
		add_arm(n, spec);
	free(copy);
	if (n->nr_arms < 2)
		die("a comparison needs two arms: name them by --arms \"A B\"");
}

/*
 * All arms with the first seed, then with the next, in turn from the first and
 * from the last: a machine that drifts favours nobody.
 */
static void plan(struct native *n)
{
	n->nr_runs = n->nr_arms * (size_t)n->options->seeds;
	n->runs = xcalloc(n->nr_runs, sizeof(*n->runs));
	for (size_t i = 0; i < n->nr_runs; i++) {
		size_t turn = i / n->nr_arms, at = i % n->nr_arms;
		const struct native_arm *arm =
			&n->arms[turn % 2 ? n->nr_arms - 1 - at : at];

		n->runs[i] = (struct native_run){
			.arm = arm,
			.scenario = &n->scenario,
			.seed = (long long)turn + 1,
			.out = n->options->out,
			.name = xasprintf("%s-seed%zu", arm->label, turn + 1),
		};
	}
}

static void check_options(struct native *n)
{
	const struct options *options = n->options;

	n->by_reboot = !strcmp(options->by, "reboot");
	if (!n->by_reboot && strcmp(options->by, "toggle"))
		die("--by %s is not one of: toggle reboot", options->by);
	if (options->export && options->import)
		die("--export and --import are two calls");
	if (n->by_reboot && options->fresh)
		die("--fresh would begin anew after every boot: name another "
		    "directory by --out instead");
	if (n->by_reboot && (options->export || options->import))
		die("--export and --import go by toggle");
	if (!options->export && !options->import &&
	    (!options->runner || !options->dir))
		die("native needs --runner and --dir, or --export or --import; "
		    "see `reclaimlab native --help`");
}

static void setup(const struct options *options, struct native *n)
{
	char *error = NULL;

	*n = (struct native){ .options = options };
	interrupt_setup();
	check_options(n);
	if (scenario_load(options->scenario, &n->scenario, &error) ||
	    (options->recipe &&
	     recipe_load(options->recipe, &n->recipe, &error)))
		die("%s", error);
	n->has_recipe = options->recipe;
	find_arms(n);
	plan(n);
	n->claim = outdir_open(options->out, true, &error);
	if (n->claim < 0)
		die("%s", error);
	n->boot = xasprintf("%s/logs/boot", options->out);
	if (options->fresh) {
		outdir_clear(options->out);
		unlink(n->boot);
	}
}

static void cleanup(struct native *n)
{
	for (size_t i = 0; i < n->nr_runs; i++)
		free(n->runs[i].name);
	for (size_t i = 0; i < n->nr_arms; i++)
		native_arm_free(&n->arms[i]);
	free(n->runs);
	free(n->arms);
	free(n->labels);
	free(n->boot);
	if (n->has_recipe)
		recipe_free(&n->recipe);
	scenario_free(&n->scenario);
	close(n->claim);
}

static bool known(const struct native_run *run)
{
	char *error = NULL;
	bool there = native_run_known(run, &error);

	if (error)
		die("%s", error);
	return there;
}

/* Of the runner's words the last line, which is the reason; to be freed. */
static char *last_line(const char *path)
{
	char *text = read_file(path, NULL), *line, *newline;

	if (!text)
		return xasprintf("%s", "");
	while ((newline = strrchr(text, '\n')) && !newline[1])
		*newline = '\0';
	line = xasprintf("%s", newline ? newline + 1 : text);
	free(text);
	return line;
}

/* Why a run has no record; to be freed. */
static char *why(const char *errors, const struct boot_result *result)
{
	char *said = last_line(errors), *line;

	if (result->end == BOOT_NOT_STARTED)
		line = xasprintf("the runner cannot be started: %s",
				 strerror(result->status));
	else if (result->end == BOOT_SILENT || result->end == BOOT_TIMEOUT)
		line = xasprintf("not done within the scenario's timeout_s or "
				 "silence_s");
	else
		line = xasprintf("%s", *said ? said : "the runner was killed");
	free(said);
	return line;
}

/* Return: an exit status, with @error set to a line unless it is EXIT_OK. */
static int run_files(const struct native *n, const struct native_run *run,
		     const char *job, const char *stream, const char *errors,
		     double *seconds, char **error)
{
	const struct options *options = n->options;
	const char *argv[12] = { options->runner, "--job", job,
				 "--out",	  stream,  "--dir",
				 options->dir,	  "--arm", run->arm->text };
	struct boot_watch watch = {
		.stream = stream,
		.errors = errors,
		.silence_s = (double)run->scenario->silence_s,
		.timeout_s = (double)run->scenario->timeout_s,
		.end_signal = SIGTERM,
	};
	struct boot_result result;
	size_t argc = 9;

	if (options->allow_global)
		argv[argc++] = "--allow-global";
	if (options->no_limit)
		argv[argc++] = "--no-limit";
	unlink(stream);
	boot_run((char *const *)argv, &watch, &result);
	*seconds = result.seconds;
	if (result.end == BOOT_EXITED && !result.status)
		return native_run_import(run, stream, error) ? EXIT_RUN
							     : EXIT_OK;
	*error = why(errors, &result);
	/* Refused, by the runner's own words, or not even started. */
	return result.end == BOOT_NOT_STARTED || (result.end == BOOT_EXITED &&
						  result.status == EXIT_USAGE)
		       ? EXIT_USAGE
		       : EXIT_RUN;
}

static int run_here(const struct native *n, const struct native_run *run,
		    double *seconds, char **error)
{
	char *job = native_run_path(run, "logs", "job");
	char *stream = native_run_path(run, "logs", "stream");
	char *errors = native_run_path(run, "logs", "log");
	char *text = scenario_job(run->scenario, run->seed);
	int status = EXIT_USAGE;

	if (write_file(job, text, strlen(text)))
		*error = xasprintf("cannot write %s: %s", job, strerror(errno));
	else
		status = run_files(n, run, job, stream, errors, seconds, error);
	free(text);
	free(errors);
	free(stream);
	free(job);
	return status;
}

/* Return: an exit status; what went wrong is said. */
static int run_one(const struct native *n, const struct native_run *run)
{
	double seconds = 0;
	char *error = NULL;
	int status = run_here(n, run, &seconds, &error);

	if (status && !interrupted())
		warn("%s: %s", run->name, error);
	if (!status)
		fprintf(stderr, "native: %zu of %zu runs: %s, %.1f s\n",
			(size_t)(run - n->runs) + 1, n->nr_runs, run->name,
			seconds);
	free(error);
	return status;
}

/* Return: the first missing run, of this kernel if @here; NULL: none is. */
static const struct native_run *missing(const struct native *n, bool here)
{
	for (size_t i = 0; i < n->nr_runs; i++)
		if (!known(&n->runs[i]) &&
		    (!here || native_arm_is_here(n->runs[i].arm)))
			return &n->runs[i];
	return NULL;
}

static int run_by_toggle(const struct native *n)
{
	const struct native_run *run;
	int status = EXIT_OK;

	while (!status && !interrupted() && (run = missing(n, true)))
		status = run_one(n, run);
	return status;
}

/* One boot is one sample: its id says whether it has given one. */
static int run_by_reboot(const struct native *n)
{
	const struct native_run *run = missing(n, true);
	char *last = read_file(n->boot, NULL), *boot = read_file(BOOT_ID, NULL);
	int status = EXIT_OK;

	if (!boot)
		die("cannot read " BOOT_ID ": %s", strerror(errno));
	if (run && (!last || strcmp(last, boot)))
		status = run_one(n, run);
	if (!status && write_file(n->boot, boot, strlen(boot)))
		die("cannot write %s: %s", n->boot, strerror(errno));
	free(boot);
	free(last);
	return status;
}

/* The runner is enough on a device: what it is to do there, in order. */
static int export(const struct native *n)
{
	const char *dir = n->options->export;
	char *script = xasprintf("#!/bin/sh\n# Options, say --allow-global, go "
				 "to every run; one that is done is kept.\n"
				 "cd \"$(dirname \"$0\")\" || exit\n");
	char *path = xasprintf("%s/run.sh", dir);
	int err = make_directory(dir);

	for (size_t i = 0; i < n->nr_runs && !err; i++) {
		const struct native_run *run = &n->runs[i];
		char *job = scenario_job(run->scenario, run->seed);
		char *file = xasprintf("%s/seed%lld.job", dir, run->seed);
		char *longer = xasprintf(
			"%s[ -e %s.stream ] || {\n\t./reclaimlab-native "
			"--job seed%lld.job --out part --dir . \\\n\t\t--arm "
			"\"%s\" \"$@\" &&\n\t\tmv part %s.stream\n} || exit\n",
			script, run->name, run->seed, run->arm->text,
			run->name);

		err = write_file(file, job, strlen(job));
		free(script);
		script = longer;
		free(file);
		free(job);
	}
	err = err || write_file(path, script, strlen(script)) ||
	      chmod(path, 0755);
	if (err)
		warn("cannot write in %s: %s", dir, strerror(errno));
	free(path);
	free(script);
	return err;
}

static int import(const struct native *n)
{
	int status = EXIT_OK;

	for (size_t i = 0; i < n->nr_runs; i++) {
		char *stream = xasprintf("%s/%s.stream", n->options->import,
					 n->runs[i].name);
		char *error = NULL;

		if (!access(stream, F_OK) &&
		    native_run_import(&n->runs[i], stream, &error)) {
			warn("%s", error);
			status = EXIT_RUN;
		}
		free(error);
		free(stream);
	}
	return status;
}

static int finish(const struct native *n)
{
	const struct native_run *next = missing(n, false);

	if (!next)
		return compare_directory(n->options->out,
					 (const char *const *)n->labels);
	warn("of the %zu runs %s is next%s%s%s", n->nr_runs, next->name,
	     n->by_reboot ? ": call again after a reboot" : "",
	     next->arm->release ? " into " : "",
	     next->arm->release ? next->arm->release : "");
	return EXIT_MORE;
}

int cmd_native(int argc, char **argv)
{
	struct options options;
	struct native n;
	int status;

	if (!options_parse(COMMAND_NATIVE, argc, argv, &options))
		return EXIT_OK;
	setup(&options, &n);
	if (options.export) {
		status = export(&n) ? EXIT_USAGE : EXIT_OK;
	} else {
		status = options.import ? import(&n)
			 : n.by_reboot	? run_by_reboot(&n)
					: run_by_toggle(&n);
		if (interrupted())
			interrupt_die();
		if (!status)
			status = finish(&n);
	}
	cleanup(&n);
	return status;
}

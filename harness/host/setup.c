// SPDX-License-Identifier: GPL-2.0
#include "setup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "accel.h"
#include "interrupt.h"
#include "outdir.h"
#include "store.h"
#include "util.h"

static void read_files(const struct options *options, struct setup *s)
{
	char *error = NULL;

	if (scenario_load(options->scenario, &s->scenario, &error))
		die("%s", error);
	if (!options->recipe)
		return;
	if (recipe_load(options->recipe, &s->recipe, &error))
		die("%s", error);
	s->has_recipe = true;
}

static void add_arm(const struct options *options, struct setup *s,
		    const char *spec)
{
	struct arm *arm = &s->arms[s->nr_arms];
	char *error = NULL;

	if (arm_resolve(spec, s->has_recipe ? &s->recipe : NULL,
			options->kernel, arm, &error))
		die("%s", error);
	for (size_t i = 0; i < s->nr_arms; i++)
		if (!strcmp(s->arms[i].label, arm->label))
			die("arm %s is given twice", arm->label);
	s->labels[s->nr_arms++] = arm->label;
}

/* The band of chance: the baseline once more, disturbed. */
static void add_band(const struct options *options, struct setup *s)
{
	char *spec;

	if (!options->band || s->nr_arms < 2 || !s->arms->switches)
		return;
	for (size_t i = 0; i < s->nr_arms; i++)
		if (s->arms[i].disturbed)
			return;
	spec = xasprintf("%s%c", s->arms->label, DISTURBED_MARK);
	add_arm(options, s, spec);
	s->arms[s->nr_arms - 1].seeds = options->band;
	free(spec);
}

static void find_arms(const struct options *options, struct setup *s)
{
	const char *list = options->arms;
	char *copy, *rest = NULL;
	size_t most;

	if (!list)
		list = s->has_recipe ? s->recipe.measure : "";
	most = strlen(list) / 2 + 3;
	s->arms = xcalloc(most, sizeof(*s->arms));
	s->labels = xcalloc(most, sizeof(*s->labels));
	copy = xasprintf("%s", list);
	for (char *spec = strtok_r(copy, " \t\n", &rest); spec;
	     spec = strtok_r(NULL, " \t\n", &rest))
		add_arm(options, s, spec);
	free(copy);
	if (!s->nr_arms)
		die("no arms: name them by --arms \"A B\" (ARMS= of make)");
	add_band(options, s);
}

static void find_machine(const struct options *options, struct setup *s)
{
	const char *arch = options->arch ? options->arch : "x86_64";

	if (s->has_recipe && options->arch &&
	    strcmp(options->arch, s->recipe.arch))
		die("--arch %s, but the recipe's is %s: leave it out",
		    options->arch, s->recipe.arch);
	if (s->has_recipe)
		arch = s->recipe.arch;
	s->bench.machine = machine_find(arch);
	if (!s->bench.machine)
		die("no machine for architecture %s; there are: %s", arch,
		    machine_archs());
}

static void find_qemu(const struct options *options, struct setup *s)
{
	struct accel_probe probe = {
		.machine = s->bench.machine,
		.kernel = s->arms[0].image,
		.kernel_sha256 = s->arms[0].image_sha256,
		.cache = s->cache,
	};
	char *error = NULL;

	s->qemu = qemu_version(s->bench.machine, &error);
	if (!s->qemu)
		die("%s", error);
	s->bench.qemu = probe.qemu = s->qemu;
	if (accel_choose(options->accel, &probe, &s->bench.accel, &error))
		die("%s", error);
}

static void fill_bench(const struct options *options, struct setup *s)
{
	s->bench.scenario = &s->scenario;
	s->bench.initramfs = options->initramfs;
	s->bench.recipe_append = s->has_recipe ? s->recipe.append : "";
	s->bench.user_append = options->append;
	if (sha256_file(options->initramfs, s->bench.initramfs_sha256))
		die("initramfs %s: %s", options->initramfs, strerror(errno));
}

static void claim_out(enum command command, const struct options *options,
		      struct setup *s)
{
	char *error = NULL;

	s->claim =
		outdir_open(options->out, command == COMMAND_MEASURE, &error);
	if (s->claim < 0)
		die("%s", error);
}

static void find_cache(struct setup *s)
{
	s->cache = cache_directory();
	if (!s->cache)
		die("no home directory: set XDG_CACHE_HOME to a directory for "
		    "finished runs");
	if (make_directory(s->cache) || access(s->cache, W_OK))
		die("cannot write in %s: %s; set XDG_CACHE_HOME to a directory "
		    "for finished runs",
		    s->cache, strerror(errno));
}

void setup_make(enum command command, const struct options *options,
		struct setup *s)
{
	long long first = command == COMMAND_RUN ? options->seed : 1;
	long long seeds = command == COMMAND_RUN ? 1 : options->seeds;

	memset(s, 0, sizeof(*s));
	interrupt_setup();
	read_files(options, s);
	find_arms(options, s);
	if (command == COMMAND_RUN && s->nr_arms != 1)
		die("run takes one arm; `reclaimlab measure` takes several");
	find_machine(options, s);
	fill_bench(options, s);
	find_cache(s);
	claim_out(command, options, s);
	find_qemu(options, s);
	plan_make(&s->bench, s->arms, s->nr_arms, first, seeds, &s->plan);
	s->context = (struct job_context){
		.bench = &s->bench,
		.cache = s->cache,
		.out = options->out,
		.fresh = options->fresh,
	};
}

void setup_free(struct setup *s)
{
	plan_free(&s->plan);
	for (size_t i = 0; i < s->nr_arms; i++)
		arm_free(&s->arms[i]);
	free(s->arms);
	free(s->labels);
	if (s->has_recipe)
		recipe_free(&s->recipe);
	scenario_free(&s->scenario);
	free(s->qemu);
	free(s->cache);
	close(s->claim);
}

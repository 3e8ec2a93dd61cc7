// SPDX-License-Identifier: GPL-2.0
#include "plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"
#include "util.h"

static int hash_image(struct arm *arm, char **error)
{
	if (!sha256_file(arm->image, arm->image_sha256))
		return 0;
	*error = xasprintf("kernel image %s: %s", arm->image, strerror(errno));
	arm_free(arm);
	return -1;
}

static int resolve_image(const char *spec, size_t label_len, struct arm *arm,
			 char **error)
{
	char *label = xasprintf("%.*s", (int)label_len, spec);
	const char *image = spec + label_len + 1;
	const char *wrong = label_error(label);

	if (!wrong && !*image)
		wrong = "write LABEL=IMAGE";
	if (wrong) {
		*error = xasprintf("arm %s: %s", spec, wrong);
		free(label);
		return -1;
	}
	arm->label = label;
	arm->image = xasprintf("%s", image);
	arm->text = xasprintf("%s", "");
	return hash_image(arm, error);
}

static char *no_such_arm(const char *spec, const struct recipe *recipe)
{
	char *labels, *error;

	if (!recipe)
		return xasprintf("arm %s: name a recipe by --recipe, or write "
				 "LABEL=IMAGE",
				 spec);
	labels = recipe_labels(recipe);
	error = xasprintf("no arm %s in recipe %s; there are: %s", spec,
			  recipe->id, *labels ? labels : "none");
	free(labels);
	return error;
}

static const struct recipe_arm *find_arm(const struct recipe *recipe,
					 const char *spec, bool disturbed)
{
	char *label = xasprintf("%.*s", (int)strlen(spec) - disturbed, spec);
	const struct recipe_arm *found = recipe ? recipe_arm(recipe, label)
						: NULL;

	free(label);
	return found;
}

int arm_resolve(const char *spec, const struct recipe *recipe,
		const char *kernel, struct arm *arm, char **error)
{
	const char *equals = strchr(spec, '=');
	const struct recipe_arm *found;
	char *switches;

	memset(arm, 0, sizeof(*arm));
	if (equals)
		return resolve_image(spec, (size_t)(equals - spec), arm, error);
	arm->disturbed = *spec && spec[strlen(spec) - 1] == DISTURBED_MARK;
	found = find_arm(recipe, spec, arm->disturbed);
	if (!found) {
		*error = no_such_arm(spec, recipe);
		return -1;
	}
	if (!kernel) {
		*error = xasprintf("arm %s: name a kernel image by --kernel",
				   spec);
		return -1;
	}
	arm->label = xasprintf("%s", spec);
	arm->image = xasprintf("%s", kernel);
	arm->switches = &found->switches;
	switches = pairs_text(&found->switches);
	arm->text = xasprintf("%s%s", switches,
			      arm->disturbed ? "disturb 1\n" : "");
	free(switches);
	return hash_image(arm, error);
}

void arm_free(struct arm *arm)
{
	free(arm->label);
	free(arm->image);
	free(arm->text);
	memset(arm, 0, sizeof(*arm));
}

/* Several processors take turns, but where they do is up to the host. */
bool bench_deterministic(const struct bench *bench)
{
	return bench->accel == ACCEL_TCG && bench->scenario->cpus == 1;
}

struct qemu_setup job_setup(const struct bench *bench, const struct job *job)
{
	return (struct qemu_setup){
		.machine = bench->machine,
		.accel = bench->accel,
		.deterministic = bench_deterministic(bench),
		.memory_mib = bench->scenario->memory_mib,
		.cpus = bench->scenario->cpus,
		.seed = job->seed,
		.recipe_append = bench->recipe_append,
		.user_append = bench->user_append,
	};
}

static json_t *must(json_t *value)
{
	if (!value)
		die("cannot write the conditions of a run: out of memory, or a "
		    "text that is not UTF-8");
	return value;
}

json_t *pairs_json(const struct pairs *pairs)
{
	json_t *json = must(json_object());

	for (size_t i = 0; pairs && i < pairs->n; i++)
		json_object_set_new(json, pairs->list[i].key,
				    must(json_string(pairs->list[i].value)));
	return json;
}

/* All but argv[0], which the architecture tells, with roles for files. */
static json_t *arguments_json(const struct bench *bench, const struct job *job)
{
	struct qemu_setup setup = job_setup(bench, job);
	char **argv = qemu_command(&setup, &qemu_role_names);
	json_t *json = must(json_array());

	for (char **word = argv + 1; *word; word++)
		json_array_append_new(json, must(json_string(*word)));
	qemu_command_free(argv);
	return json;
}

static json_t *machine_json(const struct bench *bench, const struct job *job)
{
	return must(json_pack("{s:s, s:I, s:I, s:s, s:b, s:s, s:o}", "arch",
			      bench->machine->arch, "memory_mib",
			      (json_int_t)bench->scenario->memory_mib, "cpus",
			      (json_int_t)bench->scenario->cpus, "accelerator",
			      accel_word(bench->accel), "deterministic",
			      (int)bench_deterministic(bench), "qemu",
			      bench->qemu, "arguments",
			      arguments_json(bench, job)));
}

static json_t *conditions_json(const struct bench *bench, const struct job *job)
{
	const struct scenario *scenario = bench->scenario;
	char *append = xasprintf(
		"%s%s%s", bench->recipe_append,
		*bench->recipe_append && *bench->user_append ? " " : "",
		bench->user_append);
	json_t *json = must(json_pack(
		"{s:s, s:s, s:s, s:I, s:o, s:o, s:{s:s, s:s}, s:s}", "scenario",
		scenario->name, "scenario_sha256", scenario->sha256, "primary",
		scenario->primary, "seed", (json_int_t)job->seed, "job",
		pairs_json(&scenario->set), "machine", machine_json(bench, job),
		"kernel", "sha256", job->arm->image_sha256, "append", append,
		"initramfs_sha256", bench->initramfs_sha256));

	free(append);
	return json;
}

/*
 * Names and the question asked do not change what happens, so runs that differ
 * in nothing else share a key. Without determinism, though, another arm must be
 * another sample, even of the same switches.
 */
static void make_key(const struct bench *bench, struct job *job)
{
	json_t *arm = must(json_copy(job->arm_json));
	json_t *conditions = must(json_copy(job->conditions));
	json_t *all = must(json_pack("{s:i, s:o, s:o}", "format",
				     RECORD_FORMAT_WRITTEN, "conditions",
				     conditions, "arm", arm));
	char *text;

	json_object_del(conditions, "scenario");
	json_object_del(conditions, "primary");
	if (bench_deterministic(bench))
		json_object_del(arm, "label");
	text = json_dumps(all, JSON_SORT_KEYS | JSON_COMPACT);
	if (!text)
		die("out of memory");
	sha256_text(text, strlen(text), job->key);
	free(text);
	json_decref(all);
}

static void make_job(const struct bench *bench, const struct arm *arm,
		     long long seed, struct job *job)
{
	job->arm = arm;
	job->seed = seed;
	job->name = xasprintf("%s-seed%lld", arm->label, seed);
	job->conditions = conditions_json(bench, job);
	job->arm_json = must(json_pack("{s:s, s:o}", "label", arm->label,
				       "switches", pairs_json(arm->switches)));
	if (arm->disturbed)
		json_object_set_new(job->arm_json, "disturb",
				    must(json_integer(1)));
	make_key(bench, job);
}

void plan_make(const struct bench *bench, const struct arm *arms,
	       size_t nr_arms, long long first, long long nr_seeds,
	       struct plan *plan)
{
	struct job *job;

	plan->n = nr_arms * (size_t)nr_seeds;
	plan->jobs = xcalloc(plan->n, sizeof(*plan->jobs));
	job = plan->jobs;
	for (long long i = 0; i < nr_seeds; i++)
		for (size_t arm = 0; arm < nr_arms; arm++)
			if (!arms[arm].seeds || i < arms[arm].seeds)
				make_job(bench, &arms[arm], first + i, job++);
	plan->n = (size_t)(job - plan->jobs);
}

void plan_free(struct plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		free(plan->jobs[i].name);
		json_decref(plan->jobs[i].conditions);
		json_decref(plan->jobs[i].arm_json);
	}
	free(plan->jobs);
	memset(plan, 0, sizeof(*plan));
}

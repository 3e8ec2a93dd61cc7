// SPDX-License-Identifier: GPL-2.0
#include "native.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "../record/stream.h"
#include "plan.h"
#include "record.h"
#include "util.h"

#define LEFT_OUT "left out: "

/* Of memory_mib: kernels differ in what they keep for themselves. */
#define MEMORY_STEP_MIB 256

static char *switches_text(const struct pairs *switches)
{
	char *text = xasprintf("%s", "");

	for (size_t i = 0; i < switches->n; i++) {
		char *longer = xasprintf("%s%s%s=%s", text, i ? " " : "",
					 switches->list[i].key,
					 switches->list[i].value);

		free(text);
		text = longer;
	}
	return text;
}

static int resolve_release(const char *spec, const char *equals,
			   struct native_arm *arm, char **error)
{
	char *label = xasprintf("%.*s", (int)(equals - spec), spec);
	const char *wrong = label_error(label);

	if (!wrong && !equals[1])
		wrong = "write LABEL=RELEASE, as uname -r says it";
	if (wrong) {
		*error = xasprintf("arm %s: %s", spec, wrong);
		free(label);
		return -1;
	}
	arm->label = label;
	arm->release = xasprintf("%s", equals + 1);
	arm->text = xasprintf("%s", "");
	return 0;
}

int native_arm_resolve(const char *spec, const struct recipe *recipe,
		       struct native_arm *arm, char **error)
{
	const char *equals = strchr(spec, '=');
	const struct recipe_arm *found;
	char *labels;

	memset(arm, 0, sizeof(*arm));
	if (equals)
		return resolve_release(spec, equals, arm, error);
	found = recipe ? recipe_arm(recipe, spec) : NULL;
	if (!found) {
		labels = recipe ? recipe_labels(recipe)
				: xasprintf("name a --recipe");
		*error = xasprintf("no arm %s; there are: %s", spec, labels);
		free(labels);
		return -1;
	}
	arm->label = xasprintf("%s", spec);
	arm->switches = &found->switches;
	arm->text = switches_text(arm->switches);
	return 0;
}

bool native_arm_is_here(const struct native_arm *arm)
{
	struct utsname name;

	return !arm->release ||
	       (!uname(&name) && !strcmp(name.release, arm->release));
}

void native_arm_free(struct native_arm *arm)
{
	free(arm->label);
	free(arm->text);
	free(arm->release);
	memset(arm, 0, sizeof(*arm));
}

char *native_run_path(const struct native_run *run, const char *dir,
		      const char *suffix)
{
	return xasprintf("%s/%s/%s.%s", run->out, dir, run->name, suffix);
}

static json_t *must(json_t *value)
{
	if (!value)
		die("cannot write the record of a run: out of memory, or a "
		    "text that is not UTF-8");
	return value;
}

static json_t *arm_json(const struct native_arm *arm)
{
	return must(json_pack("{s:s, s:o}", "label", arm->label, "switches",
			      pairs_json(arm->switches)));
}

bool native_run_known(const struct native_run *run, char **error)
{
	char *path = native_run_path(run, "records", "json");
	json_t *record = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	json_t *conditions = json_object_get(record, "conditions");
	json_t *arm = arm_json(run->arm);
	const char *scenario = json_string_value(
		json_object_get(conditions, "scenario_sha256"));

	if (record && (!scenario || strcmp(scenario, run->scenario->sha256) ||
		       !json_equal(json_object_get(record, "arm"), arm)))
		*error = xasprintf("%s is of another scenario or other "
				   "switches: name another directory by --out, "
				   "or start anew with --fresh",
				   path);
	json_decref(arm);
	json_decref(record);
	free(path);
	return record;
}

static const char *said(const struct reading *reading, const char *key)
{
	const char *value = pairs_find(&reading->begin, key);

	return value ? value : "";
}

static long long number(const struct reading *reading, const char *key)
{
	return strtoll(said(reading, key), NULL, 10);
}

/* The runner says by which job and which switches it ran. */
static bool fits(const struct native_run *run, const struct reading *reading)
{
	const struct native_arm *arm = run->arm;
	char *job = scenario_job(run->scenario, run->seed);
	char *job_crc = xasprintf("%08x", rl_crc32(job, strlen(job)));
	char *arm_crc =
		xasprintf("%08x", rl_crc32(arm->text, strlen(arm->text)));
	bool same = !strcmp(said(reading, "job"), job_crc) &&
		    !strcmp(said(reading, "arm"), arm_crc) &&
		    (!arm->release ||
		     !strcmp(said(reading, "kernel"), arm->release));

	free(arm_crc);
	free(job_crc);
	free(job);
	return same;
}

/* Stands for a kernel as an image's hash does. */
static json_t *kernel_json(const struct reading *reading)
{
	const char *release = said(reading, "kernel");
	char *all = xasprintf("%s %s %s", release, said(reading, "version"),
			      said(reading, "config"));
	char hash[65];

	sha256_text(all, strlen(all), hash);
	free(all);
	return must(json_pack("{s:s, s:s, s:s}", "sha256", hash, "release",
			      release, "config_crc32",
			      said(reading, "config")));
}

static json_t *left_out_json(const struct reading *reading)
{
	json_t *json = must(json_array());

	for (size_t i = 0; i < reading->nr_notes; i++) {
		const char *found = strstr(reading->notes[i], LEFT_OUT);

		if (found)
			json_array_append_new(
				json,
				must(json_string(found + strlen(LEFT_OUT))));
	}
	return json;
}

static json_t *machine_json(const struct reading *reading)
{
	long long mib = number(reading, "memtotal_kib") / 1024;

	mib = (mib + MEMORY_STEP_MIB / 2) / MEMORY_STEP_MIB * MEMORY_STEP_MIB;
	return must(json_pack(
		"{s:s, s:I, s:I, s:s, s:b, s:I, s:o}", "arch",
		said(reading, "arch"), "memory_mib", (json_int_t)mib, "cpus",
		(json_int_t)number(reading, "cpus"), "accelerator", "native",
		"deterministic", 0, "swap_mib",
		(json_int_t)number(reading, "swap_kib") / 1024, "left_out",
		left_out_json(reading)));
}

static json_t *conditions_json(const struct native_run *run,
			       const struct reading *reading)
{
	const struct scenario *scenario = run->scenario;

	return must(json_pack(
		"{s:s, s:s, s:s, s:I, s:o, s:o, s:o}", "scenario",
		scenario->name, "scenario_sha256", scenario->sha256, "primary",
		scenario->primary, "seed", (json_int_t)run->seed, "job",
		pairs_json(&scenario->set), "machine", machine_json(reading),
		"kernel", kernel_json(reading)));
}

static int write_record(const struct native_run *run,
			const struct reading *reading, const char *sha256,
			char **error)
{
	json_t *conditions = conditions_json(run, reading);
	json_t *arm = arm_json(run->arm);
	json_t *record = record_build(reading, conditions, arm, sha256);
	char *path = native_run_path(run, "records", "json");
	char *text = record_text(record);
	int err = write_file(path, text, strlen(text));

	if (err)
		*error =
			xasprintf("cannot write %s: %s", path, strerror(errno));
	free(text);
	free(path);
	json_decref(record);
	json_decref(arm);
	json_decref(conditions);
	return err;
}

int native_run_import(const struct native_run *run, const char *stream,
		      char **error)
{
	struct reading reading;
	char sha256[65];
	size_t len = 0;
	char *text = read_file(stream, &len);
	int err = -1;

	if (!text) {
		*error = xasprintf("%s: %s", stream, strerror(errno));
		return -1;
	}
	sha256_text(text, len, sha256);
	reading_parse(text, len, &reading);
	if (reading.state != STREAM_OK)
		*error = xasprintf("%s: %s", stream,
				   reading.why ? reading.why
					       : "the stream is not whole");
	else if (!fits(run, &reading))
		*error = xasprintf("%s is of another scenario, seed or arm",
				   stream);
	else
		err = write_record(run, &reading, sha256, error);
	reading_free(&reading);
	free(text);
	return err;
}

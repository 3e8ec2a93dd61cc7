// SPDX-License-Identifier: GPL-2.0
#include "job.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "boot.h"
#include "ending.h"
#include "interrupt.h"
#include "record.h"
#include "store.h"
#include "util.h"
#include "workdir.h"

/* One boot: where its files are, and what came out of it. */
struct run {
	const struct job_context *context;
	const struct job *job;
	struct workdir dir;
	char *job_file, *arm_file, *console, *stream, *errors;
	char **argv;
	struct boot_result boot;
	struct reading reading;
	char stream_sha256[65];
	enum ending ending;
	char *message; /* of the ending, with the console's tail */
};

static char *out_path(const struct job_context *context, const char *dir,
		      const char *name, const char *suffix)
{
	return xasprintf("%s/%s/%s.%s", context->out, dir, name, suffix);
}

__attribute__((format(printf, 2, 3))) static void
fail(struct job_result *result, const char *fmt, ...)
{
	va_list ap;

	result->failed = true;
	free(result->message);
	va_start(ap, fmt);
	if (vasprintf(&result->message, fmt, ap) < 0)
		die("out of memory");
	va_end(ap);
}

static int run_prepare(struct run *run)
{
	const struct job_context *context = run->context;
	const struct bench *bench = context->bench;
	char *text;
	struct qemu_setup setup;
	struct qemu_files files;
	int err;

	if (workdir_make(context->cache, &run->dir))
		return -1;
	run->job_file = workdir_file(&run->dir, "job");
	run->arm_file = workdir_file(&run->dir, "arm");
	run->console = workdir_file(&run->dir, "console");
	run->stream = workdir_file(&run->dir, "stream");
	run->errors = workdir_file(&run->dir, "errors");
	files = (struct qemu_files){
		.kernel = run->job->arm->image,
		.initramfs = bench->initramfs,
		.job = run->job_file,
		.arm = run->arm_file,
		.console = run->console,
		.stream = run->stream,
	};
	setup = job_setup(bench, run->job);
	run->argv = qemu_command(&setup, &files);

	text = scenario_job(bench->scenario, run->job->seed);
	err = write_file(run->job_file, text, strlen(text)) ||
	      write_file(run->arm_file, run->job->arm->text,
			 strlen(run->job->arm->text));
	free(text);
	return err ? -1 : 0;
}

static void run_free(struct run *run)
{
	int error = errno;

	reading_free(&run->reading);
	qemu_command_free(run->argv);
	free(run->job_file);
	free(run->arm_file);
	free(run->console);
	free(run->stream);
	free(run->errors);
	free(run->message);
	if (run->dir.path)
		workdir_remove(&run->dir);
	errno = error;
}

/* A console may carry any bytes; a NUL would hide what follows. */
static char *read_text(const char *path)
{
	size_t len = 0;
	char *text = read_file(path, &len);

	if (!text)
		return xasprintf("%s", "");
	for (size_t i = 0; i < len; i++)
		if (!text[i])
			text[i] = '?';
	return text;
}

static void keep(const struct run *run, const char *from, const char *suffix)
{
	char *path = out_path(run->context, "logs", run->job->name, suffix);
	size_t len = 0;
	char *text = read_file(from, &len);

	if (write_file(path, text ? text : "", len))
		warn("cannot write %s: %s", path, strerror(errno));
	free(text);
	free(path);
}

static void write_log(const struct job_context *context, const struct job *job,
		      const char *text)
{
	char *path = out_path(context, "logs", job->name, "log");

	if (write_file(path, text, strlen(text)))
		warn("cannot write %s: %s", path, strerror(errno));
	free(path);
}

static void log_run(const struct run *run, const char *errors)
{
	char *command = xasprintf("%s", ""), *text;
	time_t now = time(NULL);
	char when[64] = "";

	for (char **word = run->argv; *word; word++) {
		char *longer = xasprintf("%s %s", command, *word);

		free(command);
		command = longer;
	}
	strftime(when, sizeof(when), "%FT%T%z", localtime(&now));
	text = xasprintf(
		"key      %s\nended    %s\nseconds  %.1f, the first record "
		"after %.1f\nending   %s\nqemu    %s\n%s%s",
		run->job->key, when, run->boot.seconds,
		run->boot.first_record_s, ending_word(run->ending), command,
		*errors ? "QEMU says:\n" : "", errors);
	write_log(run->context, run->job, text);
	free(text);
	free(command);
}

static void log_reuse(const struct job_context *context, const struct job *job)
{
	static const char *const stale[] = { "console", "stream" };
	char *path = out_path(context, "logs", job->name, "log");
	char *log = read_file(path, NULL), *text;

	/* That of the very run that the record is of stays. */
	if (!log || !strstr(log, job->key)) {
		text = xasprintf("key      %s\nreused a finished run\n",
				 job->key);
		write_log(context, job, text);
		free(text);
		for (size_t i = 0; i < ARRAY_SIZE(stale); i++) {
			free(path);
			path = out_path(context, "logs", job->name, stale[i]);
			unlink(path);
		}
	}
	free(log);
	free(path);
}

/* Put the ending and the console's last lines together. */
static void run_explain(struct run *run, const struct evidence *evidence)
{
	char *line = ending_message(run->ending, evidence);
	char *tail = ending_tail(evidence->console);
	char *log = out_path(run->context, "logs", run->job->name,
			     *tail ? "console" : "log");

	run->message = xasprintf("%s%s\n%s    full log: %s", line,
				 *tail ? "; the console's last lines:" : "",
				 tail, log);
	free(log);
	free(tail);
	free(line);
}

static void run_judge(struct run *run)
{
	const struct scenario *scenario = run->context->bench->scenario;
	char *console = read_text(run->console);
	char *errors = read_text(run->errors);
	size_t len = 0;
	char *stream = read_file(run->stream, &len);
	struct evidence evidence = {
		.binary = run->argv[0],
		.boot = run->boot,
		.reading = &run->reading,
		.console = console,
		.errors = errors,
		.silence_s = (double)scenario->silence_s,
		.timeout_s = (double)scenario->timeout_s,
		.disk_full = workdir_full(&run->dir),
	};

	sha256_text(stream ? stream : "", len, run->stream_sha256);
	reading_parse(stream, len, &run->reading);
	run->ending = ending_classify(&evidence);
	if (run->ending != ENDING_INTERRUPTED) {
		run_explain(run, &evidence);
		keep(run, run->console, "console");
		keep(run, run->stream, "stream");
		log_run(run, errors);
	}
	free(stream);
	free(errors);
	free(console);
}

static void run_boot(struct run *run)
{
	const struct scenario *scenario = run->context->bench->scenario;
	struct boot_watch watch = {
		.console = run->console,
		.stream = run->stream,
		.errors = run->errors,
		.silence_s = (double)scenario->silence_s,
		.timeout_s = (double)scenario->timeout_s,
	};

	boot_run(run->argv, &watch, &run->boot);
	run_judge(run);
}

/* Return: the record of a new boot, or NULL with @result failed. */
static json_t *boot_guest(const struct job_context *context,
			  const struct job *job, struct job_result *result)
{
	struct run run = { .context = context, .job = job };
	json_t *record = NULL;

	if (run_prepare(&run)) {
		fail(result, "cannot write in %s: %s", context->cache,
		     strerror(errno));
		run_free(&run);
		return NULL;
	}
	run_boot(&run);
	result->seconds = run.boot.seconds;
	if (run.ending == ENDING_COMPLETE)
		record = record_build(&run.reading, job->conditions,
				      job->arm_json, run.stream_sha256);
	else
		fail(result, "%s", run.message ? run.message : "interrupted");
	run_free(&run);
	return record;
}

static int put_record(const struct job_context *context, const char *dir,
		      const char *name, const json_t *record,
		      struct job_result *result)
{
	char *path = out_path(context, dir, name, "json");
	char *text = record_text(record);
	int err = write_file(path, text, strlen(text));

	if (err)
		fail(result, "cannot write %s: %s", path, strerror(errno));
	free(text);
	free(path);
	return err;
}

/* A run that was made again must say the same. */
static int check_same(const struct job_context *context, const struct job *job,
		      const json_t *known, const json_t *record,
		      struct job_result *result)
{
	if (!known || !bench_deterministic(context->bench) ||
	    json_equal(known, record))
		return 0;
	if (put_record(context, "logs", job->name, record, result))
		return -1;
	fail(result,
	     "not deterministic: this boot's record is %s/logs/%s.json, a "
	     "former boot of the same run gave %s/runs/%s.json; compare the "
	     "two, and remove the latter if something outside of the run has "
	     "changed",
	     context->out, job->name, context->cache, job->key);
	return -1;
}

/* Under the run's lock. */
static void find_or_boot(const struct job_context *context,
			 const struct job *job, struct job_result *result)
{
	json_t *known = store_get(context->cache, job->key), *record = NULL;

	/* The same run under other names has the same key: see plan.c. */
	if (known) {
		json_object_set(known, "conditions", job->conditions);
		json_object_set(known, "arm", job->arm_json);
	}
	if (known && !context->fresh) {
		result->reused = true;
		log_reuse(context, job);
		put_record(context, "records", job->name, known, result);
	} else {
		record = boot_guest(context, job, result);
		if (record &&
		    !check_same(context, job, known, record, result)) {
			if (store_put(context->cache, job->key, record))
				fail(result, "cannot write in %s: %s",
				     context->cache, strerror(errno));
			else
				put_record(context, "records", job->name,
					   record, result);
		}
	}
	json_decref(record);
	json_decref(known);
}

void job_run(const struct job_context *context, const struct job *job,
	     struct job_result *result)
{
	char *path = out_path(context, "records", job->name, "json");
	int lock;

	memset(result, 0, sizeof(*result));
	/* Whatever happens now, no record of another run stands there. */
	unlink(path);
	free(path);
	lock = store_lock(context->cache, job->key);
	if (lock < 0 && errno == EINTR) {
		fail(result, "interrupted");
	} else if (lock < 0) {
		fail(result, "cannot write in %s: %s", context->cache,
		     strerror(errno));
	} else {
		find_or_boot(context, job, result);
		store_unlock(context->cache, job->key, lock);
	}
}

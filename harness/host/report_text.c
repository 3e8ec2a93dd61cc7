// SPDX-License-Identifier: GPL-2.0
/* The head of the text report, and the report as a whole. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "util.h"

#define HASH_SHOWN 12 /* digits of a hash, as git shows them */

static void put(FILE *out, const char *first, char *words)
{
	report_wrap(out, REPORT_COLUMNS, first, words);
	free(words);
}

/* "key=value key=value" in the order of the record, which is sorted. */
static char *join_pairs(json_t *pairs)
{
	char *joined = xasprintf("%s", "");
	const char *key;
	json_t *value;

	json_object_foreach (pairs, key, value) {
		char *longer = xasprintf(
			"%s%s%s=%s", joined, *joined ? " " : "", key,
			json_is_string(value) ? json_string_value(value) : "?");

		free(joined);
		joined = longer;
	}
	return joined;
}

/* "1-3 7" for 1, 2, 3, 7. */
char *report_seeds(const struct pairing *pairing)
{
	const json_int_t *seeds = pairing->seeds;
	size_t n = pairing->n;
	char *joined = xasprintf("%s", "");

	for (size_t i = 0, last; i < n; i = last + 1) {
		char *longer;

		for (last = i; last + 1 < n; last++)
			if (seeds[last + 1] != seeds[last] + 1)
				break;
		longer = last > i ? xasprintf("%s%s%lld-%lld", joined,
					      i ? " " : "", (long long)seeds[i],
					      (long long)seeds[last])
				  : xasprintf("%s%s%lld", joined, i ? " " : "",
					      (long long)seeds[i]);
		free(joined);
		joined = longer;
	}
	return joined;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "?";
}

char *report_kernel(const struct record *record)
{
	const json_t *kernel = json_object_get(
		json_object_get(record->json, "conditions"), "kernel");
	const char *append =
		json_string_value(json_object_get(kernel, "append"));

	return xasprintf("%s, image %.*s%s%s", record->release, HASH_SHOWN,
			 record->image, append && *append ? ", append " : "",
			 append ? append : "");
}

char *report_switches(const struct record *record)
{
	return join_pairs(json_object_get(json_object_get(record->json, "arm"),
					  "switches"));
}

static char *identical_words(const struct pairing *pairing)
{
	return xasprintf("identical in every pair, to the byte: %s.",
			 pairing->same_streams
				 ? "what the guests said has equal hashes"
				 : "every counter, series and observation");
}

char *report_parting(const struct pairing *pairing)
{
	const struct parting *first = NULL;
	double low = 0, high = 0;
	json_int_t seed = 0;
	size_t n = 0;

	if (pairing->identical)
		return identical_words(pairing);
	for (size_t i = 0; i < pairing->n_partings; i++) {
		const struct parting *parting = &pairing->partings[i];
		double s = (double)parting->us / 1e6;

		if (!parting->counter)
			continue;
		if (!first) {
			first = parting;
			seed = pairing->seeds[i];
			low = high = s;
		}
		low = s < low ? s : low;
		high = s > high ? s : high;
		n++;
	}
	if (!first)
		return NULL;
	return xasprintf("The histories part by %.3f s of virtual time, first "
			 "seen in %s (seed %lld); %zu of %s%zu pairs do, by "
			 "%.3f .. %.3f s.",
			 (double)first->us / 1e6, first->counter,
			 (long long)seed, n,
			 pairing->n_partings < pairing->n ? "the first " : "",
			 pairing->n_partings, low, high);
}

static void put_arms(FILE *out, const struct comparison *c)
{
	for (size_t i = 0; i < c->n_arms; i++) {
		const struct record *record = c->arms[i].records;
		char *kernel = report_kernel(record);
		char *switches = report_switches(record);

		put(out, i ? "             " : "arms         ",
		    xasprintf("%s%s%s%s%s%s", record->label,
			      i ? "" : " (baseline)", *switches ? ": " : "",
			      switches, c->images_differ ? "; kernel " : "",
			      c->images_differ ? kernel : ""));
		free(switches);
		free(kernel);
	}
}

static void put_native(FILE *out, const json_t *machine)
{
	const json_t *list = json_object_get(machine, "left_out");

	put(out, "machine      ",
	    xasprintf("%s, %lld MiB, %lld MiB of swap, %lld CPU, native, not "
		      "deterministic",
		      text_of(machine, "arch"),
		      (long long)json_integer_value(
			      json_object_get(machine, "memory_mib")),
		      (long long)json_integer_value(
			      json_object_get(machine, "swap_mib")),
		      (long long)json_integer_value(
			      json_object_get(machine, "cpus"))));
	for (size_t i = 0; i < json_array_size(list); i++)
		put(out, i ? "             " : "left out     ",
		    xasprintf("%s",
			      json_string_value(json_array_get(list, i))));
}

static void put_machine(FILE *out, const json_t *conditions)
{
	const json_t *machine = json_object_get(conditions, "machine");

	if (!json_object_get(conditions, "initramfs_sha256")) {
		put_native(out, machine);
		return;
	}
	put(out, "guest        ",
	    xasprintf("%s, %lld MiB, %lld CPU, initramfs %.*s",
		      text_of(machine, "arch"),
		      (long long)json_integer_value(
			      json_object_get(machine, "memory_mib")),
		      (long long)json_integer_value(
			      json_object_get(machine, "cpus")),
		      HASH_SHOWN, text_of(conditions, "initramfs_sha256")));
	put(out, "accelerator  ",
	    xasprintf("%s, %s; QEMU %s", text_of(machine, "accelerator"),
		      json_is_true(json_object_get(machine, "deterministic"))
			      ? "deterministic"
			      : "real time, not deterministic",
		      text_of(machine, "qemu")));
}

void report_conditions(FILE *out, const struct comparison *c)
{
	const struct record *record = c->set.records;
	json_t *conditions = record_conditions(record, c->images_differ);
	bool many = c->n_arms > 2;
	char *job = join_pairs(json_object_get(conditions, "job"));

	put(out, "scenario     ",
	    xasprintf("%s %.*s%s%s", text_of(conditions, "scenario"),
		      HASH_SHOWN, text_of(conditions, "scenario_sha256"),
		      *job ? ": " : "", job));
	put(out, "kernel       ",
	    c->images_differ
		    ? xasprintf(
			      "differs between the arms, as said there; so do "
			      "code layout and whatever else was built in")
		    : report_kernel(record));
	put_arms(out, c);
	put_machine(out, conditions);
	for (size_t i = 0; i + 1 < c->n_arms; i++) {
		const struct pairing *pairing = &c->pairings[i];
		char *seeds = report_seeds(pairing);

		put(out, i ? "             " : "boots        ",
		    xasprintf("%s%s%zu pairs, seeds %s",
			      many ? pairing->other->records->label : "",
			      many ? ": " : "", pairing->n, seeds));
		free(seeds);
	}
	put(out, "primary      ", xasprintf("%s", c->primary->name));
	free(job);
	json_decref(conditions);
}

char *report_render(const struct comparison *c,
		    void (*put_all)(FILE *out, const struct comparison *c))
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	locale_t before = uselocale(plain);
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!plain || !out)
		die("out of memory");
	put_all(out, c);
	if (fclose(out))
		die("out of memory");
	uselocale(before);
	freelocale(plain);
	return text;
}

static void put_text(FILE *out, const struct comparison *c)
{
	report_conditions(out, c);
	for (size_t i = 0; i + 1 < c->n_arms; i++) {
		report_table(out, c, &c->pairings[i]);
		report_attribution(out, &c->pairings[i]);
	}
	report_notes(out, c);
}

char *report_text(const struct comparison *c)
{
	return report_render(c, put_text);
}

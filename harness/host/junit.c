// SPDX-License-Identifier: GPL-2.0
#include "junit.h"

#include <libxml/xmlwriter.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

struct result {
	const char *name, *family, *claim, *status, *reason;
	double seconds;
	int expected; /* of a skip */
};

/* What is counted, of a family or of all. */
struct counts {
	int tests, failures, errors, skipped;
	double seconds;
};

enum verdict { PASS, FAILURE, ERROR, SKIPPED };

static bool is_program(const struct result *result)
{
	static const char suffix[] = ".program";
	size_t len = strlen(result->name);

	return len > strlen(suffix) &&
	       !strcmp(result->name + len - strlen(suffix), suffix);
}

static enum verdict verdict(const struct result *result)
{
	if (!strcmp(result->status, "pass"))
		return PASS;
	if (!strcmp(result->status, "skip"))
		return result->expected ? SKIPPED : ERROR;
	return is_program(result) ? ERROR : FAILURE;
}

static int take(const json_t *json, struct result *result, char **error)
{
	json_error_t why;

	memset(result, 0, sizeof(*result));
	result->expected = 1;
	if (!json_unpack_ex((json_t *)json, &why, 0,
			    "{s:s, s:s, s:s, s:s, s:s, s:F, s?b}", "name",
			    &result->name, "family", &result->family, "claim",
			    &result->claim, "status", &result->status, "reason",
			    &result->reason, "seconds", &result->seconds,
			    "expected", &result->expected))
		return 0;
	*error = xasprintf("not the results of tests: %s", why.text);
	return -1;
}

static void count(struct counts *counts, const struct result *result)
{
	enum verdict is = verdict(result);

	counts->tests++;
	counts->failures += is == FAILURE;
	counts->errors += is == ERROR;
	counts->skipped += is == SKIPPED;
	/* A program's time is that of its cases. */
	if (!is_program(result))
		counts->seconds += result->seconds;
}

static void attribute(xmlTextWriter *xml, const char *name, const char *value)
{
	char *text = xasprintf("%s", value);

	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' && !strchr("\t\n\r", *c))
			*c = '?';
	xmlTextWriterWriteAttribute(xml, BAD_CAST name, BAD_CAST text);
	free(text);
}

static void counts_attributes(xmlTextWriter *xml, const struct counts *counts)
{
	const struct {
		const char *name;
		int value;
	} table[] = {
		{ "tests", counts->tests },
		{ "failures", counts->failures },
		{ "errors", counts->errors },
		{ "skipped", counts->skipped },
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		xmlTextWriterWriteFormatAttribute(xml, BAD_CAST table[i].name,
						  "%d", table[i].value);
	xmlTextWriterWriteFormatAttribute(xml, BAD_CAST "time", "%.3f",
					  counts->seconds);
}

static void write_case(xmlTextWriter *xml, const struct result *result)
{
	static const char *const element[] = { NULL, "failure", "error",
					       "skipped" };
	const char *bad = element[verdict(result)];
	const char *name = result->name + strlen(result->family) + 1;

	xmlTextWriterStartElement(xml, BAD_CAST "testcase");
	attribute(xml, "classname", result->family);
	attribute(xml, "name", name);
	xmlTextWriterWriteFormatAttribute(xml, BAD_CAST "time", "%.3f",
					  result->seconds);
	if (bad) {
		char *message =
			xasprintf("%s%s%s", *result->claim ? "claim " : "",
				  result->claim, *result->claim ? ": " : "");
		char *whole = xasprintf("%s%s", message, result->reason);

		xmlTextWriterStartElement(xml, BAD_CAST bad);
		attribute(xml, "message", whole);
		xmlTextWriterEndElement(xml);
		free(whole);
		free(message);
	}
	xmlTextWriterEndElement(xml);
}

/* The cases of one family, from @from on. Return: where the next one begins. */
static size_t write_family(xmlTextWriter *xml, const struct result *results,
			   size_t from, size_t n)
{
	struct counts counts = { .tests = 0 };
	const char *family = results[from].family;
	size_t to;

	for (to = from; to < n && !strcmp(results[to].family, family); to++)
		count(&counts, &results[to]);
	xmlTextWriterStartElement(xml, BAD_CAST "testsuite");
	attribute(xml, "name", family);
	counts_attributes(xml, &counts);
	for (size_t i = from; i < to; i++)
		write_case(xml, &results[i]);
	xmlTextWriterEndElement(xml);
	return to;
}

static void write_document(xmlTextWriter *xml, const struct result *results,
			   size_t n)
{
	struct counts counts = { .tests = 0 };

	for (size_t i = 0; i < n; i++)
		count(&counts, &results[i]);
	xmlTextWriterSetIndent(xml, 1);
	xmlTextWriterStartDocument(xml, NULL, "UTF-8", NULL);
	xmlTextWriterStartElement(xml, BAD_CAST "testsuites");
	attribute(xml, "name", "page_advice");
	counts_attributes(xml, &counts);
	for (size_t i = 0; i < n;)
		i = write_family(xml, results, i, n);
	xmlTextWriterEndDocument(xml);
}

/* Return: the cases, to be freed, or NULL with @error. */
static struct result *take_all(const json_t *cases, char **error)
{
	struct result *results =
		xcalloc(json_array_size(cases) + 1, sizeof(*results));
	size_t len;

	for (size_t i = 0; i < json_array_size(cases); i++) {
		if (!take(json_array_get(cases, i), &results[i], error)) {
			len = strlen(results[i].family);
			if (!strncmp(results[i].name, results[i].family, len) &&
			    results[i].name[len] == '.')
				continue;
			*error = xasprintf("not the results of tests: %s does "
					   "not begin with its family",
					   results[i].name);
		}
		free(results);
		return NULL;
	}
	return results;
}

char *junit_text(const json_t *results, char **error)
{
	const json_t *cases = json_object_get(results, "cases");
	xmlBuffer *buffer;
	xmlTextWriter *xml;
	struct result *all;
	char *text;

	if (!json_is_array(cases)) {
		*error = xasprintf("not the results of tests: no cases");
		return NULL;
	}
	all = take_all(cases, error);
	if (!all)
		return NULL;
	buffer = xmlBufferCreate();
	xml = buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL;
	if (!xml)
		die("out of memory");
	write_document(xml, all, json_array_size(cases));
	xmlFreeTextWriter(xml);
	text = xasprintf("%s", (const char *)xmlBufferContent(buffer));
	xmlBufferFree(buffer);
	free(all);
	return text;
}

// SPDX-License-Identifier: GPL-2.0
/* JUnit: what every status becomes, the sums, and what XML cannot carry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>

#include "junit.h"

#define CASE(family, name, rest)                                 \
	"{\"family\":\"" family "\",\"name\":\"" family "." name \
	"\",\"claim\":\"A1, X2\",\"seconds\":0.25," rest "}"
#define PASS "\"status\":\"pass\",\"reason\":\"\""
#define FAIL(reason) "\"status\":\"fail\",\"reason\":\"" reason "\""
#define SKIP(reason, expected)                           \
	"\"status\":\"skip\",\"reason\":\"" reason "\"," \
	"\"expected\":" expected

/* In the order in which the kselftests' results have them. */
/* clang-format off */
static const char results[] = "{\"cases\":["
	CASE("one", "good", PASS) ","
	CASE("one", "bad", FAIL("Expected 1 < \\u001b[31m2 & \\\"3\\\"")) ","
	CASE("one", "program", FAIL("ended with status 134")) ","
	CASE("two", "absent", SKIP("no swap", "true")) ","
	CASE("two", "lost", SKIP("no reason", "false")) ","
	CASE("two", "program", PASS) "]}";
/* clang-format on */

static char *text_of(const char *json, char **error)
{
	json_t *parsed = json_loads(json, 0, NULL);
	char *text;

	assert_non_null(parsed);
	text = junit_text(parsed, error);
	json_decref(parsed);
	return text;
}

/* The string value of an XPath expression over the document of @results. */
static void assert_xpath(const char *expression, const char *want)
{
	char *error = NULL, *text = text_of(results, &error);
	xmlDoc *document;
	xmlXPathContext *context;
	xmlXPathObject *object;
	xmlChar *found;

	assert_non_null(text);
	document = xmlParseMemory(text, (int)strlen(text));
	assert_non_null(document);
	context = xmlXPathNewContext(document);
	object = xmlXPathEvalExpression((const xmlChar *)expression, context);
	assert_non_null(object);
	found = xmlXPathCastToString(object);
	assert_string_equal((const char *)found, want);
	xmlFree(found);
	xmlXPathFreeObject(object);
	xmlXPathFreeContext(context);
	xmlFreeDoc(document);
	free(text);
}

static void every_status_has_its_element(void **state)
{
	(void)state;
	assert_xpath("count(//testcase[@name='good']/*)", "0");
	assert_xpath("count(//testcase[@name='bad']/failure)", "1");
	assert_xpath("count(//testcase[@classname='one'][@name='program']/"
		     "error)",
		     "1");
	assert_xpath("count(//testcase[@name='absent']/skipped)", "1");
	assert_xpath("count(//testcase[@name='lost']/error)", "1");
}

static void sums_are_of_the_family_and_of_all(void **state)
{
	(void)state;
	assert_xpath("concat(/*/@tests, ' ', /*/@failures, ' ', /*/@errors, "
		     "' ', /*/@skipped)",
		     "6 1 2 1");
	assert_xpath("concat(//testsuite[@name='one']/@tests, ' ', "
		     "//testsuite[@name='one']/@errors)",
		     "3 1");
	/* A program's time is that of its cases. */
	assert_xpath("/*/@time", "1.000");
}

static void message_says_claim_and_reason(void **state)
{
	(void)state;
	assert_xpath("//failure/@message",
		     "claim A1, X2: Expected 1 < ?[31m2 & \"3\"");
	assert_xpath("//skipped/@message", "claim A1, X2: no swap");
}

static void other_files_are_refused(void **state)
{
	static const char *const files[] = {
		"{}",
		"{\"cases\":1}",
		"{\"cases\":[{}]}",
		"{\"cases\":[{\"name\":\"a\",\"family\":\"a\",\"claim\":\"\","
		"\"status\":\"pass\",\"reason\":\"\",\"seconds\":0}]}",
		"{\"cases\":[{\"name\":1,\"family\":\"a\",\"claim\":\"\","
		"\"status\":\"pass\",\"reason\":\"\",\"seconds\":0}]}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *error = NULL;

		assert_null(text_of(files[i], &error));
		assert_non_null(strstr(error, "not the results of tests"));
		free(error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_status_has_its_element),
		cmocka_unit_test(sums_are_of_the_family_and_of_all),
		cmocka_unit_test(message_says_claim_and_reason),
		cmocka_unit_test(other_files_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
#include "svg.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

static const char *const colours[SVG_NR_COLOURS] = {
	[SVG_LINE] = "line",	   [SVG_FILL] = "fill",	  [SVG_AGE] = "age",
	[SVG_ON_FILL] = "on-fill", [SVG_PAPER] = "paper",
};

/* Red is 1, green says what it is for, blue is the number. */
struct svg_colour_text svg_colour(enum svg_colour colour, size_t number)
{
	struct svg_colour_text out;

	snprintf(out.text, sizeof(out.text), "'#01%02x%02x'",
		 (unsigned int)colour, (unsigned int)number & 0xff);
	return out;
}

static bool is(const xmlNode *node, const char *name)
{
	return node->type == XML_ELEMENT_NODE &&
	       !strcmp((const char *)node->name, name);
}

static void set(xmlNode *node, const char *name, const char *value)
{
	xmlSetProp(node, BAD_CAST name, BAD_CAST value);
}

/* What a colour of gnuplot's is in a page, to be freed; NULL for itself. */
static char *colour_name(const char *value)
{
	int red, green, blue;

	if (!strcmp(value, "black"))
		return xasprintf("currentColor");
	if (sscanf(value, "rgb( %d , %d , %d )", &red, &green, &blue) != 3)
		return NULL;
	if (!red && !green && !blue)
		return xasprintf("currentColor");
	if (red != 1 || green < 0 || green >= SVG_NR_COLOURS)
		return NULL;
	return xasprintf("var(--%s-%d)", colours[green], blue);
}

static void name_colour(xmlNode *node, const char *attribute)
{
	xmlChar *value = xmlGetProp(node, BAD_CAST attribute);
	char *name = value ? colour_name((const char *)value) : NULL;

	if (name)
		set(node, attribute, name);
	free(name);
	xmlFree(value);
}

/*
 * Markers that nobody uses, names that stand for gnuplot, and groups that are
 * left with nothing in them.
 */
static bool is_needless(const xmlNode *node)
{
	if (node->type != XML_ELEMENT_NODE)
		return node->type != XML_TEXT_NODE || xmlIsBlankNode(node);
	return is(node, "defs") || is(node, "title") || is(node, "desc") ||
	       (is(node, "g") && !node->children);
}

static void tidy_below(xmlNode *parent)
{
	static const char *const not_ours[] = { "id", "color", "font-family",
						"font-size" };
	xmlNode *next;

	for (xmlNode *node = parent->children; node; node = next) {
		next = node->next;
		tidy_below(node);
		if (is_needless(node)) {
			xmlUnlinkNode(node);
			xmlFreeNode(node);
			continue;
		}
		if (node->type != XML_ELEMENT_NODE)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(not_ours); i++)
			xmlUnsetProp(node, BAD_CAST not_ours[i]);
		name_colour(node, "stroke");
		name_colour(node, "fill");
	}
}

/* The first child of the figure, as SVG wants it. */
static void put_words(xmlNode *svg, const char *element, const char *id,
		      const char *words)
{
	xmlNode *node = xmlNewNode(svg->ns, BAD_CAST element);

	xmlNodeAddContent(node, BAD_CAST words);
	set(node, "id", id);
	if (svg->children)
		xmlAddPrevSibling(svg->children, node);
	else
		xmlAddChild(svg, node);
}

static void describe(xmlNode *svg, size_t number, const char *title,
		     const char *summary)
{
	char *title_id = xasprintf("figure-%zu-title", number);
	char *summary_id = xasprintf("figure-%zu-summary", number);
	char *both = xasprintf("%s %s", title_id, summary_id);

	put_words(svg, "desc", summary_id, summary);
	put_words(svg, "title", title_id, title);
	set(svg, "role", "img");
	set(svg, "aria-labelledby", both);
	free(both);
	free(summary_id);
	free(title_id);
}

static char *print(xmlDoc *doc, xmlNode *node)
{
	xmlBuffer *buffer = xmlBufferCreate();
	char *text;

	if (!buffer || xmlNodeDump(buffer, doc, node, 0, 0) < 0)
		die("out of memory");
	text = xasprintf("%s", (const char *)xmlBufferContent(buffer));
	xmlBufferFree(buffer);
	return text;
}

char *svg_tidy(const char *text, size_t len, size_t number, const char *title,
	       const char *summary)
{
	xmlDoc *doc;
	xmlNode *svg;
	char *out = NULL;

	if (len > INT_MAX)
		return NULL;
	doc = xmlReadMemory(text, (int)len, NULL, NULL,
			    XML_PARSE_NONET | XML_PARSE_NOERROR |
				    XML_PARSE_NOWARNING);
	svg = doc ? xmlDocGetRootElement(doc) : NULL;
	if (svg && is(svg, "svg")) {
		tidy_below(svg);
		describe(svg, number, title, summary);
		out = print(doc, svg);
	}
	xmlFreeDoc(doc);
	return out;
}

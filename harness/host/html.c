// SPDX-License-Identifier: GPL-2.0
#include "html.h"

#include <libxml/xmlwriter.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

struct html {
	xmlBuffer *buffer;
	xmlTextWriter *writer;
};

/* libxml2 says so only by its return value when memory is out. */
static void must(int result)
{
	if (result < 0)
		die("out of memory");
}

struct html *html_start(void)
{
	struct html *html = xcalloc(1, sizeof(*html));

	html->buffer = xmlBufferCreate();
	html->writer = html->buffer ? xmlNewTextWriterMemory(html->buffer, 0)
				    : NULL;
	if (!html->writer)
		die("out of memory");
	html_raw(html, "<!DOCTYPE html>\n");
	return html;
}

/* The two characters of three bytes that are none, U+FFFE and U+FFFF. */
static bool is_no_character(const char *text)
{
	return !strncmp(text, "\xef\xbf\xbe", 3) ||
	       !strncmp(text, "\xef\xbf\xbf", 3);
}

char *html_clean(const char *text)
{
	char *copy = xasprintf("%s", text);
	bool utf8 = xmlCheckUTF8(BAD_CAST text);

	for (char *c = copy; *c; c++) {
		unsigned char byte = (unsigned char)*c;

		if (is_no_character(c))
			memset(c, '?', 3);
		else if ((byte < ' ' && byte != '\n' && byte != '\t') ||
			 byte == 0x7f || (byte > 0x7f && !utf8))
			*c = '?';
	}
	return copy;
}

void html_open(struct html *html, const char *element)
{
	must(xmlTextWriterStartElement(html->writer, BAD_CAST element));
}

void html_attribute(struct html *html, const char *name, const char *value)
{
	char *clean = html_clean(value);

	must(xmlTextWriterWriteAttribute(html->writer, BAD_CAST name,
					 BAD_CAST clean));
	free(clean);
}

void html_text(struct html *html, const char *text)
{
	char *clean = html_clean(text);

	must(xmlTextWriterWriteString(html->writer, BAD_CAST clean));
	free(clean);
}

void html_raw(struct html *html, const char *markup)
{
	must(xmlTextWriterWriteRaw(html->writer, BAD_CAST markup));
}

/* HTML knows <p></p> and <meta/>, but neither <p/> nor <meta></meta>. */
void html_close(struct html *html)
{
	must(xmlTextWriterFullEndElement(html->writer));
}

void html_put(struct html *html, const char *element, const char *class,
	      const char *text)
{
	html_open(html, element);
	if (class)
		html_attribute(html, "class", class);
	html_text(html, text);
	html_close(html);
}

void html_scroll(struct html *html, const char *label)
{
	html_open(html, "div");
	html_attribute(html, "class", "scroll");
	html_attribute(html, "tabindex", "0");
	html_attribute(html, "role", "region");
	html_attribute(html, "aria-label", label);
}

void html_printf(struct html *html, const char *element, const char *class,
		 const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	must(n);
	html_put(html, element, class, text);
	free(text);
}

char *html_end(struct html *html)
{
	char *text;

	must(xmlTextWriterEndDocument(html->writer));
	xmlFreeTextWriter(html->writer);
	text = xasprintf("%s", (const char *)xmlBufferContent(html->buffer));
	xmlBufferFree(html->buffer);
	free(html);
	return text;
}

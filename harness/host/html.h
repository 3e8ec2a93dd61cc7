/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing a page: XHTML that every browser reads as HTML as well. Whatever text
 * comes, the page stays well-formed and the text stays text.
 */
#ifndef RECLAIMLAB_HOST_HTML_H
#define RECLAIMLAB_HOST_HTML_H

struct html;

/**
 * html_start() - a page begins with its doctype.
 */
struct html *html_start(void);

/**
 * html_open() - an element begins.
 */
void html_open(struct html *html, const char *element);

/**
 * html_attribute() - of the element that has just been opened.
 */
void html_attribute(struct html *html, const char *name, const char *value);

/**
 * html_text() - text in the open element.
 */
void html_text(struct html *html, const char *text);

/**
 * html_raw() - markup that is known to be good.
 */
void html_raw(struct html *html, const char *markup);

/**
 * html_close() - the open element ends.
 */
void html_close(struct html *html);

/**
 * html_put() - an element with a text and, if not NULL, a class.
 */
void html_put(struct html *html, const char *element, const char *class,
	      const char *text);

/**
 * html_scroll() - a box opens in which what is too wide is scrolled, with the
 * keyboard as well.
 * @label: what is in it, for who cannot see it.
 */
void html_scroll(struct html *html, const char *label);

/**
 * html_printf() - an element with a text that is put together.
 */
__attribute__((format(printf, 4, 5))) void html_printf(struct html *html,
						       const char *element,
						       const char *class,
						       const char *fmt, ...);

/**
 * html_end() - close what is open.
 *
 * Return: the page, to be freed; @html is gone.
 */
char *html_end(struct html *html);

/**
 * html_clean() - a copy of a text in which what XML does not allow is '?', to
 * be freed. For text that gets into a page by other ways than these.
 */
char *html_clean(const char *text);

#endif

/* Frame of every page: style, script, navigation; and the parameters in its links. */
#include "base/str.h"
#include "cli/web/web.h"
#include "reports/doc/formats.h"

#include <stdio.h>
#include <string.h>

#define MOST_ROWS 200 /* of a section; fewer where the page would exceed MOST_BYTES */
#define MOST_BYTES 200000
#define ICON                                                                          \
	"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 "  \
	"16 16'%3E%3Crect width='16' height='16' rx='3' fill='%233b6fb6'/%3E%3Cpath " \
	"d='M3 12V8h2v4zm4 0V4h2v8zm4 0V6h2v6z' fill='%23fff'/%3E%3C/svg%3E"

const char *web_arg(const struct web_request *r, const char *name)
{
	for (size_t i = 0; i < r->n_args; i++)
		if (!strcmp(r->args[i].name, name))
			return r->args[i].value;
	return "";
}

const char *web_args(struct arena *a, const struct web_request *r, const char *without)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < r->n_args; i++) {
		if (!*r->args[i].value || str_in_list(r->args[i].name, without))
			continue;
		sbuf_addf(&b, "%s%s=", b.len ? "&" : "", r->args[i].name);
		sbuf_add_url(&b, r->args[i].value);
	}
	return arena_strdup(a, b.s);
}

static void add_head(const struct web_request *r, const struct doc *d, struct sbuf *b)
{
	sbuf_addf(b,
		"<link rel=\"icon\" href=\"%s\">\n"
		"<link rel=\"stylesheet\" nonce=\"%s\" href=\"%s\">\n"
		"<script nonce=\"%s\" src=\"%s\" data-time=\"",
		ICON, r->nonce, web_file_url(WEB_CSS), r->nonce, web_file_url(WEB_JS));
	doc_time_text(d, d->now, b);
	sbuf_adds(b, "\" defer></script>\n");
}

/* The project of a request stays in effect on the other pages. */
static void add_top(const struct web_request *r, struct arena *a, struct sbuf *b)
{
	const char *project = web_args(
		a, r, "where,columns,sort-by,limit,since,until,by,month,of,per-resource");

	sbuf_adds(b,
		"<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
		"<header class=\"top\">\n<nav aria-label=\"Pages\">\n");
	for (size_t i = 0; i < n_web_routes; i++) {
		const struct web_route *w = &web_routes[i];
		bool here = !strcmp(w->path, r->path);

		if (!w->name)
			continue;
		sbuf_addf(b, "<a href=\"%s", w->path);
		if (*project && str_in_list("project", w->takes)) {
			sbuf_addc(b, '?');
			sbuf_add_html(b, project);
		}
		sbuf_addf(
			b, "\"%s>%s</a>\n", here ? " aria-current=\"page\"" : "", w->name);
	}
	sbuf_adds(b, "</nav>\n</header>\n");
}

static void add_foot(const struct web_request *r, struct sbuf *b)
{
	sbuf_adds(b, "<p class=\"foot\">tpucost " TPUCOST_VERSION);
	if (r->user) {
		sbuf_adds(b, ". User: ");
		sbuf_add_html(b, r->user);
	}
	sbuf_adds(b, ". This page only reads; commands are to be copied.</p>\n");
}

void web_render(const struct web_request *r, const struct doc *d, struct sbuf *b)
{
	cleanup(arena_done) struct arena a = {0};
	cleanup(sbuf_done) struct sbuf head = SBUF_INIT, top = SBUF_INIT, foot = SBUF_INIT;
	struct doc_page page;
	struct format_opts o = {
		.max_rows = MOST_ROWS, .max_bytes = MOST_BYTES, .page = &page};

	add_head(r, d, &head);
	add_top(r, &a, &top);
	add_foot(r, &foot);
	page = (struct doc_page){.head = head.s, .top = top.s, .foot = foot.s};
	doc_html(d, &o, b);
}

/* ---- files ------------------------------------------------------------------------------------- */

const char *web_file_text(enum web_file f)
{
	static struct sbuf css;

	if (f == WEB_JS)
		return web_js;
	if (!css.s) {
		css = SBUF_INIT;
		doc_html_css(&css);
		sbuf_adds(&css, web_css);
	}
	return css.s;
}

const char *web_file_url(enum web_file f)
{
	static char urls[WEB_FILES][sizeof("/s/.css") + WEB_HASH];
	char hash[WEB_HASH];

	if (!*urls[f]) {
		web_hash(web_file_text(f), "", false, hash);
		snprintf(urls[f], sizeof(urls[f]), "/s/%s.%s", hash,
			f == WEB_CSS ? "css" : "js");
	}
	return urls[f];
}

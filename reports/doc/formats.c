#include "reports/doc/internal.h"

#include <string.h>

const struct doc_format doc_formats[] = {
	{"text", doc_text},
	{"markdown", doc_markdown},
	{"html", doc_html},
	{"csv", doc_csv},
	{"json", doc_json},
	{"slack", doc_slack},
};
const size_t n_doc_formats = ARRAY_LEN(doc_formats);

const struct doc_format *doc_format_find(const char *name)
{
	for (size_t i = 0; i < n_doc_formats; i++)
		if (!strcmp(doc_formats[i].name, name))
			return &doc_formats[i];
	return NULL;
}

void format_cut(const struct format_opts *o, const struct doc_section *s)
{
	if (s->whole && o->cut)
		*o->cut = true;
}

/* ---- output with a size limit ---------------------------------------------------------- */

struct doc_out doc_out(const struct format_opts *o, struct sbuf *b)
{
	struct doc_out out = {.b = b};

	if (o->max_bytes > DOC_OUT_RESERVE)
		out.end = b->len + o->max_bytes - DOC_OUT_RESERVE;
	else if (o->max_bytes)
		out.full = true;
	return out;
}

void doc_out_whole(
	void (*render)(const struct doc *d, const struct format_opts *o, struct sbuf *b),
	const struct doc *d, const struct format_opts *o, struct sbuf *b)
{
	struct format_opts all = *o;
	size_t start = b->len;

	all.max_bytes = 0;
	render(d, &all, b);
	if (!o->max_bytes || b->len - start <= o->max_bytes)
		return;
	sbuf_trunc(b, start);
	render(d, o, b);
}

bool doc_out_add(struct doc_out *o, struct sbuf *part)
{
	if (o->end && o->b->len + part->len > o->end)
		o->full = true;
	if (!o->full)
		sbuf_add(o->b, part->s, part->len);
	sbuf_reset(part);
	return !o->full;
}

void doc_out_left(const struct doc_out *o, struct sbuf *b)
{
	if (!o->full)
		return;
	sbuf_adds(b, "Shortened to fit");
	if (o->rows)
		sbuf_addf(b, ": %zu row%s", o->rows, o->rows > 1 ? "s" : "");
	if (o->sections)
		sbuf_addf(b, "%s%zu more section%s", o->rows ? " and " : ": ", o->sections,
			o->sections > 1 ? "s" : "");
	if (o->rows || o->sections)
		sbuf_addf(b, " %s omitted", o->rows + o->sections > 1 ? "are" : "is");
	sbuf_addc(b, '.');
}

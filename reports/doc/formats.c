#include "reports/doc/formats.h"

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

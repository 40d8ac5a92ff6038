/* Prints a sample document: print_doc sample|hostile|many FORMAT [mail|file] [MAX_BYTES]. The
 * format "texts" is what the document holds, in the order of reading: "kind NUL text NUL". */
#include "reports/doc/formats.h"
#include "tests/support/sample_doc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MANY 10000  /* rows */
#define SURE_RANK 2 /* columns below it have room in every version */

static struct doc *document(const char *name)
{
	if (!strcmp(name, "sample"))
		return sample_doc();
	if (!strcmp(name, "hostile"))
		return sample_hostile();
	return strcmp(name, "many") ? NULL : sample_many(MANY);
}

static void print_text(const char *kind, const char *text)
{
	if (!text)
		return;
	fwrite(kind, 1, strlen(kind) + 1, stdout);
	fwrite(text, 1, strlen(text) + 1, stdout);
}

static void print_cell(const struct doc *d, const struct doc_column *col,
	const struct doc_cell *c, const char *kind, const char *title)
{
	struct sbuf b = SBUF_INIT;

	if (title)
		sbuf_addf(&b, "%s: ", title);
	doc_cell_text(d, col, c, &b);
	print_text(kind, b.s);
	sbuf_done(&b);
}

static void print_section(const struct doc *d, const struct doc_section *s)
{
	print_text("title", s->title);
	print_text("note", s->note);
	print_text("empty", s->n ? NULL : s->empty);
	for (size_t r = 0; r < s->n; r++) {
		const struct doc_row *row = &s->rows[r];

		for (int i = 0; i < s->n_columns && !row->folded; i++)
			if (s->columns[i].title && s->columns[i].rank < SURE_RANK)
				print_cell(d, &s->columns[i], &row->cells[i], "cell", NULL);
		print_text("detail", row->folded ? NULL : row->detail);
		print_text("command", row->folded ? NULL : row->command);
	}
}

static void print_texts(const struct doc *d)
{
	print_text("title", d->title);
	print_text("headline", d->headline);
	for (size_t i = 0; i < d->n_facts; i++) {
		const struct doc_fact *f = &d->facts[i];
		const struct doc_column col = {.type = f->cell.type, .digits = -1};

		if (f->title)
			print_cell(d, &col, &f->cell, "fact", f->title);
	}
	for (size_t i = 0; i < d->n; i++)
		if (doc_section_shown(d->sections[i]))
			print_section(d, d->sections[i]);
	for (size_t i = 0; i < d->n_notes; i++)
		print_text("note", d->notes[i]);
}

int main(int argc, char **argv)
{
	const struct doc_format *f = argc > 2 ? doc_format_find(argv[2]) : NULL;
	struct format_opts o = {.mail = argc > 3 && !strcmp(argv[3], "mail"),
		.max_bytes = argc > 4 ? strtoul(argv[4], NULL, 10) : 0};
	struct sbuf b = SBUF_INIT;
	bool texts = argc > 2 && !strcmp(argv[2], "texts");
	struct doc *d;

	sample_setup(NULL);
	d = argc > 1 ? document(argv[1]) : NULL;
	if ((!f && !texts) || !d) {
		fputs("usage: print_doc sample|hostile|many FORMAT [mail|file] "
		      "[MAX_BYTES]\n",
			stderr);
		return 2;
	}
	if (texts)
		print_texts(d);
	else
		f->render(d, &o, &b);
	fwrite(b.s, 1, b.len, stdout);
	sbuf_done(&b);
	sample_teardown(NULL);
	return 0;
}

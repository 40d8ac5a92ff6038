/* The reference of views and columns; docs/views.md is this command's output. */
#include "base/str.h"
#include "cli/out.h"
#include "cli/query.h"
#include "db/db.h"

#include <string.h>

static void add_markdown(struct sbuf *b)
{
	sbuf_adds(b,
		"# Views\n\n"
		"The same names are the JSON keys, the CSV headers, the columns of "
		"`--where`, `--columns` and\n`--sort-by`, and what `tpucost sql` reads. "
		"This page is printed by `tpucost views --format markdown`.\n");
	for (size_t i = 0; i < n_views; i++) {
		sbuf_addf(b,
			"\n## %s\n\n%s.\n\n| column | type | meaning |\n| --- | --- | --- "
			"|\n",
			views[i]->name, views[i]->doc);
		for (size_t k = 0; k < views[i]->n; k++)
			sbuf_addf(b, "| `%s` | %s | %s |\n", views[i]->columns[k].name,
				column_type_name(views[i]->columns[k].type),
				views[i]->columns[k].doc);
	}
}

static int print_text(void (*add)(struct sbuf *b), struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	add(&b);
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

int cmd_views(struct app *app, struct err *e)
{
	static const struct column heads[] = {{"view", COL_TEXT, ""},
		{"column", COL_TEXT, ""}, {"type", COL_TEXT, ""},
		{"meaning", COL_TEXT, ""}};
	static const struct column *const cols[] = {
		&heads[0], &heads[1], &heads[2], &heads[3]};
	struct table t = {.cols = cols, .n_cols = ARRAY_LEN(cols)};
	enum out_format format;

	if (str_eq(app->o.format, "sql"))
		return print_text(db_print_views, e);
	if (out_format_parse(app->o.format, &format, e))
		return cmd_fail(e);
	if (format == OUT_MARKDOWN)
		return print_text(add_markdown, e);
	for (size_t i = 0; i < n_views; i++) {
		for (size_t k = 0; k < views[i]->n; k++) {
			const struct column *c = &views[i]->columns[k];
			struct cell *row = table_add_row(&t, &app->arena);

			row[0] = text_cell(views[i]->name);
			row[1] = text_cell(c->name);
			row[2] = (struct cell){
				.kind = CELL_TEXT, .text = column_type_name(c->type)};
			row[3] = text_cell(c->doc);
		}
	}
	return query_print(app, &t, "", e);
}

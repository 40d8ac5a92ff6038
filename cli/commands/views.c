/* Command `views`: the reference of views and columns; docs/views.md is its output. */
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/out/out.h"
#include "cli/query.h"
#include "cli/session.h"
#include "db/db.h"

static void add_view(struct sbuf *b, const struct view *v)
{
	sbuf_addf(b, "## %s\n\n%s.\n\n| column | type | meaning |\n|---|---|---|\n",
		v->name, v->doc);
	for (size_t k = 0; k < v->n; k++)
		sbuf_addf(b, "| `%s` | %s | %s |\n", v->columns[k].name,
			column_type_name(v->columns[k].type), v->columns[k].doc);
}

static void add_all(struct sbuf *b)
{
	sbuf_adds(b,
		"# Views\n\n"
		"The same names are the JSON keys, the CSV headers, the columns of "
		"`--where`, `--columns` and\n`--sort-by`, and the tables and columns of "
		"`tpucost sql`. `tpucost views --format markdown` prints this page.\n");
	for (size_t i = 0; i < n_views; i++) {
		sbuf_addc(b, '\n');
		add_view(b, views[i]);
	}
}

static int print_markdown(const struct view *only, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (only)
		add_view(&b, only);
	else
		add_all(&b);
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

static int print_sql(struct app *app, const struct view *only, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	bool fit;

	if (only) {
		err_set(e, E_USAGE,
			"views: --format sql prints all views, because views depend on "
			"each other");
		err_fix(e, "omit '%s'", only->name);
		return cmd_fail(e);
	}
	if (config_load(app, e) || session_open_for(app, TS_NONE, TS_NONE, e) ||
		session_rollups_fit(app, &fit, e))
		return cmd_fail(e);
	if (!fit) { /* the other tool would read these sums */
		err_set_fix(e, E_DB, "run: tpucost collect",
			"database %s: its daily sums were made by another version or in "
			"another time zone",
			app->cfg->database);
		return cmd_fail(e);
	}
	if (db_print_derived(app->db, &b, e))
		return cmd_fail(e);
	db_print_views(&b);
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

static const struct doc_column cols[] = {{"view", .type = DOC_TEXT},
	{"column", .type = DOC_TEXT}, {"type", .type = DOC_TEXT},
	{"meaning", .type = DOC_TEXT}};

/* Adds the columns of the view as rows, with its name where the table has a column for it. */
static void add_rows(struct doc_section *t, const struct view *v)
{
	for (size_t k = 0; k < v->n; k++) {
		const struct column *c = &v->columns[k];
		struct doc_cell *row = doc_row(t)->cells;

		if (t->columns == cols)
			*row++ = cell_text(v->name);
		row[0] = cell_text(c->name);
		row[1] = cell_text(column_type_name(c->type));
		row[2] = cell_text(c->doc);
	}
}

/* Prints the text form of one view: the meaning of a row, and the columns. */
static int print_one(struct app *app, const struct view *v, struct err *e)
{
	struct doc_section *t = doc_table(&app->arena, cols + 1, ARRAY_LEN(cols) - 1);
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct out_style style = out_style_stdout();

	add_rows(t, v);
	out_sentence(&b, arena_printf(&app->arena, "%s: %s.", v->name, v->doc), &style);
	sbuf_addc(&b, '\n');
	out_render(&b, t, OUT_TABLE, &style);
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

int cmd_views(struct app *app, struct err *e)
{
	struct doc_section *t = doc_table(&app->arena, cols, ARRAY_LEN(cols));
	const struct view *only = NULL;

	if (app->n_args && query_find_view(app->args[0], &only, e))
		return cmd_fail(e);
	if (str_eq(app->o.format, "sql"))
		return print_sql(app, only, e);
	if (out_format_parse(app->o.format, &app->format, e))
		return cmd_fail(e);
	if (app->format == OUT_MARKDOWN)
		return print_markdown(only, e);
	if (app->format == OUT_TABLE && only)
		return print_one(app, only, e);
	for (size_t i = 0; i < n_views; i++)
		if (!only || only == views[i])
			add_rows(t, views[i]);
	return query_print(app, t, "", e);
}

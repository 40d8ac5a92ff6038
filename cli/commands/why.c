/* Any figure, verdict or alert taken apart. */
#include "cli/config/config.h"
#include "cli/out/out.h"
#include "cli/query.h"
#include "cli/say.h"
#include "cli/session.h"
#include "reports/why/explain.h"

#include "base/time/civil.h"

#define WIDTH 80 /* of text; a table may be wider, sentences may not */

static const struct column columns[] = {
	{"section", COL_TEXT, "what the row is part of"},
	{"label", COL_TEXT, "what the value is"},
	{"value", COL_TEXT, "text, an exact decimal, or a time; empty: not known"},
	{"unit", COL_TEXT, "of a decimal"},
	{"formula", COL_TEXT, "how the value is made"},
	{"source", COL_TEXT, "where it comes from"},
	{"age", COL_TEXT, "how old that is"},
};

static void set_text(struct cell *c, const char *text)
{
	c->kind = text ? CELL_TEXT : CELL_NULL;
	c->text = text;
}

static void set_value(
	const struct explaining *x, struct cell *c, const struct explain_row *row)
{
	switch (row->kind) {
	case EXPLAIN_UNKNOWN:
		break;
	case EXPLAIN_TEXT:
	case EXPLAIN_COMMAND:
		set_text(c, row->text);
		break;
	case EXPLAIN_NANOS:
		c->kind = CELL_NANOS;
		c->i = row->nanos;
		break;
	case EXPLAIN_TIME:
		set_text(c, explain_time(x, row->at));
		break;
	}
}

static void fill(struct app *app, const struct explaining *x, struct table *t)
{
	static const struct column *cols[ARRAY_LEN(columns)];
	char age[DURATION_BUF];

	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		cols[i] = &columns[i];
	*t = (struct table){.cols = cols, .n_cols = ARRAY_LEN(cols)};
	for (size_t i = 0; i < x->n_rows; i++) {
		const struct explain_row *row = &x->rows[i];
		struct cell *c = table_add_row(t, &app->arena);

		set_text(&c[0], row->section);
		set_text(&c[1], row->label);
		set_value(x, &c[2], row);
		set_text(&c[3], row->unit);
		set_text(&c[4], row->formula);
		set_text(&c[5], row->source);
		if (row->age.set)
			set_text(&c[6],
				arena_strdup(
					&app->arena, duration_format(row->age.v, age)));
	}
}

static int print_text(struct app *app, const struct explaining *x, struct err *e)
{
	struct out_style style = out_style_stdout();
	struct sbuf b = SBUF_INIT;
	int rc = EXIT_FINE;

	explain_text(
		x, style.width && style.width < WIDTH ? (size_t)style.width : WIDTH, &b);
	if (out_write(&b, e) || session_note_access(app, e))
		rc = cmd_fail(e);
	sbuf_done(&b);
	return rc;
}

int cmd_why(struct app *app, struct err *e)
{
	struct explaining x = {.db = app->db,
		.settings = &app->cfg->settings,
		.now = app->now,
		.config = app->cfg->path,
		.a = &app->arena};
	enum out_format format;
	struct table t;
	int rc;

	if (out_format_parse(app->o.format, &format, e))
		return cmd_fail(e);
	x.people = format == OUT_TABLE || format == OUT_MARKDOWN;
	if (!app->n_args) {
		err_set(e, E_USAGE, "why: nothing is named");
		err_fix(e, "try: tpucost why burn; ids: tpucost ps --columns id");
		return cmd_fail(e);
	}
	if (explain(&x, (const char *const *)app->args, (size_t)app->n_args, e)) {
		rc = cmd_fail(e);
		for (size_t i = 0; i < x.n_matches; i++)
			say("  %s", x.matches[i]);
		return rc;
	}
	if (format == OUT_TABLE)
		return print_text(app, &x, e);
	fill(app, &x, &t);
	return query_print(app, &t, "", e);
}

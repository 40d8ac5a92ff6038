/* Command `why`: explains a figure, coverage or alert. */
#include "cli/config/config.h"
#include "cli/detail.h"
#include "cli/out/out.h"
#include "cli/query.h"
#include "cli/session.h"
#include "db/vocab.h"
#include "reports/why/explain.h"

#include "base/time/civil.h"

#define WIDTH 80 /* of sentences; a table may be wider */

static const struct doc_column columns[] = {
	{"section", .type = DOC_TEXT},
	{"label", .type = DOC_TEXT},
	{"value", .type = DOC_TEXT},
	{"unit", .type = DOC_TEXT},
	{"formula", .type = DOC_TEXT},
	{"source", .type = DOC_TEXT},
	{"age", .type = DOC_TEXT},
};

static struct doc_cell value_cell(const struct explaining *x, const struct explain_row *row)
{
	switch (row->kind) {
	case EXPLAIN_UNKNOWN:
		break;
	case EXPLAIN_TEXT:
	case EXPLAIN_COMMAND:
		return cell_text(row->text);
	case EXPLAIN_NANOS:
		return cell_amount(SOME(row->nanos));
	case EXPLAIN_TIME:
		return cell_text(explain_time(x, row->at));
	}
	return (struct doc_cell){0};
}

static struct doc_section *table_of(struct app *app, const struct explaining *x)
{
	struct doc_section *t = doc_table(&app->arena, columns, ARRAY_LEN(columns));
	char age[DURATION_BUF];

	for (size_t i = 0; i < x->n_rows; i++) {
		const struct explain_row *row = &x->rows[i];
		struct doc_cell *c = doc_row(t)->cells;

		c[0] = cell_text(row->section);
		c[1] = cell_text(row->label);
		c[2] = value_cell(x, row);
		c[3] = cell_text(row->unit);
		c[4] = cell_text(row->formula);
		c[5] = cell_text(row->source);
		if (row->age.set)
			c[6] = cell_text(arena_strdup(
				&app->arena, duration_format(row->age.v, age)));
	}
	return t;
}

static int print_text(struct app *app, const struct explaining *x, struct err *e)
{
	struct out_style style = out_style_stdout();
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	explain_text(
		x, style.width && style.width < WIDTH ? (size_t)style.width : WIDTH, &b);
	return out_write(&b, e) || session_note_access(app, e) ? cmd_fail(e) : EXIT_FINE;
}

static enum err_code why_explain(
	struct app *app, struct explaining *x, const char *unanswered, struct err *e)
{
	*x = (struct explaining){.db = app->db,
		.settings = &app->cfg->settings,
		.now = app->now,
		.config = app->cfg->path,
		.people = app->format == OUT_TABLE || app->format == OUT_MARKDOWN,
		.unanswered = unanswered,
		.a = &app->arena};
	return explain(x, (const char *const *)app->args, (size_t)app->n_args, e);
}

/* Explains again with the answer of BigQuery, or the reason why there is none. */
static enum err_code why_ask(struct app *app, struct explaining *x, struct err *e)
{
	const char *unanswered = detail_try(app, &x->question, 0, "tpucost why");

	if (app->needs_net || (!app->db && session_open(app, e)))
		return e->code;
	return why_explain(app, x, unanswered, e);
}

int cmd_why(struct app *app, struct err *e)
{
	struct explaining x;

	if (why_explain(app, &x, NULL, e) || (x.question.n_projects && why_ask(app, &x, e)))
		return cmd_fail(e);
	if (app->needs_net)
		return EXIT_FAILED;
	app->basis = query_basis(view_find(x.view));
	if (x.others)
		say("note: %s", x.others);
	if (app->format == OUT_TABLE)
		return print_text(app, &x, e);
	return query_print(app, table_of(app, &x), "", e);
}

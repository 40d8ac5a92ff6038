/* Command `audit`: actions on machines, and entries that users made about them. */
#include "base/data/json.h"
#include "cli/config/config.h"
#include "cli/query.h"

#include <string.h>

static void add_part(struct sbuf *b, const char *before, const char *part)
{
	if (part && *part)
		sbuf_addf(b, "%s%s%s", b->len ? "; " : "", before, part);
}

static const char *why_of(struct app *app, const char *detail)
{
	cleanup(json_free_ptr) struct cJSON *j = NULL;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	const char *until;

	if (json_parse(detail, strlen(detail), &j, NULL))
		return detail; /* was changed from outside: shown unchanged */
	add_part(&b, "", json_text(json_get(j, "comment"), NULL));
	add_part(&b, "", json_text(json_get(j, "reason"), NULL));
	until = json_text(json_get(j, "until"), NULL);
	add_part(&b, "until ", until ? query_local(app, until) : NULL);
	add_part(&b, "", json_text(json_get(j, "file"), NULL));
	return arena_strdup(&app->arena, b.s);
}

/* Replaces the JSON of the last column of the table with readable text. */
static void shorten(struct app *app, struct doc_section *t)
{
	struct doc_column *cols = arena_alloc(
		&app->arena, (size_t)t->n_columns * sizeof(*cols));
	int last = t->n_columns - 1;

	memcpy(cols, t->columns, (size_t)t->n_columns * sizeof(*cols));
	cols[last].key = "why";
	t->columns = cols;
	for (size_t i = 0; i < t->n; i++) {
		struct doc_cell *c = &t->rows[i].cells[last];

		if (c->type == DOC_TEXT)
			c->text = why_of(app, c->text);
	}
}

static int print_short(struct app *app, const struct query *q, struct err *e)
{
	struct doc_section *t;

	if (query_fetch(app, q, false, &t, e))
		return cmd_fail(e);
	shorten(app, t);
	out_zone_of_utc(app->cfg->tz);
	return query_answer(app, q, t, e);
}

const struct query query_audit = {
	.view = "audit",
	.columns = "seq,at,actor,event,action?,resource,detail",
	.order = "seq desc",
	.empty = "No actions were taken yet.",
	.owner = "resource",
	.time = "at",
};

int cmd_audit(struct app *app, struct err *e)
{
	if (app->o.columns || app->format == OUT_JSON || app->format == OUT_CSV)
		return query_run(app, &query_audit, e);
	return print_short(app, &query_audit, e);
}

/* What ends the cost of a resource, and what of it stays. */
#include "db/db.h"
#include "db_sql.h"
#include "reports/why/resource.h"
#include "reports/fix.h"

#include <string.h>

static enum err_code add_residual(struct explaining *x, const char *id, struct err *e)
{
	struct q_explain_residual_in in = {.id = id};
	struct q_explain_residual q;
	struct explain_row *row;
	bool found;

	if (q_explain_residual_one(x->db, &in, x->a, &q, &found, e))
		return e->code;
	row = explain_rate(x, "goes on together", found ? SOME(q.gross) : NONE,
		found ? q.currency : NULL);
	row->formula = "its own disks and addresses";
	if (!found)
		explain_say(x, "why unknown",
			"not every disk and address of it was seen, or one has no price");
	return E_OK;
}

static void add_part(struct explaining *x, const struct q_explain_belongings *q)
{
	struct explain_row *row = explain_rate(x,
		arena_printf(x->a, "%s: %s", q->certain ? "goes on" : "beside it", q->part),
		q->gross, q->currency);

	row->source = arena_printf(x->a, "%s%s%s%s", q->relation, q->via ? " via " : "",
		q->via ? q->via : "", q->certain ? "" : ", by names alone");
}

static enum err_code what_remains(
	struct explaining *x, const struct q_explain_resource *r, struct err *e)
{
	struct q_explain_belongings_in in = {.id = r->id};
	struct q_explain_belongings q;
	struct db_rows rows;

	if (strcmp(r->kind, "vm") != 0 && strcmp(r->kind, "tpu") != 0)
		return E_OK;
	if (q_explain_belongings_open(x->db, &in, &rows, e))
		return e->code;
	while (q_explain_belongings_next(&rows, &q))
		add_part(x, &q);
	return db_rows_close(&rows, e) ? e->code : add_residual(x, r->id, e);
}

enum err_code explain_ending(
	struct explaining *x, const struct q_explain_resource *r, struct err *e)
{
	bool held = (!strcmp(r->kind, "disk") || !strcmp(r->kind, "ip")) && r->attached_to;
	bool off = !strcmp(r->kind, "vm") && !strcmp(r->state, "stopped"), found;
	struct q_thing_in in = {.id = r->id};
	const char *command;
	struct q_thing t;

	if (q_thing_one(x->db, &in, x->a, &t, &found, e))
		return e->code;
	command = found ? fix_stop(&t, x->a) : NULL;
	if (!command)
		return E_OK;
	explain_section(x, "What ends it");
	if (held)
		explain_say(x, "first", "%s uses it", r->attached_to);
	if (off)
		explain_say(x, "command", "none is needed: it is stopped");
	else
		explain_say(x, "command", "%s", command)->kind = EXPLAIN_COMMAND;
	return what_remains(x, r, e);
}

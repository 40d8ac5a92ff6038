#include "rules/grant/queued.h"

#include "base/money.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/enforce/action.h"

enum err_code queued_nodes_read(struct db *db, const struct target *t, struct arena *a,
	struct queued_nodes *out, struct err *e)
{
	struct q_queued_nodes_in in = {.project = t->project, .location = t->location};
	struct q_queued_nodes q;
	struct db_rows rows;

	*out = (struct queued_nodes){0};
	if (q_queued_nodes_open(db, &in, &rows, e))
		return e->code;
	while (q_queued_nodes_next(&rows, &q)) {
		/* "projects/P/locations/Z/queuedResources/NAME" */
		if (!str_eq(str_after_last(q.queued, '/'), t->name))
			continue;
		out->v = arena_grow(a, out->v, out->n, &out->cap, sizeof(*out->v));
		out->v[out->n++] = (struct queued_node){.id = arena_strdup(a, q.id),
			.name = arena_strdup(a, q.name),
			.labels = arena_strdup(a, q.labels),
			.held_until = q.held_until.set ? q.held_until.v : TS_NONE,
			.gross = q.gross,
			.net = q.net,
			.currency = arena_strdup(a, q.currency)};
	}
	return db_rows_close(&rows, e);
}

static void queued_add(struct opt_i64 *sum, struct opt_i64 v)
{
	if (!v.set || !sum->set || !nanos_add(sum->v, v.v, &sum->v))
		*sum = NONE;
}

struct queued_cost queued_nodes_cost(const struct queued_nodes *n)
{
	struct queued_cost c = {.gross = SOME(0), .net = SOME(0)};

	if (!n->n)
		return (struct queued_cost){0};
	c.currency = n->v[0].currency;
	for (size_t i = 0; i < n->n; i++) {
		if (!str_eq(n->v[i].currency, c.currency))
			return (struct queued_cost){0};
		queued_add(&c.gross, n->v[i].gross);
		queued_add(&c.net, n->v[i].net);
	}
	return c;
}

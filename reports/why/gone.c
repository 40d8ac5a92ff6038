/* What is not there any more: how it was over time, and what the bill still says of it. */
#include "base/time/civil.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/why/resource.h"
#include "rules/price/place.h"

#include <string.h>

enum err_code explain_gone_names(
	struct explaining *x, struct explain_names *out, struct err *e)
{
	struct q_explain_gone_ids q;
	struct db_rows rows;

	if (q_explain_gone_ids_open(x->db, &rows, e))
		return e->code;
	while (q_explain_gone_ids_next(&rows, &q))
		explain_name(x, out, q.id);
	return db_rows_close(&rows, e);
}

static void add_stretch(struct explaining *x, const struct q_explain_stretches *q)
{
	const char *to = q->ends.set ? explain_time(x, q->ends.v) : "now";
	char length[DURATION_BUF] = "";
	struct explain_row *row;

	if (q->ends.set)
		duration_format(q->ends.v - q->starts, length);
	row = explain_say(x, explain_time(x, q->starts), "%s until %s%s%s%s%s%s", q->state,
		to, *length ? ", " : "", length, q->type ? ", " : "",
		q->type ? q->type : "",
		q->provisioning && !strcmp(q->provisioning, "spot") ? ", spot" : "");
	row->source = "inventory history";
}

enum err_code explain_history(struct explaining *x, const char *id, struct err *e)
{
	struct q_explain_recent_in in = {.id = id};
	struct q_explain_recent q;
	struct db_rows rows;

	explain_section(x, "How it was, newest first");
	if (q_explain_recent_open(x->db, &in, &rows, e))
		return e->code;
	while (q_explain_recent_next(&rows, &q))
		add_stretch(x,
			&(struct q_explain_stretches){.starts = q.starts,
				.ends = q.ends,
				.state = q.state,
				.type = q.type,
				.provisioning = q.provisioning});
	return db_rows_close(&rows, e);
}

/* As much of a resource as its history tells. */
static void remember(struct explaining *x, const struct q_explain_stretches *q,
	struct q_explain_resource *r)
{
	char region[REGION_BUF];

	*r = (struct q_explain_resource){.uid = arena_strdup(x->a, q->uid),
		.kind = arena_strdup(x->a, q->kind),
		.project = arena_strdup(x->a, q->project),
		.name = arena_strdup(x->a, q->name),
		.location = arena_strdup(x->a, q->location)};
	r->region = r->location;
	if (!zone_to_region(r->location, region))
		return;
	r->zone = r->location;
	r->region = arena_strdup(x->a, region);
}

enum err_code explain_gone(struct explaining *x, const char *key, struct err *e)
{
	struct q_explain_stretches_in in = {.id = key};
	struct q_explain_stretches q;
	struct q_explain_resource r = {0};
	struct opt_i64 last = NONE;
	struct db_rows rows;

	x->title = arena_printf(x->a, "%s, which does not exist any more", key);
	explain_section(x, "How it was");
	if (q_explain_stretches_open(x->db, &in, &rows, e))
		return e->code;
	while (q_explain_stretches_next(&rows, &q)) {
		add_stretch(x, &q);
		remember(x, &q, &r);
		if (q.ends.set)
			last = q.ends;
	}
	if (db_rows_close(&rows, e))
		return e->code;
	explain_when(x, "gone since", last);
	if (r.kind && explain_billed(x, &r, e))
		return e->code;
	return explain_alerts_of(x, "resources", key, e) ? e->code
							 : explain_actions_of(x, key, e);
}

/* A quota: its limit, what is used of it, and that it is no grant. */
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/why/internal.h"

#include <string.h>

/* Several limits of one metric and place differ in their dimensions. */
static const char *key_of(struct explaining *x, const struct q_explain_quotas *q)
{
	return arena_printf(x->a, "%s/%s/%s", q->project, q->location, q->metric);
}

enum err_code explain_quota_names(
	struct explaining *x, struct explain_names *out, struct err *e)
{
	struct q_explain_quotas q;
	struct db_rows rows;
	const char *last = "";

	if (q_explain_quotas_open(x->db, &rows, e))
		return e->code;
	while (q_explain_quotas_next(&rows, &q)) {
		const char *key = key_of(x, &q);

		if (strcmp(last, key) != 0)
			explain_name(x, out, key);
		last = key;
	}
	return db_rows_close(&rows, e);
}

static void add_limit(struct explaining *x, const struct q_explain_quotas *q)
{
	struct explain_row *row;

	explain_section(x,
		arena_printf(x->a, "%s%s%s", *q->quota_id ? q->quota_id : "limit",
			strcmp(q->dimensions, "{}") != 0 ? " " : "",
			strcmp(q->dimensions, "{}") != 0 ? q->dimensions : ""));
	explain_say(x, "service", "%s", q->service);
	if (q->limit_value.set && q->limit_value.v == -1)
		row = explain_say(x, "limit", "none");
	else
		row = explain_count(x, "limit", q->limit_value, NULL);
	row->source = arena_strdup(x->a, q->source);
	row->age = SOME(x->now - q->seen);
	explain_count(x, "used", q->used, NULL);
	if (q->is_default.set)
		explain_say(x, "origin", "%s",
			q->is_default.v ? "the default of all projects"
					: "granted to this project");
}

enum err_code explain_quota(struct explaining *x, const char *key, struct err *e)
{
	struct q_explain_quotas q;
	struct db_rows rows;

	x->title = arena_printf(x->a, "quota %s", key);
	if (q_explain_quotas_open(x->db, &rows, e))
		return e->code;
	while (q_explain_quotas_next(&rows, &q))
		if (!strcmp(key_of(x, &q), key))
			add_limit(x, &q);
	explain_section(x, "What it means");
	explain_say(x, "no grant", "what a quota allows may still cost money");
	return db_rows_close(&rows, e);
}

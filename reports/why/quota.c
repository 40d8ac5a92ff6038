/* Explains a quota: its limit, its usage, and its difference from a grant. */
#include "base/money.h"
#include "reports/why/internal.h"

#include <string.h>

static void add_limit(struct explaining *x, const struct q_explain_quota *q)
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
	struct q_explain_quota_in in = {.key = key};
	struct q_explain_quota *v;
	size_t n;

	x->title = arena_printf(x->a, "quota %s", key);
	if (q_explain_quota_all(x->db, &in, x->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		add_limit(x, &v[i]);
	explain_section(x, "Meaning");
	explain_say(x, "not a grant", "use within a quota may still cost money");
	return E_OK;
}

/* Explains a deleted resource: its history and its bill. */
#include "base/time/civil.h"
#include "reports/why/internal.h"
#include "rules/price/place.h"

#include <string.h>

/* The part of a resource that its history has. */
static struct q_explain_resource remembered(
	struct explaining *x, const struct q_explain_stretches *q)
{
	struct q_explain_resource r = {.uid = q->uid,
		.kind = q->kind,
		.project = q->project,
		.name = q->name,
		.location = q->location,
		.region = q->location};
	char region[REGION_BUF];

	if (zone_to_region(r.location, region)) {
		r.zone = r.location;
		r.region = arena_strdup(x->a, region);
	}
	return r;
}

enum err_code explain_gone(struct explaining *x, const char *key, struct err *e)
{
	struct q_explain_stretches_in in = {.id = key};
	struct q_explain_stretches *v;
	struct opt_i64 last = NONE;
	size_t n;

	x->title = arena_printf(x->a, "%s, which no longer exists", key);
	explain_section(x, "History");
	if (q_explain_stretches_all(x->db, &in, x->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		explain_stretch(x, &v[i]);
		if (v[i].ends.set)
			last = v[i].ends;
	}
	explain_when(x, "gone since", last);
	if (n) {
		struct q_explain_resource r = remembered(x, &v[n - 1]);

		if (explain_billed(x, &r, e))
			return e->code;
	}
	return explain_alerts_of(x, "resources", key, e) ? e->code
							 : explain_actions_of(x, key, e);
}

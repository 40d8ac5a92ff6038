/* Does a machine or TPU work, and what does it send. */
#include "base/time/civil.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/why/resource.h"

#include <string.h>

static enum err_code metrics_of(
	struct explaining *x, const struct q_explain_resource *r, struct err *e)
{
	struct q_explain_metrics_in in = {.project = r->project,
		.uid = r->uid,
		.node = arena_printf(x->a, "%s/%s", r->location, r->name)};
	struct q_explain_metrics q;
	struct db_rows rows;

	if (q_explain_metrics_open(x->db, &in, &rows, e))
		return e->code;
	while (q_explain_metrics_next(&rows, &q)) {
		struct explain_row *row = explain_nanos(x, q.metric, SOME(q.value), NULL);

		row->formula = arena_printf(
			x->a, "newest of %lld series", (long long)q.series);
		row->source = "metric";
		row->age = SOME(x->now - q.at);
		if (q.idle_since.set)
			explain_when(x, "  too little since", q.idle_since);
		else
			explain_say(x, "  says", "it works");
	}
	return db_rows_close(&rows, e);
}

static void add_unknown(struct explaining *x, const char *kind, const char *basis)
{
	bool tpu = !strcmp(kind, "tpu");

	explain_say(x, "why unknown",
		"only a %s whose %s fresh is called idle; known now: %s",
		tpu ? "TPU" : "machine without GPUs",
		tpu ? "chips are measured and" : "CPU is measured and",
		basis && *basis ? basis : "nothing");
}

static enum err_code traffic(
	struct explaining *x, const struct q_explain_resource *r, struct err *e)
{
	struct q_explain_traffic_in in = {.id = r->id};
	struct q_explain_traffic q;
	bool found;

	if (q_explain_traffic_one(x->db, &in, x->a, &q, &found, e))
		return e->code;
	if (!found)
		return E_OK;
	explain_section(x, "Traffic: an estimate, as nobody tells where bytes go");
	explain_count(x, "sent", q.sent, "bytes/s")->age = SOME(x->now - q.at);
	explain_count(x, "received", q.received, "bytes/s");
	explain_fact(x, "path", q.path);
	explain_fact(x, "far buckets", q.far_buckets);
	explain_rate(x, "at least", q.low, q.currency);
	explain_rate(x, "at most", q.high, q.currency);
	explain_fact(x, "rests on", q.basis);
	return E_OK;
}

enum err_code explain_idle(
	struct explaining *x, const struct q_explain_resource *r, struct err *e)
{
	struct q_explain_idle_in in = {.id = r->id};
	struct q_explain_idle q;
	bool found;

	if ((strcmp(r->kind, "vm") != 0 && strcmp(r->kind, "tpu") != 0) ||
		strcmp(r->state, "running") != 0)
		return E_OK;
	if (q_explain_idle_one(x->db, &in, x->a, &q, &found, e))
		return e->code;
	explain_section(x, "Idle");
	explain_count(x, "idle", found ? q.idle_minutes : NONE, "minutes");
	if (!found || !q.idle_minutes.set)
		add_unknown(x, r->kind, found ? q.idle_basis : NULL);
	else
		explain_fact(x, "by", q.idle_basis);
	return metrics_of(x, r, e) ? e->code : traffic(x, r, e);
}

/* Google's cost anomalies of each project, for comparison with our own rule cost-jump. Those that Google no longer lists
 * (it lists 30 days) are kept. */
#include "collector/source/source.h"
#include "db/db.h"
#include "db_sql.h"
#include "gcp/access/iam.h"
#include "gcp/bill/anomaly.h"

static enum err_code anomaly_ask(struct poll *p, struct err *e)
{
	struct billing_anomalies *list = arena_new(p->arena, struct billing_anomalies);

	p->state = list;
	return poll_list(p, &billing_anomaly_listing, NULL, &list->r, e);
}

static enum err_code anomaly_put(
	struct poll *p, const struct billing_anomaly *x, struct err *e)
{
	struct q_anomaly_put_in in = {.project = p->project,
		.id = x->id,
		.scope = x->scope,
		.severity = x->severity,
		.detected = x->detected,
		.updated = opt_of_ts(x->updated),
		.currency = *x->currency ? x->currency : NULL,
		.actual = x->actual,
		.expected = x->expected,
		.deviation = x->deviation,
		.causes = x->causes,
		.now = p->now};

	p->items++;
	return q_anomaly_put(p->db, &in, e);
}

static enum err_code anomaly_take(struct poll *p, struct err *e)
{
	const struct billing_anomalies *list = p->state;
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (poll_result(p, &list->r, e)) {
		if (e->code == E_DENIED && !*e->fix)
			err_fix(e, "run: %s", iam_give_more(p->project, p->arena));
		return e->code;
	}
	if (db_begin(p->db, &tx, e))
		return e->code;
	for (size_t i = 0; i < list->n; i++)
		if (anomaly_put(p, &list->v[i], e))
			return e->code;
	return db_commit(&tx, e);
}

const struct source source_anomaly = {
	.name = "anomaly",
	.group = "quotas",
	.doc = "Google's cost anomalies",
	.optional = true,
	.per_minute = 130,
	.newer = true,
	.ask = anomaly_ask,
	.take = anomaly_take,
};

/* Quotas of Cloud TPU: limits by zone from Cloud Quotas, or from Service Usage where that is
 * not enabled, and what Monitoring says is used of them. */
#include "base/time/civil.h"
#include "collector/source/source.h"
#include "db_sql.h"
#include "gcp/monitoring.h"
#include "gcp/quota/quota.h"

#include <string.h>

#define SERVICE "tpu.googleapis.com"
#define USAGE_METRIC "serviceruntime.googleapis.com/quota/allocation/usage"
#define USAGE_WINDOW DAY_SECONDS /* it is told seldom */
#define SETTLED 240              /* seconds until points are there (Cloud Monitoring) */

struct lists {
	struct quota_list limits;
	struct series_list usage;
	bool older;              /* the limits are from Service Usage */
	struct gcp_result first; /* what Cloud Quotas had said then */
};

static enum err_code ask(struct poll *p, struct err *e)
{
	struct lists *l = arena_new(p->arena, struct lists);
	struct series_query q = {.filter = "metric.type=\"" USAGE_METRIC
					   "\" AND resource.type=\"consumer_quota\" AND "
					   "resource.labels.service=\"" SERVICE "\"",
		.from = p->now - SETTLED - USAGE_WINDOW,
		.until = p->now - SETTLED};

	p->state = l;
	poll_await(p, &l->limits.r);
	if (poll_started(p,
		    cloud_quotas_start(
			    p->gcp, p->project, SERVICE, p->arena, &l->limits, e)))
		return e->code;
	poll_await(p, &l->usage.r);
	return poll_started(
		p, monitoring_series_start(p->gcp, p->project, &q, p->arena, &l->usage, e));
}

/* Not enabled, or no role for it: the older API may know. */
static bool should_ask_older(const struct lists *l)
{
	enum err_code code = l->limits.r.code;

	return !l->older && (code == E_DISABLED || code == E_DENIED || code == E_NOTFOUND);
}

static enum err_code ask_older(struct poll *p, struct lists *l, struct err *e)
{
	l->older = true;
	l->first = l->limits.r;
	l->limits = (struct quota_list){0};
	poll_await(p, &l->limits.r);
	return poll_started(p,
		service_usage_quotas_start(
			p->gcp, p->project, SERVICE, p->arena, &l->limits, e));
}

static enum err_code put_limits(struct poll *p, const struct quota_list *l, struct err *e)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct quota_entry *q = &l->v[i];
		struct q_quota_put_in in = {.project = p->project,
			.source = p->source->name,
			.service = SERVICE,
			.metric = q->metric,
			.location = q->location,
			.dimensions = q->dimensions,
			.quota_id = q->quota_id,
			.limit_value = SOME(q->value),
			.is_default = SOME(q->is_default),
			.seen = p->now};

		if (q_quota_put(p->db, &in, e))
			return e->code;
		p->items++;
	}
	return E_OK;
}

static enum err_code put_usage(struct poll *p, const struct series_list *l, struct err *e)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct series *s = &l->v[i];
		struct q_quota_used_in in = {.project = p->project,
			.service = SERVICE,
			.metric = series_label(s, "quota_metric"),
			.location = series_label(s, "location")};

		if (!s->n_points || s->points[0].value < 0 || s->points[0].value > 1e15)
			continue;
		in.used = (int64_t)s->points[0].value;
		if (q_quota_used(p->db, &in, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code store(struct poll *p, const struct lists *l, struct err *e)
{
	struct q_quota_drop_in old = {
		.project = p->project, .source = p->source->name, .seen = p->now};
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(p->db, &tx, e) || put_limits(p, &l->limits, e) ||
		q_quota_drop(p->db, &old, e))
		return e->code;
	if (!l->usage.r.code && put_usage(p, &l->usage, e))
		return e->code;
	return db_commit(&tx, e);
}

static enum err_code take(struct poll *p, struct err *e)
{
	struct lists *l = p->state;

	if (should_ask_older(l))
		return ask_older(p, l, e);
	if (l->limits.r.code)
		return poll_result(p, l->older ? &l->first : &l->limits.r, e);
	/* Limits without usage are worth having. That Monitoring is not enabled or not allowed,
	 * the metrics say. */
	if (l->usage.partial ||
		(l->usage.r.code && l->usage.r.code != E_DISABLED &&
			l->usage.r.code != E_DENIED))
		p->note = "how much of the quotas is used was not told";
	return store(p, l, e);
}

const struct source source_tpu_quota = {
	.name = "tpu-quota",
	.group = "quotas",
	.doc = "quotas of Cloud TPU, by zone",
	.scope = PER_PROJECT,
	.optional = true,
	.ask = ask,
	.take = take,
};

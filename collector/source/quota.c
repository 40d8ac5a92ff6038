/* Quotas: of Compute Engine, by project and region; and of Cloud TPU, limits by zone from Cloud
 * Quotas, or from Service Usage if that is not enabled, and usage from Monitoring. */
#include "base/time/civil.h"
#include "collector/source/source.h"
#include "db_sql.h"
#include "gcp/monitoring.h"
#include "gcp/quota/quota.h"

#include <string.h>

/* A quota of this source and project. */
static enum err_code quota_put(struct poll *p, struct q_quota_put_in *in, struct err *e)
{
	in->project = p->project;
	in->source = p->source->name;
	in->seen = p->now;
	if (q_quota_put(p->db, in, e))
		return e->code;
	p->items++;
	return E_OK;
}

/* Quotas that were not stored now no longer exist. */
static enum err_code quota_drop_old(struct poll *p, struct err *e)
{
	struct q_quota_drop_in old = {
		.project = p->project, .source = p->source->name, .seen = p->now};

	return q_quota_drop(p->db, &old, e);
}

/* ---- Compute Engine ------------------------------------------------------------------------ */

struct quota_lists {
	struct gce_quotas project, regions;
};

static enum err_code quota_ask(struct poll *p, struct err *e)
{
	struct quota_lists *l = arena_new(p->arena, struct quota_lists);

	p->state = l;
	if (poll_list(p, &gce_project_quota_listing, NULL, &l->project.r, e))
		return e->code;
	return poll_list(p, &gce_region_quota_listing, NULL, &l->regions.r, e);
}

static enum err_code quota_put_list(
	struct poll *p, const struct gce_quotas *l, struct err *e)
{
	for (size_t i = 0; i < l->n; i++) {
		struct q_quota_put_in in = {.service = "compute.googleapis.com",
			.metric = l->v[i].metric,
			.location = l->v[i].location,
			.dimensions = "{}",
			.quota_id = "",
			.limit_value = SOME(l->v[i].limit),
			.used = SOME(l->v[i].used)};

		if (quota_put(p, &in, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code quota_take(struct poll *p, struct err *e)
{
	const struct quota_lists *l = p->state;
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (poll_result(p, &l->project.r, e) || poll_result(p, &l->regions.r, e))
		return e->code;
	if (db_begin(p->db, &tx, e) || quota_put_list(p, &l->project, e) ||
		quota_put_list(p, &l->regions, e))
		return e->code;
	/* A region without data keeps its previous values. */
	if (!p->n_gaps && quota_drop_old(p, e))
		return e->code;
	return db_commit(&tx, e);
}

const struct source source_quota = {
	.name = "quota",
	.group = "quotas",
	.doc = "quotas of Compute Engine, by project and region",
	.optional = true,
	.ask = quota_ask,
	.take = quota_take,
};

/* ---- Cloud TPU ----------------------------------------------------------------------------- */

#define SERVICE "tpu.googleapis.com"
#define USAGE_METRIC "serviceruntime.googleapis.com/quota/allocation/usage"
#define USAGE_WINDOW DAY_SECONDS /* updated rarely */
#define SETTLED 240              /* delay of points in seconds (Cloud Monitoring) */

struct tpu_quota_lists {
	struct quota_list limits;
	struct series_list usage;
	bool older;              /* the limits are from Service Usage */
	struct gcp_result first; /* the previous limits of Cloud Quotas */
};

static enum err_code tpu_quota_ask(struct poll *p, struct err *e)
{
	struct tpu_quota_lists *l = arena_new(p->arena, struct tpu_quota_lists);
	struct series_query q = {.filter = "metric.type=\"" USAGE_METRIC
					   "\" AND resource.type=\"consumer_quota\" AND "
					   "resource.labels.service=\"" SERVICE "\"",
		.from = p->now - SETTLED - USAGE_WINDOW,
		.until = p->now - SETTLED};

	p->state = l;
	if (poll_list(p, &cloud_quota_listing, SERVICE, &l->limits.r, e))
		return e->code;
	poll_await(p, &l->usage.r);
	return poll_started(
		p, monitoring_series_start(p->gcp, p->project, &q, p->arena, &l->usage, e));
}

/* Not enabled, or permission missing: the older API may work. */
static bool tpu_quota_should_ask_older(const struct tpu_quota_lists *l)
{
	enum err_code code = l->limits.r.code;

	return !l->older && (code == E_DISABLED || code == E_DENIED || code == E_NOTFOUND);
}

static enum err_code tpu_quota_ask_older(
	struct poll *p, struct tpu_quota_lists *l, struct err *e)
{
	l->older = true;
	l->first = l->limits.r;
	l->limits = (struct quota_list){0};
	return poll_list(p, &service_usage_quota_listing, SERVICE, &l->limits.r, e);
}

static enum err_code tpu_quota_put_limits(
	struct poll *p, const struct quota_list *l, struct err *e)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct quota_entry *q = &l->v[i];
		struct q_quota_put_in in = {.service = SERVICE,
			.metric = q->metric,
			.location = q->location,
			.dimensions = q->dimensions,
			.quota_id = q->quota_id,
			.limit_value = SOME(q->value),
			.is_default = SOME(q->is_default)};

		if (quota_put(p, &in, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code tpu_quota_put_usage(
	struct poll *p, const struct series_list *l, struct err *e)
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

static enum err_code tpu_quota_store(
	struct poll *p, const struct tpu_quota_lists *l, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(p->db, &tx, e) || tpu_quota_put_limits(p, &l->limits, e) ||
		quota_drop_old(p, e))
		return e->code;
	if (!l->usage.r.code && tpu_quota_put_usage(p, &l->usage, e))
		return e->code;
	return db_commit(&tx, e);
}

static enum err_code tpu_quota_take(struct poll *p, struct err *e)
{
	struct tpu_quota_lists *l = p->state;

	if (tpu_quota_should_ask_older(l))
		return tpu_quota_ask_older(p, l, e);
	if (l->limits.r.code)
		return poll_result(p, l->older ? &l->first : &l->limits.r, e);
	/* Limits without usage are useful. The metrics source reports if Monitoring is disabled or
	 * forbidden. */
	if (l->usage.partial ||
		(l->usage.r.code && l->usage.r.code != E_DISABLED &&
			l->usage.r.code != E_DENIED))
		p->note = "the usage of the quotas is unknown";
	return tpu_quota_store(p, l, e);
}

const struct source source_tpu_quota = {
	.name = "tpu-quota",
	.group = "quotas",
	.doc = "quotas of Cloud TPU, by zone",
	.optional = true,
	.ask = tpu_quota_ask,
	.take = tpu_quota_take,
};

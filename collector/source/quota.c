/* Quotas: of Compute Engine, by project and region; of TPUs, limits from Cloud Quotas (those of the
 * Cloud TPU API from Service Usage if that is not enabled) and usage from Monitoring. */
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

/* ---- TPUs ---------------------------------------------------------------------------------- */

#define USAGE_METRIC "serviceruntime.googleapis.com/quota/allocation/usage"
#define FAMILY_METRIC "compute.googleapis.com/tpus_per_tpu_family"
#define FAMILY_USAGE "compute.googleapis.com/quota/tpus_per_tpu_family/usage"
#define USAGE_WINDOW DAY_SECONDS /* updated rarely */
#define SETTLED 240              /* delay of points in seconds (Cloud Monitoring) */

static const struct tpu_quota_service {
	const char *name;
	const struct gcp_listing *limits, *older;
	bool unlimited; /* a default of -1 means that, not that no limit is set */
} tpu_quota_api = {"tpu.googleapis.com", &cloud_quota_listing, &service_usage_quota_listing,
	true},
  tpu_quota_compute = {"compute.googleapis.com", &compute_tpu_quota_listing,
	  &service_usage_tpu_listing, false};

struct tpu_quota_lists {
	const struct tpu_quota_service *service;
	struct quota_list limits;
	struct series_list usage;
	struct series_list of_families; /* Compute Engine reports these apart */
	bool older;                     /* the limits are from Service Usage */
	struct gcp_result first;        /* the previous limits of Cloud Quotas */
};

static enum err_code tpu_quota_ask_series(
	struct poll *p, const char *filter, struct series_list *out, struct err *e)
{
	struct series_query q = {.filter = filter,
		.from = p->now - SETTLED - USAGE_WINDOW,
		.until = p->now - SETTLED};

	poll_await(p, &out->r);
	return poll_started(
		p, monitoring_series_start(p->gcp, p->project, &q, p->arena, out, e));
}

/* Usage of the quotas of the service; of Compute Engine, of those for TPUs. */
static enum err_code tpu_quota_begin(
	struct poll *p, const struct tpu_quota_service *service, struct err *e)
{
	struct tpu_quota_lists *l = arena_new(p->arena, struct tpu_quota_lists);
	bool some = service == &tpu_quota_compute;

	p->state = l;
	l->service = service;
	if (poll_list(p, service->limits, service->name, &l->limits.r, e))
		return e->code;
	return tpu_quota_ask_series(p,
		arena_printf(p->arena,
			"metric.type=\"" USAGE_METRIC
			"\" AND resource.type=\"consumer_quota\" AND "
			"resource.labels.service=\"%s\"%s",
			service->name,
			some ? " AND metric.labels.quota_metric=has_substring(\"tpu\")"
			     : ""),
		&l->usage, e);
}

static enum err_code tpu_quota_ask(struct poll *p, struct err *e)
{
	return tpu_quota_begin(p, &tpu_quota_api, e);
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
	return poll_list(p, l->service->older, l->service->name, &l->limits.r, e);
}

/* If no limit is set, TPUs may be allowed or refused: it is not stored. */
static bool tpu_quota_unstated(const struct tpu_quota_lists *l, const struct quota_entry *q)
{
	return !l->service->unlimited && q->is_default && q->value < 0;
}

static enum err_code tpu_quota_put_limits(
	struct poll *p, const struct tpu_quota_lists *l, struct err *e)
{
	for (size_t i = 0; i < l->limits.n; i++) {
		const struct quota_entry *q = &l->limits.v[i];
		struct q_quota_put_in in = {.service = l->service->name,
			.metric = q->metric,
			.location = q->location,
			.dimensions = q->dimensions,
			.quota_id = q->quota_id,
			.limit_value = SOME(q->value),
			.is_default = SOME(q->is_default)};

		if (!tpu_quota_unstated(l, q) && quota_put(p, &in, e))
			return e->code;
	}
	return E_OK;
}

/* `metric` and a label with the TPU family, or NULL: a label has the metric. */
static enum err_code tpu_quota_put_usage(struct poll *p, const struct tpu_quota_lists *l,
	const struct series_list *usage, const char *metric, struct err *e)
{
	for (size_t i = 0; !usage->r.code && i < usage->n; i++) {
		const struct series *s = &usage->v[i];
		struct q_quota_used_in in = {.project = p->project,
			.service = l->service->name,
			.metric = metric ? metric : series_label(s, "quota_metric"),
			.location = series_label(s, "location"),
			.tpu_family = metric ? series_label(s, "tpu_family") : NULL};

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

	if (db_begin(p->db, &tx, e) || tpu_quota_put_limits(p, l, e) ||
		quota_drop_old(p, e) || tpu_quota_put_usage(p, l, &l->usage, NULL, e) ||
		tpu_quota_put_usage(p, l, &l->of_families, FAMILY_METRIC, e))
		return e->code;
	return db_commit(&tx, e);
}

/* Limits without usage are useful. The metrics source reports if Monitoring is disabled or
 * forbidden; it does not know a metric of which nothing was ever written. */
static void tpu_quota_check_usage(struct poll *p, const struct series_list *l)
{
	enum err_code code = l->r.code;

	if (l->partial ||
		(code && code != E_DISABLED && code != E_DENIED && code != E_NOTFOUND))
		p->note = "the usage of the quotas is unknown";
}

static enum err_code tpu_quota_take(struct poll *p, struct err *e)
{
	struct tpu_quota_lists *l = p->state;

	if (!l)
		return E_OK;
	if (tpu_quota_should_ask_older(l))
		return tpu_quota_ask_older(p, l, e);
	if (l->limits.r.code)
		return poll_result(p, l->older ? &l->first : &l->limits.r, e);
	tpu_quota_check_usage(p, &l->usage);
	tpu_quota_check_usage(p, &l->of_families);
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

/* ---- TPUs of Compute Engine ---------------------------------------------------------------- */

/* Nothing is asked of a project that has not enabled Compute Engine. */
static enum err_code compute_tpu_quota_ask(struct poll *p, struct err *e)
{
	struct q_source_state_in in = {.source = source_quota.name, .project = p->project};
	struct tpu_quota_lists *l;
	struct q_source_state row;
	bool found;

	if (q_source_state_one(p->db, &in, p->arena, &row, &found, e))
		return e->code;
	if (found && !strcmp(row.state, "disabled"))
		return E_OK;
	if (tpu_quota_begin(p, &tpu_quota_compute, e))
		return e->code;
	l = p->state;
	return tpu_quota_ask_series(p,
		"metric.type=\"" FAMILY_USAGE
		"\" AND resource.type=\"compute.googleapis.com/Location\"",
		&l->of_families, e);
}

const struct source source_compute_tpu_quota = {
	.name = "compute-tpu-quota",
	.group = "quotas",
	.doc = "quotas of Compute Engine for TPUs, by region and family",
	.optional = true,
	.after = {&source_quota},
	.ask = compute_tpu_quota_ask,
	.take = tpu_quota_take,
};

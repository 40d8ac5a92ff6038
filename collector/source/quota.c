/* Quotas: of Compute Engine, by project and region; of TPUs, limits from Cloud Quotas (those of the
 * Cloud TPU API from Service Usage if that is not enabled) and usage from Monitoring. */
#include "base/data/json.h"
#include "base/strmap.h"
#include "base/time/civil.h"
#include "collector/source/source.h"
#include "db_sql.h"
#include "gcp/monitoring.h"
#include "gcp/quota/quota.h"

#include <string.h>
#include <strings.h>

static const char *quota_key(const struct poll *p, const char *service, const char *metric,
	const char *location, const char *dimensions, const char *quota_id)
{
	return arena_printf(p->arena, "%s\n%s\n%s\n%s\n%s", service, metric, location,
		dimensions, quota_id);
}

static bool quota_is_same(const struct q_quota_stored *a, const struct q_quota_put_in *b)
{
	return !a->late && opt_i64_same(a->limit_value, b->limit_value) &&
		opt_i64_same(a->is_default, b->is_default) &&
		opt_i64_same(a->used, b->used);
}

/* Those that the list does not have. If it has gaps they may exist, but are as old as the list before. */
static enum err_code quota_drop_old(
	struct poll *p, struct q_quota_stored *old, bool gaps, struct err *e)
{
	struct q_quota_drop_in gone = {.id = old->id};
	struct q_quota_late_in late = {.id = old->id};

	if (!gaps)
		return q_quota_drop(p->db, &gone, e);
	return old->late ? E_OK : q_quota_late(p->db, &late, e);
}

/* Stores the list of this source and project: only what differs from the list before, because little does. Of two quotas
 * with the same key the later one counts. */
static enum err_code quota_store(
	struct poll *p, struct q_quota_put_in *v, size_t n, bool gaps, struct err *e)
{
	struct q_quota_stored_in of = {.project = p->project, .source = p->source->name};
	struct q_quota_list_seen_in list = {
		.project = p->project, .source = p->source->name, .seen = p->now};
	cleanup(strmap_done) struct strmap rows = {0};
	struct q_quota_stored *old;
	size_t n_old;

	if (q_quota_stored_all(p->db, &of, p->arena, &old, &n_old, e))
		return e->code;
	for (size_t i = n; i-- > 0;) {
		struct q_quota_put_in *q = &v[i];
		const char *key = quota_key(
			p, q->service, q->metric, q->location, q->dimensions, q->quota_id);

		q->project = strmap_put(&rows, key, i) ? p->project : NULL;
		q->source = p->source->name;
		q->seen = p->now;
	}
	for (size_t i = 0; i < n_old; i++) {
		struct q_quota_stored *o = &old[i];
		size_t *at = strmap_get(&rows,
			quota_key(p, o->service, o->metric, o->location, o->dimensions,
				o->quota_id));

		if (at && quota_is_same(o, &v[*at]))
			v[*at].project = NULL;
		else if (!at && quota_drop_old(p, o, gaps, e))
			return e->code;
	}
	for (size_t i = 0; i < n; i++)
		if (v[i].project && q_quota_put(p->db, &v[i], e))
			return e->code;
	p->items += n;
	return q_quota_list_seen(p->db, &list, e);
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

static void quota_add_list(const struct gce_quotas *l, struct q_quota_put_in *out)
{
	for (size_t i = 0; i < l->n; i++)
		out[i] = (struct q_quota_put_in){.service = "compute.googleapis.com",
			.metric = l->v[i].metric,
			.location = l->v[i].location,
			.dimensions = "{}",
			.quota_id = "",
			.limit_value = SOME(l->v[i].limit),
			.used = SOME(l->v[i].used)};
}

static enum err_code quota_take(struct poll *p, struct err *e)
{
	struct quota_lists *l = p->state;
	size_t n = l->project.n + l->regions.n;
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct q_quota_put_in *v;

	if (poll_result(p, &l->project.r, e) || poll_result(p, &l->regions.r, e))
		return e->code;
	v = arena_alloc(p->arena, n * sizeof(*v) + 1);
	quota_add_list(&l->project, v);
	quota_add_list(&l->regions, v + l->project.n);
	if (db_begin(p->db, &tx, e) || quota_store(p, v, n, p->n_gaps > 0, e))
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

static bool tpu_quota_has_family(const char *dimensions, const char *family)
{
	cleanup(json_free_ptr) struct cJSON *j = NULL;

	return !json_parse(dimensions, strlen(dimensions), &j, NULL) &&
		!strcasecmp(json_text(json_get(j, "tpu_family"), ""), family);
}

/* Usage is reported by metric and place, and for TPU families by the family: if there are several limits, it is unknown
 * which one is used. */
static void tpu_quota_set_used(
	struct q_quota_put_in *v, size_t n, const char *metric, const struct series *s)
{
	const char *location = series_label(s, "location");
	const char *family = metric ? series_label(s, "tpu_family") : NULL;
	struct q_quota_put_in *found = NULL;

	metric = metric ? metric : series_label(s, "quota_metric");
	for (size_t i = 0; i < n; i++) {
		if (strcmp(v[i].metric, metric) != 0 ||
			strcmp(v[i].location, location) != 0)
			continue;
		if (family && !tpu_quota_has_family(v[i].dimensions, family))
			continue;
		if (found)
			return;
		found = &v[i];
	}
	if (found)
		found->used = SOME((int64_t)s->points[0].value);
}

/* `metric` and a label with the TPU family, or NULL: a label has the metric. */
static void tpu_quota_add_usage(struct q_quota_put_in *v, size_t n,
	const struct series_list *usage, const char *metric)
{
	for (size_t i = 0; !usage->r.code && i < usage->n; i++) {
		const struct series *s = &usage->v[i];

		if (s->n_points && s->points[0].value >= 0 && s->points[0].value <= 1e15)
			tpu_quota_set_used(v, n, metric, s);
	}
}

static enum err_code tpu_quota_store(
	struct poll *p, const struct tpu_quota_lists *l, struct err *e)
{
	struct q_quota_put_in *v = arena_alloc(p->arena, l->limits.n * sizeof(*v) + 1);
	cleanup(db_tx_end) struct db_tx tx = {0};
	size_t n = 0;

	for (size_t i = 0; i < l->limits.n; i++) {
		const struct quota_entry *q = &l->limits.v[i];

		if (!tpu_quota_unstated(l, q))
			v[n++] = (struct q_quota_put_in){.service = l->service->name,
				.metric = q->metric,
				.location = q->location,
				.dimensions = q->dimensions,
				.quota_id = q->quota_id,
				.limit_value = SOME(q->value),
				.is_default = SOME(q->is_default)};
	}
	tpu_quota_add_usage(v, n, &l->usage, NULL);
	tpu_quota_add_usage(v, n, &l->of_families, FAMILY_METRIC);
	if (db_begin(p->db, &tx, e) || quota_store(p, v, n, false, e))
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
	.per_minute = 500,
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
	.per_minute = 500,
	.after = {&source_quota},
	.ask = compute_tpu_quota_ask,
	.take = tpu_quota_take,
};

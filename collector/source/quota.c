/* Quotas of Compute Engine: of the project, and of every region. */
#include "collector/source/source.h"
#include "db_sql.h"
#include "gcp/quota/compute.h"

#define SERVICE "compute.googleapis.com"

struct lists {
	struct gce_quotas project, regions;
};

static enum err_code ask(struct poll *p, struct err *e)
{
	struct lists *l = arena_new(p->arena, struct lists);

	p->state = l;
	poll_await(p, &l->project.r);
	if (poll_started(p,
		    gce_project_quotas_start(p->gcp, p->project, p->arena, &l->project, e)))
		return e->code;
	poll_await(p, &l->regions.r);
	return poll_started(
		p, gce_region_quotas_start(p->gcp, p->project, p->arena, &l->regions, e));
}

static enum err_code put_list(struct poll *p, const struct gce_quotas *l, struct err *e)
{
	for (size_t i = 0; i < l->n; i++) {
		struct q_quota_put_in in = {.project = p->project,
			.source = p->source->name,
			.service = SERVICE,
			.metric = l->v[i].metric,
			.location = l->v[i].location,
			.dimensions = "{}",
			.quota_id = "",
			.limit_value = SOME(l->v[i].limit),
			.used = SOME(l->v[i].used),
			.seen = p->now};

		if (q_quota_put(p->db, &in, e))
			return e->code;
		p->items++;
	}
	return E_OK;
}

static enum err_code take(struct poll *p, struct err *e)
{
	const struct lists *l = p->state;
	struct q_quota_drop_in old = {
		.project = p->project, .source = p->source->name, .seen = p->now};
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (poll_result(p, &l->project.r, e) || poll_result(p, &l->regions.r, e))
		return e->code;
	if (db_begin(p->db, &tx, e) || put_list(p, &l->project, e) ||
		put_list(p, &l->regions, e))
		return e->code;
	/* A region that told nothing keeps what it said before. */
	if (!p->n_gaps && q_quota_drop(p->db, &old, e))
		return e->code;
	return db_commit(&tx, e);
}

const struct source source_quota = {
	.name = "quota",
	.group = "quotas",
	.doc = "quotas of Compute Engine, by project and region",
	.scope = PER_PROJECT,
	.optional = true,
	.ask = ask,
	.take = take,
};

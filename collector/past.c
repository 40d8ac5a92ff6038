#include "collector/past.h"

#include "base/time/civil.h"

#define GAP 1800 /* seconds after which points say nothing of the time between them */
#define KEPT (100 * DAY_SECONDS)

enum err_code past_resource(struct db *db, const struct q_resource_put_in *r, struct err *e)
{
	struct q_trait_put_in in = {.id = r->id,
		.uid = r->uid,
		.now = r->now,
		.source = r->source,
		.raw_state = r->raw_state,
		.hosts = r->hosts,
		.attached_to = r->attached_to,
		.queued = r->queued,
		.labels = r->labels,
		.owner = r->owner};

	return q_trait_put(db, &in, e);
}

enum err_code past_metric(struct db *db, const struct q_metric_put_in *m, struct err *e)
{
	struct q_metric_past_extend_in more = {.project = m->project,
		.metric = m->metric,
		.subject = m->subject,
		.at = m->at,
		.idle_since = m->idle_since,
		.series = m->series,
		.gap = GAP};
	struct q_metric_past_add_in add = {.project = m->project,
		.metric = m->metric,
		.subject = m->subject,
		.at = m->at,
		.idle_since = m->idle_since,
		.series = m->series};

	return q_metric_past_extend(db, &more, e) ? e->code
						  : q_metric_past_add(db, &add, e);
}

enum err_code past_forget(struct db *db, const char *project, ts_t now, struct err *e)
{
	struct q_metric_past_drop_in in = {.project = project, .before = now - KEPT};

	return q_metric_past_drop(db, &in, e);
}

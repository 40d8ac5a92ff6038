/* Preemptions of spot TPUs that are machines. The Cloud TPU API has a state for a node that was preempted; a machine
 * looks as one that was stopped or deleted by its owner. Requested only if there was one in the last two weeks. */
#include "base/time/civil.h"
#include "collector/source/source.h"
#include "db/db.h"
#include "db_sql.h"
#include "gcp/compute/compute.h"

#define LISTED (13 * DAY_SECONDS) /* Google keeps operations for about 14 days */

static enum err_code preemption_ask(struct poll *p, struct err *e)
{
	struct q_preemption_wanted_in in = {
		.project = p->project, .since = p->now - LISTED};
	struct gce_preemptions *list = arena_new(p->arena, struct gce_preemptions);
	struct q_preemption_wanted row;
	bool any;

	p->state = list;
	if (q_preemption_wanted_one(p->db, &in, p->arena, &row, &any, e))
		return e->code;
	if (!any)
		return E_OK;
	return poll_list(p, &gce_preemption_listing, NULL, &list->r, e);
}

static enum err_code preemption_take(struct poll *p, struct err *e)
{
	const struct gce_preemptions *list = p->state;
	struct q_preemption_read_in read = {
		.project = p->project, .now = p->now, .since = p->now - LISTED};
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (poll_result(p, &list->r, e) || db_begin(p->db, &tx, e))
		return e->code;
	for (size_t i = 0; i < list->n; i++) {
		struct q_preemption_put_in in = {.project = p->project,
			.uid = list->v[i].target,
			.at = list->v[i].at};

		if (list->v[i].at == TS_NONE || list->v[i].at > p->now)
			continue;
		p->items++;
		if (q_preemption_put(p->db, &in, e))
			return e->code;
	}
	/* an operation of an unreachable zone may be missing: then ends there have no cause */
	if (!p->n_gaps && q_preemption_read(p->db, &read, e))
		return e->code;
	return db_commit(&tx, e);
}

const struct source source_preemption = {
	.name = "preemption",
	.group = "quotas",
	.doc = "preemptions of spot TPUs that are machines",
	.newer = true,
	.after = {&source_vm},
	.ask = preemption_ask,
	.take = preemption_take,
};

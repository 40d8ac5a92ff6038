/* Which billing account pays for a project, and whether it does. A project without billing
 * runs nothing that costs. */
#include "collector/source/source.h"
#include "db_sql.h"
#include "gcp/bill/billing.h"

static enum err_code ask(struct poll *p, struct err *e)
{
	struct billing_info *info = arena_new(p->arena, struct billing_info);

	p->state = info;
	poll_await(p, &info->r);
	return poll_started(p, billing_info_start(p->gcp, p->project, p->arena, info, e));
}

static enum err_code take(struct poll *p, struct err *e)
{
	const struct billing_info *info = p->state;
	struct q_project_billing_put_in in = {.project = p->project, .seen = p->now};

	if (poll_result(p, &info->r, e))
		return e->code;
	in.account = info->account;
	in.enabled = info->enabled;
	p->items = 1;
	return q_project_billing_put(p->db, &in, e);
}

const struct source source_account = {
	.name = "account",
	.group = "quotas",
	.doc = "the billing account of each project",
	.scope = PER_PROJECT,
	.optional = true,
	.ask = ask,
	.take = take,
};

/* Projects, if the configuration leaves their selection to Google; and the billing account of each
 * project, and whether billing is enabled: a project without billing runs no paid resource. */
#include "collector/source/source.h"
#include "db_sql.h"
#include "gcp/bill/billing.h"

const struct source source_project = {
	.name = "project",
	.group = "quotas",
	.doc = "the projects of a billing account, organization or folder",
	.scope = PER_DISCOVERY,
	.poll = discover,
};

static enum err_code account_ask(struct poll *p, struct err *e)
{
	struct billing_info *info = arena_new(p->arena, struct billing_info);

	p->state = info;
	return poll_list(p, &billing_info_listing, NULL, &info->r, e);
}

static enum err_code account_take(struct poll *p, struct err *e)
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
	.optional = true,
	.per_minute = 130, /* half of what Cloud Billing allows */
	.ask = account_ask,
	.take = account_take,
};

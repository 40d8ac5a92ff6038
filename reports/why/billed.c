/* What the bill says of one resource. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/time/tz.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/why/resource.h"

#include <string.h>

#define DAYS 7

static enum err_code add_line(
	struct explaining *x, const struct q_explain_resource_bill *q, struct err *e)
{
	struct explain_row *row;
	int64_t net;

	if (!nanos_add(q->cost, q->credits, &net))
		return err_set(e, E_OVERFLOW, "why: net cost of %s", q->sku);
	row = explain_nanos(x, q->sku, SOME(net), q->currency);
	row->formula = arena_printf(x->a, "%s to %s: %s and credits of %s", q->first_date,
		q->last_date, explain_money(x, q->cost, q->currency),
		explain_money(x, q->credits, q->currency));
	row->source = arena_printf(x->a, "billing, SKU %s", q->sku_id);
	return E_OK;
}

enum err_code explain_billed(
	struct explaining *x, const struct q_explain_resource *r, struct err *e)
{
	struct q_explain_resource_bill_in in = {.project = r->project,
		.name = r->name,
		.uid = r->uid,
		.zone = r->zone ? r->zone : "",
		.region = r->region ? r->region : "",
		.category = strcmp(r->kind, "bucket") != 0 ? r->kind : "storage",
		.first = tz_day(x->settings->tz, x->now) - DAYS};
	struct q_explain_resource_bill q;
	struct explain_row *row;
	struct db_rows rows;
	enum err_code rc = E_OK;
	size_t n = 0;

	explain_section(x, "On the bill since 7 days ago: net cost by SKU");
	if (q_explain_resource_bill_open(x->db, &in, &rows, e))
		return e->code;
	while (!rc && q_explain_resource_bill_next(&rows, &q)) {
		rc = add_line(x, &q, e);
		n++;
	}
	rc = db_rows_end(&rows, rc, e);
	if (rc || n)
		return rc;
	row = explain_say(x, "bill",
		"no line names it; only the detailed export names resources, and lines "
		"come hours late");
	return explain_from_bill(x, row, e);
}

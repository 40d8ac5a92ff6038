/* Explains the hourly cost of the running resources: by category, and by the most expensive
 * resources. */
#include "reports/why/internal.h"

static enum err_code burn_add_sums(struct explaining *x, bool by_category, struct err *e)
{
	struct q_explain_burn_in in = {.by_category = by_category};
	struct db_rows rows;
	size_t n;

	if (explain_rows(x, by_category ? "By category" : "Net per hour, now",
		    q_explain_burn_open(x->db, &in, &rows, e), &rows, NULL, &n, e))
		return e->code;
	if (!n && !by_category)
		explain_say(x, "together", "no running resource has a known price");
	return E_OK;
}

static enum err_code burn_add_things(struct explaining *x, bool known, struct err *e)
{
	struct q_explain_burn_parts_in in = {.known = known};
	struct db_rows rows;

	return explain_rows(x, known ? "By resource" : "Not included: the price is unknown",
		q_explain_burn_parts_open(x->db, &in, &rows, e), &rows, "tpucost ps", NULL,
		e);
}

enum err_code explain_burn(struct explaining *x, const char *key, struct err *e)
{
	(void)key;
	x->title = "burn: list price of the running resources, net of the amount that "
		   "grants cover";
	if (burn_add_sums(x, false, e) || burn_add_sums(x, true, e) ||
		burn_add_things(x, true, e) || burn_add_things(x, false, e))
		return e->code;
	return explain_inventory_age(x, e);
}

/* Explains the hourly cost of the running resources: by category, and by the most expensive
 * resources. */
#include "reports/why/internal.h"

static void burn_add_sums(struct explaining *x, bool by_category)
{
	if (!explain_rows(x, by_category ? "By category" : "Net per hour, now",
		    q_explain_burn_read(x, .by_category = by_category), NULL) &&
		!by_category)
		explain_say(x, "together", "no running resource has a known price");
}

static void burn_add_things(struct explaining *x, bool known)
{
	explain_rows(x, known ? "By resource" : "Not included: the price is unknown",
		q_explain_burn_parts_read(x, .known = known), "tpucost ps");
}

void explain_burn(struct explaining *x, const char *key)
{
	(void)key;
	x->title = "burn: list price of the running resources, net of the amount that "
		   "grants cover";
	burn_add_sums(x, false);
	burn_add_sums(x, true);
	burn_add_things(x, true);
	burn_add_things(x, false);
	explain_inventory_age(x);
}

/* Explains the hourly cost of the running resources: by category, and by the most expensive
 * resources. */
#include "base/money.h"
#include "reports/why/internal.h"

/* "8.8 USD/h gross" if the net amount differs */
static struct explain_row *burn_add_rate(struct explaining *x, const char *label,
	int64_t gross, int64_t net, const char *currency)
{
	struct explain_row *row = explain_rate(x, label, SOME(net), currency);

	row->formula = gross == net ? "gross"
				    : arena_printf(x->a, "%s/h gross, grants pay the rest",
					      explain_money(x, gross, currency));
	return row;
}

static enum err_code burn_add_sums(struct explaining *x, bool by_category, struct err *e)
{
	struct q_explain_burn_in in = {.by_category = by_category};
	struct q_explain_burn *v;
	size_t n;

	explain_section(x, by_category ? "By category" : "Net per hour, now");
	if (q_explain_burn_all(x->db, &in, x->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		burn_add_rate(x, by_category ? v[i].category : "together", v[i].gross,
			v[i].net, v[i].currency);
	if (!n && !by_category)
		explain_say(x, "together", "no running resource has a known price");
	return E_OK;
}

static enum err_code burn_add_things(struct explaining *x, bool known, struct err *e)
{
	struct q_explain_burn_parts_in in = {.known = known};
	struct q_explain_burn_parts *v;
	size_t n;

	if (q_explain_burn_parts_all(x->db, &in, x->a, &v, &n, e))
		return e->code;
	if (known || n)
		explain_section(
			x, known ? "By resource" : "Not included: the price is unknown");
	for (size_t i = 0; i < n && i < EXPLAIN_SHOWN; i++) {
		const char *label = arena_printf(x->a, "%s (%s)", v[i].id, v[i].category);

		if (known)
			burn_add_rate(x, label, v[i].gross.v, v[i].net.v, v[i].currency)
				->source = v[i].price_source;
		else
			explain_rate(x, label, NONE, NULL);
	}
	explain_more(x, n, "tpucost ps");
	return E_OK;
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

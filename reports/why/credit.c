/* Explains a promotional or trial credit: the part used according to the bill, and when the
 * remaining credit runs out. */
#include "base/money.h"
#include "reports/why/internal.h"

#include <string.h>

static const struct credit *credit_configured(const struct explaining *x, const char *name)
{
	for (size_t i = 0; i < x->settings->n_credits; i++)
		if (!strcmp(x->settings->credits[i].name, name))
			return &x->settings->credits[i];
	return NULL;
}

static void months_of(struct explaining *x, const struct credit *c)
{
	if (!explain_rows(x, "Promotion credits on the bill, by invoice month",
		    q_explain_promo_months_read(x,
			    .since = c->starts == TS_NONE ? INT64_MIN : c->starts,
			    .until = c->expires == TS_NONE ? INT64_MAX : c->expires),
		    NULL))
		explain_say(x, "none", "the bill has no promotion credits in its period");
	explain_from_bill(x, &x->rows[x->n_rows - 1]);
}

static void add_left(struct explaining *x, const struct q_explain_credit_state *q)
{
	struct opt_i64 left = NONE;
	struct explain_row *row;

	left.set = q->used.set && nanos_sub(q->amount, q->used.v, &left.v);
	row = explain_nanos(x, "left", left, q->currency);
	if (left.set)
		row->formula = arena_printf(x->a, "%s - %s",
			explain_money(x, q->amount, q->currency),
			explain_money(x, q->used.v, q->currency));
	if (left.set && q->billed_from.set)
		explain_say(x, "limits",
			"the bill begins at %s, after the credit did: used is a lower "
			"bound, "
			"and left an upper bound",
			explain_time(x, q->billed_from.v));
}

void explain_credit(struct explaining *x, const char *key)
{
	const struct credit *c = credit_configured(x, key);
	struct explain_row *row;
	const struct q_explain_credit_state *q = q_explain_credit_state_row(x, .name = key);

	if (!q || !c) {
		err_first(x->e, E_NOTFOUND, "why: credit %s", key);
		return;
	}
	x->title = arena_printf(x->a, "credit %s", key);
	explain_section(x, "Definition");
	explain_nanos(x, "amount", SOME(q->amount), q->currency)->source = x->config;
	explain_when(x, "begins", c->starts == TS_NONE ? NONE : SOME(c->starts));
	row = explain_nanos(x, "used", q->used, q->currency);
	row->formula = q->used.set
		? "promotion credits on the bill since it began"
		: "no bill of its time, or a bill in a currency without a rate";
	explain_from_bill(x, row);
	add_left(x, q);
	explain_rows(
		x, NULL, q_explain_credit_end_read(x, .name = key, .now = x->now), NULL);
	months_of(x, c);
	/* terms of `used`: each is rounded once */
	explain_rows(x, "Converted into its currency, by rate",
		q_explain_credit_parts_read(x, .name = key, .currency = c->amount.cur),
		NULL);
	explain_alerts_of(x, "credits", key);
}

/* The calendar month, in Pacific days as Google counts them and in days of the configured zone,
 * reconciled with the invoice. Every difference has a row, so that all sums can be checked. */
#include "base/money.h"
#include "db_sql.h"
#include "reports/month/internal.h"
#include "rules/bill/reconcile.h"

#include <string.h>

/* ---- days of the zone ---------------------------------------------------------------------- */

static void calendar_add_days(struct monthly *m)
{
	struct doc_section *s = doc_section_like(m->doc, "days",
		arena_printf(m->a, "Days of %s in %s", m->label, tz_name(m->tz)), "costs",
		section_days, SECTION_DAYS);
	struct q_bill_account_days_rows rows = q_bill_account_days_rows(
		m, .first = m->first, .last = m->last);

	for (size_t i = 0; i < rows.n; i++) {
		struct ledger *l = month_ledger(m, rows.v[i].account, rows.v[i].currency);
		enum rec_status status = bill_end_status(&m->final.end, rows.v[i].ends,
			bill_known_day(
				&m->final.days, rows.v[i].account, (day_t)rows.v[i].day),
			m->ask->now);
		struct doc_row *row = month_amounts(s, l,
			&(struct charges){rows.v[i].cost, rows.v[i].credits},
			status != REC_SETTLED);

		row->folded = true;
		*doc_at(s, row, "day") = cell_text(rows.v[i].date);
		*doc_at(s, row, "status") = cell_text(rec_status_name(status));
		month_add(m, &l->zone, rows.v[i].cost, rows.v[i].credits);
	}
	if (s->n && !m->accounts) {
		s->chart.title = "Net cost by day";
		s->chart.label = 1;
		s->chart.value = 2;
	}
}

static const struct doc_column category_columns[] = {
	{"account", NULL, DOC_CODE},
	{"category", "category"},
	{"net", "net"},
	{"cost", "before credits"},
	{"credits", "credits", .rank = 1},
	{"promo"},
	{"currency"},
};

static void calendar_add_categories(void *ctx)
{
	struct monthly *m = ctx;

	month_add_by(m, "category", PART_CALENDAR,
		doc_section_like(m->doc, "categories",
			arena_printf(m->a, "Usage of %s by category, days of %s", m->label,
				tz_name(m->tz)),
			"costs", category_columns, ARRAY_LEN(category_columns)));
}

/* ---- from the invoice to the calendar ------------------------------------------------------ */

static const struct doc_column tie_columns[] = {
	{"account", NULL, DOC_CODE},
	{"step", NULL, DOC_TEXT},
	{"what", "item", DOC_TEXT},
	{"day"},
	{"invoice_month"},
	{"net", "net"},
	{"cost", "before credits", .rank = 1},
	{"credits", "credits", .rank = 1},
	{"currency"},
};

static struct doc_row *calendar_row(struct monthly *m, struct doc_section *s,
	const struct ledger *l, const char *step, const char *what, const struct charges *x)
{
	struct doc_row *row = month_amounts(s, l, x, m->final.status != MONTH_SETTLED);

	*doc_at(s, row, "step") = cell_text(step);
	*doc_at(s, row, "what") = cell_text(what);
	return row;
}

static void put_strays(struct monthly *m, struct doc_section *s, size_t ledger,
	const struct strays *x, bool ours)
{
	for (size_t i = 0; i < x->n; i++) {
		const struct stray *t = &x->v[i];
		const char *day = date_text(m->a, t->day), *what;
		struct charges amounts = {0};
		struct doc_row *row;

		if (t->ledger != ledger || !strcmp(t->invoice, m->invoice) != ours)
			continue;
		if (ours)
			what = arena_printf(m->a, "%s, on this invoice", day);
		else if (strlen(t->invoice) == 6)
			what = arena_printf(m->a, "%s, on invoice %.4s-%s", day, t->invoice,
				t->invoice + 4);
		else
			what = arena_printf(m->a, "%s, on no invoice yet", day);
		if (!ours)
			amounts = t->sums;
		else if (!nanos_sub(0, t->sums.cost, &amounts.cost) ||
			!nanos_sub(0, t->sums.credits, &amounts.credits)) {
			err_first(m->e, E_OVERFLOW, MONTH_TOO_LARGE);
			return;
		}
		row = calendar_row(m, s, &m->ledgers[ledger],
			ours ? "other-month" : "other-invoice", what, &amounts);
		*doc_at(s, row, "day") = cell_text(day);
		*doc_at(s, row, "invoice_month") = cell_text(
			*t->invoice ? t->invoice : NULL);
	}
}

/* Hours that are in this month in only one of the zones. */
static void put_shift(struct monthly *m, struct doc_section *s, const struct ledger *l,
	bool head, const struct charges *x)
{
	ts_t ours = head ? m->from : m->to, theirs = head ? m->pacific_from : m->pacific_to;
	bool plus = head ? ours < theirs : theirs < ours;
	cleanup(sbuf_done) struct sbuf from = SBUF_INIT, to = SBUF_INIT;
	struct doc_row *row;
	const char *month = plus ? (head ? "the month before" : "the month after")
				 : "this month";

	if (ours == theirs)
		return;
	doc_time_text(m->doc, ours < theirs ? ours : theirs, &from);
	doc_time_text(m->doc, ours < theirs ? theirs : ours, &to);
	row = calendar_row(m, s, l, head ? "zone-start" : "zone-end",
		head ? "difference at its start" : "difference at its end", x);
	row->detail = arena_printf(
		m->a, "%s to %s is %s in Pacific time.", from.s, to.s, month);
}

/* invoice - late + other */
static bool pacific_of(const struct ledger *l, struct charges *out)
{
	return nanos_sub(l->invoice.cost, l->late.cost, &out->cost) &&
		nanos_add(out->cost, l->other.cost, &out->cost) &&
		nanos_sub(l->invoice.credits, l->late.credits, &out->credits) &&
		nanos_add(out->credits, l->other.credits, &out->credits);
}

static void calendar_check(
	struct monthly *m, const struct ledger *l, const struct charges *pacific)
{
	struct charges x = *pacific;

	month_add(m, &x, l->head.cost, l->head.credits);
	month_add(m, &x, l->tail.cost, l->tail.credits);
	if (x.cost == l->zone.cost && x.credits == l->zone.credits)
		return;
	err_first(m->e, E_DB, "the sums of the month are inconsistent");
}

static void put_ledger(
	struct monthly *m, struct doc_section *s, size_t i, const struct strays *x)
{
	const struct ledger *l = &m->ledgers[i];
	struct charges pacific;
	struct doc_row *row;

	if (!pacific_of(l, &pacific)) {
		err_first(m->e, E_OVERFLOW, MONTH_TOO_LARGE);
		return;
	}
	calendar_check(m, l, &pacific);
	row = calendar_row(m, s, l, "invoice", arena_printf(m->a, "invoice %s", m->label),
		&l->invoice);
	row->total = true;
	row->detail = l->invoiced ? "Cost table of that invoice month: Total."
				  : "The billing data has no line on that invoice.";
	put_strays(m, s, i, x, true);
	put_strays(m, s, i, x, false);
	row = calendar_row(m, s, l, "pacific",
		arena_printf(m->a, "%s in Pacific days", m->label), &pacific);
	row->total = true;
	row->detail = "Reports page by usage date, the whole month, all credits included.";
	put_shift(m, s, l, true, &l->head);
	put_shift(m, s, l, false, &l->tail);
	row = calendar_row(m, s, l, "zone",
		arena_printf(m->a, "%s in days of %s", m->label, tz_name(m->tz)), &l->zone);
	row->total = true;
	row->command = arena_printf(m->a,
		"tpucost cost --since %s --until %s --by currency%s",
		date_text(m->a, m->first), date_text(m->a, m->last + 1), month_where(m, l));
}

void month_calendar(struct monthly *m)
{
	struct doc_section *s = doc_section_like(m->doc, "calendar", "Invoice and calendar",
		"costs", tie_columns, ARRAY_LEN(tie_columns));
	struct strays x = {0};

	s->note = "Differences between the invoice and the use in the month; each sum is "
		  "of the rows above it.";
	month_read_strays(m, &x);
	calendar_add_days(m);
	for (size_t i = 0; i < m->n; i++)
		put_ledger(m, s, i, &x);
	bill_sums_show(DB_READER(m), m->bill, calendar_add_categories, m);
}

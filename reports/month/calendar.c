/* The calendar month, in Pacific days as Google counts them and in days of the configured zone,
 * tied to the invoice: every difference is a row, so that all sums can be checked. */
#include "base/time/civil.h"
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/month/internal.h"
#include "rules/bill/reconcile.h"

#include <string.h>

/* ---- days of the zone ---------------------------------------------------------------------- */

static const struct doc_column day_columns[] = {
	{"account", "account", DOC_CODE, 0, 3},
	{"day", "day", DOC_TEXT, 0, 0},
	{"net", "net", DOC_MONEY, -1, 0},
	{"cost", "before credits", DOC_MONEY, -1, 1},
	{"credits", "credits", DOC_MONEY, -1, 1},
	{"currency", NULL, DOC_TEXT, 0, 0},
	{"status", "status", DOC_TEXT, 0, 2},
};

static enum err_code add_day(struct monthly *m, struct doc_section *s,
	const struct q_month_days *q, struct err *e)
{
	struct opt_i64 known = bill_known_day(&m->days, q->account, (day_t)q->day);
	enum rec_status status = rec_status_at(
		q->ends, known.set ? known.v : m->ask->now, m->ask->now);
	struct ledger *l = month_ledger(m, q->account, q->currency);
	struct doc_row *row = doc_row(m->doc, s);
	struct doc_cell *c = row->cells;

	status = bill_end_status(&m->end, q->ends, status);
	row->folded = true;
	c[0] = cell_code(*l->account ? l->account : NULL);
	c[1] = cell_text(arena_strdup(m->a, q->date));
	c[2] = cell_money(opt_add(SOME(q->cost), SOME(q->credits)), l->currency);
	c[3] = cell_money(SOME(q->cost), l->currency);
	c[4] = cell_money(SOME(q->credits), l->currency);
	c[5] = cell_text(l->currency);
	c[6] = cell_text(rec_status_name(status));
	for (int i = 2; i < 5; i++)
		if (status != REC_SETTLED)
			c[i] = cell_partial(c[i]);
	return month_add(&l->zone, q->cost, q->credits, e);
}

static enum err_code days(struct monthly *m, struct err *e)
{
	struct q_month_days_in in = {.first = m->first, .last = m->last};
	struct doc_section *s = doc_section(m->doc, "days",
		arena_printf(m->a, "Days of %s in %s", m->label, tz_name(m->tz)),
		day_columns, ARRAY_LEN(day_columns));
	struct q_month_days q;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (q_month_days_open(m->db, &in, &rows, e))
		return e->code;
	while (!rc && q_month_days_next(&rows, &q))
		rc = add_day(m, s, &q, e);
	if (s->n && !m->accounts) {
		s->chart.title = "Net cost by day";
		s->chart.label = 1;
		s->chart.value = 2;
	}
	return db_rows_end(&rows, rc, e);
}

static const struct doc_column category_columns[] = {
	{"account", "account", DOC_CODE, 0, 4},
	{"category", "category", DOC_TEXT, 0, 0},
	{"net", "net", DOC_MONEY, -1, 0},
	{"cost", "before credits", DOC_MONEY, -1, 0},
	{"credits", "credits", DOC_MONEY, -1, 1},
	{"promo", NULL, DOC_MONEY, -1, 0},
	{"currency", NULL, DOC_TEXT, 0, 0},
};

static enum err_code categories(struct monthly *m, struct err *e)
{
	struct doc_section *s = doc_section(m->doc, "categories",
		arena_printf(m->a, "Usage of %s by category, days of %s", m->label,
			tz_name(m->tz)),
		category_columns, ARRAY_LEN(category_columns));
	struct q_month_categories q;
	struct db_rows rows;

	if (q_month_categories_open(m->db, &rows, e))
		return e->code;
	while (q_month_categories_next(&rows, &q)) {
		struct doc_cell *c = doc_row(m->doc, s)->cells;
		const char *currency = arena_strdup(m->a, q.currency);

		c[0] = cell_code(*q.account ? arena_strdup(m->a, q.account) : NULL);
		c[1] = cell_text(arena_strdup(m->a, q.category));
		c[2] = month_money(m, opt_add(SOME(q.cost), SOME(q.credits)), currency);
		c[3] = month_money(m, SOME(q.cost), currency);
		c[4] = month_money(m, SOME(q.credits), currency);
		c[5] = month_money(m, SOME(q.promo), currency);
		c[6] = cell_text(currency);
	}
	return db_rows_close(&rows, e);
}

/* ---- from the invoice to the calendar ------------------------------------------------------ */

static const struct doc_column tie_columns[] = {
	{"account", "account", DOC_CODE, 0, 5},
	{"step", NULL, DOC_TEXT, 0, 0},
	{"what", "what", DOC_TEXT, 0, 0},
	{"day", NULL, DOC_TEXT, 0, 0},
	{"invoice_month", NULL, DOC_TEXT, 0, 0},
	{"net", "net", DOC_MONEY, -1, 0},
	{"cost", "before credits", DOC_MONEY, -1, 1},
	{"credits", "credits", DOC_MONEY, -1, 1},
	{"currency", NULL, DOC_TEXT, 0, 0},
};

static struct doc_row *put(struct monthly *m, struct doc_section *s, const struct ledger *l,
	const char *step, const char *what, const struct charges *x)
{
	struct doc_row *row = doc_row(m->doc, s);
	struct doc_cell *c = row->cells;

	c[0] = cell_code(*l->account ? l->account : NULL);
	c[1] = cell_text(step);
	c[2] = cell_text(what);
	c[5] = month_money(m, opt_add(SOME(x->cost), SOME(x->credits)), l->currency);
	c[6] = month_money(m, SOME(x->cost), l->currency);
	c[7] = month_money(m, SOME(x->credits), l->currency);
	c[8] = cell_text(l->currency);
	return row;
}

static enum err_code put_strays(struct monthly *m, struct doc_section *s, size_t ledger,
	const struct strays *x, bool ours, struct err *e)
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
			!nanos_sub(0, t->sums.credits, &amounts.credits))
			return err_set(e, E_OVERFLOW, "the costs of the month do not fit");
		row = put(m, s, &m->ledgers[ledger], ours ? "other-month" : "other-invoice",
			what, &amounts);
		row->cells[3] = cell_text(day);
		row->cells[4] = cell_text(*t->invoice ? t->invoice : NULL);
	}
	return E_OK;
}

/* The hours that are of this month in one zone only. */
static void put_shift(struct monthly *m, struct doc_section *s, const struct ledger *l,
	bool head, const struct charges *x)
{
	ts_t ours = head ? m->from : m->to, theirs = head ? m->pacific_from : m->pacific_to;
	bool plus = head ? ours < theirs : theirs < ours;
	struct sbuf from = SBUF_INIT, to = SBUF_INIT;
	struct doc_row *row;
	const char *month = plus ? (head ? "the month before" : "the month after")
				 : "this month";

	if (ours == theirs)
		return;
	doc_time_text(m->doc, ours < theirs ? ours : theirs, &from);
	doc_time_text(m->doc, ours < theirs ? theirs : ours, &to);
	row = put(m, s, l, head ? "zone-start" : "zone-end",
		head ? "difference at its start" : "difference at its end", x);
	row->detail = arena_printf(
		m->a, "%s to %s is %s in Pacific time.", from.s, to.s, month);
	sbuf_done(&from);
	sbuf_done(&to);
}

/* invoice - late + other */
static bool pacific_of(const struct ledger *l, struct charges *out)
{
	return nanos_sub(l->invoice.cost, l->late.cost, &out->cost) &&
		nanos_add(out->cost, l->other.cost, &out->cost) &&
		nanos_sub(l->invoice.credits, l->late.credits, &out->credits) &&
		nanos_add(out->credits, l->other.credits, &out->credits);
}

static enum err_code check(
	const struct ledger *l, const struct charges *pacific, struct err *e)
{
	struct charges x = *pacific;

	if (month_add(&x, l->head.cost, l->head.credits, e) ||
		month_add(&x, l->tail.cost, l->tail.credits, e))
		return e->code;
	if (x.cost == l->zone.cost && x.credits == l->zone.credits)
		return E_OK;
	return err_set(e, E_DB, "the sums of the month do not tie");
}

static enum err_code put_ledger(struct monthly *m, struct doc_section *s, size_t i,
	const struct strays *x, struct err *e)
{
	const struct ledger *l = &m->ledgers[i];
	struct charges pacific;
	struct doc_row *row;

	if (!pacific_of(l, &pacific))
		return err_set(e, E_OVERFLOW, "the costs of the month do not fit");
	if (check(l, &pacific, e))
		return e->code;
	row = put(m, s, l, "invoice", arena_printf(m->a, "invoice %s", m->label),
		&l->invoice);
	row->total = true;
	row->detail = l->invoiced ? "Cost table of that invoice month: Total."
				  : "The billing data has nothing on that invoice.";
	if (put_strays(m, s, i, x, true, e) || put_strays(m, s, i, x, false, e))
		return e->code;
	row = put(m, s, l, "pacific", arena_printf(m->a, "%s in Pacific days", m->label),
		&pacific);
	row->total = true;
	row->detail = "Reports page by usage date, the whole month, every credit counted.";
	put_shift(m, s, l, true, &l->head);
	put_shift(m, s, l, false, &l->tail);
	row = put(m, s, l, "zone",
		arena_printf(m->a, "%s in days of %s", m->label, tz_name(m->tz)), &l->zone);
	row->total = true;
	row->detail = arena_printf(m->a, "tpucost cost --since %s --until %s --by currency",
		date_text(m->a, m->first), date_text(m->a, m->last + 1));
	return E_OK;
}

enum err_code month_calendar(struct monthly *m, struct err *e)
{
	struct doc_section *s = doc_section(m->doc, "calendar", "Invoice and calendar",
		tie_columns, ARRAY_LEN(tie_columns));
	struct strays x = {0};

	s->note =
		"From what is on the invoice to what was used in the month; each sum is of "
		"the rows above it.";
	if (month_read_strays(m, &x, e) || days(m, e))
		return e->code;
	for (size_t i = 0; i < m->n; i++)
		if (put_ledger(m, s, i, &x, e))
			return e->code;
	return month_of_bill(m, categories, e);
}

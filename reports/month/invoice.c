/* The invoice: only Google's field says what is on it. Account-level rows are on it too. */
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/month/internal.h"

#include <string.h>

/* ---- its lines ----------------------------------------------------------------------------- */

static const struct doc_column line_columns[] = {
	{"account", "account", DOC_CODE, 0, 3},
	{"line", "line", DOC_TEXT, 0, 0},
	{"amount", "amount", DOC_MONEY, -1, 0},
	{"currency", NULL, DOC_TEXT, 0, 0},
};

/* One line before it gets its place: those of an account stand together. */
struct line {
	size_t ledger;
	const char *text, *console;
	int64_t amount;
};

struct lines {
	struct line *v;
	size_t n, cap;
};

/* Figures of the console: Billing, Cost table, with the invoice month and no other filter
 * (Cloud Billing documentation, "Cost table report"). */
static const struct {
	const char *cost_type, *text, *console;
} cost_types[] = {
	{"regular", "usage", "Cost table: the column Cost of the rows of type Usage."},
	{"tax", "tax", "Cost table: Tax."},
	{"adjustment", "adjustments", "Cost table: the rows of type Adjustment."},
	{"rounding_error", "rounding", "Cost table: the rows of type Rounding error."},
};

static size_t ledger_at(struct monthly *m, const char *account, const char *currency)
{
	struct ledger *l = month_ledger(m, account, currency);

	l->invoiced = true;
	return (size_t)(l - m->ledgers);
}

static struct line *add_line(struct monthly *m, struct lines *x, size_t ledger)
{
	x->v = arena_grow(m->a, x->v, x->n, &x->cap, sizeof(*x->v));
	x->v[x->n] = (struct line){.ledger = ledger};
	return &x->v[x->n++];
}

static enum err_code add_tax(struct ledger *l, int64_t amount, struct err *e)
{
	if (nanos_add(l->tax, amount, &l->tax))
		return E_OK;
	return err_set(e, E_OVERFLOW, "the taxes of the month do not fit");
}

static enum err_code read_costs(struct monthly *m, struct lines *x, struct err *e)
{
	struct q_month_cost_types_in in = {.month = m->invoice};
	struct q_month_cost_types q;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (q_month_cost_types_open(m->db, &in, &rows, e))
		return e->code;
	while (!rc && q_month_cost_types_next(&rows, &q)) {
		size_t at = ledger_at(m, q.account, q.currency);
		struct line *line = add_line(m, x, at);

		line->amount = q.cost;
		line->text = arena_strdup(m->a, *q.cost_type ? q.cost_type : "other");
		for (size_t i = 0; i < ARRAY_LEN(cost_types); i++)
			if (!strcmp(cost_types[i].cost_type, q.cost_type)) {
				line->text = cost_types[i].text;
				line->console = cost_types[i].console;
			}
		rc = month_add(&m->ledgers[at].invoice, q.cost, 0, e);
		if (!rc && !strcmp(q.cost_type, "tax"))
			rc = add_tax(&m->ledgers[at], q.cost, e);
	}
	return db_rows_end(&rows, rc, e);
}

static enum err_code add_credits(struct monthly *m, struct lines *x, struct err *e)
{
	struct q_month_credit_types q;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (q_month_credit_types_open(m->db, &rows, e))
		return e->code;
	while (!rc && q_month_credit_types_next(&rows, &q)) {
		size_t at = ledger_at(m, q.account, q.currency);
		struct line *line = add_line(m, x, at);
		bool promotion = !strcmp(q.credit_type, "PROMOTION");
		bool regular = !strcmp(q.cost_type, "regular");

		line->amount = q.credits;
		line->text = arena_printf(m->a, "credits: %s%s%s",
			*q.credit_type ? q.credit_type : "of no type",
			regular ? "" : ", on ", regular ? "" : q.cost_type);
		line->console = promotion
			? "Cost table: of the column Promotions and others."
			: "Cost table: of the credit columns.";
		rc = month_add(&m->ledgers[at].invoice, 0, q.credits, e);
		if (!rc && !strcmp(q.cost_type, "tax"))
			rc = add_tax(&m->ledgers[at], q.credits, e);
	}
	return db_rows_end(&rows, rc, e);
}

static enum err_code read_credits(struct monthly *m, struct lines *x, struct err *e)
{
	cleanup(ref_sums_done) struct ref_sums sums = {0};
	enum err_code rc;

	if (month_sum_credits(m, &sums, e) || ref_sums_show(m->db, &sums, e))
		return e->code;
	rc = add_credits(m, x, e);
	ref_sums_hide(m->db);
	return rc;
}

static void put_line(struct monthly *m, struct doc_section *s, const struct ledger *l,
	const char *text, struct opt_i64 amount, const char *console, bool total)
{
	struct doc_row *row = doc_row(m->doc, s);

	row->cells[0] = cell_code(*l->account ? l->account : NULL);
	row->cells[1] = cell_text(text);
	row->cells[2] = month_money(m, amount, l->currency);
	row->cells[3] = cell_text(l->currency);
	row->detail = console;
	row->total = total;
}

static enum err_code lines(struct monthly *m, struct err *e)
{
	struct doc_section *s = doc_section(
		m->doc, "invoice", "The invoice", line_columns, ARRAY_LEN(line_columns));
	struct lines x = {0};

	s->brief = true;
	s->empty = "Nothing is on this invoice.";
	if (read_costs(m, &x, e) || read_credits(m, &x, e))
		return e->code;
	for (size_t i = 0; i < m->n; i++) {
		const struct ledger *l = &m->ledgers[i];
		struct opt_i64 net = opt_add(
			SOME(l->invoice.cost), SOME(l->invoice.credits));

		if (!l->invoiced)
			continue;
		for (size_t k = 0; k < x.n; k++)
			if (x.v[k].ledger == i)
				put_line(m, s, l, x.v[k].text, SOME(x.v[k].amount),
					x.v[k].console, false);
		put_line(m, s, l, "subtotal, without tax", opt_sub(net, SOME(l->tax)),
			"Cost table: Subtotal.", true);
		put_line(m, s, l, "total", net,
			"Cost table: Total, and the total of the invoice or statement.",
			true);
	}
	return E_OK;
}

/* ---- where it comes from ------------------------------------------------------------------- */

#define SUMS                                                                            \
	{"net", "net", DOC_MONEY, -1, 0}, {"cost", "before credits", DOC_MONEY, -1, 0}, \
		{"credits", "credits", DOC_MONEY, -1, 1},                               \
		{"promo", NULL, DOC_MONEY, -1, 0},                                      \
	{                                                                               \
		"currency", NULL, DOC_TEXT, 0, 0                                        \
	}

static const struct doc_column project_columns[] = {{"account", "account", DOC_CODE, 0, 4},
	{"project", "project", DOC_TEXT, 0, 0}, SUMS};
static const struct doc_column service_columns[] = {{"account", "account", DOC_CODE, 0, 4},
	{"service", "service", DOC_TEXT, 0, 0}, SUMS};
static const struct doc_column sku_columns[] = {{"account", "account", DOC_CODE, 0, 4},
	{"sku", "SKU", DOC_TEXT, 0, 0}, {"service", "service", DOC_TEXT, 0, 5},
	{"sku_id", NULL, DOC_CODE, 0, 0}, SUMS};

static void put_sums(const struct monthly *m, struct doc_cell *c, int64_t cost,
	int64_t credits, int64_t promo, const char *currency)
{
	c[0] = month_money(m, opt_add(SOME(cost), SOME(credits)), currency);
	c[1] = month_money(m, SOME(cost), currency);
	c[2] = month_money(m, SOME(credits), currency);
	c[3] = month_money(m, SOME(promo), currency);
	c[4] = cell_text(currency);
}

static enum err_code by_project(struct monthly *m, struct err *e)
{
	struct doc_section *s = doc_section(m->doc, "projects", "By project",
		project_columns, ARRAY_LEN(project_columns));
	struct q_month_projects q;
	struct db_rows rows;

	s->more = arena_printf(m->a, "tpucost cost --month %s --by project", m->label);
	if (q_month_projects_open(m->db, &rows, e))
		return e->code;
	while (q_month_projects_next(&rows, &q)) {
		struct doc_row *row = doc_row(m->doc, s);

		row->cells[0] = cell_code(
			*q.account ? arena_strdup(m->a, q.account) : NULL);
		row->cells[1] = cell_text(arena_strdup(m->a, q.project));
		if (!q.project)
			row->detail = "Of the billing account itself: tax, support, "
				      "adjustments.";
		put_sums(m, row->cells + 2, q.cost, q.credits, q.promo,
			arena_strdup(m->a, q.currency));
	}
	return db_rows_close(&rows, e);
}

static enum err_code by_service(struct monthly *m, struct err *e)
{
	struct doc_section *s = doc_section(m->doc, "services", "By service",
		service_columns, ARRAY_LEN(service_columns));
	struct q_month_services q;
	struct db_rows rows;

	s->more = arena_printf(m->a, "tpucost cost --month %s --by service", m->label);
	if (q_month_services_open(m->db, &rows, e))
		return e->code;
	while (q_month_services_next(&rows, &q)) {
		struct doc_cell *c = doc_row(m->doc, s)->cells;

		c[0] = cell_code(*q.account ? arena_strdup(m->a, q.account) : NULL);
		c[1] = cell_text(arena_strdup(m->a, q.service));
		put_sums(m, c + 2, q.cost, q.credits, q.promo,
			arena_strdup(m->a, q.currency));
	}
	return db_rows_close(&rows, e);
}

/* The last row of an account and currency has what is below its top twenty. */
struct rest {
	const struct ledger *ledger;
	size_t n, left;
	struct charges sums;
	int64_t promo;
};

static void put_rest(struct monthly *m, struct doc_section *s, const struct rest *r)
{
	struct doc_row *row;

	if (!r->left)
		return;
	row = doc_row(m->doc, s);
	row->cells[0] = cell_code(*r->ledger->account ? r->ledger->account : NULL);
	row->cells[1] = cell_text(arena_printf(m->a, "%zu more SKUs", r->left));
	put_sums(m, row->cells + 4, r->sums.cost, r->sums.credits, r->promo,
		r->ledger->currency);
}

static enum err_code put_sku(struct monthly *m, struct doc_section *s, struct rest *r,
	const struct q_month_skus *q, struct err *e)
{
	struct ledger *l = month_ledger(m, q->account, q->currency);
	struct doc_cell *c;

	if (r->ledger != l) {
		put_rest(m, s, r);
		*r = (struct rest){.ledger = l};
	}
	if (++r->n > MONTH_TOP) {
		r->left++;
		if (!nanos_add(r->promo, q->promo, &r->promo))
			return err_set(
				e, E_OVERFLOW, "the promotions of the month do not fit");
		return month_add(&r->sums, q->cost, q->credits, e);
	}
	c = doc_row(m->doc, s)->cells;
	c[0] = cell_code(*l->account ? l->account : NULL);
	c[1] = cell_text(arena_strdup(m->a, q->sku));
	c[2] = cell_text(arena_strdup(m->a, q->service));
	c[3] = cell_code(*q->sku_id ? arena_strdup(m->a, q->sku_id) : NULL);
	put_sums(m, c + 4, q->cost, q->credits, q->promo, l->currency);
	return E_OK;
}

static enum err_code by_sku(struct monthly *m, struct err *e)
{
	struct doc_section *s = doc_section(
		m->doc, "skus", "By SKU", sku_columns, ARRAY_LEN(sku_columns));
	struct rest rest = {0};
	struct q_month_skus q;
	struct db_rows rows;
	enum err_code rc = E_OK;

	s->more = arena_printf(m->a, "tpucost cost --month %s --by sku", m->label);
	if (q_month_skus_open(m->db, &rows, e))
		return e->code;
	while (!rc && q_month_skus_next(&rows, &q))
		rc = put_sku(m, s, &rest, &q, e);
	if (!rc)
		put_rest(m, s, &rest);
	return db_rows_end(&rows, rc, e);
}

static enum err_code by_what(struct monthly *m, struct err *e)
{
	return by_project(m, e) || by_service(m, e) || by_sku(m, e) ? e->code : E_OK;
}

enum err_code month_invoice(struct monthly *m, struct err *e)
{
	return lines(m, e) ? e->code : month_of_bill(m, by_what, e);
}

/* The invoice: only Google's field determines its lines. It includes account-level rows. */
#include "base/money.h"
#include "base/str.h"
#include "db_sql.h"
#include "reports/month/internal.h"

#include <string.h>

/* ---- its lines ----------------------------------------------------------------------------- */

static const struct doc_column line_columns[] = {
	{"account", "account", DOC_CODE, .rank = 3},
	{"line", "line", DOC_TEXT},
	{"amount", "amount", DOC_MONEY, -1},
	{"currency", NULL, DOC_TEXT},
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

static struct doc_row *invoice_put_line(struct monthly *m, struct doc_section *s,
	const struct ledger *l, const char *text, struct opt_i64 amount)
{
	struct doc_row *row = month_row(s, l);
	struct doc_cell c = cell_money(amount, l->currency);

	*doc_at(s, row, "line") = cell_text(text);
	*doc_at(s, row, "amount") = m->status == MONTH_SETTLED ? c : cell_partial(c);
	return row;
}

static void put_sums(struct monthly *m, struct doc_section *s, const struct ledger *l)
{
	struct opt_i64 net = opt_add(SOME(l->invoice.cost), SOME(l->invoice.credits));
	struct doc_row *row = invoice_put_line(
		m, s, l, "subtotal, without tax", opt_sub(net, SOME(l->tax)));

	row->total = true;
	row->detail = "Cost table: Subtotal.";
	row = invoice_put_line(m, s, l, "total", net);
	row->total = true;
	row->detail = "Cost table: Total, and the total of the invoice or statement.";
}

static enum err_code invoice_add_line(struct monthly *m, struct doc_section *s,
	struct ledger *l, const struct q_month_lines *q, struct err *e)
{
	const char *text = *q->cost_type ? q->cost_type : "other", *console = NULL;

	for (size_t i = 0; !q->credit && i < ARRAY_LEN(cost_types); i++)
		if (!strcmp(cost_types[i].cost_type, q->cost_type)) {
			text = cost_types[i].text;
			console = cost_types[i].console;
		}
	if (q->credit) {
		bool regular = !strcmp(q->cost_type, "regular");

		text = arena_printf(m->a, "credits: %s%s%s",
			*q->credit_type ? q->credit_type : "of no type",
			regular ? "" : ", on ", regular ? "" : q->cost_type);
		console = !strcmp(q->credit_type, "PROMOTION")
			? "Cost table: column Promotions and others."
			: "Cost table: credit columns.";
	}
	invoice_put_line(m, s, l, text, SOME(q->amount))->detail = console;
	l->invoiced = true;
	if (month_add(&l->invoice, q->credit ? 0 : q->amount, q->credit ? q->amount : 0, e))
		return e->code;
	if (!strcmp(q->cost_type, "tax") && !nanos_add(l->tax, q->amount, &l->tax))
		return err_set(e, E_OVERFLOW, "the taxes of the month do not fit");
	return E_OK;
}

static enum err_code invoice_add_lines(void *ctx, struct err *e)
{
	struct monthly *m = ctx;
	struct doc_section *s = doc_section(
		m->doc, "invoice", "The invoice", line_columns, ARRAY_LEN(line_columns));
	struct q_month_lines_in in = {.month = m->invoice};
	struct q_month_lines *v;
	size_t n;

	s->brief = true;
	s->empty = "This invoice has no lines.";
	if (q_month_lines_all(m->db, &in, m->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		struct ledger *l = month_ledger(m, v[i].account, v[i].currency);

		if (invoice_add_line(m, s, l, &v[i], e))
			return e->code;
		if (i + 1 == n || strcmp(v[i].account, v[i + 1].account) != 0 ||
			strcmp(v[i].currency, v[i + 1].currency) != 0)
			put_sums(m, s, l);
	}
	return E_OK;
}

/* ---- parts --------------------------------------------------------------------------------- */

#define SUMS                                                                           \
	{"net", "net"}, {"cost", "before credits"}, {"credits", "credits", .rank = 1}, \
		{"promo"},                                                             \
	{                                                                              \
		"currency"                                                             \
	}

static const struct doc_column project_columns[] = {
	{"account", "account", DOC_CODE, .rank = 4}, {"project", "project"}, SUMS};
static const struct doc_column service_columns[] = {
	{"account", "account", DOC_CODE, .rank = 4}, {"service", "service"}, SUMS};
static const struct doc_column sku_columns[] = {{"account", "account", DOC_CODE, .rank = 4},
	{"sku", "SKU"}, {"service", "service", .rank = 5}, {"sku_id", NULL, DOC_CODE},
	SUMS};

/* The row that sums up the SKUs below the top twenty: the first of them, with `left` of them so
 * far. */
static enum err_code add_to_rest(struct monthly *m, struct doc_section *s,
	struct doc_row *rest, const struct doc_row *row, size_t left, struct err *e)
{
	static const char *const keys[] = {"cost", "credits", "promo"};

	for (size_t i = 0; left > 1 && i < ARRAY_LEN(keys); i++) {
		int64_t *sum = &doc_at(s, rest, keys[i])->v;

		if (!nanos_add(*sum, doc_at(s, row, keys[i])->v, sum))
			return err_set(e, E_OVERFLOW,
				i < 2 ? MONTH_TOO_LARGE
				      : "the promotions of the month do not fit");
	}
	*doc_at(s, rest, "sku") = cell_text(arena_printf(m->a, "%zu more SKUs", left));
	*doc_at(s, rest, "service") = *doc_at(s, rest, "sku_id") = cell_text(NULL);
	section_net(s, rest, m->status != MONTH_SETTLED);
	return E_OK;
}

static enum err_code fold_skus(struct monthly *m, struct doc_section *s, struct err *e)
{
	const char *account = NULL, *currency = NULL;
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct doc_row row = s->rows[i];
		const char *a = doc_at(s, &row, "account")->text;
		const char *c = doc_at(s, &row, "currency")->text;

		n = i && str_eq(a, account) && str_eq(c, currency) ? n + 1 : 1;
		account = a;
		currency = c;
		if (n <= MONTH_TOP + 1)
			s->rows[kept++] = row;
		if (n > MONTH_TOP &&
			add_to_rest(m, s, &s->rows[kept - 1], &row, n - MONTH_TOP, e))
			return e->code;
	}
	s->n = kept;
	return E_OK;
}

static enum err_code invoice_add_parts(void *ctx, struct err *e)
{
	static const struct {
		const char *key, *title, *by;
		const struct doc_column *columns;
		int n;
	} parts[] = {
		{"projects", "By project", "project", project_columns,
			ARRAY_LEN(project_columns)},
		{"services", "By service", "service", service_columns,
			ARRAY_LEN(service_columns)},
		{"skus", "By SKU", "sku", sku_columns, ARRAY_LEN(sku_columns)},
	};
	struct monthly *m = ctx;
	struct doc_section *s = NULL;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		s = doc_section_like(m->doc, parts[i].key, parts[i].title, "costs",
			parts[i].columns, parts[i].n);
		s->more = arena_printf(
			m->a, "tpucost cost --month %s --by %s", m->label, parts[i].by);
		if (month_add_by(m, parts[i].by, PART_INVOICE, s, e))
			return e->code;
	}
	return fold_skus(m, s, e);
}

enum err_code month_invoice(struct monthly *m, struct err *e)
{
	struct q_month_credits_in in = {.month = m->invoice};
	cleanup(ref_sums_done) struct ref_sums credits = {0};
	struct db_rows rows;

	if (q_month_credits_open(m->db, &in, &rows, e) ||
		bill_sums_add(&credits, &rows, MONTH_TOO_LARGE, e) ||
		bill_sums_show(m->db, &credits, invoice_add_lines, m, e))
		return e->code;
	return bill_sums_show(m->db, m->bill, invoice_add_parts, m, e);
}

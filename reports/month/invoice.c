/* The invoice: only Google's field determines its lines. It includes account-level rows. */
#include "base/money.h"
#include "base/str.h"
#include "db_sql.h"
#include "reports/month/internal.h"

#include <string.h>

/* ---- its lines ----------------------------------------------------------------------------- */

static const struct doc_column line_columns[] = {
	{"account", NULL, DOC_CODE},
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
	*doc_at(s, row, "amount") = m->final.status == MONTH_SETTLED ? c : cell_partial(c);
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

static void invoice_add_line(struct monthly *m, struct doc_section *s, struct ledger *l,
	const struct q_month_lines *q)
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
	month_add(m, &l->invoice, q->credit ? 0 : q->amount, q->credit ? q->amount : 0);
	if (!strcmp(q->cost_type, "tax") && !nanos_add(l->tax, q->amount, &l->tax)) {
		err_first(m->e, E_OVERFLOW, "the taxes of the month do not fit");
		return;
	}
}

static void invoice_add_lines(void *ctx)
{
	struct monthly *m = ctx;
	struct doc_section *s = doc_section(
		m->doc, "invoice", "The invoice", line_columns, ARRAY_LEN(line_columns));
	struct q_month_lines_rows rows = q_month_lines_rows(m, .month = m->invoice);

	s->brief = true;
	s->empty = "This invoice has no lines.";
	for (size_t i = 0; i < rows.n; i++) {
		const struct q_month_lines *q = &rows.v[i];
		struct ledger *l = month_ledger(m, q->account, q->currency);

		invoice_add_line(m, s, l, q);
		if (i + 1 == rows.n || strcmp(q->account, q[1].account) != 0 ||
			strcmp(q->currency, q[1].currency) != 0)
			put_sums(m, s, l);
	}
}

/* ---- parts --------------------------------------------------------------------------------- */

#define SUMS                                                                           \
	{"net", "net"}, {"cost", "before credits"}, {"credits", "credits", .rank = 1}, \
		{"promo"},                                                             \
	{                                                                              \
		"currency"                                                             \
	}

static const struct doc_column project_columns[] = {
	{"account", NULL, DOC_CODE}, {"project", "project"}, SUMS};
static const struct doc_column service_columns[] = {
	{"account", NULL, DOC_CODE}, {"service", "service"}, SUMS};
static const struct doc_column sku_columns[] = {{"account", NULL, DOC_CODE}, {"sku", "SKU"},
	{"service", "service", .rank = 5}, {"sku_id", NULL, DOC_CODE}, SUMS};

/* The row that sums up the SKUs below the top twenty: the first of them, with `left` of them so
 * far. */
static void add_to_rest(struct monthly *m, struct doc_section *s, struct doc_row *rest,
	const struct doc_row *row, size_t left)
{
	static const char *const keys[] = {"cost", "credits", "promo"};

	for (size_t i = 0; left > 1 && i < ARRAY_LEN(keys); i++) {
		int64_t *sum = &doc_at(s, rest, keys[i])->v;

		if (!nanos_add(*sum, doc_at(s, row, keys[i])->v, sum)) {
			err_first(m->e, E_OVERFLOW,
				i < 2 ? MONTH_TOO_LARGE
				      : "the promotions of the month do not fit");
			return;
		}
	}
	*doc_at(s, rest, "sku") = cell_text(arena_printf(m->a, "%zu more SKUs", left));
	*doc_at(s, rest, "service") = *doc_at(s, rest, "sku_id") = cell_text(NULL);
	section_net(s, rest, m->final.status != MONTH_SETTLED);
}

static void fold_skus(struct monthly *m, struct doc_section *s)
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
		if (n > MONTH_TOP)
			add_to_rest(m, s, &s->rows[kept - 1], &row, n - MONTH_TOP);
	}
	s->n = kept;
}

static void invoice_add_parts(void *ctx)
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
		s->more = arena_printf(m->a, "tpucost cost --month %s --by %s%s", m->label,
			m->accounts ? "account," : "", parts[i].by);
		month_add_by(m, parts[i].by, PART_INVOICE, s);
	}
	fold_skus(m, s);
}

void month_invoice(struct monthly *m)
{
	cleanup(ref_sums_done) struct ref_sums credits = {0};

	bill_sums_add(&credits, q_month_credits_read(m, .month = m->invoice),
		MONTH_TOO_LARGE, m->e);
	bill_sums_show(DB_READER(m), &credits, invoice_add_lines, m);
	bill_sums_show(DB_READER(m), m->bill, invoice_add_parts, m);
}

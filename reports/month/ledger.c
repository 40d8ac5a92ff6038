/* Ledgers: the bill of an account in a currency, and the display of its amounts. */
#include "base/money.h"
#include "db_sql.h"
#include "reports/fix.h"
#include "reports/month/internal.h"

#include <string.h>

struct ledger *month_ledger(struct monthly *m, const char *account, const char *currency)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->ledgers[i].account, account) &&
			!strcmp(m->ledgers[i].currency, currency))
			return &m->ledgers[i];
	for (size_t i = 0; i < m->n; i++)
		m->accounts |= strcmp(m->ledgers[i].account, account) != 0;
	*arena_append(m->a, m->ledgers, m->n, m->cap) = (struct ledger){
		.account = arena_strdup(m->a, account),
		.currency = arena_strdup(m->a, currency)};
	return &m->ledgers[m->n - 1];
}

void month_add(struct monthly *m, struct charges *to, int64_t cost, int64_t credits)
{
	if (!nanos_add(to->cost, cost, &to->cost) ||
		!nanos_add(to->credits, credits, &to->credits))
		err_first(m->e, E_OVERFLOW, MONTH_TOO_LARGE);
}

struct doc_row *month_row(struct doc_section *s, const struct ledger *l)
{
	struct doc_row *row = doc_row(s);

	*doc_at(s, row, "account") = cell_code(*l->account ? l->account : NULL);
	*doc_at(s, row, "currency") = cell_text(l->currency);
	return row;
}

struct doc_row *month_amounts(struct doc_section *s, const struct ledger *l,
	const struct charges *x, bool partial)
{
	struct doc_row *row = month_row(s, l);

	*doc_at(s, row, "cost") = cell_money(SOME(x->cost), l->currency);
	*doc_at(s, row, "credits") = cell_money(SOME(x->credits), l->currency);
	section_net(s, row, partial);
	return row;
}

const char *month_where(const struct monthly *m, const struct ledger *l)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (!m->accounts)
		return "";
	sbuf_adds(&b, *l->account ? "account = '" : "account IS NULL");
	for (const char *s = l->account; *s; s++)
		sbuf_addf(&b, "%s%c", *s == '\'' ? "'" : "", *s);
	sbuf_adds(&b, *l->account ? "'" : "");
	return fix_with(" --where ", b.s, m->a);
}

void month_group(struct monthly *m)
{
	for (size_t i = 0; m->accounts && i < m->doc->n; i++) {
		struct doc_section *s = m->doc->sections[i];

		if (s->n_columns && !strcmp(s->columns[0].key, "account"))
			s->group = "account";
	}
}

void month_sum_bill(struct monthly *m)
{
	bill_sums_add(m->bill,
		q_month_bill_read(
			m, .month = m->invoice, .first = m->first, .last = m->last),
		MONTH_TOO_LARGE, m->e);
}

void month_add_by(struct monthly *m, const char *by, int part, struct doc_section *s)
{
	struct doc_row *row;
	struct db_rows rows = q_bill_by_read(m, .by = by, .accounts = 1, .part = part);

	while ((row = doc_read(s, &rows))) {
		section_net(s, row, m->final.status != MONTH_SETTLED);
		if (!strcmp(by, "project") && !doc_at(s, row, "project")->type)
			row->detail = OF_THE_ACCOUNT;
	}
}

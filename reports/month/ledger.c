/* What an account is billed in a currency, and how its amounts are shown. */
#include "base/money.h"
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
	m->ledgers = arena_grow(m->a, m->ledgers, m->n, &m->cap, sizeof(*m->ledgers));
	m->ledgers[m->n] = (struct ledger){.account = arena_strdup(m->a, account),
		.currency = arena_strdup(m->a, currency)};
	return &m->ledgers[m->n++];
}

enum err_code month_add(struct charges *to, int64_t cost, int64_t credits, struct err *e)
{
	if (nanos_add(to->cost, cost, &to->cost) &&
		nanos_add(to->credits, credits, &to->credits))
		return E_OK;
	return err_set(e, E_OVERFLOW, "the costs of the month do not fit");
}

struct doc_cell month_money(
	const struct monthly *m, struct opt_i64 nanos, const char *currency)
{
	struct doc_cell c = cell_money(nanos, currency);

	return m->status == MONTH_SETTLED ? c : cell_partial(c);
}

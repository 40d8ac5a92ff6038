#include "rules/bill/rates.h"

#include "base/money.h"
#include "db_sql.h"

#include <string.h>

enum err_code bill_rate(struct bill_rates *known, struct db *db, struct arena *a,
	const char *cur, int64_t *out, struct err *e)
{
	struct q_newest_rate_in in = {.currency = cur};
	struct q_newest_rate row;
	bool found = true;

	*out = NANOS;
	if (!strcmp(cur, "USD"))
		return E_OK;
	for (size_t i = 0; i < known->n; i++)
		if (!strcmp(known->v[i].currency, cur)) {
			*out = known->v[i].rate;
			return E_OK;
		}
	if (q_newest_rate_one(db, &in, a, &row, &found, e))
		return e->code;
	*out = found ? row.rate : 0;
	*arena_push(a, known) = (struct bill_rate){arena_strdup(a, cur), *out};
	return E_OK;
}

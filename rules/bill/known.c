/* Moment until which the bill is known, in memory. Its definition is at the query known_days. */
#include "rules/bill/days.h"

#include <stdlib.h>
#include <string.h>

enum err_code bill_known_days(struct db *db, struct arena *a, day_t first, day_t last,
	struct bill_known *k, struct err *e)
{
	struct q_known_days_in in = {.first = first, .last = last};

	*k = (struct bill_known){0};
	return q_known_days_all(db, &in, a, &k->days, &k->n_days, e);
}

enum err_code bill_known_fill(struct db *db, struct arena *a, struct err *e)
{
	struct bill_known k;

	if (bill_known_days(db, a, INT32_MIN, INT32_MAX, &k, e))
		return e->code;
	for (size_t i = 0; i < k.n_days; i++) {
		const struct q_known_days *x = &k.days[i];
		struct row_account_known in = {x->day, x->account, x->until};

		if (derived_put_account_known(db, &in, e))
			return e->code;
	}
	return E_OK;
}

enum err_code bill_known_load(struct db *db, struct arena *a, day_t first, day_t last,
	struct bill_known *k, struct err *e)
{
	if (bill_known_days(db, a, first, last, k, e) ||
		q_accounts_looked_all(db, a, &k->looks, &k->n_looks, e))
		return e->code;
	return q_project_accounts_all(db, a, &k->owners, &k->n_owners, e);
}

static int known_by_day(const void *pa, const void *pb)
{
	const struct q_known_days *a = pa, *b = pb;
	int order = strcmp(a->account, b->account);

	return order ? order : i64_order(a->day, b->day);
}

struct opt_i64 bill_known_day(const struct bill_known *k, const char *account, day_t day)
{
	const struct q_known_days key = {.account = account, .day = day}, *at;

	at = k->n_days ? bsearch(&key, k->days, k->n_days, sizeof(key), known_by_day)
		       : NULL;
	return at ? SOME(at->until) : NONE;
}

/* A day without any line is known up to the last check of its account's export. */
static ts_t known_account_until(const struct bill_known *k, const char *account, day_t day)
{
	struct opt_i64 known = bill_known_day(k, account, day);

	if (known.set)
		return known.v;
	for (size_t i = 0; i < k->n_looks; i++)
		if (!strcmp(k->looks[i].account, account))
			return k->looks[i].looked;
	return 0;
}

ts_t bill_known_until(const struct bill_known *k, const char *project, day_t day)
{
	ts_t least = INT64_MAX, t;

	for (size_t i = 0; i < k->n_owners; i++) {
		if (strcmp(k->owners[i].project, project) != 0)
			continue;
		t = known_account_until(k, k->owners[i].account, day);
		least = t < least ? t : least;
	}
	for (size_t i = 0; least == INT64_MAX && i < k->n_looks; i++) {
		t = known_account_until(k, k->looks[i].account, day);
		least = t < least ? t : least;
	}
	return least == INT64_MAX ? 0 : least;
}

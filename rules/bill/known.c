/* Moment until which the bill is known, in memory: when it was read (the query known_days), but not long after the bill
 * of that account ends. */
#include "rules/bill/days.h"

#include <stdlib.h>
#include <string.h>

enum err_code bill_known_days(struct db *db, struct arena *a, day_t first, day_t last,
	struct bill_known *k, struct err *e)
{
	struct q_known_days_in in = {.first = first, .last = last};
	struct q_bill_today today;
	bool found;

	*k = (struct bill_known){0};
	if (q_bill_today_one(db, a, &today, &found, e))
		return e->code;
	k->now = found ? today.now : TS_NONE;
	if (found && bill_ends_read(db, (day_t)today.day, a, &k->ends, e))
		return e->code;
	return q_known_days_all(db, &in, a, &k->days, &k->n_days, e);
}

static ts_t known_of_account(
	const struct bill_known *k, const char *account, ts_t ends, ts_t read)
{
	for (size_t i = 0; i < k->ends.n; i++) {
		struct bill_end end = bill_end_at(ts_of_opt(k->ends.v[i].until), k->now);

		if (!strcmp(k->ends.v[i].account, account))
			return bill_end_known(&end, ends, read);
	}
	return read;
}

enum err_code bill_known_fill(struct db *db, struct arena *a, struct err *e)
{
	struct bill_known k;

	if (bill_known_days(db, a, INT32_MIN, INT32_MAX, &k, e))
		return e->code;
	for (size_t i = 0; i < k.n_days; i++) {
		const struct q_known_days *x = &k.days[i];
		struct row_account_known in = {x->day, x->account,
			known_of_account(&k, x->account, x->ends, x->until)};

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
	return at ? SOME(known_of_account(k, account, at->ends, at->until)) : NONE;
}

/* A day without any line is known up to the last check of its account's export. */
static ts_t known_account_until(
	const struct bill_known *k, const char *account, day_t day, ts_t ends)
{
	struct opt_i64 known = bill_known_day(k, account, day);

	if (known.set)
		return known.v;
	for (size_t i = 0; i < k->n_looks; i++)
		if (!strcmp(k->looks[i].account, account))
			return known_of_account(k, account, ends, k->looks[i].looked);
	return 0;
}

ts_t bill_known_until(const struct bill_known *k, const char *project, day_t day, ts_t ends)
{
	ts_t least = INT64_MAX, t;

	for (size_t i = 0; i < k->n_owners; i++) {
		if (strcmp(k->owners[i].project, project) != 0)
			continue;
		t = known_account_until(k, k->owners[i].account, day, ends);
		least = t < least ? t : least;
	}
	for (size_t i = 0; least == INT64_MAX && i < k->n_looks; i++) {
		t = known_account_until(k, k->looks[i].account, day, ends);
		least = t < least ? t : least;
	}
	return least == INT64_MAX ? 0 : least;
}

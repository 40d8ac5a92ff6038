#include "rules/bill_known.h"

#include "db/db.h"
#include "db_sql.h"

#include <stdlib.h>
#include <string.h>

static enum err_code load_days(struct db *db, struct arena *a, day_t first, day_t last,
	struct bill_known *k, struct err *e)
{
	struct q_known_days_in in = {.first = first, .last = last};
	struct q_known_days q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_known_days_open(db, &in, &rows, e))
		return e->code;
	while (q_known_days_next(&rows, &q)) {
		k->days = arena_grow(a, k->days, k->n_days, &cap, sizeof(*k->days));
		k->days[k->n_days++] = (struct known_day){
			.account = arena_strdup(a, q.account),
			.day = (day_t)q.day,
			.until = q.until};
	}
	return db_rows_close(&rows, e);
}

static enum err_code load_looks(
	struct db *db, struct arena *a, struct bill_known *k, struct err *e)
{
	struct q_accounts_looked q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_accounts_looked_open(db, &rows, e))
		return e->code;
	while (q_accounts_looked_next(&rows, &q)) {
		k->looks = arena_grow(a, k->looks, k->n_looks, &cap, sizeof(*k->looks));
		k->looks[k->n_looks++] = (struct known_account){
			.account = arena_strdup(a, q.account),
			.project = "",
			.looked = q.looked};
	}
	return db_rows_close(&rows, e);
}

static enum err_code load_owners(
	struct db *db, struct arena *a, struct bill_known *k, struct err *e)
{
	struct q_project_accounts q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_project_accounts_open(db, &rows, e))
		return e->code;
	while (q_project_accounts_next(&rows, &q)) {
		k->owners = arena_grow(a, k->owners, k->n_owners, &cap, sizeof(*k->owners));
		k->owners[k->n_owners++] = (struct known_account){
			.account = arena_strdup(a, q.account),
			.project = arena_strdup(a, q.project)};
	}
	return db_rows_close(&rows, e);
}

enum err_code bill_known_load(struct db *db, struct arena *a, day_t first, day_t last,
	struct bill_known *k, struct err *e)
{
	*k = (struct bill_known){0};
	if (load_days(db, a, first, last, k, e) || load_looks(db, a, k, e))
		return e->code;
	return load_owners(db, a, k, e);
}

static int by_account_and_day(const void *pa, const void *pb)
{
	const struct known_day *a = pa, *b = pb;
	int order = strcmp(a->account, b->account);

	return order ? order : (a->day > b->day) - (a->day < b->day);
}

struct opt_i64 bill_known_day(const struct bill_known *k, const char *account, day_t day)
{
	const struct known_day key = {.account = account, .day = day}, *at;

	at = k->n_days ? bsearch(&key, k->days, k->n_days, sizeof(key), by_account_and_day)
		       : NULL;
	return at ? SOME(at->until) : NONE;
}

/* A day without any line is known since the export of its account was looked at. */
static ts_t account_until(const struct bill_known *k, const char *account, day_t day)
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
		t = account_until(k, k->owners[i].account, day);
		least = t < least ? t : least;
	}
	for (size_t i = 0; least == INT64_MAX && i < k->n_looks; i++) {
		t = account_until(k, k->looks[i].account, day);
		least = t < least ? t : least;
	}
	return least == INT64_MAX ? 0 : least;
}

#include "rules/bill_known.h"

#include "db/db.h"
#include "db_sql.h"

#include <string.h>

static enum err_code load_days(
	struct deriving *d, day_t first, day_t last, struct bill_known *k, struct err *e)
{
	struct q_known_days_in in = {.first = first, .last = last};
	struct q_known_days q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_known_days_open(d->db, &in, &rows, e))
		return e->code;
	while (q_known_days_next(&rows, &q)) {
		k->days = arena_grow(&d->arena, k->days, k->n_days, &cap, sizeof(*k->days));
		k->days[k->n_days++] = (struct known_day){
			.account = arena_strdup(&d->arena, q.account),
			.day = (day_t)q.day,
			.until = q.until};
	}
	return db_rows_close(&rows, e);
}

static enum err_code load_looks(struct deriving *d, struct bill_known *k, struct err *e)
{
	struct q_accounts_looked q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_accounts_looked_open(d->db, &rows, e))
		return e->code;
	while (q_accounts_looked_next(&rows, &q)) {
		k->looks = arena_grow(
			&d->arena, k->looks, k->n_looks, &cap, sizeof(*k->looks));
		k->looks[k->n_looks++] = (struct known_account){
			.account = arena_strdup(&d->arena, q.account),
			.project = "",
			.looked = q.looked};
	}
	return db_rows_close(&rows, e);
}

static enum err_code load_owners(struct deriving *d, struct bill_known *k, struct err *e)
{
	struct q_project_accounts q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_project_accounts_open(d->db, &rows, e))
		return e->code;
	while (q_project_accounts_next(&rows, &q)) {
		k->owners = arena_grow(
			&d->arena, k->owners, k->n_owners, &cap, sizeof(*k->owners));
		k->owners[k->n_owners++] = (struct known_account){
			.account = arena_strdup(&d->arena, q.account),
			.project = arena_strdup(&d->arena, q.project)};
	}
	return db_rows_close(&rows, e);
}

enum err_code bill_known_load(
	struct deriving *d, day_t first, day_t last, struct bill_known *k, struct err *e)
{
	*k = (struct bill_known){0};
	if (load_days(d, first, last, k, e) || load_looks(d, k, e))
		return e->code;
	return load_owners(d, k, e);
}

/* A day without any line is known since the export of its account was looked at. */
static ts_t account_until(const struct bill_known *k, const char *account, day_t day)
{
	for (size_t i = 0; i < k->n_days; i++)
		if (k->days[i].day == day && !strcmp(k->days[i].account, account))
			return k->days[i].until;
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

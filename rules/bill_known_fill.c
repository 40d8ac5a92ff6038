/* Up to when the costs of an account on a day of the configured zone are known: account_known.
 *
 * The days of the bill are of UTC, so each touches two or three of the zone. A table of the export
 * knows all of its days up to when it was looked at; a file up to when it was exported, or to the
 * end of its last day. Of several, the one that knows least decides. */
#include "base/civil.h"
#include "db_sql.h"
#include "rules/bill_known.h"

#include <stdlib.h>
#include <string.h>

struct table {
	int64_t id;
	ts_t until;
};

struct span { /* a day of the zone */
	day_t day;
	ts_t starts, ends;
};

struct known {
	const char *account;
	day_t day;
	ts_t until;
};

struct knowing {
	struct db *db;
	struct arena *a;
	struct table *tables;
	struct span *calendar;
	struct known *v;
	size_t n_tables, n_calendar, n, cap;
	size_t at; /* in the calendar: the first day that can touch what comes */
};

static enum err_code load_tables(struct knowing *k, struct err *e)
{
	struct q_known_tables q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_known_tables_open(k->db, &rows, e))
		return e->code;
	while (q_known_tables_next(&rows, &q)) {
		ts_t ends = q.last.set ? (q.last.v + 1) * DAY_SECONDS : 0;
		ts_t exported = q.exported.set ? q.exported.v : 0;

		k->tables = arena_grow(
			k->a, k->tables, k->n_tables, &cap, sizeof(*k->tables));
		k->tables[k->n_tables++] = (struct table){.id = q.table_id,
			.until = !strcmp(q.kind, "export") ? q.looked
				: exported > ends          ? exported
							   : ends};
	}
	return db_rows_close(&rows, e);
}

static enum err_code load_calendar(struct knowing *k, struct err *e)
{
	struct q_calendar_list q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_calendar_list_open(k->db, &rows, e))
		return e->code;
	while (q_calendar_list_next(&rows, &q)) {
		k->calendar = arena_grow(
			k->a, k->calendar, k->n_calendar, &cap, sizeof(*k->calendar));
		k->calendar[k->n_calendar++] = (struct span){
			.day = (day_t)q.day, .starts = q.starts, .ends = q.ends};
	}
	return db_rows_close(&rows, e);
}

static const struct table *table_of(const struct knowing *k, int64_t id)
{
	for (size_t i = 0; i < k->n_tables; i++)
		if (k->tables[i].id == id)
			return &k->tables[i];
	return NULL;
}

/* One day of UTC, which come in order. */
static void add_day(struct knowing *k, int64_t day, const char *account, ts_t until)
{
	ts_t starts = day * DAY_SECONDS, ends = starts + DAY_SECONDS;
	const char *last = k->n ? k->v[k->n - 1].account : NULL;

	if (!last || strcmp(last, account) != 0)
		last = arena_strdup(k->a, account);
	while (k->at < k->n_calendar && k->calendar[k->at].ends <= starts)
		k->at++;
	for (size_t i = k->at; i < k->n_calendar && k->calendar[i].starts < ends; i++) {
		k->v = arena_grow(k->a, k->v, k->n, &k->cap, sizeof(*k->v));
		k->v[k->n++] = (struct known){last, k->calendar[i].day, until};
	}
}

static enum err_code load_days(struct knowing *k, struct err *e)
{
	struct q_known_billing_days q;
	struct db_rows rows;

	if (q_known_billing_days_open(k->db, &rows, e))
		return e->code;
	while (q_known_billing_days_next(&rows, &q)) {
		const struct table *t = table_of(k, q.table_id);

		if (t)
			add_day(k, q.day, q.account, t->until);
	}
	return db_rows_close(&rows, e);
}

static int by_account(const void *pa, const void *pb)
{
	const struct known *a = pa, *b = pb;
	int order = strcmp(a->account, b->account);

	if (!order)
		order = (a->day > b->day) - (a->day < b->day);
	return order ? order : (a->until > b->until) - (a->until < b->until);
}

/* The least of each account's day comes first. */
static enum err_code put_days(struct knowing *k, struct err *e)
{
	if (k->n)
		qsort(k->v, k->n, sizeof(*k->v), by_account);
	for (size_t i = 0; i < k->n; i++) {
		const struct known *x = &k->v[i];
		struct q_account_known_put_in in = {x->account, x->day, x->until};

		if (i && x->day == x[-1].day && !strcmp(x->account, x[-1].account))
			continue;
		if (q_account_known_put(k->db, &in, e))
			return e->code;
	}
	return E_OK;
}

enum err_code bill_known_fill(struct db *db, struct arena *a, struct err *e)
{
	struct knowing k = {.db = db, .a = a};

	if (q_account_known_clear(db, e) || load_tables(&k, e) || load_calendar(&k, e) ||
		load_days(&k, e))
		return e->code;
	return put_days(&k, e);
}

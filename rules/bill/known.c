/* Moment until which the bill is known. Days of the bill are in UTC, so each overlaps two or three
 * days of the zone. A table of the export is complete for all of its days up to its last check; a
 * file is complete up to its export, or to the end of its last day. Of several sources, the least
 * complete one decides. */
#include "rules/bill/known.h"

#include "base/time/civil.h"
#include "db_sql.h"

#include <stdlib.h>
#include <string.h>

struct table {
	int64_t id;
	ts_t until;
};

struct span { /* one day of the zone */
	day_t day;
	ts_t starts, ends;
};

struct knowing {
	struct db *db;
	struct arena *a;
	int64_t first, last; /* days of the zone */
	struct table *tables;
	struct span *calendar;
	size_t n_tables, n_calendar;
	size_t at; /* in the calendar: the first day that can overlap the following ones */
	struct bill_known *out;
	size_t cap;
};

static enum err_code known_load_tables(struct knowing *k, struct err *e)
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

static enum err_code known_load_calendar(struct knowing *k, struct err *e)
{
	struct q_calendar_list_in in = {.first = k->first, .last = k->last};
	struct q_calendar_list q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_calendar_list_open(k->db, &in, &rows, e))
		return e->code;
	while (q_calendar_list_next(&rows, &q)) {
		k->calendar = arena_grow(
			k->a, k->calendar, k->n_calendar, &cap, sizeof(*k->calendar));
		k->calendar[k->n_calendar++] = (struct span){
			.day = (day_t)q.day, .starts = q.starts, .ends = q.ends};
	}
	return db_rows_close(&rows, e);
}

static const struct table *known_table_of(const struct knowing *k, int64_t id)
{
	for (size_t i = 0; i < k->n_tables; i++)
		if (k->tables[i].id == id)
			return &k->tables[i];
	return NULL;
}

/* Add one day of UTC; days come in order. */
static void known_add_day(struct knowing *k, int64_t day, const char *account, ts_t until)
{
	struct bill_known *out = k->out;
	ts_t starts = day * DAY_SECONDS, ends = starts + DAY_SECONDS;
	const char *last = out->n_days ? out->days[out->n_days - 1].account : NULL;

	if (!last || strcmp(last, account) != 0)
		last = arena_strdup(k->a, account);
	while (k->at < k->n_calendar && k->calendar[k->at].ends <= starts)
		k->at++;
	for (size_t i = k->at; i < k->n_calendar && k->calendar[i].starts < ends; i++) {
		out->days = arena_grow(
			k->a, out->days, out->n_days, &k->cap, sizeof(*out->days));
		out->days[out->n_days++] = (struct known_day){
			last, k->calendar[i].day, until};
	}
}

static enum err_code known_load_days(struct knowing *k, struct err *e)
{
	/* a day of the zone overlaps the UTC days before and after it */
	struct q_known_billing_days_in in = {.first = k->first - 1, .last = k->last + 1};
	struct q_known_billing_days q;
	struct db_rows rows;

	if (q_known_billing_days_open(k->db, &in, &rows, e))
		return e->code;
	while (q_known_billing_days_next(&rows, &q)) {
		const struct table *t = known_table_of(k, q.table_id);

		if (t)
			known_add_day(k, q.day, q.account, t->until);
	}
	return db_rows_close(&rows, e);
}

static int known_by_day(const void *pa, const void *pb)
{
	const struct known_day *a = pa, *b = pb;
	int order = strcmp(a->account, b->account);

	return order ? order : (a->day > b->day) - (a->day < b->day);
}

static int known_by_all(const void *pa, const void *pb)
{
	const struct known_day *a = pa, *b = pb;
	int order = known_by_day(a, b);

	return order ? order : (a->until > b->until) - (a->until < b->until);
}

/* The earliest moment of each account's day comes first. */
static void known_keep_least(struct bill_known *k)
{
	size_t n = 0;

	if (k->n_days)
		qsort(k->days, k->n_days, sizeof(*k->days), known_by_all);
	for (size_t i = 0; i < k->n_days; i++) {
		const struct known_day *x = &k->days[i];

		if (!n || known_by_day(x, &k->days[n - 1]))
			k->days[n++] = *x;
	}
	k->n_days = n;
}

enum err_code bill_known_days(struct db *db, struct arena *a, day_t first, day_t last,
	struct bill_known *out, struct err *e)
{
	struct knowing k = {.db = db, .a = a, .first = first, .last = last, .out = out};

	*out = (struct bill_known){0};
	if (known_load_tables(&k, e) || known_load_calendar(&k, e) ||
		known_load_days(&k, e))
		return e->code;
	known_keep_least(out);
	return E_OK;
}

enum err_code bill_known_fill(struct db *db, struct arena *a, struct err *e)
{
	struct bill_known k;

	if (bill_known_days(db, a, INT32_MIN, INT32_MAX, &k, e))
		return e->code;
	for (size_t i = 0; i < k.n_days; i++) {
		const struct known_day *x = &k.days[i];
		struct row_account_known in = {x->account, x->day, x->until};

		if (derived_put_account_known(db, &in, e))
			return e->code;
	}
	return E_OK;
}

/* ---- in memory ---------------------------------------------------------------------------- */

static enum err_code known_load_looks(
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

static enum err_code known_load_owners(
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
	if (bill_known_days(db, a, first, last, k, e) || known_load_looks(db, a, k, e))
		return e->code;
	return known_load_owners(db, a, k, e);
}

struct opt_i64 bill_known_day(const struct bill_known *k, const char *account, day_t day)
{
	const struct known_day key = {.account = account, .day = day}, *at;

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

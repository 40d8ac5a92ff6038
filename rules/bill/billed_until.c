#include "rules/bill/billed_until.h"

#include "base/time/civil.h"
#include "db_sql.h"
#include "rules/budget/budget.h"

static enum err_code mark_hour(struct deriving *d, struct billed_until *out, ts_t hour,
	size_t *missing, struct err *e)
{
	struct q_usage_hour_projects_in in = {.hour = hour};
	struct q_usage_hour_projects q;
	struct db_rows rows;

	if (q_usage_hour_projects_open(d->db, &in, &rows, e))
		return e->code;
	while (q_usage_hour_projects_next(&rows, &q)) {
		size_t *at = strmap_get(&out->by_name, q.project);

		if (!at || out->v[*at] != TS_NONE)
			continue;
		out->v[*at] = hour + HOUR_SECONDS;
		if (*missing)
			--*missing;
	}
	return db_rows_close(&rows, e);
}

static enum err_code count_lately(struct deriving *d, ts_t since, size_t *n, struct err *e)
{
	struct q_billed_lately_in in = {tz_day(d->o->settings->tz, since)};
	struct q_billed_lately q;
	struct db_rows rows;

	if (q_billed_lately_open(d->db, &in, &rows, e))
		return e->code;
	for (*n = 0; q_billed_lately_next(&rows, &q);)
		++*n;
	return db_rows_close(&rows, e);
}

/* The end of the newest usage hour of each project, as far back as it matters: hour by hour, until
 * every project that the days have is found. */
static enum err_code find_ends(struct deriving *d, struct billed_until *out, struct err *e)
{
	struct q_usage_hour_before_in in = {
		.before = INT64_MAX, .since = d->o->now - BUDGET_LAG_MAX - HOUR_SECONDS};
	struct q_usage_hour_before q;
	size_t missing = 0;
	bool found;

	if (count_lately(d, in.since, &missing, e))
		return e->code;
	while (missing) {
		if (q_usage_hour_before_one(d->db, &in, &d->arena, &q, &found, e))
			return e->code;
		if (!found || !q.hour.set)
			break;
		if (mark_hour(d, out, q.hour.v, &missing, e))
			return e->code;
		in.before = q.hour.v;
	}
	return E_OK;
}

static enum err_code load(struct deriving *d, struct billed_until *out, struct err *e)
{
	struct q_billed_projects known;
	struct q_billing_any any;
	struct db_rows rows;
	size_t cap = 0;

	if (q_billing_any_one(d->db, &d->arena, &any, &out->bill, e) ||
		q_billed_projects_open(d->db, &rows, e))
		return e->code;
	while (q_billed_projects_next(&rows, &known)) {
		out->v = arena_grow(&d->arena, out->v, out->n, &cap, sizeof(*out->v));
		strmap_put(&out->by_name, known.project, out->n);
		out->v[out->n++] = TS_NONE;
	}
	return db_rows_close(&rows, e) ? e->code : find_ends(d, out, e);
}

enum err_code billed_until(
	struct deriving *d, const struct billed_until **out, struct err *e)
{
	struct billed_until *u = arena_new(&d->arena, struct billed_until);

	if (!d->until && load(d, u, e)) {
		billed_until_done(u);
		return e->code;
	}
	if (!d->until)
		d->until = u;
	*out = d->until;
	return E_OK;
}

void billed_until_done(struct billed_until *u)
{
	if (u)
		strmap_done(&u->by_name);
}

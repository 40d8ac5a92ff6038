/* Bill of the last weeks, read once for all parts of derive, and its end. */
#include "base/time/civil.h"
#include "db_sql.h"
#include "rules/bill/end.h"
#include "rules/budget/budget.h"
#include "rules/derive/internal.h"

#include <string.h>

static day_t bill_first_kept(const struct deriving *d)
{
	day_t today = tz_day(d->o->settings->tz, d->o->now), month;
	int year, mon, dom;

	civil_from_day(today, &year, &mon, &dom);
	month = today - (dom - 1);
	return month < today - ESTIMATE_DAYS ? month : today - ESTIMATE_DAYS;
}

bool derive_keeps_bill(const struct deriving *d, day_t first)
{
	return first >= bill_first_kept(d);
}

/* First line of that day, or of a later one. */
static size_t bill_line_of(const struct deriving *d, day_t day)
{
	size_t i = 0;

	while (i < d->n_bill && d->bill[i].day < day)
		i++;
	return i;
}

enum err_code derive_bill(struct deriving *d, day_t first, day_t last,
	const struct bill_line **out, size_t *n, struct err *e)
{
	size_t from;

	if (!derive_keeps_bill(d, first))
		return err_set(e, E_BUG, "the bill of day %d is not kept", (int)first);
	if (!d->has_bill) {
		if (bill_lines_read(d->db, bill_first_kept(d), INT32_MAX, &d->arena,
			    &d->bill, &d->n_bill, e))
			return e->code;
		d->has_bill = true;
	}
	from = bill_line_of(d, first);
	*out = d->n_bill ? d->bill + from : NULL;
	*n = (last < INT32_MAX ? bill_line_of(d, last + 1) : d->n_bill) - from;
	return E_OK;
}

struct whole_days whole_days(const struct tz *tz, ts_t starts, ts_t ends)
{
	struct whole_days w = {INT32_MIN, INT32_MAX, TS_NONE, TS_NONE};

	if (starts != TS_NONE) {
		w.first = tz_day(tz, starts);
		w.first += tz_day_start(tz, w.first) < starts;
		w.from = tz_day_start(tz, w.first);
	}
	if (ends != TS_NONE) {
		w.end = tz_day(tz, ends);
		w.until = tz_day_start(tz, w.end);
	}
	if (w.first >= w.end) {
		w.first = w.end;
		w.from = w.until = ends;
	}
	return w;
}

/* ---- end of the bill ---------------------------------------------------------------------- */

static ts_t *bill_end(struct billed_until *out, const char *project, int64_t tpu)
{
	const size_t *at = strmap_get(&out->by_name, project);

	return at ? &out->v[*at][tpu ? BILLED_TPU : BILLED_OTHER] : NULL;
}

static enum err_code bill_mark_hour(
	struct deriving *d, struct billed_until *out, ts_t hour, struct err *e)
{
	struct q_usage_hour_projects_in in = {.hour = hour};
	struct q_usage_hour_projects q;
	struct db_rows rows;

	if (q_usage_hour_projects_open(d->db, &in, &rows, e))
		return e->code;
	while (q_usage_hour_projects_next(&rows, &q)) {
		ts_t *end = bill_end(out, q.project, q.tpu);

		if (end && *end == TS_NONE)
			*end = hour + HOUR_SECONDS;
	}
	return db_rows_close(&rows, e);
}

/* End of the newest usage hour of each project and service: hour by hour of its newest day, the newest day first. */
static enum err_code bill_find_ends(
	struct deriving *d, ts_t since, struct billed_until *out, struct err *e)
{
	const struct tz *tz = d->o->settings->tz;
	struct q_usage_hour_before_in in = {.before = INT64_MAX};
	struct q_usage_hour_before q;
	struct q_billed_lately_in days = {.day = tz_day(tz, since)};
	struct q_billed_lately *lately;
	size_t n;

	if (q_billed_lately_all(d->db, &days, &d->arena, &lately, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		const ts_t *end = bill_end(out, lately[i].project, lately[i].tpu);
		ts_t starts = tz_day_start(tz, (day_t)lately[i].day);
		ts_t ends = tz_day_start(tz, (day_t)lately[i].day + 1);
		bool found = true;

		in.since = starts > since ? starts : since;
		in.before = ends < in.before ? ends : in.before;
		while (end && *end == TS_NONE && found) {
			if (q_usage_hour_before_one(d->db, &in, &d->arena, &q, &found, e))
				return e->code;
			found = found && q.hour.set;
			if (found && bill_mark_hour(d, out, q.hour.v, e))
				return e->code;
			in.before = found ? q.hour.v : in.before;
		}
	}
	return E_OK;
}

/* Could an end before `since` matter? */
static bool bill_lacks_end(const struct billed_until *out, size_t n, ts_t since)
{
	for (size_t i = 0; i < n; i++) {
		const ts_t *v = out->v[i];
		ts_t older = v[0] < v[1] ? v[0] : v[1], newest = v[0] < v[1] ? v[1] : v[0];

		if (newest == TS_NONE ||
			(older == TS_NONE && newest - BILLED_BEHIND < since))
			return true;
	}
	return false;
}

static enum err_code bill_load_until(
	struct deriving *d, struct billed_until *out, struct err *e)
{
	struct q_billed_projects *projects;
	ts_t since = d->o->now - 3 * DAY_SECONDS;
	struct q_billing_any any;
	size_t n;

	if (q_billing_any_one(d->db, &d->arena, &any, &out->bill, e) ||
		q_billed_projects_all(d->db, &d->arena, &projects, &n, e))
		return e->code;
	out->v = arena_alloc(&d->arena, n * sizeof(*out->v));
	for (size_t i = 0; i < n; i++) {
		strmap_put(&out->by_name, projects[i].project, i);
		for (size_t k = 0; k < BILLED_SERVICES; k++)
			out->v[i][k] = TS_NONE;
	}
	/* Usually the bill is a day late: a few of its days are read fast. */
	if (bill_find_ends(d, since, out, e) ||
		(bill_lacks_end(out, n, since) &&
			bill_find_ends(
				d, d->o->now - BUDGET_LAG_MAX - HOUR_SECONDS, out, e)))
		return e->code;
	return E_OK;
}

enum err_code billed_until(
	struct deriving *d, const struct billed_until **out, struct err *e)
{
	if (!d->until) {
		struct billed_until *u = arena_new(&d->arena, struct billed_until);

		if (bill_load_until(d, u, e)) {
			billed_until_done(u);
			return e->code;
		}
		d->until = u;
	}
	*out = d->until;
	return E_OK;
}

enum err_code bill_since(struct deriving *d, struct q_budget_bill_since *out, struct err *e)
{
	const struct tz *tz = d->o->settings->tz;
	bool found; /* this query always has a row */

	if (q_budget_bill_since_one(d->db, &d->arena, out, &found, e))
		return e->code;
	out->first = bill_begins(tz, out->first);
	out->since = bill_begins(tz, out->since);
	return E_OK;
}

ts_t billed_until_of(const struct billed_until *u, const char *project)
{
	const size_t *at = strmap_get(&u->by_name, project);
	const ts_t *v = at ? u->v[*at] : NULL;

	if (!v)
		return TS_NONE;
	return v[BILLED_TPU] > v[BILLED_OTHER] ? v[BILLED_TPU] : v[BILLED_OTHER];
}

ts_t billed_service_until(
	const struct billed_until *u, const char *project, const char *category)
{
	const size_t *at = strmap_get(&u->by_name, project);
	ts_t newest = billed_until_of(u, project), own;

	if (newest == TS_NONE)
		return TS_NONE;
	own = u->v[*at][!strcmp(category, "tpu") ? BILLED_TPU : BILLED_OTHER];
	return own > newest - BILLED_BEHIND ? own : newest - BILLED_BEHIND;
}

void billed_until_done(struct billed_until *u)
{
	if (u)
		strmap_done(&u->by_name);
}

enum err_code newest_rate(struct deriving *d, const char *cur, int64_t *out, struct err *e)
{
	const struct price_rate *r;

	if (!d->rates.n && account_rates_read(d->db, &d->arena, &d->rates, e))
		return e->code;
	r = price_rate_of(&d->rates, cur);
	*out = r ? r->per_usd : 0;
	return E_OK;
}

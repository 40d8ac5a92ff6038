/* What each project used of coupons. Where several run at a time, nobody knows which of them paid
 * for whom. */
#include "base/time/civil.h"
#include "base/strmap.h"
#include "db_sql.h"
#include "rules/bill/credit_share.h"
#include "rules/derive/internal.h"

#include <string.h>

struct use {
	const char *project;
	struct opt_i64 used;
};

struct uses {
	struct deriving *d;
	const struct credit *c;
	int64_t to_rate;
	struct use *v;
	size_t n, cap;
	struct strmap index; /* project -> place in v */
};

static void add_use(struct uses *u, const char *project, struct promo p)
{
	size_t *at = strmap_get(&u->index, project);
	struct use *use;
	int64_t part;

	if (!at) {
		u->v = arena_grow(&u->d->arena, u->v, u->n, &u->cap, sizeof(*u->v));
		u->v[u->n] = (struct use){arena_strdup(&u->d->arena, project), SOME(0)};
		strmap_put(&u->index, project, u->n++);
		at = strmap_get(&u->index, project);
	}
	use = &u->v[*at];
	if (!credit_convert(&p, u->c, u->to_rate, &part) || !use->used.set ||
		!nanos_add(use->used.v, part, &use->used.v))
		use->used = NONE;
}

/* Promotions of [since, until), by hours or by days that are kept. */
static enum err_code add_hours(struct uses *u, ts_t since, ts_t until, struct err *e)
{
	struct q_promo_projects_in in = {.since = since, .until = until};
	struct q_promo_projects q;
	struct db_rows rows;

	if (since >= until)
		return E_OK;
	if (q_promo_projects_open(u->d->db, &in, &rows, e))
		return e->code;
	while (q_promo_projects_next(&rows, &q))
		add_use(u, q.project,
			(struct promo){
				.currency = q.currency, .rate = q.rate, .promo = q.promo});
	return db_rows_close(&rows, e);
}

static enum err_code add_days(struct uses *u, day_t first, day_t end, struct err *e)
{
	struct q_promo_projects_days_in in = {.first = first, .end = end};
	struct q_promo_projects_days q;
	struct db_rows rows;

	if (q_promo_projects_days_open(u->d->db, &in, &rows, e))
		return e->code;
	while (q_promo_projects_days_next(&rows, &q))
		add_use(u, q.project,
			(struct promo){
				.currency = q.currency, .rate = q.rate, .promo = q.promo});
	return db_rows_close(&rows, e);
}

/* Whole days, and the hours before and after them. */
static enum err_code add_all(struct uses *u, struct err *e)
{
	const struct tz *tz = u->d->o->settings->tz;
	const struct credit *c = u->c;
	day_t first = INT32_MIN, end = INT32_MAX;

	if (c->starts != TS_NONE) {
		first = tz_day(tz, c->starts);
		first += tz_day_start(tz, first) < c->starts;
	}
	if (c->expires != TS_NONE)
		end = tz_day(tz, c->expires);
	if (first >= end)
		return add_hours(u, c->starts, c->expires, e);
	if (c->starts != TS_NONE && add_hours(u, c->starts, tz_day_start(tz, first), e))
		return e->code;
	if (add_days(u, first, end, e))
		return e->code;
	return c->expires != TS_NONE ? add_hours(u, tz_day_start(tz, end), c->expires, e)
				     : E_OK;
}

static enum err_code put_uses(struct uses *u, bool shared, struct err *e)
{
	for (size_t i = 0; i < u->n; i++) {
		struct row_credit_project in = {.name = u->c->name,
			.project = u->v[i].project,
			.used = shared ? NONE : u->v[i].used};

		if (derived_put_credit_project(u->d->db, &in, e))
			return e->code;
	}
	return E_OK;
}

enum err_code derive_credit_projects(struct deriving *d, struct err *e)
{
	const struct settings *s = d->o->settings;
	bool shared = credits_overlap(s->credits, s->n_credits);
	enum err_code rc = E_OK;

	for (size_t i = 0; !rc && i < s->n_credits; i++) {
		struct uses u = {.d = d, .c = &s->credits[i]};

		rc = newest_rate(d, u.c->amount.cur, &u.to_rate, e);
		if (!rc)
			rc = add_all(&u, e);
		if (!rc)
			rc = put_uses(&u, shared, e);
		strmap_done(&u.index);
	}
	return rc;
}

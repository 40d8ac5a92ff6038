/* Error of estimates: the list price of all observed resources on a day that is settled now,
 * compared with the bill of that day.
 *
 * Only projects that were observed since before the day began are included, and only categories of
 * which every price is known: exclusions apply to both sides. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/bill/days.h"
#include "rules/derive/internal.h"
#include "rules/bill/reconcile.h"

#include <stdlib.h>
#include <string.h>

#define MOST 14 /* number of days shown */

static const char *const categories[] = {"cpu", "gpu", "tpu", "disk", "ip", "snapshot"};
#define CATEGORIES ARRAY_LEN(categories)

struct part {
	__int128 same,
		usd; /* nanos an hour x seconds, in the currency of the bill and in USD */
	int64_t billed;
	bool unknown;
};

/* One project on one day. */
struct slot {
	const char *currency; /* of its bill; NULL: there is none */
	bool mixed;           /* there are several currencies */
	int64_t rate, rate_cost;
	struct part parts[CATEGORIES];
};

struct errors {
	struct deriving *d;
	day_t first;
	ts_t starts[ESTIMATE_DAYS + 1];
	struct q_projects_watched *projects;
	size_t n_projects;
	struct slot *slots; /* of one day, by project */
	struct bill_known known;
};

static int errors_by_project(const void *project, const void *watched)
{
	return strcmp(project, ((const struct q_projects_watched *)watched)->project);
}

static struct slot *errors_slot_of(const struct errors *x, size_t day, const char *project)
{
	const struct q_projects_watched *of = x->n_projects
		? bsearch(project, x->projects, x->n_projects, sizeof(*x->projects),
			  errors_by_project)
		: NULL;

	return !of || of->since > x->starts[day] ? NULL : &x->slots[of - x->projects];
}

/* Its index in the list; CATEGORIES for one that is not estimated. */
static size_t errors_category(const char *category)
{
	size_t i = 0;

	while (i < CATEGORIES && strcmp(categories[i], category) != 0)
		i++;
	return i;
}

static enum err_code load_projects(struct errors *x, struct err *e)
{
	struct arena *a = &x->d->spent;
	struct q_projects_watched_in in = {.never = INT64_MAX};

	if (q_projects_watched_all(x->d->db, &in, a, &x->projects, &x->n_projects, e))
		return e->code;
	x->slots = arena_alloc(a, (x->n_projects + 1) * sizeof(*x->slots));
	return E_OK;
}

/* ---- the bill ----------------------------------------------------------------------------- */

/* A discount that makes covered TPUs free is not a charge to the user; a promotional credit is only
 * a means of payment. Other estimates are list prices, so the list price of the bill counts. */
static bool charge_of(const struct bill_line *l, int64_t *out)
{
	if (strcmp(l->category, "tpu") != 0) {
		*out = l->cost;
		return true;
	}
	return nanos_add(l->cost, l->credits, out) && nanos_sub(*out, l->promo, out);
}

static void errors_add_billed(struct errors *x, const struct bill_line *l)
{
	struct slot *s = errors_slot_of(x, (size_t)(l->day - x->first), l->project);
	int64_t amount, size;
	struct part *p;

	if (!s)
		return;
	p = &s->parts[errors_category(l->category)];
	if (s->currency && strcmp(s->currency, l->currency) != 0)
		s->mixed = true;
	if (!s->currency)
		s->currency = l->currency;
	if (!charge_of(l, &amount) || !nanos_add(p->billed, amount, &p->billed))
		p->unknown = true;
	size = l->cost < 0 ? 0 : l->cost;
	if (l->rate > 0 && (!s->rate || size > s->rate_cost)) {
		s->rate = l->rate;
		s->rate_cost = size;
	}
}

static enum err_code load_bill(struct errors *x, size_t day, struct err *e)
{
	day_t of = x->first + (day_t)day;
	const struct bill_line *v;
	size_t n;

	memset(x->slots, 0, x->n_projects * sizeof(*x->slots));
	if (derive_bill(x->d, of, of, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		if (errors_category(v[i].category) == CATEGORIES)
			continue;
		if (v[i].too_large)
			return err_set(e, E_OVERFLOW, "the bill of %s", v[i].project);
		errors_add_billed(x, &v[i]);
	}
	return E_OK;
}

/* ---- the estimate ------------------------------------------------------------------------- */

static void add_price(
	struct part *p, const struct slot *s, const struct price *price, int64_t seconds)
{
	__int128 amount = (__int128)price->nanos * seconds;

	if (!price->known)
		p->unknown = true;
	else if (!amount)
		return;
	else if (str_eq(price->cur, s->currency))
		p->same += amount;
	else if (!strcmp(price->cur, "USD") && s->rate)
		p->usd += amount;
	else
		p->unknown = true;
}

static void errors_add_usage(struct errors *x, size_t day, const struct usage *u)
{
	ts_t from = x->starts[day], to = x->starts[day + 1];
	size_t at;
	struct slot *s;

	from = from < u->starts ? u->starts : from;
	to = to > u->ends ? u->ends : to;
	if (from >= to)
		return;
	at = errors_category(u->part->category);
	s = at < CATEGORIES ? errors_slot_of(x, day, u->of->project) : NULL;
	if (s)
		add_price(&s->parts[at], s, &u->part->price, to - from);
}

/* ---- rows --------------------------------------------------------------------------------- */

/* All projects that are billed in one currency on one day. */
struct total {
	const char *currency;
	__int128 same, usd;
	int64_t billed, rate, rate_cost;
	bool left_out[CATEGORIES], overflow;
};

static void add_slot(struct total *t, const struct slot *s)
{
	if (s->rate && (!t->rate || s->rate_cost > t->rate_cost)) {
		t->rate = s->rate;
		t->rate_cost = s->rate_cost;
	}
	for (size_t i = 0; i < CATEGORIES; i++) {
		const struct part *p = &s->parts[i];

		if (p->unknown) {
			t->left_out[i] = true;
			continue;
		}
		t->same += p->same;
		t->usd += p->usd;
		if (!nanos_add(t->billed, p->billed, &t->billed))
			t->overflow = true;
	}
}

/* (same + usd x rate) / 3600, rounded once. */
static bool estimate_of(const struct total *t, int64_t *out)
{
	const __int128 most = (__int128)INT64_MAX * HOUR_SECONDS;

	if (t->same > most || t->usd > most || (t->usd && t->rate > 1000000 * NANOS))
		return false;
	return i128_div_round(
		t->same * NANOS + t->usd * t->rate, HOUR_SECONDS * NANOS, out);
}

static const char *tell_left_out(struct arena *a, const struct total *t)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < CATEGORIES; i++)
		if (t->left_out[i])
			sbuf_addf(&b, "%s%s", b.len ? " " : "", categories[i]);
	return b.len ? arena_strdup(a, b.s) : NULL;
}

static void keep_total(struct errors *x, size_t day, const struct total *t)
{
	struct deriving *d = x->d;
	char date[DATE_BUF];
	struct row_estimate_error one = {.currency = t->currency,
		.billed = t->billed,
		.converted = t->usd != 0,
		.rate = t->usd ? SOME(t->rate) : NONE,
		.left_out = tell_left_out(&d->spent, t)};

	if (t->overflow || !estimate_of(t, &one.estimate))
		return;
	one.day = arena_strdup(&d->spent, date_format(x->first + (day_t)day, date));
	*arena_push(&d->spent, &d->errors) = one;
}

/* Is a currency among the first `n` slots? */
static bool errors_had(const struct slot *v, size_t n, const char *currency)
{
	for (size_t i = 0; i < n; i++)
		if (!v[i].mixed && str_eq(v[i].currency, currency))
			return true;
	return false;
}

static void errors_add_day(struct errors *x, size_t day)
{
	const struct slot *v = x->slots;

	for (size_t i = 0; i < x->n_projects; i++) {
		struct total t = {.currency = v[i].currency};

		if (!t.currency || v[i].mixed || errors_had(v, i, t.currency))
			continue;
		for (size_t k = i; k < x->n_projects; k++)
			if (!v[k].mixed && str_eq(v[k].currency, t.currency))
				add_slot(&t, &v[k]);
		keep_total(x, day, &t);
	}
}

/* Settled for every project that has a bill. A day without a bill is inconclusive. */
static bool errors_settled(const struct errors *x, size_t day)
{
	const struct slot *v = x->slots;
	bool any = false;

	for (size_t i = 0; i < x->n_projects; i++) {
		ts_t known;

		if (!v[i].currency)
			continue;
		known = bill_known_until(
			&x->known, x->projects[i].project, x->first + (day_t)day);
		if (rec_status_at(x->starts[day + 1], known, x->d->o->now) != REC_SETTLED)
			return false;
		any = true;
	}
	return any;
}

enum err_code derive_errors(struct deriving *d, struct err *e)
{
	const struct tz *tz = d->o->settings->tz;
	struct errors x = {.d = d, .first = tz_day(tz, d->o->now) - ESTIMATE_DAYS};
	size_t shown = 0;

	for (day_t i = 0; i <= ESTIMATE_DAYS; i++)
		x.starts[i] = tz_day_start(tz, x.first + i);
	if (load_projects(&x, e) ||
		bill_known_load(
			d->db, &d->spent, x.first, x.first + ESTIMATE_DAYS, &x.known, e))
		return e->code;
	for (size_t day = ESTIMATE_DAYS; day-- > 0 && shown < MOST;) {
		if (load_bill(&x, day, e))
			return e->code;
		if (!errors_settled(&x, day))
			continue;
		shown++;
		for (size_t i = 0; i < d->usage.n; i++)
			errors_add_usage(&x, day, &d->usage.v[i]);
		errors_add_day(&x, day);
	}
	return E_OK;
}

enum err_code derive_error_rows(struct deriving *d, struct err *e)
{
	for (size_t i = 0; i < d->errors.n; i++)
		if (derived_put_estimate_error(d->db, &d->errors.v[i], e))
			return e->code;
	return E_OK;
}

/* Resources that ran recently and their costs, and how long they ran this month.
 *
 * Intervals of one resource follow each other, so its costs are stored before those of the next are
 * summed. TPUs wait until all are read: grants pay for some of their time. */
#include "base/str.h"
#include "rules/derive/costs.h"

#include <string.h>

#define WEEK_SECONDS (7 * DAY_SECONDS)

enum { LAST_7D, LAST_24H }; /* windows */

struct lately {
	struct costs costs; /* of the resource that is read, and before it TPUs */
	struct arena one;   /* of the resource that is read, if it is not a TPU */
	bool reads;         /* there is one */
	struct fact *fact;  /* the same if it still exists, or NULL */
	ts_t month;
	ts_t compared; /* start of the days that are compared with the bill */
};

static void past_keep(struct lately *l, const struct usage *u)
{
	struct deriving *d = l->costs.d;

	if (u->price.known && !u->price.nanos)
		return;
	*arena_push(&d->arena, &d->usage) = *u;
}

/* TPUs that run are added below, according to their coverage by grants. */
static void past_keep_parts(struct lately *l, const struct q_interval_past *q,
	const struct fact *f, ts_t starts, ts_t ends)
{
	struct arena *a = &l->costs.d->arena;
	struct usage u = {.starts = starts, .ends = ends};

	if (!f->n_parts || (str_eq(f->kind, "tpu") && str_eq(f->state, "running")))
		return;
	u.id = l->fact ? l->fact->id : arena_strdup(a, q->id);
	u.kind = l->fact ? l->fact->kind : arena_strdup(a, q->kind);
	u.project = l->fact ? l->fact->project : arena_strdup(a, q->project);
	u.location = l->fact ? l->fact->location : arena_strdup(a, q->location);
	u.name = l->fact ? l->fact->name : arena_strdup(a, q->name);
	for (size_t i = 0; i < f->n_parts; i++) {
		u.category = f->parts[i].category;
		u.price = f->parts[i].price;
		past_keep(l, &u);
	}
}

static void past_keep_tpus(struct lately *l)
{
	struct deriving *d = l->costs.d;

	for (size_t i = 0; i < d->n_past_rows; i++) {
		const struct cov_row *row = &d->past_rows[i];
		const struct cov_node *node = &d->past.nodes[row->node];
		const struct past_of *of = &d->past.of[row->node];

		if (!row->covered && row->ends > l->compared)
			past_keep(l,
				&(struct usage){.id = node->id,
					.kind = "tpu",
					.project = arena_strndup(&d->arena, node->id,
						strcspn(node->id, "/")),
					.location = node->zone,
					.name = node->name,
					.category = "tpu",
					.price = of->price,
					.starts = row->starts,
					.ends = row->ends,
					.open = row->ends == of->known});
	}
}

static struct opt_i64 past_net(const struct cost_sum *s, int window)
{
	return price_hours(s->gross[window] - s->covered[window]);
}

static enum err_code past_put(struct deriving *d, const struct cost_thing *t,
	const struct cost_sum *s, struct err *e)
{
	struct row_burned_part in = {.id = t->last.id,
		.uid = t->last.uid,
		.kind = t->last.kind,
		.project = t->last.project,
		.category = s->category,
		.labels = t->last.labels,
		.owner = t->last.owner,
		.unpriced_24h = s->unpriced[LAST_24H],
		.unpriced_7d = s->unpriced[LAST_7D]};

	if (*s->cur) {
		in.currency = s->cur;
		in.gross_24h = price_hours(s->gross[LAST_24H]);
		in.net_24h = past_net(s, LAST_24H);
		in.gross_7d = price_hours(s->gross[LAST_7D]);
		in.net_7d = past_net(s, LAST_7D);
	}
	if (!s->unpriced[LAST_7D] && !s->gross[LAST_7D])
		return E_OK;
	return derived_put_burned_part(d->db, &in, e);
}

static bool past_add_amount(struct opt_i64 *sum, struct opt_i64 more)
{
	sum->set = sum->set && more.set && nanos_add(sum->v, more.v, &sum->v);
	return sum->set;
}

/* Cost of an existing resource in the last day, if all of it is known, in one currency. */
static void past_tell_fact(struct fact *f, const struct cost_thing *t)
{
	const char *cur = NULL;
	struct opt_i64 gross = SOME(0), net = SOME(0);

	f->month_seconds = t->month_seconds;
	for (size_t i = 0; i < t->n; i++) {
		const struct cost_sum *p = &t->sums[i];

		if (p->unpriced[LAST_24H])
			return;
		if (!p->gross[LAST_24H])
			continue;
		if ((cur && strcmp(cur, p->cur) != 0) ||
			!past_add_amount(&gross, price_hours(p->gross[LAST_24H])) ||
			!past_add_amount(&net, past_net(p, LAST_24H)))
			return;
		cur = p->cur;
	}
	/* Zero is zero in every currency. */
	if (cur && f->price.known && !f->price.nanos)
		memcpy(f->price.cur, cur, sizeof(f->price.cur));
	if (!f->price.known || (cur && strcmp(cur, f->price.cur) != 0))
		return;
	f->gross_24h = gross;
	f->net_24h = net;
}

/* ---- one after the other ------------------------------------------------------------------- */

static enum err_code past_close(
	struct deriving *d, const struct cost_thing *t, struct err *e)
{
	struct fact *f = fact_find(d, t->last.id);

	for (size_t i = 0; i < t->n; i++)
		if (past_put(d, t, &t->sums[i], e))
			return err_wrap(e, "%s", t->last.id);
	if (f && !strcmp(f->uid, t->last.uid))
		past_tell_fact(f, t);
	return E_OK;
}

/* The intervals of the one before have ended. */
static enum err_code past_end(struct lately *l, struct err *e)
{
	struct costs *c = &l->costs;

	if (!l->reads || c->a != &l->one)
		return E_OK;
	if (past_close(c->d, &c->v[c->n - 1], e))
		return e->code;
	c->n--;
	arena_reset(&l->one);
	return E_OK;
}

static enum err_code past_begin(
	struct lately *l, const struct q_interval_past *q, struct err *e)
{
	struct costs *c = &l->costs;
	const struct row_window_thing *last = l->reads ? &c->v[c->n - 1].last : NULL;

	if (last && !strcmp(last->id, q->id) && !strcmp(last->uid, q->uid))
		return E_OK;
	if (past_end(l, e))
		return e->code;
	l->reads = true;
	c->a = str_eq(q->kind, "tpu") ? &c->d->arena : &l->one;
	l->fact = fact_find(c->d, q->id);
	if (l->fact && strcmp(l->fact->uid, q->uid) != 0)
		l->fact = NULL;
	return E_OK;
}

static void past_add(struct lately *l, const struct q_interval_past *q)
{
	ts_t now = l->costs.ends, ends = q->ends.set && q->ends.v < now ? q->ends.v : now;
	ts_t of_month = q->starts > l->month ? q->starts : l->month;
	struct fact_then_buf buf;
	struct fact f = fact_then(q, &buf);
	struct cost_thing *t;

	/* Before, only the running time matters. */
	if (ends > l->compared) {
		fact_describe(&f);
		fact_price(l->costs.d, &f);
		past_keep_parts(l, q, &f, q->starts, ends);
	}
	t = cost_add(&l->costs, q, &f, q->starts, ends);
	if (str_eq(f.kind, "vm") && str_eq(f.state, "running") && ends > of_month &&
		sustained_family(f.type))
		t->month_seconds += ends - of_month;
}

static enum err_code past_read(struct lately *l, struct err *e)
{
	struct q_interval_past_in in = {
		.since = l->month < l->compared ? l->month : l->compared,
		.until = l->costs.ends};
	struct q_interval_past q;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (q_interval_past_open(l->costs.d->db, &in, &rows, e))
		return e->code;
	while (!rc && q_interval_past_next(&rows, &q)) {
		rc = past_begin(l, &q, e);
		if (!rc)
			past_add(l, &q);
	}
	return db_rows_end(&rows, rc, e) ? e->code : past_end(l, e);
}

/* Spot and flex-start machines do not get the discount, nor does usage covered by a commitment, which no API
 * reports. Local SSDs do not get it; GPUs do when they are attached to a machine. */
struct opt_i64 fact_sustained(const struct fact *f, const struct billing_month *month)
{
	int64_t off = 0;

	if (!str_eq(f->kind, "vm") || !str_eq(f->state, "running") || !f->price.known ||
		month->starts == month->ends)
		return NONE;
	if (price_class_of(f->provisioning) != PRICE_ON_DEMAND)
		return SOME(0);
	for (size_t i = 0; i < f->n_parts; i++)
		if (strcmp(f->parts[i].category, "disk") != 0)
			off += sustained_per_hour(
				f->type, f->parts[i].price.nanos, month, f->month_seconds);
	return SOME(off);
}

enum err_code derive_past(struct deriving *d, struct err *e)
{
	ts_t now = d->o->now;
	struct lately l = {.costs = {.d = d,
				   .a = &d->arena,
				   .starts = {[LAST_7D] = now - WEEK_SECONDS,
					   [LAST_24H] = now - DAY_SECONDS},
				   .ends = now}};
	enum err_code rc;

	/* A system without the time zone has no billing month, but all other data. */
	if (billing_month_of(now, &d->month, NULL))
		d->month = (struct billing_month){.starts = now, .ends = now};
	l.month = d->month.starts;
	l.compared = tz_day_start(
		d->o->settings->tz, tz_day(d->o->settings->tz, now) - ESTIMATE_DAYS);
	rc = past_read(&l, e);
	arena_done(&l.one);
	if (!rc) {
		cost_add_covered(&l.costs, &d->past, d->past_rows, d->n_past_rows);
		past_keep_tpus(&l);
	}
	for (size_t i = 0; !rc && i < l.costs.n; i++)
		rc = past_close(d, &l.costs.v[i], e);
	return rc ? err_wrap(e, "the last days") : E_OK;
}

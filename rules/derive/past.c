/* Resources that ran recently and their costs, and how long they ran this month. */
#include "base/str.h"
#include "rules/derive/costs.h"

#include <string.h>

#define WEEK_SECONDS (7 * DAY_SECONDS)

enum { LAST_7D, LAST_24H }; /* windows */

struct lately {
	struct costs costs;
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
static void past_keep_parts(struct lately *l, const struct cost_thing *t,
	const struct fact *f, ts_t starts, ts_t ends)
{
	if (str_eq(f->kind, "tpu") && str_eq(f->state, "running"))
		return;
	for (size_t i = 0; i < f->n_parts; i++)
		past_keep(l,
			&(struct usage){.id = t->last.id,
				.kind = t->last.kind,
				.project = t->last.project,
				.location = t->last.location,
				.name = t->last.name,
				.category = f->parts[i].category,
				.price = f->parts[i].price,
				.starts = starts,
				.ends = ends});
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
	}
	t = cost_add(&l->costs, q, &f, q->starts, ends);
	if (ends > l->compared)
		past_keep_parts(l, t, &f, q->starts, ends);
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

	if (q_interval_past_open(l->costs.d->db, &in, &rows, e))
		return e->code;
	while (q_interval_past_next(&rows, &q))
		past_add(l, &q);
	return db_rows_close(&rows, e);
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

enum err_code derive_burned(struct deriving *d, struct err *e)
{
	for (size_t i = 0; i < d->n_past_things; i++) {
		const struct cost_thing *t = &d->past_things[i];

		for (size_t k = 0; k < t->n; k++)
			if (past_put(d, t, &t->sums[k], e))
				return err_wrap(e, "%s", t->last.id);
	}
	return E_OK;
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
	/* most resources of the past still exist */
	l.costs.v = arena_alloc(&d->arena, d->n_facts * sizeof(*l.costs.v));
	l.costs.cap = d->n_facts;
	d->usage.v = arena_alloc(&d->arena, d->n_facts * sizeof(*d->usage.v));
	d->usage.cap = d->n_facts;
	rc = past_read(&l, e);
	if (!rc) {
		cost_add_covered(&l.costs, &d->past, d->past_rows, d->n_past_rows);
		past_keep_tpus(&l);
	}
	for (size_t i = 0; !rc && i < d->n_facts; i++) {
		struct fact *f = &d->facts[i];
		const struct cost_thing *t = cost_find(&l.costs, f->id, f->uid);

		if (t)
			past_tell_fact(f, t);
	}
	d->past_things = l.costs.v;
	d->n_past_things = l.costs.n;
	return rc ? err_wrap(e, "the last days") : E_OK;
}

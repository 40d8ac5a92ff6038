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

	if (u->part->price.known && !u->part->price.nanos)
		return;
	*arena_push(&d->spent, &d->usage) = *u;
}

static const struct named *past_name(struct arena *a, const char *id, const char *kind,
	const char *project, const char *location, const char *name)
{
	struct named *n = arena_new(a, struct named);

	*n = (struct named){.id = arena_strdup(a, id),
		.kind = arena_strdup(a, kind),
		.project = arena_strdup(a, project),
		.location = arena_strdup(a, location),
		.name = arena_strdup(a, name)};
	n->zone = place_zone(n->location);
	n->region = place_region(n->location, a);
	return n;
}

/* The part of the fact if that has the same price, else a copy. */
static const struct burn_part *past_part(
	struct lately *l, size_t i, const struct burn_part *then)
{
	const struct burn_part *now = l->fact && i < l->fact->n_parts ? &l->fact->parts[i]
								      : NULL;
	struct burn_part *kept;

	if (now && str_eq(now->category, then->category) &&
		price_eq(&now->price, &then->price))
		return now;
	kept = arena_new(&l->costs.d->spent, struct burn_part);
	*kept = *then;
	return kept;
}

/* TPUs that run are added below, according to their coverage by grants. */
static void past_keep_parts(struct lately *l, const struct q_interval_past *q,
	const struct fact *f, ts_t starts, ts_t ends)
{
	struct usage u = {.starts = starts, .ends = ends};

	if (!f->n_parts || (str_eq(f->kind, "tpu") && str_eq(f->state, "running")))
		return;
	u.of = l->fact ? &l->fact->named
		       : past_name(&l->costs.d->spent, q->id, q->kind, q->project,
				 q->location, q->name);
	for (size_t i = 0; i < f->n_parts; i++) {
		u.part = past_part(l, i, &f->parts[i]);
		past_keep(l, &u);
	}
}

static void past_keep_tpus(struct lately *l)
{
	struct deriving *d = l->costs.d;
	struct arena *a = &d->spent;
	const struct named *of = NULL;

	for (size_t i = 0; i < d->n_past_rows; i++) {
		const struct cov_row *row = &d->past_rows[i];
		const struct cov_node *node = &d->past.nodes[row->node];
		const struct past_of *past = &d->past.of[row->node];
		struct burn_part *part;

		if (row->covered || row->ends <= l->compared)
			continue;
		if (!of || strcmp(of->id, node->id) != 0)
			of = past_name(a, node->id, "tpu",
				arena_strndup(a, node->id, strcspn(node->id, "/")),
				node->zone, node->name);
		part = arena_new(a, struct burn_part);
		*part = (struct burn_part){"tpu",
			row->why == WHY_PROVISIONING_UNKNOWN ? price_unknown : past->price};
		past_keep(l,
			&(struct usage){.of = of,
				.part = part,
				.starts = row->starts,
				.ends = row->ends,
				.open = row->ends == past->known});
	}
}

static struct opt_i64 past_net(const struct cost_sum *s, int window)
{
	return price_hours(s->gross[window] - s->covered[window]);
}

static const struct row_burned_part *past_gone(
	struct arena *a, const struct row_window_thing *last)
{
	struct row_burned_part *row = arena_new(a, struct row_burned_part);

	*row = (struct row_burned_part){.id = arena_strdup(a, last->id),
		.uid = arena_strdup(a, last->uid),
		.kind = arena_strdup(a, last->kind),
		.project = arena_strdup(a, last->project),
		.labels = arena_strdup(a, last->labels),
		.owner = arena_strdup(a, last->owner)};
	return row;
}

static void past_set_money(struct burned *b, size_t i, struct opt_i64 amount)
{
	b->money[i] = amount.v;
	b->known |= (uint8_t)(amount.set << i);
}

static struct opt_i64 past_money(const struct burned *b, size_t i)
{
	return b->known >> i & 1 ? SOME(b->money[i]) : NONE;
}

/* `f` is the same resource, or NULL: it was deleted. */
static void past_burned(struct deriving *d, const struct cost_thing *t,
	const struct fact *f, const struct cost_sum *s)
{
	struct burned b = {.category = s->category,
		.unpriced = {
			(int32_t)s->unpriced[LAST_24H], (int32_t)s->unpriced[LAST_7D]}};

	if (!s->unpriced[LAST_7D] && !s->gross[LAST_7D])
		return;
	if (*s->cur) {
		memcpy(b.cur, s->cur, sizeof(b.cur));
		past_set_money(&b, 0, price_hours(s->gross[LAST_24H]));
		past_set_money(&b, 1, past_net(s, LAST_24H));
		past_set_money(&b, 2, price_hours(s->gross[LAST_7D]));
		past_set_money(&b, 3, past_net(s, LAST_7D));
	}
	b.gone = !f;
	if (f)
		b.fact = f;
	else
		b.row = past_gone(&d->kept, &t->last);
	*arena_push(&d->kept, &d->burned) = b;
}

static const char *burned_key(void *ctx, uint32_t number, int column)
{
	const struct burned *b = &((struct deriving *)ctx)->burned.v[number];

	(void)column; /* the id alone */
	return b->gone ? b->row->id : b->fact->id;
}

static void burned_row(void *ctx, uint32_t number, void *row)
{
	const struct burned *b = &((struct deriving *)ctx)->burned.v[number];
	struct row_burned_part *out = row;

	if (b->gone)
		*out = *b->row;
	else
		*out = (struct row_burned_part){.id = b->fact->id,
			.uid = b->fact->uid,
			.kind = b->fact->kind,
			.project = b->fact->project};
	out->category = b->category;
	out->currency = *b->cur ? b->cur : NULL;
	out->unpriced_24h = b->unpriced[0];
	out->unpriced_7d = b->unpriced[1];
	out->gross_24h = past_money(b, 0);
	out->net_24h = past_money(b, 1);
	out->gross_7d = past_money(b, 2);
	out->net_7d = past_money(b, 3);
}

static enum err_code past_put(struct deriving *d, struct err *e)
{
	static const struct db_computed by = {burned_row, burned_key};

	db_derived_compute(d->db, DERIVED_BURNED_PART, &by, d);
	for (size_t i = 0; i < d->burned.n; i++)
		if (db_derived_add(d->db, DERIVED_BURNED_PART, (uint32_t)i, e))
			return e->code;
	return E_OK;
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

	f->month_seconds = (int32_t)t->month_seconds;
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

static void past_close(struct deriving *d, const struct cost_thing *t)
{
	struct fact *f = fact_find(d, t->last.id);

	if (f && strcmp(f->uid, t->last.uid) != 0)
		f = NULL;
	for (size_t i = 0; i < t->n; i++)
		past_burned(d, t, f, &t->sums[i]);
	if (f)
		past_tell_fact(f, t);
}

/* The intervals of the one before have ended. */
static void past_end(struct lately *l)
{
	struct costs *c = &l->costs;

	if (!l->reads || c->a != &l->one)
		return;
	past_close(c->d, &c->v[c->n - 1]);
	c->n--;
	arena_reset(&l->one);
}

static void past_begin(struct lately *l, const struct q_interval_past *q)
{
	struct costs *c = &l->costs;
	const struct row_window_thing *last = l->reads ? &c->v[c->n - 1].last : NULL;

	if (last && !strcmp(last->id, q->id) && !strcmp(last->uid, q->uid))
		return;
	past_end(l);
	l->reads = true;
	c->a = str_eq(q->kind, "tpu") ? &c->d->temp : &l->one;
	l->fact = fact_find(c->d, q->id);
	if (l->fact && strcmp(l->fact->uid, q->uid) != 0)
		l->fact = NULL;
}

static void past_add(struct lately *l, const struct q_interval_past *q)
{
	ts_t now = l->costs.ends, ends = q->ends.set && q->ends.v < now ? q->ends.v : now;
	ts_t of_month = q->starts > l->month ? q->starts : l->month;
	struct burn_part parts[PARTS_MAX];
	struct fact_then_buf buf;
	struct fact f = fact_then(q, &buf);
	struct cost_thing *t;

	/* Before, only the running time matters. */
	if (ends > l->compared) {
		fact_describe(&f);
		fact_price(l->costs.d, &f, parts);
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

	if (q_interval_past_open(l->costs.d->db, &in, &rows, e))
		return e->code;
	while (q_interval_past_next(&rows, &q)) {
		past_begin(l, &q);
		past_add(l, &q);
	}
	past_end(l);
	return db_rows_close(&rows, e);
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
				   .a = &d->temp,
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
	/* about one for each resource */
	d->burned.cap = d->n_facts;
	d->burned.v = arena_alloc(&d->kept, d->burned.cap * sizeof(*d->burned.v));
	rc = past_read(&l, e);
	arena_done(&l.one);
	if (rc)
		return err_wrap(e, "the last days");
	cost_add_covered(&l.costs, &d->past, d->past_rows, d->n_past_rows);
	past_keep_tpus(&l);
	for (size_t i = 0; i < l.costs.n; i++)
		past_close(d, &l.costs.v[i]);
	return past_put(d, e);
}

/* What ran lately and what it cost: each stretch of time at today's price of what it was then,
 * summed exactly and rounded once for each resource, category and window. */
#include "base/time/civil.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "base/strmap.h"
#include "db_sql.h"
#include "rules/derive/internal.h"

#include <stdio.h>
#include <string.h>

#define WEEK_SECONDS (7 * DAY_SECONDS)

enum window { LAST_24H, LAST_7D, WINDOWS };

/* One category of a resource, in one currency or (cur "") without a price. In nanos times
 * seconds of an hour. */
struct past_part {
	const char *category;
	char cur[4];
	__int128 gross[WINDOWS], covered[WINDOWS];
	int64_t unpriced[WINDOWS]; /* seconds */
};

struct past_thing {
	const char *id, *uid, *kind, *project, *labels, *owner;
	struct past_part *parts;
	size_t n, cap;
	int64_t month_seconds;
};

struct lately {
	struct deriving *d;
	ts_t starts[WINDOWS]; /* all of them end now */
	ts_t month;
	ts_t compared; /* since then with the bill */
	struct past_thing *v;
	size_t n, cap, cap_stretches;
	struct strmap index; /* "id uid" -> place in v */
};

static struct past_part *part_of(
	struct lately *l, struct past_thing *t, const char *category, const char *cur)
{
	struct past_part *part;

	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->parts[i].category, category) &&
			!strcmp(t->parts[i].cur, cur))
			return &t->parts[i];
	t->parts = arena_grow(&l->d->arena, t->parts, t->n, &t->cap, sizeof(*t->parts));
	part = &t->parts[t->n++];
	*part = (struct past_part){.category = category};
	snprintf(part->cur, sizeof(part->cur), "%s", cur);
	return part;
}

/* Seconds of [starts, ends) since `from`. */
static int64_t overlap(ts_t starts, ts_t ends, ts_t from)
{
	ts_t first = starts > from ? starts : from;

	return ends > first ? ends - first : 0;
}

static void add_stretch(struct lately *l, struct past_thing *t, const struct fact *f,
	ts_t starts, ts_t ends)
{
	for (size_t i = 0; i < f->n_parts && ends > l->starts[LAST_7D]; i++) {
		const struct price *p = &f->parts[i].price;
		struct past_part *part = part_of(
			l, t, f->parts[i].category, p->known ? p->cur : "");

		for (int w = 0; w < WINDOWS; w++) {
			int64_t seconds = overlap(starts, ends, l->starts[w]);

			if (p->known)
				part->gross[w] += (__int128)p->nanos * seconds;
			else
				part->unpriced[w] += seconds;
		}
	}
	if (str_eq(f->kind, "vm") && str_eq(f->state, "running") &&
		sustained_family(f->type))
		t->month_seconds += overlap(starts, ends, l->month);
}

static void thing_key(struct sbuf *key, const char *id, const char *uid)
{
	sbuf_reset(key);
	sbuf_adds(key, id);
	sbuf_addc(key, ' ');
	sbuf_adds(key, uid);
}

static struct past_thing *thing_find(
	const struct lately *l, struct sbuf *key, const char *id, const char *uid)
{
	const size_t *at;

	thing_key(key, id, uid);
	at = strmap_get(&l->index, key->s);
	return at ? &l->v[*at] : NULL;
}

static struct past_thing *thing_new(
	struct lately *l, struct sbuf *key, const struct q_interval_past *q)
{
	struct arena *a = &l->d->arena;
	struct past_thing *t;

	thing_key(key, q->id, q->uid);
	strmap_put(&l->index, key->s, l->n);
	l->v = arena_grow(a, l->v, l->n, &l->cap, sizeof(*l->v));
	t = &l->v[l->n++];
	*t = (struct past_thing){.id = arena_strdup(a, q->id),
		.uid = arena_strdup(a, q->uid),
		.kind = arena_strdup(a, q->kind),
		.project = arena_strdup(a, q->project)};
	return t;
}

struct fact fact_then(const struct q_interval_past *q, char region[REGION_BUF])
{
	bool zone = zone_to_region(q->location, region);

	return (struct fact){.id = q->id,
		.kind = q->kind,
		.location = q->location,
		.zone = zone ? q->location : NULL,
		.region = zone ? region : q->location,
		.name = q->name,
		.state = q->state,
		.raw_state = "",
		.type = q->type,
		.provisioning = q->provisioning,
		.gpu_type = q->gpu_type,
		.labels = "{}",
		.size_gib = q->size_gib,
		.bytes = q->bytes,
		.gpu_count = q->gpu_count,
		.local_ssd_gib = q->local_ssd_gib,
		.told_vcpus = q->vcpus,
		.told_memory_mib = q->memory_mib};
}

static void keep_stretch(struct lately *l, const struct past_thing *t, const struct fact *f,
	ts_t starts, ts_t ends)
{
	struct deriving *d = l->d;
	struct stretch *s;

	d->stretches = arena_grow(&d->arena, d->stretches, d->n_stretches,
		&l->cap_stretches, sizeof(*d->stretches));
	s = &d->stretches[d->n_stretches++];
	*s = (struct stretch){.project = t->project,
		.kind = t->kind,
		.starts = starts,
		.ends = ends,
		.n_parts = f->n_parts};
	memcpy(s->parts, f->parts, sizeof(s->parts));
}

static void add_interval(
	struct lately *l, struct sbuf *key, const struct q_interval_past *q)
{
	ts_t now = l->d->o->now, ends = q->ends.set && q->ends.v < now ? q->ends.v : now;
	struct past_thing *t = l->n ? &l->v[l->n - 1] : NULL;
	char region[REGION_BUF];
	struct fact f = fact_then(q, region);

	if (!t || strcmp(t->id, q->id) != 0 || strcmp(t->uid, q->uid) != 0)
		t = thing_new(l, key, q);
	t->labels = arena_strdup(&l->d->arena, q->labels);
	t->owner = arena_strdup(&l->d->arena, q->owner);
	/* Before, all that matters is how long it ran. */
	if (ends > l->compared) {
		fact_describe(&f);
		fact_price(l->d, &f);
		keep_stretch(l, t, &f, q->starts, ends);
	}
	add_stretch(l, t, &f, q->starts, ends);
}

static enum err_code load_stretches(struct lately *l, struct sbuf *key, struct err *e)
{
	struct q_interval_past_in in = {
		.since = l->month < l->compared ? l->month : l->compared,
		.until = l->d->o->now};
	struct q_interval_past q;
	struct db_rows rows;

	if (q_interval_past_open(l->d->db, &in, &rows, e))
		return e->code;
	while (q_interval_past_next(&rows, &q))
		add_interval(l, key, &q);
	return db_rows_close(&rows, e);
}

/* What grants paid of it. */
static void add_covered(struct lately *l, struct sbuf *key)
{
	const struct deriving *d = l->d;

	for (size_t i = 0; i < d->n_past_rows; i++) {
		const struct cov_row *row = &d->past_rows[i];
		const struct price *p = &d->past.prices[row->node];
		struct past_thing *t;
		struct past_part *part;

		if (!row->covered || !p->known || row->ends <= l->starts[LAST_7D])
			continue;
		t = thing_find(
			l, key, d->past.nodes[row->node].id, d->past.uids[row->node]);
		if (!t)
			continue;
		part = part_of(l, t, "tpu", p->cur);
		for (int w = 0; w < WINDOWS; w++)
			part->covered[w] += (__int128)p->nanos *
				overlap(row->starts, row->ends, l->starts[w]);
	}
}

static struct opt_i64 amount(__int128 nano_seconds)
{
	int64_t nanos;

	return i128_div_round(nano_seconds, HOUR_SECONDS, &nanos) ? SOME(nanos) : NONE;
}

static enum err_code put_part(struct deriving *d, const struct past_thing *t,
	const struct past_part *part, struct err *e)
{
	struct row_burned_part in = {.id = t->id,
		.uid = t->uid,
		.kind = t->kind,
		.project = t->project,
		.category = part->category,
		.labels = t->labels,
		.owner = t->owner,
		.unpriced_24h = part->unpriced[LAST_24H],
		.unpriced_7d = part->unpriced[LAST_7D]};

	if (*part->cur) {
		in.currency = part->cur;
		in.gross_24h = amount(part->gross[LAST_24H]);
		in.net_24h = amount(part->gross[LAST_24H] - part->covered[LAST_24H]);
		in.gross_7d = amount(part->gross[LAST_7D]);
		in.net_7d = amount(part->gross[LAST_7D] - part->covered[LAST_7D]);
	}
	if (!part->unpriced[LAST_7D] && !part->gross[LAST_7D])
		return E_OK;
	return derived_put_burned_part(d->db, &in, e);
}

static bool add_amount(struct opt_i64 *sum, struct opt_i64 more)
{
	sum->set = sum->set && more.set && nanos_add(sum->v, more.v, &sum->v);
	return sum->set;
}

/* What a resource that exists has cost in the last day, if all of it is known, in one currency. */
static void tell_fact(struct fact *f, const struct past_thing *t)
{
	const char *cur = NULL;
	struct opt_i64 gross = SOME(0), net = SOME(0);

	f->month_seconds = t->month_seconds;
	for (size_t i = 0; i < t->n; i++) {
		const struct past_part *p = &t->parts[i];

		if (p->unpriced[LAST_24H])
			return;
		if (!p->gross[LAST_24H])
			continue;
		if ((cur && strcmp(cur, p->cur) != 0) ||
			!add_amount(&gross, amount(p->gross[LAST_24H])) ||
			!add_amount(
				&net, amount(p->gross[LAST_24H] - p->covered[LAST_24H])))
			return;
		cur = p->cur;
	}
	/* Nothing is nothing in every currency. */
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
		const struct past_thing *t = &d->past_things[i];

		for (size_t k = 0; k < t->n; k++)
			if (put_part(d, t, &t->parts[k], e))
				return err_wrap(e, "%s", t->id);
	}
	return E_OK;
}

static void tell_facts(struct lately *l, struct sbuf *key)
{
	struct deriving *d = l->d;

	for (size_t i = 0; i < d->n_facts; i++) {
		struct fact *f = &d->facts[i];
		const struct past_thing *t = thing_find(l, key, f->id, f->uid);

		if (t)
			tell_fact(f, t);
	}
}

/* Spot has none, nor has what a commitment covers, which nobody tells us. Local SSD has none;
 * GPUs have it where they are added to a machine. */
struct opt_i64 fact_sustained(const struct fact *f, const struct billing_month *month)
{
	int64_t off = 0;

	if (!str_eq(f->kind, "vm") || !str_eq(f->state, "running") || !f->price.known ||
		month->starts == month->ends)
		return NONE;
	if (str_eq(f->provisioning, "spot"))
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
	struct lately l = {.d = d,
		.starts = {[LAST_24H] = now - DAY_SECONDS, [LAST_7D] = now - WEEK_SECONDS}};
	struct sbuf key = SBUF_INIT;
	enum err_code rc;

	/* A machine without the zone knows no month, and all the rest. */
	if (billing_month_of(now, &d->month, NULL))
		d->month = (struct billing_month){.starts = now, .ends = now};
	l.month = d->month.starts;
	l.compared = tz_day_start(
		d->o->settings->tz, tz_day(d->o->settings->tz, now) - ESTIMATE_DAYS);
	rc = load_stretches(&l, &key, e);
	if (!rc) {
		add_covered(&l, &key);
		tell_facts(&l, &key);
	}
	d->past_things = l.v;
	d->n_past_things = l.n;
	strmap_done(&l.index);
	sbuf_done(&key);
	return rc ? err_wrap(e, "the last days") : E_OK;
}

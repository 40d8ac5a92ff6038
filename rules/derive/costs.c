/* Costs over time: each interval at today's price of the resource as it was then, summed exactly
 * and rounded once for each resource, category, currency and window.
 *
 * A v3-8 at 8 USD an hour that ran for 1000 s, and again for 2000 s of which a grant paid 500 s:
 *
 *   gross    8 000 000 000 x (1000 + 2000) = 24 000 000 000 000 nano-units an hour x seconds
 *   covered  8 000 000 000 x 500           =  4 000 000 000 000
 *   gross    24 000 000 000 000 / 3600     =  6 666 666 667 nano-units, rounded here
 *   net      20 000 000 000 000 / 3600     =  5 555 555 556
 *
 * If each interval were rounded separately, the sum could be off by a nano-unit for each. */
#include "rules/derive/costs.h"

#include "base/str.h"

#include <string.h>

static int64_t cost_overlap(const struct costs *c, int window, ts_t starts, ts_t ends)
{
	ts_t first = starts > c->starts[window] ? starts : c->starts[window];

	return ends > first ? ends - first : 0;
}

struct cost_thing *cost_find(struct costs *c, const char *id, const char *uid)
{
	size_t from = 0, to = c->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		const struct row_window_thing *at = &c->v[middle].last;
		int order = strcmp(at->id, id);

		if (!order)
			order = strcmp(at->uid, uid);
		if (!order)
			return &c->v[middle];
		if (order < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

/* Intervals of one resource follow each other. Most have the properties of the resource before. */
static struct cost_thing *cost_thing_of(struct costs *c, const char *id, const char *uid)
{
	struct cost_thing *t = c->n ? &c->v[c->n - 1] : NULL;
	struct row_window_thing like = {0};

	if (t && !strcmp(t->last.id, id) && !strcmp(t->last.uid, uid))
		return t;
	if (t)
		like = t->last;
	like.seconds = like.running = 0;
	like.id = arena_strdup(c->a, id);
	like.uid = arena_strdup(c->a, uid);
	t = arena_push(&c->d->temp, c);
	*t = (struct cost_thing){.last = like};
	return t;
}

static struct cost_sum *cost_sum_of(
	struct costs *c, struct cost_thing *t, const char *category, const struct price *p)
{
	const char *cur = p->known ? p->cur : "";
	struct cost_sum *s;

	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->sums[i].category, category) && !strcmp(t->sums[i].cur, cur))
			return &t->sums[i];
	if (!t->cap) { /* most resources have one category */
		t->cap = 1;
		t->sums = arena_new(c->a, struct cost_sum);
	}
	s = arena_append(c->a, t->sums, t->n, t->cap);
	*s = (struct cost_sum){.category = category};
	memcpy(s->cur, cur, strlen(cur));
	return s;
}

static void cost_keep_text(struct costs *c, const char **text, const char *now)
{
	if (!str_eq(*text, now))
		*text = arena_strdup(c->a, now);
}

/* Properties of the resource in its last interval. */
static void cost_describe(struct costs *c, struct row_window_thing *last,
	const struct q_interval_past *q, const struct fact *f)
{
	cost_keep_text(c, &last->kind, q->kind);
	cost_keep_text(c, &last->project, q->project);
	cost_keep_text(c, &last->location, q->location);
	cost_keep_text(c, &last->name, q->name);
	cost_keep_text(c, &last->state, q->state);
	cost_keep_text(c, &last->type, q->type);
	cost_keep_text(c, &last->provisioning, q->provisioning);
	cost_keep_text(c, &last->family, fact_family(f));
	cost_keep_text(c, &last->labels, q->labels);
	cost_keep_text(c, &last->owner, q->owner);
	last->chips = opt_wide(f->chips);
	last->vcpus = opt_wide(f->vcpus);
	last->size_gib = q->size_gib;
}

struct cost_thing *cost_add(struct costs *c, const struct q_interval_past *q,
	const struct fact *f, ts_t starts, ts_t ends)
{
	struct cost_thing *t = cost_thing_of(c, q->id, q->uid);
	struct row_window_thing *last = &t->last;

	cost_describe(c, last, q, f);
	if (!last->seconds)
		last->starts = starts;
	last->ends = ends;
	last->seconds += ends - starts;
	if (str_eq(q->state, "running") || str_eq(q->state, "attached"))
		last->running += ends - starts;
	for (size_t i = 0; i < f->n_parts && ends > c->starts[0]; i++) {
		const struct price *p = &f->parts[i].price;
		struct cost_sum *s = cost_sum_of(c, t, f->parts[i].category, p);

		for (int w = 0; w < COST_WINDOWS; w++) {
			int64_t seconds = cost_overlap(c, w, starts, ends);

			s->gross[w] += (__int128)p->nanos * seconds;
			s->unpriced[w] += p->known ? 0 : seconds;
		}
	}
	return t;
}

/* Nothing of the category has that price: the other sums move up. */
static void cost_drop_empty(struct cost_thing *t, struct cost_sum *s)
{
	for (int w = 0; w < COST_WINDOWS; w++)
		if (s->gross[w] || s->unpriced[w])
			return;
	memmove(s, s + 1, (size_t)(t->sums + t->n - (s + 1)) * sizeof(*s));
	t->n--;
}

/* It is unknown whether a grant pays it: as if its price were unknown. */
static void cost_add_unclear(struct costs *c, struct cost_thing *t, const struct price *p,
	const struct cov_row *row)
{
	struct cost_sum *s = cost_sum_of(c, t, "tpu", p);

	for (int w = 0; w < COST_WINDOWS; w++)
		s->gross[w] -= (__int128)p->nanos *
			cost_overlap(c, w, row->starts, row->ends);
	cost_drop_empty(t, s);
	s = cost_sum_of(c, t, "tpu", &price_unknown);
	for (int w = 0; w < COST_WINDOWS; w++)
		s->unpriced[w] += cost_overlap(c, w, row->starts, row->ends);
}

void cost_add_covered(
	struct costs *c, const struct past *p, const struct cov_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct cov_row *row = &rows[i];
		const struct past_of *of = &p->of[row->node];
		bool unclear = row->why == WHY_PROVISIONING_UNKNOWN;
		struct cost_thing *t;
		struct cost_sum *s;

		if ((!row->covered && !unclear) || !of->price.known ||
			row->ends <= c->starts[0])
			continue;
		t = cost_find(c, p->nodes[row->node].id, of->uid);
		if (!t)
			continue;
		if (unclear) {
			cost_add_unclear(c, t, &of->price, row);
			continue;
		}
		s = cost_sum_of(c, t, "tpu", &of->price);
		for (int w = 0; w < COST_WINDOWS; w++)
			s->covered[w] += (__int128)of->price.nanos *
				cost_overlap(c, w, row->starts, row->ends);
	}
}

static void cost_add_known(struct costs *c, const struct q_interval_past *q)
{
	ts_t known = known_until(c->d, q->last_seen, q->poll_group);
	ts_t starts = q->starts > c->starts[0] ? q->starts : c->starts[0];
	ts_t ends = q->ends.set && q->ends.v < c->ends ? q->ends.v : c->ends;
	struct burn_part parts[PARTS_MAX];
	struct fact_then_buf buf;
	struct fact f = fact_then(q, &buf);

	if (known != TS_NONE && known < ends)
		ends = known;
	if (ends <= starts)
		return;
	fact_describe(&f);
	fact_price(c->d, &f, parts);
	cost_add(c, q, &f, starts, ends);
}

enum err_code costs_read(struct costs *c, struct past *p, const struct cov_row **rows,
	size_t *n, struct err *e)
{
	struct q_interval_past_in in = {
		.since = c->starts[0], .until = c->ends, .seen = true};
	struct q_interval_past q;
	struct db_rows found;

	if (past_sweep(c->d, c->starts[0], c->ends, p, rows, n, e) ||
		q_interval_past_open(c->d->db, &in, &found, e))
		return e->code;
	while (q_interval_past_next(&found, &q))
		cost_add_known(c, &q);
	cost_add_covered(c, p, *rows, *n);
	return db_rows_close(&found, e);
}

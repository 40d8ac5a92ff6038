/* What there was in the asked period and what it cost: each stretch of time at today's price of
 * what it was then, summed exactly and rounded once for each thing, category and currency. */
#include "base/time/civil.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "base/strmap.h"
#include "db_sql.h"
#include "rules/derive/internal.h"

#include <string.h>

/* In one currency, or (cur "") without a price. In nanos times seconds of an hour. */
struct window_sum {
	const char *category;
	char cur[4];
	__int128 gross, covered;
	int64_t unpriced; /* seconds */
};

/* The last stretch of it in the period says what it is. */
struct window_thing {
	struct row_window_thing in;
	struct window_sum *sums;
	size_t n, cap;
};

struct window {
	struct deriving *d;
	ts_t from, to;
	ts_t first; /* of all that is known */
	struct window_thing *v;
	size_t n, cap;
	struct strmap index; /* "id uid" -> place in v */
	struct sbuf key;
};

static struct window_sum *sum_of(
	struct window *w, struct window_thing *t, const char *category, const char *cur)
{
	struct window_sum *s;

	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->sums[i].category, category) && !strcmp(t->sums[i].cur, cur))
			return &t->sums[i];
	t->sums = arena_grow(&w->d->arena, t->sums, t->n, &t->cap, sizeof(*t->sums));
	s = &t->sums[t->n++];
	*s = (struct window_sum){.category = category};
	memcpy(s->cur, cur, strlen(cur));
	return s;
}

static const char *key_of(struct window *w, const char *id, const char *uid)
{
	sbuf_reset(&w->key);
	sbuf_addf(&w->key, "%s %s", id, uid);
	return w->key.s;
}

static struct window_thing *thing_of(struct window *w, const char *id, const char *uid)
{
	const size_t *at = strmap_get(&w->index, key_of(w, id, uid));
	struct arena *a = &w->d->arena;
	struct window_thing *t;

	if (at)
		return &w->v[*at];
	strmap_put(&w->index, w->key.s, w->n);
	w->v = arena_grow(a, w->v, w->n, &w->cap, sizeof(*w->v));
	t = &w->v[w->n++];
	*t = (struct window_thing){
		.in = {.id = arena_strdup(a, id), .uid = arena_strdup(a, uid)}};
	return t;
}

static void describe(struct window *w, struct window_thing *t,
	const struct q_interval_past *q, const struct fact *f)
{
	struct arena *a = &w->d->arena;

	t->in.kind = arena_strdup(a, q->kind);
	t->in.project = arena_strdup(a, q->project);
	t->in.location = arena_strdup(a, q->location);
	t->in.name = arena_strdup(a, q->name);
	t->in.state = arena_strdup(a, q->state);
	t->in.type = arena_strdup(a, q->type);
	t->in.provisioning = arena_strdup(a, q->provisioning);
	t->in.family = arena_strdup(a, f->family);
	t->in.labels = arena_strdup(a, q->labels);
	t->in.owner = arena_strdup(a, q->owner);
	t->in.chips = f->chips;
	t->in.vcpus = f->vcpus;
	t->in.size_gib = q->size_gib;
}

static void add_stretch(struct window *w, const struct q_interval_past *q)
{
	ts_t known = known_until(w->d, q->last_seen, q->poll_group);
	ts_t starts = q->starts > w->from ? q->starts : w->from;
	ts_t ends = q->ends.set && q->ends.v < w->to ? q->ends.v : w->to;
	char region[REGION_BUF];
	struct fact f = fact_then(q, region);
	struct window_thing *t;

	if (known != TS_NONE && known < ends)
		ends = known;
	if (ends <= starts)
		return;
	if (w->first == TS_NONE || starts < w->first)
		w->first = starts;
	fact_describe(&f);
	fact_price(w->d, &f);
	t = thing_of(w, q->id, q->uid);
	describe(w, t, q, &f);
	if (!t->in.seconds)
		t->in.starts = starts;
	t->in.ends = ends;
	t->in.seconds += ends - starts;
	if (str_eq(q->state, "running"))
		t->in.running += ends - starts;
	for (size_t i = 0; i < f.n_parts; i++) {
		const struct price *p = &f.parts[i].price;
		struct window_sum *s = sum_of(
			w, t, f.parts[i].category, p->known ? p->cur : "");

		if (p->known)
			s->gross += (__int128)p->nanos * (ends - starts);
		else
			s->unpriced += ends - starts;
	}
}

static enum err_code load_stretches(struct window *w, struct err *e)
{
	struct q_interval_past_in in = {.since = w->from, .until = w->to, .seen = true};
	struct q_interval_past q;
	struct db_rows rows;

	if (q_interval_past_open(w->d->db, &in, &rows, e))
		return e->code;
	while (q_interval_past_next(&rows, &q))
		add_stretch(w, &q);
	return db_rows_close(&rows, e);
}

/* What grants paid of it. */
static enum err_code add_covered(struct window *w, struct err *e)
{
	struct deriving *d = w->d;
	struct past p = {0};
	const struct cov_row *rows;
	size_t n;

	if (past_load(d, w->from, w->to, &p, e))
		return e->code;
	rows = coverage_sweep(&p.in, w->from, w->to, &d->arena, &n);
	rows = past_known(d, &p, rows, &n);
	for (size_t i = 0; i < n; i++) {
		const char *id = p.nodes[rows[i].node].id, *uid = p.uids[rows[i].node];
		const struct price *price = &p.prices[rows[i].node];

		if (rows[i].covered && price->known &&
			strmap_get(&w->index, key_of(w, id, uid)))
			sum_of(w, thing_of(w, id, uid), "tpu", price->cur)->covered +=
				(__int128)price->nanos * (rows[i].ends - rows[i].starts);
	}
	return E_OK;
}

static struct opt_i64 amount(__int128 nano_seconds)
{
	int64_t nanos;

	return i128_div_round(nano_seconds, HOUR_SECONDS, &nanos) ? SOME(nanos) : NONE;
}

static enum err_code put_thing(
	struct window *w, const struct window_thing *t, struct err *e)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct window_sum *s = &t->sums[i];
		struct row_window_part in = {.id = t->in.id,
			.uid = t->in.uid,
			.category = s->category,
			.unpriced = s->unpriced};

		if (*s->cur) {
			in.currency = s->cur;
			in.gross = amount(s->gross);
			in.net = amount(s->gross - s->covered);
		}
		if (derived_put_window_part(w->d->db, &in, e))
			return e->code;
	}
	return derived_put_window_thing(w->d->db, &t->in, e);
}

static enum err_code put_all(struct window *w, struct err *e)
{
	struct row_window_span in = {.starts = w->from, .ends = w->to};

	/* without --since it begins with what is known first */
	if (w->d->o->since == TS_NONE)
		in.starts = w->first == TS_NONE ? w->to : w->first;
	else if (w->from > w->to) /* it is still to come */
		in.starts = w->to;
	if (derived_put_window_span(w->d->db, &in, e))
		return e->code;
	for (size_t i = 0; i < w->n; i++)
		if (put_thing(w, &w->v[i], e))
			return err_wrap(e, "%s", w->v[i].in.id);
	return E_OK;
}

enum err_code derive_window(struct deriving *d, struct err *e)
{
	const struct derive_opts *o = d->o;
	struct window w = {.d = d,
		.from = o->since == TS_NONE ? INT64_MIN + 1 : o->since,
		.to = o->until == TS_NONE || o->until > o->now ? o->now : o->until,
		.first = TS_NONE,
		.key = SBUF_INIT};
	enum err_code rc = E_OK;

	if (o->since == TS_NONE && o->until == TS_NONE)
		return E_OK;
	if (w.from < w.to && (load_stretches(&w, e) || add_covered(&w, e)))
		rc = e->code;
	if (!rc)
		rc = put_all(&w, e);
	strmap_done(&w.index);
	sbuf_done(&w.key);
	return rc ? err_wrap(e, "the asked period") : E_OK;
}

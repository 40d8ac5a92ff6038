/* Resources of the requested period and their costs. */
#include "rules/derive/costs.h"

static enum err_code window_put_thing(
	struct deriving *d, const struct cost_thing *t, struct err *e)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct cost_sum *s = &t->sums[i];
		struct row_window_part in = {.id = t->last.id,
			.uid = t->last.uid,
			.category = s->category,
			.unpriced = s->unpriced[0]};

		if (*s->cur) {
			in.currency = s->cur;
			in.gross = price_hours(s->gross[0]);
			in.net = price_hours(s->gross[0] - s->covered[0]);
		}
		if (derived_put_window_part(d->db, &in, e))
			return e->code;
	}
	return derived_put_window_thing(d->db, &t->last, e);
}

static enum err_code window_put(const struct costs *c, struct err *e)
{
	struct deriving *d = c->d;
	struct row_window_span in = {.starts = c->starts[0], .ends = c->ends};

	if (d->o->since == TS_NONE || in.starts > in.ends) /* the period is in the future */
		in.starts = c->ends;
	/* without --since the period begins with the first known resource */
	for (size_t i = 0; d->o->since == TS_NONE && i < c->n; i++)
		if (c->v[i].last.starts < in.starts)
			in.starts = c->v[i].last.starts;
	if (derived_put_window_span(d->db, &in, e))
		return e->code;
	for (size_t i = 0; i < c->n; i++)
		if (window_put_thing(d, &c->v[i], e))
			return err_wrap(e, "%s", c->v[i].last.id);
	return E_OK;
}

enum err_code derive_window(struct deriving *d, struct err *e)
{
	const struct derive_opts *o = d->o;
	ts_t from = o->since == TS_NONE ? INT64_MIN + 1 : o->since;
	ts_t to = derive_until(o);
	struct costs c = {.d = d, .a = &d->arena, .starts = {from, to}, .ends = to};
	struct past p = {0};
	const struct cov_row *rows;
	enum err_code rc = E_OK;
	size_t n;

	if (o->since == TS_NONE && o->until == TS_NONE)
		return E_OK;
	if (from < to)
		rc = costs_read(&c, &p, &rows, &n, e);
	if (!rc)
		rc = window_put(&c, e);
	return rc ? err_wrap(e, "the requested period") : E_OK;
}

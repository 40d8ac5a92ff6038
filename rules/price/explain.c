#include "rules/price/explain.h"

#include "rules/derive/internal.h"

#include <string.h>

struct tracing {
	struct arena *a;
	struct priced *out;
	size_t cap;
};

static const struct price_rate *keep_rate(struct arena *a, const struct price_rate *r)
{
	struct price_rate *copy = r ? arena_new(a, struct price_rate) : NULL;

	if (r) {
		*copy = *r;
		copy->as_of = arena_strdup(a, r->as_of);
	}
	return copy;
}

static void explain_keep_term(void *ctx, const struct price_term *t)
{
	struct tracing *tr = ctx;
	struct priced *p = tr->out;
	struct price_term *copy;

	copy = arena_append(tr->a, p->terms, p->n_terms, tr->cap);
	*copy = *t;
	copy->name = arena_strdup(tr->a, t->name);
	copy->place = arena_strdup(tr->a, t->place);
	copy->unit.as_of = arena_strdup(tr->a, t->unit.as_of);
	copy->unit.sku = arena_strdup(tr->a, t->unit.sku);
	copy->from = keep_rate(tr->a, t->from);
	copy->to = keep_rate(tr->a, t->to);
}

enum err_code explain_price(struct db *db, const struct settings *s, const char *id,
	struct arena *a, struct priced *out, struct err *e)
{
	struct derive_opts o = {.settings = s, .since = TS_NONE, .until = TS_NONE};
	struct deriving d = {.db = db, .o = &o};
	struct priced result = {0};
	struct tracing tr = {.a = a, .out = &result};
	struct price_trace trace = {.term = explain_keep_term, .ctx = &tr};
	enum err_code rc = derive_load(&d, e);
	struct fact *f = rc ? NULL : fact_find(&d, id);
	struct burn_part parts[PARTS_MAX];

	if (!rc && !f)
		rc = err_set(e, E_NOTFOUND, "no resource %s", id);
	if (!rc) {
		/* Only the price of this resource is computed and traced. */
		d.book.trace = &trace;
		fact_price(&d, f, parts);
		rc = account_prices_check(&d.account, e);
	}
	if (!rc) {
		result.total = f->price;
		result.total.as_of = arena_strdup(a, result.total.as_of);
		result.free = result.total.known && !result.total.nanos && !result.n_terms;
		*out = result;
	}
	derive_done(&d);
	return rc;
}

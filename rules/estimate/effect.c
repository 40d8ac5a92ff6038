/* Effects of a proposal: on budgets, and rules that it would break. */
#include "base/str.h"
#include "rules/estimate/internal.h"
#include "rules/judge/internal.h"

#include <string.h>

/* ---- budgets ----------------------------------------------------------------------------------- */

static bool effect_unpriced(const struct q_proposal_budgets *q)
{
	return q->unpriced.set && q->unpriced.v > 0;
}

enum err_code estimate_budgets_before(struct estimating *x, struct err *e)
{
	struct estimate *out = x->out;
	struct q_proposal_budgets *v;

	if (q_proposal_budgets_all(x->db, x->a, &v, &out->n_budgets, e))
		return e->code;
	out->has_budgets = out->n_budgets > 0;
	out->budgets = arena_alloc(x->a, out->n_budgets * sizeof(*out->budgets));
	for (size_t i = 0; i < out->n_budgets; i++)
		out->budgets[i] = (struct estimate_budget){
			.q = v[i], .unpriced = effect_unpriced(&v[i])};
	return E_OK;
}

/* The budget with the resources, whose burn continues until they end. One without a forecast, such as
 * where the bill has no rate to its currency, might be exceeded. */
static void effect_add_burn(struct estimating *x, struct estimate_budget *b,
	const struct q_proposal_budgets *row)
{
	bool unknown = !row->forecast.set && row->ends > x->now;

	if (unknown)
		estimate_note(x,
			arena_printf(
				x->a, "budget %s: forecast %s", b->q.name, row->basis));
	x->out->unjudged = x->out->unjudged || (unknown && !x->out->tpus);
	/* a covered TPU changes only the forecast, after its grant ends */
	b->changes = unknown || row->per_hour != b->q.per_hour ||
		row->forecast.v != b->q.forecast.v ||
		(effect_unpriced(row) && !b->unpriced);
	b->unpriced = effect_unpriced(row);
	if (!b->q.forecast.set || !b->q.expected.set || !row->forecast.set)
		return;
	b->after = row->forecast;
	b->runs_out_after = row->runs_out;
	b->breaks = b->after.v > b->q.amount && b->after.v > b->q.forecast.v;
}

enum err_code estimate_budgets_after(struct estimating *x, struct err *e)
{
	struct estimate *out = x->out;
	struct q_proposal_budgets *v;
	size_t n, kept = 0;

	if (out->unknown) {
		out->n_budgets = 0;
		return E_OK;
	}
	if (q_proposal_budgets_all(x->db, x->a, &v, &n, e))
		return e->code;
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < out->n_budgets; i++)
			if (!strcmp(out->budgets[i].q.name, v[k].name))
				effect_add_burn(x, &out->budgets[i], &v[k]);
	/* Budgets without a change are omitted. */
	for (size_t i = 0; i < out->n_budgets; i++)
		if (out->budgets[i].changes)
			out->budgets[kept++] = out->budgets[i];
	out->n_budgets = kept;
	return E_OK;
}

/* ---- rules ------------------------------------------------------------------------------------- */

static const char *effect_key_of(
	struct estimating *x, const struct rule *r, const char *subject)
{
	return arena_printf(x->a, "%s\n%s", r->name, subject);
}

/* Denied by the configuration itself: a resource of the proposal or, where no grant decides, a
 * result of it. */
static bool refuses(const struct estimate *out, const struct rule *r, bool of_thing)
{
	return r->at && r->severity != SEVERITY_INFO && (of_thing || !out->tpus);
}

/* The hit of the same rule by another resource of the same wish. */
static struct estimate_hit *same_hit(
	struct estimating *x, const struct rule *r, const struct estimate_thing *t)
{
	for (size_t i = 0; t && i < x->out->n_hits; i++)
		if (x->out->hits[i].rule == r && x->out->hits[i].thing == t)
			return &x->out->hits[i];
	return NULL;
}

/* Beyond the limit, only the deciding hit is kept, once. */
static struct estimate_hit *new_hit(struct estimating *x, bool decides)
{
	struct estimate *out = x->out;

	if (out->n_hits == ESTIMATE_MAX_HITS) {
		if (!decides || x->refused_by_rule)
			return NULL;
		return &out->hits[out->n_hits - 1];
	}
	return arena_append(x->a, out->hits, out->n_hits, x->cap_hits);
}

static void take_hit(struct estimating *x, const struct rule *r, const struct hit *h)
{
	const size_t *at = strmap_get(&x->ids, h->subject);
	const struct estimate_thing *thing = at ? &x->out->things[*at] : NULL;
	bool decides = refuses(x->out, r, thing);
	struct estimate_hit *hit;

	if (strmap_get(&x->hits, effect_key_of(x, r, h->subject)))
		return;
	/* sums count unknown costs as free */
	if (x->out->unknown && !thing)
		return;
	hit = same_hit(x, r, thing);
	if (hit) {
		hit->more++;
		return;
	}
	hit = new_hit(x, decides);
	if (!hit)
		return;
	x->refused_by_rule = x->refused_by_rule || decides;
	*hit = (struct estimate_hit){.rule = r,
		.subject = h->subject,
		.summary = h->summary,
		.thing = thing,
		.refuses = decides};
}

/* A rule that cannot be evaluated yields only that note; a rule of the configuration might deny. */
static enum err_code one_rule(
	struct estimating *x, const struct rule *r, bool after, struct err *e)
{
	struct judging j = {.db = x->db, .s = x->s, .now = x->now, .arena = x->a};
	struct hits hits = {0};
	struct err why = {0};

	if (judge_hits(&j, r, &hits, &why)) {
		if (why.code != E_USAGE && why.code != E_LIMIT) {
			*e = why;
			return err_wrap(e, "rule %s", r->name);
		}
		if (!after)
			return E_OK;
		estimate_note(x,
			arena_printf(x->a, "rule %s could not be evaluated: %s", r->name,
				why.msg));
		x->out->unjudged = x->out->unjudged || r->at;
		return E_OK;
	}
	for (size_t i = 0; i < hits.n; i++)
		if (after)
			take_hit(x, r, &hits.v[i]);
		else
			strmap_put(&x->hits, effect_key_of(x, r, hits.v[i].subject), 0);
	return E_OK;
}

enum err_code estimate_rules(struct estimating *x, bool after, struct err *e)
{
	/* Only present resources can be affected by a creation: not bills, polls or traffic. */
	static const char *const on[] = {
		"resources", "burn", "grants", "coverage", "hidden_costs"};

	for (size_t i = 0; i < x->s->n_rules; i++) {
		const struct rule *r = &x->s->rules[i];

		if (r->enabled && str_in(r->on, on, ARRAY_LEN(on)) &&
			one_rule(x, r, after, e))
			return e->code;
	}
	return E_OK;
}

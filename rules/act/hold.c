/* What stands in the way of an action, and storing where it stands. */
#include "db/db.h"
#include "rules/enforce/internal.h"

#include <string.h>

void run_note(struct run *r, const struct action *x, const char *word)
{
	struct enforce_result *out = r->out;

	out->notes = arena_grow(
		r->a, out->notes, out->n_notes, &r->cap_notes, sizeof(*out->notes));
	out->notes[out->n_notes++] = arena_printf(
		r->a, "%s %s (rule %s): %s", word, x->t.id, x->rule, x->reason);
}

enum err_code run_store(struct run *r, struct action *x, const char *event, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(r->db, &tx, e) || lease_check(r, e) ||
		action_store(r->db, x, event, run_now(r), e))
		return e->code;
	return db_commit(&tx, e);
}

enum err_code run_guards(struct run *r, const struct action *x, const struct live *live,
	struct guard_no *no, struct err *e)
{
	const struct hands *h = r->o->hands;
	struct enforce_subject subject;
	struct alert_now alert;
	bool found;
	struct guard_ask q = {.db = r->db,
		.s = r->s,
		.rule = enforce_rule(r->s, x->rule),
		.action = x,
		.live = live,
		.clock_skew = INT64_MIN,
		.memo = live ? NULL : &r->memo,
		.now = run_now(r),
		.a = r->a};

	*no = (struct guard_no){0};
	if (alert_of(r->db, x, r->a, &alert, e) ||
		enforce_subject_get(r->db, x->t.id, r->a, &subject, &found, e))
		return e->code;
	q.subject = found ? &subject : NULL;
	q.fresh = alert.fresh && alert.firing;
	if (h && h->clock_skew && h->clock_skew(h->ctx, &q.clock_skew))
		q.clock_skew = INT64_MIN;
	return guard_first(&q, no, e);
}

enum err_code run_hold(struct run *r, struct action *x, const char *name,
	const char *reason, struct err *e)
{
	bool changed = strcmp(x->held, name) != 0;

	r->out->held++;
	if (!changed && !strcmp(x->reason, reason))
		return E_OK;
	x->held = name;
	x->reason = reason;
	if (changed && x->armed)
		run_note(r, x, "HELD");
	return run_store(r, x, changed ? "held" : NULL, e);
}

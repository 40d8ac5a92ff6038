/* Storage of the states of actions, together with their hashed entry in the audit log; the lease
 * that lets one process act at a time; and the reasons that hold an action back. */
#include "base/data/json.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "db/db.h"
#include "rules/act/audit.h"
#include "rules/enforce/internal.h"

#include <string.h>

/* Keys are sorted, so that equal content is equal text. */
static void write_detail(struct sbuf *b, const struct action *x)
{
	struct jw w = {.b = b};

	jw_begin(&w, '{');
	if (x->state == ACTION_INTENT && x->epoch)
		jw_ki64(&w, "epoch", x->epoch);
	if (*x->held)
		jw_kstr(&w, "held", x->held);
	jw_kstr(&w, "mode", x->armed ? "armed" : "dry-run");
	if (x->operation)
		jw_kstr(&w, "operation", x->operation);
	jw_kstr(&w, "reason", x->reason);
	if (x->state == ACTION_INTENT && x->record) {
		jw_kstr(&w, "record", x->record);
		jw_kstr(&w, "request_id", x->request_id);
		jw_kstr(&w, "restart", x->restart ? x->restart : "");
	}
	jw_kstr(&w, "rule", x->rule);
	jw_kstr(&w, "state", action_state_name(x->state));
	jw_kstr(&w, "uid", x->t.uid);
	jw_kstr(&w, "verb", verb_name(x->verb));
	jw_end(&w, '}');
}

enum err_code action_store(
	struct db *db, const struct action *x, const char *event, ts_t now, struct err *e)
{
	cleanup(sbuf_done) struct sbuf detail = SBUF_INIT;
	struct audit_entry entry = {.actor = "tpucost",
		.event = event,
		.action = x->number,
		.resource = x->t.id};
	struct q_action_move_in in = {.action = x->number,
		.state = action_state_name(x->state),
		.held = x->held,
		.reason = x->reason,
		.since = x->since,
		.warned = opt_of_ts(x->warned),
		.due = opt_of_ts(x->due),
		.attempts = x->attempts,
		.next_at = opt_of_ts(x->next_at),
		.request_id = x->request_id,
		.operation = x->operation,
		.intent = opt_of_ts(x->intent),
		.sent = opt_of_ts(x->sent),
		.ended = opt_of_ts(x->ended)};
	struct q_action_record_in record = {
		.action = x->number, .record = x->record, .restart = x->restart};

	if (q_action_move(db, &in, e))
		return e->code;
	if (x->state == ACTION_INTENT && q_action_record(db, &record, e))
		return e->code;
	if (!event)
		return E_OK;
	write_detail(&detail, x);
	entry.detail = detail.s;
	return audit_add(db, &entry, now, e);
}

/* ---- lease: one process acts at a time --------------------------------------------------------- */

#define LEASE "enforce"

static enum err_code get(struct run *r, struct q_lease_get *row, bool *found, struct err *e)
{
	struct q_lease_get_in in = {.name = LEASE};

	return q_lease_get_one(r->db, &in, r->a, row, found, e);
}

static enum err_code lease_put(struct run *r, int64_t fence, ts_t until, struct err *e)
{
	struct q_lease_put_in in = {
		.name = LEASE, .owner = r->o->owner, .fence = fence, .until = until};

	return q_lease_put(r->db, &in, e);
}

/* The owner is "HOST:PROCESS". Processes of one host exclude each other by a file lock, which the
 * kernel releases when a process dies: a process that gets the lock knows that the other has
 * ended. */
static bool same_host(const char *one, const char *other)
{
	size_t n = strcspn(one, ":");

	return n == strcspn(other, ":") && !strncmp(one, other, n);
}

enum err_code lease_take(struct run *r, struct err *e)
{
	ts_t now = run_now(r);
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct q_lease_get row;
	bool found;

	if (db_begin(r->db, &tx, e) || get(r, &row, &found, e))
		return e->code;
	/* A lease that ends far in the future was written by a wrong clock. */
	if (found && row.until > now && row.until <= now + 2 * ENFORCE_LEASE &&
		!same_host(row.owner, r->o->owner)) {
		err_set(e, E_BUSY, "another tpucost is acting: %s", row.owner);
		return err_fix(e, "let one machine enforce and the others only watch");
	}
	r->fence = found ? row.fence + 1 : 1;
	if (lease_put(r, r->fence, now + ENFORCE_LEASE, e))
		return e->code;
	return db_commit(&tx, e);
}

enum err_code lease_check(struct run *r, struct err *e)
{
	struct q_lease_get row;
	bool found;

	if (get(r, &row, &found, e))
		return e->code;
	if (!found || row.fence != r->fence)
		return err_set(e, E_BUSY,
			"another tpucost took over while this one was suspended");
	return lease_put(r, r->fence, run_now(r) + ENFORCE_LEASE, e);
}

enum err_code lease_release(struct run *r, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(r->db, &tx, e) || lease_check(r, e) ||
		lease_put(r, r->fence, run_now(r), e))
		return e->code;
	return db_commit(&tx, e);
}

/* ---- holding back ------------------------------------------------------------------------------ */

void run_note(struct run *r, const struct action *x, const char *word)
{
	struct enforce_result *out = r->out;

	*arena_append(r->a, out->notes, out->n_notes, r->cap_notes) = arena_printf(
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
	if (alert_of(r->db, x, q.rule, r->a, &alert, e) ||
		enforce_subject_get(r->db, x->t.id, r->a, &subject, &found, e))
		return e->code;
	q.subject = found ? &subject : NULL;
	q.fresh = alert_acts(&alert, x);
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

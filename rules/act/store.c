/* Where actions stand, stored together with their entry in the audit: part of the program that has
 * the network, since entries are hashed. */
#include "base/data/json.h"
#include "base/sbuf.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/act/audit.h"
#include "rules/enforce/internal.h"

static struct opt_i64 opt_of(ts_t t)
{
	return t == TS_NONE ? NONE : SOME(t);
}

/* Keys sorted, so that the same content is the same text. */
static void write_detail(struct sbuf *b, const struct action *x)
{
	struct jw w = {.b = b};

	jw_begin(&w, '{');
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
		.warned = opt_of(x->warned),
		.due = opt_of(x->due),
		.attempts = x->attempts,
		.next_at = opt_of(x->next_at),
		.request_id = x->request_id,
		.operation = x->operation,
		.intent = opt_of(x->intent),
		.sent = opt_of(x->sent),
		.ended = opt_of(x->ended)};
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

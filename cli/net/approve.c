/* Command `enforce approve`: lets an action pass guards that require a decision of the user. */
#include "base/money.h"
#include "base/str.h"
#include "base/data/json.h"
#include "cli/out/out.h"
#include "cli/enforce/enforce.h"
#include "cli/session.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/enforce/guard.h"

#include <string.h>

/* Tests whether the user can approve the action now. */
static enum err_code approve_check(
	int64_t number, const struct q_decide_action *x, struct err *e)
{
	if (x->ended.set)
		return err_set(e, E_CONFLICT, "action %lld has ended: %s",
			(long long)number, x->state);
	if (action_in_flight(action_state_of(x->state)))
		return err_set(e, E_CONFLICT, "action %lld is already in progress: %s",
			(long long)number, x->state);
	if (!*x->held)
		return err_set_fix(e, E_CONFLICT,
			"it needs no approval; see: tpucost enforce",
			"action %lld is not held: it is in state %s", (long long)number,
			x->state);
	if (guard_lets_approve(x->held))
		return E_OK;
	err_set(e, E_DENIED, "action %lld is held by %s, which cannot be approved: %s",
		(long long)number, x->held, x->reason);
	for (size_t i = 0; i < n_guards; i++)
		if (!strcmp(guards[i].name, x->held))
			err_fix(e, "%s holds it as long as %s", x->held, guards[i].doc);
	return e->code;
}

static void add_worth(struct sbuf *b, const struct q_decide_action *x)
{
	char num[NANOS_BUF];

	if (!x->currency)
		return;
	if (x->saves.set)
		sbuf_addf(b, "  saves  %s %s/h (estimate)\n",
			nanos_format_fixed(x->saves.v, 2, num), x->currency);
	if (x->residual.set)
		sbuf_addf(b, "  leaves %s %s/h of what it keeps (estimate)\n",
			nanos_format_fixed(x->residual.v, 2, num), x->currency);
	else if (x->remains && *x->remains)
		sbuf_addf(b, "  leaves %s of what it keeps (estimate)\n", x->remains);
}

/* Prints the action that was approved. */
static int approve_show(
	struct app *app, int64_t number, const struct q_decide_action *x, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_addf(&b, "action %lld: %s ", (long long)number, x->verb);
	sbuf_add_term(&b, x->resource);
	sbuf_adds(&b, "\n  rule   ");
	sbuf_add_term(&b, x->rule);
	sbuf_addf(&b, "\n  held   %s: ", x->held);
	sbuf_add_term(&b, x->reason);
	sbuf_addc(&b, '\n');
	add_worth(&b, x);
	if (x->due.set && x->due.v > app->now)
		sbuf_addf(&b, "  not before %s\n", person_time(app, x->due.v));
	sbuf_adds(&b,
		strcmp(x->mode, "armed") != 0
			? "approved, but the mode is dry-run: nothing is done\n"
			: "approved: the next 'tpucost run' does it, unless another "
			  "guard blocks it\n");
	return !app->o.quiet && out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

static const char *approve_detail_of(struct app *app, const struct q_decide_action *x)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct jw w = {.b = &b};

	jw_kstr(&w, "held", x->held);
	jw_kstr(&w, "mode", x->mode);
	jw_kstr(&w, "reason", x->reason);
	jw_kstr(&w, "rule", x->rule);
	jw_kstr(&w, "verb", x->verb);
	return arena_strdup(&app->arena, b.s);
}

static enum err_code approve(
	struct app *app, int64_t number, struct q_decide_action *x, struct err *e)
{
	struct q_decide_action_in in = {.action = number};
	struct q_decide_approve_in put = {.action = number, .now = app->now};
	cleanup(db_tx_end) struct db_tx tx = {0};
	bool found;

	app->decides = true;
	if (session_open_to_write(app, e) || db_begin(app->db, &tx, e) ||
		q_decide_action_one(app->db, &in, &app->arena, x, &found, e))
		return e->code;
	if (!found)
		return err_set_fix(e, E_NOTFOUND, "see: tpucost enforce",
			"there is no action %lld", (long long)number);
	if (approve_check(number, x, e) || q_decide_approve(app->db, &put, e) ||
		person_note(
			app, "approved", number, x->resource, approve_detail_of(app, x), e))
		return e->code;
	return db_commit(&tx, e) ? e->code : person_keep(app, e);
}

int cmd_enforce_approve(struct app *app, struct err *e)
{
	struct q_decide_action x;
	int64_t number;

	if (!app->n_args || !str_to_i64(app->args[0], 1, INT64_MAX, &number))
		return cmd_refuse(e, "see: tpucost enforce",
			"enforce approve: expected the number of an action");
	if (person_comment(app, e) || approve(app, number, &x, e))
		return cmd_fail(e);
	return approve_show(app, number, &x, e);
}

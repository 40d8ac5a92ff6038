#include "base/str.h"
#include "db_sql.h"
#include "rules/enforce/generation.h"
#include "rules/enforce/guard_internal.h"
#include "rules/enforce/halt.h"

#include <string.h>

/* Order: guards that end the episode, then those about the resource itself, then those that may
 * pass without intervention; those that wait for a user's decision are last, so that plans show the
 * others first. */
const struct guard guards[] = {
	{"rule-gone", "the rule no longer exists, or has another action", GUARD_ANEW, false,
		guard_rule_gone},
	{GUARD_RESTORED,
		"the database was restored or copied: everything starts over from its "
		"warning after tpucost enforce resume",
		GUARD_CLEARS, false, guard_restored},
	{"exempt",
		"it is on hold, carries the label tpucost-keep, or is exempt in the "
		"configuration (exempt, protect); a value that cannot be read protects it",
		GUARD_CLEARS, false, guard_exempt},
	{"kind",
		"Google has no such action for it, or the action would also affect other "
		"resources",
		GUARD_WAITS, false, guard_kind},
	{"family", "this version of tpucost does not know its TPU family", GUARD_WAITS,
		false, guard_family},
	{"hosts", "Google does not report how many hosts the TPU has", GUARD_WAITS, false,
		guard_hosts},
	{"state", "its state does not permit the action", GUARD_WAITS, false, guard_state},
	{"delete",
		"deleting needs allow_delete in the rule and in enforcement, and an age of "
		"an hour",
		GUARD_WAITS, false, guard_delete},
	{"managed", "something else owns it and would create it again", GUARD_WAITS, false,
		guard_managed},
	{"protected", "its deletion protection is on", GUARD_WAITS, false, guard_protected},
	{"local-ssd", "a stop would lose the data on its local SSDs", GUARD_WAITS, false,
		guard_local_ssd},
	{"own-host", "tpucost runs on it", GUARD_WAITS, false, guard_own_host},
	{"identity", "another machine has its name", GUARD_ANEW, false, guard_identity},
	{"restarted", "it was started again since the warning", GUARD_ANEW, false,
		guard_restarted},
	{"changed",
		"it differs from what the last poll stored: the next poll must read it "
		"first",
		GUARD_WAITS, false, guard_changed},
	{"fresh", "its data is old or not complete", GUARD_WAITS, false, guard_fresh},
	{"clock", "the system clock is or was wrong", GUARD_WAITS, false, guard_clock},
	{"shrink", "most of what ran in its project disappeared at once", GUARD_WAITS, true,
		guard_shrink},
	{"anomaly", "the rule depends on a bill that is old or changed suddenly",
		GUARD_WAITS, true, guard_anomaly},
	{"back-off", "it was stopped by tpucost within a day and started again",
		GUARD_WAITS, true, guard_back_off},
	{"grant-zone",
		"a grant names a zone without such TPUs, so it may be meant for this TPU",
		GUARD_WAITS, true, guard_grant_zone},
	{"disarmed",
		"Google refused this rule in the project permanently, or another machine "
		"was reached; tpucost enforce resume lets it act again",
		GUARD_WAITS, false, guard_disarmed},
	{"other", "another rule is acting on it now", GUARD_WAITS, false, guard_other},
	{"window", "it is outside enforcement.windows", GUARD_WAITS, false, guard_window},
	{"halt", "enforcement is halted", GUARD_WAITS, false, guard_halt},
	{"project", "its project is not in enforcement.projects", GUARD_WAITS, false,
		guard_project},
	{"armed", "the rule is not armed", GUARD_WAITS, false, guard_armed},
	{"mode", "enforcement.mode is not armed", GUARD_WAITS, false, guard_mode},
};
const size_t n_guards = ARRAY_LEN(guards);

bool guard_approved(const struct action *a, ts_t now)
{
	return a->approved != TS_NONE && a->approved <= now + GUARD_CLOCK &&
		now - a->approved <= GUARD_APPROVAL;
}

static enum err_code guard_ask(const struct guard *g, const struct guard_ask *q,
	struct guard_no *out, struct err *e)
{
	const char *why = NULL;

	*out = (struct guard_no){0};
	if (g->can_approve && guard_approved(q->action, q->now))
		return E_OK;
	if (g->check(q, &why, e))
		return err_wrap(e, "guard %s", g->name);
	if (why)
		*out = (struct guard_no){.name = g->name,
			.reason = why,
			.end = g->end,
			.can_approve = g->can_approve};
	return E_OK;
}

enum err_code guard_first(const struct guard_ask *q, struct guard_no *out, struct err *e)
{
	*out = (struct guard_no){0};
	for (size_t i = 0; !out->name && i < n_guards; i++)
		if (guard_ask(&guards[i], q, out, e))
			return e->code;
	return E_OK;
}

enum err_code guard_all(
	const struct guard_ask *q, struct guard_no *out, size_t *n, struct err *e)
{
	*n = 0;
	for (size_t i = 0; i < n_guards; i++) {
		if (guard_ask(&guards[i], q, &out[*n], e))
			return e->code;
		*n += out[*n].name != NULL;
	}
	return E_OK;
}

/* ---- decisions of users ------------------------------------------------------------------------ */

GUARD_FN(guard_rule_gone)
{
	const struct rule *r = q->rule;

	(void)e;
	if (!r || !r->enabled)
		*why = arena_printf(q->a, "rule %s no longer exists", q->action->rule);
	else if (!enforce_step(r, q->action->verb))
		*why = arena_printf(q->a, "rule %s no longer has the action '%s'", r->name,
			verb_name(q->action->verb));
	return E_OK;
}

GUARD_FN(guard_restored)
{
	struct guard_memo own = {0}, *m = q->memo ? q->memo : &own;
	struct generation_look l;

	if (!m->looked) {
		if (generation_look(q->db, q->s, NULL, q->a, &l, e))
			return e->code;
		m->restored = l.why;
		m->looked = true;
	}
	if (m->restored)
		*why = arena_printf(q->a,
			"actions are blocked for this database: %s; run: tpucost enforce "
			"resume",
			m->restored);
	return E_OK;
}

GUARD_FN(guard_mode)
{
	const struct enforcement *en = q->s->enforcement;
	enum enforce_mode mode = en ? en->mode : ENFORCE_OFF;

	(void)e;
	if (mode != ENFORCE_ARMED)
		*why = arena_printf(q->a, "enforcement.mode is %s: nothing is done",
			enforce_mode_name(mode));
	return E_OK;
}

GUARD_FN(guard_armed)
{
	const struct rule_action *step = enforce_step(q->rule, q->action->verb);

	(void)e;
	if (!step || !step->armed)
		*why = arena_printf(q->a, "rule %s is not armed", q->action->rule);
	return E_OK;
}

enum err_code guard_project_listed(struct db *db, const struct settings *s,
	const char *project, struct arena *a, bool *listed, struct err *e)
{
	const struct enforcement *en = s->enforcement;
	struct q_guard_number_in in = {.project = project};
	struct q_guard_number row;
	bool found;

	if (q_guard_number_one(db, &in, a, &row, &found, e))
		return e->code;
	*listed = false;
	for (size_t i = 0; en && i < en->n_projects; i++)
		*listed |= str_eq(en->projects[i], project) ||
			(row.number && str_eq(en->projects[i], row.number));
	return E_OK;
}

GUARD_FN(guard_project)
{
	const char *project = q->action->t.project;
	bool listed;

	if (guard_project_listed(q->db, q->s, project, q->a, &listed, e))
		return e->code;
	if (!listed)
		*why = arena_printf(
			q->a, "project %s is not in enforcement.projects", project);
	return E_OK;
}

GUARD_FN(guard_window)
{
	const struct enforcement *en = q->s->enforcement;
	ts_t opens;

	(void)e;
	if (!en || window_open(en, q->s->tz, q->now))
		return E_OK;
	opens = window_wait(en, q->s->tz, q->now, q->now);
	*why = arena_printf(q->a, "it is outside enforcement.windows (%s)%s%s",
		tz_name(q->s->tz), opens == TS_NONE ? "" : "; ",
		opens == TS_NONE ? "" : window_words(q->s->tz, opens, q->a));
	return E_OK;
}

GUARD_FN(guard_halt)
{
	const struct enforcement *en = q->s->enforcement;
	const char *path;

	(void)e;
	if (en && halt_found(en, q->db, q->a, &path))
		*why = arena_printf(q->a,
			"halted: %s exists, or cannot be checked; tpucost enforce resume",
			path);
	return E_OK;
}

bool guard_lets_approve(const char *held)
{
	/* set by a run after all guards passed */
	if (!strcmp(held, "caps") || !strcmp(held, "audit"))
		return true;
	for (size_t i = 0; i < n_guards; i++)
		if (!strcmp(guards[i].name, held))
			return guards[i].can_approve;
	return false;
}

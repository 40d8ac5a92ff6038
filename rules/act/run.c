/* One run: actions in progress first, then the ready ones. */
#include "base/str.h"
#include "db/db.h"
#include "rules/act/audit.h"
#include "rules/act/leader.h"
#include "rules/enforce/internal.h"

#include <inttypes.h>
#include <string.h>

#define MAX_PREVIEWS 50 /* live checks of a run that exceeds a limit */

/* ---- owner of a project ------------------------------------------------------------------------ */

struct seen_project {
	const char *project, *guard, *why; /* NULL: it is the right one */
};

struct projects {
	struct seen_project *v;
	size_t n, cap;
};

/* The number identifies the project: a name can be taken again, and credentials can belong to
 * another environment. If the number was never read before, there is nothing to compare with, and
 * the number of the machine itself must suffice. */
static enum err_code ask_project(struct run *r, struct seen_project *p, struct err *e)
{
	const struct hands *h = r->o->hands;
	struct q_project_number_in in = {.project = p->project};
	struct q_project_number q;
	const char *number = "";
	struct err own;
	bool known;

	if (q_project_number_one(r->db, &in, r->a, &q, &known, e))
		return e->code;
	if (!known)
		return E_OK;
	if (h->project(h->ctx, p->project, r->a, &number, &own)) {
		p->guard = "look";
		p->why = arena_printf(r->a,
			"could not ask Google which project %s is: %s%s%s", p->project,
			own.msg, own.fix[0] ? "; " : "", own.fix);
	} else if (*number && !str_eq(number, q.number)) {
		p->guard = "wrong-project";
		p->why = arena_printf(r->a,
			"for the credentials for actions, project %s has number %s; "
			"expected number %s",
			p->project, number, q.number);
	}
	return E_OK;
}

static enum err_code check_project(struct run *r, struct projects *seen,
	const char *project, struct seen_project *out, struct err *e)
{
	*out = (struct seen_project){.project = project};
	for (size_t i = 0; i < seen->n; i++)
		if (!strcmp(seen->v[i].project, project)) {
			*out = seen->v[i];
			return E_OK;
		}
	if (ask_project(r, out, e))
		return e->code;
	*arena_push(r->a, seen) = *out;
	return E_OK;
}

/* ---- ready actions ----------------------------------------------------------------------------- */

static enum err_code advance(struct run *r, struct action *x, struct err *e)
{
	enum action_state was = x->state;
	struct alert_now alert;

	if (x->state != ACTION_WARNING && x->state != ACTION_GRACE)
		return E_OK;
	if (alert_of(r->db, x, enforce_rule(r->s, x->rule), r->a, &alert, e) ||
		action_advance(r->db, r->s, x, &alert, run_now(r), r->a, e))
		return e->code;
	return x->state != was ? run_store(r, x, action_state_name(x->state), e) : E_OK;
}

/* May the action be sent, as far as the database shows? */
static enum err_code is_ready(
	struct run *r, struct projects *seen, struct action *x, bool *ready, struct err *e)
{
	struct seen_project project;
	struct guard_no no;

	*ready = false;
	if (advance(r, x, e) || x->state != ACTION_RECHECK ||
		(x->next_at != TS_NONE && x->next_at > run_now(r)))
		return e->code;
	if (run_guards(r, x, NULL, &no, e))
		return e->code;
	/* Facts that end an episode are evaluated with the next poll. */
	if (no.name)
		return run_hold(r, x, no.name, no.reason, e);
	if (!x->armed || !r->o->hands)
		return E_OK;
	if (check_project(r, seen, x->t.project, &project, e))
		return e->code;
	if (project.why)
		return run_hold(r, x, project.guard, project.why, e);
	*ready = true;
	return E_OK;
}

static enum err_code find_ready(
	struct run *r, struct actions *all, struct action **ready, size_t *n, struct err *e)
{
	struct projects seen = {0};

	*n = 0;
	for (size_t i = 0; i < all->n; i++) {
		struct action *x = &all->v[i];
		bool yes;

		if (action_in_flight(x->state))
			continue;
		if (is_ready(r, &seen, x, &yes, e))
			return e->code;
		/* Two rules match one machine: the first one acts. */
		for (size_t k = 0; k < *n; k++)
			yes = yes && strcmp(ready[k]->t.id, x->t.id) != 0;
		if (yes)
			ready[(*n)++] = x;
	}
	return E_OK;
}

/* Over a limit: machines that must not be touched anyway must not delay the others. One that was
 * delayed before has already been checked. */
static enum err_code drop_untouchable(
	struct run *r, struct action **ready, size_t *n, struct err *e)
{
	size_t kept = 0, looks = 0;

	for (size_t i = 0; i < *n; i++) {
		bool stays = true;

		if (strcmp(ready[i]->held, "caps") != 0 && looks++ < MAX_PREVIEWS &&
			run_preview(r, ready[i], &stays, e))
			return e->code;
		if (stays)
			ready[kept++] = ready[i];
	}
	*n = kept;
	return E_OK;
}

/* Whoever changed the record may also have changed the pending actions: a user must check that. The
 * audit log is read only when something is about to be sent. */
static enum err_code hold_for_audit(
	struct run *r, struct action **ready, size_t *n, struct err *e)
{
	struct audit_verdict v;
	const char *reason;
	size_t kept = 0;

	if (!*n)
		return E_OK;
	if (audit_verify(r->db, NULL, r->a, &v, e))
		return e->code;
	if (v.ok)
		return E_OK;
	reason = arena_printf(r->a,
		"the audit log was changed, entry %" PRId64
		": %s; see: tpucost audit verify",
		v.bad, v.why);
	for (size_t i = 0; i < *n; i++)
		if (guard_approved(ready[i], run_now(r)))
			ready[kept++] = ready[i];
		else if (run_hold(r, ready[i], "audit", reason, e))
			return e->code;
	*n = kept;
	return E_OK;
}

static enum err_code act_on_ready(struct run *r, struct actions *all, struct err *e)
{
	struct action **ready = arena_alloc(r->a, (all->n + 1) * sizeof(struct action *));
	const char *why;
	size_t n;

	if (find_ready(r, all, ready, &n, e) || hold_for_audit(r, ready, &n, e))
		return e->code;
	if (!n)
		return E_OK;
	if (caps_check(r->db, r->s, ready, n, run_now(r), r->a, &why, e))
		return e->code;
	if (why &&
		(drop_untouchable(r, ready, &n, e) ||
			caps_check(r->db, r->s, ready, n, run_now(r), r->a, &why, e)))
		return e->code;
	if (r->o->leader && !r->o->leader->epoch)
		r->lost = r->o->leader->why;
	for (size_t i = 0; i < n; i++) {
		if (r->lost) {
			if (run_hold(r, ready[i], "lease", r->lost, e))
				return e->code;
		} else if (why && !guard_approved(ready[i], run_now(r))) {
			if (run_hold(r, ready[i], "caps", why, e))
				return e->code;
		} else if (run_act(r, ready[i], e)) {
			return e->code;
		}
	}
	return E_OK;
}

/* ---- actions in progress ----------------------------------------------------------------------- */

static enum err_code verify_all(
	struct run *r, struct actions *all, bool *again, struct err *e)
{
	*again = false;
	for (size_t i = 0; i < all->n; i++) {
		bool more;

		if (!action_in_flight(all->v[i].state))
			continue;
		if (run_verify(r, &all->v[i], &more, e))
			return e->code;
		*again |= more;
	}
	return E_OK;
}

static enum err_code wait_for_all(struct run *r, struct actions *all, struct err *e)
{
	int64_t end = clock_mono_ms(r->o->clock) + r->o->wait_seconds * 1000, pause = 1000;
	bool again;

	for (;;) {
		if (verify_all(r, all, &again, e))
			return e->code;
		if (!again || clock_mono_ms(r->o->clock) + pause > end)
			return E_OK;
		clock_sleep_ms(r->o->clock, pause);
		pause = pause < 8000 ? 2 * pause : pause;
	}
}

static enum err_code run_all(struct run *r, struct err *e)
{
	struct actions all;
	bool again;

	if (actions_load(r->db, TS_NONE, r->a, &all, e))
		return e->code;
	/* Before anything else, and again afterwards: an action that has ended frees no limit, but
	 * may make others ready. */
	if (r->o->hands && verify_all(r, &all, &again, e))
		return e->code;
	if (!r->o->recover && act_on_ready(r, &all, e))
		return e->code;
	if (r->o->hands && !r->o->recover && wait_for_all(r, &all, e))
		return e->code;
	for (size_t i = 0; i < all.n; i++) {
		r->out->done += all.v[i].state == ACTION_DONE;
		r->out->failed += all.v[i].state == ACTION_FAILED;
		r->out->in_flight += action_in_flight(all.v[i].state);
	}
	return E_OK;
}

enum err_code enforce_run(struct db *db, const struct enforce_opts *o, struct arena *a,
	struct enforce_result *out, struct err *e)
{
	struct run r = {.db = db, .o = o, .s = o->settings, .a = a, .out = out, .fence = 0};
	struct err ignored;
	enum err_code rc;
	const char *why;

	*out = (struct enforce_result){0};
	if (lease_take(&r, e))
		return err_wrap(e, "enforce");
	rc = run_all(&r, e);
	if (!rc)
		rc = enforce_note(db, r.s, a, &why, e);
	/* After the lease was lost, there is nothing to give back. */
	if (lease_release(&r, rc ? &ignored : e) && !rc)
		rc = e->code;
	return rc ? err_wrap(e, "enforce") : E_OK;
}

enum err_code enforce_waiting(
	struct db *db, bool *in_flight, bool *ready, ts_t now, struct err *e)
{
	cleanup(arena_done) struct arena arena = {0};
	struct actions all;

	*in_flight = *ready = false;
	if (actions_load(db, TS_NONE, &arena, &all, e))
		return e->code;
	for (size_t i = 0; i < all.n; i++) {
		const struct action *x = &all.v[i];

		*in_flight |= action_in_flight(x->state);
		*ready |= x->state == ACTION_WARNING || x->state == ACTION_GRACE ||
			(x->state == ACTION_RECHECK &&
				(x->next_at == TS_NONE || x->next_at <= now));
	}
	return E_OK;
}

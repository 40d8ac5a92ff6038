/* Resources that tpucost has just stopped, which the tables list as running until the next poll, and stops that it will
 * make itself: the report must not ask the user for either. */
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/message/action_text.h"
#include "reports/daily/internal.h"
#include "rules/enforce/enforce.h"
#include "rules/enforce/generation.h"
#include "rules/enforce/guard.h"
#include "rules/enforce/halt.h"

#define NAMED 3 /* of them in the note */

enum err_code daily_read_stopped(struct daily *d, struct err *e)
{
	if (there_are_actions(d->db, d->a, &d->actions, e))
		return e->code;
	return d->actions ? q_daily_stopped_all(d->db, d->a, &d->stops, &d->n_stops, e)
			  : E_OK;
}

ts_t daily_stopped(const struct daily *d, const char *id)
{
	for (size_t i = 0; i < d->n_stops; i++)
		if (str_eq(d->stops[i].id, id))
			return d->stops[i].at;
	return TS_NONE;
}

const char *daily_stopped_words(struct daily *d, ts_t at)
{
	return arena_printf(d->a, "stopped by tpucost at %s; the next poll will show it",
		action_when(d->doc, at));
}

const char *daily_stopped_note(struct daily *d)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (!d->n_stops)
		return NULL;
	for (size_t i = 0; i < d->n_stops && i < NAMED; i++)
		sbuf_addf(&b, "%s%s: %s.", i ? " " : "", d->stops[i].name,
			daily_stopped_words(d, d->stops[i].at));
	if (d->n_stops > NAMED)
		sbuf_addf(&b, " %zu more were stopped as well.", d->n_stops - NAMED);
	return arena_strdup(d->a, b.s);
}

/* ---- to come ----------------------------------------------------------------------------------- */

/* tpucost stops only when it is armed and not halted. */
static bool acts_by_itself(const struct daily *d)
{
	const struct enforcement *en = d->ask->settings->enforcement;
	const char *path;

	return en && en->mode == ENFORCE_ARMED && !halt_found(en, d->db, d->a, &path);
}

/* The user must stop what tpucost could not stop so far. */
static enum err_code say_failing(
	struct daily *d, struct todo *t, const struct q_daily_stops *q, struct err *e)
{
	ts_t opens = window_wait(d->ask->settings->enforcement, d->tz, q->due, d->now);
	struct q_thing_in in = {.id = q->resource};
	struct q_thing thing;
	bool found;

	if (q_thing_one(d->db, &in, d->a, &thing, &found, e))
		return e->code;
	if (found && !t->acts)
		t->command = fix_stop(&thing, d->a);
	t->acts = t->fails = true;
	t->stops = arena_printf(d->a, "It %s; to do it manually:",
		action_failing_words(d->doc, verb_of(q->verb), q->attempts,
			opens != TS_NONE ? opens : q->due, d->a));
	return E_OK;
}

static void say_stop(struct daily *d, struct todo *t, const struct q_daily_stops *q)
{
	const char *verb = verb_of(q->verb) == VERB_DELETE ? "deletes" : "stops";
	ts_t opens = window_wait(d->ask->settings->enforcement, d->tz, q->due, d->now);
	const char *when = opens != TS_NONE
		? arena_printf(d->a, "automatically, %s", window_words(d->tz, opens, d->a))
		: q->due <= d->now
		? "now"
		: arena_printf(d->a, "at %s", action_when(d->doc, q->due));

	t->stops = arena_printf(d->a, "tpucost %s it %s; to prevent it:", verb, when);
	t->command = hold_command(t->id, d->tz, d->now, d->a);
}

enum err_code daily_find_stops(struct daily *d, struct err *e)
{
	struct generation_look look;
	struct q_daily_stops *v;
	size_t n;

	if (!d->actions || !acts_by_itself(d))
		return E_OK;
	if (generation_look(d->db, d->ask->settings, NULL, d->a, &look, e))
		return e->code;
	if (look.why)
		return E_OK;
	if (q_daily_stops_all(d->db, d->a, &v, &n, e))
		return e->code;
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < d->n_todo; i++) { /* the earliest of several */
			struct todo *t = &d->todo[i];

			if (!str_eq(t->id, v[k].resource) || t->stops)
				continue;
			if (!enforce_failing(action_state_of(v[k].state), v[k].attempts))
				say_stop(d, t, &v[k]);
			else if (say_failing(d, t, &v[k], e))
				return e->code;
		}
	return E_OK;
}

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

void daily_read_stopped(struct daily *d)
{
	d->actions = there_are_actions(DB_READER(d));
	if (d->actions)
		d->stops = q_daily_stopped_rows(d);
}

ts_t daily_stopped(const struct daily *d, const char *id)
{
	for (size_t i = 0; i < d->stops.n; i++)
		if (str_eq(d->stops.v[i].id, id))
			return d->stops.v[i].at;
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

	if (!d->stops.n)
		return NULL;
	for (size_t i = 0; i < d->stops.n && i < NAMED; i++)
		sbuf_addf(&b, "%s%s: %s.", i ? " " : "", d->stops.v[i].name,
			daily_stopped_words(d, d->stops.v[i].at));
	if (d->stops.n > NAMED)
		sbuf_addf(&b, " %zu more were stopped as well.", d->stops.n - NAMED);
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
static void say_failing(struct daily *d, struct todo *t, const struct q_daily_stops *q)
{
	ts_t opens = window_wait(d->ask->settings->enforcement, d->tz, q->due, d->now);
	const struct q_thing *thing = q_thing_row(d, .id = q->resource);

	if (thing && !t->acts)
		daily_set_command(t, fix_stop(thing, d->a), thing);
	t->acts = t->fails = true;
	t->stops = arena_printf(d->a, "It %s; to do it manually:",
		action_failing_words(
			d->doc, verb_of(q->verb), opens != TS_NONE ? opens : q->due, d->a));
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

void daily_find_stops(struct daily *d)
{
	struct generation_look look;
	struct q_daily_stops_rows rows;

	if (!d->actions || !acts_by_itself(d))
		return;
	if (generation_look(d->db, d->ask->settings, NULL, d->a, &look, d->e) || look.why)
		return;
	rows = q_daily_stops_rows(d);
	for (size_t k = 0; k < rows.n; k++)
		for (size_t i = 0; i < d->n_todo; i++) { /* the earliest of several */
			struct todo *t = &d->todo[i];

			if (!str_eq(t->id, rows.v[k].resource) || t->stops)
				continue;
			if (!enforce_failing(
				    action_state_of(rows.v[k].state), rows.v[k].attempts))
				say_stop(d, t, &rows.v[k]);
			else
				say_failing(d, t, &rows.v[k]);
		}
}

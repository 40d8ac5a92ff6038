/* Stops that tpucost will make itself: the report must not ask the user for them. */
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/message/action_text.h"
#include "reports/daily/internal.h"
#include "rules/enforce/generation.h"
#include "rules/enforce/guard.h"
#include "rules/enforce/halt.h"

/* tpucost stops only when it is armed and not halted. */
static bool acts_by_itself(const struct daily *d)
{
	const struct enforcement *en = d->ask->settings->enforcement;
	const char *path;

	return en && en->mode == ENFORCE_ARMED && !halt_found(en, d->db, d->a, &path);
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
	struct q_daily_stops q;
	struct db_rows rows;
	bool any;

	if (!acts_by_itself(d))
		return E_OK;
	if (generation_look(d->db, d->ask->settings, NULL, d->a, &look, e))
		return e->code;
	if (look.why)
		return E_OK;
	if (there_are_actions(d->db, d->a, &any, e))
		return e->code;
	if (!any)
		return E_OK;
	if (q_daily_stops_open(d->db, &rows, e))
		return e->code;
	while (q_daily_stops_next(&rows, &q))
		for (size_t i = 0; i < d->n_todo; i++) /* the earliest of several */
			if (str_eq(d->todo[i].id, q.resource) && !d->todo[i].stops)
				say_stop(d, &d->todo[i], &q);
	return db_rows_close(&rows, e);
}

/* Resources that tpucost has just stopped. The tables list them as running until the next poll; the report must not ask
 * the user to stop them. */
#include "base/str.h"
#include "db_sql.h"
#include "reports/message/action_text.h"
#include "reports/daily/internal.h"

#define NAMED 3 /* of them in the note */

enum err_code daily_read_stopped(struct daily *d, struct err *e)
{
	bool any;

	if (there_are_actions(d->db, d->a, &any, e))
		return e->code;
	return any ? q_daily_stopped_all(d->db, d->a, &d->stops, &d->n_stops, e) : E_OK;
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
	struct sbuf b = SBUF_INIT;
	const char *text;

	if (!d->n_stops)
		return NULL;
	for (size_t i = 0; i < d->n_stops && i < NAMED; i++)
		sbuf_addf(&b, "%s%s: %s.", i ? " " : "", d->stops[i].name,
			daily_stopped_words(d, d->stops[i].at));
	if (d->n_stops > NAMED)
		sbuf_addf(&b, " %zu more were stopped as well.", d->n_stops - NAMED);
	text = arena_strdup(d->a, b.s);
	sbuf_done(&b);
	return text;
}

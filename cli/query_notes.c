/* Notes on the data of an answer: which belong to it, and their text. */
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/query.h"
#include "db/vocab.h"
#include "db_sql.h"

#include <string.h>

#define LISTED 3

/* "disk, ip and vm in lab: 0.5 of 4.0 hours" */
static void add_gap(struct sbuf *b, const struct q_period_gaps *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sbuf_addf(b, "%s%s", !i ? "" : i + 1 < n ? ", " : " and ", v[i].source);
	sbuf_addf(b, " in %s: %.1f of %.1f hours", v->project, (double)v->known_10 / 10,
		(double)v->hours_10 / 10);
}

/* Groups sources of a project with the same gap. */
static void add_gaps(struct sbuf *b, const struct q_period_gaps *v, size_t n)
{
	size_t shown = 0, i = 0, like = 0;

	for (; i < n && shown < LISTED; i += like, shown++) {
		for (like = 1; i + like < n; like++)
			if (strcmp(v[i].project, v[i + like].project) != 0 ||
				v[i].known_10 != v[i + like].known_10)
				break;
		sbuf_adds(b, shown ? "; " : "");
		add_gap(b, v + i, like);
	}
	if (i < n)
		sbuf_addf(b, "; and %zu more", n - i);
}

static enum err_code note_period(struct app *app, struct err *e)
{
	const struct q_period_gaps_in in = {.projects = app->o.project};
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct q_period_gaps *v;
	size_t n;

	if (q_period_gaps_all(app->db, &in, &app->arena, &v, &n, e))
		return e->code;
	if (!n)
		return E_OK;
	app->unwatched = true;
	add_gaps(&b, v, n);
	say("note: part of that period was not watched; resources that ran "
	    "unobserved are not in the figures (%s)",
		b.s);
	return E_OK;
}

/* Is the time in the middle of a day, and not so many days ago? */
static bool is_within_day(const struct app *app, ts_t at)
{
	return at != tz_day_start(app->cfg->tz, tz_day(app->cfg->tz, at)) &&
		(app->now - at) % DAY_SECONDS;
}

static enum err_code note_days(struct app *app, struct err *e)
{
	ts_t since = TS_NONE, until = TS_NONE;

	if ((app->o.since && query_time(app, app->o.since, &since, e)) ||
		(app->o.until && query_time(app, app->o.until, &until, e)))
		return e->code;
	if ((since != TS_NONE && is_within_day(app, since)) ||
		(until != TS_NONE && is_within_day(app, until)))
		say("note: the rows are of whole days (%s), from that of --since to that "
		    "of --until",
			tz_name(app->cfg->tz));
	return E_OK;
}

unsigned query_notes(const struct app *app, const struct query *q)
{
	const struct view *v = q->shown ? q->shown : view_find(q->view);
	bool watched = q->derived && q->basis == BASIS_INVENTORY;

	if (!query_has_period(app))
		return q->basis;
	return q->basis | (watched ? NOTE_PERIOD : 0) |
		(view_column(v, "day") ? NOTE_DAYS : 0);
}

enum err_code query_say_notes(struct app *app, unsigned notes, struct err *e)
{
	app->basis = notes & BASIS_ALL;
	if (app->o.quiet)
		return E_OK;
	if (((notes & NOTE_DAYS) && note_days(app, e)) ||
		((notes & NOTE_PERIOD) && note_period(app, e)))
		return e->code;
	return session_note(app, notes & BASIS_ALL, e);
}

enum err_code query_note(struct app *app, const struct query *q, struct err *e)
{
	return query_say_notes(app, query_notes(app, q), e);
}

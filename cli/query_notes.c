/* Notes on the data of an answer: which belong to it, and their text. */
#include "cli/query.h"
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

unsigned query_notes(const struct app *app, const struct query *q)
{
	bool watched = q->derived && q->basis == BASIS_INVENTORY;

	return q->basis | (watched && query_has_period(app) ? NOTE_PERIOD : 0);
}

enum err_code query_say_notes(struct app *app, unsigned notes, struct err *e)
{
	if (app->o.quiet)
		return E_OK;
	if ((notes & NOTE_PERIOD) && note_period(app, e))
		return e->code;
	return session_note(app, notes & (BASIS_INVENTORY | BASIS_BILLING), e);
}

enum err_code query_note(struct app *app, const struct query *q, struct err *e)
{
	return query_say_notes(app, query_notes(app, q), e);
}

/* Completeness of the data of a period. */
#include "cli/query.h"

#include "base/money.h"

#include <math.h>
#include <string.h>

#define LISTED 3

static double hours_of(const struct doc_cell *c)
{
	return (double)c->v / NANOS;
}

/* "disk, ip and vm in lab: 0.5 of 4.0 hours" */
static void add_gap(struct sbuf *b, const struct doc_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sbuf_addf(b, "%s%s",
			!i                  ? ""
				: i + 1 < n ? ", "
					    : " and ",
			rows[i].cells[0].text);
	sbuf_addf(b, " in %s: %.1f of %.1f hours", rows[0].cells[1].text,
		hours_of(&rows[0].cells[3]), hours_of(&rows[0].cells[2]));
}

/* Tests whether both gaps are equal at the displayed precision. */
static bool same_gap(const struct doc_cell *a, const struct doc_cell *b)
{
	return !strcmp(a[1].text, b[1].text) &&
		fabs(hours_of(&a[3]) - hours_of(&b[3])) < 0.05;
}

/* Groups sources of a project with the same gap, the largest gap first. */
static void add_gaps(struct sbuf *b, const struct doc_section *t)
{
	size_t shown = 0, i = 0, n = 0;

	for (; i < t->n && shown < LISTED; i += n, shown++) {
		for (n = 1; i + n < t->n; n++)
			if (!same_gap(t->rows[i].cells, t->rows[i + n].cells))
				break;
		sbuf_adds(b, shown ? "; " : "");
		add_gap(b, t->rows + i, n);
	}
	if (i < t->n)
		sbuf_addf(b, "; and %zu more", t->n - i);
}

/* Lists sources that were not watched for all of the period, those with the largest gap first. */
enum err_code query_note_period(struct app *app, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT, b = SBUF_INIT;
	struct doc_section *t;

	if (app->o.quiet)
		return E_OK;
	sbuf_adds(&sql,
		"SELECT source, project, hours, COALESCE(known_hours, 0.0) AS known_hours "
		"FROM period_known WHERE whole = 0");
	if (app->o.project)
		query_add_project(app, &sql, "project");
	sbuf_adds(&sql, " ORDER BY ROUND(COALESCE(known_hours, 0.0), 1), project, source");
	if (query_sql(app, sql.s, false, &t, e))
		return e->code;
	if (t->n) {
		add_gaps(&b, t);
		say("note: part of that period was not watched; resources that ran "
		    "unobserved are not in the figures (%s)",
			b.s);
	}
	return E_OK;
}

/* The period does not filter rows there: an empty table gets the message q->empty. */
int query_run_period(struct app *app, const struct query *q, struct err *e)
{
	const char *since = app->o.since, *until = app->o.until;
	int rc;

	if (query_note_period(app, e))
		return cmd_fail(e);
	app->o.since = app->o.until = NULL;
	rc = query_run(app, q, e);
	app->o.since = since;
	app->o.until = until;
	return rc;
}

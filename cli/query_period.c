/* How far an answer about a time is known. */
#include "cli/query.h"

#include "cli/say.h"

#define LISTED 3

/* Of sources that were not watched all of the period, the one that was watched least first. */
enum err_code query_note_period(struct app *app, struct err *e)
{
	struct sbuf sql = SBUF_INIT, b = SBUF_INIT;
	struct table t;
	enum err_code rc;

	if (app->o.quiet)
		return E_OK;
	sbuf_adds(&sql,
		"SELECT source, project, hours, COALESCE(known_hours, 0.0) AS known_hours "
		"FROM "
		"period_known WHERE whole = 0");
	if (app->o.project)
		query_add_project(app, &sql, "project");
	sbuf_adds(&sql, " ORDER BY 4, source, project");
	rc = query_sql(app, sql.s, &t, e);
	for (size_t i = 0; !rc && i < t.n_rows && i < LISTED; i++) {
		const struct cell *row = &t.cells[i * t.n_cols];

		sbuf_addf(&b, "%s%s in %s: %.1f of %.1f hours", i ? "; " : "", row[0].text,
			row[1].text, row[3].real, row[2].real);
	}
	if (!rc && t.n_rows > LISTED)
		sbuf_addf(&b, "; and %zu more", t.n_rows - LISTED);
	if (!rc && t.n_rows)
		say("note: not all of that time was watched, and what ran unseen is not in "
		    "the "
		    "figures (%s)",
			b.s);
	sbuf_done(&sql);
	sbuf_done(&b);
	return rc;
}

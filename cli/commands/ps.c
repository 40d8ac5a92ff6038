/* Command `ps`: the resources that exist, or existed in a period. */
#include "cli/query.h"
#include "db_sql.h"
#include "rules/price/price.h"

#include <string.h>

/* Running resources with an unknown price come first. Buckets and snapshots never have one, which is
 * not a problem. */
#define PS_UNKNOWN "net_per_hour IS NULL AND kind IN ('tpu', 'vm', 'disk', 'ip')"
/* A host follows its slice. */
#define PS_OF_SLICE " OVER (PARTITION BY COALESCE(slice, id))"

#define PS_COLUMNS(project)                                              \
	"kind?????," project "name,location??,type????,state,"           \
	"running_hours?,gross_per_hour?,net_per_hour,currency,covered?," \
	"why???"

/* for the note, not printed */
#define PS_NOTED ",price_date"

const struct query query_resources = {
	.view = "resources",
	.columns = PS_COLUMNS("project?????,"),
	.order = PS_UNKNOWN " DESC, net_per_hour IS NULL, " BY_CURRENCY
			    "net_per_hour DESC, id",
	.basis = BASIS_INVENTORY,
	.empty = "There are no resources in the projects that were polled.",
};

#define PS_PERIOD(project)                                                \
	"kind?????," project "name,location??,type????,state,seen_from?," \
	"seen_until?,is_there?,running_hours?,hours???,gross?,net,"       \
	"currency,unpriced_hours?"

/* of a period, ordered by cost */
const struct query query_period_resources = {
	.view = "period_resources",
	.columns = PS_PERIOD("project?????,"),
	.order = "net IS NULL DESC, " BY_CURRENCY "net DESC, id, seen_from",
	.basis = BASIS_INVENTORY,
	.derived = true,
	.empty = "No resources are known in that period.",
};

/* The oldest date of the built-in list among the rows. */
static void note_list(struct app *app, const struct doc_section *t)
{
	const char *oldest = NULL;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		const char *date = doc_at(t, &t->rows[i], "price_date")->text;

		if (!date || doc_at(t, &t->rows[i], "gross_per_hour")->v <= 0)
			continue;
		n++;
		if (!oldest || strcmp(date, oldest) < 0)
			oldest = date;
	}
	if (n)
		say("note: the %s of %zu %s from the built-in list of %s",
			n == 1 ? "price" : "prices", n, n == 1 ? "row is" : "rows are",
			price_date_words(oldest, app->now, &app->arena));
}

/* If TPUs of a project of a grant have never been read, coverage is not certain. */
static int ps_answer(
	struct app *app, const struct query *q, const struct doc_section *t, struct err *e)
{
	struct q_glance_grants_unread unread;
	struct freshness fresh;
	int rc = query_answer(app, q, t, e);
	bool found;

	if (rc)
		return rc;
	if (session_freshness(app, BASIS_INVENTORY, &fresh, e))
		return cmd_fail(e);
	if (fresh.oldest) /* each list of each project was read once */
		return EXIT_FINE;
	if (q_glance_grants_unread_one(app->db, &app->arena, &unread, &found, e))
		return cmd_fail(e);
	return found && unread.n ? EXIT_PARTIAL : EXIT_FINE;
}

int cmd_ps(struct app *app, struct err *e)
{
	bool several = query_of_several(app);
	bool all = app->format == OUT_JSON || app->format == OUT_CSV;
	struct query now = query_resources, then = query_period_resources;
	struct doc_section *t;

	now.columns = several ? PS_COLUMNS("project,") PS_NOTED : PS_COLUMNS("") PS_NOTED;
	then.columns = several ? PS_PERIOD("project,") : PS_PERIOD("");
	/* A stopped machine itself costs nothing. Unused addresses are "stopped" too, but they cost
	 * money and are shown. */
	now.only = "NOT (kind IN ('tpu', 'vm') AND state = 'stopped')";
	if (app->o.all) {
		now.also = "hosts";
		/* A TPU with one host is the same as its host. */
		now.only = "slice IS NULL OR slice <> project || '/tpu/' || zone || '/' || "
			   "name";
		now.order = "MAX(" PS_UNKNOWN ")" PS_OF_SLICE " DESC, "
			    "MAX(net_per_hour)" PS_OF_SLICE " IS NULL, MIN($)" PS_OF_SLICE
			    ", "
			    "MAX(net_per_hour)" PS_OF_SLICE " DESC, "
			    "COALESCE(slice, id), slice IS NOT NULL, LENGTH(id), id";
	}
	if (query_has_period(app))
		return query_run(app, &then, e);
	if (query_fetch(app, &now, all, &t, e))
		return cmd_fail(e);
	if (!app->o.columns && !app->o.quiet)
		note_list(app, t);
	if (!app->o.columns && !all)
		t->n_columns--;
	return ps_answer(app, &now, t, e);
}

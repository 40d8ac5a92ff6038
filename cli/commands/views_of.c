/* Commands that print one view unchanged. */
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/query.h"
#include "db_sql.h"
#include "rules/bill/days.h"

#include <string.h>

/* The period selects rows; the figures in them are current. */
static void note_period(const struct app *app, const char *text)
{
	if (query_has_period(app))
		say("note: %s", text);
}

const struct query query_credit_projects = {
	.view = "credit_projects",
	.columns = "name,project,used,share_percent,amount?,currency,expires?",
	.order = "name, project",
	.basis = BASIS_BILLING,
	.time = "starts",
	.ends = "expires",
	.no_totals = true,
};

const struct query query_credits = {
	.view = "credits",
	.columns = "name,amount,used,left,currency,state,expires,runs_out,safe_per_day?",
	.order = "name",
	.empty = "No `credits:` in the configuration; see: tpucost help config "
		 "credits",
	.basis = BASIS_BILLING | BASIS_INVENTORY,
	.time = "starts",
	.ends = "expires",
	.no_totals = true, /* the rest of an expired credit pays nothing */
};

/* The figure is without what ran since the newest usage on the bill. */
static enum err_code note_upper_limit(struct app *app, struct err *e)
{
	struct doc_section *t;

	if (query_sql(app,
		    "SELECT name FROM credits WHERE unbilled IS NULL AND safe_per_day > 0 "
		    "ORDER BY name LIMIT 1",
		    false, &t, e))
		return e->code;
	if (t->n)
		say("note: safe_per_day is at most that: what ran since the newest usage "
		    "on "
		    "the bill is not known; see: tpucost why credit:%s",
			t->rows[0].cells[0].text);
	return E_OK;
}

/* The use before the bill begins is unknown. */
static enum err_code note_late_bill(struct app *app, struct err *e)
{
	struct doc_section *t;

	if (query_sql(app,
		    "SELECT name FROM credits WHERE billed_from IS NOT NULL AND used IS "
		    "NOT NULL ORDER BY name LIMIT 1",
		    false, &t, e))
		return e->code;
	if (t->n)
		say("note: the bill begins after credit %s: used is a lower bound%s; see: "
		    "tpucost why credit:%s",
			t->rows[0].cells[0].text,
			app->o.project ? "" : ", and left an upper bound",
			t->rows[0].cells[0].text);
	return E_OK;
}

int cmd_credit(struct app *app, struct err *e)
{
	note_period(app,
		"these credits are valid in that period; the amount used covers their "
		"whole term");
	if (query_for_people(app) &&
		((!app->o.project && note_upper_limit(app, e)) || note_late_bill(app, e)))
		return cmd_fail(e);
	/* Credits apply to the whole billing account: the part that these projects used. */
	return query_run(app, app->o.project ? &query_credit_projects : &query_credits, e);
}

const struct query query_quotas = {
	.view = "quotas",
	.columns = "project,service?,quota,location,limit_value,used,percent,is_"
		   "default?",
	.order = "percent IS NULL, percent DESC, project, metric, location",
	.empty = "No quotas are known; see: tpucost sources",
	.basis = BASIS_QUOTAS | BASIS_INVENTORY,
	.time = "last_seen",
};

const struct query query_quota_holds = {
	.view = "quota_holds",
	.columns = "name,kind?,project??,zone,state,type??,family,pool,quota??,chips,held_"
		   "hours,"
		   "owner???,exempt?,delete_command",
	.order = "chips DESC, project, zone, name, quota, location",
	.empty = "Nothing is known to hold quota without use.",
	.basis = BASIS_QUOTAS | BASIS_INVENTORY,
	.time = "since",
	.no_totals = true, /* several quotas may count a TPU */
};

int cmd_quota(struct app *app, struct err *e)
{
	struct query q = query_quotas;
	struct doc_section *tpus;
	int rc;

	if (query_sql(app,
		    "SELECT held FROM quotas WHERE pool IS NOT NULL "
		    "ORDER BY held IS NOT NULL LIMIT 1",
		    false, &tpus, e))
		return cmd_fail(e);
	if (app->o.held) {
		if (tpus->n && !tpus->rows[0].cells[0].type)
			say("note: what holds some quotas is not completely known; see: "
			    "tpucost quota --where 'held IS NULL'");
		return query_run(app, &query_quota_holds, e);
	}
	if (tpus->n)
		q.columns = arena_printf(&app->arena,
			"project%s,service?,quota,location,family,pool,limit_value,used,"
			"held,percent??,is_default?",
			query_of_several(app) ? "" : "?");
	note_period(app,
		"only the newest value of each quota is stored; these were read in that "
		"period");
	rc = query_run(app, &q, e);
	return !rc && grant_say_quotas(app, e) ? cmd_fail(e) : rc;
}

const struct query query_commitments = {
	.view = "commitments",
	.columns = "name,kind,location?,type,used,count,unit?,starts?,ends,"
		   "gross_per_hour,currency,state,project?",
	.order = "project, location, name, id",
	.empty = "No reservation is known; see: tpucost sources",
	.basis = BASIS_INVENTORY,
	.time = "last_seen",
};

int cmd_commitments(struct app *app, struct err *e)
{
	note_period(app, "only the newest state is stored; these were seen in that period");
	return query_run(app, &query_commitments, e);
}

const struct query query_capacity = {
	.view = "capacity",
	.columns = "zone,family,type?,provisioning,requests,granted,wait_median_minutes,"
		   "wait_p90_minutes,life_median_hours,last_success,last_stockout,stockout_"
		   "error?",
	.order = "zone, family, provisioning",
	.empty = "No TPU and no request for one was observed yet; see: tpucost sources",
	.basis = BASIS_INVENTORY,
	.time = "last_success",
};

/* Number of observations, and the reason why a figure is left out. */
static enum err_code capacity_say(struct app *app, struct err *e)
{
	struct q_capacity_seen *seen;
	char local[TZ_TIME_BUF];
	size_t n;

	if (app->o.quiet || app->format != OUT_TABLE)
		return E_OK;
	if (q_capacity_seen_all(app->db, &app->arena, &seen, &n, e))
		return e->code;
	if (n && seen->since.set)
		say("note: observed since %s (requests: %lld, lives of spot TPUs: %lld)",
			tz_time(app->cfg->tz, seen->since.v, local),
			(long long)seen->requests, (long long)seen->lives);
	if (n && seen->few)
		say("note: a figure without a value has fewer than 5 observations, or "
		    "most of them have not ended");
	return E_OK;
}

int cmd_capacity(struct app *app, struct err *e)
{
	int rc = query_run_local(app, &query_capacity, e);

	return !rc && capacity_say(app, e) ? cmd_fail(e) : rc;
}

const struct query query_sources = {
	.view = "sources",
	.columns = "source,project,state,items?,age_minutes,asked?,stale?,bytes_billed?,"
		   "error,fix",
	.order = "source, project",
	.empty = "No source was polled yet; run: tpucost collect",
	.time = "last_success",
};

#define SOURCES_LISTED 200 /* more are counted, by source and state */
#define SOURCES_NAMED 20   /* of them with a problem */
#define SOURCES_WRONG "(state IN ('failed', 'partial') OR stale = 1)"

/* Number of those with a problem; 0 if there are only a few sources. */
static enum err_code sources_count(
	struct app *app, bool *many, int64_t *wrong, struct err *e)
{
	static const struct doc_column columns[] = {{"wrong", .type = DOC_INT}};
	struct doc_section *t = doc_table(&app->arena, columns, ARRAY_LEN(columns));
	struct q_source_count row = {0};
	bool found;

	if (q_source_count_one(app->db, NULL, &row, &found, e))
		return e->code;
	*many = row.n > SOURCES_LISTED;
	if (*many &&
		query_raw(app, "SELECT SUM(" SOURCES_WRONG ") FROM sources", true, NULL, t,
			e))
		return e->code;
	*wrong = *many ? t->rows[0].cells[0].v : 0;
	return E_OK;
}

/* Of thousands of sources, those with a problem by name and the others in groups. */
static int sources_grouped(struct app *app, int64_t wrong, struct err *e)
{
	struct doc_section *t;

	if (query_sql(app,
		    "SELECT source, state, COUNT(*) AS projects, SUM(stale) AS "
		    "stale_projects, "
		    "SUM(items) AS items, MAX(age_minutes) AS age_minutes FROM sources "
		    "GROUP BY source, state ORDER BY source, state",
		    true, &t, e) ||
		query_print(app, t, "", e))
		return cmd_fail(e);
	if (wrong) {
		struct query q = query_sources;
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
		const struct out_style style = out_style_stdout();

		q.only = SOURCES_WRONG;
		app->o.limit = SOURCES_NAMED;
		sbuf_addc(&b, '\n');
		if (query_add_table(app, &q, &style, &b, &t, e))
			return cmd_fail(e);
		if (wrong > SOURCES_NAMED)
			sbuf_addf(
				&b, "and %lld more\n", (long long)(wrong - SOURCES_NAMED));
		if (out_write(&b, e))
			return cmd_fail(e);
	}
	if (!app->o.quiet)
		say("note: a row for each source and project: tpucost sources --all");
	return EXIT_FINE;
}

int cmd_sources(struct app *app, struct err *e)
{
	int64_t wrong = 0;
	bool many = false;

	note_period(app, "these sources were last read completely in that period");
	if (!query_for_people(app) || query_asks_for_part(app) || query_has_period(app) ||
		app->o.project || app->o.all)
		return query_run(app, &query_sources, e);
	if (sources_count(app, &many, &wrong, e))
		return cmd_fail(e);
	return many ? sources_grouped(app, wrong, e) : query_run(app, &query_sources, e);
}

/* A note if the query adds amounts that are in several currencies. An error of the note is none of the
 * answer. */
static void note_currencies(struct app *app)
{
	static const struct doc_column column = {"currencies", .type = DOC_TEXT};
	const char *view = db_adds_amounts(app->db, app->args[0]);
	struct doc_section *t = doc_table(&app->arena, &column, 1);
	struct err e = {0};
	const char *sql;

	if (!view || app->o.quiet)
		return;
	sql = arena_printf(&app->arena,
		"SELECT group_concat(currency, ', ') FROM (SELECT DISTINCT currency FROM "
		"%s "
		"ORDER BY currency) HAVING COUNT(currency) > 1",
		view);
	if (!query_raw(app, sql, true, NULL, t, &e) && t->n)
		say("note: %s has amounts in several currencies (%s), and the query adds "
		    "them without using the column currency; add: GROUP BY currency",
			view, t->rows[0].cells[0].text);
}

int cmd_sql(struct app *app, struct err *e)
{
	struct doc_section *t;

	if (query_sql(app, app->args[0], false, &t, e))
		return cmd_fail(e);
	if (app->o.limit >= 0 && (size_t)app->o.limit < t->n)
		t->n = (size_t)app->o.limit;
	t->overlap = true; /* the query determines the rows */
	note_currencies(app);
	if (bill_needs_detail(app->args[0]) && strstr(app->args[0], "costs") &&
		bill_only_days(&(const struct db_reader){app->db, &app->arena, e}))
		say("note: costs: " BILL_ONLY_DAYS);
	if (e->code || session_note_access(app, e))
		return cmd_fail(e);
	return query_print(app, t, "No rows.", e);
}

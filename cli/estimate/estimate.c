/* Command `estimate`: the cost and coverage of resources before they are created. */
#include "base/time/civil.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/estimate/estimate.h"
#include "cli/out/out.h"
#include "cli/paste/paste.h"
#include "collector/source/source.h"
#include "cli/query.h"
#include "rules/grant/zones.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/derive/derive.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The project of the estimate, and whether it is watched: projects of `projects:`, or those that were
 * found. A grant without a project covers these. */

/* ---- the project ---------------------------------------------------------------------- */

struct watched {
	struct app *app;
	const char **v;
	size_t n, cap;
};

static void watched_add(struct watched *w, const char *project)
{
	*arena_push(&w->app->arena, w) = arena_strdup(&w->app->arena, project);
}

/* Adds projects that the last search found; the configuration may exclude some of them now. */
static enum err_code add_found(struct watched *w, const struct discovery *d, struct err *e)
{
	struct q_project_list_in in = {.origin = d->scope
			? d->scope
			: arena_printf(&w->app->arena, "billingAccounts/%s",
				  d->billing_account)};
	struct q_project_list row;
	struct db_rows rows;

	if (q_project_list_open(w->app->db, &in, &rows, e))
		return e->code;
	while (q_project_list_next(&rows, &row))
		if (discovery_wants(d, row.project))
			watched_add(w, row.project);
	return db_rows_close(&rows, e);
}

/* The only watched project, else the default of gcloud, else the first one. */
static const char *pick(struct watched *w, struct proposal *out)
{
	struct gcloud_config gcloud;

	if (w->app->o.project)
		return w->app->o.project;
	if (w->n == 1)
		return w->v[0];
	gcloud_config_read(&w->app->arena, &gcloud);
	if (gcloud.project)
		return gcloud.project;
	if (w->n)
		estimate_say(&w->app->arena, out,
			arena_printf(&w->app->arena,
				"no --project: %s, the first watched one", w->v[0]));
	return w->n ? w->v[0] : "your-project";
}

/* Without a configuration, a single note covers this. */
static void watched_mark(struct watched *w, struct proposal *out)
{
	const char *said = NULL;

	for (size_t i = 0; i < out->n; i++) {
		const char *p = out->v[i].project;

		out->v[i].unwatched = !str_in(p, w->v, w->n);
		if (!out->v[i].unwatched || !w->app->cfg->settings.watches ||
			(said && !strcmp(said, p)))
			continue;
		said = p;
		estimate_say(&w->app->arena, out,
			arena_printf(&w->app->arena,
				"project %s is not in projects: of the configuration: its "
				"resources and grants are unknown",
				p));
	}
}

/* Fills in the projects and whether they are watched; app->db is NULL where there is no database. */
static enum err_code estimate_projects(struct app *app, struct proposal *p, struct err *e)
{
	const struct config *cfg = app->cfg;
	struct watched w = {.app = app};
	const char *project = NULL;

	for (size_t i = 0; i < cfg->projects.n; i++)
		watched_add(&w, cfg->projects.v[i]);
	if (app->db && cfg->discovery && add_found(&w, cfg->discovery, e))
		return e->code;
	for (size_t i = 0; i < p->n; i++) {
		if (p->v[i].project)
			continue;
		if (!project)
			project = pick(&w, p);
		p->v[i].project = project;
	}
	watched_mark(&w, p);
	return E_OK;
}

/* ---- the answer as rows --------------------------------------------------------------- */

static const struct column columns[] = {
	{"kind", COL_TEXT, "tpu vm disk ip bucket"},
	{"name", COL_TEXT, "name in the command, or new-KIND"},
	{"project", COL_TEXT, "where it would be created"},
	{"location", COL_TEXT, "zone, region or multi-region"},
	{"zone", COL_TEXT, "zone; NULL if it has only a region"},
	{"region", COL_TEXT, "region of the zone"},
	{"type", COL_TEXT, "v3-8, n1-highmem-96, pd-ssd"},
	{"provisioning", COL_TEXT, "on-demand spot flex-start reserved"},
	{"count", COL_INT, "number of resources; prices are totals for all of them"},
	{"chips", COL_INT, "chips of one"},
	{"vcpus", COL_INT, "vCPUs of one"},
	{"size_gib", COL_INT, "size of one in GiB"},
	{"covered", COL_FLAG,
		"1: a grant pays for all of them; NULL if no grant can, or if that "
		"is unknown"},
	{"covered_count", COL_INT, "number of them that a grant pays for"},
	{"grant_name", COL_TEXT, "grant that pays for it"},
	{"why", COL_TEXT, "covered, or the reason why not, as in resources"},
	{"why_text", COL_TEXT, "why, as a sentence"},
	{"grant_line", COL_TEXT, "line of the grant that pays for it"},
	{"quota", COL_TEXT,
		"quota that it exceeds, or that leaves least; NULL: none, or not known"},
	{"quota_location", COL_TEXT, "zone, region or global"},
	{"pool", COL_TEXT, "of a TPU: on-demand preemptible; NULL: it uses no quota"},
	{"limit_value", COL_INT, "limit of that quota; NULL: not known"},
	{"used", COL_INT, "use of it now; NULL: unknown"},
	{"needs", COL_INT, "use of it by all resources of the command"},
	{"gross_per_hour", COL_MONEY, "list price of all of them"},
	{"net_per_hour", COL_MONEY, "cost after grants"},
	{"gross_per_day", COL_MONEY, "24 hours"},
	{"net_per_day", COL_MONEY, "24 hours"},
	{"gross_per_month", COL_MONEY, "730 hours"},
	{"net_per_month", COL_MONEY, "730 hours"},
	{"ends", COL_TIME, "when it ends by itself; NULL: never, or unknown"},
	{"gross_per_run", COL_MONEY, "until it, or the machine of a disk, ends by itself"},
	{"net_per_run", COL_MONEY, "until then, with what runs after its grant has ended"},
	{"currency", COL_TEXT, "currency of the prices"},
	{"price_source", COL_TEXT, "config billed catalog builtin unknown"},
	{"price_date", COL_TEXT, "date of the price list, if it has one"},
	{"advice", COL_TEXT, "flags that would make it free"},
	{"refused", COL_FLAG, "1: the verdict for all of it is negative (exit status 3)"},
};
const struct view view_estimate = {.name = "estimate",
	.doc = "estimated cost of resources before they are created",
	.columns = columns,
	.n = ARRAY_LEN(columns)};

/* Parts of a row, in the order of the columns. */
struct fill {
	struct doc_cell *row;
	size_t n;
};

static void fill_put(struct fill *f, struct doc_cell c)
{
	f->row[f->n++] = c;
}

static void fill_number(struct fill *f, struct opt_i64 v)
{
	fill_put(f, v.set ? cell_int(v.v) : (struct doc_cell){0});
}

static void fill_thing(struct fill *f, const struct estimate_thing *t)
{
	const char *const words[] = {t->r.kind, t->r.name, t->r.project, t->r.location,
		t->r.zone, t->r.region, t->r.type, t->r.provisioning};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		fill_put(f, cell_text(words[i]));
	fill_put(f, cell_int(t->count));
	fill_number(f, t->chips);
	fill_number(f, t->vcpus);
	fill_number(f, t->wish->size_gib ? SOME(t->wish->size_gib) : NONE);
}

static void fill_verdict(struct app *app, struct fill *f, const struct estimate_thing *t)
{
	bool judged = t->applies && !t->unknown;
	const struct grant *grants = app->cfg->settings.grants;

	fill_number(f, judged ? SOME(t->covered == t->count) : NONE);
	fill_number(f, judged ? SOME(t->covered) : NONE);
	fill_put(f, cell_text(judged ? t->grant_name : NULL));
	fill_put(f, cell_text(judged ? why_name(t->why) : NULL));
	fill_put(f, cell_text(t->applies ? t->why_text : NULL));
	fill_put(f,
		cell_text(t->grant < 0 ? NULL
				       : grant_describe(&grants[t->grant], &app->arena)));
}

static void fill_quota(struct fill *f, const struct estimate_thing *t)
{
	const struct estimate_quota *q = t->quota;
	bool spot = price_class_preemptible(t->r.provisioning);

	fill_put(f, cell_text(q ? str_after_last(q->q.metric, '/') : t->pool_metric));
	fill_put(f, cell_text(q ? q->q.location : NULL));
	fill_put(f,
		cell_text(!estimate_uses_quota(t) ? NULL
				: spot            ? "preemptible"
						  : "on-demand"));
	fill_number(f, q ? SOME(q->q.limit_value) : NONE);
	fill_number(f, q ? q->q.used : NONE);
	fill_number(f, q ? SOME(q->needs) : NONE);
}

static void fill_costs(struct fill *f, const struct estimate_thing *t)
{
	static const int64_t lengths[] = {HOUR_SECONDS, DAY_SECONDS, ESTIMATE_MONTH};

	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		fill_put(f, estimate_cell(t, false, lengths[i]));
		fill_put(f, estimate_cell(t, true, lengths[i]));
	}
	fill_put(f, cell_time(ts_of_opt(t->r.ends)));
	fill_put(f, cell_amount(estimate_run_cost(t, false)));
	fill_put(f, cell_amount(estimate_run_cost(t, true)));
	fill_put(f, cell_text(t->each.known ? t->each.cur : NULL));
	fill_put(f, cell_text(price_source_name(t->each.source)));
	fill_put(f, cell_text(t->each.as_of));
}

static void estimate_fill_row(
	struct app *app, const struct estimate *x, size_t i, struct doc_cell *row)
{
	const struct estimate_thing *t = &x->things[i];
	const struct estimate_advice *v = x->advice, *end = v + x->n_advice;
	struct fill f = {.row = row};

	while (v < end && v->thing != i)
		v++;
	fill_thing(&f, t);
	fill_verdict(app, &f, t);
	fill_quota(&f, t);
	fill_costs(&f, t);
	fill_put(&f, cell_text(v < end ? estimate_flags(x, v, &app->arena) : NULL));
	fill_put(&f, cell_int(x->refused));
}

static int estimate_rows(struct app *app, const struct estimate *x, struct err *e)
{
	struct doc_section *t = doc_table_like(&app->arena, &view_estimate);
	const struct query q = {.shown = &view_estimate,
		.rows = t,
		.columns = "kind,name,type?,location?,count?,covered,why?,gross_per_hour?,"
			   "net_per_hour,net_per_day?,currency",
		.order = QUERY_ROW_NUMBER,
		.empty = "No rows match."};
	struct db *asked = app->db, *own;
	struct opts given = app->o;
	int rc;

	for (size_t i = 0; i < x->n_things; i++)
		estimate_fill_row(app, x, i, doc_row(t)->cells);
	if (!query_asks_for_part(app))
		return query_print(app, t, "", e);
	/* evaluating the rules rolled the proposal back, with all derived rows */
	if (db_open_empty(app->clock, &own, e))
		return cmd_fail(e);
	app->db = own;
	app->o.project = NULL; /* is the project of the new resources here, not a filter */
	rc = query_run(app, &q, e);
	app->o = given;
	app->db = asked;
	db_close(own);
	return rc;
}

/* ---- the command ---------------------------------------------------------------------- */

/* Without a configuration there are prices but no grants. A configuration given by option must
 * exist. */
static enum err_code get_config(
	struct app *app, struct estimate_basis *basis, struct err *e)
{
	const char *env = getenv("TPUCOST_CONFIG"), *path = config_path(app);
	struct yaml_node nothing = {.type = YAML_MAP, .file = path, .line = 1, .col = 1};

	basis->config = true;
	if (app->o.config || (env && *env) || !access(path, F_OK))
		return config_load(app, e);
	basis->config = false;
	app->cfg = arena_new(&app->arena, struct config);
	config_empty(path, &app->arena, app->cfg);
	return config_read_inline(&nothing, &app->arena, app->cfg, e);
}

/* Opens an empty inventory, so that rules can be evaluated on the proposed resources alone. */
static enum err_code nothing_there(struct app *app, const struct proposal *p, struct err *e)
{
	static const char *const kinds[] = {
		"vm", "tpu", "disk", "ip", "snapshot", "bucket"};
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct derive_opts o = {.settings = &app->cfg->settings,
		.now = app->now,
		.since = TS_NONE,
		.until = TS_NONE};

	if (db_open_empty(app->clock, &app->db, e) || db_begin(app->db, &tx, e))
		return e->code;
	app->cfg->settings.n_listed = 0; /* nothing is unread */
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
			struct q_source_put_in in = {.source = kinds[k],
				.project = p->v[i].project,
				.state = "ok",
				.attempt = app->now,
				.success = SOME(app->now),
				.poll_group = "instances"};

			if (q_source_put(app->db, &in, e))
				return e->code;
		}
	return derive(app->db, &o, e) ? e->code : db_commit(&tx, e);
}

static enum err_code get_world(
	struct app *app, struct proposal *p, struct estimate_basis *basis, struct err *e)
{
	struct freshness f;

	basis->database = basis->config && !access(app->cfg->database, F_OK);
	if (!basis->database)
		return estimate_projects(app, p, e) ? e->code : nothing_there(app, p, e);
	if (session_open_for(app, TS_NONE, TS_NONE, e) || estimate_projects(app, p, e) ||
		session_freshness(app, BASIS_INVENTORY, &f, e))
		return e->code;
	basis->polled = f.polled > 0;
	basis->stale = f.stale > 0;
	basis->oldest = f.oldest;
	return E_OK;
}

static void estimate_say_notes(const struct app *app, const struct proposal *p,
	const struct estimate *x, const struct estimate_basis *basis)
{
	if (app->o.quiet)
		return;
	for (size_t i = 0; i < p->n_notes; i++)
		say("note: %s", p->notes[i]);
	for (size_t i = 0; i < x->n_notes; i++)
		say("note: %s", x->notes[i]);
	/* else it is the verdict */
	if (x->unknown_type &&
		(x->tpus || app->format != OUT_TABLE || query_asks_for_part(app)))
		say("note: %s", x->unknown_type);
	if (!basis->config)
		say("note: no configuration: grants and budgets are unknown; see: "
		    "tpucost help init");
}

static enum err_code judge_it(
	struct app *app, const struct proposal *p, struct estimate *x, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(app->db, &tx, e))
		return e->code;
	return estimate(app->db, &app->cfg->settings, p, app->now, &app->arena, x, e);
}

/* Prints, for output as rows, the basis that the text has in its last line. */
static enum err_code note_basis(
	struct app *app, const struct estimate_basis *basis, struct err *e)
{
	if (basis->polled)
		return session_note(app, BASIS_INVENTORY, e);
	if (!app->o.quiet)
		say("note: no source was polled yet: running resources, which use grants "
		    "and quotas, are unknown");
	return E_OK;
}

static int estimate_print(struct app *app, const struct proposal *p,
	const struct estimate *x, const struct estimate_basis *basis, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	int rc = EXIT_FINE;

	/* sentences cover the whole answer */
	if (app->format != OUT_TABLE || query_asks_for_part(app)) {
		rc = estimate_rows(app, x, e);
		return rc == EXIT_FINE && note_basis(app, basis, e) ? cmd_fail(e) : rc;
	}
	estimate_text(app, p, x, basis, &b);
	if (out_write(&b, e) || (basis->polled && session_note_access(app, e)))
		rc = cmd_fail(e);
	return rc;
}

/* A resource in a zone that does not exist would have a price, and a wrong reason why it is not free. Where
 * only the type is not known there, the answer is correct, and this is said. */
static enum err_code check_places(struct app *app, struct proposal *p, struct err *e)
{
	struct tpu_zones zones;

	zones_known(app, &zones);
	for (size_t i = 0; i < p->n; i++) {
		const struct wish *w = &p->v[i];

		if (!w->zone)
			continue;
		if (!strcmp(w->kind, "tpu") &&
			tpu_zone_check(&zones, w->type, w->zone, e)) {
			if (!tpu_zone_may_be_new(&zones, w->type, w->zone))
				return err_wrap(e, "estimate");
			estimate_say(&app->arena, p, arena_strdup(&app->arena, e->msg));
			err_clear(e);
		} else if (zone_check(&zones, w->type, w->zone, e)) {
			return err_wrap(e, "estimate");
		}
	}
	return E_OK;
}

int cmd_estimate(struct app *app, struct err *e)
{
	struct estimate_basis basis = {0};
	struct proposal p;
	struct estimate x;
	int rc;

	if (get_config(app, &basis, e) || estimate_wishes(app, &p, e) ||
		get_world(app, &p, &basis, e) || check_places(app, &p, e) ||
		judge_it(app, &p, &x, e))
		return cmd_fail(e);
	rc = estimate_print(app, &p, &x, &basis, e);
	if (rc != EXIT_FINE)
		return rc;
	estimate_say_notes(app, &p, &x, &basis);
	return x.refused ? EXIT_NO : x.unjudged ? EXIT_PARTIAL : EXIT_FINE;
}

/* Command `grant`: grants of the configuration, and what to do before they end. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/query.h"
#include "db_sql.h"

#include <string.h>

/* These notes are sentences, which would be wider than the table. */
enum err_code grant_say_quotas(struct app *app, struct err *e)
{
	static const struct query q = {
		.view = "grants",
		.only = "quota_note IS NOT NULL",
		.columns = "name,family,provisioning,zone,quota_note",
		.order = "name, zone, family, provisioning",
	};
	struct doc_section *t;

	if (app->format != OUT_TABLE || app->o.quiet)
		return E_OK;
	app->o = (struct opts){.limit = -1};
	if (query_fetch(app, &q, false, &t, e))
		return e->code;
	for (size_t i = 0; i < t->n; i++) {
		const struct doc_cell *row = t->rows[i].cells;

		say("note: %s, %s %s in %s: %s", row[0].text, row[1].text, row[2].text,
			row[3].text, row[4].text);
	}
	return E_OK;
}

/* A grant applies to all projects unless it names one. Prints the current use per project. */
static enum err_code say_shares(struct app *app, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	struct doc_section *t;

	sbuf_adds(&sql,
		"SELECT grant_name, project, COUNT(*) AS tpus, SUM(chips) AS chips FROM "
		"resources WHERE covered = 1");
	query_add_project(app, &sql, "project");
	sbuf_adds(&sql, " GROUP BY grant_name, project ORDER BY grant_name, project");
	if (query_sql(app, sql.s, false, &t, e))
		return e->code;
	for (size_t i = 0; i < t->n; i++) {
		const struct doc_cell *row = t->rows[i].cells;

		say("note: of grant %s, project %s uses %lld chips now (TPUs: %lld)",
			row[0].text, row[1].text, (long long)row[3].v, (long long)row[2].v);
	}
	return E_OK;
}

/* Prints a note if figures do not match the selection. */
static enum err_code say_whose(struct app *app, struct err *e)
{
	if (query_has_period(app))
		say("note: these grants are valid in that period; figures cover now and "
		    "their whole term. For that period: tpucost coverage --by grant "
		    "--since ...");
	if (!app->o.project)
		return E_OK;
	say("note: figures cover all projects");
	return say_shares(app, e);
}

const struct query query_grants = {
	.view = "grants",
	.columns = "name,zone,family?,type,provisioning,granted_chips,used_chips,"
		   "free_chips?,days_left,covered_chip_hours?,saved?,currency?",
	.order = "name, zone, family, provisioning",
	.empty = "No `grants:` in the configuration.",
	.basis = BASIS_INVENTORY,
	.of_projects = "project IS NULL OR project IN @",
	.time = "starts",
	.ends = "until",
};

int cmd_grant(struct app *app, struct err *e)
{
	int rc;

	if (app->n_args && strcmp(app->args[0], "list") != 0) {
		err_set(e, E_USAGE, "grant: unknown action '%s'", app->args[0]);
		near_fix(e, near_below(&app->arena, app->cmd, app->args[0]),
			"use: tpucost grant list, grant plan, or grant import FILE");
		return cmd_fail(e);
	}
	rc = query_run(app, &query_grants, e);
	if (!rc && !app->o.quiet && say_whose(app, e))
		return cmd_fail(e);
	return !rc && grant_say_quotas(app, e) ? cmd_fail(e) : rc;
}

/* ---- the plan as text ---------------------------------------------------------------------- */

struct plan {
	struct app *app;
	struct sbuf *b;
	bool markdown;
	const char *only; /* a grant, or NULL for all */
	size_t n;
};

static const char *amount(
	struct plan *p, struct opt_i64 nanos, int64_t times, const char *currency)
{
	int64_t product;

	if (!nanos.set || !currency || __builtin_mul_overflow(nanos.v, times, &product))
		return "an unknown price";
	return money_words(&p->app->arena, product, currency);
}

static void add_head(struct plan *p, const struct q_grant_ends *g)
{
	const struct tz *tz = p->app->cfg->tz;
	bool over = g->until <= p->app->now, one = g->becomes_paid == 1;
	char age[DURATION_BUF], local[TZ_TIME_BUF];

	duration_format(over ? p->app->now - g->until : g->until - p->app->now, age);
	/* "trc ends 2026-12-01 00:00 Asia/Hong_Kong, in 3d 2h." */
	sbuf_addf(p->b, "%s%s%s%s %s %s %s, %s%s%s.\n", p->n++ ? "\n" : "",
		p->markdown ? "## " : "", g->name, p->markdown ? "\n\nIt" : "",
		over ? "ended" : "ends", tz_time(tz, g->until, local), tz_name(tz),
		over ? "" : "in ", age, over ? " ago" : "");
	if (g->renewed_by)
		sbuf_addf(p->b, "%s continues it, with its own size.\n", g->renewed_by);
	if (!g->becomes_paid) {
		sbuf_adds(p->b,
			over ? "No TPU that it covered is charged now.\n"
			     : "No running TPU will be charged.\n");
		return;
	}
	sbuf_addf(p->b, "%lld TPU%s %s charged: %s an hour%s", (long long)g->becomes_paid,
		one ? "" : "s",
		!over         ? "will be"
			: one ? "is"
			      : "are",
		amount(p, g->per_hour, 1, g->currency), one ? "" : " together");
	if (g->per_hour.set)
		sbuf_addf(p->b, ", %s a day", amount(p, g->per_hour, 24, g->currency));
	sbuf_adds(p->b, ".\n");
}

/* Condition for the rows of one grant. */
static const char *only_of(struct app *app, const char *name)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, "grant_name = ");
	query_add_text(&b, name);
	return arena_strdup(&app->arena, b.s);
}

static enum err_code add_table(struct plan *p, const char *name, struct err *e)
{
	struct out_style style = out_style_stdout();
	struct query q = {
		.view = "grant_plan",
		.columns = "name,kind,zone,type,gross_per_hour,currency,waits?,again,"
			   "again_grant",
		.order = "waits, gross_per_hour IS NULL, " BY_CURRENCY
			 "gross_per_hour DESC, id",
		.only = only_of(p->app, name),
	};
	struct doc_section *t;

	style.totals = false;
	if (query_fetch(p->app, &q, false, &t, e))
		return e->code;
	if (!t->n)
		return E_OK;
	sbuf_addc(p->b, '\n');
	out_render(p->b, t, p->markdown ? OUT_MARKDOWN : OUT_TABLE, &style);
	return E_OK;
}

/* Steps before the end of a grant, with their commands. */
enum { STORE, COPY, REMOVE, WAITING, STEPS };
static const char *const titles[STEPS] = {
	[STORE] = "Copy your files to a bucket in their region (set OUTPUT, and BUCKET "
		  "where it is not known):",
	[COPY] = "Copy your files to this machine, which is charged as traffic (set "
		 "OUTPUT):",
	[REMOVE] = "Then delete the TPUs:",
	[WAITING] = "These are waiting, and would be charged once they are created:",
};

static void add_command(struct sbuf *b, const char *command)
{
	cleanup(sbuf_done) struct sbuf line = SBUF_INIT;

	if (!command)
		return;
	sbuf_adds(&line, "  ");
	sbuf_add_term(&line, command);
	sbuf_addc(&line, '\n');
	/* one command deletes all TPUs of a queued resource */
	if (!b->len || !strstr(b->s, line.s))
		sbuf_adds(b, line.s);
}

static enum err_code add_steps(struct plan *p, const char *name, struct err *e)
{
	struct q_grant_plan_rows_in in = {.grant_name = name};
	struct q_grant_plan_rows q;
	struct sbuf steps[STEPS] = {SBUF_INIT, SBUF_INIT, SBUF_INIT, SBUF_INIT};
	cleanup(sbuf_done) struct sbuf disks = SBUF_INIT;
	struct db_rows rows;

	if (q_grant_plan_rows_open(p->app->db, &in, &rows, e))
		return e->code;
	while (q_grant_plan_rows_next(&rows, &q)) {
		add_command(&steps[COPY], q.copy_command);
		add_command(&steps[STORE], q.storage_command);
		add_command(&steps[q.waits ? WAITING : REMOVE], q.delete_command);
		if (q.disks)
			sbuf_addf(&disks,
				"%s remains when %s is deleted, and is still charged.\n",
				q.disks, q.name);
	}
	for (int i = 0; i < STEPS; i++) {
		if (steps[i].len)
			sbuf_addf(p->b, "\n%s\n%s%s%s", titles[i],
				p->markdown ? "\n```sh\n" : "", steps[i].s,
				p->markdown ? "```\n" : "");
		sbuf_done(&steps[i]);
	}
	if (disks.len)
		sbuf_addf(p->b, "\n%s", disks.s);
	return db_rows_close(&rows, e);
}

/* TPUs of the grant that were asked for so far. */
static enum err_code add_capacity(struct plan *p, const char *name, struct err *e)
{
	struct q_capacity_of_grant_in in = {.name = name};
	struct q_capacity_of_grant *v;
	size_t n;

	if (q_capacity_of_grant_all(p->app->db, &in, &p->app->arena, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		sbuf_addf(p->b, "%sObserved: %s.\n", p->markdown ? "\n" : "", v[i].text);
	return E_OK;
}

static enum err_code add_grants(struct plan *p, struct err *e)
{
	struct q_grant_ends_in in = {.name = p->only};
	struct q_grant_ends *list;
	size_t n;

	if (q_grant_ends_all(p->app->db, &in, &p->app->arena, &list, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		add_head(p, &list[i]);
		if (add_capacity(p, list[i].name, e) || add_table(p, list[i].name, e) ||
			add_steps(p, list[i].name, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code check_name(struct app *app, const char *name, struct err *e)
{
	const struct config *cfg = app->cfg;

	if (grant_find(cfg->grants, cfg->n_grants, name) >= 0)
		return E_OK;
	err_set(e, E_USAGE, "grant plan: there is no grant '%s'", name);
	return near_fix(e, NEAR_OF(name, cfg->grants, cfg->n_grants, name),
		"see: tpucost grant list");
}

int cmd_grant_plan(struct app *app, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct plan p = {.app = app, .b = &b, .only = app->n_args ? app->args[0] : NULL};
	struct query q = {.view = "grant_plan",
		.columns = "id",
		.order = "until, grant_name, waits, " BY_CURRENCY "gross_per_hour DESC, id",
		.basis = BASIS_INVENTORY};

	if (p.only && check_name(app, p.only, e))
		return cmd_fail(e);
	if (p.only)
		q.only = only_of(app, p.only);
	if (app->format == OUT_JSON || app->format == OUT_CSV)
		return query_run(app, &q, e);
	p.markdown = app->format == OUT_MARKDOWN;
	if (query_note(app, &q, e) || add_grants(&p, e))
		return cmd_fail(e);
	if (!p.n)
		sbuf_adds(&b,
			p.only ? "It has not started, has no end, or ended more than two "
				 "days ago.\n"
			       : "No grant is valid or ended in the last two days.\n");
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

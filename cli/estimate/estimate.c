/* Command `estimate`: the cost and coverage of resources before they are created. */
#include "cli/config/config.h"
#include "cli/estimate/estimate.h"
#include "cli/out/out.h"
#include "cli/query.h"
#include "cli/say.h"
#include "cli/zones.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/derive/derive.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	static const char *const sources[] = {
		"vm", "tpu", "disk", "ip", "snapshot", "bucket"};
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct derive_opts o = {.settings = &app->cfg->settings,
		.now = app->now,
		.since = TS_NONE,
		.until = TS_NONE};

	if (db_open_empty(app->clock, &app->db, e) || db_begin(app->db, &tx, e))
		return e->code;
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < ARRAY_LEN(sources); k++) {
			struct q_source_put_in in = {.source = sources[k],
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
			if (tpu_zone_doubt(&zones, w->type, w->zone) != ZONE_NEW_TYPE)
				return err_wrap(e, "estimate");
			estimate_say(&app->arena, p, arena_strdup(&app->arena, e->msg));
			err_clear(e);
		} else if (zone_check(&zones, w->zone, e)) {
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

/* Command `coverage`: grants and TPUs side by side. */
#include "cli/out/out.h"
#include "cli/query.h"

#include <string.h>

const struct query query_coverage = {
	.view = "coverage",
	.columns = "id,covered,grant_name?,why,starts?,chip_hours,gross?,net,currency",
	.order = "covered, id, starts",
	.empty = "No running TPUs.",
	.basis = BASIS_INVENTORY,
	.derived = true,
};

/* Totals per grant, and per reason why TPUs are not covered. */
const struct query query_coverage_totals = {
	.view = "coverage_totals",
	.columns = "grant_name,covered,why,tpus?,chip_hours,gross?,saved,net,currency",
	.order = "covered DESC, grant_name, why, currency",
	.empty = "No running TPUs.",
	.basis = BASIS_INVENTORY,
	.derived = true,
};

/* Totals cover all TPUs. They are omitted when only some TPUs are shown, as they would be read as
 * the sum of those. */
static enum err_code add_totals(
	struct app *app, const struct out_style *style, struct sbuf *b, struct err *e)
{
	const struct opts *o = &app->o;
	struct out_style plain = *style;
	struct doc_section *t;

	if (!o->since || o->where || o->project || o->limit >= 0)
		return E_OK;
	if (query_fetch(app, &query_coverage_totals, false, &t, e))
		return e->code;
	if (t->n) {
		plain.totals = false;
		sbuf_adds(b, "\nTogether\n");
		out_render(b, t, OUT_TABLE, &plain);
	}
	return E_OK;
}

static enum err_code add_grants(
	struct app *app, const struct out_style *style, struct sbuf *b, struct err *e)
{
	static const struct query grants = {
		.view = "grants",
		.columns = "name,zone,type,family?,provisioning,granted_chips,used_chips,"
			   "free_chips?,days_left",
		.order = "name, zone",
	};
	struct opts given = app->o;
	enum err_code rc;
	struct doc_section *t;

	/* Filters apply to the TPUs only. */
	app->o = (struct opts){.limit = -1};
	rc = query_fetch(app, &grants, false, &t, e);
	app->o = given;
	if (rc)
		return rc;
	if (t->n) {
		sbuf_adds(b, "Grants\n");
		out_render(b, t, OUT_TABLE, style);
		sbuf_addc(b, '\n');
	} else {
		sbuf_adds(b, "No `grants:` in the configuration.\n\n");
	}
	return E_OK;
}

/* Prints the text form: the grants, then the TPUs, then a sentence for each TPU that is not
 * covered. */
static int print_for_people(struct app *app, struct err *e)
{
	static const struct query sentences = {
		.view = "coverage",
		.only = "covered = 0",
		.columns = "id,why_text",
		.order = "id, starts",
	};
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct out_style style = out_style_stdout();
	struct doc_section *t;

	if (add_grants(app, &style, &b, e))
		return cmd_fail(e);
	sbuf_adds(&b, "TPUs\n");
	if (query_add_table(app, &query_coverage, &style, &b, &t, e))
		return cmd_fail(e);
	app->o.sort_by = NULL; /* the rows below have an order of their own */
	if (add_totals(app, &style, &b, e) ||
		query_add_sentences(app, &sentences, &style, &b, e) || out_write(&b, e))
		return cmd_fail(e);
	return EXIT_FINE;
}

static enum err_code check_options(struct app *app, struct err *e)
{
	if (app->o.until && !app->o.since)
		return err_set_fix(e, E_USAGE, "give both ends of the period",
			"coverage: --until needs --since");
	if (app->o.by && strcmp(app->o.by, "grant") != 0)
		return err_set_fix(e, E_USAGE, "use: --by grant",
			"coverage: cannot group by '%s'", app->o.by);
	if (app->o.by && app->o.project)
		return err_set_fix(e, E_USAGE, "omit --project",
			"coverage: --by grant always covers all projects");
	return E_OK;
}

int cmd_coverage(struct app *app, struct err *e)
{
	if (check_options(app, e) || session_open(app, e))
		return cmd_fail(e);
	if (app->o.by)
		return query_run(app, &query_coverage_totals, e);
	if (query_for_people(app))
		return print_for_people(app, e);
	return query_run(app, &query_coverage, e);
}

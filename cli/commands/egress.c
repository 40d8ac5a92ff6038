/* Command `egress`: network traffic of machines, TPUs and buckets within minutes, and its estimated cost. */
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/out/out.h"
#include "cli/query.h"
#include "rules/vocab/condition.h"

const struct query query_egress = {
	.view = "egress",
	.columns =
		"id,sent_bytes_per_second,received_bytes_per_second?,gib_last_hour,"
		"gib_per_day,path,estimated_low_per_hour?,estimated_high_per_hour,currency,"
		"since???,requests_last_hour????,age_minutes?????,command??",
	.order = "estimated_high_per_hour IS NULL, " BY_CURRENCY
		 "estimated_high_per_hour DESC, "
		 "gib_last_hour DESC, id",
	.empty = "No running machine, TPU or bucket has network counters of the last half "
		 "hour; "
		 "see: tpucost sources",
	.basis = BASIS_METRICS | BASIS_INVENTORY,
};

/* Prints the text form: the table, then a sentence per row. */
static int print_both(struct app *app, struct err *e)
{
	struct query sentences = query_egress;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct out_style style = out_style_stdout();
	struct doc_section *t;

	sentences.columns = "id,basis";
	if (query_add_table(app, &query_egress, &style, &b, &t, e) ||
		(t->n && query_add_sentences(app, &sentences, &style, &b, e)) ||
		out_write(&b, e))
		return cmd_fail(e);
	return EXIT_FINE;
}

/* Counters are stored for an hour; earlier traffic is on the bill. Credits are the difference of
 * cost and net, so the table has only those two. */
static int billed_traffic(struct app *app, struct err *e)
{
	static const char network[] = "category = 'network'";
	struct opts given = app->o;
	int rc;

	if (app->o.where && condition_shape(app->o.where, e)) {
		err_wrap(e, "--where");
		return cmd_fail(e);
	}
	app->o.by =
		"project,resource,sku"; /* names of machines are unique in a project only */
	if (query_for_people(app))
		app->o.columns = arena_printf(&app->arena,
			"%sresource,sku,usage,usage_unit,cost,net,currency",
			query_of_several(app) ? "project," : "");
	app->o.where = app->o.where
		? arena_printf(&app->arena, "(%s) AND %s", app->o.where, network)
		: network;
	say("note: this is billed traffic of whole days (%s), as far as the bill "
	    "was read. Counters of machines are stored for an hour: tpucost egress",
		tz_name(app->cfg->tz));
	rc = cmd_cost(app, e); /* opens the database */
	app->o = given;
	return rc;
}

int cmd_egress(struct app *app, struct err *e)
{
	if (query_has_period(app))
		return billed_traffic(app, e);
	if (session_open(app, e))
		return cmd_fail(e);
	if (query_for_people(app))
		return print_both(app, e);
	return query_run(app, &query_egress, e);
}

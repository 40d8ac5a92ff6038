/* Answer of `estimate` as rows, one per requested resource. */
#include "base/str.h"
#include "cli/estimate/estimate.h"
#include "cli/out/out.h"
#include "cli/query.h"
#include "cli/shown.h"
#include "db/db.h"

#include <string.h>

static const struct column columns[] = {
	{"kind", COL_TEXT, "tpu vm disk ip bucket"},
	{"name", COL_TEXT, "name in the command, or new-KIND"},
	{"project", COL_TEXT, "where it would be created"},
	{"location", COL_TEXT, "zone, region or multi-region"},
	{"zone", COL_TEXT, "zone; NULL if it has only a region"},
	{"region", COL_TEXT, "region of the zone"},
	{"type", COL_TEXT, "v3-8, n1-highmem-96, pd-ssd"},
	{"provisioning", COL_TEXT, "on-demand spot reserved"},
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
	{"gross_per_hour", COL_MONEY, "list price of all of them"},
	{"net_per_hour", COL_MONEY, "cost after grants"},
	{"gross_per_day", COL_MONEY, "24 hours"},
	{"net_per_day", COL_MONEY, "24 hours"},
	{"gross_per_month", COL_MONEY, "730 hours"},
	{"net_per_month", COL_MONEY, "730 hours"},
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

struct doc_cell estimate_cell(const struct estimate_thing *t, bool net, int64_t hours)
{
	return cell_amount(estimate_cost(t, net, hours));
}

static void estimate_fill_row(
	struct app *app, const struct estimate *x, size_t i, struct doc_cell *row)
{
	const struct estimate_thing *t = &x->things[i];
	const struct estimate_advice *v = x->advice;
	bool judged = t->applies && !t->unknown;

	while (v < x->advice + x->n_advice && v->thing != i)
		v++;

	const struct doc_cell none = {0},
			      cells[] = {
				      cell_text(t->r.kind),
				      cell_text(t->r.name),
				      cell_text(t->r.project),
				      cell_text(t->r.location),
				      cell_text(t->r.zone),
				      cell_text(t->r.region),
				      cell_text(t->r.type),
				      cell_text(t->r.provisioning),
				      cell_int(t->count),
				      t->chips.set ? cell_int(t->chips.v) : none,
				      t->vcpus.set ? cell_int(t->vcpus.v) : none,
				      t->wish->size_gib ? cell_int(t->wish->size_gib)
							: none,
				      judged ? cell_int(t->covered == t->count) : none,
				      judged ? cell_int(t->covered) : none,
				      judged ? cell_text(t->grant_name) : none,
				      judged ? cell_text(why_name(t->why)) : none,
				      t->applies ? cell_text(t->why_text) : none,
				      estimate_cell(t, false, ESTIMATE_HOUR),
				      estimate_cell(t, true, ESTIMATE_HOUR),
				      estimate_cell(t, false, ESTIMATE_DAY),
				      estimate_cell(t, true, ESTIMATE_DAY),
				      estimate_cell(t, false, ESTIMATE_MONTH),
				      estimate_cell(t, true, ESTIMATE_MONTH),
				      t->each.known ? cell_text(t->each.cur) : none,
				      cell_text(price_source_name(t->each.source)),
				      cell_text(t->each.as_of),
				      v < x->advice + x->n_advice
					      ? cell_text(estimate_flags(x, v, &app->arena))
					      : none,
				      cell_int(x->refused),
			      };

	_Static_assert(ARRAY_LEN(cells) == ARRAY_LEN(columns), "a cell for each column");
	memcpy(row, cells, sizeof(cells));
}

int estimate_rows(struct app *app, const struct estimate *x, struct err *e)
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

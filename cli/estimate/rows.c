/* The answer of `estimate` as rows, one for each thing that was asked for. */
#include "base/str.h"
#include "cli/estimate/estimate.h"
#include "cli/out/out.h"
#include "cli/query.h"
#include "cli/shown.h"
#include "db/db.h"

static const struct column columns[] = {
	{"kind", COL_TEXT, "tpu vm disk ip bucket"},
	{"name", COL_TEXT, "as the command names it, or new-KIND"},
	{"project", COL_TEXT, "where it would be created"},
	{"location", COL_TEXT, "zone, region or multi-region"},
	{"zone", COL_TEXT, "NULL for what has only a region"},
	{"region", COL_TEXT, "of the zone"},
	{"type", COL_TEXT, "v3-8, n1-highmem-96, pd-ssd"},
	{"provisioning", COL_TEXT, "on-demand spot reserved"},
	{"count", COL_INT, "how many of them; prices are of all of them"},
	{"chips", COL_INT, "of one"},
	{"vcpus", COL_INT, "of one"},
	{"size_gib", COL_INT, "of one"},
	{"covered", COL_FLAG,
		"1: a grant pays all of them; NULL for what no grant can pay, or where "
		"that is not known"},
	{"covered_count", COL_INT, "how many of them a grant pays"},
	{"grant_name", COL_TEXT, "the grant that pays"},
	{"why", COL_TEXT, "covered, or what is wrong, as in resources"},
	{"why_text", COL_TEXT, "the same as a sentence"},
	{"gross_per_hour", COL_MONEY, "list price of all of them"},
	{"net_per_hour", COL_MONEY, "without what a grant pays"},
	{"gross_per_day", COL_MONEY, "24 hours"},
	{"net_per_day", COL_MONEY, "24 hours"},
	{"gross_per_month", COL_MONEY, "730 hours"},
	{"net_per_month", COL_MONEY, "730 hours"},
	{"currency", COL_TEXT, "of the prices"},
	{"price_source", COL_TEXT, "config billed catalog builtin unknown"},
	{"price_date", COL_TEXT, "of the price list, where it has one"},
	{"advice", COL_TEXT, "flags with which it would be free"},
	{"refused", COL_FLAG, "1: the answer to all of it is no (exit status 3)"},
};
enum {
	KIND,
	NAME,
	PROJECT,
	LOCATION,
	ZONE,
	REGION,
	TYPE,
	PROVISIONING,
	COUNT,
	CHIPS,
	VCPUS,
	SIZE_GIB,
	COVERED,
	COVERED_COUNT,
	GRANT_NAME,
	WHY,
	WHY_TEXT,
	GROSS_HOUR,
	NET_HOUR,
	GROSS_DAY,
	NET_DAY,
	GROSS_MONTH,
	NET_MONTH,
	CURRENCY,
	PRICE_SOURCE,
	PRICE_DATE,
	ADVICE,
	REFUSED,
};

const struct view view_estimate = {.name = "estimate",
	.doc = "what something would cost before it is created",
	.columns = columns,
	.n = ARRAY_LEN(columns)};

struct cell estimate_cell(const struct estimate_thing *t, bool net, int64_t hours)
{
	return nanos_cell(estimate_cost(t, net, hours));
}

static void set_prices(struct cell *row, const struct estimate_thing *t)
{
	row[GROSS_HOUR] = estimate_cell(t, false, ESTIMATE_HOUR);
	row[NET_HOUR] = estimate_cell(t, true, ESTIMATE_HOUR);
	row[GROSS_DAY] = estimate_cell(t, false, ESTIMATE_DAY);
	row[NET_DAY] = estimate_cell(t, true, ESTIMATE_DAY);
	row[GROSS_MONTH] = estimate_cell(t, false, ESTIMATE_MONTH);
	row[NET_MONTH] = estimate_cell(t, true, ESTIMATE_MONTH);
	if (t->each.known)
		row[CURRENCY] = text_cell(t->each.cur);
	row[PRICE_SOURCE] = text_cell(price_source_name(t->each.source));
	row[PRICE_DATE] = text_cell(t->each.as_of);
}

static void set_verdict(struct cell *row, const struct estimate_thing *t)
{
	if (!t->applies)
		return;
	row[WHY_TEXT] = text_cell(t->why_text);
	if (t->unknown)
		return;
	row[COVERED] = int_cell(t->covered == t->count);
	row[COVERED_COUNT] = int_cell(t->covered);
	row[GRANT_NAME] = text_cell(t->grant_name);
	row[WHY] = text_cell(why_name(t->why));
}

static void fill_row(struct app *app, const struct estimate *x, size_t i, struct cell *row)
{
	const struct estimate_thing *t = &x->things[i];

	row[KIND] = text_cell(t->kind);
	row[NAME] = text_cell(t->name);
	row[PROJECT] = text_cell(t->project);
	row[LOCATION] = text_cell(t->location);
	row[ZONE] = text_cell(t->zone);
	row[REGION] = text_cell(t->region);
	row[TYPE] = text_cell(t->type);
	row[PROVISIONING] = text_cell(t->provisioning);
	row[COUNT] = int_cell(t->count);
	if (t->chips.set)
		row[CHIPS] = int_cell(t->chips.v);
	if (t->vcpus.set)
		row[VCPUS] = int_cell(t->vcpus.v);
	if (t->wish->size_gib)
		row[SIZE_GIB] = int_cell(t->wish->size_gib);
	set_verdict(row, t);
	set_prices(row, t);
	for (size_t k = x->n_advice; k > 0; k--)
		if (x->advice[k - 1].thing == i)
			row[ADVICE] = text_cell(
				estimate_flags(x, &x->advice[k - 1], &app->arena));
	row[REFUSED] = int_cell(x->refused);
}

int estimate_rows(struct app *app, const struct estimate *x, struct err *e)
{
	const struct column *cols[ARRAY_LEN(columns)];
	struct table t = {.cols = cols, .n_cols = ARRAY_LEN(cols)};
	const struct query q = {.shown = &view_estimate,
		.rows = &t,
		.columns = "kind,name,type?,location?,count?,covered,why?,gross_per_hour?,"
			   "net_per_hour,net_per_day?,currency",
		.order = QUERY_ROW_NUMBER,
		.empty = "No row matches."};
	struct db *asked = app->db, *own;
	struct opts given = app->o;
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(cols); i++)
		cols[i] = &columns[i];
	for (size_t i = 0; i < x->n_things; i++)
		fill_row(app, x, i, table_add_row(&t, &app->arena));
	if (!query_asks_for_part(app))
		return query_print(app, &t, "", e);
	/* the one that was asked took the proposal back, and with it what it had computed */
	if (db_open_empty(app->clock, &own, e))
		return cmd_fail(e);
	app->db = own;
	app->o.project = NULL; /* says where it would be created */
	rc = query_run(app, &q, e);
	app->o = given;
	app->db = asked;
	db_close(own);
	return rc;
}

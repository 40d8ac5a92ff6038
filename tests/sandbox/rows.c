/* The export as a table: its columns, from which both the schema of tables.get and the
 * nested rows of tabledata.list are written. Columns after the structure of Standard and
 * of Detailed data export (Cloud Billing documentation), row encoding after the BigQuery
 * REST reference. */
#include "tests/sandbox/api/export.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One value: of a row, and in a repeated record of its i-th element. */
struct cell {
	const struct export_ask *ask;
	const struct row *row;
	size_t i;
};

struct column {
	const char *name, *type;
	bool repeated;
	void (*put)(struct jw *w, const struct cell *c); /* NULL: always null */
	const struct column *sub;                        /* of a record */
	size_t n_sub;
	/* elements of a repeated record; of a plain one, whether it is there at all */
	size_t (*count)(const struct cell *c);
};

/* ---- values ------------------------------------------------------------------------------------ */

/* A FLOAT is sent as text: the shortest of %g that reads back the same, with a fraction or
 * an exponent, which small amounts need: "4.4E-05". */
static void put_float(struct jw *w, int64_t nanos)
{
	double v = (double)nanos / 1e9;
	char buf[48], *e;

	snprintf(buf, sizeof(buf), "%.15g", v);
	if (strtod(buf, NULL) < v || strtod(buf, NULL) > v)
		snprintf(buf, sizeof(buf), "%.17g", v);
	e = strchr(buf, 'e');
	if (e)
		*e = 'E';
	else if (!strchr(buf, '.'))
		snprintf(buf + strlen(buf), 3, ".0");
	jw_str(w, buf);
}

#define CELL(fn, call)                                     \
	static void fn(struct jw *w, const struct cell *c) \
	{                                                  \
		(void)c;                                   \
		call;                                      \
	}
#define LINE_TEXT(field) CELL(c_##field, jw_str(w, c->row->line->field))

LINE_TEXT(service_id)
LINE_TEXT(service)
LINE_TEXT(sku_id)
LINE_TEXT(sku)
LINE_TEXT(project)
LINE_TEXT(region)
LINE_TEXT(zone)
LINE_TEXT(unit)
LINE_TEXT(cost_type)
LINE_TEXT(resource)
LINE_TEXT(global_name)
CELL(c_start, export_time(w, c->ask, c->row->start))
CELL(c_end, export_time(w, c->ask, c->row->start + 3600))
CELL(c_exported, export_time(w, c->ask, c->row->exported))
CELL(c_currency, jw_str(w, c->ask->w->currency))
CELL(c_rate, put_float(w, c->ask->w->rate ? c->ask->w->rate : INT64_C(1000000000)))
CELL(c_cost, put_float(w, c->row->line->cost))
CELL(c_usage, put_float(w, c->row->line->usage))
CELL(c_month, jw_str(w, export_invoice(c->row, (char[8]){0})))
CELL(c_google, jw_str(w, "GOOGLE"))
CELL(c_one, jw_str(w, "1"))
CELL(c_zero, jw_str(w, "0"))
LINE_TEXT(model_id)
LINE_TEXT(model)
CELL(c_list_cost, put_float(w, c->row->line->list_cost))
CELL(c_default_cost, put_float(w, c->row->line->default_cost))
CELL(c_credit_name, jw_str(w, c->row->line->credits[c->i].name))
CELL(c_credit_amount, put_float(w, c->row->line->credits[c->i].amount))
CELL(c_credit_id, jw_str(w, c->row->line->credits[c->i].id))
CELL(c_credit_type, jw_str(w, c->row->line->credits[c->i].type))

/* What a unit of it costs, where there are units. */
static void put_price(struct jw *w, const struct cell *c, int64_t cost)
{
	char text[NANOS_BUF];
	int64_t price, usage = c->row->line->usage;

	if (usage > 0 && nanos_muldiv(cost, NANOS, usage, &price))
		jw_str(w, nanos_format(price, text));
	else
		jw_null(w);
}

CELL(c_price, put_price(w, c, c->row->line->cost))
CELL(c_list_price, put_price(w, c, c->row->line->list_cost))
CELL(c_default_price, put_price(w, c, c->row->line->default_cost))

CELL(c_account, jw_str(w, export_account(c->ask->w, (char[64]){0})))

static void c_number(struct jw *w, const struct cell *c)
{
	const struct project *p = world_project(c->ask->w, c->row->line->project);

	jw_str(w, p ? p->number : NULL);
}

static void c_place(struct jw *w, const struct cell *c)
{
	const struct billing_line *l = c->row->line;

	jw_str(w, l->location ? l->location : l->region);
}

static size_t has_project(const struct cell *c)
{
	return c->row->line->project != NULL;
}

static size_t n_credits(const struct cell *c)
{
	return c->row->line->n_credits;
}

static size_t nothing(const struct cell *c)
{
	(void)c;
	return 0;
}

/* ---- columns ----------------------------------------------------------------------------------- */

#define TEXT(name, fn)                                   \
	{                                                \
		name, "STRING", false, fn, NULL, 0, NULL \
	}
#define FLOAT(name, fn)                                 \
	{                                               \
		name, "FLOAT", false, fn, NULL, 0, NULL \
	}
#define TIME(name, fn)                                      \
	{                                                   \
		name, "TIMESTAMP", false, fn, NULL, 0, NULL \
	}
#define NUMERIC(name, fn)                                 \
	{                                                 \
		name, "NUMERIC", false, fn, NULL, 0, NULL \
	}
#define RECORD(name, list, fn)                                         \
	{                                                              \
		name, "RECORD", false, NULL, list, ARRAY_LEN(list), fn \
	}
#define REPEATED(name, list, fn)                                      \
	{                                                             \
		name, "RECORD", true, NULL, list, ARRAY_LEN(list), fn \
	}

static const struct column pair[] = {TEXT("key", NULL), TEXT("value", NULL)};
static const struct column ancestor[] = {
	TEXT("resource_name", NULL), TEXT("display_name", NULL)};
static const struct column tag[] = {TEXT("key", NULL), TEXT("value", NULL),
	{"inherited", "BOOLEAN", false, NULL, NULL, 0, NULL}, TEXT("namespace", NULL)};
static const struct column price[] = {NUMERIC("effective_price", c_price),
	NUMERIC("tier_start_amount", c_zero), TEXT("unit", c_unit),
	NUMERIC("pricing_unit_quantity", c_one), NUMERIC("list_price", c_list_price),
	NUMERIC("effective_price_default", c_default_price),
	NUMERIC("list_price_consumption_model", c_list_price)};
static const struct column model[] = {TEXT("id", c_model_id), TEXT("description", c_model)};
static const struct column subscription[] = {TEXT("instance_id", NULL)};
static const struct column service[] = {
	TEXT("id", c_service_id), TEXT("description", c_service)};
static const struct column sku[] = {TEXT("id", c_sku_id), TEXT("description", c_sku)};
static const struct column project[] = {TEXT("id", c_project), TEXT("number", c_number),
	TEXT("name", c_project), REPEATED("labels", pair, nothing),
	TEXT("ancestry_numbers", NULL), REPEATED("ancestors", ancestor, nothing)};
static const struct column location[] = {TEXT("location", c_place), TEXT("country", NULL),
	TEXT("region", c_region), TEXT("zone", c_zone)};
static const struct column usage[] = {FLOAT("amount", c_usage), TEXT("unit", c_unit),
	FLOAT("amount_in_pricing_units", c_usage), TEXT("pricing_unit", c_unit)};
static const struct column credits[] = {TEXT("name", c_credit_name),
	FLOAT("amount", c_credit_amount), TEXT("full_name", c_credit_name),
	TEXT("id", c_credit_id), TEXT("type", c_credit_type)};
static const struct column invoice[] = {
	TEXT("month", c_month), TEXT("publisher_type", c_google)};
static const struct column adjustment[] = {TEXT("id", NULL), TEXT("description", NULL),
	TEXT("mode", NULL), TEXT("type", NULL)};
static const struct column resource[] = {
	TEXT("name", c_resource), TEXT("global_name", c_global_name)};

static const struct column columns[] = {TEXT("billing_account_id", c_account),
	RECORD("service", service, NULL), RECORD("sku", sku, NULL),
	TIME("usage_start_time", c_start), TIME("usage_end_time", c_end),
	RECORD("project", project, has_project), REPEATED("labels", pair, nothing),
	REPEATED("system_labels", pair, nothing), RECORD("location", location, NULL),
	TIME("export_time", c_exported), FLOAT("cost", c_cost),
	TEXT("currency", c_currency), FLOAT("currency_conversion_rate", c_rate),
	RECORD("usage", usage, NULL), REPEATED("credits", credits, n_credits),
	RECORD("invoice", invoice, NULL), TEXT("cost_type", c_cost_type),
	RECORD("adjustment_info", adjustment, nothing), FLOAT("cost_at_list", c_list_cost),
	REPEATED("tags", tag, nothing), RECORD("price", price, NULL),
	TEXT("transaction_type", c_google), TEXT("seller_name", NULL),
	RECORD("consumption_model", model, NULL),
	FLOAT("cost_at_effective_price_default", c_default_cost),
	FLOAT("cost_at_list_consumption_model", c_list_cost),
	/* the last ones: Detailed export alone has them */
	RECORD("resource", resource, NULL), RECORD("subscription", subscription, nothing)};
#define N_DETAILED 2

static size_t n_columns(const struct world *w)
{
	return ARRAY_LEN(columns) - (w->standard ? N_DETAILED : 0);
}

/* ---- schema ------------------------------------------------------------------------------------ */

static void put_fields(struct jw *w, const struct column *v, size_t n)
{
	jw_begin(w, '[');
	for (size_t i = 0; i < n; i++) {
		jw_begin(w, '{');
		jw_kstr(w, "name", v[i].name);
		jw_kstr(w, "type", v[i].type);
		jw_kstr(w, "mode", v[i].repeated ? "REPEATED" : "NULLABLE");
		if (v[i].sub) {
			jw_key(w, "fields");
			put_fields(w, v[i].sub, v[i].n_sub);
		}
		jw_end(w, '}');
	}
	jw_end(w, ']');
}

void export_schema(struct jw *w, const struct world *world)
{
	put_fields(w, columns, n_columns(world));
}

/* ---- rows -------------------------------------------------------------------------------------- */

static void put_record(
	struct jw *w, const struct column *v, size_t n, const struct cell *c);

static void put_repeated(struct jw *w, const struct column *v, const struct cell *c)
{
	struct cell item = *c;
	size_t n = v->count(c);

	jw_begin(w, '[');
	for (item.i = 0; item.i < n; item.i++) {
		jw_begin(w, '{');
		jw_key(w, "v");
		put_record(w, v->sub, v->n_sub, &item);
		jw_end(w, '}');
	}
	jw_end(w, ']');
}

static void put_value(struct jw *w, const struct column *v, const struct cell *c)
{
	if (v->repeated)
		put_repeated(w, v, c);
	else if (v->sub && (!v->count || v->count(c)))
		put_record(w, v->sub, v->n_sub, c);
	else if (v->put)
		v->put(w, c);
	else
		jw_null(w);
}

static void put_record(struct jw *w, const struct column *v, size_t n, const struct cell *c)
{
	jw_begin(w, '{');
	jw_key(w, "f");
	jw_begin(w, '[');
	for (size_t i = 0; i < n; i++) {
		jw_begin(w, '{');
		jw_key(w, "v");
		put_value(w, &v[i], c);
		jw_end(w, '}');
	}
	jw_end(w, ']');
	jw_end(w, '}');
}

struct page {
	struct jw *w;
	const struct export_ask *ask;
	size_t from, to, n;
};

static void put_row(void *ctx, const struct row *row)
{
	struct page *p = ctx;
	const struct cell c = {.ask = p->ask, .row = row};
	size_t n = p->n++;

	if (n >= p->from && n < p->to)
		put_record(p->w, columns, n_columns(p->ask->w), &c);
}

size_t export_rows(struct jw *w, const struct export_ask *ask, size_t from, size_t size)
{
	struct page p = {.w = w, .ask = ask, .from = from, .to = from + size};

	jw_begin(w, '[');
	export_each_row(ask->w, ask->now, put_row, &p);
	jw_end(w, ']');
	return p.n;
}

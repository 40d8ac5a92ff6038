#include "tests/sandbox/api/export.h"

#include "base/time/civil.h"
#include "base/time/tz.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows -------------------------------------------------------------------------------------- */

/* Loads happen on the full hour. */
void export_each_row(const struct world *w, ts_t now, row_fn fn, void *ctx)
{
	for (size_t i = 0; i < w->n_lines; i++) {
		const struct billing_line *l = &w->lines[i];

		for (ts_t t = l->from; t < l->until; t += l->every) {
			ts_t hour = t - t % 3600, loaded = hour + 3600 + l->lag;
			struct row row = {.line = l, .start = hour, .exported = loaded};

			for (int64_t k = 0; loaded <= now && k < l->copies; k++)
				fn(ctx, &row);
		}
	}
}

struct extent {
	int64_t rows, modified;
};

static void extend(void *ctx, const struct row *row)
{
	struct extent *x = ctx;

	x->rows++;
	if (row->exported > x->modified)
		x->modified = row->exported;
}

void export_extent(const struct world *w, ts_t now, int64_t *rows, int64_t *modified)
{
	struct extent x = {.modified = 1};

	export_each_row(w, now, extend, &x);
	*rows = x.rows;
	*modified = x.modified;
}

static day_t unit_of(const struct row *row)
{
	return (day_t)(row->exported / DAY_SECONDS);
}

static int64_t credits_of(const struct billing_line *l, const char *type)
{
	int64_t sum = 0;

	for (size_t i = 0; i < l->n_credits; i++)
		if (!type || !strcmp(l->credits[i].type, type))
			sum += l->credits[i].amount;
	return sum;
}

/* Google's invoice months are cut in US Pacific time; winter's offset is near enough for a
 * fake, and `invoice:` of a line overrides it. */
const char *export_invoice(const struct row *row, char buf[8])
{
	struct civil c = civil_from_ts(row->start - 8 * 3600);
	const char *given = row->line->invoice;

	if (given && strcmp(given, "next") != 0)
		return given;
	if (given) {
		c.year += c.month == 12;
		c.month = c.month % 12 + 1;
	}
	snprintf(buf, 8, "%04d%02d", c.year % 10000, c.month);
	return buf;
}

/* "gcp_billing_export_v1_00AA11_22BB33": the account is what follows the version. */
const char *export_account(const struct world *w, char buf[64])
{
	const char *at = strstr(w->table, "_v1_");

	snprintf(buf, 64, "%s", at ? at + 4 : "");
	for (char *p = buf; *p; p++)
		if (*p == '_')
			*p = '-';
	return buf;
}

/* ---- groups: rows that agree in every text column, summed ---------------------------------------- */

enum column_kind { COL_KEY, COL_SUM };

struct group {
	struct row row; /* its first */
	char invoice[8];
	const char *credit_type; /* "": the usage itself */
	const char *labels;      /* that are asked for, as in billing_line */
	int64_t usage, cost, credits, list, standard, n;
	ts_t exported;
	const struct grain *grain;
	day_t day, utc_day, pacific_month;
	ts_t first; /* hour */
};

/* Keys of lines, as in the text. */
struct grain {
	bool unit, hour, day, parts, resource, labels;
};

static struct grain grain_of(const char *sql)
{
	const char *unit = strstr(sql, " AS unit"), *type = strstr(sql, " AS credit_type");

	if (str_starts(sql, "/* tpucost:billing-rows"))
		return (struct grain){
			.unit = true, .hour = true, .resource = true, .labels = true};
	return (struct grain){.unit = unit && type && unit < type,
		.hour = strstr(sql, "TRUNC(usage_start_time, HOUR) AS hour"),
		.day = strstr(sql, " AS day"),
		.parts = strstr(sql, " AS utc_day"),
		.resource = strstr(sql, "resource.name AS"),
		.labels = strstr(sql, "CONCAT('{'")};
}

struct groups {
	const struct export_ask *ask;
	struct grain grain;
	struct arena *a;
	struct group *v;
	size_t n, cap;
	bool by_unit_only; /* the check sums: one group per day */
};

static bool unit_asked(const struct export_ask *ask, day_t unit, bool by_since)
{
	if (by_since)
		return unit >= ask->since;
	for (size_t i = 0; i < ask->n_units; i++)
		if (ask->units[i] == unit)
			return true;
	return false;
}

static bool usage_asked(const struct export_ask *ask, const struct row *row)
{
	day_t day = (day_t)(row->start / DAY_SECONDS);

	if (ask->cut && (day < ask->usage_from || day > ask->usage_until))
		return false;
	if (!ask->month)
		return true;
	return row->start >= ask->from && row->start < ask->until &&
		row->exported < ask->exported && ask->of_project(ask, row->line->project) &&
		(!*ask->month || !strcmp(ask->month, export_invoice(row, (char[8]){0})));
}

static const char *labels_asked(struct groups *g, const char *labels)
{
	cleanup(json_free_ptr) struct cJSON *all = NULL;
	struct sbuf b = SBUF_INIT;
	const char *text;

	if (!labels || !g->ask->of_label || json_parse(labels, strlen(labels), &all, NULL))
		return labels;
	JSON_EACH (one, all) {
		if (!g->ask->of_label(g->ask, json_key(one)))
			continue;
		sbuf_adds(&b, b.len ? "," : "{");
		sbuf_add_json(&b, json_key(one));
		sbuf_addc(&b, ':');
		json_print(&b, one);
	}
	text = b.len ? arena_printf(g->a, "%s}", b.s) : NULL;
	sbuf_done(&b);
	return text;
}

static struct group *add_group(struct groups *g, const struct row *row)
{
	struct group *x;

	x = arena_push(g->a, g);
	*x = (struct group){.row = *row,
		.credit_type = "",
		.exported = row->exported,
		.labels = g->grain.labels ? labels_asked(g, row->line->labels) : NULL};
	snprintf(x->invoice, sizeof(x->invoice), "%s", export_invoice(row, (char[8]){0}));
	x->first = row->start;
	x->grain = &g->grain;
	if (g->ask->zone) {
		int year, month, day;

		civil_from_day(tz_day(g->ask->pacific, row->start), &year, &month, &day);
		x->day = tz_day(g->ask->zone, row->start);
		x->utc_day = (day_t)(row->start / DAY_SECONDS);
		x->pacific_month = civil_to_day(year, month, 1);
	}
	return x;
}

/* A row is one line, and each of its credits another; sums of units have all in one. */
static void collect_row(void *ctx, const struct row *row)
{
	struct groups *g = ctx;
	const struct billing_line *l = row->line;
	struct group *x;

	if (!unit_asked(g->ask, unit_of(row), g->by_unit_only) || !usage_asked(g->ask, row))
		return;
	x = add_group(g, row);
	x->usage = l->usage;
	x->cost = l->cost;
	x->list = l->list_cost;
	x->standard = l->default_cost;
	x->n = 1;
	if (g->by_unit_only) {
		x->credits = credits_of(l, NULL);
		return;
	}
	for (size_t i = 0; i < l->n_credits; i++) {
		x = add_group(g, row);
		x->credit_type = l->credits[i].type ? l->credits[i].type : "UNKNOWN";
		x->credits = l->credits[i].amount;
	}
}

static int order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int text_order(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

static int by_unit(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;

	return order(unit_of(&a->row), unit_of(&b->row));
}

static int by_everything(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;
	const struct billing_line *x = a->row.line, *y = b->row.line;
	const char *const fields[][2] = {{a->credit_type, b->credit_type},
		{a->invoice, b->invoice}, {x->project, y->project},
		{x->service_id, y->service_id}, {x->service, y->service},
		{x->sku_id, y->sku_id}, {x->sku, y->sku}, {x->location, y->location},
		{x->region, y->region}, {x->zone, y->zone}, {x->unit, y->unit},
		{x->cost_type, y->cost_type}, {x->model_id, y->model_id},
		{x->model, y->model}, {x->resource, y->resource},
		{x->global_name, y->global_name}, {a->labels, b->labels}};
	const struct grain *grain = a->grain;
	size_t labels = ARRAY_LEN(fields) - 1, resource = labels - 2;
	int d = grain->unit ? by_unit(pa, pb) : 0;

	if (!d && grain->hour)
		d = order(a->row.start, b->row.start);
	if (!d && grain->day)
		d = order(a->day, b->day);
	if (!d && grain->parts)
		d = order(a->utc_day, b->utc_day);
	if (!d && grain->parts)
		d = order(a->pacific_month, b->pacific_month);
	for (size_t i = 0; !d && i < ARRAY_LEN(fields); i++)
		if (i < resource || (i == labels ? grain->labels : grain->resource))
			d = text_order(fields[i][0], fields[i][1]);
	return d;
}

static void merge_groups(struct groups *g, int (*cmp)(const void *, const void *))
{
	size_t out = 0;

	if (!g->n)
		return;
	qsort(g->v, g->n, sizeof(*g->v), cmp);
	for (size_t i = 1; i < g->n; i++) {
		struct group *into = &g->v[out], *x = &g->v[i];

		if (cmp(into, x)) {
			g->v[++out] = *x;
			continue;
		}
		into->usage += x->usage;
		into->cost += x->cost;
		into->credits += x->credits;
		into->list += x->list;
		into->standard += x->standard;
		into->n += x->n;
		if (x->exported > into->exported)
			into->exported = x->exported;
		if (x->row.exported > into->row.exported)
			into->row.exported = x->row.exported;
		if (x->row.start > into->row.start)
			into->row.start = x->row.start;
		if (x->first < into->first)
			into->first = x->first;
	}
	g->n = out + 1;
}

/* ---- columns of the answers ----------------------------------------------------------------------- */

struct column_writer {
	const char *name, *type;
	void (*write)(struct jw *w, const struct export_ask *ask, const struct group *g);
};

static void put_i64(struct jw *w, int64_t v)
{
	char buf[32];

	snprintf(buf, sizeof(buf), "%lld", (long long)v);
	jw_str(w, buf);
}

static void put_numeric(struct jw *w, int64_t nanos)
{
	char buf[NANOS_BUF];

	jw_str(w, nanos_format(nanos, buf));
}

void export_time(struct jw *w, const struct export_ask *ask, ts_t ts)
{
	char buf[48];

	if (ask->int64_time)
		snprintf(buf, sizeof(buf), "%lld", (long long)ts * 1000000);
	else
		snprintf(buf, sizeof(buf), "%.15gE9", (double)ts / 1e9);
	jw_str(w, buf);
}

#define WRITER(fn, call)                                                                  \
	static void fn(struct jw *w, const struct export_ask *ask, const struct group *g) \
	{                                                                                 \
		(void)ask;                                                                \
		(void)g;                                                                  \
		call;                                                                     \
	}

WRITER(w_unit, jw_str(w, date_format(unit_of(&g->row), (char[DATE_BUF]){0})))
WRITER(w_hour, export_time(w, ask, g->row.start))
WRITER(w_invoice, jw_str(w, g->invoice))
WRITER(w_project, jw_str(w, g->row.line->project))
WRITER(w_service_id, jw_str(w, g->row.line->service_id))
WRITER(w_service, jw_str(w, g->row.line->service))
WRITER(w_sku_id, jw_str(w, g->row.line->sku_id))
WRITER(w_sku, jw_str(w, g->row.line->sku))
WRITER(w_place,
	jw_str(w, g->row.line->location ? g->row.line->location : g->row.line->region))
WRITER(w_region, jw_str(w, g->row.line->region))
WRITER(w_zone, jw_str(w, g->row.line->zone))
WRITER(w_currency, jw_str(w, ask->w->currency))
WRITER(w_unit_name, jw_str(w, g->row.line->unit))
WRITER(w_cost_type, jw_str(w, g->row.line->cost_type))
WRITER(w_resource,
	jw_str(w, ask->w->standard || !g->grain->resource ? NULL : g->row.line->resource))
WRITER(w_global,
	jw_str(w,
		ask->w->standard || !g->grain->resource ? NULL : g->row.line->global_name))
WRITER(w_labels, jw_str(w, g->labels))
WRITER(w_day, jw_str(w, date_format(g->day, (char[DATE_BUF]){0})))
WRITER(w_utc_day, jw_str(w, date_format(g->utc_day, (char[DATE_BUF]){0})))
WRITER(w_month, jw_str(w, date_format(g->pacific_month, (char[DATE_BUF]){0})))
WRITER(w_first, export_time(w, ask, g->first))
WRITER(w_model, jw_str(w, g->row.line->model_id))
WRITER(w_model_name, jw_str(w, g->row.line->model))
WRITER(w_list, put_numeric(w, g->list))
WRITER(w_standard, put_numeric(w, g->standard))
WRITER(w_usage, put_numeric(w, g->usage))
WRITER(w_cost, put_numeric(w, g->cost))
WRITER(w_credits, put_numeric(w, g->credits))
WRITER(w_credit_type, jw_str(w, g->credit_type))
WRITER(w_account, jw_str(w, export_account(ask->w, (char[64]){0})))

static void w_number(struct jw *w, const struct export_ask *ask, const struct group *g)
{
	const char *id = g->row.line->project;
	const struct project *p = id ? world_project(ask->w, id) : NULL;

	jw_str(w, p ? p->number : NULL);
}

/* What a unit of it costs, where there are units. */
static void put_price(struct jw *w, const struct group *g, int64_t cost)
{
	int64_t price, usage = g->row.line->usage;

	if (usage > 0 && nanos_muldiv(cost, NANOS, usage, &price))
		put_numeric(w, price);
	else
		jw_null(w);
}

WRITER(w_price, put_price(w, g, g->row.line->cost))
WRITER(w_price_default, put_price(w, g, g->row.line->default_cost))
WRITER(w_n, put_i64(w, g->n))
WRITER(w_exported, export_time(w, ask, g->exported))

static void w_rate(struct jw *w, const struct export_ask *ask, const struct group *g)
{
	(void)g;
	if (ask->w->rate)
		put_numeric(w, ask->w->rate);
	else
		jw_null(w);
}

static const struct column_writer unit_columns[] = {
	{"unit", "DATE", w_unit},
	{"currency", "STRING", w_currency},
	{"row_count", "INTEGER", w_n},
	{"cost_sum", "NUMERIC", w_cost},
	{"credits_sum", "NUMERIC", w_credits},
	{"exported", "TIMESTAMP", w_exported},
};

static const struct column_writer row_columns[] = {
	{"unit", "DATE", w_unit},
	{"hour", "TIMESTAMP", w_hour},
	{"credit_type", "STRING", w_credit_type},
	{"invoice_month", "STRING", w_invoice},
	{"currency", "STRING", w_currency},
	{"project_id", "STRING", w_project},
	{"service_id", "STRING", w_service_id},
	{"service_name", "STRING", w_service},
	{"sku_id", "STRING", w_sku_id},
	{"sku_name", "STRING", w_sku},
	{"place", "STRING", w_place},
	{"region", "STRING", w_region},
	{"zone", "STRING", w_zone},
	{"usage_unit", "STRING", w_unit_name},
	{"account", "STRING", w_account},
	{"project_number", "STRING", w_number},
	{"cost_type", "STRING", w_cost_type},
	{"resource_name", "STRING", w_resource},
	{"global_name", "STRING", w_global},
	{"label_set", "STRING", w_labels},
	{"model", "STRING", w_model},
	{"model_name", "STRING", w_model_name},
	{"rate", "NUMERIC", w_rate},
	{"price", "NUMERIC", w_price},
	{"price_default", "NUMERIC", w_price_default},
	{"usage_sum", "NUMERIC", w_usage},
	{"cost_sum", "NUMERIC", w_cost},
	{"credits_sum", "NUMERIC", w_credits},
	{"list_sum", "NUMERIC", w_list},
	{"default_sum", "NUMERIC", w_standard},
	{"row_count", "INTEGER", w_n},
	/* only of sums of days */
	{"day", "DATE", w_day},
	{"utc_day", "DATE", w_utc_day},
	{"pacific_month", "DATE", w_month},
	{"first_hour", "TIMESTAMP", w_first},
};
#define N_DAY_COLUMNS 4

struct known_query {
	const char *marker;
	const struct column_writer *columns;
	size_t n;
	bool by_unit_only;
};

static const struct known_query queries[] = {
	{"/* tpucost:billing-units v2 */", unit_columns, ARRAY_LEN(unit_columns), true},
	{"/* tpucost:billing-rows v2 */", row_columns,
		ARRAY_LEN(row_columns) - N_DAY_COLUMNS, false},
	{"/* tpucost:billing-days v2 */", row_columns, ARRAY_LEN(row_columns), false},
	{"/* tpucost:billing-ask v2 */", row_columns, ARRAY_LEN(row_columns), false},
};

static const struct known_query *find_query(const char *sql)
{
	for (size_t i = 0; i < ARRAY_LEN(queries); i++)
		if (str_starts(sql, queries[i].marker))
			return &queries[i];
	return NULL;
}

bool export_query_known(const char *sql)
{
	return find_query(sql) != NULL;
}

static const char *schema_of(const struct known_query *k, struct arena *a)
{
	struct sbuf b = SBUF_INIT;
	struct jw w = {.b = &b};
	const char *text;

	jw_begin(&w, '[');
	for (size_t i = 0; i < k->n; i++) {
		jw_begin(&w, '{');
		jw_kstr(&w, "name", k->columns[i].name);
		jw_kstr(&w, "type", k->columns[i].type);
		jw_kstr(&w, "mode", "NULLABLE");
		jw_end(&w, '}');
	}
	jw_end(&w, ']');
	text = arena_strdup(a, b.s);
	sbuf_done(&b);
	return text;
}

static void write_row(const struct known_query *k, const struct export_ask *ask,
	const struct group *g, struct sbuf *b)
{
	struct jw w = {.b = b};

	sbuf_reset(b);
	jw_begin(&w, '{');
	jw_key(&w, "f");
	jw_begin(&w, '[');
	for (size_t i = 0; i < k->n; i++) {
		jw_begin(&w, '{');
		jw_key(&w, "v");
		k->columns[i].write(&w, ask, g);
		jw_end(&w, '}');
	}
	jw_end(&w, ']');
	jw_end(&w, '}');
}

const char *export_run(const char *sql, const struct export_ask *ask, struct arena *a,
	struct export_result *out)
{
	const struct known_query *known = find_query(sql), *k = known ? known : &queries[0];
	struct groups g = {.ask = ask, .a = a, .by_unit_only = k->by_unit_only};
	struct sbuf b = SBUF_INIT;

	g.grain = grain_of(sql);
	export_each_row(ask->w, ask->now, collect_row, &g);
	merge_groups(&g, k->by_unit_only ? by_unit : by_everything);
	for (size_t i = 0; i < g.n; i++) {
		write_row(k, ask, &g.v[i], &b);
		*arena_append(a, out->rows, out->n, out->cap) = arena_strdup(a, b.s);
	}
	sbuf_done(&b);
	return schema_of(k, a);
}

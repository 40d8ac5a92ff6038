#include "collector/bill/read.h"

#include "base/time/civil.h"
#include "base/time/tz.h"
#include "base/money.h"
#include "collector/bill/billed_price.h"
#include "collector/bill/usage_stage.h"
#include "db_sql.h"

#include <stdio.h>
#include <string.h>

#define LAST_DAY "9999-12-31"

/* ---- queries ------------------------------------------------------------------------------ */

static enum err_code keep_bytes(
	struct billing_reading *r, const struct bq_query *q, struct err *e)
{
	struct civil now = civil_from_ts(r->p->now);
	char month[8];
	struct q_bytes_add_in in = {.table_id = r->table_id,
		.month = month,
		.queries = 1,
		.bytes = q->bytes_billed};

	snprintf(month, sizeof(month), "%04d%02d", now.year % 10000, now.month);
	return q_bytes_add(r->p->db, &in, e);
}

static enum err_code read_explain(const struct billing_reading *r, struct err *e)
{
	if (strstr(e->msg, "bytesBilledLimitExceeded"))
		err_fix(e, "reading %s would exceed billing.%s (%lld GiB): increase it",
			r->table, r->shape.asks ? "question_gib" : "max_gib",
			(long long)(r->p->settings->max_bytes >> 30));
	return e->code;
}

enum err_code billing_run(struct billing_reading *r, struct bq_query *q, struct err *e)
{
	int64_t most = r->p->settings->max_bytes;

	q->project = r->project;
	q->location = r->location;
	q->max_bytes_billed = most > 10 * MIB ? most : 10 * MIB;
	if (q->dry_run)
		return bq_run(r->p->gcp, q, e);
	if (bq_run(r->p->gcp, q, e)) {
		struct err ignored;

		/* Billed bytes count even if the query fails. */
		if (keep_bytes(r, q, &ignored))
			return e->code;
		return read_explain(r, e);
	}
	return keep_bytes(r, q, e);
}

/* ---- columns ------------------------------------------------------------------------------- */

typedef enum err_code column_fn(
	const struct bq_row *row, const char *column, struct opt_i64 *out, struct err *e);

static enum err_code read_need(const struct bq_row *row, const char *column,
	column_fn *read, int64_t *out, struct err *e)
{
	struct opt_i64 v;

	if (read(row, column, &v, e))
		return e->code;
	if (!v.set)
		return err_set(e, E_DATA, "column %s is NULL", column);
	*out = v.v;
	return E_OK;
}

/* Usage can exceed 64 bits (bytes times seconds): then it is unknown, but the amount of money is
 * still stored. */
static enum err_code usage_told(
	const struct bq_row *row, struct usage_line *l, struct err *e)
{
	if (bq_nanos(row, "usage_sum", &l->usage, e)) {
		if (e->code != E_OVERFLOW)
			return e->code;
		err_clear(e);
		l->usage = NONE;
	} else if (!l->usage.set) {
		l->usage = SOME(0); /* a sum of NULLs only */
	}
	return E_OK;
}

/* SUM of NULLs only is NULL: no amount. */
static enum err_code nanos_or_0(
	const struct bq_row *row, const char *column, int64_t *out, struct err *e)
{
	struct opt_i64 v;

	if (bq_nanos(row, column, &v, e))
		return e->code;
	*out = v.set ? v.v : 0;
	return E_OK;
}

/* Columns with costs at other prices, as differences to the cost: their sums are never NULL. */
static enum err_code read_discounts(
	const struct bq_row *row, struct usage_line *l, struct err *e)
{
	int64_t list = 0, standard = 0;

	if (nanos_or_0(row, "list_sum", &list, e) ||
		nanos_or_0(row, "default_sum", &standard, e))
		return e->code;
	if (!nanos_sub(list, l->cost, &l->discount) ||
		!nanos_sub(standard, l->cost, &l->committed))
		return err_set(e, E_OVERFLOW, "the cost at list prices is too large");
	return E_OK;
}

static enum err_code need_day(const struct bq_row *row, day_t *out, struct err *e)
{
	const char *text;

	if (bq_need_text(row, "unit", &text, e))
		return e->code;
	return date_parse(text, out, e);
}

/* ---- units ---------------------------------------------------------------------------------- */

struct units_query {
	struct billing_reading *r;
	struct billing_units *out;
};

/* Units are in order of days. */
static struct billing_unit *unit_for(struct units_query *q, day_t day)
{
	struct billing_units *l = q->out;

	if (l->n && l->v[l->n - 1].day == day)
		return &l->v[l->n - 1];
	*arena_push(q->r->p->arena, l) = (struct billing_unit){
		.day = day, .exported = INT64_MIN};
	return &l->v[l->n - 1];
}

static enum err_code on_unit(void *ctx, const struct bq_row *row, struct err *e)
{
	struct units_query *q = ctx;
	struct billing_sum sum = {0};
	struct billing_unit *u;
	const char *currency;
	int64_t rows = 0;
	ts_t exported = 0;
	day_t day;

	if (need_day(row, &day, e) || bq_need_text(row, "currency", &currency, e) ||
		read_need(row, "row_count", bq_i64, &rows, e) ||
		nanos_or_0(row, "cost_sum", &sum.cost, e) ||
		nanos_or_0(row, "credits_sum", &sum.credits, e) ||
		read_need(row, "exported", bq_ts, &exported, e) ||
		usage_time_check(exported, q->r->p->now, "column exported", e))
		return e->code;
	if (rows < 0)
		return err_set(e, E_DATA, "a negative number of rows");
	u = unit_for(q, day);
	if (__builtin_add_overflow(u->rows, rows, &u->rows))
		return err_set(e, E_OVERFLOW, "too many rows");
	if (exported > u->exported)
		u->exported = exported;
	sum.currency = arena_strdup(q->r->p->arena, currency);
	return billing_unit_add_sum(q->r->p->arena, u, &sum, e);
}

size_t billing_add_cut(const struct billing_reading *r, struct bq_param *params, size_t n,
	char from[DATE_BUF], char until[DATE_BUF])
{
	const struct billing_export *t = r->p->table;

	if (!r->shape.has_cut)
		return n;
	params[n++] = (struct bq_param){.name = "usage_from",
		.type = "DATE",
		.value = t->from == DAY_NONE ? "0001-01-01" : date_format(t->from, from)};
	params[n++] = (struct bq_param){.name = "usage_until",
		.type = "DATE",
		.value = t->until == DAY_NONE ? LAST_DAY : date_format(t->until, until)};
	return n;
}

static enum err_code query_units(
	struct billing_reading *r, day_t since, struct bq_query *q, struct err *e)
{
	char day[DATE_BUF], from[DATE_BUF], until[DATE_BUF];
	struct bq_param params[4] = {
		{.name = "since", .type = "DATE", .value = date_format(since, day)},
		{.name = "until", .type = "DATE", .value = LAST_DAY}};
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;

	q->params = params;
	q->n_params = billing_add_cut(r, params, 2, from, until);
	billing_sql_units(&sql, r->table, &r->shape);
	q->sql = sql.s;
	return billing_run(r, q, e);
}

enum err_code billing_read_units(
	struct billing_reading *r, day_t since, struct billing_units *out, struct err *e)
{
	struct units_query ctx = {.r = r, .out = out};
	struct bq_query q = {.on_row = on_unit, .ctx = &ctx};

	*out = (struct billing_units){0};
	return query_units(r, since, &q, e);
}

enum err_code billing_dry_units(
	struct billing_reading *r, day_t since, int64_t *bytes, struct err *e)
{
	struct bq_query q = {.dry_run = true};

	if (query_units(r, since, &q, e))
		return e->code;
	*bytes = q.bytes_processed;
	return E_OK;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* The days of the first bill are stored together, up to so many lines: summing up days that neighbors share, once for
 * each, would take most of the time. There is nothing that they could restate or count twice. */
#define MOST_TOGETHER 20000

struct rows_query {
	struct billing_reading *r;
	const struct billing_unit *const *units;
	size_t n, next; /* units[next - 1] is the current unit */
	size_t stored;  /* earlier ones are stored */
	bool together;
	struct usage_stage stage;
	struct billed_prices prices;
};

/* All hours of a sum of a day are of that day here as well: the two sides may have different versions of the rules of the
 * zone. */
static enum err_code read_day(const struct bq_row *row, const struct tz *tz,
	const struct usage_line *l, struct err *e)
{
	const char *text;
	ts_t first = 0;
	day_t day;

	if (bq_need_text(row, "day", &text, e) || date_parse(text, &day, e) ||
		read_need(row, "first_hour", bq_ts, &first, e))
		return e->code;
	if (tz_day(tz, first) == day && tz_day(tz, l->hour) == day)
		return E_OK;
	err_set(e, E_CONFLICT, "the hours of %s in %s are others for BigQuery", text,
		tz_name(tz));
	return err_fix(e, "update the time zones of this machine (tzdata)");
}

enum err_code billing_read_line(const struct billing_reading *r, const struct bq_row *row,
	struct usage_line *l, struct err *e)
{
	if (read_need(row, "hour", bq_ts, &l->hour, e))
		return e->code;
	if (usage_time_check(l->hour, r->p->now, "column hour", e))
		return e->code;
	for (size_t i = 0; i < USAGE_TEXTS; i++) {
		const char **text = usage_text(l, i);

		*text = NULL;
		if (bq_text(row, usage_texts[i].name, text, e))
			return e->code;
		if (!*text)
			*text = "";
	}
	if (!*l->cost_type)
		l->cost_type = "regular";
	if (nanos_or_0(row, "rate", &l->rate, e) || usage_told(row, l, e) ||
		nanos_or_0(row, "cost_sum", &l->cost, e) ||
		nanos_or_0(row, "credits_sum", &l->credits, e) || read_discounts(row, l, e))
		return e->code;
	if (l->rate < 0)
		l->rate = 0; /* not a rate: as if it were not stated */
	if (read_need(row, "row_count", bq_i64, &l->rows, e))
		return e->code;
	return r->shape.by_day ? read_day(row, r->p->settings->tz, l, e) : E_OK;
}

/* The units from q->stored to the current one. */
static enum err_code store_units(struct rows_query *q, struct err *e)
{
	cleanup(arena_done) struct arena a = {0};
	size_t n = q->next - q->stored;
	struct billing_unit *units = arena_alloc(&a, (n + 1) * sizeof(*units));
	struct billing_reading *r = q->r;
	const char *other = NULL;
	struct billing_store s = {.db = r->p->db,
		.other = &other,
		.arena = r->p->arena,
		.table_id = r->table_id,
		.tz = r->p->settings->tz,
		.now = r->p->now,
		.restates = r->restates,
		.other_days = r->other_days,
		.recipe = r->recipe};

	if (!n)
		return E_OK;
	for (size_t i = 0; i < n; i++)
		units[i] = *q->units[q->stored + i];
	q->stored = q->next;
	if (usage_stage_flush(&q->stage, e))
		return e->code;
	if (billing_store(&s, units, n, e)) {
		if (!other)
			return e->code;
		/* Days that would count twice are skipped; the others are stored. */
		if (!r->other) {
			r->other = other;
			r->refused = *e;
		}
		err_clear(e);
		return usage_stage_clear(&q->stage, e);
	}
	r->p->changed = true;
	r->p->items += (size_t)q->stage.lines;
	return usage_stage_clear(&q->stage, e);
}

/* Days are in the order of the units; a unit without lines is skipped. */
static enum err_code go_to(struct rows_query *q, day_t day, struct err *e)
{
	while (!q->next || q->units[q->next - 1]->day != day) {
		if ((!q->together || q->stage.lines >= MOST_TOGETHER) && store_units(q, e))
			return e->code;
		if (q->next == q->n)
			return err_set(e, E_DATA, "rows of a day that was not requested");
		q->next++;
	}
	return E_OK;
}

static enum err_code on_row(void *ctx, const struct bq_row *row, struct err *e)
{
	struct rows_query *q = ctx;
	struct usage_line l = {0};
	struct billed_rates rates = {NONE, NONE};
	day_t day;

	if (need_day(row, &day, e) || go_to(q, day, e))
		return e->code;
	l.unit = day;
	if (billing_read_line(q->r, row, &l, e) ||
		bq_nanos(row, "price", &rates.price, e) ||
		bq_nanos(row, "price_default", &rates.standard, e))
		return err_wrap(e, "row %lld", (long long)q->stage.lines + 1);
	billed_prices_note(&q->prices, &l, &rates);
	return usage_stage_add(&q->stage, &l, e);
}

static enum err_code read_rows(struct rows_query *q, struct bq_query *bq, struct err *e)
{
	enum err_code rc = usage_stage_open(&q->stage, q->r->p->db, false, e);

	q->next = q->stored = 0;
	if (!rc)
		rc = billing_run(q->r, bq, e);
	for (; !rc && q->next < q->n; q->next++)
		if (!q->together)
			rc = store_units(q, e);
	if (!rc)
		rc = store_units(q, e);
	if (!rc)
		rc = billed_prices_put(&q->prices, q->r->p->db, q->r->table_id, e);
	usage_stage_close(&q->stage);
	billed_prices_done(&q->prices);
	return rc;
}

/* Runs the query of the lines of `days`, in their order: with `rows`, or as a dry run. */
static enum err_code query_rows(struct billing_reading *r, const char **days, size_t n,
	struct rows_query *rows, struct bq_query *bq, struct err *e)
{
	char from[DATE_BUF], until[DATE_BUF];
	struct bq_param params[6] = {{.name = "units",
					     .type = "DATE",
					     .values = days,
					     .n_values = n,
					     .array = true},
		{.name = "first", .type = "DATE", .value = days[0]},
		{.name = "last", .type = "DATE", .value = days[n - 1]}};
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	enum err_code rc;

	bq->params = params;
	bq->n_params = billing_add_cut(r, params, 3, from, until);
	if (r->shape.by_day)
		params[bq->n_params++] = (struct bq_param){.name = "zone",
			.type = "STRING",
			.value = tz_name(r->p->settings->tz)};
	billing_sql_rows(&sql, r->table, &r->shape);
	bq->sql = sql.s;
	if (!rows)
		return billing_run(r, bq, e);
	rc = read_rows(rows, bq, e);
	/* Reading stored units again has no effect. */
	return rc && bq->expired ? read_rows(rows, bq, e) : rc;
}

enum err_code billing_read_rows(struct billing_reading *r,
	const struct billing_unit *const *units, size_t n, struct err *e)
{
	struct rows_query q = {.r = r, .units = units, .n = n};
	struct bq_query bq = {.on_row = on_row, .ctx = &q};
	const char **days = arena_alloc(r->p->arena, n * sizeof(*days));
	struct q_billing_day_any any;
	char day[DATE_BUF];
	bool found;

	if (q_billing_day_any_one(r->p->db, r->p->arena, &any, &found, e))
		return e->code;
	q.together = !found && !r->restates;
	for (size_t i = 0; i < n; i++)
		days[i] = arena_strdup(r->p->arena, date_format(units[i]->day, day));
	return query_rows(r, days, n, &q, &bq, e);
}

enum err_code billing_dry_rows(
	struct billing_reading *r, day_t since, size_t n, int64_t *bytes, struct err *e)
{
	const char **days = arena_alloc(r->p->arena, n * sizeof(*days));
	struct bq_query bq = {.dry_run = true};
	char day[DATE_BUF];

	for (size_t i = 0; i < n; i++)
		days[i] = arena_strdup(r->p->arena, date_format(since + (day_t)i, day));
	if (query_rows(r, days, n, NULL, &bq, e))
		return e->code;
	*bytes = bq.bytes_processed;
	return E_OK;
}

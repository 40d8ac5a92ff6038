#include "collector/import/row.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- credits ---------------------------------------------------------------------------------- */

enum err_code import_credit(struct import_rows *r, struct err *e)
{
	struct import_credit *c = &r->credits[r->n_credits];

	if (r->n_credits == IMPORT_CREDITS)
		return err_set(
			e, E_LIMIT, "more than %d credits in one row", IMPORT_CREDITS);
	if (!import_has(r, IMPORT_CREDIT_AMOUNT))
		return import_wrong(IMPORT_CREDIT_AMOUNT, "a number", e);
	if (import_text_of(r, IMPORT_CREDIT_TYPE, &c->type, e) ||
		import_amount(r, IMPORT_CREDIT_AMOUNT, &c->amount, &c->rest, e))
		return e->code;
	if (!*c->type)
		c->type = "UNKNOWN";
	r->n_credits++;
	return E_OK;
}

/* ---- labels ----------------------------------------------------------------------------------- */

enum err_code import_label(struct import_rows *r, bool of_project, struct err *e)
{
	struct import_label l = {.of_project = of_project};

	if (import_text_of(r, IMPORT_LABEL_KEY, &l.key, e) ||
		import_text_of(r, IMPORT_LABEL_VALUE, &l.value, e))
		return e->code;
	if (*l.key)
		*arena_append(&r->scratch, r->labels, r->n_labels, r->cap_labels) = l;
	return E_OK;
}

/* Labels of the project after others with the same key. */
static int row_label_order(const void *pa, const void *pb)
{
	const struct import_label *a = pa, *b = pb;
	int d = strcmp(a->key, b->key);

	return d ? d : a->of_project - b->of_project;
}

/* As the query of the export writes them: see collector/bill/sql.c. */
static void row_labels(struct import_rows *r, struct usage_line *l)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	l->labels = "";
	if (!r->n_labels)
		return;
	qsort(r->labels, r->n_labels, sizeof(*r->labels), row_label_order);
	for (size_t i = 0; i < r->n_labels; i++) {
		const struct import_label *at = &r->labels[i];

		if (i && !strcmp(at->key, at[-1].key))
			continue;
		sbuf_addc(&b, i ? ',' : '{');
		sbuf_add_json(&b, at->key);
		sbuf_addc(&b, ':');
		sbuf_add_json(&b, at->value);
	}
	sbuf_addc(&b, '}');
	l->labels = arena_strdup(&r->scratch, b.s);
}

/* ---- rows ------------------------------------------------------------------------------------- */

static struct import_sum *row_sum_of(struct import_rows *r, const char *currency)
{
	for (size_t i = 0; i < r->n_sums; i++)
		if (!strcmp(r->sums[i].currency, currency))
			return &r->sums[i];
	if (r->n_sums == ARRAY_LEN(r->sums))
		return NULL;
	memcpy(r->sums[r->n_sums].currency, currency, 4);
	return &r->sums[r->n_sums++];
}

static enum err_code row_lacks(enum import_field f, struct err *e)
{
	err_set(e, E_DATA, "%s is missing: not a row of a billing export", import_names[f]);
	return import_shape(e);
}

static enum err_code row_need(const struct import_rows *r, struct err *e)
{
	static const enum import_field needed[] = {IMPORT_START, IMPORT_CURRENCY};
	enum import_field cost = r->is_focus ? IMPORT_BILLED_COST : IMPORT_COST;

	for (size_t i = 0; i < ARRAY_LEN(needed); i++)
		if (import_is_there(r, needed[i]) && !import_has(r, needed[i]))
			return import_wrong(needed[i], "text", e);
		else if (!import_has(r, needed[i]) || !r->v[needed[i]].n)
			return row_lacks(needed[i], e);
	return import_has(r, cost)         ? E_OK
		: import_is_there(r, cost) ? import_wrong(cost, "a number", e)
					   : row_lacks(cost, e);
}

static bool row_month_valid(const char *s)
{
	int month = strlen(s) == 6 ? (s[4] - '0') * 10 + s[5] - '0' : 0;

	return strspn(s, "0123456789") == 6 && month >= 1 && month <= 12;
}

/* FOCUS: Google's billing periods begin on the first of the month in California. */
static enum err_code row_invoice_month(
	struct import_rows *r, struct usage_line *l, struct err *e)
{
	struct civil c;
	ts_t starts;

	if (import_text_of(r, IMPORT_INVOICE, &l->invoice_month, e))
		return e->code;
	if (*l->invoice_month && !row_month_valid(l->invoice_month))
		return import_wrong(IMPORT_INVOICE, "YYYYMM", e);
	if (*l->invoice_month)
		return E_OK;
	if (!import_has(r, IMPORT_BILLING_PERIOD)) {
		r->no_month++;
		return E_OK;
	}
	if (import_time(r, &r->v[IMPORT_BILLING_PERIOD],
		    import_names[IMPORT_BILLING_PERIOD], &starts, e))
		return e->code;
	c = civil_from_ts(starts);
	l->invoice_month = arena_printf(&r->scratch, "%04d%02d", c.year % 10000, c.month);
	return E_OK;
}

/* FOCUS has categories of charges, Google has types of cost. */
static enum err_code row_cost_type(
	struct import_rows *r, struct usage_line *l, struct err *e)
{
	const char *category;

	if (import_text_of(r, IMPORT_COST_TYPE, &l->cost_type, e) ||
		import_text_of(r, IMPORT_CHARGE_CATEGORY, &category, e))
		return e->code;
	if (!*l->cost_type && str_ieq(category, "tax"))
		l->cost_type = "tax";
	else if (!*l->cost_type && str_ieq(category, "adjustment"))
		l->cost_type = "adjustment";
	else if (!*l->cost_type)
		l->cost_type = "regular";
	return E_OK;
}

static enum err_code row_texts(struct import_rows *r, struct usage_line *l, struct err *e)
{
	const struct {
		enum import_field f;
		const char **out;
	} list[] = {{IMPORT_ACCOUNT, &l->account}, {IMPORT_SERVICE_ID, &l->service_id},
		{IMPORT_SERVICE, &l->service}, {IMPORT_SKU_ID, &l->sku_id},
		{IMPORT_SKU, &l->sku}, {IMPORT_PROJECT, &l->project},
		{IMPORT_NUMBER, &l->number}, {IMPORT_LOCATION, &l->location},
		{IMPORT_REGION, &l->region}, {IMPORT_ZONE, &l->zone},
		{IMPORT_RESOURCE, &l->resource}, {IMPORT_GLOBAL_NAME, &l->global_name},
		{IMPORT_CURRENCY, &l->currency}, {IMPORT_MODEL, &l->model},
		{IMPORT_MODEL_NAME, &l->model_name}};

	for (size_t i = 0; i < ARRAY_LEN(list); i++)
		if (import_text_of(r, list[i].f, list[i].out, e))
			return e->code;
	if (r->is_focus && import_focus_place(r, l, e))
		return e->code;
	if (!currency_valid(l->currency))
		return import_wrong(IMPORT_CURRENCY, "three capital letters", e);
	if (row_invoice_month(r, l, e))
		return e->code;
	row_labels(r, l);
	return row_cost_type(r, l, e);
}

/* In pricing units, if the row has them. */
static enum err_code row_usage(struct import_rows *r, struct usage_line *l, struct err *e)
{
	bool pricing = import_has(r, IMPORT_PRICING_USAGE);
	int64_t v;

	if (import_text_of(
		    r, pricing ? IMPORT_PRICING_UNIT : IMPORT_UNIT, &l->usage_unit, e))
		return e->code;
	if (!import_amount(r, pricing ? IMPORT_PRICING_USAGE : IMPORT_USAGE, &v, NULL, e)) {
		l->usage = SOME(v);
		return E_OK;
	}
	if (e->code != E_OVERFLOW)
		return e->code;
	/* Bytes times seconds can exceed 64 bits: then the usage is unknown, but the amount of
	 * money is still stored. */
	err_clear(e);
	l->usage = NONE;
	return E_OK;
}

/* *rest: what rounding left out of cost and credits together. */
static enum err_code row_cost(
	struct import_rows *r, struct usage_line *l, int64_t *rest, struct err *e)
{
	if (r->is_focus)
		return import_focus_cost(r, l, rest, e);
	if (import_amount(r, IMPORT_COST, &l->cost, rest, e))
		return e->code;
	*rest += import_credits_rest(r);
	return E_OK;
}

/* The cost in one of these columns, minus the cost of the row; 0 if it has none of them. */
static enum err_code row_above_cost(struct import_rows *r, const struct usage_line *l,
	const enum import_field *fields, size_t n, int64_t *out, struct err *e)
{
	int64_t cost = l->cost;

	for (size_t i = 0; i < n; i++) {
		if (!import_is_there(r, fields[i]))
			continue;
		if (import_amount(r, fields[i], &cost, NULL, e))
			return e->code;
		break;
	}
	return nanos_sub(cost, l->cost, out)
		? E_OK
		: err_set(e, E_OVERFLOW, "%s is too large", import_names[fields[0]]);
}

static enum err_code row_discounts(
	struct import_rows *r, struct usage_line *l, struct err *e)
{
	static const enum import_field list[] = {IMPORT_LIST_COST, IMPORT_LIST_COST_MODEL},
				       standard[] = {IMPORT_DEFAULT_COST};

	if (row_above_cost(r, l, list, ARRAY_LEN(list), &l->discount, e))
		return e->code;
	return row_above_cost(r, l, standard, ARRAY_LEN(standard), &l->committed, e);
}

/* A price for one unit; NONE if it is not stated, or beyond 64 bits. */
static enum err_code row_unit_price(
	struct import_rows *r, enum import_field f, struct opt_i64 *out, struct err *e)
{
	int64_t price, quantity;

	*out = NONE;
	if (!import_has(r, f))
		return E_OK;
	if (import_amount(r, f, &price, NULL, e) ||
		import_amount(r, IMPORT_PRICE_QUANTITY, &quantity, NULL, e))
		return e->code;
	if (quantity <= 0 || quantity == NANOS ||
		nanos_muldiv(price, NANOS, quantity, &price))
		*out = SOME(price);
	return E_OK;
}

static enum err_code row_price(
	struct import_rows *r, const struct usage_line *l, struct err *e)
{
	struct billed_rates rates;

	if (row_unit_price(r, IMPORT_PRICE, &rates.price, e) ||
		row_unit_price(r, IMPORT_PRICE_DEFAULT, &rates.standard, e))
		return e->code;
	billed_prices_note(&r->prices, l, &rates);
	return E_OK;
}

/* Conversion rate; 0, as if it were not stated, if the row has none that is positive. */
static int64_t row_rate(struct import_rows *r)
{
	struct err ignored;
	int64_t rate;

	if (!import_is_there(r, IMPORT_RATE))
		return 0;
	if (!import_amount(r, IMPORT_RATE, &rate, NULL, &ignored) && rate > 0)
		return rate;
	if (!r->bad_rates++)
		r->bad_rate_at = r->at;
	return 0;
}

/* Hours of a row of up to a day, as in exports by day; 1 for others: taxes and fees are of months. A day that
 * is not over ends when the row was written. */
static enum err_code row_hours(
	struct import_rows *r, ts_t start, ts_t until, int64_t *out, struct err *e)
{
	const struct json_value *v = &r->v[IMPORT_END];
	ts_t hour = start / HOUR_SECONDS * HOUR_SECONDS, end;

	*out = 1;
	if (!import_is_there(r, IMPORT_END) || (v->kind == JSON_STRING && !v->n))
		return E_OK;
	if (import_time(r, v, import_names[IMPORT_END], &end, e))
		return e->code;
	if (end > start + DAY_SECONDS + HOUR_SECONDS) /* a day has up to 25 hours */
		return E_OK;
	end = end < until ? end : until;
	if (end > hour + HOUR_SECONDS)
		*out = (end - hour + HOUR_SECONDS - 1) / HOUR_SECONDS;
	return E_OK;
}

/* The share of one of n hours: 10 nano-units in 3 hours are 3, 4 and 3. */
static int64_t row_share(int64_t v, int64_t i, int64_t n)
{
	int64_t until = 0, since = 0;

	return nanos_muldiv(v, i + 1, n, &until) && nanos_muldiv(v, i, n, &since)
		? until - since
		: 0;
}

/* Stages the line evenly over its hours. */
static enum err_code row_stage(
	struct import_rows *r, const struct usage_line *l, int64_t hours, struct err *e)
{
	struct usage_line part = *l;

	if (hours == 1)
		return usage_stage_add(&r->stage, l, e);
	for (int64_t i = 0; i < hours; i++) {
		part.hour = l->hour + i * HOUR_SECONDS;
		part.usage.v = row_share(l->usage.v, i, hours);
		part.cost = row_share(l->cost, i, hours);
		part.credits = row_share(l->credits, i, hours);
		part.discount = row_share(l->discount, i, hours);
		part.committed = row_share(l->committed, i, hours);
		part.rows = i ? 0 : l->rows;
		if (usage_stage_add(&r->stage, &part, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code row_stage_credits(struct import_rows *r, const struct usage_line *of,
	int64_t hours, struct import_sum *sum, struct err *e)
{
	struct usage_line l = *of;

	r->no_credits = false; /* rows of JSON may leave out empty lists */
	l.usage = SOME(0);
	l.cost = l.rows = l.discount = l.committed = 0;
	for (size_t i = 0; i < r->n_credits; i++) {
		l.credit_type = r->credits[i].type;
		l.credits = r->credits[i].amount;
		sum->credits += l.credits;
		if (row_stage(r, &l, hours, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code row_take(struct import_rows *r, struct err *e)
{
	struct usage_line l = {.credit_type = "", .rows = 1};
	struct import_sum *sum;
	ts_t start, exported = r->now;
	int64_t rest, hours;

	if (r->is_focus && import_focus_foreign(r))
		return E_OK;
	if (row_need(r, e) || row_texts(r, &l, e) || row_usage(r, &l, e) ||
		row_cost(r, &l, &rest, e) || row_discounts(r, &l, e) ||
		import_time(r, &r->v[IMPORT_START], import_names[IMPORT_START], &start, e))
		return e->code;
	if (import_has(r, IMPORT_EXPORTED) && r->v[IMPORT_EXPORTED].n) {
		if (import_time(r, &r->v[IMPORT_EXPORTED], import_names[IMPORT_EXPORTED],
			    &exported, e) ||
			usage_time_check(
				exported, r->now, import_names[IMPORT_EXPORTED], e))
			return e->code;
		r->exported = exported > r->exported ? exported : r->exported;
	}
	if (usage_time_check(start, r->now, import_names[IMPORT_START], e) ||
		row_hours(r, start, exported < r->now ? exported : r->now, &hours, e))
		return e->code;
	l.rate = row_rate(r);
	import_note_seen(r, &l);
	l.unit = start / DAY_SECONDS;
	l.hour = start / HOUR_SECONDS * HOUR_SECONDS;
	sum = row_sum_of(r, l.currency);
	if (!sum)
		return err_set(e, E_LIMIT, "more than %zu currencies", ARRAY_LEN(r->sums));
	sum->cost += l.cost;
	sum->rounding += rest;
	sum->rated |= l.rate > 0;
	r->rows++;
	if (row_price(r, &l, e) || row_stage(r, &l, hours, e))
		return e->code;
	return r->n_credits ? row_stage_credits(r, &l, hours, sum, e) : E_OK;
}

enum err_code import_row(struct import_rows *r, struct err *e)
{
	enum err_code rc = row_take(r, e);

	r->n_credits = r->n_labels = r->cap_labels = 0;
	memset(r->v, 0, sizeof(r->v));
	arena_reset(&r->scratch);
	return rc;
}

void import_rows_done(struct import_rows *r)
{
	usage_stage_close(&r->stage);
	billed_prices_done(&r->prices);
	arena_done(&r->scratch);
}

/* ---- bytes ------------------------------------------------------------------------------------ */

enum err_code import_more(void *ctx, void *buf, size_t room, size_t *n, struct err *e)
{
	struct import_input *in = ctx;

	if (!in->n_head)
		return in->read(in->ctx, buf, room, n, e);
	*n = in->n_head < room ? in->n_head : room;
	memcpy(buf, in->head, *n);
	in->head += *n;
	in->n_head -= *n;
	return E_OK;
}

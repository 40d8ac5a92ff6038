#include "collector/import/row.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TEN_DIGITS INT64_C(1000000000)

const char *const import_names[IMPORT_FIELDS] = {
	[IMPORT_ACCOUNT] = "billing_account_id",
	[IMPORT_SERVICE_ID] = "service.id",
	[IMPORT_SERVICE] = "service.description",
	[IMPORT_SKU_ID] = "sku.id",
	[IMPORT_SKU] = "sku.description",
	[IMPORT_START] = "usage_start_time",
	[IMPORT_PROJECT] = "project.id",
	[IMPORT_NUMBER] = "project.number",
	[IMPORT_LOCATION] = "location.location",
	[IMPORT_REGION] = "location.region",
	[IMPORT_ZONE] = "location.zone",
	[IMPORT_RESOURCE] = "resource.name",
	[IMPORT_GLOBAL_NAME] = "resource.global_name",
	[IMPORT_EXPORTED] = "export_time",
	[IMPORT_COST] = "cost",
	[IMPORT_CURRENCY] = "currency",
	[IMPORT_RATE] = "currency_conversion_rate",
	[IMPORT_USAGE] = "usage.amount",
	[IMPORT_UNIT] = "usage.unit",
	[IMPORT_PRICING_USAGE] = "usage.amount_in_pricing_units",
	[IMPORT_PRICING_UNIT] = "usage.pricing_unit",
	[IMPORT_INVOICE] = "invoice.month",
	[IMPORT_COST_TYPE] = "cost_type",
	[IMPORT_PRICE] = "price.effective_price",
	[IMPORT_PRICE_QUANTITY] = "price.pricing_unit_quantity",
	[IMPORT_PRICE_DEFAULT] = "price.effective_price_default",
	[IMPORT_MODEL] = "consumption_model.id",
	[IMPORT_MODEL_NAME] = "consumption_model.description",
	[IMPORT_LIST_COST] = "cost_at_list",
	[IMPORT_LIST_COST_MODEL] = "cost_at_list_consumption_model",
	[IMPORT_DEFAULT_COST] = "cost_at_effective_price_default",
	[IMPORT_CREDIT_TYPE] = "credits.type",
	[IMPORT_CREDIT_AMOUNT] = "credits.amount",
	[IMPORT_LABEL_KEY] = "labels.key",
	[IMPORT_LABEL_VALUE] = "labels.value",
	[IMPORT_BILLED_COST] = "BilledCost",
	[IMPORT_BILLING_PERIOD] = "BillingPeriodStart",
	[IMPORT_CHARGE_CATEGORY] = "ChargeCategory",
};

/* ---- values ----------------------------------------------------------------------------------- */

static bool row_has(const struct import_rows *r, enum import_field f)
{
	return r->v[f].kind == JSON_STRING || r->v[f].kind == JSON_NUMBER;
}

/* Present, but possibly of another type. */
static bool row_is_there(const struct import_rows *r, enum import_field f)
{
	return r->v[f].kind != JSON_ABSENT && r->v[f].kind != JSON_NULL;
}

static enum err_code row_wrong(enum import_field f, const char *want, struct err *e)
{
	return err_set(e, E_DATA, "%s: expected %s", import_names[f], want);
}

/* "" if absent. Numbers are accepted as text: BigQuery writes "202511" or 202511. */
static enum err_code row_text(
	struct import_rows *r, enum import_field f, const char **out, struct err *e)
{
	const struct json_value *v = &r->v[f];

	*out = "";
	if (!row_is_there(r, f))
		return E_OK;
	if (!row_has(r, f))
		return row_wrong(f, "text", e);
	*out = arena_strndup(&r->scratch, v->s, v->n);
	return E_OK;
}

static enum err_code row_amount(struct import_rows *r, enum import_field f, int64_t *out,
	int64_t *rest, struct err *e)
{
	const struct json_value *v = &r->v[f];
	char buf[72];
	int64_t left;

	*out = 0;
	if (rest)
		*rest = 0;
	if (!row_is_there(r, f))
		return E_OK;
	if (!row_has(r, f) || v->n >= sizeof(buf))
		return row_wrong(f, "a number", e);
	memcpy(buf, v->s, v->n);
	buf[v->n] = '\0';
	if (nanos_parse_rest(buf, out, rest ? rest : &left, e))
		return err_wrap(e, "%s", import_names[f]);
	return E_OK;
}

static int row_two(const char *s)
{
	return s[0] >= '0' && s[0] <= '9' && s[1] >= '0' && s[1] <= '9'
		? (s[0] - '0') * 10 + s[1] - '0'
		: 100;
}

/* "2025-01-01 00:00:00 UTC", cached by day: most consecutive rows have the same date. */
static bool row_time_plain(struct import_rows *r, const char *s, size_t n, ts_t *out)
{
	int h, m, sec;
	char date[11] = {0};
	day_t day;

	if (n != 23 || s[10] != ' ' || s[13] != ':' || s[16] != ':' ||
		memcmp(s + 19, " UTC", 4) != 0)
		return false;
	h = row_two(s + 11);
	m = row_two(s + 14);
	sec = row_two(s + 17);
	if (h > 23 || m > 59 || sec > 59)
		return false;
	if (memcmp(r->date, s, 10) != 0) {
		memcpy(date, s, 10);
		if (date_parse(date, &day, NULL))
			return false;
		memcpy(r->date, s, 10);
		r->date_start = (ts_t)day * DAY_SECONDS;
	}
	*out = r->date_start + h * 3600 + m * 60 + sec;
	return true;
}

/* "2025-01-01 00:00:00.5 UTC", "2025-01-01 00:00:00+00" -> RFC 3339. */
static bool row_time_text(const struct json_value *v, char buf[64])
{
	size_t n = v->n;

	if (n < 19 || n > 40)
		return false;
	memcpy(buf, v->s, n);
	buf[n] = '\0';
	if (buf[10] == ' ')
		buf[10] = 'T';
	if (n > 4 && !strcmp(buf + n - 4, " UTC"))
		memcpy(buf + n - 4, "Z", 2);
	else if (buf[n - 3] == '+' || (buf[n - 3] == '-' && n > 22))
		memcpy(buf + n, ":00", 4);
	else if (n == 19)
		memcpy(buf + n, "Z", 2); /* a TIMESTAMP is UTC */
	return true;
}

/* "2025-01-01 00:00:00 UTC" as BigQuery prints it, RFC 3339, or seconds since 1970. */
static enum err_code row_time(struct import_rows *r, const struct json_value *v,
	const char *name, ts_t *out, struct err *e)
{
	char buf[64];
	int64_t nanos;

	if (v->kind == JSON_STRING && row_time_plain(r, v->s, v->n, out))
		return E_OK;
	if (v->kind == JSON_STRING && row_time_text(v, buf)) {
		if (!rfc3339_parse(buf, out, NULL, e))
			return E_OK;
		return err_wrap(e, "%s", name);
	}
	/* Seconds since 1970 have ten digits: fewer digits are another value, such as a year. */
	if ((v->kind == JSON_NUMBER || v->kind == JSON_STRING) && v->n < sizeof(buf)) {
		memcpy(buf, v->s, v->n);
		buf[v->n] = '\0';
		if (!nanos_parse(buf, &nanos, NULL) && nanos / NANOS >= TEN_DIGITS) {
			*out = nanos / NANOS;
			return E_OK;
		}
	}
	return err_set(
		e, E_DATA, "%s: expected a time such as 2025-01-01 00:00:00 UTC", name);
}

/* ---- credits ---------------------------------------------------------------------------------- */

enum err_code import_credit(struct import_rows *r, struct err *e)
{
	struct import_credit *c = &r->credits[r->n_credits];

	if (r->n_credits == IMPORT_CREDITS)
		return err_set(
			e, E_LIMIT, "more than %d credits in one row", IMPORT_CREDITS);
	if (!row_has(r, IMPORT_CREDIT_AMOUNT))
		return row_wrong(IMPORT_CREDIT_AMOUNT, "a number", e);
	if (row_text(r, IMPORT_CREDIT_TYPE, &c->type, e) ||
		row_amount(r, IMPORT_CREDIT_AMOUNT, &c->amount, NULL, e))
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

	if (row_text(r, IMPORT_LABEL_KEY, &l.key, e) ||
		row_text(r, IMPORT_LABEL_VALUE, &l.value, e))
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

static enum err_code row_need(const struct import_rows *r, struct err *e)
{
	static const enum import_field needed[] = {IMPORT_START, IMPORT_CURRENCY};

	for (size_t i = 0; i < ARRAY_LEN(needed); i++)
		if (row_is_there(r, needed[i]) && !row_has(r, needed[i]))
			return row_wrong(needed[i], "text", e);
		else if (!row_has(r, needed[i]) || !r->v[needed[i]].n)
			return err_set(e, E_DATA,
				"%s is missing: not a row of a billing "
				"export",
				import_names[needed[i]]);
	if (row_has(r, IMPORT_COST) || row_has(r, IMPORT_BILLED_COST))
		return E_OK;
	return row_is_there(r, IMPORT_COST)
		? row_wrong(IMPORT_COST, "a number", e)
		: err_set(e, E_DATA, "cost is missing: not a row of a billing export");
}

static bool row_month_valid(const char *s)
{
	int month = strlen(s) == 6 ? row_two(s + 4) : 0;

	return strspn(s, "0123456789") == 6 && month >= 1 && month <= 12;
}

/* FOCUS: Google's billing periods begin on the first of the month in California. */
static enum err_code row_invoice_month(
	struct import_rows *r, struct usage_line *l, struct err *e)
{
	struct civil c;
	ts_t starts;

	if (row_text(r, IMPORT_INVOICE, &l->invoice_month, e))
		return e->code;
	if (*l->invoice_month && !row_month_valid(l->invoice_month))
		return row_wrong(IMPORT_INVOICE, "YYYYMM", e);
	if (*l->invoice_month || !row_has(r, IMPORT_BILLING_PERIOD))
		return E_OK;
	if (row_time(r, &r->v[IMPORT_BILLING_PERIOD], import_names[IMPORT_BILLING_PERIOD],
		    &starts, e))
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

	if (row_text(r, IMPORT_COST_TYPE, &l->cost_type, e) ||
		row_text(r, IMPORT_CHARGE_CATEGORY, &category, e))
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
		if (row_text(r, list[i].f, list[i].out, e))
			return e->code;
	if (!currency_valid(l->currency))
		return row_wrong(IMPORT_CURRENCY, "three capital letters", e);
	if (row_invoice_month(r, l, e))
		return e->code;
	row_labels(r, l);
	return row_cost_type(r, l, e);
}

/* In pricing units, if the row has them. */
static enum err_code row_usage(struct import_rows *r, struct usage_line *l, struct err *e)
{
	bool pricing = row_has(r, IMPORT_PRICING_USAGE);
	int64_t v;

	if (row_text(r, pricing ? IMPORT_PRICING_UNIT : IMPORT_UNIT, &l->usage_unit, e))
		return e->code;
	if (!row_amount(r, pricing ? IMPORT_PRICING_USAGE : IMPORT_USAGE, &v, NULL, e)) {
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

/* FOCUS has credits in separate rows, too. */
static bool row_is_credit(const struct import_rows *r)
{
	const struct json_value *v = &r->v[IMPORT_CHARGE_CATEGORY];

	return v->n == 6 && !strncasecmp(v->s, "credit", 6);
}

/* BilledCost of FOCUS is after credits. */
static enum err_code row_cost(
	struct import_rows *r, struct usage_line *l, int64_t *rest, struct err *e)
{
	bool focus = !row_has(r, IMPORT_COST);

	if (row_amount(r, focus ? IMPORT_BILLED_COST : IMPORT_COST, &l->cost, rest, e))
		return e->code;
	for (size_t i = 0; focus && i < r->n_credits; i++)
		if (!nanos_sub(l->cost, r->credits[i].amount, &l->cost))
			return err_set(e, E_OVERFLOW, "BilledCost is too large");
	if (focus && row_is_credit(r) && !r->n_credits) {
		r->credits[r->n_credits++] = (struct import_credit){
			.type = "UNKNOWN", .amount = l->cost};
		l->cost = 0;
		r->no_credits = false;
	}
	return E_OK;
}

/* The cost in one of these columns, minus the cost of the row; 0 if it has none of them. */
static enum err_code row_above_cost(struct import_rows *r, const struct usage_line *l,
	const enum import_field *fields, size_t n, int64_t *out, struct err *e)
{
	int64_t cost = l->cost;

	for (size_t i = 0; i < n; i++) {
		if (!row_is_there(r, fields[i]))
			continue;
		if (row_amount(r, fields[i], &cost, NULL, e))
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
	if (!row_has(r, f))
		return E_OK;
	if (row_amount(r, f, &price, NULL, e) ||
		row_amount(r, IMPORT_PRICE_QUANTITY, &quantity, NULL, e))
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

static enum err_code row_stage_credits(struct import_rows *r, const struct usage_line *of,
	struct import_sum *sum, struct err *e)
{
	struct usage_line l = *of;

	l.usage = SOME(0);
	l.cost = l.rows = l.discount = l.committed = 0;
	for (size_t i = 0; i < r->n_credits; i++) {
		l.credit_type = r->credits[i].type;
		l.credits = r->credits[i].amount;
		sum->credits += l.credits;
		if (usage_stage_add(&r->stage, &l, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code row_take(struct import_rows *r, struct err *e)
{
	struct usage_line l = {.credit_type = "", .rows = 1};
	struct import_sum *sum;
	ts_t start, exported;
	int64_t rest;

	if (row_need(r, e) || row_texts(r, &l, e) || row_usage(r, &l, e) ||
		row_cost(r, &l, &rest, e) || row_discounts(r, &l, e) ||
		row_amount(r, IMPORT_RATE, &l.rate, NULL, e) ||
		row_time(r, &r->v[IMPORT_START], import_names[IMPORT_START], &start, e))
		return e->code;
	if (row_has(r, IMPORT_EXPORTED) && r->v[IMPORT_EXPORTED].n) {
		if (row_time(r, &r->v[IMPORT_EXPORTED], import_names[IMPORT_EXPORTED],
			    &exported, e) ||
			usage_time_check(
				exported, r->now, import_names[IMPORT_EXPORTED], e))
			return e->code;
		r->exported = exported > r->exported ? exported : r->exported;
	}
	if (usage_time_check(start, r->now, import_names[IMPORT_START], e))
		return e->code;
	l.unit = start / DAY_SECONDS;
	l.hour = start / 3600 * 3600;
	sum = row_sum_of(r, l.currency);
	if (!sum)
		return err_set(e, E_LIMIT, "more than %zu currencies", ARRAY_LEN(r->sums));
	sum->cost += l.cost;
	sum->rounding += rest;
	r->rows++;
	if (row_price(r, &l, e) || usage_stage_add(&r->stage, &l, e))
		return e->code;
	return r->n_credits ? row_stage_credits(r, &l, sum, e) : E_OK;
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

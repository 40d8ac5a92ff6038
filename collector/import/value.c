/* Values of a row, as its format left them. */
#include "base/money.h"
#include "base/time/civil.h"
#include "collector/import/row.h"

#include <string.h>

#define TEN_DIGITS INT64_C(1000000000)

const char *const import_names[IMPORT_FIELDS] = {
	[IMPORT_ACCOUNT] = "billing_account_id",
	[IMPORT_SERVICE_ID] = "service.id",
	[IMPORT_SERVICE] = "service.description",
	[IMPORT_SKU_ID] = "sku.id",
	[IMPORT_SKU] = "sku.description",
	[IMPORT_START] = "usage_start_time",
	[IMPORT_END] = "usage_end_time",
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
	[IMPORT_CONTRACTED_COST] = "ContractedCost",
	[IMPORT_PROVIDER] = "ProviderName",
	[IMPORT_SERVICE_PROVIDER] = "ServiceProviderName",
	[IMPORT_PRICING_QUANTITY] = "PricingQuantity",
	[IMPORT_QUANTITY_UNIT] = "PricingUnit",
	[IMPORT_SUB_ACCOUNT] = "SubAccountId",
	[IMPORT_ROW_CREDIT] = "x_CreditType",
	[IMPORT_ONE_CREDIT] = "credits_amount",
	[IMPORT_BILLING_PERIOD] = "BillingPeriodStart",
	[IMPORT_CHARGE_CATEGORY] = "ChargeCategory",
};

/* ---- values ----------------------------------------------------------------------------------- */

bool import_has(const struct import_rows *r, enum import_field f)
{
	return r->v[f].kind == JSON_STRING || r->v[f].kind == JSON_NUMBER;
}

/* Present, but possibly of another type. */
bool import_is_there(const struct import_rows *r, enum import_field f)
{
	return r->v[f].kind != JSON_ABSENT && r->v[f].kind != JSON_NULL;
}

enum err_code import_wrong(enum import_field f, const char *want, struct err *e)
{
	return err_set(e, E_DATA, "%s: expected %s", import_names[f], want);
}

/* "" if absent. Numbers are accepted as text: BigQuery writes "202511" or 202511. */
enum err_code import_text_of(
	struct import_rows *r, enum import_field f, const char **out, struct err *e)
{
	const struct json_value *v = &r->v[f];

	*out = "";
	if (!import_is_there(r, f))
		return E_OK;
	if (!import_has(r, f))
		return import_wrong(f, "text", e);
	*out = arena_strndup(&r->scratch, v->s, v->n);
	return E_OK;
}

enum err_code import_amount(struct import_rows *r, enum import_field f, int64_t *out,
	int64_t *rest, struct err *e)
{
	const struct json_value *v = &r->v[f];
	char buf[72];
	int64_t left;

	*out = 0;
	if (rest)
		*rest = 0;
	if (!import_is_there(r, f))
		return E_OK;
	if (!import_has(r, f) || v->n >= sizeof(buf))
		return import_wrong(f, "a number", e);
	memcpy(buf, v->s, v->n);
	buf[v->n] = '\0';
	if (nanos_parse_rest(buf, out, rest ? rest : &left, e))
		return err_wrap(e, "%s", import_names[f]);
	return E_OK;
}

int64_t import_credits_rest(const struct import_rows *r)
{
	int64_t rest = 0;

	for (size_t i = 0; i < r->n_credits; i++)
		rest += r->credits[i].rest;
	return rest;
}

static int value_two(const char *s)
{
	return s[0] >= '0' && s[0] <= '9' && s[1] >= '0' && s[1] <= '9'
		? (s[0] - '0') * 10 + s[1] - '0'
		: 100;
}

/* "2025-01-01 00:00:00 UTC", cached by day: most consecutive rows have the same date. */
static bool value_time_plain(struct import_rows *r, const char *s, size_t n, ts_t *out)
{
	int h, m, sec;
	char date[11] = {0};
	day_t day;

	if (n != 23 || s[10] != ' ' || s[13] != ':' || s[16] != ':' ||
		memcmp(s + 19, " UTC", 4) != 0)
		return false;
	h = value_two(s + 11);
	m = value_two(s + 14);
	sec = value_two(s + 17);
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
static bool value_time_text(const struct json_value *v, char buf[64])
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
	else if (buf[n - 3] == '+' || buf[n - 3] == '-')
		memcpy(buf + n, ":00", 4);
	else if (n == 19)
		memcpy(buf + n, "Z", 2); /* a TIMESTAMP is UTC */
	return true;
}

/* "2025-01-01 00:00:00 UTC" as BigQuery prints it, RFC 3339, or seconds since 1970. */
enum err_code import_time(struct import_rows *r, const struct json_value *v,
	const char *name, ts_t *out, struct err *e)
{
	char buf[64];
	int64_t nanos;

	if (v->kind == JSON_STRING && value_time_plain(r, v->s, v->n, out))
		return E_OK;
	if (v->kind == JSON_STRING && value_time_text(v, buf)) {
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

/* ---- columns ---------------------------------------------------------------------------------- */

enum err_code import_shape(struct err *e)
{
	return err_fix(e,
		"expected rows of the Cloud Billing export: {\"service\": "
		"{\"description\": "
		"...}, ...}, flattened as {\"service_description\": ...}, or FOCUS");
}

/* Columns that every billing export has, also copies with few columns. A row may lack them, a file does
 * not: then its columns have other names. Only FOCUS may lack that of the SKU, and only a copy that of the
 * project; taxes and adjustments may be of none. */
void import_note_seen(struct import_rows *r, const struct usage_line *l)
{
	r->seen.service |= *l->service || *l->service_id;
	r->seen.sku |= *l->sku || *l->sku_id;
	r->seen.project |= *l->project || *l->number ||
		strcmp(l->cost_type, "regular") != 0;
}

enum err_code import_check_seen(const struct import_rows *r, struct err *e)
{
	const char *missing = NULL;

	if (!r->seen.service)
		missing = "service";
	else if (!r->seen.sku && (r->has.sku || !r->is_focus))
		missing = "SKU";
	else if (!r->seen.project && r->has.project)
		missing = "project";
	if (!missing || !r->rows)
		return E_OK;
	err_set(e, E_DATA, "no row has a %s", missing);
	return import_shape(e);
}

enum err_code import_one_credit(const char *column, struct err *e)
{
	err_set(e, E_DATA, "column '%.40s': one row per credit counts costs more than once",
		column);
	return err_fix(e,
		"expected the credits of a row as JSON text in one column 'credits': "
		"TO_JSON_STRING(credits)");
}

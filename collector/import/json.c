/* JSON lines as written by BigQuery extracts, and arrays of the same objects. */
#include "base/data/json.h"
#include "collector/import/row.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER (2 * IMPORT_MAX_ROW)
#define TURN_ROWS 20000

#define SCALAR(name, field)                     \
	{                                       \
		JSON_KEY(name), .slot = (field) \
	}
#define RECORD(name, list)                                              \
	{                                                               \
		JSON_KEY(name), .sub = (list), .n_sub = ARRAY_LEN(list) \
	}

#define ITEMS(field, list_of) \
	.slot = (field), .sub = (list_of), .n_sub = ARRAY_LEN(list_of), .list = true
#define LIST(name, field, list_of)                                     \
	{                                                              \
		JSON_KEY(name), ITEMS(field, list_of), .or_text = true \
	}

static const struct json_wish service[] = {
	SCALAR("id", IMPORT_SERVICE_ID), SCALAR("description", IMPORT_SERVICE)};
static const struct json_wish sku[] = {
	SCALAR("id", IMPORT_SKU_ID), SCALAR("description", IMPORT_SKU)};
static const struct json_wish label[] = {
	SCALAR("key", IMPORT_LABEL_KEY), SCALAR("value", IMPORT_LABEL_VALUE)};
static const struct json_wish project[] = {SCALAR("id", IMPORT_PROJECT),
	SCALAR("number", IMPORT_NUMBER), LIST("labels", IMPORT_PROJECT_LABELS_JSON, label)};
static const struct json_wish location[] = {SCALAR("location", IMPORT_LOCATION),
	SCALAR("region", IMPORT_REGION), SCALAR("zone", IMPORT_ZONE)};
static const struct json_wish resource[] = {
	SCALAR("name", IMPORT_RESOURCE), SCALAR("global_name", IMPORT_GLOBAL_NAME)};
static const struct json_wish usage[] = {SCALAR("amount", IMPORT_USAGE),
	SCALAR("unit", IMPORT_UNIT),
	SCALAR("amount_in_pricing_units", IMPORT_PRICING_USAGE),
	SCALAR("pricing_unit", IMPORT_PRICING_UNIT)};
static const struct json_wish invoice[] = {SCALAR("month", IMPORT_INVOICE)};
static const struct json_wish price[] = {SCALAR("effective_price", IMPORT_PRICE),
	SCALAR("pricing_unit_quantity", IMPORT_PRICE_QUANTITY),
	SCALAR("effective_price_default", IMPORT_PRICE_DEFAULT)};
static const struct json_wish model[] = {
	SCALAR("id", IMPORT_MODEL), SCALAR("description", IMPORT_MODEL_NAME)};
static const struct json_wish credit[] = {
	SCALAR("type", IMPORT_CREDIT_TYPE), SCALAR("amount", IMPORT_CREDIT_AMOUNT)};

/* In the order of the table's columns, which is usually the order of the keys. */
static const struct json_wish row_wishes[] = {SCALAR("billing_account_id", IMPORT_ACCOUNT),
	RECORD("service", service), RECORD("sku", sku),
	SCALAR("usage_start_time", IMPORT_START), SCALAR("usage_end_time", IMPORT_END),
	RECORD("project", project), RECORD("location", location),
	RECORD("resource", resource), SCALAR("export_time", IMPORT_EXPORTED),
	SCALAR("cost", IMPORT_COST), SCALAR("currency", IMPORT_CURRENCY),
	SCALAR("currency_conversion_rate", IMPORT_RATE), RECORD("usage", usage),
	LIST("credits", IMPORT_CREDITS_JSON, credit),
	LIST("labels", IMPORT_LABELS_JSON, label), RECORD("invoice", invoice),
	SCALAR("cost_type", IMPORT_COST_TYPE), SCALAR("cost_at_list", IMPORT_LIST_COST),
	RECORD("price", price), RECORD("consumption_model", model),
	SCALAR("cost_at_effective_price_default", IMPORT_DEFAULT_COST),
	SCALAR("cost_at_list_consumption_model", IMPORT_LIST_COST_MODEL),
	/* flattened, as dbt and Looker write it */
	SCALAR("service_id", IMPORT_SERVICE_ID),
	SCALAR("service_description", IMPORT_SERVICE), SCALAR("sku_id", IMPORT_SKU_ID),
	SCALAR("sku_description", IMPORT_SKU), SCALAR("project_id", IMPORT_PROJECT),
	SCALAR("project_number", IMPORT_NUMBER),
	LIST("project_labels", IMPORT_PROJECT_LABELS_JSON, label),
	SCALAR("location_location", IMPORT_LOCATION),
	SCALAR("location_region", IMPORT_REGION), SCALAR("location_zone", IMPORT_ZONE),
	SCALAR("resource_name", IMPORT_RESOURCE),
	SCALAR("resource_global_name", IMPORT_GLOBAL_NAME),
	SCALAR("usage_amount", IMPORT_USAGE), SCALAR("usage_unit", IMPORT_UNIT),
	SCALAR("usage_amount_in_pricing_units", IMPORT_PRICING_USAGE),
	SCALAR("usage_pricing_unit", IMPORT_PRICING_UNIT),
	SCALAR("invoice_month", IMPORT_INVOICE),
	SCALAR("price_effective_price", IMPORT_PRICE),
	SCALAR("price_pricing_unit_quantity", IMPORT_PRICE_QUANTITY),
	SCALAR("price_effective_price_default", IMPORT_PRICE_DEFAULT),
	SCALAR("consumption_model_id", IMPORT_MODEL),
	SCALAR("consumption_model_description", IMPORT_MODEL_NAME),
	SCALAR("credits_amount", IMPORT_ONE_CREDIT),
	SCALAR("credits_type", IMPORT_ONE_CREDIT),
	SCALAR("credits_name", IMPORT_ONE_CREDIT),
	SCALAR("credits.amount", IMPORT_ONE_CREDIT),
	SCALAR("credits.type", IMPORT_ONE_CREDIT),
	SCALAR("credits.name", IMPORT_ONE_CREDIT)};

/* FOCUS uses upper case for the same word. */
static const struct json_wish focus_credit[] = {SCALAR("Type", IMPORT_CREDIT_TYPE),
	SCALAR("Amount", IMPORT_CREDIT_AMOUNT), SCALAR("type", IMPORT_CREDIT_TYPE),
	SCALAR("amount", IMPORT_CREDIT_AMOUNT)};
static const struct json_wish focus_label[] = {SCALAR("Key", IMPORT_LABEL_KEY),
	SCALAR("Value", IMPORT_LABEL_VALUE), SCALAR("key", IMPORT_LABEL_KEY),
	SCALAR("value", IMPORT_LABEL_VALUE)};
static const struct json_wish focus_project[] = {SCALAR("Id", IMPORT_PROJECT),
	SCALAR("Number", IMPORT_NUMBER), SCALAR("id", IMPORT_PROJECT),
	SCALAR("number", IMPORT_NUMBER)};
static const struct json_wish focus_wishes[] = {SCALAR("BillingAccountId", IMPORT_ACCOUNT),
	SCALAR("x_ServiceId", IMPORT_SERVICE_ID), SCALAR("ServiceName", IMPORT_SERVICE),
	SCALAR("SkuId", IMPORT_SKU_ID), SCALAR("ChargeDescription", IMPORT_SKU),
	SCALAR("ChargePeriodStart", IMPORT_START), SCALAR("ChargePeriodEnd", IMPORT_END),
	SCALAR("SubAccountId", IMPORT_SUB_ACCOUNT),
	{JSON_KEY("x_Project"), .slot = IMPORT_PROJECT_JSON, .sub = focus_project,
		.n_sub = ARRAY_LEN(focus_project), .or_text = true},
	SCALAR("x_Location", IMPORT_LOCATION), SCALAR("RegionId", IMPORT_REGION),
	SCALAR("AvailabilityZone", IMPORT_ZONE), SCALAR("ResourceName", IMPORT_RESOURCE),
	SCALAR("ResourceId", IMPORT_GLOBAL_NAME), SCALAR("x_ExportTime", IMPORT_EXPORTED),
	SCALAR("BilledCost", IMPORT_BILLED_COST),
	SCALAR("ContractedCost", IMPORT_CONTRACTED_COST),
	SCALAR("ListCost", IMPORT_LIST_COST),
	SCALAR("x_CostAtListConsumptionModel", IMPORT_LIST_COST_MODEL),
	SCALAR("x_CostAtEffectivePriceDefault", IMPORT_DEFAULT_COST),
	SCALAR("x_ConsumptionModelId", IMPORT_MODEL),
	SCALAR("x_ConsumptionModelDescription", IMPORT_MODEL_NAME),
	SCALAR("BillingCurrency", IMPORT_CURRENCY),
	SCALAR("x_CurrencyConversionRate", IMPORT_RATE),
	SCALAR("ConsumedQuantity", IMPORT_USAGE), SCALAR("ConsumedUnit", IMPORT_UNIT),
	SCALAR("PricingQuantity", IMPORT_PRICING_QUANTITY),
	SCALAR("PricingUnit", IMPORT_QUANTITY_UNIT),
	SCALAR("BillingPeriodStart", IMPORT_BILLING_PERIOD),
	SCALAR("x_CostType", IMPORT_COST_TYPE),
	SCALAR("ChargeCategory", IMPORT_CHARGE_CATEGORY),
	SCALAR("ProviderName", IMPORT_PROVIDER),
	SCALAR("ServiceProviderName", IMPORT_SERVICE_PROVIDER),
	SCALAR("x_CreditType", IMPORT_ROW_CREDIT),
	LIST("x_Credits", IMPORT_CREDITS_JSON, focus_credit),
	LIST("x_Labels", IMPORT_LABELS_JSON, focus_label),
	LIST("x_ProjectLabels", IMPORT_PROJECT_LABELS_JSON, focus_label),
	LIST("Tags", IMPORT_TAGS_JSON, focus_label)};
static const struct json_wish lists[] = {{ITEMS(IMPORT_CREDITS_JSON, focus_credit)},
	{ITEMS(IMPORT_LABELS_JSON, focus_label)},
	{ITEMS(IMPORT_PROJECT_LABELS_JSON, focus_label)},
	{ITEMS(IMPORT_TAGS_JSON, focus_label)}};

static enum err_code rows_on_item(void *ctx, const struct json_wish *list, struct err *e)
{
	return list->slot == IMPORT_CREDITS_JSON
		? import_credit(ctx, e)
		: import_label(ctx, list->slot == IMPORT_PROJECT_LABELS_JSON, e);
}

static struct json_picker rows_picker_for(
	struct import_rows *rows, const struct json_wish *wishes, size_t n)
{
	return (struct json_picker){.wishes = wishes,
		.n = n,
		.slots = rows->v,
		.n_slots = IMPORT_NOTHING,
		.on_item = rows_on_item,
		.ctx = rows,
		.scratch = &rows->scratch};
}

/* {"owner": "ada"}: Tags of the specification. */
static enum err_code rows_tags(
	struct import_rows *rows, const char *text, size_t len, struct err *e)
{
	struct cJSON *tags;
	enum err_code rc;

	if (json_parse(text, len, &tags, e))
		return e->code;
	rc = E_OK;
	JSON_EACH (tag, tags) {
		const char *key = arena_strdup(&rows->scratch, json_key(tag));
		const char *value = arena_strdup(&rows->scratch, json_text(tag, ""));

		rows->v[IMPORT_LABEL_KEY] = (struct json_value){
			JSON_STRING, key, strlen(key)};
		rows->v[IMPORT_LABEL_VALUE] = (struct json_value){
			JSON_STRING, value, strlen(value)};
		if (!rc)
			rc = import_label(rows, false, e);
	}
	json_free(tags);
	return rc;
}

static enum err_code rows_list(struct import_rows *rows, enum import_field list,
	const char *text, size_t len, struct err *e)
{
	struct json_picker p = list == IMPORT_PROJECT_JSON
		? rows_picker_for(rows, focus_project, ARRAY_LEN(focus_project))
		: rows_picker_for(rows, &lists[list - IMPORT_CREDITS_JSON], 1);

	return list == IMPORT_TAGS_JSON && text[strspn(text, " ")] == '{'
		? rows_tags(rows, text, len, e)
		: json_pick(&p, text, len, e);
}

enum err_code import_texts(struct import_rows *rows, struct err *e)
{
	for (enum import_field f = IMPORT_CREDITS_JSON; f < IMPORT_NOTHING; f++) {
		const struct json_value *v = &rows->v[f];
		const char *text;

		if (!v->n)
			continue;
		text = arena_strndup(&rows->scratch, v->s, v->n);
		if (!strcmp(text, "null") || !rows_list(rows, f, text, v->n, e))
			continue;
		if (strstr(text, "{'"))
			err_fix(e,
				"expected JSON, such as that of TO_JSON_STRING(credits) or "
				"json.dumps(), not a Python literal");
		return err_wrap(e, "%s",
			f == IMPORT_CREDITS_JSON           ? "credits"
				: f == IMPORT_PROJECT_JSON ? "x_Project"
							   : "labels");
	}
	return E_OK;
}

/* ---- buffer ------------------------------------------------------------------------------------- */

struct window {
	struct import_input *in;
	char *buf; /* BUFFER bytes plus one */
	size_t from, to;
	bool ended;
};

/* Moves the remaining bytes to the beginning and fills the buffer. False at the end of the file. */
static bool rows_fill(struct window *w, struct err *e)
{
	size_t n = 0;

	memmove(w->buf, w->buf + w->from, w->to - w->from);
	w->to -= w->from;
	w->from = 0;
	if (import_more(w->in, w->buf + w->to, BUFFER - w->to, &n, e))
		return false;
	w->to += n;
	w->ended = n == 0;
	return n > 0;
}

/* The first row shows the format, and which of Google's two kinds of FOCUS it is. */
static void rows_detect(struct import_rows *rows, const char *text)
{
	rows->is_focus = strstr(text, "\"BilledCost\"") &&
		!strstr(text, "\"usage_start_time\""); /* "cost" may be a tag */
	rows->has.sku = strstr(text, "\"SkuId\"") || strstr(text, "\"ChargeDescription\"");
	rows->has.project = strstr(text, "\"project\"") || strstr(text, "\"project_id\"") ||
		strstr(text, "\"SubAccountId\"") || strstr(text, "\"x_Project\"");
	rows->no_credits = !strstr(text, rows->is_focus ? "\"x_Credits\"" : "\"credits\"");
	rows->quantity_is_price = rows->is_focus && strstr(text, "\"x_Credits\"") &&
		!strstr(text, "\"x_ConsumptionModelId\"") &&
		!strstr(text, "\"x_SubscriptionInstanceId\"") &&
		!strstr(text, "\"x_Labels\"");
}

static enum err_code rows_one_row(
	struct window *w, struct import_rows *rows, size_t len, struct err *e)
{
	struct json_picker p;
	char *text = w->buf + w->from, kept = text[len];
	enum err_code rc;

	text[len] = '\0';
	if (!rows->at)
		rows_detect(rows, text);
	rows->at = w->in->line;
	p = rows->is_focus ? rows_picker_for(rows, focus_wishes, ARRAY_LEN(focus_wishes))
			   : rows_picker_for(rows, row_wishes, ARRAY_LEN(row_wishes));
	rc = json_pick(&p, text, len, e);
	text[len] = kept;
	if (!rc && import_has(rows, IMPORT_ONE_CREDIT))
		rc = import_one_credit("credits_...", e);
	else if (!rc && !import_texts(rows, e))
		rc = import_row(rows, e);
	else
		rc = e->code;
	if (!rc && rows->rows % TURN_ROWS == 0 && w->in->turn)
		w->in->turn(w->in->ctx, rows->rows);
	return rc;
}

static enum err_code rows_too_long(struct err *e)
{
	return err_set(e, E_LIMIT, "a row exceeds %zu bytes", IMPORT_MAX_ROW);
}

/* ---- lines -------------------------------------------------------------------------------------- */

static enum err_code rows_read_lines(
	struct window *w, struct import_rows *rows, struct err *e)
{
	for (;;) {
		char *start = w->buf + w->from;
		char *nl = memchr(start, '\n', w->to - w->from);
		size_t len = nl ? (size_t)(nl - start) : w->to - w->from;

		if (!nl && len > IMPORT_MAX_ROW)
			return rows_too_long(e);
		if (!nl && !w->ended) {
			if (!rows_fill(w, e) && e->code)
				return e->code;
			continue;
		}
		if (len > IMPORT_MAX_ROW)
			return rows_too_long(e);
		w->buf[w->to] = '\0';
		if (len && strspn(start, " \t\r") < len && rows_one_row(w, rows, len, e))
			return e->code;
		w->in->line++;
		if (!nl)
			return E_OK;
		w->from += len + 1;
	}
}

/* ---- arrays ------------------------------------------------------------------------------------- */

/* Skips blanks and counts lines. False: only blanks are left. */
static bool rows_next_byte(struct window *w, struct err *e)
{
	for (;;) {
		while (w->from < w->to) {
			char c = w->buf[w->from];

			if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
				return true;
			w->in->line += c == '\n';
			w->from++;
		}
		if (w->ended || !rows_fill(w, e))
			return false;
	}
}

static void rows_count_lines(struct window *w, size_t len)
{
	const char *p = w->buf + w->from, *end = p + len;

	while ((p = memchr(p, '\n', (size_t)(end - p)))) {
		w->in->line++;
		p++;
	}
}

static enum err_code rows_element(struct window *w, struct import_rows *rows, struct err *e)
{
	size_t len;

	for (;;) {
		len = json_value_end(w->buf, w->to, w->from) - w->from;
		if (w->from + len < w->to || w->ended)
			break;
		if (len > IMPORT_MAX_ROW)
			return rows_too_long(e);
		if (!rows_fill(w, e) && e->code)
			return e->code;
	}
	if (len > IMPORT_MAX_ROW)
		return rows_too_long(e);
	if (rows_one_row(w, rows, len, e))
		return e->code;
	rows_count_lines(w, len);
	w->from += len;
	return E_OK;
}

/* Objects one after the other that span lines. */
static enum err_code rows_read_stream(
	struct window *w, struct import_rows *rows, struct err *e)
{
	while (rows_next_byte(w, e))
		if (rows_element(w, rows, e))
			return e->code;
	return e->code;
}

/* Tests whether an object begins on the first line and does not end on it. */
static bool rows_span_lines(const struct window *w)
{
	const char *start = w->buf + w->from, *nl = memchr(start, '\n', w->to - w->from);

	return nl && *start == '{' &&
		json_value_end(w->buf, w->to, w->from) > (size_t)(nl - w->buf);
}

static enum err_code rows_want(struct err *e, const char *what)
{
	return e->code ? e->code : err_set(e, E_DATA, "JSON: expected %s", what);
}

static enum err_code rows_read_array(
	struct window *w, struct import_rows *rows, struct err *e)
{
	bool more = true;

	w->from++; /* the opening bracket */
	if (!rows_next_byte(w, e))
		return rows_want(e, "a row or ']'");
	if (w->buf[w->from] == ']')
		more = false;
	while (more) {
		if (!rows_next_byte(w, e))
			return rows_want(e, "a row");
		if (rows_element(w, rows, e))
			return e->code;
		if (!rows_next_byte(w, e))
			return rows_want(e, "',' or ']'");
		more = w->buf[w->from] == ',';
		if (!more && w->buf[w->from] != ']')
			return rows_want(e, "',' or ']'");
		w->from += more;
	}
	w->from++;
	return rows_next_byte(w, e) ? rows_want(e, "nothing after the array") : e->code;
}

enum err_code import_json(struct import_input *in, struct import_rows *rows, struct err *e)
{
	struct window w = {.in = in, .buf = xmalloc(BUFFER + 1)};
	enum err_code rc = E_OK;

	err_clear(e);
	in->line = 1;
	if (rows_next_byte(&w, e))
		rc = w.buf[w.from] == '['     ? rows_read_array(&w, rows, e)
			: rows_span_lines(&w) ? rows_read_stream(&w, rows, e)
					      : rows_read_lines(&w, rows, e);
	else
		rc = e->code;
	free(w.buf);
	return rc;
}

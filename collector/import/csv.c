/* CSV: the flattened export, with dotted column names as BigQuery prints them, and FOCUS. */
#include "base/data/csv.h"
#include "base/str.h"
#include "collector/import/input.h"

#include <string.h>

#define TURN_ROWS 20000

struct column {
	const char *name;
	int field; /* enum import_field, or one of these: */
};
enum { IMPORT_CREDITS_JSON = IMPORT_FIELDS, IMPORT_PROJECT_JSON, IMPORT_NOTHING };

static const struct column flattened[] = {
	{"billing_account_id", IMPORT_ACCOUNT},
	{"service.id", IMPORT_SERVICE_ID},
	{"service.description", IMPORT_SERVICE},
	{"sku.id", IMPORT_SKU_ID},
	{"sku.description", IMPORT_SKU},
	{"usage_start_time", IMPORT_START},
	{"project.id", IMPORT_PROJECT},
	{"project.number", IMPORT_NUMBER},
	{"location.location", IMPORT_LOCATION},
	{"location.region", IMPORT_REGION},
	{"location.zone", IMPORT_ZONE},
	{"resource.name", IMPORT_RESOURCE},
	{"resource.global_name", IMPORT_GLOBAL_NAME},
	{"export_time", IMPORT_EXPORTED},
	{"cost", IMPORT_COST},
	{"currency", IMPORT_CURRENCY},
	{"currency_conversion_rate", IMPORT_RATE},
	{"usage.amount", IMPORT_USAGE},
	{"usage.unit", IMPORT_UNIT},
	{"usage.amount_in_pricing_units", IMPORT_PRICING_USAGE},
	{"usage.pricing_unit", IMPORT_PRICING_UNIT},
	{"invoice.month", IMPORT_INVOICE},
	{"cost_type", IMPORT_COST_TYPE},
	{"price.effective_price", IMPORT_PRICE},
	{"price.pricing_unit_quantity", IMPORT_PRICE_QUANTITY},
	{"credits", IMPORT_CREDITS_JSON},
};

/* FOCUS 1.x columns; those with x_ are Google's own (FOCUS export schema). */
static const struct column focus[] = {
	{"BillingAccountId", IMPORT_ACCOUNT},
	{"x_ServiceId", IMPORT_SERVICE_ID},
	{"ServiceName", IMPORT_SERVICE},
	{"SkuId", IMPORT_SKU_ID},
	{"ChargeDescription", IMPORT_SKU},
	{"ChargePeriodStart", IMPORT_START},
	{"SubAccountId", IMPORT_PROJECT},
	{"x_Location", IMPORT_LOCATION},
	{"RegionId", IMPORT_REGION},
	{"AvailabilityZone", IMPORT_ZONE},
	{"ResourceName", IMPORT_RESOURCE},
	{"ResourceId", IMPORT_GLOBAL_NAME},
	{"x_ExportTime", IMPORT_EXPORTED},
	{"BilledCost", IMPORT_BILLED_COST},
	{"BillingCurrency", IMPORT_CURRENCY},
	{"x_CurrencyConversionRate", IMPORT_RATE},
	{"ConsumedQuantity", IMPORT_USAGE},
	{"ConsumedUnit", IMPORT_UNIT},
	{"PricingQuantity", IMPORT_PRICING_USAGE},
	{"PricingUnit", IMPORT_PRICING_UNIT},
	{"BillingPeriodStart", IMPORT_BILLING_PERIOD},
	{"x_CostType", IMPORT_COST_TYPE},
	{"ChargeCategory", IMPORT_CHARGE_CATEGORY},
	{"x_Credits", IMPORT_CREDITS_JSON},
};

static const char *const needed_flat[] = {"usage_start_time", "cost", "currency",
	"service.description", "sku.description", "invoice.month"};
static const char *const needed_focus[] = {"ChargePeriodStart", "BilledCost",
	"BillingCurrency", "ServiceName", "BillingPeriodStart"};

struct table {
	int field[CSV_MAX_FIELDS];
	size_t n;
};

static bool same_name(const struct csv_field *f, const char *name)
{
	return strlen(name) == f->len && !memcmp(f->s, name, f->len);
}

static const struct column *find(
	const struct column *list, size_t n, const struct csv_field *f)
{
	for (size_t i = 0; i < n; i++)
		if (same_name(f, list[i].name))
			return &list[i];
	return NULL;
}

static bool in_row(const struct csv_row *row, const char *name)
{
	for (size_t i = 0; i < row->n; i++)
		if (same_name(&row->f[i], name))
			return true;
	return false;
}

static enum err_code check_needed(
	const struct csv_row *header, const char *const *needed, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (!in_row(header, needed[i])) {
			err_set(e, E_DATA, "column \"%s\" is missing", needed[i]);
			return err_fix(e,
				"want a CSV of the Cloud Billing export with dotted column "
				"names, or a FOCUS CSV");
		}
	return E_OK;
}

/* Which column is what. Columns that nobody knows are left alone; one that comes twice is
 * refused, as nobody could say which of them is meant. */
static enum err_code read_header(struct import_rows *rows, struct table *t,
	const struct csv_row *header, struct err *e)
{
	bool is_focus = in_row(header, "BilledCost") && !in_row(header, "cost");
	const struct column *list = is_focus ? focus : flattened;
	size_t n = is_focus ? ARRAY_LEN(focus) : ARRAY_LEN(flattened);
	bool seen[IMPORT_NOTHING] = {false};

	if (is_focus ? check_needed(header, needed_focus, ARRAY_LEN(needed_focus), e)
		     : check_needed(header, needed_flat, ARRAY_LEN(needed_flat), e))
		return e->code;
	t->n = header->n;
	rows->no_credits = true;
	for (size_t i = 0; i < header->n; i++) {
		const struct column *c = find(list, n, &header->f[i]);

		if (header->f[i].len > 8 && !memcmp(header->f[i].s, "credits.", 8)) {
			err_set(e, E_DATA,
				"column \"%.40s\": a row per credit counts costs "
				"more than once",
				header->f[i].s);
			return err_fix(e,
				"want the credits of a row as JSON text in one column "
				"\"credits\": TO_JSON_STRING(credits)");
		}

		t->field[i] = c ? c->field : IMPORT_NOTHING;
		if (c && seen[c->field])
			return err_set(e, E_DATA, "column \"%s\" comes twice", c->name);
		if (c)
			seen[c->field] = true;
		if (c && c->field == IMPORT_CREDITS_JSON)
			rows->no_credits = false;
	}
	return E_OK;
}

/* An empty field is a NULL, as BigQuery writes them. */
static enum err_code take_row(struct import_rows *rows, const struct table *t,
	const struct csv_row *row, struct err *e)
{
	const struct csv_field *credits = NULL;

	if (row->n != t->n)
		return err_set(e, E_DATA, "%zu fields, the header has %zu", row->n, t->n);
	for (size_t i = 0; i < row->n; i++) {
		const struct csv_field *f = &row->f[i];

		if (t->field[i] == IMPORT_CREDITS_JSON)
			credits = f;
		else if (t->field[i] < IMPORT_FIELDS && f->len)
			rows->v[t->field[i]] = (struct json_value){
				.kind = JSON_STRING, .s = f->s, .n = f->len};
	}
	if (credits && credits->len && strcmp(credits->s, "null") != 0 &&
		import_credits(rows, credits->s, credits->len, e))
		return err_wrap(e, "credits");
	return import_row(rows, e);
}

static enum err_code more(void *ctx, void *buf, size_t room, size_t *n, struct err *e)
{
	return import_more(ctx, buf, room, n, e);
}

static enum err_code read_rows(struct import_input *in, struct import_rows *rows,
	struct csv *csv, struct table *t, struct err *e)
{
	struct csv_row row;

	for (bool header = true;; header = false) {
		in->line = 0; /* errors of the reader name the line themselves */
		if (csv_row(csv, &row, e))
			return e->code;
		in->line = row.line;
		if (!row.f)
			return header ? err_set(e, E_DATA, "the file is empty") : E_OK;
		if (header ? read_header(rows, t, &row, e) : take_row(rows, t, &row, e))
			return e->code;
		if (rows->rows % TURN_ROWS == 1 && in->turn)
			in->turn(in->ctx, rows->rows);
	}
}

enum err_code import_csv(struct import_input *in, struct import_rows *rows, struct err *e)
{
	struct table *t = xcalloc(1, sizeof(*t));
	struct csv csv;
	enum err_code rc;

	csv_init(&csv, in->name, more, in);
	rc = read_rows(in, rows, &csv, t, e);
	csv_done(&csv);
	free_ptr(&t);
	return rc;
}

/* CSV: the flattened export, with dotted column names as BigQuery prints them or with underscores as dbt
 * and Looker write them, and FOCUS. */
#include "base/data/csv.h"
#include "base/str.h"
#include "collector/import/row.h"

#include <string.h>

#define TURN_ROWS 20000

static const struct {
	const char *name;
	int field;
} flat_json[] = {{"credits", IMPORT_CREDITS_JSON}, {"labels", IMPORT_LABELS_JSON},
	{"project.labels", IMPORT_PROJECT_LABELS_JSON}};

static const char *const needed_flat[] = {"usage_start_time", "cost", "currency",
	"service.description", "sku.description", "invoice.month"};
static const char *const needed_focus[] = {"ChargePeriodStart", "BilledCost",
	"BillingCurrency", "ServiceName", "BillingPeriodStart"};

struct table {
	int field[CSV_MAX_FIELDS];
	size_t n;
};

/* A dot of the name may be an underscore in the file. */
static bool csv_same_name(const struct csv_field *f, const char *name)
{
	for (size_t i = 0; i < f->len; i++)
		if (f->s[i] != name[i] && !(f->s[i] == '_' && name[i] == '.'))
			return false;
	return !name[f->len];
}

/* Columns of the flattened export have the names of the fields. */
static int csv_field_of(const struct csv_field *f, bool is_focus)
{
	if (is_focus)
		return import_focus_field(f->s, f->len);
	for (int i = 0; i < IMPORT_CREDIT_TYPE; i++)
		if (csv_same_name(f, import_names[i]))
			return i;
	for (size_t i = 0; i < ARRAY_LEN(flat_json); i++)
		if (csv_same_name(f, flat_json[i].name))
			return flat_json[i].field;
	return IMPORT_NOTHING;
}

static bool csv_in_row(const struct csv_row *row, const char *name)
{
	for (size_t i = 0; i < row->n; i++)
		if (csv_same_name(&row->f[i], name))
			return true;
	return false;
}

static enum err_code csv_check_needed(
	const struct csv_row *header, const char *const *needed, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (!csv_in_row(header, needed[i])) {
			err_set(e, E_DATA, "column '%s' is missing", needed[i]);
			return err_fix(e,
				"expected a CSV of the Cloud Billing export with columns "
				"such as service.description or service_description, or a "
				"FOCUS CSV");
		}
	return E_OK;
}

/* One row per credit would count its cost more than once. */
static bool csv_is_of_credit(const struct csv_field *f)
{
	static const char *const parts[] = {"credits.name", "credits.amount",
		"credits.type", "credits.id", "credits.full_name"};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (csv_same_name(f, parts[i]))
			return true;
	return f->len > 8 && !memcmp(f->s, "credits.", 8);
}

/* Google's view over the detailed export has neither of the columns that its FOCUS export has, and the unit
 * of a price in PricingQuantity. */
static bool csv_is_view(const struct csv_row *header)
{
	return csv_in_row(header, "x_Credits") &&
		(csv_in_row(header, "Tags") || csv_in_row(header, "x_CostType")) &&
		!csv_in_row(header, "x_ConsumptionModelId") &&
		!csv_in_row(header, "x_SubscriptionInstanceId") &&
		!csv_in_row(header, "x_Labels");
}

/* Maps columns to fields. Unknown columns are ignored; a repeated column is refused because it is
 * ambiguous. */
static enum err_code csv_read_header(struct import_rows *rows, struct table *t,
	const struct csv_row *header, struct err *e)
{
	bool is_focus = csv_in_row(header, "BilledCost") && !csv_in_row(header, "cost");
	bool seen[IMPORT_NOTHING + 1] = {false};

	if (is_focus ? csv_check_needed(header, needed_focus, ARRAY_LEN(needed_focus), e)
		     : csv_check_needed(header, needed_flat, ARRAY_LEN(needed_flat), e))
		return e->code;
	t->n = header->n;
	for (size_t i = 0; i < header->n; i++) {
		const struct csv_field *f = &header->f[i];
		int field = csv_field_of(f, is_focus);

		if (csv_is_of_credit(f))
			return import_one_credit(f->s, e);
		if (field != IMPORT_NOTHING && seen[field])
			return err_set(e, E_DATA, "column '%s' occurs twice", f->s);
		t->field[i] = field;
		seen[field] = true;
	}
	rows->is_focus = is_focus;
	rows->quantity_is_price = is_focus && csv_is_view(header);
	rows->no_credits = !seen[IMPORT_CREDITS_JSON];
	rows->has.sku = seen[IMPORT_SKU] || seen[IMPORT_SKU_ID];
	rows->has.project = seen[IMPORT_PROJECT] || seen[IMPORT_NUMBER] ||
		seen[IMPORT_SUB_ACCOUNT] || seen[IMPORT_PROJECT_JSON];
	return E_OK;
}

/* An empty field is NULL, as BigQuery writes it. */
static enum err_code csv_take_row(struct import_rows *rows, const struct table *t,
	const struct csv_row *row, struct err *e)
{
	if (row->n != t->n)
		return err_set(
			e, E_DATA, "%zu fields, but the header has %zu", row->n, t->n);
	for (size_t i = 0; i < row->n; i++) {
		const struct csv_field *f = &row->f[i];

		if (t->field[i] != IMPORT_NOTHING && f->len)
			rows->v[t->field[i]] = (struct json_value){
				.kind = JSON_STRING, .s = f->s, .n = f->len};
	}
	return import_texts(rows, e) ? e->code : import_row(rows, e);
}

static enum err_code csv_read_rows(struct import_input *in, struct import_rows *rows,
	struct csv *csv, struct table *t, struct err *e)
{
	struct csv_row row;

	for (bool header = true;; header = false) {
		in->line = 0; /* errors of the reader contain the line already */
		if (csv_row(csv, &row, e))
			return e->code;
		in->line = rows->at = row.line;
		if (!row.f)
			return header ? err_set(e, E_DATA, "the file is empty") : E_OK;
		if (header ? csv_read_header(rows, t, &row, e)
			   : csv_take_row(rows, t, &row, e))
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

	csv_init(&csv, in->name, import_more, in);
	rc = csv_read_rows(in, rows, &csv, t, e);
	csv_done(&csv);
	free_ptr(&t);
	return rc;
}

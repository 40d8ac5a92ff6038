/* The table of an export: its properties, and the columns that it has. */
#include "collector/bill/read.h"

bool billing_has(const struct bq_table *t, const char *path)
{
	return bq_field_find(t->fields, t->n_fields, path) != NULL;
}

static enum err_code billing_read_shape(
	struct billing_reading *r, const struct bq_table *t, struct err *e)
{
	static const char *const required[] = {"usage_start_time", "export_time",
		"service.id", "service.description", "sku.id", "sku.description",
		"project.id", "invoice.month", "cost", "currency", "credits",
		"usage.amount", "location.location"};
	const struct billing_export *cut = r->p->table;

	for (size_t i = 0; i < ARRAY_LEN(required); i++) {
		if (billing_has(t, required[i]))
			continue;
		err_set(e, E_DATA, "table %s: column %s is missing: not a billing export",
			cut->name, required[i]);
		return err_fix(e, "check billing.table in the configuration");
	}
	r->shape = (struct billing_shape){
		.has_partition_time = *t->partition_type && !*t->partition_field,
		.has_account = billing_has(t, "billing_account_id"),
		.has_number = billing_has(t, "project.number"),
		.has_resource = billing_has(t, "resource.name") &&
			billing_has(t, "resource.global_name"),
		.has_rate = billing_has(t, "currency_conversion_rate"),
		.has_cost_type = billing_has(t, "cost_type"),
		.has_pricing_usage = billing_has(t, "usage.amount_in_pricing_units") &&
			billing_has(t, "usage.pricing_unit"),
		.has_price = billing_has(t, "price.effective_price") &&
			billing_has(t, "price.pricing_unit_quantity"),
		.has_labels = billing_has(t, "labels.value") &&
			billing_has(t, "project.labels.value"),
		.has_model = billing_has(t, "consumption_model.id") &&
			billing_has(t, "consumption_model.description"),
		.has_list = billing_has(t, "cost_at_list"),
		.has_list_model = billing_has(t, "cost_at_list_consumption_model"),
		.has_default = billing_has(t, "cost_at_effective_price_default"),
		.has_price_default = billing_has(t, "price.effective_price_default"),
		.has_cut = cut->from != DAY_NONE || cut->until != DAY_NONE,
	};
	return E_OK;
}

void billing_add_up_days(struct billing_shape *s)
{
	s->by_day = true;
	s->has_resource = s->has_labels = false;
}

enum err_code billing_table_open(
	struct billing_reading *r, struct bq_table *out, struct err *e)
{
	const struct billing_export *t = r->p->table;
	struct bq_name name;

	if (!billing_table_valid(t->name)) {
		err_set(e, E_CONFIG, "billing table '%s' is not a valid table name",
			t->name);
		return err_fix(e, "expected project.dataset.table");
	}
	if (bq_name_parse(t->name, r->p->arena, &name, e) ||
		bq_table_get(r->p->gcp, &name, r->p->arena, out, e))
		return err_wrap(e, "table %s", t->name);
	if (billing_read_shape(r, out, e))
		return e->code;
	if (r->p->settings->by_day)
		billing_add_up_days(&r->shape);
	/* Google knows the location of the dataset; the configuration may be wrong. */
	r->table = t->name;
	r->project = name.project;
	r->location = *out->location ? out->location : t->location;
	return E_OK;
}

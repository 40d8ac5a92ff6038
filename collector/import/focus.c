/* FOCUS files: the FinOps Open Cost and Usage Specification, and Google's two kinds of it, the view over
 * the detailed export and the table of the FOCUS export. */
#include "base/money.h"
#include "base/str.h"
#include "collector/import/row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Amounts of one row that a view computed in binary may differ by this much, in nanos. */
#define FOCUS_NEAR 2000

/* Columns of FOCUS 1.0 to 1.4; x_ columns are Google's (FOCUS export schema), x_CreditType is tpucost's. */
static const struct {
	const char *name;
	int field;
} focus_columns[] = {
	{"BillingAccountId", IMPORT_ACCOUNT},
	{"x_ServiceId", IMPORT_SERVICE_ID},
	{"ServiceName", IMPORT_SERVICE},
	{"SkuId", IMPORT_SKU_ID},
	{"ChargeDescription", IMPORT_SKU},
	{"ChargePeriodStart", IMPORT_START},
	{"ChargePeriodEnd", IMPORT_END},
	{"SubAccountId", IMPORT_SUB_ACCOUNT},
	{"x_Project", IMPORT_PROJECT_JSON},
	{"x_Project.Id", IMPORT_PROJECT},
	{"x_Project.Number", IMPORT_NUMBER},
	{"x_Location", IMPORT_LOCATION},
	{"RegionId", IMPORT_REGION},
	{"AvailabilityZone", IMPORT_ZONE},
	{"ResourceName", IMPORT_RESOURCE},
	{"ResourceId", IMPORT_GLOBAL_NAME},
	{"x_ExportTime", IMPORT_EXPORTED},
	{"BilledCost", IMPORT_BILLED_COST},
	{"ContractedCost", IMPORT_CONTRACTED_COST},
	{"ListCost", IMPORT_LIST_COST},
	{"x_CostAtListConsumptionModel", IMPORT_LIST_COST_MODEL},
	{"x_CostAtEffectivePriceDefault", IMPORT_DEFAULT_COST},
	{"x_ConsumptionModelId", IMPORT_MODEL},
	{"x_ConsumptionModelDescription", IMPORT_MODEL_NAME},
	{"BillingCurrency", IMPORT_CURRENCY},
	{"x_CurrencyConversionRate", IMPORT_RATE},
	{"ConsumedQuantity", IMPORT_USAGE},
	{"ConsumedUnit", IMPORT_UNIT},
	{"PricingQuantity", IMPORT_PRICING_QUANTITY},
	{"PricingUnit", IMPORT_QUANTITY_UNIT},
	{"BillingPeriodStart", IMPORT_BILLING_PERIOD},
	{"x_CostType", IMPORT_COST_TYPE},
	{"ChargeCategory", IMPORT_CHARGE_CATEGORY},
	{"ProviderName", IMPORT_PROVIDER},
	{"ServiceProviderName", IMPORT_SERVICE_PROVIDER},
	{"x_CreditType", IMPORT_ROW_CREDIT},
	{"x_Credits", IMPORT_CREDITS_JSON},
	{"x_Labels", IMPORT_LABELS_JSON},
	{"x_ProjectLabels", IMPORT_PROJECT_LABELS_JSON},
	{"Tags", IMPORT_TAGS_JSON},
};

int import_focus_field(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(focus_columns); i++)
		if (strlen(focus_columns[i].name) == len &&
			!memcmp(focus_columns[i].name, name, len))
			return focus_columns[i].field;
	return IMPORT_NOTHING;
}

/* ---- providers -------------------------------------------------------------------------------- */

static bool focus_is_google(const struct json_value *v)
{
	return (v->n >= 6 && !strncasecmp(v->s, "google", 6)) ||
		(v->n == 3 && !strncasecmp(v->s, "gcp", 3));
}

/* Adds the name to the list, once, as long as there is room. */
static void focus_note_provider(struct import_focus *f, const struct json_value *v)
{
	char name[64];
	size_t n = strlen(f->providers);

	snprintf(name, sizeof(name), "%.*s", (int)(v->n < 60 ? v->n : 60), v->s);
	if (strstr(f->providers, name) || n + strlen(name) + 3 > sizeof(f->providers))
		return;
	snprintf(f->providers + n, sizeof(f->providers) - n, "%s%s", n ? ", " : "", name);
}

bool import_focus_foreign(struct import_rows *r)
{
	const struct json_value *v =
		&r->v[import_has(r, IMPORT_SERVICE_PROVIDER) ? IMPORT_SERVICE_PROVIDER
							     : IMPORT_PROVIDER];

	if (v->kind != JSON_STRING || !v->n) {
		r->focus.unnamed++;
		return false;
	}
	if (focus_is_google(v))
		return false;
	r->focus.foreign++;
	focus_note_provider(&r->focus, v);
	return true;
}

/* ---- cost ------------------------------------------------------------------------------------- */

static int64_t focus_distance(int64_t a, int64_t b)
{
	int64_t d;

	return nanos_sub(a, b, &d) && d > -INT64_MAX ? llabs(d) : INT64_MAX;
}

/* Google's files have cost before credits in ContractedCost: BilledCost of a row with credits is equal to
 * it in copies of the view that leave credits out, and less by the credits in Google's own. */
static enum err_code focus_billed(struct import_rows *r, int64_t billed, int64_t credits,
	enum import_billed *out, struct err *e)
{
	struct import_focus *f = &r->focus;
	int64_t contracted, after, from_after, from_before;

	*out = r->billed;
	if (!credits || r->billed)
		return E_OK;
	if (import_amount(r, IMPORT_CONTRACTED_COST, &contracted, NULL, e))
		return e->code;
	if (!nanos_add(contracted, credits, &after))
		return err_set(e, E_OVERFLOW, "ContractedCost is too large");
	from_after = focus_distance(billed, after);
	from_before = focus_distance(billed, contracted);
	if (!import_has(r, IMPORT_CONTRACTED_COST) || from_after == from_before ||
		(from_after > FOCUS_NEAR && from_before > FOCUS_NEAR)) {
		if (f->n_unclear < (int64_t)ARRAY_LEN(f->unclear))
			f->unclear[f->n_unclear] = r->at;
		f->n_unclear++;
	} else if (from_after < from_before) {
		*out = IMPORT_BILLED_AFTER;
		f->after++;
	} else {
		*out = IMPORT_BILLED_BEFORE;
		f->before++;
	}
	return E_OK;
}

/* Tests whether BilledCost of a row without credits contains some: it is not ContractedCost. */
static bool focus_is_net(struct import_rows *r, int64_t billed)
{
	struct err ignored;
	int64_t contracted;

	return import_has(r, IMPORT_CONTRACTED_COST) &&
		!import_amount(r, IMPORT_CONTRACTED_COST, &contracted, NULL, &ignored) &&
		focus_distance(billed, contracted) > FOCUS_NEAR;
}

static enum err_code focus_row_credits(
	const struct import_rows *r, int64_t *sum, struct err *e)
{
	*sum = 0;
	for (size_t i = 0; i < r->n_credits; i++)
		if (!nanos_add(*sum, r->credits[i].amount, sum))
			return err_set(e, E_OVERFLOW, "the credits are too large");
	return E_OK;
}

/* FOCUS has credits in separate rows, too. */
static enum err_code focus_credit_row(
	struct import_rows *r, struct usage_line *l, struct err *e)
{
	struct import_credit c = {.amount = l->cost};

	if (import_text_of(r, IMPORT_ROW_CREDIT, &c.type, e))
		return e->code;
	if (!*c.type)
		c.type = "UNKNOWN";
	r->credits[r->n_credits++] = c;
	r->focus.net = true;
	l->cost = 0;
	/* list prices apply to usage */
	r->v[IMPORT_LIST_COST].kind = r->v[IMPORT_LIST_COST_MODEL].kind =
		r->v[IMPORT_DEFAULT_COST].kind = JSON_ABSENT;
	return E_OK;
}

enum err_code import_focus_cost(
	struct import_rows *r, struct usage_line *l, int64_t *rest, struct err *e)
{
	const struct json_value *category = &r->v[IMPORT_CHARGE_CATEGORY];
	enum import_billed billed;
	int64_t credits;

	if (import_amount(r, IMPORT_BILLED_COST, &l->cost, rest, e) ||
		focus_row_credits(r, &credits, e) ||
		focus_billed(r, l->cost, credits, &billed, e))
		return e->code;
	if (!r->n_credits && category->n == 6 && !strncasecmp(category->s, "credit", 6))
		return focus_credit_row(r, l, e);
	if (!r->n_credits && focus_is_net(r, l->cost))
		r->focus.net = true;
	if (billed != IMPORT_BILLED_AFTER)
		*rest += import_credits_rest(r);
	if (billed == IMPORT_BILLED_AFTER && !nanos_sub(l->cost, credits, &l->cost))
		return err_set(e, E_OVERFLOW, "BilledCost is too large");
	return E_OK;
}

/* ---- project and usage ------------------------------------------------------------------------ */

/* Google's view names the billing account as SubAccountId, and the project in x_Project. */
static enum err_code focus_project(
	struct import_rows *r, struct usage_line *l, struct err *e)
{
	if (*l->project)
		return E_OK;
	if (import_text_of(r, IMPORT_SUB_ACCOUNT, &l->project, e))
		return e->code;
	if (!strcmp(l->project, l->account))
		l->project = "";
	return E_OK;
}

enum err_code import_focus_place(struct import_rows *r, struct usage_line *l, struct err *e)
{
	struct json_value *quantity = &r->v[IMPORT_PRICING_QUANTITY],
			  *unit = &r->v[IMPORT_QUANTITY_UNIT];

	if (!r->quantity_is_price && import_has(r, IMPORT_PRICING_QUANTITY)) {
		r->v[IMPORT_PRICING_USAGE] = *quantity;
		r->v[IMPORT_PRICING_UNIT] = *unit;
	}
	return focus_project(r, l, e);
}

/* ---- end of a file ---------------------------------------------------------------------------- */

static enum err_code focus_undecided(const struct import_focus *f, struct err *e)
{
	char rows[80] = "";

	for (int64_t i = 0; i < f->n_unclear && i < (int64_t)ARRAY_LEN(f->unclear); i++)
		snprintf(rows + strlen(rows), sizeof(rows) - strlen(rows), "%s%lld",
			i ? ", " : "", (long long)f->unclear[i]);
	if (f->n_unclear)
		err_set(e, E_DATA,
			"BilledCost of %lld row%s with credits (line %s%s) is neither "
			"ContractedCost nor ContractedCost plus the credits",
			(long long)f->n_unclear, f->n_unclear == 1 ? "" : "s", rows,
			f->n_unclear > (int64_t)ARRAY_LEN(f->unclear) ? ", ..." : "");
	else
		err_set(e, E_DATA,
			"BilledCost is after credits in %lld row%s and before credits in "
			"%lld",
			(long long)f->after, f->after == 1 ? "" : "s",
			(long long)f->before);
	return err_fix(e,
		"say what BilledCost contains: --billed-cost after-credits or "
		"--billed-cost before-credits");
}

/* Google bills an account in one currency, and states its rate: without one, such rows were put together. */
static enum err_code focus_mixed(const struct import_rows *r, struct err *e)
{
	const struct import_sum *s = r->sums;

	for (size_t i = 0; i < r->n_sums; i++)
		if (!s[i].rated && strcmp(s[i].currency, "USD") != 0)
			return err_set_fix(e, E_DATA,
				"import the rows of each currency as a file of their own: "
				"sums then stay apart",
				"rows are in several currencies (%s, %s), and none states "
				"the conversion rate of %s",
				s[0].currency, s[1].currency, s[i].currency);
	return E_OK;
}

enum err_code import_focus_end(const struct import_rows *r, struct err *e)
{
	const struct import_focus *f = &r->focus;

	if (f->n_unclear || (f->after && f->before))
		return focus_undecided(f, e);
	if (f->foreign && f->unnamed)
		return err_set_fix(e, E_DATA,
			"name the provider of each row in ProviderName or "
			"ServiceProviderName",
			"%lld row%s no provider, in a file with rows of others (%s)",
			(long long)f->unnamed, f->unnamed == 1 ? " names" : "s name",
			f->providers);
	if (r->is_focus && r->n_sums > 1 && focus_mixed(r, e))
		return e->code;
	if (!r->rows && f->foreign)
		return err_set_fix(e, E_DATA, "expected rows of Google Cloud",
			"all %lld rows are of other providers: %s", (long long)f->foreign,
			f->providers);
	return E_OK;
}

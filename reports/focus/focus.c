#include "reports/focus/focus.h"

#include "base/data/json.h"
#include "base/money.h"
#include "base/str.h"
#include "base/time/civil.h"
#include "base/time/tz.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define GOOGLE "Google Cloud"
#define DEFAULT_MODEL "7754-699E-0EBF"

enum focus_column {
	AVAILABILITY_ZONE,
	BILLED_COST,
	BILLING_ACCOUNT_ID,
	BILLING_ACCOUNT_NAME,
	BILLING_ACCOUNT_TYPE,
	BILLING_CURRENCY,
	BILLING_PERIOD_END,
	BILLING_PERIOD_START,
	CHARGE_CATEGORY,
	CHARGE_CLASS,
	CHARGE_DESCRIPTION,
	CHARGE_FREQUENCY,
	CHARGE_PERIOD_END,
	CHARGE_PERIOD_START,
	CONTRACTED_COST,
	EFFECTIVE_COST,
	HOST_PROVIDER,
	INVOICE_ISSUER,
	LIST_COST,
	PRICING_CATEGORY,
	PRICING_QUANTITY,
	PRICING_UNIT,
	PROVIDER,
	PUBLISHER,
	REGION_ID,
	RESOURCE_ID,
	RESOURCE_NAME,
	SERVICE_CATEGORY,
	SERVICE_NAME,
	SERVICE_PROVIDER,
	SKU_ID,
	SUB_ACCOUNT_ID,
	SUB_ACCOUNT_TYPE,
	TAGS,
	X_MODEL_NAME,
	X_MODEL,
	X_DEFAULT_COST,
	X_COST_TYPE,
	X_CREDIT_TYPE,
	X_CREDITS,
	X_RATE,
	X_LOCATION,
	X_PROJECT,
	X_SERVICE_ID,
	FOCUS_COLUMNS,
};

/* In the order of the specification; columns of tpucost and of Google's FOCUS export follow. */
static const struct {
	const char *name;
	enum focus_version since, until;
} columns[FOCUS_COLUMNS] = {
	[AVAILABILITY_ZONE] = {"AvailabilityZone", FOCUS_1_2, FOCUS_1_4},
	[BILLED_COST] = {"BilledCost", FOCUS_1_2, FOCUS_1_4},
	[BILLING_ACCOUNT_ID] = {"BillingAccountId", FOCUS_1_2, FOCUS_1_4},
	[BILLING_ACCOUNT_NAME] = {"BillingAccountName", FOCUS_1_2, FOCUS_1_4},
	[BILLING_ACCOUNT_TYPE] = {"BillingAccountType", FOCUS_1_2, FOCUS_1_4},
	[BILLING_CURRENCY] = {"BillingCurrency", FOCUS_1_2, FOCUS_1_4},
	[BILLING_PERIOD_END] = {"BillingPeriodEnd", FOCUS_1_2, FOCUS_1_4},
	[BILLING_PERIOD_START] = {"BillingPeriodStart", FOCUS_1_2, FOCUS_1_4},
	[CHARGE_CATEGORY] = {"ChargeCategory", FOCUS_1_2, FOCUS_1_4},
	[CHARGE_CLASS] = {"ChargeClass", FOCUS_1_2, FOCUS_1_4},
	[CHARGE_DESCRIPTION] = {"ChargeDescription", FOCUS_1_2, FOCUS_1_4},
	[CHARGE_FREQUENCY] = {"ChargeFrequency", FOCUS_1_2, FOCUS_1_4},
	[CHARGE_PERIOD_END] = {"ChargePeriodEnd", FOCUS_1_2, FOCUS_1_4},
	[CHARGE_PERIOD_START] = {"ChargePeriodStart", FOCUS_1_2, FOCUS_1_4},
	[CONTRACTED_COST] = {"ContractedCost", FOCUS_1_2, FOCUS_1_4},
	[EFFECTIVE_COST] = {"EffectiveCost", FOCUS_1_2, FOCUS_1_4},
	[HOST_PROVIDER] = {"HostProviderName", FOCUS_1_3, FOCUS_1_4},
	[INVOICE_ISSUER] = {"InvoiceIssuerName", FOCUS_1_2, FOCUS_1_4},
	[LIST_COST] = {"ListCost", FOCUS_1_2, FOCUS_1_4},
	[PRICING_CATEGORY] = {"PricingCategory", FOCUS_1_2, FOCUS_1_4},
	[PRICING_QUANTITY] = {"PricingQuantity", FOCUS_1_2, FOCUS_1_4},
	[PRICING_UNIT] = {"PricingUnit", FOCUS_1_2, FOCUS_1_4},
	[PROVIDER] = {"ProviderName", FOCUS_1_2, FOCUS_1_3},
	[PUBLISHER] = {"PublisherName", FOCUS_1_2, FOCUS_1_3},
	[REGION_ID] = {"RegionId", FOCUS_1_2, FOCUS_1_4},
	[RESOURCE_ID] = {"ResourceId", FOCUS_1_2, FOCUS_1_4},
	[RESOURCE_NAME] = {"ResourceName", FOCUS_1_2, FOCUS_1_4},
	[SERVICE_CATEGORY] = {"ServiceCategory", FOCUS_1_2, FOCUS_1_4},
	[SERVICE_NAME] = {"ServiceName", FOCUS_1_2, FOCUS_1_4},
	[SERVICE_PROVIDER] = {"ServiceProviderName", FOCUS_1_3, FOCUS_1_4},
	[SKU_ID] = {"SkuId", FOCUS_1_2, FOCUS_1_4},
	[SUB_ACCOUNT_ID] = {"SubAccountId", FOCUS_1_2, FOCUS_1_4},
	[SUB_ACCOUNT_TYPE] = {"SubAccountType", FOCUS_1_2, FOCUS_1_4},
	[TAGS] = {"Tags", FOCUS_1_2, FOCUS_1_4},
	[X_MODEL_NAME] = {"x_ConsumptionModelDescription", FOCUS_1_2, FOCUS_1_4},
	[X_MODEL] = {"x_ConsumptionModelId", FOCUS_1_2, FOCUS_1_4},
	[X_DEFAULT_COST] = {"x_CostAtEffectivePriceDefault", FOCUS_1_2, FOCUS_1_4},
	[X_COST_TYPE] = {"x_CostType", FOCUS_1_2, FOCUS_1_4},
	[X_CREDIT_TYPE] = {"x_CreditType", FOCUS_1_2, FOCUS_1_4},
	[X_CREDITS] = {"x_Credits", FOCUS_1_2, FOCUS_1_4},
	[X_RATE] = {"x_CurrencyConversionRate", FOCUS_1_2, FOCUS_1_4},
	[X_LOCATION] = {"x_Location", FOCUS_1_2, FOCUS_1_4},
	[X_PROJECT] = {"x_Project", FOCUS_1_2, FOCUS_1_4},
	[X_SERVICE_ID] = {"x_ServiceId", FOCUS_1_2, FOCUS_1_4},
};

static const char *const versions[] = {
	[FOCUS_1_2] = "1.2", [FOCUS_1_3] = "1.3", [FOCUS_1_4] = "1.4"};

enum err_code focus_version_read(const char *text, enum focus_version *out, struct err *e)
{
	*out = FOCUS_1_2;
	for (size_t i = 0; text && i < ARRAY_LEN(versions); i++)
		if (!strcmp(text, versions[i])) {
			*out = (enum focus_version)i;
			return E_OK;
		}
	return !text ? E_OK
		     : err_set_fix(e, E_USAGE, "use 1.2, 1.3 or 1.4",
			       "--focus: '%s' is not a version that tpucost writes", text);
}

/* ---- a row ------------------------------------------------------------------------------------ */

/* Values of a row by column; NULL and "" are null. */
struct focus_row {
	enum focus_version version;
	struct arena *a;
	const char *v[FOCUS_COLUMNS];
};

static bool focus_is_in(enum focus_version version, size_t column)
{
	return version >= columns[column].since && version <= columns[column].until;
}

static void focus_put(const struct focus_row *r, struct sbuf *b)
{
	const char *comma = "";

	for (size_t i = 0; i < FOCUS_COLUMNS; i++) {
		if (!focus_is_in(r->version, i))
			continue;
		sbuf_adds(b, comma);
		if (r->v[i])
			sbuf_add_csv(b, r->v[i]);
		comma = ",";
	}
	sbuf_adds(b, "\r\n");
}

void focus_header(enum focus_version version, struct sbuf *b)
{
	struct focus_row r = {.version = version};

	for (size_t i = 0; i < FOCUS_COLUMNS; i++)
		r.v[i] = columns[i].name;
	focus_put(&r, b);
}

static const char *focus_money(struct focus_row *r, int64_t nanos)
{
	char buf[NANOS_BUF];

	return arena_strdup(r->a, nanos_format(nanos, buf));
}

static const char *focus_time(struct focus_row *r, ts_t at)
{
	char buf[RFC3339_BUF];

	return arena_strdup(r->a, rfc3339_format(at, buf));
}

/* ---- names ------------------------------------------------------------------------------------ */

/* Categories of the specification by words of the service; the first match counts. Cloud TPU is Compute, as
 * Google's machines with TPUs are. */
static const char *focus_service_category(const struct focus_line *l)
{
	static const char *const words[][2] = {{"TPU", "Compute"},
		{"Compute Engine", "Compute"}, {"Kubernetes", "Compute"},
		{"Cloud Run", "Compute"}, {"App Engine", "Compute"}, {"Storage", "Storage"},
		{"Filestore", "Storage"}, {"Backup", "Storage"}, {"BigQuery", "Analytics"},
		{"Data", "Analytics"}, {"Vertex", "AI and Machine Learning"},
		{"Gemini", "AI and Machine Learning"}, {"AI", "AI and Machine Learning"},
		{"SQL", "Databases"}, {"Spanner", "Databases"}, {"Bigtable", "Databases"},
		{"Firestore", "Databases"}, {"Memorystore", "Databases"},
		{"Network", "Networking"}, {"DNS", "Networking"}, {"CDN", "Networking"},
		{"VPN", "Networking"}, {"Logging", "Management and Governance"},
		{"Monitoring", "Management and Governance"}, {"Security", "Security"},
		{"Key Management", "Security"}, {"Secret", "Security"},
		{"Build", "Developer Tools"}, {"Artifact", "Developer Tools"},
		{"Pub/Sub", "Integration"}, {"Maps", "Web"}};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strstr(l->service, words[i][0]))
			return words[i][1];
	return "Other";
}

static const char *focus_charge_category(const struct focus_line *l)
{
	if (!strcmp(l->cost_type, "tax"))
		return "Tax";
	if (strcmp(l->cost_type, "regular") != 0)
		return "Adjustment";
	return str_starts(l->sku, "Commitment") ? "Purchase" : "Usage";
}

static const char *focus_pricing_category(const struct focus_line *l)
{
	if (*l->model && strcmp(l->model, DEFAULT_MODEL) != 0)
		return "Committed";
	if (strcasestr(l->sku, "spot") || strcasestr(l->sku, "preemptible"))
		return "Dynamic";
	return "Standard";
}

/* Google's invoice months are months in California; a line without one belongs to that of its hour. */
static void focus_period(
	struct focus_row *r, const struct focus_line *l, const struct tz *pacific)
{
	int year, month, day, end = 0;

	if (sscanf(l->invoice_month, "%4d%2d%n", &year, &month, &end) != 2 || end != 6 ||
		month < 1 || month > 12)
		civil_from_day(tz_day(pacific, l->hour), &year, &month, &day);
	r->v[BILLING_PERIOD_START] = focus_time(
		r, tz_day_start(pacific, civil_to_day(year, month, 1)));
	r->v[BILLING_PERIOD_END] = focus_time(r,
		tz_day_start(
			pacific, civil_to_day(year + (month == 12), month % 12 + 1, 1)));
	r->v[CHARGE_PERIOD_START] = focus_time(r, l->hour);
	r->v[CHARGE_PERIOD_END] = focus_time(r, l->hour + 3600);
}

static const char *focus_project(struct focus_row *r, const struct focus_line *l)
{
	struct sbuf b = SBUF_INIT;
	struct jw w = {.b = &b};
	const char *text;

	if (!*l->project && !*l->number)
		return NULL;
	jw_begin(&w, '{');
	jw_kstr(&w, "Id", l->project);
	jw_kstr(&w, "Number", l->number);
	jw_end(&w, '}');
	text = arena_strdup(r->a, b.s);
	sbuf_done(&b);
	return text;
}

/* Everything but the amounts. */
static void focus_names(
	struct focus_row *r, const struct focus_line *l, const struct tz *pacific)
{
	focus_period(r, l, pacific);
	r->v[AVAILABILITY_ZONE] = l->zone;
	r->v[BILLING_ACCOUNT_ID] = *l->account ? l->account : "unknown";
	r->v[BILLING_ACCOUNT_TYPE] = "Billing Account";
	r->v[BILLING_CURRENCY] = l->currency;
	r->v[CHARGE_DESCRIPTION] = l->sku;
	r->v[HOST_PROVIDER] = r->v[INVOICE_ISSUER] = r->v[PROVIDER] = r->v[PUBLISHER] =
		r->v[SERVICE_PROVIDER] = GOOGLE;
	r->v[REGION_ID] = l->region;
	r->v[RESOURCE_ID] = l->global_name;
	r->v[RESOURCE_NAME] = l->resource;
	r->v[SERVICE_CATEGORY] = focus_service_category(l);
	r->v[SERVICE_NAME] = *l->service ? l->service
		: *l->service_id         ? l->service_id
					 : GOOGLE;
	r->v[SUB_ACCOUNT_ID] = l->project;
	r->v[SUB_ACCOUNT_TYPE] = *l->project ? "Project" : NULL;
	r->v[TAGS] = l->labels;
	r->v[X_MODEL] = l->model;
	r->v[X_MODEL_NAME] = l->model_name;
	r->v[X_COST_TYPE] = l->cost_type;
	r->v[X_RATE] = l->rate ? focus_money(r, l->rate) : NULL;
	r->v[X_LOCATION] = l->location;
	r->v[X_PROJECT] = focus_project(r, l);
	r->v[X_SERVICE_ID] = l->service_id;
}

static void focus_usage(struct focus_row *r, const struct focus_line *l)
{
	const char *category = focus_charge_category(l);
	bool is_usage = !strcmp(category, "Usage"),
	     is_purchase = !strcmp(category, "Purchase");

	r->v[CHARGE_CATEGORY] = category;
	r->v[CHARGE_FREQUENCY] = is_usage ? "Usage-Based"
		: is_purchase             ? "Recurring"
					  : "One-Time";
	r->v[SKU_ID] = strcmp(category, "Tax") != 0 ? l->sku_id : NULL;
	if (!is_usage && !is_purchase)
		return;
	r->v[PRICING_CATEGORY] = focus_pricing_category(l);
	r->v[PRICING_QUANTITY] = l->usage.set ? focus_money(r, l->usage.v) : NULL;
	r->v[PRICING_UNIT] = *l->usage_unit ? l->usage_unit : "Units";
}

/* ---- credits ---------------------------------------------------------------------------------- */

/* Types that are given afterwards; all others are reduced rates. */
static bool focus_is_paid_later(const char *type)
{
	return str_in_list(type, "PROMOTION,FREE_TIER,SUBSCRIPTION_BENEFIT");
}

static void focus_credit_row(const struct focus_row *of, const struct focus_line *l,
	const char *type, int64_t amount, struct sbuf *b)
{
	struct focus_row r = *of;

	r.v[CHARGE_CATEGORY] = "Credit";
	r.v[CHARGE_FREQUENCY] = "One-Time";
	r.v[SKU_ID] = l->sku_id;
	r.v[PRICING_CATEGORY] = r.v[PRICING_QUANTITY] = r.v[PRICING_UNIT] = NULL;
	r.v[BILLED_COST] = r.v[EFFECTIVE_COST] = r.v[CONTRACTED_COST] = r.v[LIST_COST] =
		focus_money(&r, amount);
	r.v[X_CREDIT_TYPE] = type;
	focus_put(&r, b);
}

/* Adds a row for each credit that is paid later, or is not of usage: costs without quantity are equal. The
 * others are summed and listed in x_Credits. */
static enum err_code focus_credits(struct focus_row *r, const struct focus_line *l,
	struct sbuf *later, int64_t *folded, struct err *e)
{
	cleanup(json_free_ptr) struct cJSON *list = NULL;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct jw w = {.b = &b};

	*folded = 0;
	if (!strcmp(l->credits, "[]"))
		return E_OK;
	if (json_parse(l->credits, strlen(l->credits), &list, e))
		return err_wrap(e, "credits");
	jw_begin(&w, '[');
	JSON_EACH (credit, list) {
		const char *type = json_text(json_first(credit), "UNKNOWN");
		int64_t amount = 0;

		if (!str_to_i64(json_text(json_next(json_first(credit)), ""), INT64_MIN,
			    INT64_MAX, &amount))
			return err_set(e, E_BUG, "credits: %s", l->credits);
		if (focus_is_paid_later(type) || !r->v[PRICING_UNIT]) {
			focus_credit_row(r, l, arena_strdup(r->a, type), amount, later);
			continue;
		}
		if (!nanos_add(*folded, amount, folded))
			return err_set(e, E_OVERFLOW, "the credits are too large");
		jw_begin(&w, '{');
		jw_kstr(&w, "Type", type);
		jw_key(&w, "Amount");
		jw_nanos(&w, amount);
		jw_end(&w, '}');
	}
	jw_end(&w, ']');
	r->v[X_CREDITS] = b.len > 2 ? arena_strdup(r->a, b.s) : NULL;
	return E_OK;
}

enum err_code focus_rows(enum focus_version version, const struct focus_line *l,
	const struct tz *pacific, struct arena *scratch, struct sbuf *b, struct err *e)
{
	cleanup(sbuf_done) struct sbuf later = SBUF_INIT;
	struct focus_row r = {.version = version, .a = scratch};
	int64_t billed, list, standard, folded;

	focus_names(&r, l, pacific);
	focus_usage(&r, l);
	if (focus_credits(&r, l, &later, &folded, e))
		return e->code;
	if (!nanos_add(l->cost, folded, &billed) ||
		!nanos_add(l->cost, l->discount, &list) ||
		!nanos_add(l->cost, l->committed, &standard))
		return err_set(e, E_OVERFLOW, "a cost is too large");
	r.v[BILLED_COST] = r.v[EFFECTIVE_COST] = focus_money(&r, billed);
	r.v[CONTRACTED_COST] = focus_money(&r, l->cost);
	r.v[LIST_COST] = focus_money(&r, list);
	r.v[X_DEFAULT_COST] = *l->model ? focus_money(&r, standard) : NULL;
	/* A credit that came in a row of its own has no usage. */
	if (!later.len || l->cost || folded || l->discount || l->committed || l->usage.v)
		focus_put(&r, b);
	if (later.len)
		sbuf_add(b, later.s, later.len);
	return E_OK;
}

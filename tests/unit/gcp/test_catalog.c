/* The price list: what is kept of it, which pricing counts, and money that is sent in two
 * parts of which either may be left out. */
#include "gcp/bill/catalog.h"

#include "base/str.h"
#include "tests/support/gcp_sync.h"
#include "tests/support/assert.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST "GET /v1/services/6F81-5844-456A/skus?currencyCode=USD&pageSize=5000"
#define ANY "GET /v1/services/6F81-5844-456A/skus?"
#define TOO_BIG ((size_t)65 << 20)

static const char full_sku[] =
	"{\"name\":\"services/6F81-5844-456A/skus/2E27-4F75-95CD\",\"skuId\":"
	"\"2E27-4F75-95CD\",\"description\":\"N1 Predefined Instance Core running in "
	"Iowa\",\"category\":{\"serviceDisplayName\":\"Compute Engine\","
	"\"resourceFamily\":\"Compute\",\"resourceGroup\":\"N1Standard\",\"usageType\":"
	"\"OnDemand\"},\"serviceRegions\":[\"us-central1\",\"us-east1\"],\"pricingInfo\":["
	"{\"effectiveTime\":\"2026-11-20T00:00:00.482913Z\",\"summary\":\"\","
	"\"pricingExpression\":{\"usageUnit\":\"h\",\"usageUnitDescription\":\"hour\","
	"\"baseUnit\":\"s\",\"baseUnitConversionFactor\":3600,\"displayQuantity\":1,"
	"\"tieredRates\":[{\"startUsageAmount\":0,\"unitPrice\":{\"currencyCode\":\"USD\","
	"\"units\":\"0\",\"nanos\":31611000}}]},\"currencyConversionRate\":1}],"
	"\"serviceProviderName\":\"Google\",\"geoTaxonomy\":{\"type\":\"REGIONAL\"}}";

static enum err_code ask(struct gcp_world *w, struct catalog_skus *out)
{
	return catalog_skus(w->g, CATALOG_COMPUTE, "USD", NULL, NULL, &w->a, out, &w->e);
}

/* A list of one SKU "A" with this as its pricingInfo; heap. */
static char *priced(const char *pricing)
{
	struct sbuf b = SBUF_INIT;

	sbuf_addf(&b, "{\"skus\":[{\"skuId\":\"A\",\"pricingInfo\":%s}]}", pricing);
	return sbuf_detach(&b);
}

/* The same with these as its tiers; heap. */
static char *tiered(const char *tiers)
{
	struct sbuf b = SBUF_INIT;
	char *body;

	sbuf_addf(&b, "[{\"pricingExpression\":{\"usageUnit\":\"h\",\"tieredRates\":%s}}]",
		tiers);
	body = priced(b.s);
	sbuf_done(&b);
	return body;
}

/* ---- SKUs ---------------------------------------------------------------- */

static void a_sku_is_read_with_all_its_parts(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct fault_step step = {.match = LIST "&prettyPrint=false "};
	struct catalog_skus list = {0};
	const struct catalog_sku *s;
	struct gcp_world w;
	int64_t price = 0;

	sbuf_addf(&b, "{\"skus\":[%s],\"nextPageToken\":\"\"}", full_sku);
	step.body = b.s;
	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.n_read, 1);
	assert_int_equal(list.r.pages, 1);
	s = &list.v[0];
	assert_string_equal(s->sku_id, "2E27-4F75-95CD");
	assert_string_equal(s->service_id, CATALOG_COMPUTE);
	assert_string_equal(s->description, "N1 Predefined Instance Core running in Iowa");
	assert_string_equal(s->resource_family, "Compute");
	assert_string_equal(s->resource_group, "N1Standard");
	assert_string_equal(s->usage_type, "OnDemand");
	assert_int_equal(s->n_regions, 2);
	assert_string_equal(s->regions[0], "us-central1");
	assert_string_equal(s->regions[1], "us-east1");
	assert_string_equal(s->usage_unit, "h");
	assert_string_equal(s->currency, "USD");
	assert_ts_eq(s->effective_time, 1795132800);
	assert_int_equal(s->n_tiers, 1);
	assert_i64_eq(s->tiers[0].start, 0);
	assert_i64_eq(s->tiers[0].price, 31611000);
	assert_true(catalog_price(s, &price));
	assert_i64_eq(price, 31611000);
	assert_int_equal(fault_count_of(w.s, "GET "), 1);
	sbuf_done(&b);
	world_close(&w);
}

static void what_is_absent_has_a_plain_value(void **state)
{
	struct fault_step step = {.match = LIST, .body = "{\"skus\":[{\"skuId\":\"A\"}]}"};
	struct catalog_skus list = {0};
	struct gcp_world w;
	int64_t price = 7;

	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_int_equal(list.n, 1);
	assert_string_equal(list.v[0].description, "");
	assert_string_equal(list.v[0].resource_family, "");
	assert_string_equal(list.v[0].usage_type, "");
	assert_string_equal(list.v[0].usage_unit, "");
	assert_int_equal(list.v[0].n_regions + list.v[0].n_tiers, 0);
	assert_true(list.v[0].effective_time == TS_NONE);
	assert_false(catalog_price(&list.v[0], &price));
	assert_i64_eq(price, 7);
	world_close(&w);
}

static void an_empty_list_may_be_bare(void **state)
{
	static const char *const bodies[] = {"{}", "{\"skus\":[]}", "{\"skus\":null}",
		"{\"skus\":[],\"nextPageToken\":\"\"}"};

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct fault_step step = {.match = LIST, .body = bodies[i]};
		struct catalog_skus list = {.n = 77, .n_read = 77};
		struct gcp_world w;

		world_open(&w, &step, 1);
		assert_ok(ask(&w, &list), w.e);
		assert_int_equal(list.n, 0);
		assert_int_equal(list.n_read, 0);
		assert_int_equal(list.r.pages, 1);
		world_close(&w);
	}
}

/* ---- prices -------------------------------------------------------------- */

static void units_and_nanos_may_each_be_left_out(void **state)
{
	static const struct {
		const char *money;
		int64_t want;
	} cases[] = {
		{"\"units\":\"2\",\"nanos\":500000000", 2500000000},
		{"\"units\":2,\"nanos\":500000000", 2500000000},
		{"\"nanos\":663000000", 663000000},
		{"\"nanos\":1", 1},
		{"\"units\":\"12\"", 12000000000},
		{"\"units\":\"0\",\"nanos\":0", 0},
		{"\"units\":null,\"nanos\":null", 0},
		{"\"units\":\"-1\",\"nanos\":-750000000", -1750000000},
		{"\"units\":\"0\",\"nanos\":-5", -5},
		{"\"units\":\"-3\"", -3000000000},
		{"\"units\":\"9223372036\",\"nanos\":854775807", INT64_MAX},
		{"\"units\":\"-9223372036\",\"nanos\":-854775808", INT64_MIN},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sbuf b = SBUF_INIT;
		struct fault_step step = {.match = LIST};
		struct catalog_skus list = {0};
		struct gcp_world w;
		char *body;

		sbuf_addf(&b, "[{\"unitPrice\":{\"currencyCode\":\"USD\",%s}}]",
			cases[i].money);
		step.body = body = tiered(b.s);
		world_open(&w, &step, 1);
		if (ask(&w, &list) != E_OK)
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_int_equal(list.v[0].n_tiers, 1);
		assert_i64_eq(list.v[0].tiers[0].price, cases[i].want);
		world_close(&w);
		free(body);
		sbuf_done(&b);
	}
}

static void money_that_contradicts_itself_spoils_the_list(void **state)
{
	static const struct {
		const char *tier;
		enum err_code code;
		const char *field;
	} cases[] = {
		{"{\"unitPrice\":{\"currencyCode\":\"USD\",\"units\":\"1\",\"nanos\":-1}}",
			E_DATA, "'nanos': its sign"},
		{"{\"unitPrice\":{\"currencyCode\":\"USD\",\"units\":\"-1\",\"nanos\":1}}",
			E_DATA, "'nanos': its sign"},
		{"{\"unitPrice\":{\"currencyCode\":\"USD\",\"nanos\":1000000000}}", E_DATA,
			"'nanos': a whole unit"},
		{"{\"unitPrice\":{\"currencyCode\":\"USD\",\"nanos\":-1000000000}}", E_DATA,
			"'nanos': a whole unit"},
		{"{\"unitPrice\":{\"currencyCode\":\"USD\",\"nanos\":0.5}}", E_DATA,
			"'nanos'"},
		{"{\"unitPrice\":{\"currencyCode\":\"USD\",\"units\":\"0.5\"}}", E_DATA,
			"'units'"},
		{"{\"unitPrice\":{\"currencyCode\":\"USD\",\"units\":\"NaN\"}}", E_DATA,
			"'units'"},
		{"{\"unitPrice\":{\"currencyCode\":\"USD\",\"units\":true}}", E_DATA,
			"'units'"},
		{"{\"unitPrice\":{\"currencyCode\":\"USD\",\"units\":\"9223372037\"}}",
			E_OVERFLOW, "'units'"},
		{"{\"unitPrice\":{\"currencyCode\":\"USD\",\"units\":\"9223372036\","
		 "\"nanos\":854775808}}",
			E_OVERFLOW, "'units'"},
		{"{\"unitPrice\":{\"currencyCode\":\"EUR\",\"nanos\":5}}", E_DATA,
			"currencyCode"},
		{"{\"unitPrice\":{\"currencyCode\":\"EUR\"}}", E_DATA, "currencyCode"},
		{"{\"unitPrice\":{\"nanos\":5}}", E_DATA, "currencyCode"},
		{"{\"unitPrice\":[]}", E_DATA, "unitPrice"},
		{"{\"unitPrice\":\"0.5\"}", E_DATA, "unitPrice"},
		{"{\"startUsageAmount\":-1}", E_DATA, "startUsageAmount"},
		{"{\"startUsageAmount\":\"many\"}", E_DATA, "startUsageAmount"},
		{"{\"startUsageAmount\":{}}", E_DATA, "startUsageAmount"},
		{"7", E_DATA, "an item is not an object"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sbuf b = SBUF_INIT;
		struct fault_step step = {.match = LIST};
		struct catalog_skus list = {.n = 77};
		struct gcp_world w;
		char *body;

		sbuf_addf(&b, "[%s]", cases[i].tier);
		step.body = body = tiered(b.s);
		world_open(&w, &step, 1);
		if (ask(&w, &list) != cases[i].code || !strstr(w.e.msg, cases[i].field) ||
			!strstr(w.e.msg, "SKU 'A': pricingInfo: tieredRates[0]"))
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_int_equal(list.n, 77); /* untouched */
		world_close(&w);
		free(body);
		sbuf_done(&b);
	}
}

#define USD(nanos) "\"unitPrice\":{\"currencyCode\":\"USD\",\"nanos\":" nanos "}"

static void tiers_come_in_the_order_of_their_starts(void **state)
{
	char *body = tiered("[{\"startUsageAmount\":1024," USD("30") "},{" USD(
		"0") "},{\"startUsageAmount\":10240.5," USD("20") "},{\"startUsageAmount\":"
								  "1e300," USD("10") "}]");
	struct fault_step step = {.match = LIST, .body = body};
	struct catalog_skus list = {0};
	const struct catalog_tier *v;
	struct gcp_world w;
	int64_t price = 0;

	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_int_equal(list.v[0].n_tiers, 4);
	v = list.v[0].tiers;
	assert_i64_eq(v[0].start, 0);
	assert_i64_eq(v[0].price, 0);
	assert_i64_eq(v[1].start, INT64_C(1024000000000));
	assert_i64_eq(v[1].price, 30);
	assert_i64_eq(v[2].start, INT64_C(10240500000000));
	assert_i64_eq(v[2].price, 20);
	assert_i64_eq(v[3].start, INT64_MAX);
	assert_i64_eq(v[3].price, 10);
	/* the free tier is a matter of the bill */
	assert_true(catalog_price(&list.v[0], &price));
	assert_i64_eq(price, 30);
	world_close(&w);
	free(body);
}

static void what_is_free_has_a_price_of_nothing(void **state)
{
	char *body = tiered("[{" USD("0") "},{\"startUsageAmount\":5,\"unitPrice\":{}},"
					  "{\"startUsageAmount\":6}]");
	struct fault_step step = {.match = LIST, .body = body};
	struct catalog_skus list = {0};
	struct gcp_world w;
	int64_t price = 7;

	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_int_equal(list.v[0].n_tiers, 3);
	assert_true(catalog_price(&list.v[0], &price));
	assert_i64_eq(price, 0);
	world_close(&w);
	free(body);
}

#define PRICING(time, nanos) \
	"{" time             \
	"\"pricingExpression\":{\"usageUnit\":\"h\",\"tieredRates\":[{" USD(nanos) "}]}}"
#define AT(time) "\"effectiveTime\":\"" time "\","

static void the_pricing_that_came_into_effect_last_counts(void **state)
{
	static const struct {
		const char *list;
		int64_t price;
		ts_t effective;
	} cases[] = {
		{"[" PRICING(AT("2026-10-01T00:00:00Z"), "1") "," PRICING(
			 AT("2026-11-01T00:00:00Z"),
			 "2") "," PRICING(AT("2026-09-01T00:00:00Z"), "3") "]",
			2, 1793491200},
		/* the same instant said twice: the one behind */
		{"[" PRICING(AT("2026-11-01T00:00:00Z"), "1") "," PRICING(
			 AT("2026-10-31T17:00:00-07:00"), "2") "]",
			2, 1793491200},
		{"[" PRICING("", "1") "," PRICING(AT("2026-11-01T00:00:00Z"), "2") "]", 2,
			1793491200},
		{"[" PRICING(AT("2026-11-01T00:00:00Z"), "1") "," PRICING("", "2") "]", 1,
			1793491200},
		{"[" PRICING("", "1") "]", 1, TS_NONE},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *body = priced(cases[i].list);
		struct fault_step step = {.match = LIST, .body = body};
		struct catalog_skus list = {0};
		struct gcp_world w;
		int64_t price = 0;

		world_open(&w, &step, 1);
		assert_ok(ask(&w, &list), w.e);
		assert_true(catalog_price(&list.v[0], &price));
		assert_i64_eq(price, cases[i].price);
		assert_ts_eq(list.v[0].effective_time, cases[i].effective);
		assert_int_equal(list.v[0].n_tiers, 1);
		world_close(&w);
		free(body);
	}
}

/* ---- what is kept -------------------------------------------------------- */

static bool is_wanted(void *ctx, const struct catalog_sku *s)
{
	++*(int *)ctx;
	assert_null(s->tiers); /* prices come later */
	return str_eq(s->resource_group, "TPU") && str_eq(s->usage_type, "Preemptible") &&
		s->n_regions == 1 && str_eq(s->regions[0], "europe-west4") &&
		str_eq(s->service_id, CATALOG_TPU) && str_starts(s->description, "Tpu");
}

#define SKU(id, group, usage, region, pricing)                                    \
	"{\"skuId\":\"" id "\",\"description\":\"Tpu " id                         \
	"\",\"category\":{\"resourceGroup\":\"" group "\",\"usageType\":\"" usage \
	"\"},\"serviceRegions\":[\"" region "\"],\"pricingInfo\":" pricing "}"

static void only_what_is_wanted_is_kept(void **state)
{
	/* the prices of what is not wanted are not even looked at */
	struct fault_step step = {.match = "GET /v1/services/E000-3F24-B8AA/skus?"
					   "currencyCode=HKD&",
		.body = "{\"skus\":[" SKU("A", "TPU", "OnDemand", "europe-west4",
			"7") "," SKU("B", "TPU", "Preemptible", "europe-west4",
			"[]") "," SKU("C", "CPU", "Preemptible", "europe-west4",
			"{}") "," SKU("D", "TPU", "Preemptible", "us-central1",
			"[{\"effectiveTime\":1}]") "," SKU("E", "TPU", "Preemptible",
			"europe-west4", "[]") "]}"};
	struct catalog_skus list = {0};
	struct gcp_world w;
	int asked = 0;

	world_open(&w, &step, 1);
	assert_ok(
		catalog_skus(w.g, CATALOG_TPU, "HKD", is_wanted, &asked, &w.a, &list, &w.e),
		w.e);
	assert_int_equal(asked, 5);
	assert_int_equal(list.n_read, 5);
	assert_int_equal(list.n, 2);
	assert_string_equal(list.v[0].sku_id, "B");
	assert_string_equal(list.v[1].sku_id, "E");
	assert_string_equal(list.v[1].currency, "HKD");
	world_close(&w);
}

static bool is_seventh(void *ctx, const struct catalog_sku *s)
{
	(void)ctx;
	return str_ends(s->sku_id, "7777");
}

/* One page of n SKUs from number `from` on; heap. */
static char *many(size_t from, size_t n, const char *more)
{
	struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, "{\"skus\":[");
	for (size_t i = from; i < from + n; i++)
		sbuf_addf(&b,
			"%s{\"skuId\":\"S-%06zu\",\"description\":\"N1 Predefined Instance "
			"Core running in a place with a long name\",\"category\":{"
			"\"resourceFamily\":\"Compute\"},\"serviceRegions\":[\"a-b1\"],"
			"\"pricingInfo\":[{\"pricingExpression\":{\"tieredRates\":[{" USD(
				"5") "}]}}]}",
			i > from ? "," : "", i);
	sbuf_addf(&b, "]%s}", more);
	return sbuf_detach(&b);
}

static void a_large_list_takes_little_memory(void **state)
{
	char *p1 = many(0, 5000, ",\"nextPageToken\":\"p/2=\"");
	char *p2 = many(5000, 5000, ",\"nextPageToken\":\"p/3=\"");
	char *p3 = many(10000, 123, ",\"nextPageToken\":\"\"");
	struct fault_step steps[] = {{.match = LIST "&pageToken=p%2F2%3D&", .body = p2},
		{.match = LIST "&pageToken=p%2F3%3D&", .body = p3},
		{.match = LIST "&prettyPrint", .body = p1}};
	struct catalog_skus list = {0};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	assert_ok(catalog_skus(
			  w.g, CATALOG_COMPUTE, "USD", is_seventh, NULL, &w.a, &list, &w.e),
		w.e);
	assert_int_equal(list.r.pages, 3);
	assert_int_equal(list.n_read, 10123);
	assert_int_equal(list.n, 1);
	assert_string_equal(list.v[0].sku_id, "S-007777");
	assert_int_equal(fault_count_of(w.s, "GET "), 3);
	assert_true(w.a.used < 10000);
	world_close(&w);
	free(p1), free(p2), free(p3);
}

static void a_sku_that_comes_again_replaces_itself(void **state)
{
	struct fault_step steps[] = {
		{.match = ANY "currencyCode=USD&pageSize=5000&pageToken=2",
			.body = "{\"skus\":[" SKU("A", "TPU", "New", "r", "[]") "," SKU(
				"C", "TPU", "x", "r", "[]") "]}"},
		{.match = ANY,
			.body = "{\"nextPageToken\":\"2\",\"skus\":[" SKU("A", "TPU", "Old",
				"r", "[]") "," SKU("B", "TPU", "x", "r", "[]") "]}"}};
	struct catalog_skus list = {0};
	struct gcp_world w;

	world_open(&w, steps, 2);
	assert_ok(ask(&w, &list), w.e);
	assert_int_equal(list.n, 3);
	assert_int_equal(list.r.repeated, 1);
	assert_string_equal(list.v[0].usage_type, "New");
	assert_string_equal(list.v[1].sku_id, "B");
	assert_string_equal(list.v[2].sku_id, "C");
	world_close(&w);
}

/* ---- answers that are wrong ---------------------------------------------- */

static void what_is_no_list_is_not_an_empty_list(void **state)
{
	static const char *const bodies[] = {
		"{\"skus\":{}}",
		"{\"skus\":7}",
		"{\"skus\":[7]}",
		"{\"skus\":[{}]}",
		"{\"skus\":[{\"skuId\":\"\"}]}",
		"{\"skus\":[{\"skuId\":7}]}",
		"{\"skus\":[{\"skuId\":\"../A\"}]}",
		"{\"skus\":[{\"skuId\":\"A\\nB\"}]}",
		"{\"skus\":[{\"skuId\":\"$(id)\"}]}",
		"{\"skus\":[{\"SKUID\":\"A\"}]}",
		"{\"skus\":[{\"skuId\":\"A\\u0000\"}]}",
		"{\"skus\":[{\"skuId\":\"A\",\"skuId\":\"B\"}]}",
		"{\"skus\":[{\"skuId\":\"A\",\"description\":[]}]}",
		"{\"skus\":[{\"skuId\":\"A\",\"category\":\"x\"}]}",
		"{\"skus\":[{\"skuId\":\"A\",\"category\":{\"usageType\":1}}]}",
		"{\"skus\":[{\"skuId\":\"A\",\"serviceRegions\":{}}]}",
		"{\"skus\":[{\"skuId\":\"A\",\"serviceRegions\":[1]}]}",
		"{\"skus\":[{\"skuId\":\"A\",\"pricingInfo\":{}}]}",
		"{\"skus\":[{\"skuId\":\"A\",\"pricingInfo\":[1]}]}",
		"{\"skus\":[{\"skuId\":\"A\",\"pricingInfo\":[{\"effectiveTime\":"
		"\"yesterday\"}]}]}",
		"{\"skus\":[{\"skuId\":\"A\",\"pricingInfo\":[{\"pricingExpression\":[]}]}"
		"]}",
		"{\"skus\":[{\"skuId\":\"A\",\"pricingInfo\":[{\"pricingExpression\":{"
		"\"usageUnit\":1}}]}]}",
		"{\"skus\":[{\"skuId\":\"A\",\"pricingInfo\":[{\"pricingExpression\":{"
		"\"tieredRates\":{}}}]}]}",
		"{\"skus\":[{\"skuId\":\"A\"} {\"skuId\":\"B\"}]}",
		"{\"skus\":[{\"skuId\":\"A\"},]}",
		"{\"skus\":[{\"skuId\":\"A\"}", /* cut */
		"[]",
	};

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct fault_step step = {.match = LIST, .body = bodies[i]};
		struct catalog_skus list = {.n = 77};
		struct gcp_world w;

		world_open(&w, &step, 1);
		if (ask(&w, &list) != E_DATA || !str_starts(w.e.msg, "list prices: "))
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_int_equal(list.n, 77); /* untouched */
		world_close(&w);
	}
}

static void more_tiers_than_anything_has_are_refused(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct fault_step step = {.match = LIST};
	struct catalog_skus list = {0};
	struct gcp_world w;
	char *body;

	sbuf_adds(&b, "[{}");
	for (int i = 0; i < 100; i++)
		sbuf_adds(&b, ",{}");
	sbuf_adds(&b, "]");
	step.body = body = tiered(b.s);
	world_open(&w, &step, 1);
	assert_int_equal(ask(&w, &list), E_DATA);
	assert_contains(w.e.msg, "tieredRates");
	world_close(&w);
	free(body);
	sbuf_done(&b);
}

static void more_skus_than_can_be_wanted_are_refused(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct fault_step step = {.match = LIST};
	struct catalog_skus list = {.n = 77};
	struct gcp_world w;

	sbuf_adds(&b, "{\"skus\":[{\"skuId\":\"S\"}");
	for (int i = 0; i < 100000; i++)
		sbuf_addf(&b, ",{\"skuId\":\"S-%d\"}", i);
	sbuf_adds(&b, "]}");
	step.body = b.s;
	world_open(&w, &step, 1);
	assert_err(ask(&w, &list), w.e, E_LIMIT, "more than 100000 SKUs");
	assert_int_equal(list.n, 77);
	world_close(&w);
	sbuf_done(&b);
}

static void a_list_without_end_is_refused(void **state)
{
	struct fault_step step = {.match = ANY,
		.body = "{\"skus\":[{\"skuId\":\"A\"}],\"nextPageToken\":\"again\"}"};
	struct catalog_skus list = {.n = 77};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_int_equal(ask(&w, &list), E_DATA);
	assert_contains(w.e.msg, "page token was repeated");
	assert_int_equal(fault_count_of(w.s, "GET "), 2);
	assert_int_equal(list.n, 77);
	world_close(&w);
}

static void page_two_failing_leaves_nothing(void **state)
{
	struct fault_step steps[] = {
		{.match = ANY,
			.times = 1,
			.body = "{\"skus\":[{\"skuId\":\"A\"}],\"nextPageToken\":\"2\"}"},
		{.match = ANY, .status = 404, .body = "{}"}};
	struct catalog_skus list = {.n = 77};
	struct gcp_world w;

	world_open(&w, steps, 2);
	assert_int_equal(ask(&w, &list), E_NOTFOUND);
	assert_contains(w.e.msg, "page 2: list prices: HTTP 404");
	assert_int_equal(list.n, 77);
	world_close(&w);
}

static void a_page_that_is_too_big_is_asked_for_smaller(void **state)
{
	struct fault_step steps[] = {{.match = ANY "currencyCode=USD&pageSize=5000&"},
		{.match = ANY "currencyCode=USD&pageSize=500&",
			.body = "{\"skus\":[{\"skuId\":\"A\"}]}"}};
	struct catalog_skus list = {0};
	char *body = xmalloc(TOO_BIG + 1);
	struct gcp_world w;

	memset(body, ' ', TOO_BIG);
	body[TOO_BIG] = '\0';
	steps[0].body = body;
	world_open(&w, steps, 2);
	assert_ok(ask(&w, &list), w.e);
	assert_int_equal(list.n, 1);
	assert_int_equal(fault_count_of(w.s, "GET "), 2);
	world_close(&w);
	free(body);
}

/* A page of the real list may be larger than what other calls may read. */
static void a_page_beyond_the_usual_cap_is_read(void **state)
{
	size_t size = (size_t)HTTP_MAX_BODY + 1000;
	char *body = xmalloc(size + 1);
	static const char list_body[] = "{\"skus\":[{\"skuId\":\"A\"}]}";
	struct fault_step step = {.match = LIST, .body = body};
	struct catalog_skus list = {0};
	struct gcp_world w;

	memset(body, ' ', size);
	memcpy(body, list_body, sizeof(list_body) - 1);
	body[size] = '\0';
	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_int_equal(list.n, 1);
	assert_int_equal(fault_count_of(w.s, "GET "), 1);
	world_close(&w);
	free(body);
}

/* ---- refusals ------------------------------------------------------------ */

static void a_disabled_api_is_named_with_the_project_that_google_means(void **state)
{
	struct fault_step step = {.match = ANY,
		.status = 403,
		.body = "{\"error\":{\"code\":403,\"message\":\"Cloud Billing API has "
			"not been "
			"used\",\"details\":[{\"@type\":\"type.googleapis.com/"
			"google.rpc.ErrorInfo\",\"reason\":\"SERVICE_DISABLED\","
			"\"metadata\":{\"service\":\"cloudbilling.googleapis.com\","
			"\"consumer\":\"projects/"
			"123456789012\"}}]}}"};
	struct catalog_skus list = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_int_equal(ask(&w, &list), E_DISABLED);
	assert_string_equal(w.e.fix,
		"run: gcloud services enable "
		"cloudbilling.googleapis.com --project 123456789012");
	world_close(&w);
}

static void a_consumer_that_is_no_project_is_not_put_into_a_command(void **state)
{
	struct fault_step step = {.match = ANY,
		.status = 403,
		.body = "{\"error\":{\"code\":403,\"details\":[{\"@type\":\"type."
			"googleapis.com/"
			"google.rpc.ErrorInfo\",\"reason\":\"SERVICE_DISABLED\","
			"\"metadata\":{\"consumer\":\"projects/$(reboot)\"}}]}}"};
	struct catalog_skus list = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_int_equal(ask(&w, &list), E_DISABLED);
	assert_string_equal(w.e.fix,
		"run: gcloud services enable "
		"cloudbilling.googleapis.com --project PROJECT");
	world_close(&w);
}

static void a_denial_suggests_no_role_as_none_is_needed(void **state)
{
	struct fault_step step = {.match = ANY, .status = 403, .body = "{}"};
	struct catalog_skus list = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_int_equal(ask(&w, &list), E_DENIED);
	assert_string_equal(w.e.fix, "");
	world_close(&w);
}

static void malformed_questions_are_not_asked(void **state)
{
	static const struct {
		const char *service, *currency;
	} cases[] = {{"", "USD"}, {"a/b", "USD"}, {"..", "USD"}, {"A?key=1", "USD"},
		{CATALOG_TPU, ""}, {CATALOG_TPU, "usd"}, {CATALOG_TPU, "US$"},
		{CATALOG_TPU, "USDX"}};
	struct catalog_skus list = {.n = 77};
	struct gcp_world w;

	world_open(&w, NULL, 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (catalog_skus(w.g, cases[i].service, cases[i].currency, NULL, NULL, &w.a,
			    &list, &w.e) != E_CONFIG)
			fail_msg("case %zu: %s", i, w.e.msg);
	}
	assert_int_equal(list.n, 77);
	assert_int_equal(fault_count(w.s), 0);
	world_close(&w);
}

/* ---- many at once -------------------------------------------------------- */

static void count_end(struct gcp_result *r, void *ctx)
{
	(void)r;
	++*(int *)ctx;
}

static void lists_of_two_services_run_together(void **state)
{
	struct fault_step steps[] = {{.match = "GET /v1/services/E000-",
					     .how = FAULT_RENDEZVOUS,
					     .count = 3, /* with the one for a token */
					     .body = "{\"skus\":[{\"skuId\":\"T\"}]}"},
		{.match = ANY,
			.how = FAULT_RENDEZVOUS,
			.count = 3,
			.body = "{\"skus\":7}"}};
	struct catalog_skus tpu = {0}, compute = {0};
	struct gcp_world w;
	int ended = 0;

	world_open(&w, steps, 2);
	tpu.r.done = compute.r.done = count_end;
	tpu.r.ctx = compute.r.ctx = &ended;
	assert_ok(catalog_skus_start(w.g, CATALOG_TPU, "USD", NULL, NULL, &w.a, &tpu, &w.e),
		w.e);
	assert_ok(catalog_skus_start(
			  w.g, CATALOG_COMPUTE, "USD", NULL, NULL, &w.a, &compute, &w.e),
		w.e);
	assert_int_equal(tpu.r.code, E_BUG); /* not run yet */
	assert_ok(gcp_run(w.g, &w.e), w.e);
	assert_int_equal(ended, 2);
	assert_int_equal(tpu.r.code, E_OK);
	assert_int_equal(tpu.n, 1);
	assert_int_equal(compute.r.code, E_DATA);
	assert_int_equal(compute.n, 0);
	world_close(&w);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sku_is_read_with_all_its_parts),
		cmocka_unit_test(what_is_absent_has_a_plain_value),
		cmocka_unit_test(an_empty_list_may_be_bare),
		cmocka_unit_test(units_and_nanos_may_each_be_left_out),
		cmocka_unit_test(money_that_contradicts_itself_spoils_the_list),
		cmocka_unit_test(tiers_come_in_the_order_of_their_starts),
		cmocka_unit_test(what_is_free_has_a_price_of_nothing),
		cmocka_unit_test(the_pricing_that_came_into_effect_last_counts),
		cmocka_unit_test(only_what_is_wanted_is_kept),
		cmocka_unit_test(a_large_list_takes_little_memory),
		cmocka_unit_test(a_sku_that_comes_again_replaces_itself),
		cmocka_unit_test(what_is_no_list_is_not_an_empty_list),
		cmocka_unit_test(more_tiers_than_anything_has_are_refused),
		cmocka_unit_test(more_skus_than_can_be_wanted_are_refused),
		cmocka_unit_test(a_list_without_end_is_refused),
		cmocka_unit_test(page_two_failing_leaves_nothing),
		cmocka_unit_test(a_page_that_is_too_big_is_asked_for_smaller),
		cmocka_unit_test(a_page_beyond_the_usual_cap_is_read),
		cmocka_unit_test(
			a_disabled_api_is_named_with_the_project_that_google_means),
		cmocka_unit_test(a_consumer_that_is_no_project_is_not_put_into_a_command),
		cmocka_unit_test(a_denial_suggests_no_role_as_none_is_needed),
		cmocka_unit_test(malformed_questions_are_not_asked),
		cmocka_unit_test(lists_of_two_services_run_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Prices of the account before those of the built-in table: who is asked first, for what, and
 * when a source is passed over. The arithmetic stands beside each figure. */
#include "rules/price/account.h"

#include "base/str.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define NOW INT64_C(1795219200)
#define GCE "6F81-5844-456A"
#define CLOUD_TPU "E000-3F24-B8AA"

static struct tempdb t;
static struct account_prices account;
static struct price_book book;

static int open_db(void **state)
{
	tempdb_open(&t, NOW);
	return 0;
}

static int close_db(void **state)
{
	account_prices_done(&account);
	memset(&account, 0, sizeof(account));
	tempdb_close(&t);
	return 0;
}

static void ask(const char *currency)
{
	account_prices_done(&account);
	price_book_init(&book, NULL, 0);
	account_prices_open(&account, t.db, currency, &book);
}

static void listed(const char *sku, const char *region, const char *description,
	const char *unit, const char *currency, int64_t price)
{
	tempdb_execf(&t,
		"INSERT INTO list_price VALUES ('%s', '%s', '%s', '%s', '', '', "
		"'OnDemand', '%s', '%s', %lld, NULL, 0)",
		strcasestr(description, "tpu-") ? CLOUD_TPU : GCE, sku, region, description,
		unit, currency, (long long)price);
}

/* As the collector stores what a line of the bill says. */
static void billed(const char *sku, const char *region, const char *description,
	const char *unit, const char *currency, int64_t price, int64_t hour)
{
	const char *service = strcasestr(description, "tpu-") ? CLOUD_TPU : GCE;

	tempdb_execf(&t,
		"INSERT INTO billed_price (service_id, sku_id, currency, unit, price, "
		"hour) VALUES ('%s', '%s', '%s', '%s', %lld, "
		"%lld);INSERT OR IGNORE INTO billed_region VALUES ('%s', '%s', "
		"'%s');INSERT OR IGNORE INTO sku (service_id, service, sku_id, sku) VALUES "
		"('%s', 'S', '%s', '%s')",
		service, sku, currency, unit, (long long)price, (long long)hour, region,
		service, sku, service, sku, description);
}

static void check(const struct price *p, const char *want)
{
	char amount[NANOS_BUF], got[128];
	struct err e = {0};

	if (account_prices_check(&account, &e))
		fail_msg("%s", e.msg);
	snprintf(got, sizeof(got), "%s %s %s", nanos_format(p->nanos, amount), p->cur,
		price_source_name(p->source));
	if (!p->known)
		snprintf(got, sizeof(got), "unknown");
	if (strcmp(got, want) != 0)
		fail_msg("got %s, want %s", got, want);
}

static void check_vm(
	const char *type, const char *region, enum price_class class, const char *want)
{
	struct vm_spec vm = {.machine_type = type, .region = region, .class = class};
	struct vm_price p = price_vm(&book, &vm);

	check(&p.total, want);
}

static void check_tpu(
	const char *type, const char *zone, enum price_class class, const char *want)
{
	struct price p = price_tpu(&book, type, zone, class);

	check(&p, want);
}

static void check_disk(
	const char *type, const char *region, int64_t gib, bool regional, const char *want)
{
	struct price p = price_disk(&book, type, region, gib, regional, PRICE_ON_DEMAND);

	check(&p, want);
}

static void the_bill_comes_before_the_list_and_the_list_before_the_table(void **state)
{
	/* table: 2 x 0.031611 + 7.5 x 0.004237 */
	ask("USD");
	check_vm("n1-standard-2", "us-central1", PRICE_ON_DEMAND, "0.0949995 USD builtin");
	listed("C", "us-central1", "N1 Predefined Instance Core running in Americas", "h",
		"USD", 40000000);
	ask("USD");
	/* the list knows the cores alone */
	check_vm("n1-standard-2", "us-central1", PRICE_ON_DEMAND, "0.0949995 USD builtin");
	listed("R", "us-central1", "N1 Predefined Instance Ram running in Americas",
		"GiBy.h", "USD", 5000000);
	ask("USD");
	/* 2 x 0.04 + 7.5 x 0.005 */
	check_vm("n1-standard-2", "us-central1", PRICE_ON_DEMAND, "0.1175 USD catalog");
	billed("C", "us-central1", "N1 Predefined Instance Core running in Americas",
		"hour", "HKD", 300000000, 100);
	ask("USD");
	/* half of it on the bill, in another money: the list prices all of it */
	check_vm("n1-standard-2", "us-central1", PRICE_ON_DEMAND, "0.1175 USD catalog");
	billed("R", "us-central1", "N1 Predefined Instance Ram running in Americas",
		"gibibyte hour", "HKD", 40000000, 90);
	ask("USD");
	/* 2 x 0.3 + 7.5 x 0.04 */
	check_vm("n1-standard-2", "us-central1", PRICE_ON_DEMAND, "0.9 HKD billed");
	/* another region, 2 x 0.034802 + 7.5 x 0.004664, and spot are other SKUs */
	check_vm("n1-standard-2", "europe-west4", PRICE_ON_DEMAND, "0.104584 USD builtin");
	check_vm("n1-standard-2", "us-central1", PRICE_SPOT, "0.033505 USD builtin");
}

static void a_bill_without_price_list_is_read_by_its_own_words(void **state)
{
	billed("D", "us-central1", "Storage PD Capacity", "gibibyte month", "HKD",
		310000000, 100);
	ask("HKD");
	/* 500 x 0.31 / 730 = 0.21232876712... */
	check_disk("pd-standard", "us-central1", 500, false, "0.212328767 HKD billed");
	/* the bill does not say where else that SKU is sold */
	check_disk("pd-standard", "us-east1", 500, false, "0.02739726 USD builtin");
	listed("D", "us-central1", "Storage PD Capacity", "GiBy.mo", "HKD", 320000000);
	listed("D", "us-east1", "Storage PD Capacity", "GiBy.mo", "HKD", 320000000);
	ask("HKD");
	/* the list does, and the price is still that of the bill */
	check_disk("pd-standard", "us-east1", 500, false, "0.212328767 HKD billed");
}

static void the_newest_price_of_a_sku_counts(void **state)
{
	billed("D", "us-central1", "SSD backed PD Capacity", "gibibyte month", "USD",
		200000000, 100);
	billed("D", "us-central1", "SSD backed PD Capacity", "gibibyte month", "HKD",
		1460000000, 200);
	ask("USD");
	/* 100 x 1.46 / 730 */
	check_disk("pd-ssd", "us-central1", 100, false, "0.2 HKD billed");
	/* the newest is in a unit that says nothing: what was before does not count */
	tempdb_exec(&t, "UPDATE billed_price SET unit = 'second' WHERE currency = 'HKD'");
	ask("USD");
	/* 100 x 0.17 / 730 = 0.0232876712... */
	check_disk("pd-ssd", "us-central1", 100, false, "0.023287671 USD builtin");
	/* two of the same hour that differ */
	tempdb_exec(&t, "UPDATE billed_price SET hour = 200, unit = 'gibibyte month'");
	ask("USD");
	check_disk("pd-ssd", "us-central1", 100, false, "0.023287671 USD builtin");
	/* of two tables, that of the later one */
	tempdb_exec(&t, "UPDATE billed_price SET table_id = 7 WHERE currency = 'HKD'");
	ask("USD");
	check_disk("pd-ssd", "us-central1", 100, false, "0.2 HKD billed");
}

static void what_several_skus_price_differently_is_no_price(void **state)
{
	listed("A", "us-central1", "Balanced PD Capacity", "GiBy.mo", "USD", 73000000);
	listed("B", "us-central1", "Balanced PD Capacity in Iowa", "GiBy.mo", "USD",
		73000000);
	ask("USD");
	check_disk("pd-balanced", "us-central1", 10, false, "0.001 USD catalog");
	listed("C", "us-central1", "Balanced PD Capacity in Iowa", "GiBy.mo", "USD",
		74000000);
	ask("USD");
	/* 10 x 0.10 / 730 = 0.00136986301... */
	check_disk("pd-balanced", "us-central1", 10, false, "0.001369863 USD builtin");
}

static void a_sku_with_two_meanings_has_none(void **state)
{
	billed("X", "us-central1", "Storage PD Capacity", "gibibyte month", "USD", 73000000,
		100);
	tempdb_exec(&t,
		"INSERT INTO sku (service_id, service, sku_id, sku) VALUES ('" GCE
		"', 'S', 'X', 'SSD backed PD Capacity')");
	ask("USD");
	/* 10 x 0.04 / 730 = 0.00054794520... */
	check_disk("pd-standard", "us-central1", 10, false, "0.000547945 USD builtin");
	check_disk("pd-ssd", "us-central1", 10, false, "0.002328767 USD builtin");
}

static void zero_and_less_are_no_prices(void **state)
{
	listed("A", "us-central1", "Storage PD Capacity", "GiBy.mo", "USD", 0);
	listed("B", "us-central1", "SSD backed PD Capacity", "GiBy.mo", "USD", -5);
	listed("C", "us-central1", "Balanced PD Capacity", "GiBy.h", "USD", INT64_MAX);
	ask("USD");
	check_disk("pd-standard", "us-central1", 10, false, "0.000547945 USD builtin");
	check_disk("pd-ssd", "us-central1", 10, false, "0.002328767 USD builtin");
	check_disk("pd-balanced", "us-central1", 10, false, "0.001369863 USD builtin");
}

static void prices_by_the_hour_and_by_the_month_are_the_same(void **state)
{
	listed("A", "us-central1", "Storage PD Capacity", "GiBy.h", "USD", 100);
	ask("USD");
	/* 10 GiB x 0.0000001 */
	check_disk("pd-standard", "us-central1", 10, false, "0.000001 USD catalog");
}

static void another_currency_of_the_list_is_not_asked(void **state)
{
	listed("A", "us-central1", "Storage PD Capacity", "GiBy.mo", "EUR", 73000000);
	ask("HKD");
	check_disk("pd-standard", "us-central1", 10, false, "0.000547945 USD builtin");
	ask("EUR");
	check_disk("pd-standard", "us-central1", 10, false, "0.001 EUR catalog");
	/* until it is read in the new currency, the list in USD is used */
	listed("A", "us-central1", "Storage PD Capacity", "GiBy.mo", "USD", 146000000);
	ask("HKD");
	check_disk("pd-standard", "us-central1", 10, false, "0.002 USD catalog");
	ask("EUR");
	check_disk("pd-standard", "us-central1", 10, false, "0.001 EUR catalog");
}

static void charge_at(const char *currency, int ref, int64_t hour, int64_t rate)
{
	tempdb_execf(&t,
		"INSERT OR IGNORE INTO charge (charge_ref, invoice_month, cost_type, "
		"currency, usage_unit, rate) VALUES (%d, '202611', 'regular', '%s', 'h', "
		"%lld);"
		"INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, place_ref, "
		"resource_ref, charge_ref, credit_ref, usage, cost, credits, row_count) "
		"VALUES (1, 1, %lld, 1, 1, 1, 1, %d, 0, 1, 1, 0, 1)",
		ref, currency, (long long)rate, (long long)hour, ref);
}

static void rates_and_currency_are_those_of_the_bill(void **state)
{
	struct price_rates r;
	struct err e = {0};
	char currency[4];

	assert_int_equal(account_currency(t.db, currency, &e), E_OK);
	assert_string_equal(currency, "USD");
	tempdb_exec(&t, "PRAGMA foreign_keys = OFF");
	charge_at("HKD", 1, 1763510400, INT64_C(7700000000));
	charge_at("HKD", 2, 1763596800, INT64_C(7800000000));
	assert_int_equal(account_currency(t.db, currency, &e), E_OK);
	assert_string_equal(currency, "HKD");
	assert_int_equal(account_rates_read(t.db, &t.a, &r, &e), E_OK);
	assert_int_equal(r.n, 2);
	assert_int_equal(price_rate_of(&r, "USD")->per_usd, NANOS);
	assert_null(price_rate_of(&r, "USD")->as_of);
	assert_int_equal(price_rate_of(&r, "HKD")->per_usd, INT64_C(7800000000));
	assert_string_equal(price_rate_of(&r, "HKD")->as_of, "2025-11-20");
	assert_null(price_rate_of(&r, "EUR"));
	assert_null(price_rate_of(NULL, "USD"));
	/* with bills in two currencies neither is preferred, and one without a rate has none */
	charge_at("EUR", 3, 1763596800, 0);
	assert_int_equal(account_currency(t.db, currency, &e), E_OK);
	assert_string_equal(currency, "USD");
	assert_int_equal(account_rates_read(t.db, &t.a, &r, &e), E_OK);
	assert_int_equal(r.n, 2);
}

static void tpus_by_the_device_and_the_slice(void **state)
{
	listed("2", "us-central1", "TPU-v2 Accelerator USA", "h", "USD",
		INT64_C(4600000000));
	listed("P", "us-central1", "Tpu-v2 Pod running in Iowa", "h", "USD",
		INT64_C(6200000000));
	listed("5", "us-central1", "TpuV5e running in Iowa", "h", "USD", 1300000000);
	listed("s", "us-central1", "TpuV5e Preemptible running in Iowa", "h", "USD",
		300000000);
	ask("USD");
	check_tpu("v2-8", "us-central1-f", PRICE_ON_DEMAND, "4.6 USD catalog");
	/* 16 chips, 6.20 for 4 of them: not 4 devices, which would be 18.40 */
	check_tpu("v2-32", "us-central1-a", PRICE_ON_DEMAND, "24.8 USD catalog");
	check_tpu("v5litepod-16", "us-central1-a", PRICE_ON_DEMAND, "20.8 USD catalog");
	check_tpu("v5e-16", "us-central1-a", PRICE_SPOT, "4.8 USD catalog");
	/* 3 v3: not in the list */
	check_tpu("v3-8", "us-central1-a", PRICE_ON_DEMAND, "8 USD builtin");
	check_tpu("v2-8", "europe-west4-a", PRICE_ON_DEMAND, "4.95 USD builtin");
	check_tpu("v2-8", "us-central1-f", PRICE_SPOT, "1.35 USD builtin");
}

static void a_reserved_tpu_has_the_price_of_calendar_mode(void **state)
{
	listed("o", "us-east5", "TpuV6e running in Columbus", "h", "USD",
		INT64_C(2700000000));
	ask("USD");
	check_tpu("v6e-8", "us-east5-a", PRICE_RESERVED, "unknown");
	listed("c", "us-east5", "Reserved V6e TPU in Columbus in Calendar Mode", "h", "USD",
		INT64_C(1890000000));
	ask("USD");
	check_tpu("v6e-8", "us-east5-a", PRICE_RESERVED, "15.12 USD catalog");
	check_tpu("v6e-8", "us-east5-a", PRICE_ON_DEMAND, "21.6 USD catalog");
	check_tpu("v6e-8", "us-east5-a", PRICE_UNSTATED, "unknown");
	check_tpu("v6e-8", "us-east1-d", PRICE_RESERVED, "unknown");
}

static void custom_machines_have_skus_of_their_own(void **state)
{
	listed("C", "us-central1", "N2 Instance Core running in Iowa", "h", "USD",
		10000000);
	listed("R", "us-central1", "N2 Instance Ram running in Iowa", "GiBy.h", "USD",
		1000000);
	ask("USD");
	/* (4 x 0.01 + 8 x 0.001) x 1.05 */
	check_vm("n2-custom-4-8192", "us-central1", PRICE_ON_DEMAND, "0.0504 USD catalog");
	listed("c", "us-central1", "N2 Custom Instance Core running in Iowa", "h", "USD",
		20000000);
	listed("r", "us-central1", "N2 Custom Instance Ram running in Iowa", "GiBy.h",
		"USD", 2000000);
	ask("USD");
	/* 4 x 0.02 + 8 x 0.002 */
	check_vm("n2-custom-4-8192", "us-central1", PRICE_ON_DEMAND, "0.096 USD catalog");
	check_vm("n2-standard-4", "us-central1", PRICE_ON_DEMAND, "0.056 USD catalog");
	/* extended memory has no price there, nor in the table */
	check_vm("n2-custom-2-20480-ext", "us-central1", PRICE_ON_DEMAND, "unknown");
	listed("x", "us-central1", "N2 Custom Extended Instance Ram running in Iowa",
		"GiBy.h", "USD", 9000000);
	ask("USD");
	/* 2 x 0.02 + 16 x 0.002 + (20 - 16) x 0.009 */
	check_vm("n2-custom-2-20480-ext", "us-central1", PRICE_ON_DEMAND,
		"0.108 USD catalog");
	/* n1 has no surcharge: its custom types are SKUs of their own, or not priced */
	listed("1", "us-central1", "N1 Predefined Instance Core running in Iowa", "h",
		"USD", 10000000);
	listed("2", "us-central1", "N1 Predefined Instance Ram running in Iowa", "GiBy.h",
		"USD", 1000000);
	ask("USD");
	/* 2 x 0.03319155 + 4 x 0.004446 = 0.0841671 */
	check_vm("custom-2-4096", "us-central1", PRICE_ON_DEMAND, "0.0841671 USD builtin");
}

static void a_machine_with_gpus_inside_is_not_priced_by_its_cores(void **state)
{
	listed("C", "us-central1", "A2 Instance Core running in Americas", "h", "USD", 1);
	listed("R", "us-central1", "A2 Instance Ram running in Americas", "GiBy.h", "USD",
		1);
	ask("USD");
	check_vm("a2-highgpu-1g", "us-central1", PRICE_ON_DEMAND, "3.673385 USD builtin");
}

static void a_database_that_fails_is_said(void **state)
{
	struct price p;
	struct err e = {0};

	ask("USD");
	tempdb_exec(&t, "DROP TABLE list_price");
	p = price_disk(&book, "pd-standard", "us-central1", 10, false, PRICE_ON_DEMAND);
	assert_true(p.known);
	assert_int_not_equal(account_prices_check(&account, &e), E_OK);
	assert_non_null(strstr(e.msg, "prices"));
}

UNIT_TESTS()
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_db, close_db)
	const struct CMUnitTest tests[] = {
		TEST(the_bill_comes_before_the_list_and_the_list_before_the_table),
		TEST(a_bill_without_price_list_is_read_by_its_own_words),
		TEST(the_newest_price_of_a_sku_counts),
		TEST(what_several_skus_price_differently_is_no_price),
		TEST(a_sku_with_two_meanings_has_none),
		TEST(zero_and_less_are_no_prices),
		TEST(prices_by_the_hour_and_by_the_month_are_the_same),
		TEST(another_currency_of_the_list_is_not_asked),
		TEST(rates_and_currency_are_those_of_the_bill),
		TEST(tpus_by_the_device_and_the_slice),
		TEST(a_reserved_tpu_has_the_price_of_calendar_mode),
		TEST(custom_machines_have_skus_of_their_own),
		TEST(a_machine_with_gpus_inside_is_not_priced_by_its_cores),
		TEST(a_database_that_fails_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

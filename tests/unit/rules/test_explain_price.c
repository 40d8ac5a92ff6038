/* How prices are made: the terms, and that they are those of the price itself. */
#include "rules/price/explain.h"

#include "base/time/civil.h"
#include "rules/derive/derive.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define NOW INT64_C(1795219200)

static struct tempdb t;
static struct price_override overrides[] = {
	{"v4", "us-central2-b", NULL, {3220000000, "USD"}}};
static struct settings settings = {.currency = "USD", .prices = overrides, .n_prices = 1};

static int setup(void **state)
{
	tempdb_open(&t, NOW);
	settings.tz = t.tz;
	return 0;
}

/* A resource in us-central1-b, priced both ways: the sum must be what the view shows. */
static struct priced price_of(const char *kind, const char *zone, const char *type,
	const char *state, const char *set)
{
	struct derive_opts o = {
		.settings = &settings, .now = NOW, .since = TS_NONE, .until = TS_NONE};
	struct priced p;
	struct err e = {0};

	tempdb_exec(&t, "DELETE FROM resource");
	tempdb_execf(&t,
		"INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, name, state, raw_state, type, provisioning, labels, first_seen, "
		"last_seen, complete) VALUES ('p/x/y/z', '1', '%s', '%s', 'p', '%s', '%s', "
		"'us-central1', 'z', '%s', '%s', '%s', 'on-demand', '{}', 0, 0, 1);%s",
		kind, kind, zone, zone, state, state, type, set);
	if (explain_price(t.db, &settings, "p/x/y/z", &t.a, &p, &e) || derive(t.db, &o, &e))
		fail_msg("%s", e.msg);
	if (p.total.known)
		assert_int_equal(
			p.total.nanos, tempdb_int(&t, "SELECT gross FROM verdict"));
	else
		assert_int_equal(1, tempdb_int(&t, "SELECT gross IS NULL FROM verdict"));
	return p;
}

static void a_machine_is_cores_and_memory(void **state)
{
	struct priced p = price_of("vm", "us-central1-b", "n1-highmem-96", "running", "");

	assert_int_equal(p.n_terms, 2);
	assert_int_equal(p.terms[0].item, PRICE_CORE);
	assert_int_equal(p.terms[0].quantity, 96 * NANOS);
	assert_int_equal(p.terms[0].unit.nanos, 31611000);
	assert_int_equal(p.terms[0].amount, 3034656000); /* 96 x 0.031611 */
	assert_int_equal(p.terms[1].item, PRICE_RAM);
	assert_int_equal(p.terms[1].quantity, 624 * 1024 * NANOS);
	assert_int_equal(p.terms[1].den, 1024);
	assert_int_equal(p.terms[1].amount, 2643888000); /* 624 x 0.004237 */
	assert_int_equal(p.total.nanos, 3034656000 + 2643888000);
	assert_int_equal(p.terms[1].source, PRICE_BUILTIN);
	assert_non_null(p.terms[1].unit.as_of);
	assert_null(p.terms[1].unit.sku);
	assert_false(p.free);
}

/* 96 x 0.031611 USD x 7.8 HKD/USD */
static void terms_are_converted_at_the_rate_of_the_bill(void **state)
{
	struct priced p;

	settings.currency = "HKD";
	p = price_of("vm", "us-central1-b", "n1-highmem-96", "running",
		"PRAGMA foreign_keys = OFF;"
		"INSERT INTO charge (charge_ref, invoice_month, cost_type, currency, "
		"usage_unit, rate) VALUES (1, '202611', 'regular', 'HKD', 'h', "
		"7800000000);"
		"INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, place_ref, "
		"resource_ref, charge_ref, credit_ref, usage, cost, credits, row_count) "
		"VALUES (1, 1, 1763510400, 1, 1, 1, 1, 1, 0, 1, 1, 0, "
		"1)");
	settings.currency = "USD";
	assert_int_equal(p.n_terms, 2);
	assert_int_equal(p.terms[0].unit.nanos, 31611000);
	assert_string_equal(p.terms[0].unit.cur, "USD");
	assert_null(p.terms[0].from->as_of);
	assert_int_equal(p.terms[0].to->per_usd, 7800000000);
	assert_string_equal(p.terms[0].to->as_of, "2025-11-19");
	assert_string_equal(price_term_cur(&p.terms[0]), "HKD");
	assert_int_equal(p.terms[0].amount, 23670316800);
	assert_int_equal(p.total.nanos, 44292643200); /* 5.678544 x 7.8 */
	assert_string_equal(p.total.cur, "HKD");
}

static void a_surcharge_is_part_of_a_term(void **state)
{
	struct priced p = price_of(
		"vm", "us-central1-b", "n2-custom-8-16384", "running", "");

	assert_int_equal(p.n_terms, 2);
	assert_int_equal(p.terms[0].percent, 105);
	assert_int_equal(p.terms[0].amount, p.terms[0].unit.nanos * 8 * 105 / 100);
	assert_int_equal(p.terms[0].amount + p.terms[1].amount, p.total.nanos);
}

/* 6.5 GiB for each core; what is above has a price of its own, and no surcharge. */
static void extended_memory_is_a_term_of_its_own(void **state)
{
	struct priced p = price_of(
		"vm", "us-central1-b", "custom-2-15360-ext", "running", "");

	assert_int_equal(p.n_terms, 3);
	assert_int_equal(p.terms[1].item, PRICE_RAM);
	assert_int_equal(p.terms[1].quantity, 13312 * NANOS);
	assert_int_equal(p.terms[2].item, PRICE_RAM_EXT);
	assert_string_equal(p.terms[2].name, "n1");
	assert_int_equal(p.terms[2].quantity, 2048 * NANOS);
	assert_int_equal(p.terms[2].percent, 100);
	assert_int_equal(p.terms[2].den, 1024);
	assert_int_equal(p.terms[2].amount, p.terms[2].unit.nanos * 2);
	assert_int_equal(
		p.terms[0].amount + p.terms[1].amount + p.terms[2].amount, p.total.nanos);
}

static void gpus_are_a_term_of_their_own(void **state)
{
	struct priced p = price_of("vm", "us-central1-b", "n1-standard-8", "running",
		"UPDATE resource SET gpu_type = 'nvidia-tesla-v100', gpu_count = 2");

	assert_int_equal(p.n_terms, 3);
	assert_int_equal(p.terms[2].item, PRICE_GPU);
	assert_string_equal(p.terms[2].name, "v100");
	assert_int_equal(p.terms[2].quantity, 2);
	assert_int_equal(p.terms[2].amount, 2 * p.terms[2].unit.nanos);
}

static void a_device_is_bought_by_its_chips(void **state)
{
	struct priced p = price_of("tpu", "us-central1-b", "v3-8", "running", "");

	assert_int_equal(p.n_terms, 1);
	assert_int_equal(p.terms[0].item, PRICE_TPU_DEVICE);
	assert_int_equal(p.terms[0].quantity, 4);
	assert_int_equal(p.terms[0].amount, p.total.nanos);
}

static void the_configuration_comes_first(void **state)
{
	struct priced p = price_of("tpu", "us-central2-b", "v4-16", "running", "");

	assert_int_equal(p.n_terms, 1);
	assert_int_equal(p.terms[0].source, PRICE_CONFIG);
	assert_int_equal(p.terms[0].quantity, 8);
	assert_int_equal(p.terms[0].amount, 25760000000); /* 8 x 3.22 */
	assert_string_equal(p.terms[0].unit.cur, "USD");
}

static void disks_are_priced_by_the_month(void **state)
{
	struct priced p = price_of("disk", "us-central1-b", "pd-ssd", "running",
		"UPDATE resource SET size_gib = 800");

	assert_int_equal(p.n_terms, 1);
	assert_int_equal(p.terms[0].den, 730);
	assert_int_equal(p.terms[0].amount, 186301370); /* 800 x 0.17 / 730 */
}

static void snapshots_by_the_byte(void **state)
{
	struct priced p = price_of("snapshot", "us-central1-b", "standard", "running",
		"UPDATE resource SET location = 'us-central1', bytes = 10737418240");

	assert_int_equal(p.n_terms, 1);
	assert_int_equal(p.terms[0].quantity, 10737418240);
	assert_int_equal(p.terms[0].den, INT64_C(730) << 30);
	assert_int_equal(p.terms[0].amount, p.total.nanos);
}

static void what_is_not_charged_has_no_terms(void **state)
{
	struct priced p = price_of("vm", "us-central1-b", "n1-standard-8", "stopped", "");

	assert_int_equal(p.n_terms, 0);
	assert_true(p.free);
	p = price_of("vm", "us-central1-b", "x9-strange-8", "running", "");
	assert_int_equal(p.n_terms, 0);
	assert_false(p.free);
	assert_false(p.total.known);
}

static void what_does_not_exist_has_none_either(void **state)
{
	struct priced p;
	struct err e = {0};

	assert_int_equal(
		explain_price(t.db, &settings, "p/x/y/none", &t.a, &p, &e), E_NOTFOUND);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_is_cores_and_memory),
		cmocka_unit_test(a_surcharge_is_part_of_a_term),
		cmocka_unit_test(terms_are_converted_at_the_rate_of_the_bill),
		cmocka_unit_test(extended_memory_is_a_term_of_its_own),
		cmocka_unit_test(gpus_are_a_term_of_their_own),
		cmocka_unit_test(a_device_is_bought_by_its_chips),
		cmocka_unit_test(the_configuration_comes_first),
		cmocka_unit_test(disks_are_priced_by_the_month),
		cmocka_unit_test(snapshots_by_the_byte),
		cmocka_unit_test(what_is_not_charged_has_no_terms),
		cmocka_unit_test(what_does_not_exist_has_none_either),
	};

	return cmocka_run_group_tests(tests, setup, tempdb_teardown);
}

/* TPUs as seen against TPUs as billed: the verdict over every way in which free hours may look
 * on a bill, and the days, places and classes that are compared. */
#include "rules/bill/reconcile.h"

#include "base/time/civil.h"
#include "db/rollup/rollup.h"
#include "rules/derive/derive.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

/* 2026-11-21T00:00:00Z */
#define NOW INT64_C(1795219200)
#define HOUR INT64_C(3600)
#define UNIT INT64_C(1000000000)

/* ---- the verdict -------------------------------------------------------------------------- */

/* 24 hours of a v3-8, on a settled day, billed at 8 an hour where a test does not differ. */
static struct rec_case day_of_v3_8(void)
{
	return (struct rec_case){.status = REC_SETTLED,
		.covered_seconds = 24 * HOUR,
		.chips_known = true,
		.covered_chips = 4 * 24 * HOUR,
		.billed = true,
		.family_known = true,
		.usage = 24 * UNIT,
		.billed_known = true,
		.billed_chips = 96 * UNIT,
		.cost = 192 * UNIT,
		.currency = "USD"};
}

static struct rec_case uncovered_day(void)
{
	struct rec_case c = day_of_v3_8();

	c.uncovered_seconds = c.covered_seconds;
	c.uncovered_chips = c.covered_chips;
	c.covered_seconds = c.covered_chips = 0;
	c.why = "wrong-zone";
	return c;
}

static struct rec_case absent(struct rec_case c)
{
	c.billed = c.billed_known = false;
	c.usage = c.billed_chips = c.cost = c.credits = c.promo = 0;
	c.currency = "";
	return c;
}

/* Half of the day covered. */
static struct rec_case mixed_day(void)
{
	struct rec_case c = uncovered_day();

	c.covered_seconds = c.uncovered_seconds = 12 * HOUR;
	c.covered_chips = c.uncovered_chips = 48 * HOUR;
	return c;
}

static struct rec_case unseen_day(void)
{
	struct rec_case c = day_of_v3_8();

	c.covered_seconds = c.covered_chips = 0;
	return c;
}

static void expect_verdict(struct rec_case c, enum rec_verdict want, const char *part)
{
	struct arena a = {0};
	struct rec_finding f = reconcile(&c, &a);

	if (f.verdict != want || !strstr(f.text, part))
		fail_msg("gave %s: %s\n  want %s: ...%s", rec_verdict_name(f.verdict),
			f.text, rec_verdict_name(want), part);
	arena_done(&a);
}

static void free_hours_may_be_absent_at_price_0_or_credited(void **state)
{
	struct rec_case c = day_of_v3_8();

	expect_verdict(absent(c), REC_OK, "a grant covered 96.00 chip-hours");
	c.cost = 0;
	expect_verdict(c, REC_OK, "nothing is to be paid");
	c.cost = 192 * UNIT;
	c.credits = -192 * UNIT;
	expect_verdict(c, REC_OK, "nothing is to be paid");
	/* the type of such a credit is not known: a promotion is as good, and is pointed out */
	c.promo = -192 * UNIT;
	expect_verdict(c, REC_OK, "a promotional credit of -192.00 USD");
}

static void what_is_covered_and_to_be_paid_is_an_alarm(void **state)
{
	struct rec_case c = day_of_v3_8();

	expect_verdict(c, REC_BILLED_BUT_COVERED,
		"a grant covers all of the 96.00 chip-hours, and 192.00 USD is to be paid");
	/* to the nano-unit: half a cent is nothing, more is not */
	c.credits = -192 * UNIT + REC_NOTHING;
	expect_verdict(c, REC_OK, "");
	c.credits++;
	expect_verdict(c, REC_BILLED_BUT_COVERED, "0.0050 USD");
	/* an hour of a day that was covered throughout */
	c = day_of_v3_8();
	c.cost = 8 * UNIT;
	c.billed_chips = 4 * UNIT;
	expect_verdict(c, REC_BILLED_BUT_COVERED, "8.00 USD");
	/* and in a unit that nobody understands */
	c.billed_known = false;
	expect_verdict(c, REC_BILLED_BUT_COVERED, "8.00 USD");
	c.status = REC_SETTLING;
	expect_verdict(c, REC_BILLED_BUT_COVERED, "8.00 USD");
}

static void an_uncovered_tpu_is_on_the_bill(void **state)
{
	struct rec_case c = uncovered_day();

	expect_verdict(c, REC_OK,
		"96.00 chip-hours ran uncovered (wrong-zone), and 192.00 USD is to be "
		"paid");
	expect_verdict(absent(c), REC_NOT_IN_BILL, "the settled bill has none of it");
	c.status = REC_SETTLING;
	expect_verdict(absent(c), REC_NOT_FINAL, "not complete");
	/* one of two is on it: 48 of 96 chip-hours */
	c = uncovered_day();
	c.billed_chips = 48 * UNIT;
	expect_verdict(c, REC_NOT_IN_BILL, "the settled bill has only 48.00 chip-hours");
	/* polls see a TPU a little late or early: 92 of 96 */
	c.billed_chips = 92 * UNIT;
	expect_verdict(c, REC_OK, "");
}

static void free_hours_that_no_grant_explains(void **state)
{
	struct rec_case c = uncovered_day();

	c.credits = -192 * UNIT;
	expect_verdict(c, REC_FREE_UNEXPLAINED, "no grant in the configuration explains");
	c.cost = c.credits = 0;
	expect_verdict(c, REC_FREE_UNEXPLAINED, "96.00 chip-hours ran uncovered");
	c.billed_known = false;
	expect_verdict(c, REC_FREE_UNEXPLAINED, "");
	/* a coupon explains them */
	c = uncovered_day();
	c.credits = c.promo = -192 * UNIT;
	expect_verdict(c, REC_COUPON, "a promotional credit of -192.00 USD paid for it");
	/* also when something else took half off */
	c.promo = -96 * UNIT;
	expect_verdict(c, REC_COUPON, "-96.00 USD");
	/* in part: the rest is to be paid, as it should */
	c.credits = c.promo = -100 * UNIT;
	expect_verdict(c, REC_OK, "92.00 USD is to be paid");
}

static void half_a_day_is_owed_at_the_bills_own_price(void **state)
{
	struct rec_case c = mixed_day();

	/* 12 h uncovered of 24 h: 96 of 192 */
	expect_verdict(c, REC_BILLED_BUT_COVERED,
		"more than the 48.00 chip-hours that ran uncovered cost");
	c.credits = -96 * UNIT;
	expect_verdict(c, REC_OK, "96.00 USD is to be paid");
	/* a twentieth of the cost is left open: 9.60 */
	c.credits = -86400000000;
	expect_verdict(c, REC_OK, "");
	c.credits = -86400000000 + 1;
	expect_verdict(c, REC_BILLED_BUT_COVERED, "");
	/* the covered half is absent */
	c = mixed_day();
	c.billed_chips = 48 * UNIT;
	c.cost = 96 * UNIT;
	expect_verdict(c, REC_OK, "");
	/* in a unit that is not understood nothing can be said of parts */
	c = mixed_day();
	c.billed_known = false;
	expect_verdict(c, REC_OK, "");
	/* the minute after the end of a grant does not count */
	c = day_of_v3_8();
	c.cost = 0;
	c.covered_seconds -= 60;
	c.uncovered_seconds = 60;
	c.uncovered_chips = 240;
	expect_verdict(c, REC_OK, "");
}

static void what_was_not_seen_is_said(void **state)
{
	struct rec_case c = unseen_day();

	expect_verdict(c, REC_NOT_SEEN, "no TPU was observed there");
	/* free, and a grant may be why */
	c.cost = 0;
	c.granted = true;
	expect_verdict(c, REC_NOT_SEEN, "(0.00 USD to pay)");
	c.granted = false;
	expect_verdict(c, REC_FREE_UNEXPLAINED, "no grant in the configuration matches");
	c.cost = 192 * UNIT;
	c.credits = c.promo = -192 * UNIT;
	expect_verdict(c, REC_COUPON, "were not observed");
	/* a charge that was taken back wholly */
	c = unseen_day();
	c.usage = c.billed_chips = c.cost = 0;
	expect_verdict(c, REC_OK, "nothing ran");
	/* watched for the last two hours: the other 22 may be what is to be paid (176 of 192) */
	c = day_of_v3_8();
	c.covered_seconds = 2 * HOUR;
	c.covered_chips = 8 * HOUR;
	c.credits = -16 * UNIT;
	expect_verdict(c, REC_NOT_SEEN, "only 8.00 chip-hours were observed");
	c.credits = 0;
	expect_verdict(c, REC_BILLED_BUT_COVERED, "");
}

static void nothing_is_said_of_days_that_are_not_complete(void **state)
{
	struct rec_case c = day_of_v3_8();

	c.status = REC_PARTIAL;
	expect_verdict(c, REC_NOT_FINAL, "not complete");
	/* known until: a day after its end it is settling, three days after it settled */
	assert_int_equal(rec_status_at(100, 100 + DAY_SECONDS - 1, NOW), REC_PARTIAL);
	assert_int_equal(rec_status_at(100, 100 + DAY_SECONDS, NOW), REC_SETTLING);
	assert_int_equal(rec_status_at(100, 100 + 3 * DAY_SECONDS - 1, NOW), REC_SETTLING);
	assert_int_equal(rec_status_at(100, 100 + 3 * DAY_SECONDS, NOW), REC_SETTLED);
	/* a file that claims to know the future */
	assert_int_equal(rec_status_at(NOW - DAY_SECONDS + 1, INT64_MAX, NOW), REC_PARTIAL);
}

static void a_line_without_generation_is_not_understood(void **state)
{
	struct rec_case c = unseen_day();

	c.family_known = false;
	expect_verdict(c, REC_NOT_UNDERSTOOD, "its generation");
	/* and nothing is missed that it may be */
	c = absent(uncovered_day());
	c.others_unknown = true;
	expect_verdict(c, REC_NOT_UNDERSTOOD, "");
}

/* ---- from the database -------------------------------------------------------------------- */

static struct tempdb t;
static struct grant grants[1];

static int setup(void **state)
{
	struct err e = {0};

	tempdb_open(&t, NOW);
	grants[0] = (struct grant){.name = "trc",
		.starts = NOW - 30 * DAY_SECONDS,
		.until = NOW + DAY_SECONDS,
		.new_only = true};
	if (grant_parse_line("5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a",
		    &t.a, &grants[0], &e))
		fail_msg("%s", e.msg);
	return 0;
}

static void expect(const char *sql, const char *want)
{
	tempdb_expect(&t, sql, want);
}

static void use_zone(const char *name)
{
	struct err e = {0};

	tz_free(t.tz);
	if (tz_open(name, &t.tz, &e))
		fail_msg("%s", e.msg);
}

/* Nothing but an export of account A that was looked at this moment. */
static void clear(void)
{
	use_zone("UTC");
	tempdb_exec(&t,
		"DELETE FROM usage; DELETE FROM billing_day; DELETE FROM "
		"billing_table;DELETE FROM billed_project; DELETE FROM sku; DELETE FROM "
		"place;DELETE FROM charge; DELETE FROM billed_resource;DELETE FROM "
		"resource; DELETE FROM resource_interval;INSERT INTO billing_table "
		"(table_id, name, location, last_modified_ms, row_count, looked) VALUES "
		"(1, 'a.b.c', 'US', 0, 0, 1795219200);INSERT INTO billed_resource "
		"(resource_ref, resource, global_name) VALUES (1, '', '');INSERT INTO "
		"billed_project VALUES (1, 'p', '7', 'A');INSERT INTO sku VALUES (1, "
		"'E000-3F24-B8AA', 'Cloud TPU', 'S1', 'Tpu-v3 accelerator running in "
		"Netherlands');INSERT INTO sku VALUES (2, 'E000-3F24-B8AA', 'Cloud TPU', "
		"'S2', 'Preemptible TPU-v3 accelerator running in Netherlands');INSERT "
		"INTO sku VALUES (3, '6F81-5844-456A', 'Compute Engine', 'S3', 'Tpu of the "
		"next generation');INSERT INTO place VALUES (1, 'europe-west4', "
		"'europe-west4', 'europe-west4-a');INSERT INTO place VALUES (2, "
		"'europe-west4', 'europe-west4', '');INSERT INTO place VALUES (3, 'eu', "
		"'', '');INSERT INTO charge (charge_ref, invoice_month, cost_type, "
		"currency, usage_unit, rate) VALUES (1, '202611', 'regular', 'USD', "
		"'hour', "
		"0);INSERT INTO charge (charge_ref, invoice_month, cost_type, currency, "
		"usage_unit, rate) VALUES (2, '202611', 'regular', 'HKD', 'hour', 0);");
}

static void ran(const char *zone, const char *name, const char *type, const char *class,
	ts_t starts, ts_t ends)
{
	tempdb_execf(&t,
		"INSERT INTO resource_interval (id, uid, starts, ends, kind, project, "
		"location, name, state, type, provisioning, created) VALUES "
		"('p/tpu/%s/%s', '%s', %lld, %lld, 'tpu', 'p', '%s', '%s', 'running', "
		"'%s', '%s', %lld)",
		zone, name, name, (long long)starts, (long long)ends, zone, name, type,
		class, (long long)starts);
}

/* One line of the bill: usage in hours, cost and promotion in nanos. */
static void billed(int sku, int place, int charge, ts_t hour, int64_t usage, int64_t cost,
	int64_t promo)
{
	tempdb_execf(&t,
		"INSERT OR IGNORE INTO billing_day VALUES (1, 1, 'A', %lld);INSERT INTO "
		"usage (table_id, unit, hour, sku_ref, project_ref, place_ref, "
		"resource_ref, charge_ref, credit_ref, usage, cost, credits, row_count) "
		"VALUES (1, 1, %lld, %d, 1, %d, 1, %d, 0, %lld, %lld, 0, 1);INSERT "
		"INTO usage (table_id, unit, hour, sku_ref, project_ref, place_ref, "
		"resource_ref, charge_ref, credit_ref, usage, cost, credits, row_count) "
		"SELECT 1, 1, %lld, %d, 1, %d, 1, %d, 1, 0, 0, %lld, 0 WHERE "
		"%lld <> 0",
		(long long)hour / DAY_SECONDS, (long long)hour, sku, place, charge,
		(long long)usage * UNIT, (long long)cost, (long long)hour, sku, place,
		charge, (long long)promo, (long long)promo);
}

static void run_at(ts_t now, ts_t since)
{
	struct settings settings = {
		.tz = t.tz, .currency = "USD", .grants = grants, .n_grants = 1};
	struct derive_opts o = {
		.settings = &settings, .now = now, .since = since, .until = TS_NONE};
	struct err e = {0};

	if (rollup_all(t.db, t.tz, &e) || derive(t.db, &o, &e))
		fail_msg("%s", e.msg);
}

#define ALL                                                                                \
	"SELECT group_concat(day || ' ' || family || ' ' || COALESCE(location, '-') || ' " \
	"' || "                                                                            \
	"COALESCE(provisioning, '-') || ' ' || COALESCE(covered_chip_hours, '-') || ' ' "  \
	"|| "                                                                              \
	"COALESCE(uncovered_chip_hours, '-') || ' ' || COALESCE(billed_chip_hours, '-') "  \
	"|| "                                                                              \
	"' ' || COALESCE(net, '-') || ' ' || status || ' ' || verdict, char(10)) FROM "    \
	"(SELECT * FROM reconciliation ORDER BY day, location, provisioning, currency)"

#define TEN (NOW - 10 * DAY_SECONDS) /* 2026-11-11 */

static void a_covered_day_that_is_billed_is_found(void **state)
{
	clear();
	/* 18:00 to 06:00 */
	ran("europe-west4-a", "a", "v3-8", "on-demand", TEN + 18 * HOUR, TEN + 30 * HOUR);
	billed(1, 1, 1, TEN + 20 * HOUR, 1, 8800000000, 0);
	run_at(NOW, TS_NONE);
	expect(ALL,
		"2026-11-11 v3 europe-west4-a on-demand 24.0 0.0 4.0 8.8 settled "
		"billed-but-covered\n"
		"2026-11-12 v3 europe-west4-a on-demand 24.0 0.0 - - settled ok");
	expect("SELECT sku || ' ' || skus || ' ' || currency || ' ' || cost || ' ' || "
	       "credits FROM reconciliation WHERE verdict <> 'ok'",
		"Tpu-v3 accelerator running in Netherlands 1 USD 8.8 0.0");
	/* the same with credits that leave nothing */
	clear();
	ran("europe-west4-a", "a", "v3-8", "on-demand", TEN, TEN + 12 * HOUR);
	billed(1, 1, 1, TEN, 12, 105600000000, -105600000000);
	run_at(NOW, TS_NONE);
	expect(ALL, "2026-11-11 v3 europe-west4-a on-demand 48.0 0.0 48.0 0.0 settled ok");
	expect("SELECT promo FROM reconciliation", "-105.6");
}

/* A free hour with a list cost shows what the grant saved; discounts have Google's names, and those of the lines
 * of one row are added up. */
static void discounts_have_the_names_of_google(void **state)
{
	clear();
	ran("europe-west4-a", "a", "v3-8", "on-demand", TEN, TEN + 2 * HOUR);
	billed(1, 1, 1, TEN, 1, 0, 0);
	billed(1, 1, 1, TEN + HOUR, 1, 8000000000, -1000000000);
	tempdb_execf(&t,
		"INSERT OR IGNORE INTO credit_type VALUES (7, 'SUSTAINED_USAGE_DISCOUNT');"
		"INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, place_ref, "
		"resource_ref, charge_ref, credit_ref, usage, cost, credits, row_count) "
		"VALUES (1, 1, %lld, 1, 1, 1, 1, 1, 7, 0, 0, -250000000, 0), (1, 1, %lld, "
		"1, "
		"1, 1, 1, 1, 7, 0, 0, -500000000, 0);UPDATE charge SET model = 'M', "
		"model_name = "
		"'Flexible CUD' WHERE charge_ref = 1;UPDATE usage SET discount = "
		"8800000000, "
		"committed = 300000000 WHERE credit_ref = 0",
		(long long)TEN, (long long)(TEN + HOUR));
	run_at(NOW, TS_NONE);
	expect("SELECT list_cost || ' ' || savings || ' ' || net || ' ' || discounts FROM "
	       "reconciliation",
		"25.6 19.35 6.25 Flexible CUD -0.6, PROMOTION -1, SUSTAINED_USAGE_DISCOUNT "
		"-0.75");
}

static void a_bill_without_zones_is_compared_by_region(void **state)
{
	clear();
	ran("europe-west4-a", "a", "v3-8", "on-demand", TEN, TEN + HOUR);
	ran("europe-west4-b", "b", "v3-8", "on-demand", TEN, TEN + HOUR);
	ran("us-east1-d", "c", "v3-8", "on-demand", TEN, TEN + HOUR);
	/* one with, one without a zone; the uncovered one in -b: 8.80 */
	billed(1, 2, 1, TEN, 1, 8800000000, 0);
	billed(1, 1, 1, TEN, 1, 0, 0);
	run_at(NOW, TS_NONE);
	expect(ALL,
		"2026-11-11 v3 europe-west4 on-demand 4.0 4.0 8.0 8.8 settled "
		"billed-but-covered\n"
		"2026-11-11 v3 us-east1-d on-demand 0.0 4.0 - - partial not-final");
}

static void a_place_that_is_no_region_is_all_places(void **state)
{
	clear();
	ran("europe-west4-b", "b", "v3-8", "on-demand", TEN, TEN + HOUR);
	ran("us-east1-d", "c", "v3-8", "on-demand", TEN, TEN + HOUR);
	billed(1, 3, 1, TEN, 2, 17600000000, 0);
	run_at(NOW, TS_NONE);
	expect(ALL, "2026-11-11 v3 - on-demand 0.0 8.0 8.0 17.6 settled ok");
}

static void classes_are_compared_apart_where_they_are_told(void **state)
{
	clear();
	ran("europe-west4-a", "a", "v3-8", "spot", TEN, TEN + HOUR);
	ran("europe-west4-a", "b", "v3-8", "reserved", TEN, TEN + HOUR);
	billed(1, 1, 1, TEN, 1, 8800000000, 0);
	billed(2, 1, 1, TEN, 1, 2244000000, 0);
	run_at(NOW, TS_NONE);
	expect(ALL,
		"2026-11-11 v3 europe-west4-a on-demand 0.0 4.0 4.0 8.8 settled ok\n"
		"2026-11-11 v3 europe-west4-a spot 0.0 4.0 4.0 2.244 settled ok");
	expect("SELECT why FROM reconciliation WHERE provisioning = 'spot'",
		"wrong-provisioning");
	/* calendar mode is the only reservation with a SKU: both are compared as on demand */
	tempdb_exec(&t,
		"UPDATE sku SET sku = 'Reserved V3 TPU in Netherlands in Calendar "
		"Mode' WHERE sku_id = 'S1'");
	run_at(NOW, TS_NONE);
	expect("SELECT provisioning || ' ' || verdict FROM reconciliation WHERE sku LIKE "
	       "'Reserved%'",
		"on-demand ok");
	tempdb_exec(
		&t, "UPDATE resource_interval SET provisioning = NULL WHERE name = 'a'");
	run_at(NOW, TS_NONE);
	expect(ALL, "2026-11-11 v3 europe-west4-a - 0.0 8.0 8.0 11.044 settled ok");
	tempdb_exec(&t,
		"UPDATE resource_interval SET provisioning = 'unknown' WHERE name = "
		"'a'");
	run_at(NOW, TS_NONE);
	expect(ALL, "2026-11-11 v3 europe-west4-a - 0.0 8.0 8.0 11.044 settled ok");
}

static void currencies_are_never_added(void **state)
{
	clear();
	ran("europe-west4-b", "b", "v3-8", "on-demand", TEN, TEN + HOUR);
	billed(1, 1, 1, TEN, 1, 8800000000, 0);
	billed(1, 1, 2, TEN, 1, 68000000000, 0);
	run_at(NOW, TS_NONE);
	expect("SELECT group_concat(net || ' ' || currency) FROM (SELECT * FROM "
	       "reconciliation WHERE net IS NOT NULL ORDER BY currency)",
		"68.0 HKD,8.8 USD");
}

static void a_size_that_is_not_known_has_no_chip_hours(void **state)
{
	clear();
	ran("europe-west4-a", "a", "v3-99", "on-demand", TEN, TEN + HOUR);
	billed(1, 1, 1, TEN, 1, 8800000000, 0);
	run_at(NOW, TS_NONE);
	expect(ALL, "2026-11-11 v3 europe-west4-a on-demand - - 4.0 8.8 settled ok");
}

static void lines_that_say_no_generation_stand_alone(void **state)
{
	clear();
	ran("europe-west4-b", "b", "v3-8", "on-demand", TEN, TEN + HOUR);
	billed(3, 1, 1, TEN, 1, 8800000000, 0);
	run_at(NOW, TS_NONE);
	expect("SELECT group_concat(COALESCE(family, '-') || ' ' || "
	       "COALESCE(billed_chip_hours, '-') || ' ' || verdict) FROM (SELECT * FROM "
	       "reconciliation ORDER BY family)",
		"- - not-understood,v3 - not-understood");
}

/* The export was last looked at two days ago: what ran since cannot be missed. */
static void a_bill_that_is_not_read_is_not_final(void **state)
{
	clear();
	ran("europe-west4-b", "b", "v3-8", "on-demand", TEN, TEN + HOUR);
	ran("europe-west4-b", "c", "v3-8", "on-demand", TEN + 5 * DAY_SECONDS,
		TEN + 5 * DAY_SECONDS + HOUR);
	billed(1, 1, 1, TEN - DAY_SECONDS, 1, 8800000000, 0);
	tempdb_exec(&t, "UPDATE billing_table SET looked = 1795219200 - 6 * 86400");
	run_at(NOW, TS_NONE);
	expect("SELECT group_concat(day || ' ' || verdict) FROM (SELECT * FROM "
	       "reconciliation ORDER BY day)",
		"2026-11-10 not-seen,2026-11-11 not-final,2026-11-16 not-final");
	/* nothing is missing from a bill that ends before that day: Google may have stopped writing it */
	billed(1, 1, 1, TEN + 8 * DAY_SECONDS, 1, 8800000000, 0);
	tempdb_exec(&t, "UPDATE billing_table SET looked = 1795219200 - 6 * 86400");
	run_at(NOW, TS_NONE);
	expect("SELECT group_concat(day || ' ' || verdict) FROM (SELECT * FROM "
	       "reconciliation WHERE day < '2026-11-18' ORDER BY day)",
		"2026-11-10 not-seen,2026-11-11 not-in-bill,2026-11-16 not-final");
	/* with no bill at all nothing is missing from it */
	clear();
	ran("europe-west4-b", "b", "v3-8", "on-demand", TEN, TEN + HOUR);
	run_at(NOW, TS_NONE);
	expect("SELECT status || ' ' || verdict FROM reconciliation", "partial not-final");
}

/* The bill ends at 11:00 of a day, as far as it is known: the rest of that day may follow. */
static void the_day_in_which_the_bill_ends_is_not_final(void **state)
{
	const char *of_the_day = "SELECT status || ' ' || verdict FROM reconciliation "
				 "WHERE day = '2026-11-11'";

	clear();
	ran("europe-west4-b", "b", "v3-8", "on-demand", TEN, TEN + 10 * HOUR);
	billed(1, 2, 1, TEN, 1, 8800000000, 0);
	run_at(NOW, TS_NONE);
	expect(of_the_day, "partial not-final");
	billed(1, 2, 1, TEN + DAY_SECONDS, 1, 8800000000, 0);
	run_at(NOW, TS_NONE);
	expect(of_the_day, "settled not-in-bill");
	/* what was billed as it ran is right, whether more follows or not */
	clear();
	ran("europe-west4-b", "b", "v3-8", "on-demand", TEN, TEN + HOUR);
	billed(1, 2, 1, TEN, 1, 8800000000, 0);
	run_at(NOW, TS_NONE);
	expect(of_the_day, "settled ok");
}

static void days_are_those_of_the_zone(void **state)
{
	clear();
	use_zone("America/Los_Angeles");
	/* 2026-11-01, the day of 25 hours: 07:00Z to 08:00Z of the next, 4 chips each */
	ran("europe-west4-b", "b", "v3-8", "on-demand", INT64_C(1793516400),
		INT64_C(1793606400));
	billed(1, 1, 1, INT64_C(1793516400) + 24 * HOUR, 1, 8800000000, 0);
	run_at(NOW, TS_NONE);
	expect("SELECT group_concat(day || ' ' || uncovered_chip_hours || ' ' || "
	       "COALESCE(billed_chip_hours, 0)) FROM (SELECT * FROM reconciliation ORDER "
	       "BY location)",
		"2026-11-01 0.0 4.0,2026-11-01 100.0 0");
}

static void the_period_is_35_days_or_what_is_asked(void **state)
{
	clear();
	ran("europe-west4-b", "b", "v3-8", "on-demand", NOW - 60 * DAY_SECONDS,
		NOW - 30 * DAY_SECONDS);
	run_at(NOW, TS_NONE);
	/* 2026-10-18 .. 2026-10-21 of the 35 days up to today, 2026-11-21 */
	expect("SELECT COUNT(*) || ' ' || MIN(day) || ' ' || MAX(day) FROM reconciliation",
		"4 2026-10-18 2026-10-21");
	run_at(NOW, NOW - 60 * DAY_SECONDS);
	expect("SELECT COUNT(*) || ' ' || SUM(uncovered_chip_hours) FROM reconciliation",
		"30 2880.0");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(free_hours_may_be_absent_at_price_0_or_credited),
		cmocka_unit_test(what_is_covered_and_to_be_paid_is_an_alarm),
		cmocka_unit_test(an_uncovered_tpu_is_on_the_bill),
		cmocka_unit_test(free_hours_that_no_grant_explains),
		cmocka_unit_test(half_a_day_is_owed_at_the_bills_own_price),
		cmocka_unit_test(what_was_not_seen_is_said),
		cmocka_unit_test(nothing_is_said_of_days_that_are_not_complete),
		cmocka_unit_test(a_line_without_generation_is_not_understood),
		cmocka_unit_test(a_covered_day_that_is_billed_is_found),
		cmocka_unit_test(discounts_have_the_names_of_google),
		cmocka_unit_test(a_bill_without_zones_is_compared_by_region),
		cmocka_unit_test(a_place_that_is_no_region_is_all_places),
		cmocka_unit_test(classes_are_compared_apart_where_they_are_told),
		cmocka_unit_test(currencies_are_never_added),
		cmocka_unit_test(a_size_that_is_not_known_has_no_chip_hours),
		cmocka_unit_test(lines_that_say_no_generation_stand_alone),
		cmocka_unit_test(a_bill_that_is_not_read_is_not_final),
		cmocka_unit_test(the_day_in_which_the_bill_ends_is_not_final),
		cmocka_unit_test(days_are_those_of_the_zone),
		cmocka_unit_test(the_period_is_35_days_or_what_is_asked),
	};

	return cmocka_run_group_tests(tests, setup, tempdb_teardown);
}

/* From stored facts to verdicts, prices and burn. Every figure here is computed by hand from
 * the list prices: the arithmetic stands beside it. */
#include "rules/derive/derive.h"

#include "base/time/civil.h"
#include "base/sbuf.h"
#include "db/internal.h"
#include "db/rollup/rollup.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

/* 2026-11-21T00:00:00Z, 08:00 in Hong Kong */
#define NOW INT64_C(1795219200)
#define HOUR INT64_C(3600)

static struct tempdb t;
static struct settings usual, settings;

static struct grant grant_line(const char *name, const char *line, ts_t starts, ts_t until)
{
	struct grant g = {.name = name, .starts = starts, .until = until, .new_only = true};
	struct err e = {0};

	if (grant_parse_line(line, &t.a, &g, &e))
		fail_msg("%s", e.msg);
	return g;
}

static int setup(void **state)
{
	static struct grant grants[2];
	tempdb_open_in(&t, "Asia/Hong_Kong", NOW);
	grants[0] = grant_line("trc",
		"5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a",
		NOW - 27 * DAY_SECONDS, NOW + 3 * DAY_SECONDS);
	grants[1] = grant_line("trc",
		"100 preemptible Cloud TPU v2-8 device(s) in zone us-central1-f",
		NOW - 27 * DAY_SECONDS, NOW + 3 * DAY_SECONDS);
	usual = (struct settings){.tz = t.tz,
		.currency = "HKD",
		.grants = grants,
		.n_grants = ARRAY_LEN(grants)};
	return 0;
}

static void clear(void)
{
	tempdb_exec(&t,
		"BEGIN; DELETE FROM resource; DELETE FROM resource_interval; DELETE FROM "
		"source_status; DELETE FROM quota_item; DELETE FROM usage; DELETE FROM "
		"billing_unit; DELETE FROM billing_table; DELETE FROM list_price; COMMIT");
}

/* Of each test: nothing is there, and two grants. */
static int begin(void **state)
{
	clear();
	settings = usual;
	return 0;
}

static void put(const char *kind, const char *location, const char *name, const char *type,
	const char *state, const char *provisioning, int64_t started, const char *extra)
{
	bool zone = strchr(location, '-') != strrchr(location, '-');
	char region[64];

	snprintf(region, sizeof(region), "%s", location);
	if (zone)
		*strrchr(region, '-') = '\0';
	tempdb_execf(&t,
		"INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, name, state, raw_state, type, provisioning, labels, created, "
		"first_seen, last_seen, complete) VALUES ('p/%s/%s/%s', '1', '%s', '%s', "
		"'p', '%s', %s%s%s, '%s', '%s', '%s', '%s', '%s', '%s', '{}', %lld, %lld, "
		"%lld, 1);INSERT INTO resource_interval (id, uid, starts, kind, project, "
		"location, name, state, type, provisioning, created) VALUES ('p/%s/%s/%s', "
		"'1', %lld, '%s', 'p', '%s', '%s', '%s', '%s', '%s', %lld);%s",
		kind, location, name, kind, kind, location, zone ? "'" : "",
		zone ? location : "NULL", zone ? "'" : "", region, name, state, state, type,
		provisioning, (long long)started, (long long)started, (long long)NOW, kind,
		location, name, (long long)started, kind, location, name, state, type,
		provisioning, (long long)started, extra);
}

static void runs(const char *kind, const char *location, const char *name, const char *type,
	int64_t started)
{
	put(kind, location, name, type, "running", "on-demand", started, "");
}

static void run(ts_t since)
{
	struct derive_opts o = {
		.settings = &settings, .now = NOW, .since = since, .until = TS_NONE};
	struct err e = {0};

	if (rollup_all(t.db, settings.tz, &e) || derive_begin(t.db, &o, &e) ||
		db_derived_all(t.db, NULL, &e))
		fail_msg("%s", e.msg);
}

static void expect(const char *sql, const char *want)
{
	tempdb_expect(&t, sql, want);
}

static void a_machine_costs_its_cores_and_memory(void **state)
{
	/* 96 x 0.031611 + 624 x 0.004237 = 3.034656 + 2.643888 */
	runs("vm", "us-central1-b", "big", "n1-highmem-96", NOW - 26 * HOUR);
	run(TS_NONE);
	expect("SELECT gross FROM verdict", "5678544000");
	expect("SELECT net FROM verdict", "5678544000");
	expect("SELECT category || ' ' || gross FROM burn_part", "cpu 5678544000");
	expect("SELECT running_hours FROM resources", "26.0");
	expect("SELECT vcpus || ' ' || memory_gib FROM resources", "96 624.0");
	expect("SELECT covered FROM resources", "NULL");
}

static void a_tpu_in_the_granted_zone_costs_nothing_net(void **state)
{
	runs("tpu", "europe-west4-a", "good", "v3-8", NOW - 10 * HOUR);
	run(TS_NONE);
	/* list price of a v3-8 in europe-west4: 8.80 an hour */
	expect("SELECT covered || ' ' || grant_name || ' ' || gross || ' ' || net FROM "
	       "verdict",
		"1 trc 8800000000 0");
	expect("SELECT chips FROM resources", "4");
	expect("SELECT used_chips || ' of ' || granted_chips FROM grants WHERE type = "
	       "'v3-8'",
		"4 of 20");
	/* 4 chips x 10 h, 10 x 8.80 saved */
	expect("SELECT covered_chip_hours || ' ' || saved FROM grants WHERE type = 'v3-8'",
		"40.0 88.0");
	expect("SELECT round(days_left, 1) FROM grants WHERE type = 'v3-8'", "3.0");
}

static void the_same_tpu_one_zone_off_is_charged_and_says_why(void **state)
{
	char text[512];

	runs("tpu", "us-central1-a", "bad", "v3-8", NOW - 10 * HOUR);
	run(TS_NONE);
	expect("SELECT covered || ' ' || why || ' ' || gross || ' ' || net FROM verdict",
		"0 wrong-zone 8000000000 8000000000");
	tempdb_text(&t, "SELECT why_text FROM verdict", text, sizeof(text));
	assert_non_null(strstr(text, "europe-west4-a"));
	assert_non_null(strstr(text, "us-central1-a"));
	expect("SELECT gross || ' ' || chip_hours || ' ' || covered FROM coverage",
		"80.0 40.0 0");
}

static void a_preempted_node_costs_nothing_and_is_not_judged(void **state)
{
	put("tpu", "us-central1-f", "gone", "v2-8", "preempted", "spot", NOW - 10 * HOUR,
		"");
	run(TS_NONE);
	expect("SELECT gross FROM verdict", "0");
	expect("SELECT covered FROM verdict", "NULL");
	expect("SELECT COUNT(*) FROM burn_part", "0");
	expect("SELECT COUNT(*) FROM coverage", "0");
}

/* A slice that is a Compute Engine machine can be suspended. */
static void a_suspended_tpu_costs_nobody_knows_what(void **state)
{
	put("tpu", "us-central1-f", "asleep", "ct6e-standard-4t", "suspended", "spot",
		NOW - 10 * HOUR, "");
	run(TS_NONE);
	expect("SELECT gross FROM verdict", "NULL");
	expect("SELECT price_source FROM verdict", "unknown");
	expect("SELECT category FROM burn_part WHERE gross IS NULL", "tpu");
}

static void a_disk_costs_whether_used_or_not(void **state)
{
	/* 800 GiB x 0.17 / 730 = 0.186301369863..., half-even at the ninth digit */
	put("disk", "us-central1-b", "d", "pd-ssd", "stopped", "on-demand", NOW - 10 * HOUR,
		"UPDATE resource SET size_gib = 800");
	run(TS_NONE);
	expect("SELECT gross FROM verdict", "186301370");
	expect("SELECT category FROM burn_part", "disk");
}

static void an_unused_address_costs_and_a_used_one_does_not(void **state)
{
	put("ip", "us-central1", "spare", "external", "stopped", "on-demand",
		NOW - 10 * HOUR, "");
	put("ip", "us-central1", "used", "external", "running", "on-demand",
		NOW - 10 * HOUR, "");
	run(TS_NONE);
	expect("SELECT gross FROM verdict WHERE id LIKE '%spare'", "10000000");
	expect("SELECT gross FROM verdict WHERE id LIKE '%used'", "0");
}

static void a_stopped_machine_costs_nothing_itself(void **state)
{
	put("vm", "us-central1-b", "off", "n1-standard-1", "stopped", "on-demand",
		NOW - HOUR, "");
	run(TS_NONE);
	expect("SELECT gross || ' ' || price_source FROM verdict", "0 builtin");
	expect("SELECT running_hours FROM resources", "NULL");
}

static void a_price_that_is_not_known_is_null_and_never_zero(void **state)
{
	runs("vm", "mars-north1-a", "m", "n1-standard-1", NOW - HOUR);
	runs("vm", "us-central1-b", "w", "zz9-mega-7", NOW - HOUR);
	runs("tpu", "mars-north1-a", "x", "v3-8", NOW - HOUR);
	runs("tpu", "us-central1-a", "y", "v99-8", NOW - HOUR);
	run(TS_NONE);
	expect("SELECT COUNT(*) FROM verdict WHERE gross IS NULL AND net IS NULL AND "
	       "currency IS NULL AND price_source = 'unknown'",
		"4");
	expect("SELECT SUM(resources) FROM burn WHERE currency IS NULL AND gross_per_hour "
	       "IS NULL",
		"4");
	/* nor is that of what was never judged */
	expect("SELECT COUNT(*) FROM resources WHERE gross_per_hour IS NULL AND "
	       "price_source = 'unknown'",
		"4");
}

/* Nobody publishes a price of v6e in us-central2. */
static void what_a_grant_covers_is_free_even_without_a_price(void **state)
{
	struct grant grant = grant_line("g",
		"8 on-demand Cloud TPU v6e chips in zone us-central2-b",
		NOW - 10 * DAY_SECONDS, NOW + DAY_SECONDS);

	settings.grants = &grant;
	settings.n_grants = 1;
	runs("tpu", "us-central2-b", "a", "v6e-8", NOW - 3 * HOUR);
	run(TS_NONE);
	expect("SELECT COALESCE(gross_per_hour, 'none') || ' ' || net_per_hour || ' ' || "
	       "COALESCE(currency, 'none') FROM resources",
		"none 0.0 none");
	expect("SELECT COALESCE(gross, 'none') || ' ' || net FROM coverage", "none 0.0");
	expect("SELECT net_per_hour FROM burn WHERE gross_per_hour IS NULL", "0.0");
	run(NOW - HOUR);
	expect("SELECT COALESCE(gross, 'none') || ' ' || net FROM coverage", "none 0.0");
	/* beside one that has no room: together they are not known */
	runs("tpu", "us-central2-b", "b", "v6e-4", NOW - HOUR);
	run(TS_NONE);
	expect("SELECT net_per_hour FROM resources WHERE name = 'b'", "NULL");
	expect("SELECT resources || COALESCE(net_per_hour, ' none') FROM burn", "2 none");
}

static void a_machine_is_charged_from_staging_and_in_a_state_nobody_knows(void **state)
{
	static const struct {
		const char *state, *raw, *gross;
	} rows[] = {{"starting", "STAGING", "47499800"}, {"starting", "PROVISIONING", "0"},
		{"stopping", "STOPPING", "47499800"},
		{"unknown", "HIBERNATING", "47499800"}, {"suspended", "SUSPENDED", "NULL"},
		{"deleting", "DEPROVISIONING", "0"}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char extra[128];

		clear();
		snprintf(extra, sizeof(extra), "UPDATE resource SET raw_state = '%s'",
			rows[i].raw);
		put("vm", "us-central1-b", "m", "n1-standard-1", rows[i].state, "on-demand",
			NOW - HOUR, extra);
		run(TS_NONE);
		/* 0.031611 + 3.75 x 0.004237 = 0.04749975 */
		expect("SELECT gross FROM verdict",
			!strcmp(rows[i].gross, "47499800") ? "47499750" : rows[i].gross);
	}
}

static void a_tpu_in_a_state_nobody_knows_is_charged_and_not_judged(void **state)
{
	put("tpu", "europe-west4-a", "odd", "v3-8", "unknown", "on-demand", NOW - HOUR, "");
	run(TS_NONE);
	expect("SELECT gross || ' ' || net FROM verdict", "8800000000 8800000000");
	expect("SELECT covered FROM verdict", "NULL");
}

static void a_covered_stretch_costs_nothing_net(void **state)
{
	runs("tpu", "europe-west4-a", "good", "v3-8", NOW - 10 * HOUR);
	run(TS_NONE);
	expect("SELECT gross || ' ' || net FROM coverage", "88.0 0.0");
	run(NOW - 4 * HOUR);
	expect("SELECT gross || ' ' || net || ' ' || covered FROM coverage", "35.2 0.0 1");
}

static void a_label_protects_and_so_do_labels_that_cannot_be_read(void **state)
{
	put("vm", "us-central1-b", "k", "n1-standard-1", "running", "on-demand", NOW - HOUR,
		"UPDATE resource SET labels = '{\"tpucost-keep\":\"forever\"}'");
	put("vm", "us-central1-b", "b", "n1-standard-1", "running", "on-demand", NOW - HOUR,
		"UPDATE resource SET labels = '{tpucost-keep' WHERE name = 'b'");
	runs("vm", "us-central1-b", "n", "n1-standard-1", NOW - HOUR);
	run(TS_NONE);
	expect("SELECT group_concat(name) FROM (SELECT name FROM resources WHERE exempt "
	       "ORDER BY name)",
		"b,k");
}

static void burn_adds_up_by_category(void **state)
{
	runs("tpu", "europe-west4-a", "good", "v3-8", NOW - HOUR);
	runs("tpu", "us-central1-a", "bad", "v3-8", NOW - HOUR);
	runs("vm", "us-central1-b", "big", "n1-highmem-96", NOW - HOUR);
	run(TS_NONE);
	expect("SELECT gross_per_hour || ' ' || net_per_hour || ' ' || resources FROM burn "
	       "WHERE category = 'tpu'",
		"16.8 8.0 2");
	expect("SELECT gross_per_day FROM burn WHERE category = 'cpu'", "136.285056");
}

static void coverage_over_a_period_splits_at_the_start_of_the_grant(void **state)
{
	/* Created a day before the grant began: never covered (only new ones are). */
	runs("tpu", "europe-west4-a", "old", "v3-8", NOW - 28 * DAY_SECONDS);
	run(NOW - 30 * DAY_SECONDS);
	expect("SELECT group_concat(why) FROM (SELECT why FROM coverage ORDER BY starts)",
		"not-started,created-before");
	/* 28 days x 24 h x 8.80 */
	expect("SELECT SUM(gross) FROM coverage", "5913.6");
	expect("SELECT SUM(chip_hours) FROM coverage", "2688.0");
}

/* A machine with TPUs is stopped, gets another type and starts again: same uid, other chips. */
static void each_stretch_has_the_type_it_ran_with(void **state)
{
	put("tpu", "us-west4-a", "lite", "ct5lp-hightpu-8t", "running", "on-demand",
		NOW - 10 * 3600,
		"INSERT INTO resource_interval (id, uid, starts, ends, kind, project, "
		"location, name, state, type, provisioning, created) SELECT id, uid, "
		"starts - 36000, starts - 3600, kind, project, location, name, state, "
		"'ct5lp-hightpu-1t', provisioning, created - 36000 FROM resource_interval");
	run(NOW - 30 * DAY_SECONDS);
	/* 9 h of one chip, 10 h of eight, at 1.20 each */
	expect("SELECT group_concat(chip_hours || ' ' || gross) FROM (SELECT * FROM "
	       "coverage ORDER BY starts)",
		"9.0 10.8,80.0 96.0");
}

static void a_renewal_shares_its_room_with_what_it_renews(void **state)
{
	struct grant chain[2];

	chain[0] = grant_line("g1",
		"8 on-demand Cloud TPU v6e chips in zone europe-west4-a",
		NOW - 10 * DAY_SECONDS, NOW + DAY_SECONDS);
	chain[1] = grant_line("g2",
		"16 on-demand Cloud TPU v6e chips in zone europe-west4-a",
		NOW - DAY_SECONDS, NOW + 10 * DAY_SECONDS);
	chain[1].extends = "g1";
	settings.grants = chain;
	settings.n_grants = 2;
	runs("tpu", "europe-west4-a", "a", "v6e-8", NOW - 3 * HOUR);
	run(TS_NONE);
	expect("SELECT group_concat(free_chips) FROM grants", "8,8");
	runs("tpu", "europe-west4-a", "b", "v6e-8", NOW - 2 * HOUR);
	runs("tpu", "europe-west4-a", "c", "v6e-8", NOW - HOUR);
	run(TS_NONE);
	expect("SELECT group_concat(why) FROM (SELECT why FROM resources ORDER BY name)",
		"covered,covered,over-capacity");
	expect("SELECT group_concat(free_chips) FROM grants", "0,0");
	expect("SELECT group_concat(COALESCE(shared_with, '-')) FROM grants", "g2,-");
	chain[1].count = chain[1].chips = 8; /* as large: the first */
	run(TS_NONE);
	expect("SELECT group_concat(COALESCE(shared_with, '-')) FROM grants", "-,g1");
	chain[0].until = NOW; /* over: the renewal has its own */
	run(TS_NONE);
	expect("SELECT group_concat(COALESCE(shared_with, '-')) FROM grants", "-,-");
}

static void what_a_wrong_clock_noted_is_stale(void **state)
{
	tempdb_exec(&t,
		"INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items, poll_group) VALUES ('vm', 'p', 'ok', 1795222800, "
		"1795222800, 1, 'instances'), ('tpu', 'p', 'ok', 1795219500, 1795219500, "
		"1, 'instances')");
	run(TS_NONE);
	expect("SELECT group_concat(source || ' ' || stale) FROM (SELECT * FROM sources "
	       "ORDER BY source)",
		"tpu 0,vm 1");
}

static void a_quota_without_a_limit_has_no_percentage(void **state)
{
	static const int64_t limits[] = {-1, 20, 0}, used[] = {5, 5, 0};

	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		tempdb_put_quota(&t,
			(struct q_quota_put_in){.service = "s",
				.metric = (const char *[]){"a", "b", "c"}[i],
				.location = "l",
				.limit_value = SOME(limits[i]),
				.used = SOME(used[i])});
	run(TS_NONE);
	expect("SELECT group_concat(metric || ' ' || COALESCE(percent, '-')) FROM (SELECT "
	       "* FROM quotas ORDER BY metric)",
		"a -,b 25.0,c -");
}

static void chip_hours_with_a_gap_are_not_known(void **state)
{
	run(TS_NONE);
	tempdb_exec(&t,
		"INSERT INTO coverage_part (id, starts, ends, chip_seconds, covered, why) "
		"VALUES ('a', 0, 3600, 14400, 0, 'no-grant'), ('b', 0, 3600, 7200, 0, "
		"'expired'), ('c', 0, 3600, NULL, 0, 'no-grant')");
	expect("SELECT group_concat(why || ' ' || tpus || ' ' || COALESCE(chip_hours, "
	       "'-')) FROM (SELECT * FROM coverage_totals ORDER BY why)",
		"expired 1 2.0,no-grant 2 -");
	tempdb_forget_changes(&t);
}

/* It may be gone since: nothing is said of the time after it was last seen. */
static void a_tpu_that_nobody_sees_saves_nothing_more(void **state)
{
	put("tpu", "europe-west4-a", "n", "v3-8", "running", "on-demand", NOW - 20 * HOUR,
		"UPDATE resource SET last_seen = last_seen - 36000;INSERT INTO "
		"source_status (source, project, state, last_attempt, last_success, items, "
		"poll_group) VALUES ('tpu', 'p', 'failed', 1795219200, 1795183200, 1, "
		"'instances')");
	run(TS_NONE);
	/* four chips for ten hours of the twenty */
	expect("SELECT covered_chip_hours FROM grants WHERE zone = 'europe-west4-a'",
		"40.0");
	run(NOW - 24 * HOUR);
	expect("SELECT seconds / 3600 FROM window_thing", "10");
	tempdb_exec(&t, "UPDATE resource SET last_seen = 1795219200");
	run(NOW - 24 * HOUR);
	expect("SELECT seconds / 3600 FROM window_thing", "20");
	run(TS_NONE);
	expect("SELECT covered_chip_hours FROM grants WHERE zone = 'europe-west4-a'",
		"80.0");
}

static void a_tpu_seen_this_second_has_a_row(void **state)
{
	runs("tpu", "europe-west4-a", "new", "v3-8", NOW);
	run(TS_NONE);
	expect("SELECT covered || ' ' || chip_hours || ' ' || gross FROM coverage",
		"1 0.0 0.0");
}

/* One SKU with promotion credits in HKD at `rate` to the dollar; 0: not known. */
static void put_promo(int64_t hour, int64_t promo, int64_t rate)
{
	tempdb_execf(&t,
		"INSERT OR IGNORE INTO billing_table (table_id, name, location, "
		"last_modified_ms, row_count) VALUES (1, 'a.b.c', 'US', 0, 0);INSERT OR "
		"IGNORE INTO sku VALUES (1, '6F81-5844-456A', 'Compute Engine', 'X', 'N1 "
		"Predefined Instance Core running in Americas');INSERT OR IGNORE INTO "
		"billed_project VALUES (1, 'p', '', '');INSERT OR IGNORE INTO place VALUES "
		"(1, 'us-central1', 'us-central1', '');INSERT OR IGNORE INTO "
		"billed_resource (resource_ref, resource, global_name) VALUES (1, '', "
		"'');INSERT OR IGNORE INTO charge (invoice_month, cost_type, currency, "
		"usage_unit, rate) VALUES ('202611', 'regular', 'HKD', 'hour', "
		"%lld);INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, "
		"place_ref, resource_ref, charge_ref, credit_ref, usage, cost, credits, "
		"row_count) SELECT 1, 1, %lld, 1, 1, 1, 1, charge_ref, 1, 0, "
		"0, %lld, 0 FROM charge WHERE rate = %lld",
		(long long)rate, (long long)hour, (long long)promo, (long long)rate);
}

static void a_grant_that_ended_has_no_room(void **state)
{
	static const struct grant grants[] = {{.name = "over",
						      .zone = "us-central1-a",
						      .type = "v3-8",
						      .family = "v3",
						      .provisioning = "on-demand",
						      .unit = GRANT_DEVICES,
						      .chips = 4,
						      .starts = NOW - 40 * DAY_SECONDS,
						      .until = NOW - HOUR},
		{.name = "just",
			.zone = "us-central1-a",
			.type = "v3-8",
			.family = "v3",
			.provisioning = "on-demand",
			.unit = GRANT_DEVICES,
			.chips = 4,
			.starts = NOW - 40 * DAY_SECONDS,
			.until = NOW},
		{.name = "soon",
			.zone = "us-central1-a",
			.type = "v3-8",
			.family = "v3",
			.provisioning = "on-demand",
			.unit = GRANT_DEVICES,
			.chips = 4,
			.starts = NOW + DAY_SECONDS,
			.until = NOW + 31 * DAY_SECONDS}};

	settings.grants = grants;
	settings.n_grants = 3;
	run(TS_NONE);
	/* nobody ever asked which TPUs there are */
	expect("SELECT count(used_chips) + count(free_chips) + count(covered_chip_hours) "
	       "+ count(saved) FROM grants",
		"0");
	tempdb_exec(&t,
		"INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items) VALUES ('tpu', 'p', 'ok', 1, 1, 0)");
	run(TS_NONE);
	expect("SELECT group_concat(name || ' ' || free_chips || ' ' || days_left) FROM "
	       "(SELECT * FROM grants ORDER BY name)",
		"just 0 0.0,over 0 0.0,soon 0 31.0");
	expect("SELECT count(used_chips) + count(free_chips) + count(covered_chip_hours) "
	       "+ count(saved) FROM grants",
		"12");
}

/* Promotions are on the bill: without one, nobody knows what was used. */
static void a_coupon_without_a_bill_is_not_said_to_be_full(void **state)
{
	static const struct credit credits[] = {{.name = "trial",
		.amount = {.nanos = INT64_C(300000000000), .cur = "USD"},
		.starts = TS_NONE,
		.expires = TS_NONE}};

	settings.credits = credits;
	settings.n_credits = 1;
	run(TS_NONE);
	expect("SELECT COALESCE(used, '-') || ' ' || COALESCE(\"left\", '-') || ' ' || "
	       "COALESCE(runs_out, '-') FROM credits",
		"- - -");
	/* a bill without promotions is another matter */
	tempdb_exec(&t,
		"INSERT INTO billing_table (name, location, last_modified_ms, row_count, "
		"looked) VALUES ('p.d.t', 'US', 1, 0, 1)");
	run(TS_NONE);
	expect("SELECT used FROM credits", "0.0");
}

static void a_coupon_in_dollars_is_used_up_by_credits_in_another_currency(void **state)
{
	static const struct credit credits[] = {{.name = "trial",
		.amount = {.nanos = INT64_C(300000000000), .cur = "USD"},
		.starts = NOW - 30 * DAY_SECONDS,
		.expires = NOW + 30 * DAY_SECONDS}};

	settings.credits = credits;
	settings.n_credits = 1;
	runs("tpu", "us-central1-a", "bad", "v3-8", NOW - HOUR);
	runs("tpu", "europe-west4-a", "good", "v3-8", NOW - HOUR);
	put_promo(NOW - 5 * HOUR, INT64_C(-775000000000), 7750000000);
	put_promo(NOW - 40 * DAY_SECONDS, INT64_C(-775000000000), 7750000000);
	run(TS_NONE);
	expect("SELECT used || ' ' || \"left\" || ' ' || currency FROM credits",
		"100.0 200.0 USD");
	/* 200 USD at 8 an hour, for an hour already: 25 hours, one of them over */
	expect("SELECT runs_out FROM credits", "2026-11-22T00:00:00Z");
	expect("SELECT category FROM sku_category", "cpu");
	put_promo(NOW - 6 * HOUR, INT64_C(-1000000000), 0);
	run(TS_NONE);
	expect("SELECT used FROM credits",
		"NULL"); /* no rate: not known, rather than wrong */
}

/* Also when there are more kinds of them than are remembered. */
static void what_is_alike_has_one_price_and_what_is_not_its_own(void **state)
{
	static const char *const zones[] = {"europe-west4-a", "us-central1-b"};
	static const char *const classes[] = {"on-demand", "spot"};
	char name[32], type[32];

	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "m%d", i);
		snprintf(type, sizeof(type), "n1-standard-%d", 1 << i % 5);
		put("vm", zones[i / 5 % 2], name, type, "running", classes[i / 10 % 2],
			NOW - HOUR, "");
		snprintf(name, sizeof(name), "t%d", i);
		snprintf(type, sizeof(type), "v3-%d", 8 << i % 5);
		put("tpu", zones[i / 5 % 2], name, type, "running", classes[i / 10 % 2],
			NOW - HOUR, "");
	}
	run(TS_NONE);
	expect("SELECT COUNT(DISTINCT gross) || ' ' || COUNT(gross) FROM verdict JOIN "
	       "resource USING (id) WHERE kind = 'vm'",
		"20 40");
	expect("SELECT COUNT(*) FROM (SELECT 1 FROM verdict JOIN resource USING (id) GROUP "
	       "BY type, location, provisioning HAVING kind = 'vm' AND MIN(gross) = "
	       "MAX(gross) AND COUNT(gross) = 2)",
		"20");
	/* slices are so much a chip */
	expect("SELECT COUNT(*) FROM verdict v JOIN resource r USING (id) JOIN verdict x "
	       "JOIN resource y ON y.id = x.id WHERE r.type LIKE 'v3-%' AND r.type <> "
	       "'v3-8' AND y.type = 'v3-16' AND r.location = y.location AND r.provisioning "
	       "= y.provisioning AND v.gross * x.chips <> x.gross * v.chips",
		"0");
}

/* The first IN_STEP are made of the same. */
static const char *const tables[] = {"verdict", "burn_part", "burned_part", "grant_state",
	"coverage_part", "grant_end", "reconcile_part", "credit_state", "activity",
	"grant_end_part", "belonging", "residual", "advised_stop", "budget_state",
	"budget_part"};
#define IN_STEP 5
#define FULL 8 /* of these there is a row at least */

/* The SQL, with the name of the table for each @. */
static int64_t count_of(const char *sql, const char *table)
{
	struct sbuf b = SBUF_INIT;
	int64_t n = 0;

	for (const char *p = sql; *p; p++)
		if (*p == '@')
			sbuf_adds(&b, table);
		else
			sbuf_addc(&b, *p);
	if (!strncmp(sql, "SELECT", strlen("SELECT")))
		n = tempdb_int(&t, b.s);
	else
		tempdb_exec(&t, b.s);
	sbuf_done(&b);
	return n;
}

static void fill_alone(const char *table)
{
	const struct derive_opts o = {
		.settings = &settings, .now = NOW, .since = TS_NONE, .until = TS_NONE};
	struct err e = {0};
	int i = 0;

	while (strcmp(db_derived_tables[i].name, table) != 0)
		i++;
	assert_ok(derive_begin(t.db, &o, &e), e);
	assert_ok(db_derived_need(t.db, UINT64_C(1) << i, &e), e);
}

static bool is_filled(const char *table)
{
	char sql[64];

	snprintf(sql, sizeof(sql), "SELECT 1 FROM %s", table);
	return !sqlite3_exec(t.db->sq, sql, NULL, NULL, NULL);
}

/* An address that was idle until an hour ago, at a price in HKD, and costs nothing since. */
static void put_address(void)
{
	settings.currency = "HKD";
	put("ip", "europe-west4", "address", "external", "running", "", NOW - HOUR,
		"INSERT INTO list_price VALUES ('6F81-5844-456A', 'C', 'europe-west4', "
		"'Static Ip Charge', '', '', 'OnDemand', 'h', 'HKD', 80000000, NULL, 0);"
		"UPDATE resource SET attached_to = 'one-driver' WHERE kind = 'ip'");
	tempdb_exec(&t,
		"INSERT INTO resource_interval (id, uid, starts, ends, kind, project, "
		"location, name, state, type, provisioning, created) SELECT id, uid, "
		"starts - 7200, starts, kind, project, location, name, 'reserved', type, "
		"provisioning, created FROM resource_interval WHERE kind = 'ip'");
}

/* Who asks for one table pays for no other that is made of the same, and has what it would have if
 * all were filled. */
static void each_table_by_itself_is_as_with_all_others(void **state)
{
	static const struct credit credit = {.name = "c",
		.amount = {.nanos = 5 * NANOS, .cur = "USD"},
		.starts = TS_NONE,
		.expires = TS_NONE};
	static const struct budget budget = {.name = "b",
		.amount = {.nanos = 9 * NANOS, .cur = "USD"},
		.per = BUDGET_MONTH};

	settings.credits = &credit;
	settings.budgets = &budget;
	settings.n_credits = settings.n_budgets = 1;
	runs("tpu", "europe-west4-a", "one", "v3-8", NOW - HOUR);
	runs("tpu", "us-central1-a", "astray", "v3-8", NOW - 30 * HOUR);
	runs("vm", "europe-west4-a", "one-driver", "n1-standard-2", NOW - 30 * HOUR);
	put_address();
	run(TS_NONE);
	expect("SELECT gross || ' ' || currency FROM belonging WHERE id LIKE "
	       "'%/one-driver'",
		"0 HKD");
	for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
		count_of("CREATE TEMP TABLE all_@ AS SELECT * FROM @", tables[i]);
		if (i < FULL && !count_of("SELECT COUNT(*) FROM all_@", tables[i]))
			fail_msg("%s is empty", tables[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
		fill_alone(tables[i]);
		if (count_of("SELECT (SELECT COUNT(*) FROM @) <> (SELECT COUNT(*) FROM "
			     "all_@) OR EXISTS (SELECT * FROM @ EXCEPT SELECT * FROM "
			     "all_@)",
			    tables[i]))
			fail_msg("%s by itself is another", tables[i]);
		for (size_t k = 0; i < IN_STEP && k < IN_STEP; k++)
			if (k != i && is_filled(tables[k]))
				fail_msg("%s fills %s as well", tables[i], tables[k]);
	}
}

#define TEST(f) cmocka_unit_test_setup(f, begin)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_alike_has_one_price_and_what_is_not_its_own),
		TEST(each_table_by_itself_is_as_with_all_others),
		TEST(a_machine_costs_its_cores_and_memory),
		TEST(a_tpu_in_the_granted_zone_costs_nothing_net),
		TEST(the_same_tpu_one_zone_off_is_charged_and_says_why),
		TEST(a_preempted_node_costs_nothing_and_is_not_judged),
		TEST(a_suspended_tpu_costs_nobody_knows_what),
		TEST(a_disk_costs_whether_used_or_not),
		TEST(an_unused_address_costs_and_a_used_one_does_not),
		TEST(a_stopped_machine_costs_nothing_itself),
		TEST(a_price_that_is_not_known_is_null_and_never_zero),
		TEST(what_a_grant_covers_is_free_even_without_a_price),
		TEST(a_machine_is_charged_from_staging_and_in_a_state_nobody_knows),
		TEST(a_tpu_in_a_state_nobody_knows_is_charged_and_not_judged),
		TEST(a_covered_stretch_costs_nothing_net),
		TEST(a_label_protects_and_so_do_labels_that_cannot_be_read),
		TEST(burn_adds_up_by_category),
		TEST(coverage_over_a_period_splits_at_the_start_of_the_grant),
		TEST(each_stretch_has_the_type_it_ran_with),
		TEST(a_renewal_shares_its_room_with_what_it_renews),
		TEST(chip_hours_with_a_gap_are_not_known),
		TEST(what_a_wrong_clock_noted_is_stale),
		TEST(a_quota_without_a_limit_has_no_percentage),
		TEST(a_tpu_that_nobody_sees_saves_nothing_more),
		TEST(a_tpu_seen_this_second_has_a_row),
		TEST(a_grant_that_ended_has_no_room),
		TEST(a_coupon_without_a_bill_is_not_said_to_be_full),
		TEST(a_coupon_in_dollars_is_used_up_by_credits_in_another_currency),
	};

	return cmocka_run_group_tests(tests, setup, tempdb_teardown);
}

/* What ran lately and what it cost, from stretches of time. Every figure is computed by hand
 * from the list prices: the arithmetic stands beside it. */
#include "rules/derive/derive.h"

#include "base/time/civil.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 2026-11-21T00:00:00Z */
#define NOW INT64_C(1795219200)
#define HOUR HOUR_SECONDS
#define DAY DAY_SECONDS

static struct tempdb t;
static struct arena arena;
static struct grant grants[1];
static struct tz *utc;
static struct settings settings;

static int open_db(void **state)
{
	struct err e = {0};

	tempdb_open(&t, NOW);
	if (tz_open("UTC", &utc, &e))
		fail_msg("%s", e.msg);
	grants[0] = (struct grant){.name = "trc", .new_only = true};
	if (grant_parse_line("5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a",
		    &arena, &grants[0], &e))
		fail_msg("%s", e.msg);
	grants[0].starts = NOW - 30 * DAY;
	grants[0].until = NOW - 2 * HOUR;
	settings = (struct settings){
		.tz = utc, .currency = "USD", .grants = grants, .n_grants = 1};
	return 0;
}

static int close_db(void **state)
{
	tempdb_close(&t);
	tz_free(utc);
	arena_done(&arena);
	return 0;
}

static void run_at(ts_t now)
{
	struct derive_opts o = {
		.settings = &settings, .now = now, .since = TS_NONE, .until = TS_NONE};
	struct err e = {0};

	if (derive(t.db, &o, &e))
		fail_msg("%s", e.msg);
}

static void run(void)
{
	run_at(NOW);
}

static void expect(const char *sql, const char *want)
{
	tempdb_expect(&t, sql, want);
}

/* A stretch that began `from` seconds ago and ended `to` seconds ago; -1: it lasts. */
static void stretch(const char *kind, const char *place, const char *name, const char *type,
	const char *state, int64_t from, int64_t to, const char *more)
{
	char ends[32] = "NULL";

	if (to >= 0)
		snprintf(ends, sizeof(ends), "%lld", (long long)(NOW - to));
	tempdb_execf(&t,
		"INSERT INTO resource_interval (id, uid, starts, ends, kind, project, "
		"location, name, state, type, provisioning, created) VALUES ('p/%s/%s/%s', "
		"'1', %lld, %s, '%s', 'p', '%s', '%s', '%s', '%s', 'on-demand', %lld);%s%s",
		kind, place, name, (long long)(NOW - from), ends, kind, place, name, state,
		type, (long long)(NOW - from), *more ? "UPDATE resource_interval SET " : "",
		more);
}

/* What is there now, as its newest stretch says. */
static void present(const char *name)
{
	tempdb_execf(&t,
		"INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, name, state, raw_state, type, provisioning, size_gib, gpu_type, "
		"gpu_count, local_ssd_gib, bytes, labels, owner, created, first_seen, "
		"last_seen, complete) SELECT id, uid, kind, kind, project, location, CASE "
		"WHEN location LIKE '%%-%%-%%' THEN location END, CASE WHEN location LIKE "
		"'%%-%%-%%' THEN substr(location, 1, length(location) - 2) ELSE location "
		"END, name, state, state, type, provisioning, size_gib, gpu_type, "
		"gpu_count, local_ssd_gib, bytes, '{\"team\":\"now\"}', 'ada', created, "
		"starts, %lld, 1 FROM resource_interval WHERE name = '%s' AND ends IS NULL",
		(long long)NOW, name);
}

static void a_machine_costs_for_the_time_it_ran(void **state)
{
	/* ran for three days, was stopped for 20 hours, runs again for 2 */
	stretch("vm", "us-central1-b", "m", "n1-standard-1", "running", 94 * HOUR,
		22 * HOUR, "");
	stretch("vm", "us-central1-b", "m", "n1-standard-1", "stopped", 22 * HOUR, 2 * HOUR,
		"");
	stretch("vm", "us-central1-b", "m", "n1-standard-1", "running", 2 * HOUR, -1, "");
	present("m");
	run();
	/* 0.031611 + 3.75 x 0.004237 = 0.04749975 an hour; 2 h of 22..24 ago and 2 h */
	expect("SELECT gross_24h || ' ' || net_24h FROM resources", "0.189999 0.189999");
	/* 72 + 2 hours */
	expect("SELECT gross_24h || ' ' || gross_7d || ' ' || net_7d FROM burn",
		"0.189999 3.5149815 3.5149815");
	expect("SELECT gross_7d || ' ' || is_there || ' ' || unpriced_hours FROM burned",
		"3.5149815 1 0.0");
}

/* Made this second: it costs, and has cost nothing yet. */
static void what_just_began_has_cost_nothing(void **state)
{
	stretch("vm", "us-central1-b", "m", "n1-standard-1", "running", 0, -1, "");
	present("m");
	run();
	expect("SELECT (gross_per_hour > 0) || ' ' || gross_24h || ' ' || net_24h || ' ' "
	       "|| gross_7d || ' ' || net_7d FROM burn",
		"1 0.0 0.0 0.0 0.0");
}

static void a_request_that_waits_has_cost_nothing(void **state)
{
	stretch("queued", "us-central1-b", "q", "v6e-16", "starting", 50 * HOUR, -1, "");
	present("q");
	run();
	expect("SELECT gross_per_hour || ' ' || gross_24h || ' ' || net_24h FROM resources",
		"0.0 0.0 0.0");
}

static void sums_are_rounded_once(void **state)
{
	/* 1 s each of 0.04749975 / 3600 = 0.0000131943750 an hour: 13194.375 nanos. Rounded
	 * each by itself, three of them would be 39582; their sum is 39583.125. */
	stretch("vm", "us-central1-b", "m", "n1-standard-1", "running", 9, 8, "");
	stretch("vm", "us-central1-b", "m", "n1-standard-1", "running", 7, 6, "");
	stretch("vm", "us-central1-b", "m", "n1-standard-1", "running", 5, 4, "");
	run();
	expect("SELECT gross_24h FROM burned_part", "39583");
}

static void what_is_gone_still_counts(void **state)
{
	stretch("vm", "us-central1-b", "gone", "n1-standard-1", "running", 30 * HOUR,
		20 * HOUR,
		"labels = '{\"team\":\"then\"}', owner = 'ben' WHERE name = 'gone'");
	stretch("vm", "us-central1-b", "here", "n1-standard-1", "running", 10 * HOUR, -1,
		"");
	present("here");
	run();
	/* 4 h of it lie in the last day, with 10 h of the other */
	expect("SELECT resources || ' ' || gross_per_hour || ' ' || gross_24h || ' ' || "
	       "gross_7d FROM burn",
		"1 0.04749975 0.6649965 0.949995");
	/* and if nothing of its category runs */
	tempdb_exec(&t, "DELETE FROM resource");
	run();
	expect("SELECT resources || ' ' || gross_per_hour || ' ' || gross_24h || ' ' || "
	       "gross_7d FROM burn",
		"0 0.0 0.6649965 0.949995");
	present("here");
	run();
	expect("SELECT group_concat(owner || ' ' || labels || ' ' || is_there || ' ' || "
	       "gross_24h) FROM (SELECT * FROM burned ORDER BY id)",
		"ben {\"team\":\"then\"} 0 0.189999,ada {\"team\":\"now\"} 1 0.4749975");
}

static void one_that_was_made_again_is_another(void **state)
{
	stretch("vm", "us-central1-b", "m", "n1-standard-1", "running", 20 * HOUR,
		10 * HOUR, "uid = '0', owner = 'ben'");
	stretch("vm", "us-central1-b", "m", "n1-standard-1", "running", 2 * HOUR, -1, "");
	present("m");
	run();
	expect("SELECT gross_24h FROM resources", "0.0949995");
	expect("SELECT gross_24h FROM burn", "0.569997");
	expect("SELECT group_concat(owner || ' ' || is_there) FROM (SELECT * FROM burned "
	       "ORDER BY is_there)",
		"ben 0,ada 1");
}

static void a_grant_covers_part_of_the_time(void **state)
{
	/* The grant ended two hours ago; 8.80 an hour. */
	stretch("tpu", "europe-west4-a", "n", "v3-8", "running", 10 * HOUR, -1, "");
	present("n");
	run();
	expect("SELECT gross_24h || ' ' || net_24h FROM resources", "88.0 17.6");
	expect("SELECT gross_24h || ' ' || net_24h || ' ' || gross_7d || ' ' || net_7d "
	       "FROM burn",
		"88.0 17.6 88.0 17.6");
}

static void coverage_ends_where_the_window_begins(void **state)
{
	stretch("tpu", "europe-west4-a", "n", "v3-8", "running", 28 * DAY, 12 * HOUR, "");
	run();
	/* all of it was covered: 12 h of the day, 156 of the week */
	expect("SELECT gross_24h || ' ' || net_24h || ' ' || gross_7d || ' ' || net_7d "
	       "FROM burned",
		"105.6 0.0 1372.8 0.0");
}

static void what_was_covered_days_ago_was_free(void **state)
{
	/* 20 h of it covered, and the last two hours of now not */
	stretch("tpu", "europe-west4-a", "n", "v3-8", "running", 70 * HOUR, 50 * HOUR, "");
	stretch("tpu", "europe-west4-a", "n", "v3-8", "running", 2 * HOUR, -1, "");
	present("n");
	run();
	expect("SELECT gross_24h || ' ' || net_24h || ' ' || gross_7d || ' ' || net_7d "
	       "FROM burn",
		"17.6 17.6 193.6 17.6");
}

static void time_without_a_price_is_said_and_never_free(void **state)
{
	stretch("vm", "us-central1-b", "m", "n1-standard-1", "suspended", 50 * HOUR,
		30 * HOUR, "");
	stretch("vm", "us-central1-b", "m", "n1-standard-1", "running", 30 * HOUR, -1, "");
	present("m");
	run();
	/* the last day is known, the week is not */
	expect("SELECT gross_24h FROM resources", "1.139994");
	expect("SELECT gross_24h || ' ' || (gross_7d IS NULL) || (net_7d IS NULL) FROM "
	       "burn WHERE currency IS NOT NULL",
		"1.139994 11");
	expect("SELECT unpriced_hours FROM burned WHERE currency IS NULL", "20.0");
	stretch("vm", "us-central1-b", "odd", "zz9-mega-7", "running", HOUR, -1, "");
	present("odd");
	run();
	expect("SELECT COUNT(*) FROM burn", "2");
	expect("SELECT COUNT(*) FROM burn WHERE gross_24h IS NULL AND net_24h IS NULL",
		"2");
	expect("SELECT gross_per_hour FROM burn WHERE currency IS NOT NULL", "0.04749975");
	expect("SELECT gross_24h IS NULL FROM resources WHERE name = 'odd'", "1");
}

static void history_that_nobody_saw_is_said(void **state)
{
	stretch("vm", "us-central1-b", "m", "n1-standard-1", "running", 30 * HOUR, -1, "");
	present("m");
	tempdb_exec(&t,
		"INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items, watched_since) VALUES ('vm', 'p', 'ok', 1795219200, "
		"1795219200, 1, 1795219200 - 9000)");
	run();
	expect("SELECT known_hours FROM burn", "2.5");
	expect("SELECT known_hours FROM burned", "2.5");
	tempdb_exec(&t, "UPDATE source_status SET watched_since = 1795219200 - 900000");
	run();
	expect("SELECT known_hours FROM burn", "168.0");
	/* nothing was read for ten hours */
	tempdb_exec(&t, "UPDATE source_status SET last_success = 1795219200 - 36000");
	run();
	expect("SELECT known_hours FROM burn", "158.0");
	expect("SELECT known_hours FROM burned", "158.0");
	tempdb_exec(&t, "UPDATE source_status SET watched_since = 1795219200 - 9000");
	run();
	expect("SELECT known_hours FROM burn", "0.0");
	tempdb_exec(&t, "UPDATE source_status SET watched_since = NULL");
	run();
	expect("SELECT known_hours FROM burn", "NULL");
}

static void what_a_machine_had_then_counts(void **state)
{
	/* with two V100 and one local SSD until 4 h ago, with neither since */
	stretch("vm", "us-central1-b", "m", "n1-standard-1", "running", 10 * HOUR, 4 * HOUR,
		"gpu_type = 'nvidia-tesla-v100', gpu_count = 2, local_ssd_gib = 375");
	stretch("vm", "us-central1-b", "m", "n1-standard-1", "running", 4 * HOUR, -1, "");
	present("m");
	run();
	/* cpu 10 h x 0.04749975; gpu 6 h x 2 x 2.48; disk 6 h x 375 x 0.08 / 730, an hour of
	 * which is 0.041095890 */
	expect("SELECT group_concat(category || ' ' || gross_24h) FROM (SELECT * FROM "
	       "burned ORDER BY category)",
		"cpu 0.4749975,disk 0.24657534,gpu 29.76");
	expect("SELECT gross_24h FROM resources", "30.48157284");
}

static void everything_is_priced_by_what_it_was(void **state)
{
	stretch("disk", "us-central1", "r", "pd-ssd", "running", 10 * HOUR, -1,
		"size_gib = 100 WHERE name = 'r'");
	stretch("ip", "us-central1", "a", "external", "stopped", 10 * HOUR, -1, "");
	stretch("ip", "us-central1", "i", "internal", "stopped", 10 * HOUR, -1, "");
	stretch("snapshot", "us", "s", "standard", "running", 10 * HOUR, -1,
		"bytes = 1073741824 WHERE name = 's'");
	stretch("disk", "us-central1-b", "h", "hyperdisk-extreme", "running", 10 * HOUR, -1,
		"size_gib = 100 WHERE name = 'h'");
	run();
	/* 100 x 0.34 / 730 = 0.046575342; 0.01; 0.065 / 730 = 0.000089041 */
	expect("SELECT group_concat(id || ' ' || COALESCE(gross_24h, 'unknown')) FROM "
	       "(SELECT * FROM burned ORDER BY id)",
		"p/disk/us-central1-b/h unknown,p/disk/us-central1/r 0.46575342,"
		"p/ip/us-central1/a 0.1,p/snapshot/us/s 0.00089041");
}

static void a_machine_that_stopped_is_told_in_the_money_it_cost(void **state)
{
	tempdb_exec(&t,
		"INSERT INTO list_price VALUES ('6F81-5844-456A', 'C', 'us-central1', "
		"'N1 Predefined Instance Core running in Iowa', '', '', 'OnDemand', 'h', "
		"'HKD', 100000000, NULL, 0), ('6F81-5844-456A', 'R', 'us-central1', 'N1 "
		"Predefined Instance Ram running in Iowa', '', '', 'OnDemand', 'GiBy.h', "
		"'HKD', 20000000, NULL, 0)");
	settings.currency = "HKD";
	stretch("vm", "us-central1-b", "m", "n1-standard-1", "running", 10 * HOUR, 5 * HOUR,
		"");
	stretch("vm", "us-central1-b", "m", "n1-standard-1", "stopped", 5 * HOUR, -1, "");
	present("m");
	run();
	/* 5 h x (0.1 + 3.75 x 0.02) */
	expect("SELECT gross_per_hour || ' ' || gross_24h || ' ' || currency FROM "
	       "resources",
		"0.0 0.875 HKD");
}

/* November 2026 has 721 hours in Pacific time and began 2026-11-01T07:00Z: 473 hours ago. */
static void sustained_use_goes_by_the_month(void **state)
{
	/* in its third quarter after 400 h: 0.4 of (0.031611 + 3.75 x 0.004237) + 2 x 2.48 */
	stretch("vm", "us-central1-b", "m", "n1-standard-1", "running", 400 * HOUR, -1,
		"gpu_type = 'nvidia-tesla-v100', gpu_count = 2, local_ssd_gib = 375");
	present("m");
	run();
	expect("SELECT sustained_use_per_hour FROM resources", "-2.0029999");
	/* gross and net do not know of it: + 375 x 0.08 / 730 */
	expect("SELECT gross_per_hour || ' ' || net_per_hour FROM resources",
		"5.04859564 5.04859564");
	tempdb_exec(&t, "UPDATE resource SET provisioning = 'spot'");
	run();
	expect("SELECT sustained_use_per_hour FROM resources", "0.0");
	tempdb_exec(
		&t, "UPDATE resource SET state = 'stopped', provisioning = 'on-demand'");
	run();
	expect("SELECT sustained_use_per_hour FROM resources", "NULL");
}

static void only_the_time_of_this_month_counts(void **state)
{
	/* since October, but 473 h of it in November: 65.6 %, the third quarter */
	stretch("vm", "us-central1-b", "old", "n2-standard-2", "running", 2000 * HOUR, -1,
		"");
	/* 200 h with a pause: 27.7 %, the second */
	stretch("vm", "us-central1-b", "part", "n2-standard-2", "running", 470 * HOUR,
		370 * HOUR, "");
	stretch("vm", "us-central1-b", "part", "n2-standard-2", "stopped", 370 * HOUR,
		100 * HOUR, "");
	stretch("vm", "us-central1-b", "part", "n2-standard-2", "running", 100 * HOUR, -1,
		"");
	/* 180 h: 24.97 %, still the first */
	stretch("vm", "us-central1-b", "young", "n2-standard-2", "running", 180 * HOUR, -1,
		"");
	/* as an e2 it earned nothing */
	stretch("vm", "us-central1-b", "was-e2", "e2-standard-2", "running", 400 * HOUR,
		10 * HOUR, "");
	stretch("vm", "us-central1-b", "was-e2", "n2-standard-2", "running", 10 * HOUR, -1,
		"");
	present("old");
	present("part");
	present("young");
	present("was-e2");
	run();
	/* 2 x 0.031611 + 8 x 0.004237 = 0.097118; 0.267 and 0.1322 of it */
	expect("SELECT group_concat(name || ' ' || sustained_use_per_hour) FROM (SELECT * "
	       "FROM resources ORDER BY name)",
		"old -0.025930506,part -0.012839,was-e2 0.0,young 0.0");
}

/* ---- against a count of every second ------------------------------------------------------ */

/* Random stretches of machines that never overlap: the sum of seconds that ran, by name. */
static void the_sweep_equals_a_count_of_every_second(void **state)
{
	enum { SPAN = 8 * 86400, STEP = 900 };
	uint64_t seed = 12345;

	for (int machine = 0; machine < 40; machine++) {
		int64_t day = 0, week = 0, at = SPAN;
		char name[16], sql[256], want[64];
		int64_t nanos;

		snprintf(name, sizeof(name), "m%d", machine);
		while (at > STEP) {
			int64_t length;

			seed = seed * 6364136223846793005u + 1442695040888963407u;
			length = 1 + (int64_t)((seed >> 33) % 40) * STEP / 3;
			length = length < at ? length : at;
			if (seed >> 62)
				stretch("vm", "us-central1-b", name, "n1-standard-1",
					"running", at, at - length, "");
			for (int64_t s = at; (seed >> 62) && s > at - length; s--) {
				day += s <= DAY;
				week += s <= 7 * DAY;
			}
			at -= length;
		}
		run();
		snprintf(sql, sizeof(sql),
			"SELECT MAX(gross_24h) || ' ' || MAX(gross_7d) FROM burned_part "
			"WHERE id LIKE '%%/%s'",
			name);
		assert_true(nanos_muldiv(47499750, day, HOUR, &nanos));
		snprintf(want, sizeof(want), "%lld ", (long long)nanos);
		assert_true(nanos_muldiv(47499750, week, HOUR, &nanos));
		snprintf(want + strlen(want), sizeof(want) - strlen(want), "%lld",
			(long long)nanos);
		expect(sql, want);
	}
}

UNIT_TESTS()
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_db, close_db)
	const struct CMUnitTest tests[] = {
		TEST(a_machine_costs_for_the_time_it_ran),
		TEST(what_just_began_has_cost_nothing),
		TEST(a_request_that_waits_has_cost_nothing),
		TEST(sums_are_rounded_once),
		TEST(what_is_gone_still_counts),
		TEST(one_that_was_made_again_is_another),
		TEST(a_grant_covers_part_of_the_time),
		TEST(coverage_ends_where_the_window_begins),
		TEST(what_was_covered_days_ago_was_free),
		TEST(time_without_a_price_is_said_and_never_free),
		TEST(history_that_nobody_saw_is_said),
		TEST(what_a_machine_had_then_counts),
		TEST(everything_is_priced_by_what_it_was),
		TEST(a_machine_that_stopped_is_told_in_the_money_it_cost),
		TEST(sustained_use_goes_by_the_month),
		TEST(only_the_time_of_this_month_counts),
		TEST(the_sweep_equals_a_count_of_every_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

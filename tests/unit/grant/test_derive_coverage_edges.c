/* The far ends of coverage out of the database: stretches that nobody can count, prices in two currencies,
 * grants that renew what is not there; and a database that fails at any of the questions. */
#include "rules/derive/internal.h"

#include "base/time/civil.h"
#include "tests/support/assert.h"
#include "tests/support/fault/faultstmt.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

/* 2026-11-21T00:00:00Z */
#define NOW INT64_C(1795219200)
#define HOUR INT64_C(3600)
#define ZONE "europe-west4-a"
#define LL long long

static struct tempdb t;
static struct grant grants[4];
static struct settings settings;

static int setup(void **state)
{
	tempdb_open(&t, NOW);
	memset(grants, 0, sizeof(grants));
	settings = (struct settings){.tz = t.tz, .currency = "USD", .grants = grants};
	return 0;
}

static struct grant *give(const char *name, const char *line)
{
	struct grant *g = &grants[settings.n_grants++];
	struct err e = {0};

	*g = (struct grant){.name = name,
		.starts = NOW - 10 * DAY_SECONDS,
		.until = NOW + 10 * DAY_SECONDS,
		.new_only = true};
	assert_ok(grant_parse_line(line, &t.a, g, &e), e);
	return g;
}

/* A stretch of a TPU in project p. */
static void ran(const char *name, const char *type, const char *provisioning, ts_t starts,
	ts_t ends)
{
	char until[32] = "NULL";

	if (ends != TS_NONE)
		snprintf(until, sizeof(until), "%lld", (LL)ends);
	tempdb_execf(&t,
		"INSERT INTO resource_interval (id, uid, starts, ends, kind, project, "
		"location, name, state, type, provisioning) VALUES ('p/tpu/" ZONE "/%s', "
		"'1', %lld, %s, 'tpu', 'p', '" ZONE "', '%s', 'running', '%s', '%s')",
		name, (LL)starts, until, name, type, provisioning);
}

/* It is there, too. */
static void runs(const char *name, const char *type, ts_t starts)
{
	ran(name, type, "on-demand", starts, TS_NONE);
	tempdb_execf(&t,
		"INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, name, state, raw_state, type, provisioning, labels, first_seen, "
		"last_seen, complete) VALUES ('p/tpu/" ZONE "/%s', '1', 'tpu', 'tpu', 'p', "
		"'" ZONE "', '" ZONE "', 'europe-west4', '%s', 'running', 'READY', '%s', "
		"'on-demand', '{}', %lld, %lld, 1)",
		name, name, type, (LL)starts, (LL)NOW);
}

static void polled(ts_t last)
{
	tempdb_execf(&t,
		"INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items, poll_group) VALUES ('tpu', 'p', 'ok', %lld, %lld, 1, "
		"'instances')",
		(LL)last, (LL)last);
}

static void derive_of(ts_t since, ts_t until)
{
	struct derive_opts o = {
		.settings = &settings, .now = NOW, .since = since, .until = until};
	struct err e = {0};

	assert_ok(derive(t.db, &o, &e), e);
}

static void now(void)
{
	derive_of(TS_NONE, TS_NONE);
}

#define V3_DEVICES "5 on-demand v3-8 devices in " ZONE
#define V3_CHIPS "64 on-demand v3 chips in " ZONE

/* ---- times ------------------------------------------------------------------------------------- */

/* What a clock that ran wild left behind must not look like a figure. */
static void a_stretch_beyond_counting_has_no_price(void **state)
{
	runs("a", "v3-8", INT64_C(-4000000000000000000));
	give("trc", V3_DEVICES)->new_only = false;
	grants[0].starts = TS_NONE;
	now();
	tempdb_expect(&t, "SELECT COUNT(*) FROM grants WHERE saved IS NULL", "1");
	tempdb_expect(&t,
		"SELECT covered || COALESCE(gross, '-') || net || COALESCE(chip_hours, "
		"'-') FROM coverage",
		"1-0.0-");
}

static void sums_beyond_counting_are_not_known(void **state)
{
	static const char *const names[] = {"a", "b", "c", "d"};

	give("trc", V3_DEVICES)->new_only = false;
	grants[0].starts = TS_NONE;
	/* 4 chips: 2e18 x 4 chip-seconds each, of which two do not fit together */
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		runs(names[i], "v3-8", INT64_C(-2000000000000000000));
	now();
	tempdb_expect(&t, "SELECT COUNT(*) FROM grants WHERE saved IS NULL", "1");
	/* an hour of each alone has its price: 4 x 8.80 */
	tempdb_exec(&t, "DELETE FROM resource_interval");
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		ran(names[i], "v3-8", "on-demand", NOW - HOUR, NOW);
	now();
	tempdb_expect(&t, "SELECT saved || ' ' || currency FROM grants", "35.2 USD");
	/* a million years of one do, but not of six thousand billion nano-dollars: the sum */
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		ran(names[i], "v3-8", "on-demand", NOW - INT64_C(3000000000000),
			NOW - HOUR);
	now();
	tempdb_expect(&t, "SELECT COUNT(*) FROM grants WHERE saved IS NULL", "1");
}

static void what_is_not_seen_any_more_ends_when_it_was(void **state)
{
	static const struct poll_interval others[] = {{"billing", 5}, {"instances", 60}};

	give("trc", V3_DEVICES);
	settings.intervals = others;
	settings.n_intervals = 2;
	runs("a", "v3-8", NOW - 2 * HOUR);
	runs("b", "v9-8", NOW - 2 * HOUR); /* nobody knows its chips */
	runs("c", "v3-8", NOW - HOUR / 2);
	runs("d", "v3-8", NOW - HOUR); /* seen for no second */
	polled(NOW - HOUR);
	tempdb_exec(&t, "UPDATE resource SET last_seen = 1795215600");
	derive_of(NOW - 4 * HOUR, TS_NONE);
	tempdb_expect(&t,
		"SELECT group_concat(x, '; ') FROM (SELECT substr(id, -1) || ' ' || ends "
		"|| ' ' || COALESCE(chip_hours, '-') AS x FROM coverage ORDER BY id)",
		"a 2026-11-20T23:00:00Z 4.0; b 2026-11-20T23:00:00Z -");
	derive_of(NOW - 4 * HOUR, NOW + HOUR); /* the future is not known yet */
	tempdb_expect(&t, "SELECT COUNT(*) FROM coverage", "2");
	derive_of(NOW - 4 * HOUR, NOW - 3 * HOUR);
	tempdb_expect(&t, "SELECT COUNT(*) FROM coverage", "0");
	/* of a group that is not configured: three hours */
	settings.n_intervals = 1;
	derive_of(NOW - 4 * HOUR, TS_NONE);
	tempdb_expect(&t,
		"SELECT COUNT(*) FROM coverage WHERE ends = '2026-11-21T00:00:00Z'", "4");
}

static void stretches_of_the_same_tpu_that_meet_are_one(void **state)
{
	give("trc", V3_DEVICES);
	ran("a", "v3-8", "on-demand", NOW - 3 * HOUR, NOW - 2 * HOUR);
	ran("a", "v3-8", "on-demand", NOW - 2 * HOUR, NOW - HOUR);
	derive_of(NOW - 4 * HOUR, NOW);
	tempdb_expect(&t, "SELECT starts || ' ' || ends FROM coverage",
		"2026-11-20T21:00:00Z 2026-11-20T23:00:00Z");
}

static void another_class_of_the_same_tpu_is_another_stretch(void **state)
{
	give("trc", V3_DEVICES);
	ran("a", "v3-8", "on-demand", NOW - 3 * HOUR, NOW - 2 * HOUR);
	ran("a", "v3-8", "spot", NOW - 2 * HOUR, NOW - HOUR);
	derive_of(NOW - 4 * HOUR, NOW);
	tempdb_expect(&t,
		"SELECT group_concat(x, '; ') FROM (SELECT starts || ' ' || covered || ' ' "
		"|| why AS x FROM coverage ORDER BY starts)",
		"2026-11-20T21:00:00Z 1 covered; 2026-11-20T22:00:00Z 0 "
		"wrong-provisioning");
}

/* ---- grants ------------------------------------------------------------------------------------ */

/* Devices (v3-8) and slices (v3-32) have prices of their own; here one is the account's, in HKD. */
static void what_two_currencies_save_is_not_added(void **state)
{
	settings.currency = "HKD";
	give("trc", V3_CHIPS);
	ran("a", "v3-8", "on-demand", NOW - 2 * HOUR, NOW - HOUR);
	now();
	tempdb_expect(&t, "SELECT saved || ' ' || currency FROM grants", "8.8 USD");
	tempdb_exec(&t,
		"INSERT INTO list_price VALUES ('E000-3F24-B8AA', 'P', 'europe-west4', "
		"'Tpu-v3 Pod running in Netherlands', '', '', 'OnDemand', 'h', 'HKD', "
		"70000000000, NULL, 0)");
	ran("b", "v3-32", "on-demand", NOW - 2 * HOUR, NOW - HOUR);
	now();
	tempdb_expect(&t, "SELECT COUNT(*) FROM grants WHERE saved IS NULL", "1");
}

static void a_device_of_a_size_that_nobody_knows_counts_as_one(void **state)
{
	give("trc", V3_DEVICES);
	grants[0].type = "v3-7";
	ran("a", "v3-7", "on-demand", NOW - 2 * HOUR, NOW - HOUR);
	now();
	tempdb_expect(&t, "SELECT COUNT(*) FROM grants WHERE saved IS NULL", "1");
	derive_of(NOW - 4 * HOUR, NOW);
	tempdb_expect(
		&t, "SELECT covered || COALESCE(chip_hours, '-') FROM coverage", "1-");
}

/* The stretch that lasts is the one since the grant began, not the first of this TPU. */
static void what_lasts_began_with_the_grant(void **state)
{
	give("trc", V3_DEVICES)->starts = NOW - HOUR;
	grants[0].new_only = false;
	runs("a", "v3-8", NOW - 3 * HOUR);
	polled(NOW);
	now();
	tempdb_expect(&t, "SELECT covered || ' ' || starts FROM coverage",
		"1 2026-11-20T23:00:00Z");
}

static int64_t room(size_t line)
{
	static const int64_t used[4] = {4, 8, 0, 0};

	struct opt_i64 free = grant_room(&settings, line, used, NOW);

	return free.set ? free.v : -1;
}

static void renewals_share_their_room_while_both_run(void **state)
{
	give("a", "8 on-demand v4 chips in " ZONE);
	give("b", "16 on-demand v4 chips in " ZONE)->extends = "a";
	assert_i64_eq(room(0), 4); /* 16, of which both use 4 + 8 */
	assert_i64_eq(room(1), 4);
	grants[1].provisioning = "spot";
	assert_i64_eq(room(0), 4); /* its own 8 - 4 */
	assert_i64_eq(room(1), 8);
	grants[1].provisioning = "on-demand";
	grants[1].zone = "us-central1-a";
	assert_i64_eq(room(1), 8);
	grants[1].zone = ZONE;
	grants[1].family = "v5p";
	assert_i64_eq(room(1), 8);
	grants[1].family = "v4";
	grants[1].type = "v4-8";
	assert_i64_eq(room(1), 8);
	grants[1].type = NULL;
	grants[1].name = "a"; /* lines of one grant add up */
	assert_i64_eq(room(1), 8);
	grants[1].name = "b";
	grants[1].extends = "gone"; /* not configured any more */
	assert_i64_eq(room(0), 4);
	assert_i64_eq(room(1), 8);
	grants[1].extends = "a";
	grants[0].starts = TS_NONE; /* open to both sides */
	grants[0].until = TS_NONE;
	assert_i64_eq(room(0), 4);
	grants[0].extends = "b"; /* a circle, of which no end is the beginning */
	assert_i64_eq(room(0), 4);
	grants[0].until = NOW; /* over this second */
	assert_i64_eq(room(0), 0);
	assert_i64_eq(room(1), 8);
}

static void a_grant_without_a_beginning_has_none_in_the_view(void **state)
{
	give("trc", V3_DEVICES)->starts = TS_NONE;
	grants[0].until = TS_NONE;
	now();
	tempdb_expect(&t,
		"SELECT COALESCE(starts, '-') || ' ' || COALESCE(until, '-') FROM grants",
		"- -");
}

/* ---- a database that fails --------------------------------------------------------------------- */

static ts_t asked_since = TS_NONE;

static enum err_code derive_all(void *ctx, struct err *e)
{
	struct derive_opts o = {
		.settings = &settings, .now = NOW, .since = asked_since, .until = TS_NONE};
	cleanup(db_tx_end) struct db_tx tx = {0};

	(void)ctx;
	if (db_begin(t.db, &tx, e) || derive(t.db, &o, e))
		return e->code;
	return db_commit(&tx, e);
}

static void verdicts_are_whole_or_an_error(void **state)
{
	give("trc", V3_DEVICES);
	runs("a", "v3-8", NOW - 2 * HOUR);
	polled(NOW);
	now();
	tempdb_exec(&t, "UPDATE resource SET type = 'v2-8'");
	assert_true(faultstmt_sweep_both(t.db, derive_all, NULL, NULL) > 40);
	tempdb_expect(&t, "SELECT covered || ' ' || why FROM coverage", "0 no-grant");
	asked_since = NOW - 4 * HOUR;
	assert_true(faultstmt_sweep_both(t.db, derive_all, NULL, NULL) > 40);
	asked_since = TS_NONE;
	tempdb_expect(&t, "SELECT covered || ' ' || starts FROM coverage",
		"1 2026-11-20T22:00:00Z");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, tempdb_teardown)

static void what_was_never_seen_is_not_known_until_then(void **state)
{
	static const struct poll_interval others[] = {{"metrics", 600}};
	struct derive_opts o = {.settings = &settings, .now = NOW};
	struct deriving d = {.o = &o};

	assert_ts_eq(known_until(&d, NONE, "instances"), TS_NONE);
	assert_ts_eq(known_until(&d, SOME(NOW - 4 * HOUR), NULL), TS_NONE);
	assert_ts_eq(known_until(&d, SOME(NOW - 3 * HOUR), "instances"), TS_NONE);
	assert_ts_eq(
		known_until(&d, SOME(NOW - 3 * HOUR - 1), "instances"), NOW - 3 * HOUR - 1);
	settings.intervals = others;
	settings.n_intervals = 1;
	assert_ts_eq(known_until(&d, SOME(NOW - 1800), "metrics"), TS_NONE);
	assert_ts_eq(known_until(&d, SOME(NOW - 1801), "metrics"), NOW - 1801);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(a_stretch_beyond_counting_has_no_price),
		TEST(sums_beyond_counting_are_not_known),
		TEST(what_is_not_seen_any_more_ends_when_it_was),
		TEST(stretches_of_the_same_tpu_that_meet_are_one),
		TEST(another_class_of_the_same_tpu_is_another_stretch),
		TEST(what_two_currencies_save_is_not_added),
		TEST(a_device_of_a_size_that_nobody_knows_counts_as_one),
		TEST(what_lasts_began_with_the_grant),
		TEST(renewals_share_their_room_while_both_run),
		TEST(a_grant_without_a_beginning_has_none_in_the_view),
		TEST(verdicts_are_whole_or_an_error),
		TEST(what_was_never_seen_is_not_known_until_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

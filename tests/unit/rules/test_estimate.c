/* What is about to be created, judged beside what is there. Prices by hand: pd-ssd of 730 GiB in
 * us-central1 0.17 USD an hour; v3-8 8.00 in us-central1, 8.80 in europe-west4. */
#include "rules/estimate/estimate.h"

#include "base/time/civil.h"
#include "db/rollup/rollup.h"
#include "tests/support/assert.h"
#include "tests/support/world/cost_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

/* 2026-11-21T12:00:00Z: 228 hours are left of the month */
#define NOW INT64_C(1795262400)
#define HOUR INT64_C(3600)
#define USD(x) ((int64_t)(x)*NANOS)
#define CENTS(x) ((int64_t)(x)*NANOS / 100)

static struct cost_world w;
static struct budget budget;
static struct grant grants[3];
static struct rule rule;

static void set_grant(size_t i, const char *name, const char *line)
{
	struct err e = {0};

	grants[i] = (struct grant){.name = name,
		.starts = NOW - 20 * DAY_SECONDS,
		.until = NOW + 10 * DAY_SECONDS,
		.new_only = true};
	assert_ok(grant_parse_line(line, &w.t.a, &grants[i], &e), e);
	w.settings.grants = grants;
	w.settings.n_grants = i + 1;
}

static int setup(void **state)
{
	cost_world_open(&w, "UTC", NOW);
	budget = (struct budget){.name = "b", .amount = {.nanos = USD(100), .cur = "USD"}};
	return 0;
}

/* As the command does it, and taken back afterwards. */
static void ask_for(struct wish *wishes, size_t n, struct estimate *out, struct err *e)
{
	struct proposal p = {.v = wishes, .n = n};
	struct derive_opts o = {
		.settings = &w.settings, .now = NOW, .since = TS_NONE, .until = TS_NONE};
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct err why = {0};

	assert_ok(db_begin(w.t.db, &tx, &why), why);
	assert_ok(rollup_all(w.t.db, w.t.tz, &why), why);
	assert_ok(derive(w.t.db, &o, &why), why);
	(void)!estimate(w.t.db, &w.settings, &p, NOW, &w.t.a, out, e);
}

static void ask(struct wish *wishes, size_t n, struct estimate *out)
{
	struct err e = {0};

	ask_for(wishes, n, out, &e);
	assert_int_equal(e.code, E_OK);
}

static struct wish wish(const char *kind, const char *type, const char *zone, int64_t count)
{
	return (struct wish){.kind = kind,
		.type = type,
		.zone = zone,
		.project = "p",
		.count = count,
		.from = TS_NONE};
}

static struct wish disk(int64_t count)
{
	struct wish v = wish("disk", "pd-ssd", "us-central1-b", count);

	v.size_gib = 730;
	return v;
}

/* ---- budgets ----------------------------------------------------------------------------------- */

static void a_forecast_grows_by_the_time_that_is_left(void **state)
{
	struct wish one = disk(1), two = disk(2);
	struct estimate x;

	w.settings.budgets = &budget;
	w.settings.n_budgets = 1;
	RUN(&w, .name = "d");
	BILL(&w, .hour = NOW - 5 * HOUR, .cost = USD(10));
	/* billed until 4 hours ago: 10 + 4 x 0.17, and 228 x 0.17 more */
	ask(&one, 1, &x);
	assert_int_equal(x.n_budgets, 1);
	assert_int_equal(x.budgets[0].q.expected.v, CENTS(1068));
	assert_int_equal(x.budgets[0].q.forecast.v, CENTS(4944));
	/* nothing of the four hours: it did not run then */
	assert_int_equal(x.budgets[0].after.v, CENTS(4944 + 3876));
	assert_false(x.budgets[0].runs_out_after.set);
	assert_false(x.budgets[0].breaks);
	assert_false(x.refused);
	ask(&two, 1, &x);
	assert_int_equal(x.budgets[0].after.v, CENTS(4944 + 2 * 3876));
	/* 89.32 at 0.51 an hour: 175 hours, 8 minutes and 14.1 seconds */
	assert_int_equal(x.budgets[0].runs_out_after.v, NOW + 175 * HOUR + 8 * 60 + 15);
	assert_true(x.budgets[0].breaks);
	assert_true(x.refused);
}

/* 10 h x 8 USD of a v3-8, from now or from its start. */
static void what_is_planned_burns_until_its_limit(void **state)
{
	struct wish tpu = wish("tpu", "v3-8", "us-central1-a", 1);
	struct estimate x;

	w.settings.budgets = &budget;
	w.settings.n_budgets = 1;
	tpu.run_limit = 10 * HOUR;
	ask(&tpu, 1, &x);
	assert_i64_eq(x.budgets[0].after.v, USD(80));
	assert_false(x.budgets[0].runs_out_after.set || x.budgets[0].breaks);
	budget.amount.nanos = USD(72);
	ask(&tpu, 1, &x);
	assert_i64_eq(x.budgets[0].runs_out_after.v, NOW + 9 * HOUR);
	assert_true(x.budgets[0].breaks);
}

static void a_budget_that_does_not_count_it_stays(void **state)
{
	struct wish v = disk(100);
	struct estimate x;

	w.settings.budgets = &budget;
	w.settings.n_budgets = 1;
	budget.where = "category = 'gpu'";
	ask(&v, 1, &x);
	assert_int_equal(x.n_budgets, 0);
	assert_false(x.refused);
}

static void what_has_no_price_leaves_a_lower_bound(void **state)
{
	struct wish v = wish("vm", "quantum-1", "us-central1-b", 1);
	struct estimate x;

	w.settings.budgets = &budget;
	w.settings.n_budgets = 1;
	ask(&v, 1, &x);
	assert_int_equal(x.n_budgets, 1);
	assert_true(x.budgets[0].unpriced);
	assert_false(x.things[0].gross.set);
	assert_false(x.things[0].net.set);
	assert_int_equal(x.things[0].each.source, PRICE_UNKNOWN);
}

/* ---- grants ------------------------------------------------------------------------------------ */

static void room_goes_to_what_runs_then_to_the_new(void **state)
{
	struct wish v = wish("tpu", "v3-8", "europe-west4-a", 3);
	struct estimate x;

	set_grant(0, "trc", "2 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a");
	RUN(&w, .kind = "tpu", .type = "v3-8", .zone = "europe-west4-a", .name = "zz",
		.since = NOW - HOUR);
	ask(&v, 1, &x);
	assert_int_equal(x.things[0].covered, 1);
	assert_int_equal(x.things[0].why, WHY_OVER_CAPACITY);
	assert_string_equal(x.things[0].grant_name, "trc");
	assert_int_equal(x.things[0].room.v, 0);
	assert_int_equal(x.things[0].gross.v, CENTS(2640));
	assert_int_equal(x.things[0].net.v, CENTS(1760));
	assert_true(x.refused);
	v.count = 1;
	ask(&v, 1, &x);
	assert_int_equal(x.things[0].covered, 1);
	assert_int_equal(x.things[0].net.v, 0);
	assert_string_equal(x.things[0].each.as_of, "2026-07-02");
	assert_false(x.refused);
}

/* It is not judged with what runs yet, but was asked for before what is proposed. */
static void what_is_starting_takes_its_room(void **state)
{
	struct wish v = wish("tpu", "v3-8", "europe-west4-a", 1);
	struct estimate x;

	set_grant(0, "trc", "1 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a");
	RUN(&w, .kind = "tpu", .type = "v3-8", .zone = "europe-west4-a", .name = "zz",
		.state = "starting", .since = NOW - 60);
	ask(&v, 1, &x);
	assert_int_equal(x.things[0].covered, 0);
	assert_int_equal(x.things[0].why, WHY_OVER_CAPACITY);
	assert_int_equal(x.things[0].net.v, CENTS(880));
}

static void what_starts_when_its_grant_is_over_is_not_free(void **state)
{
	struct wish v = wish("tpu", "v3-8", "europe-west4-a", 1);
	struct estimate x;

	set_grant(0, "trc", "1 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a");
	v.from = grants[0].until - 1;
	ask(&v, 1, &x);
	assert_int_equal(x.things[0].covered, 1);
	v.from = grants[0].until;
	ask(&v, 1, &x);
	assert_int_equal(x.things[0].covered, 0);
	assert_int_equal(x.things[0].why, WHY_EXPIRED);
	assert_string_equal(x.things[0].why_text,
		"the grant of v3-8 in europe-west4-a (trc) ends 2026-12-01 12:00, in 10 "
		"days; "
		"this starts 2026-12-01 12:00");
	assert_int_equal(x.things[0].net.v, CENTS(880));
}

/* The end of `short` moves the older TPU into `long`, which has room for one. */
static void an_older_tpu_takes_its_place(void **state)
{
	struct wish v = wish("tpu", "v3-8", "europe-west4-a", 1);
	struct estimate x;

	set_grant(
		0, "short", "1 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a");
	grants[0].until = NOW + 2 * HOUR;
	set_grant(1, "long", "1 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a");
	RUN(&w, .kind = "tpu", .type = "v3-8", .zone = "europe-west4-a", .name = "old",
		.since = NOW - HOUR);
	v.run_limit = 10 * HOUR;
	ask(&v, 1, &x);
	assert_int_equal(x.things[0].covered, 1);
	assert_string_equal(x.things[0].grant_name, "long");
	assert_i64_eq(x.things[0].run_paid, 8 * HOUR);
	assert_i64_eq(estimate_run_cost(&x.things[0], true).v, 8 * CENTS(880));
	assert_i64_eq(x.things[0].lapses, NOW + 2 * HOUR);
	assert_i64_eq(x.things[0].lapsing, 1);
	assert_i64_eq(x.things[0].lapses_in, 1);
}

/* Its grant is renewed, after two hours without one. */
static void a_renewal_pays_on(void **state)
{
	struct wish v = wish("tpu", "v3-8", "europe-west4-a", 2);
	struct estimate x;

	set_grant(0, "a", "2 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a");
	grants[0].until = NOW + 2 * HOUR;
	set_grant(1, "b", "1 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a");
	grants[1].extends = "a";
	grants[1].starts = NOW + 2 * HOUR;
	v.run_limit = 10 * HOUR;
	ask(&v, 1, &x);
	assert_int_equal(x.things[0].covered, 2);
	assert_i64_eq(x.things[0].run_paid, 8 * HOUR); /* of one of them */
	assert_i64_eq(x.things[0].lapsing, 1);
	grants[1].starts = NOW + 4 * HOUR;
	ask(&v, 1, &x);
	assert_i64_eq(x.things[0].run_paid, (8 + 2) * HOUR);
	assert_i64_eq(x.things[0].lapsing, 2);
	v.count = 1;
	v.from = NOW + 4 * HOUR;
	ask(&v, 1, &x);
	assert_int_equal(x.things[0].covered, 1);
	assert_string_equal(x.things[0].grant_name, "b");
	assert_i64_eq(x.things[0].run_paid, 0);
	assert_i64_eq(x.things[0].lapsing, 0);
	v.from = NOW + 3 * HOUR;
	ask(&v, 1, &x);
	assert_int_equal(x.things[0].covered, 0);
	/* a grant that is no renewal covers only what is created since it began */
	grants[1].extends = NULL;
	grants[1].starts = NOW + 2 * HOUR;
	v.from = TS_NONE;
	ask(&v, 1, &x);
	assert_i64_eq(x.things[0].run_paid, 8 * HOUR);
}

static void the_nearest_grant_is_advised_first(void **state)
{
	struct wish v = wish("tpu", "v3-8", "us-central1-a", 2);
	struct estimate x;

	set_grant(0, "far", "9 preemptible Cloud TPU v3-8 device(s) in zone us-east1-d");
	set_grant(1, "full", "1 on-demand Cloud TPU v3-8 device(s) in zone us-central1-b");
	set_grant(2, "near", "2 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a");
	ask(&v, 1, &x);
	assert_int_equal(x.n_advice, 2); /* one has no room for both */
	assert_string_equal(x.advice[0].grant_name, "near");
	assert_string_equal(x.advice[0].zone, "europe-west4-a");
	assert_null(x.advice[0].provisioning);
	assert_int_equal(x.advice[0].changes, 1);
	assert_string_equal(x.advice[1].grant_name, "far");
	assert_string_equal(x.advice[1].provisioning, "spot");
	assert_int_equal(x.advice[1].changes, 2);
	v.type = "v4-8";
	ask(&v, 1, &x);
	assert_int_equal(x.n_advice, 0);
	assert_int_equal(x.things[0].why, WHY_NO_GRANT);
}

static void a_machine_that_is_a_tpu_is_judged_as_one(void **state)
{
	struct wish v = wish("vm", "ct6e-standard-4t", "us-east5-b", 1);
	struct estimate x;

	ask(&v, 1, &x);
	assert_string_equal(x.things[0].r.kind, "tpu");
	assert_true(x.things[0].applies);
	assert_int_equal(x.things[0].chips.v, 4);
}

/* ---- rules, quotas, places --------------------------------------------------------------------- */

static void only_what_is_new_breaks_a_rule(void **state)
{
	struct wish v = disk(2);
	struct estimate x;

	RUN(&w, .name = "old");
	rule = (struct rule){.name = "disks",
		.on = "resources",
		.where = "kind = 'disk'",
		.severity = SEVERITY_WARNING,
		.hold_for = 7 * DAY_SECONDS,
		.enabled = true};
	w.settings.rules = &rule;
	w.settings.n_rules = 1;
	ask(&v, 1, &x);
	assert_int_equal(x.n_hits, 1);
	assert_string_equal(x.hits[0].subject, "p/disk/us-central1-b/new-disk-1");
	assert_int_equal(x.hits[0].more, 1);
	assert_true(x.hits[0].thing);
	assert_false(x.refused); /* a rule that is built in */
	rule.at = "c.yaml:1:1";
	ask(&v, 1, &x);
	assert_true(x.refused);
	rule.severity = SEVERITY_INFO;
	ask(&v, 1, &x);
	assert_false(x.refused);
	rule.severity = SEVERITY_WARNING;
	rule.where = "kind = 'disk' AND nonsense";
	ask(&v, 1, &x);
	assert_int_equal(x.n_hits, 0);
	assert_int_equal(x.n_notes, 1);
	assert_non_null(strstr(x.notes[0], "rule disks could not be evaluated"));
}

static void a_quota_of_tpus_counts_what_runs(void **state)
{
	struct wish v = wish("tpu", "v3-8", "us-central1-a", 1);
	struct estimate x;

	RUN(&w, .kind = "tpu", .type = "v3-8", .zone = "us-central1-a", .name = "t");
	for (int i = 0; i < 2; i++)
		tempdb_put_quota(&w.t,
			(struct q_quota_put_in){.service = "tpu.googleapis.com",
				.metric = "tpu.googleapis.com/tpu-v3s",
				.location = i ? "us-central1-b" : "us-central1-a",
				.quota_id = "TPUV3sPerProjectPerZoneForTPUAPI",
				.limit_value = SOME(i ? 0 : 16)});
	ask(&v, 1, &x);
	assert_int_equal(x.n_quotas, 1);
	assert_int_equal(x.quotas[0].q.used.v, 8); /* cores */
	assert_int_equal(x.quotas[0].needs, 8);
	assert_true(x.quotas[0].fits);
	v.count = 2;
	ask(&v, 1, &x);
	assert_false(x.quotas[0].fits);
}

static void a_disk_elsewhere_is_told(void **state)
{
	struct wish v[2] = {wish("vm", "n1-standard-1", "us-central1-a", 1), disk(1)};
	struct estimate x;

	v[1].beside = "vm";
	ask(v, 2, &x);
	assert_int_equal(x.n_places, 1);
	assert_string_equal(x.places[0],
		"a disk can only be used in its own zone: pd-ssd is "
		"in us-central1-b and the machine in us-central1-a");
}

/* ---- limits ------------------------------------------------------------------------------------ */

static void it_leaves_no_trace(void **state)
{
	struct wish v = disk(3);
	struct estimate x;

	RUN(&w, .name = "d");
	ask(&v, 1, &x);
	assert_int_equal(tempdb_int(&w.t, "SELECT count(*) FROM resource"), 1);
}

static void a_name_that_is_taken_is_one_more(void **state)
{
	struct wish v = disk(1);
	struct estimate x;

	RUN(&w, .name = "d");
	v.name = "d";
	ask(&v, 1, &x);
	assert_int_equal(x.n_notes, 1);
	assert_non_null(strstr(x.notes[0], "there is already a disk d in us-central1-b"));
	assert_int_equal(x.things[0].net.v, CENTS(17));
}

static void too_many_are_refused(void **state)
{
	struct wish v = disk(ESTIMATE_MAX_THINGS + 1);
	struct estimate x;
	struct err e = {0};

	ask_for(&v, 1, &x, &e);
	assert_int_equal(e.code, E_LIMIT);
}

UNIT_TESTS()
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, tempdb_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_forecast_grows_by_the_time_that_is_left),
		TEST(what_is_planned_burns_until_its_limit),
		TEST(a_budget_that_does_not_count_it_stays),
		TEST(what_has_no_price_leaves_a_lower_bound),
		TEST(room_goes_to_what_runs_then_to_the_new),
		TEST(what_is_starting_takes_its_room),
		TEST(what_starts_when_its_grant_is_over_is_not_free),
		TEST(an_older_tpu_takes_its_place),
		TEST(a_renewal_pays_on),
		TEST(the_nearest_grant_is_advised_first),
		TEST(a_machine_that_is_a_tpu_is_judged_as_one),
		TEST(only_what_is_new_breaks_a_rule),
		TEST(a_quota_of_tpus_counts_what_runs),
		TEST(a_disk_elsewhere_is_told),
		TEST(it_leaves_no_trace),
		TEST(a_name_that_is_taken_is_one_more),
		TEST(too_many_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

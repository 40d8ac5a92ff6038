/* Small worlds: what polls see of them, and that rules say the same of them while they happen
 * and when their history is replayed. */
#include "base/time/civil.h"
#include "db/db.h"
#include "rules/replay/replay.h"
#include "rules/trial/trial.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

/* 2026-11-21T00:00:00Z */
#define T0 INT64_C(1795219200)
#define HOUR HOUR_SECONDS
#define TICK 600

static struct world w;
static struct arena arena;
static struct clock test_clock;
static struct tz *tz;
static struct settings settings;
static struct grant grants[2];
static struct rule rules[4];
static struct err e;

static int setup(void **state)
{
	clock_fake_init(&test_clock, T0);
	if (tz_open("UTC", &tz, NULL))
		fail_msg("UTC");
	settings = (struct settings){
		.tz = tz, .currency = "USD", .grants = grants, .rules = rules};
	assert_ok(world_begin(&w, &test_clock, &settings, &e), e);
	return 0;
}

static int teardown(void **state)
{
	world_end(&w);
	tz_free(tz);
	arena_done(&arena);
	return 0;
}

/* First column of the first row, as people may ask. */
static const char *ask(const char *sql)
{
	struct db_cursor c;
	const char *text = "(no row)";
	bool row;

	assert_ok(db_cursor_open(w.db, sql, 10000, &c, &e), e);
	assert_ok(db_cursor_step(&c, &row, &e), e);
	if (row)
		text = db_cursor_type(&c, 0) == DB_NULL
			? "NULL"
			: arena_strdup(&arena, db_cursor_text(&c, 0));
	db_cursor_close(&c);
	return text;
}

static void expect(const char *sql, const char *want)
{
	const char *got = ask(sql);

	if (strcmp(got, want) != 0)
		fail_msg("%s\n  gave %s\n  want %s", sql, got, want);
}

static struct world_thing thing(const char *kind, const char *name, const char *type,
	const char *state, ts_t created)
{
	return (struct world_thing){.r = {.kind = kind,
					    .project = "p",
					    .location = "us-central1-b",
					    .name = name,
					    .state = state,
					    .type = type,
					    .provisioning = "on-demand",
					    .created = SOME(created)},
		.idle_since = TS_NONE};
}

static void put(const char *kind, const char *name, const char *type, const char *state,
	ts_t created)
{
	struct world_thing t = thing(kind, name, type, state, created);

	assert_ok(world_put(&w, &t, &e), e);
}

static void tick(ts_t now)
{
	struct judgement j;

	assert_ok(world_tick(&w, now, &arena, &j, &e), e);
	assert_i64_eq(j.n_errors, 0);
}

static void what_a_poll_sees(void **state)
{
	put("vm", "a", "n1-standard-1", "running", T0 - 5 * HOUR);
	put("tpu", "t", "v3-8", "running", T0);
	put("tpu", "s", "ct5lp-hightpu-4t", "running", T0);
	tick(T0);
	expect("SELECT group_concat(id || ' ' || source, '; ') FROM (SELECT r.id, s.source "
	       "FROM resources r JOIN sources s ON s.project = r.project AND s.source = "
	       "r.kind ORDER BY r.id)",
		"p/tpu/us-central1-b/s tpu; p/tpu/us-central1-b/t tpu; "
		"p/vm/us-central1-b/a vm");
	expect("SELECT running_hours FROM resources WHERE name = 'a'", "5.0");
	expect("SELECT zone || ' ' || region || ' ' || complete FROM resources "
	       "WHERE name = 't'",
		"us-central1-b us-central1 1");
	/* n1-standard-1: 0.031611 + 3.75 x 0.004237 = 0.04749975 */
	expect("SELECT gross_per_hour FROM resources WHERE name = 'a'", "0.04749975");
	expect("SELECT COUNT(*) FROM sources WHERE stale = 0 AND complete = 1", "9");
	tick(T0 + HOUR);
	expect("SELECT last_seen FROM resources WHERE name = 'a'", "2026-11-21T01:00:00Z");
}

static void stretches_of_time(void **state)
{
	put("vm", "a", "n1-standard-1", "running", T0);
	tick(T0);
	put("vm", "a", "n1-standard-1", "stopped", T0);
	tick(T0 + HOUR);
	tick(T0 + 2 * HOUR);
	put("vm", "a", "n1-standard-1", "running", T0);
	tick(T0 + 3 * HOUR);
	expect("SELECT running_hours FROM resources", "0.0");
	tick(T0 + 4 * HOUR);
	expect("SELECT running_hours || ' ' || age_hours FROM resources", "1.0 4.0");
	/* two hours of 0.04749975 in all */
	expect("SELECT gross_24h FROM resources", "0.0949995");
	world_remove(&w, "p/vm/us-central1-b/a");
	world_remove(&w, "p/vm/us-central1-b/none");
	tick(T0 + 5 * HOUR);
	expect("SELECT COUNT(*) FROM resources", "0");
	expect("SELECT gross_24h FROM burned", "0.14249925");
	/* another one of its name */
	put("vm", "a", "n1-standard-1", "running", T0 + 6 * HOUR);
	tick(T0 + 6 * HOUR);
	expect("SELECT uid FROM resources", "2");
}

static void what_does_not_answer(void **state)
{
	static const char *const zones[] = {"us-central1-b"};

	put("vm", "a", "n1-standard-1", "running", T0);
	tick(T0);
	world_unreachable(&w, zones, 1);
	put("vm", "a", "n1-standard-1", "stopped", T0);
	tick(T0 + HOUR);
	expect("SELECT state || ' ' || complete || ' ' || last_seen FROM resources",
		"running 0 2026-11-21T00:00:00Z");
	expect("SELECT state || ' ' || complete || ' ' || stale FROM sources WHERE source "
	       "= "
	       "'vm'",
		"partial 0 0");
	world_unreachable(&w, NULL, 0);
	world_answers(&w, "vm", ANSWERS_NOT);
	tick(T0 + 4 * HOUR);
	expect("SELECT state || ' ' || complete FROM resources", "running 0");
	expect("SELECT state || ' ' || stale || ' ' || age_minutes FROM sources WHERE "
	       "source = 'vm'",
		"failed 1 240.0");
	world_answers(&w, "vm", ANSWERS);
	tick(T0 + 5 * HOUR);
	expect("SELECT state || ' ' || complete FROM resources", "stopped 1");
	world_answers(&w, "vm", ANSWERS_OLD);
	tick(T0 + 5 * HOUR + 60);
	expect("SELECT state || ' ' || stale || ' ' || age_minutes FROM sources WHERE "
	       "source = 'vm'",
		"ok 1 180.0"); /* just more than three of the hours taken where no interval is set */
	tick(T0 + 5 * HOUR + 120);
	expect("SELECT age_minutes FROM sources WHERE source = 'vm'", "181.0");
	world_answers(&w, "disk", ANSWERS_NO_API);
	tick(T0 + 5 * HOUR + 180);
	expect("SELECT state || ' ' || stale FROM sources WHERE source = 'disk'",
		"disabled 0");
}

static void what_is_measured(void **state)
{
	struct world_thing t = thing("tpu", "t", "v3-32", "running", T0);

	t.measured = true;
	t.idle_since = T0 + HOUR;
	t.sent = SOME(1048576);
	assert_ok(world_put(&w, &t, &e), e);
	tick(T0 + 2 * HOUR);
	/* what it sends is work */
	expect("SELECT idle_minutes || ' ' || idle_basis FROM resources", "0 network,tpu");
	expect("SELECT sent_bytes_per_second || ' ' || sent_gib_last_hour FROM egress",
		"1048576 3.516");
	t.sent = NONE;
	assert_ok(world_put(&w, &t, &e), e);
	tick(T0 + 3 * HOUR);
	expect("SELECT idle_minutes || ' ' || idle_basis FROM resources", "120 tpu");
	world_answers(&w, "metric", ANSWERS_NOT);
	tick(T0 + 3 * HOUR + 1800);
	expect("SELECT idle_minutes FROM resources", "150");
	tick(T0 + 3 * HOUR + 1801);
	expect("SELECT idle_minutes FROM resources", "NULL");
}

static void a_bill(void **state)
{
	struct world_line l = {.from = T0,
		.until = T0 + DAY_SECONDS,
		.project = "p",
		.service = "Compute Engine",
		.sku = "N1 Instance Core",
		.invoice_month = "202611",
		.cost_type = "regular",
		.currency = "USD",
		.credit_type = "PROMOTION",
		.cost = INT64_C(10000000007), /* does not divide by 24 */
		.credits = -5,
		.rate = NANOS};

	put("vm", "a", "n1-standard-1", "running", T0);
	assert_ok(world_bill(&w, &l, &e), e);
	assert_ok(world_billed(&w, T0 + DAY_SECONDS, &e), e);
	tick(T0 + DAY_SECONDS);
	expect("SELECT day || ' ' || category || ' ' || status FROM costs",
		"2026-11-21 cpu partial");
	expect("SELECT CAST(ROUND(SUM(cost) * 1e9) AS INTEGER) || ' ' || "
	       "CAST(ROUND(SUM(credits) * 1e9) AS INTEGER) FROM costs",
		"10000000007 -5");
	/* the same line again is more of it */
	assert_ok(world_bill(&w, &l, &e), e);
	assert_ok(world_billed(&w, T0 + 2 * DAY_SECONDS, &e), e);
	tick(T0 + 4 * DAY_SECONDS);
	expect("SELECT CAST(ROUND(SUM(cost) * 1e9) AS INTEGER) || ' ' || MAX(status) FROM "
	       "costs",
		"20000000014 settled");
	l.until = l.from;
	assert_err(world_bill(&w, &l, &e), e, E_LIMIT, "1 to 1000 hours");
	l.until = l.from + 1001 * HOUR;
	assert_err(world_bill(&w, &l, &e), e, E_LIMIT, "1 to 1000 hours");
}

static void a_quota(void **state)
{
	struct q_quota_put_in q = {.project = "q",
		.service = "s",
		.metric = "CPUS",
		.location = "global",
		.limit_value = SOME(8),
		.used = SOME(6)};

	assert_ok(world_quota(&w, &q, T0, &e), e);
	tick(T0);
	expect("SELECT project || ' ' || percent FROM quotas", "q 75.0");
	expect("SELECT stale FROM sources WHERE source = 'quota' AND project = 'q'", "0");
}

static void offsets(void **state)
{
	struct trial t = {.start = T0};

	assert_string_equal(trial_offset(&t, T0, &arena), "+0m");
	assert_string_equal(trial_offset(&t, T0 + 59, &arena), "+59s");
	assert_string_equal(
		trial_offset(&t, T0 + DAY_SECONDS + 2 * HOUR + 61, &arena), "+1d2h1m1s");
	assert_string_equal(trial_offset(&t, T0 - 90 * 60, &arena), "-1h30m");
}

static void too_much_work(void **state)
{
	struct trial_step steps[2] = {{.at = T0}, {.at = T0 + 100000 * TICK}};
	struct trial t = {.file = "f",
		.start = T0,
		.tick = TICK,
		.steps = steps,
		.n_steps = 2,
		.settings = &settings};
	struct trial_result r;

	assert_err(trial_run(&t, &test_clock, &arena, &r, &e), e, E_LIMIT,
		"f: 100002 ticks with 0 resources are too many");
	steps[1].at = T0 + 1000 * TICK;
	steps[0].n_things = 5000;
	assert_err(trial_run(&t, &test_clock, &arena, &r, &e), e, E_LIMIT,
		"1002 ticks with 5000 resources");
}

/* ---- the same when it happens and when it is replayed ------------------------------------------ */

#define MOMENTS 72 /* twelve hours */
#define MACHINES 4
#define MOST 400

static uint64_t seed;
static uint64_t chance(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

/* What a rule said while it happened, counted by hand. */
struct seen {
	const char *rule, *subject;
	ts_t fired, resolved;
	__int128 saved; /* nanos x seconds */
	bool open;
};
static struct seen seen[MOST];
static size_t n_seen;

static struct seen *open_one(const char *rule, const char *subject)
{
	for (size_t i = 0; i < n_seen; i++)
		if (seen[i].open && !strcmp(seen[i].rule, rule) &&
			!strcmp(seen[i].subject, subject))
			return &seen[i];
	return NULL;
}

/* Net price of a resource now, in nanos an hour. */
static int64_t rate_of(const char *id)
{
	const char *text = ask(arena_printf(&arena,
		"SELECT CAST(ROUND(net_per_hour * 1e9) AS INTEGER) FROM resources WHERE id "
		"= '%s'",
		id));
	long long n = 0;

	if (sscanf(text, "%lld", &n) != 1)
		return 0;
	return n;
}

static void live_through(ts_t now)
{
	struct judgement j;

	for (size_t i = 0; i < n_seen; i++)
		if (seen[i].open && now > T0)
			seen[i].saved += (__int128)rate_of(seen[i].subject) * TICK;
	assert_ok(world_tick(&w, now, &arena, &j, &e), e);
	assert_i64_eq(j.n_errors, 0);
	for (size_t i = 0; i < j.n_said; i++) {
		struct seen *s = open_one(j.said[i].rule, j.said[i].subject);

		if (j.said[i].event == EVENT_FIRING && n_seen < MOST) {
			seen[n_seen++] = (struct seen){.rule = j.said[i].rule,
				.subject = j.said[i].subject,
				.fired = now,
				.resolved = TS_NONE,
				.open = true};
		} else if (s && j.said[i].event == EVENT_RESOLVED) {
			s->resolved = now;
			s->open = false;
		}
	}
}

static void change_something(ts_t now)
{
	static const char *const names[MACHINES] = {"a", "b", "c", "d"};
	static ts_t created[2][MACHINES];
	size_t kind = chance(2), i = chance(MACHINES);
	bool tpu = kind == 1;
	uint64_t what = now == T0 ? 0 : chance(4);

	if (what == 3) {
		world_remove(&w,
			arena_printf(&arena, "p/%s/us-central1-b/%s", tpu ? "tpu" : "vm",
				names[i]));
		created[kind][i] = 0;
		return;
	}
	if (!created[kind][i])
		created[kind][i] = now;
	put(tpu ? "tpu" : "vm", names[i],
		tpu                      ? "v3-8"
			: chance(3) != 0 ? "n1-highmem-96"
					 : "n1-standard-4",
		what == 2 ? "stopped" : "running", created[kind][i]);
	if (now == T0)
		for (size_t k = 0; k < 2 * MACHINES; k++)
			created[k / MACHINES][k % MACHINES] =
				k / MACHINES == kind && k % MACHINES == i ? T0 : 0;
}

static void compare_rule(const struct rule *r)
{
	struct replay_opts o = {.settings = &settings,
		.rule = r,
		.since = T0,
		.until = T0 + (MOMENTS - 1) * TICK};
	struct replay p;
	size_t k = 0;

	assert_ok(replay_run(w.db, &o, &arena, &p, &e), e);
	for (size_t i = 0; i < n_seen; i++) {
		const struct seen *s = &seen[i];
		int64_t saved;
		size_t at;

		if (strcmp(s->rule, r->name) != 0)
			continue;
		for (at = 0; at < p.n; at++)
			if (p.v[at].fired == s->fired &&
				!strcmp(p.v[at].subject, s->subject))
				break;
		if (at == p.n)
			fail_msg("%s %s at +%lld was not replayed", s->rule, s->subject,
				(long long)(s->fired - T0));
		assert_ts_eq(p.v[at].resolved, s->resolved);
		assert_true(i128_div_round(s->saved, HOUR, &saved));
		assert_nanos_eq(p.v[at].saved, saved);
		k++;
	}
	assert_i64_eq(p.n, k);
}

/* One random world; of the rule `which` it is compared, as a database is replayed only once. */
static void live_and_replay(uint64_t world, size_t which)
{
	seed = world;
	n_seen = 0;
	for (int i = 0; i < MOMENTS; i++) {
		if (i % 3 == 0)
			change_something(T0 + i * TICK);
		live_through(T0 + i * TICK);
	}
	compare_rule(&rules[which]);
}

static void replayed_as_it_happened(void **state)
{
	static const struct rule all[] = {
		{.name = "paid",
			.on = "resources",
			.where = "kind = 'tpu' AND covered = 0"},
		{.name = "big",
			.on = "resources",
			.where = "vcpus >= 64 AND state = 'running'",
			.hold_for = HOUR / 2},
		{.name = "long", .on = "resources", .where = "running_hours >= 1"},
		{.name = "stopped",
			.on = "resources",
			.where = "state = 'stopped' AND age_hours > 0.5"},
	};
	size_t episodes = 0;

	memcpy(rules, all, sizeof(all));
	settings.n_rules = ARRAY_LEN(rules);
	for (size_t i = 0; i < settings.n_rules; i++)
		rules[i].enabled = true;
	grants[0] = (struct grant){.name = "trc",
		.starts = T0 - DAY_SECONDS,
		.until = T0 + 7 * HOUR,
		.new_only = true};
	assert_ok(grant_parse_line("2 on-demand Cloud TPU v3-8 device(s) in zone "
				   "us-central1-b",
			  &arena, &grants[0], &e),
		e);
	settings.n_grants = 1;
	for (uint64_t world = 1; world <= 16; world += (uint64_t)unit_step(1)) {
		world_end(&w);
		assert_ok(world_begin(&w, &test_clock, &settings, &e), e);
		live_and_replay(world, world % ARRAY_LEN(rules));
		episodes += n_seen;
	}
	assert_in_range(episodes, 100 / unit_step(1), 16 * MOST - 1);
	settings.n_rules = settings.n_grants = 0;
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(what_a_poll_sees),
		TEST(stretches_of_time),
		TEST(what_does_not_answer),
		TEST(what_is_measured),
		TEST(a_bill),
		TEST(a_quota),
		TEST(offsets),
		TEST(too_much_work),
		TEST(replayed_as_it_happened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

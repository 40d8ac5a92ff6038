/* The head lines of `status` and `top` read less than the views, and say the same. */
#include "base/time/civil.h"
#include "base/money.h"
#include "cli/config/config.h"
#include "cli/screen/screen.h"
#include "cli/session.h"
#include "db_sql.h"
#include "rules/derive/derive.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define NOW 1795219200
#define ROUNDS 40

static struct tempdb t;
static struct arena arena;
static struct err e;
static struct config cfg;
static struct app app;
static uint64_t seed;

static int64_t below(int64_t n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (int64_t)(seed >> 33) % n;
}

/* One of a few, often none at all. */
static const char *maybe(int64_t n)
{
	return below(4) ? arena_printf(&arena, "%lld", (long long)n) : "NULL";
}

static void exec(const char *fmt, ...) printf_like(1, 2);
static void exec(const char *fmt, ...)
{
	struct sbuf sql = SBUF_INIT;

	sbuf_add_args(&sql, fmt);
	tempdb_exec(&t, sql.s);
	sbuf_done(&sql);
}

/* Every row of SQL over a view, its cells with bars between. */
static const char *rows_of(struct db *db, const char *sql)
{
	struct sbuf b = SBUF_INIT;
	struct db_cursor c;
	const char *text;
	bool more = false;

	assert_ok(db_cursor_open(db, sql, 10000, &c, &e), e);
	while (!db_cursor_step(&c, &more, &e) && more) {
		for (int i = 0; i < db_cursor_columns(&c); i++)
			sbuf_addf(&b, "%s|",
				db_cursor_text(&c, i) ? db_cursor_text(&c, i) : "-");
		sbuf_adds(&b, "\n");
	}
	assert_ok(e.code, e);
	db_cursor_close(&c);
	text = arena_strdup(&arena, b.s);
	sbuf_done(&b);
	return text;
}

static void add_int(struct sbuf *b, struct opt_i64 v)
{
	if (v.set)
		sbuf_addf(b, "%lld|", (long long)v.v);
	else
		sbuf_adds(b, "-|");
}

static void add_time(struct sbuf *b, struct opt_i64 v)
{
	char at[RFC3339_BUF];

	sbuf_addf(b, "%s|", v.set ? rfc3339_format(v.v, at) : "-");
}

static void add_text(struct sbuf *b, const char *s)
{
	sbuf_addf(b, "%s|", s ? s : "-");
}

/* An amount of a view, in nanos; they are small enough to be exact. */
#define NANOS_OF(column) "CAST(ROUND(" column " * 1e9) AS BIGINT)"

static void same(struct sbuf *got, const char *want)
{
	assert_string_equal(got->s, want);
	sbuf_reset(got);
}

/* ---- what is read ------------------------------------------------------------------------------ */

/* What is in use is not known where TPUs were never read. */
static void grants_are_those_of_the_view(void **state)
{
	static const char *const some[] = {"'a'", "'b'", "'c'"};
	struct sbuf got = SBUF_INIT;
	struct q_glance_grants q;
	struct db_rows rows;

	for (int round = 0; round < ROUNDS; round++) {
		tempdb_exec(&t, "DELETE FROM grant_state; DELETE FROM source_status");
		if (below(3))
			exec("INSERT INTO source_status (source, project, state, "
			     "last_attempt, last_success, items) VALUES ('tpu', 'p', 'ok', "
			     "1, %s, 0)",
				maybe(1));
		for (int64_t i = below(6); i > 0; i--)
			exec("INSERT INTO grant_state (line, name, zone, type, family, "
			     "provisioning, granted_chips, used_chips, free_chips, until, "
			     "covered_chip_seconds, project) VALUES (%lld, 'g%lld', "
			     "'z%lld', %s, 'v4', 'spot', 8, %lld, 0, %s, 0, %s)",
				(long long)i, (long long)below(3), (long long)below(2),
				below(4) ? some[below(3)] : "NULL", (long long)below(9),
				maybe(NOW - 1000000 + below(9999999)),
				below(4) ? some[below(2)] : "NULL");
		assert_ok(q_glance_grants_open(t.db, &rows, &e), e);
		while (q_glance_grants_next(&rows, &q)) {
			add_text(&got, q.name);
			add_int(&got, q.days_100);
			add_text(&got, q.type);
			add_int(&got, q.used);
			add_int(&got, SOME(q.granted));
			add_text(&got, q.zone);
			add_text(&got, q.family);
			add_text(&got, q.project);
			sbuf_adds(&got, "\n");
		}
		assert_ok(db_rows_close(&rows, &e), e);
		same(&got,
			rows_of(t.db,
				"SELECT name, CAST(ROUND(days_left * 100) AS BIGINT), "
				"type, used_chips, granted_chips, zone, family, project "
				"FROM grants ORDER BY days_left IS NULL, days_left, name, "
				"zone, type"));
	}
	sbuf_done(&got);
}

static void coupons_are_those_of_the_view(void **state)
{
	struct sbuf got = SBUF_INIT;
	struct q_glance_credits q;
	struct db_rows rows;

	for (int round = 0; round < ROUNDS; round++) {
		tempdb_exec(&t, "DELETE FROM credit_state");
		for (int64_t i = below(6); i > 0; i--)
			exec("INSERT INTO credit_state (name, amount, used, currency, "
			     "expires, runs_out) VALUES ('c%lld', %lld, %s, 'USD', %s, %s)",
				(long long)i, (long long)(300 * NANOS),
				maybe(below(400) * NANOS), maybe(NOW + below(3) * 86400),
				maybe(NOW + below(3) * 86400));
		assert_ok(q_glance_credits_open(t.db, &rows, &e), e);
		while (q_glance_credits_next(&rows, &q)) {
			add_text(&got, q.name);
			add_int(&got, q.rest);
			add_int(&got, SOME(q.amount));
			add_time(&got, q.runs_out);
			add_time(&got, q.expires);
			add_text(&got, q.currency);
			sbuf_adds(&got, "\n");
		}
		assert_ok(db_rows_close(&rows, &e), e);
		same(&got,
			rows_of(t.db,
				"SELECT name, " NANOS_OF("\"left\"") ", " NANOS_OF(
					"amount") ", runs_out, expires, currency FROM "
						  "credits "
						  "ORDER BY expires IS NULL, expires, "
						  "name"));
	}
	sbuf_done(&got);
}

/* ---- burn -------------------------------------------------------------------------------------- */

/* Of each family in another currency; v2 has a price that two of fit, and not three. */
static const struct price_override prices[] = {
	{"v2", "us-central1-b", NULL, {1000000000000000000, "USD"}},
	{"v3", "us-central1-b", NULL, {2 * NANOS, "USD"}},
	{"v4", "us-central2-b", NULL, {1 * NANOS, "EUR"}},
	{"v5p", "us-central1-a", NULL, {3 * NANOS, "HKD"}},
};

/* What it covers is free. */
static const struct grant grant = {.name = "trc",
	.zone = "us-central1-b",
	.type = "v3-8",
	.family = "v3",
	.unit = GRANT_DEVICES,
	.count = 2,
	.chips = 8,
	.provisioning = "on-demand",
	.starts = TS_NONE,
	.until = TS_NONE};

static void put_thing(
	const char *project, int n, const char *kind, const char *zone, const char *type)
{
	exec("INSERT INTO resource (id, uid, source, kind, project, location, zone, "
	     "region, name, state, raw_state, type, provisioning, labels, created, "
	     "first_seen, last_seen, complete) VALUES ('%s/%s/%s/%d', '%d', '%s', '%s', "
	     "'%s', '%s', '%s', 'us-central1', '%d', 'running', 'READY', '%s', "
	     "'on-demand', '{}', %d, 1, %d, 1)",
		project, kind, zone, n, n, kind, kind, project, zone, zone, n, type, NOW,
		NOW);
}

/* Things of projects of which one is the beginning of another. */
static void put_burning(void)
{
	static const char *const projects[] = {"a", "a-b", "ab"};
	static const char *const things[][3] = {{"tpu", "us-central1-b", "v3-8"},
		{"tpu", "us-central2-b", "v4-8"}, {"tpu", "us-central1-a", "v5p-8"},
		{"tpu", "us-central1-b", "v9-8"}, {"vm", "us-central1-b", "n1-standard-4"},
		{"vm", "us-central1-b", "e2-medium"}, {"vm", "us-central1-b", "q7-none"}};

	tempdb_exec(&t, "DELETE FROM resource");
	for (int i = (int)below(12); i > 0; i--) {
		const char *const *x = things[below(ARRAY_LEN(things))];

		put_thing(projects[below(3)], i, x[0], x[1], x[2]);
	}
}

/* The sums of the view's rows, the dearest one first. */
static void sum_view(struct db *db, const char *where, struct glance_burn *s)
{
	const char *sql = arena_printf(&arena,
		"SELECT currency, " NANOS_OF(
			"net_per_hour") ", resources FROM burn WHERE %s "
					"ORDER BY NULLIF(currency, '%s'), net_per_hour "
					"DESC, "
					"project, category",
		where, app.cfg->settings.currency);
	struct db_cursor c;
	bool more = false;

	*s = (struct glance_burn){.n = 0};
	assert_ok(db_cursor_open(db, sql, 10000, &c, &e), e);
	while (!db_cursor_step(&c, &more, &e) && more) {
		size_t i = 0;

		if (db_cursor_type(&c, 0) == DB_NULL) {
			s->unknown += db_cursor_i64(&c, 2);
			continue;
		}
		while (i < s->n && strcmp(s->currency[i], db_cursor_text(&c, 0)) != 0)
			i++;
		if (i == s->n)
			s->currency[s->n++] = arena_strdup(&arena, db_cursor_text(&c, 0));
		s->hour[i] += db_cursor_i64(&c, 1);
		s->day[i] += 24 * db_cursor_i64(&c, 1);
	}
	assert_ok(e.code, e);
	db_cursor_close(&c);
}

static void burn_is_that_of_the_view(void **state)
{
	static const char *const asked[] = {NULL, "a", "a-b", "ab,a", "b"};
	static const char *const where[] = {"1", "project = 'a'", "project = 'a-b'",
		"project IN ('a', 'ab')", "project = 'b'"};
	struct glance_burn got, want;

	for (size_t round = 0; round < ROUNDS * 2; round++) {
		size_t k = round % ARRAY_LEN(asked);

		put_burning();
		assert_ok(session_open(&app, &e), e);
		app.o.project = asked[k] ? arena_strdup(&arena, asked[k]) : NULL;
		assert_ok(glance_burn_read(&app, &got, &e), e);
		sum_view(app.db, where[k], &want);
		assert_i64_eq(got.n, want.n);
		assert_i64_eq(got.unknown, want.unknown);
		for (size_t i = 0; i < got.n; i++) {
			assert_string_equal(got.currency[i], want.currency[i]);
			assert_nanos_eq(got.hour[i], want.hour[i]);
			assert_nanos_eq(got.day[i], want.day[i]);
		}
		session_close(&app);
		app.o.project = NULL;
	}
}

/* Of several amounts and currencies, while things run that nobody billed yet. */
static void budgets_are_those_of_the_view(void **state)
{
	static const struct budget budgets[] = {
		{.name = "month", .amount = {8000 * NANOS, "USD"}, .per = BUDGET_MONTH},
		{.name = "day", .amount = {300 * NANOS, "USD"}, .per = BUDGET_DAY},
		{.name = "small", .amount = {7 * NANOS, "USD"}, .per = BUDGET_MONTH},
		{.name = "also", .amount = {7 * NANOS, "USD"}, .per = BUDGET_MONTH},
		{.name = "euros", .amount = {70 * NANOS, "EUR"}, .per = BUDGET_MONTH},
	};
	struct sbuf got = SBUF_INIT;
	struct q_glance_budgets q;
	struct db_rows rows;
	int64_t percents = 0;

	cfg.settings.budgets = budgets;
	cfg.settings.n_budgets = ARRAY_LEN(budgets);
	for (int round = 0; round < ROUNDS; round++) {
		put_burning();
		exec("UPDATE resource SET created = %lld, state_since = NULL",
			(long long)(NOW - 3600 * below(99)));
		exec("DELETE FROM resource_interval");
		exec("INSERT INTO resource_interval (id, uid, starts, kind, project, "
		     "location, "
		     "name, state, type, provisioning, size_gib, created) SELECT id, uid, "
		     "created, "
		     "kind, project, location, name, state, type, provisioning, size_gib, "
		     "created "
		     "FROM resource");
		assert_ok(session_open(&app, &e), e);
		assert_ok(q_glance_budgets_open(app.db, &rows, &e), e);
		while (q_glance_budgets_next(&rows, &q)) {
			add_text(&got, q.name);
			add_int(&got, q.expected);
			add_int(&got, SOME(q.amount));
			add_int(&got, q.percent_100);
			add_time(&got, q.runs_out);
			add_text(&got, q.currency);
			sbuf_adds(&got, "\n");
			percents += q.percent_100.v;
		}
		assert_ok(db_rows_close(&rows, &e), e);
		same(&got,
			rows_of(app.db,
				"SELECT name, " NANOS_OF("expected") ", " NANOS_OF(
					"amount") ", "
						  "CAST(ROUND(percent * 100) AS BIGINT), "
						  "runs_out, currency "
						  "FROM budgets ORDER BY percent DESC, "
						  "name"));
		session_close(&app);
	}
	assert_true(percents > 0);
	sbuf_done(&got);
}

static void what_does_not_add_up_is_an_error(void **state)
{
	struct glance_burn s;

	tempdb_exec(&t, "DELETE FROM resource");
	for (int i = 0; i < 3; i++)
		put_thing("p", i, "tpu", "us-central1-b", "v2-8");
	assert_ok(session_open(&app, &e), e);
	assert_err(glance_burn_read(&app, &s, &e), e, E_OVERFLOW, "the sum does not fit");
	e = (struct err){0};
	session_close(&app);
}

/* ---- what is said ------------------------------------------------------------------------------ */

/* Amounts that a double does not hold exactly. */
static void a_large_amount_is_said_exactly(void **state)
{
	static const struct budget large = {.name = "month",
		.amount = {500000000120000000, "USD"},
		.per = BUDGET_MONTH};
	struct app kept = {.db = t.db, .cfg = &cfg, .now = NOW};
	struct derive_opts o = {.settings = &cfg.settings, .now = NOW};
	struct out_style style = {.width = 200};
	struct sbuf b = SBUF_INIT;

	cfg.settings.budgets = &large;
	cfg.settings.n_budgets = 1;
	assert_ok(derive_begin(t.db, &o, &e), e);
	tempdb_exec(&t,
		"DELETE FROM resource; DELETE FROM grant_state; DELETE FROM credit_state; "
		"INSERT INTO credit_state (name, amount, used, currency) VALUES ('coupon', "
		"70000000340000000, 0, 'USD')");
	assert_ok(glance_add(&kept, &b, &style, 4, &e), e);
	assert_contains(b.s, " of 500000000.12 USD");
	assert_contains(b.s, "coupon: 70000000.34 of 70000000.34 USD left\n");
	sbuf_done(&b);
	arena_done(&kept.arena);
}

static int setup(void **state)
{
	tempdb_open_as_of(&t, NOW);
	cfg = (struct config){.database = t.path, .timezone = "UTC", .currency = "USD"};
	assert_ok(tz_open("UTC", &cfg.tz, &e), e);
	cfg.settings = (struct settings){.tz = cfg.tz,
		.currency = "USD",
		.prices = prices,
		.n_prices = ARRAY_LEN(prices),
		.grants = &grant,
		.n_grants = 1,
		.n_credits = 1};
	app = (struct app){.clock = &t.clock, .now = NOW, .cfg = &cfg};
	return 0;
}

static int teardown(void **state)
{
	arena_done(&app.arena);
	tz_free(cfg.tz);
	tempdb_close(&t);
	arena_done(&arena);
	return 0;
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grants_are_those_of_the_view),
		cmocka_unit_test(coupons_are_those_of_the_view),
		cmocka_unit_test(burn_is_that_of_the_view),
		cmocka_unit_test(budgets_are_those_of_the_view),
		cmocka_unit_test(what_does_not_add_up_is_an_error),
		cmocka_unit_test(a_large_amount_is_said_exactly),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

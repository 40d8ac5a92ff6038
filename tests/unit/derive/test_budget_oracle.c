/* Budgets of random worlds against tests/oracle/budget_oracle.py, which works them out of the
 * same facts by other means. */
#include "rules/budget/budget.h"

#include "base/time/civil.h"
#include "base/sbuf.h"
#include "tests/support/assert.h"
#include "tests/support/world/cost_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOUR INT64_C(3600)
#define WORLDS 120
#define BUDGETS 5

static struct cost_world w;
static struct budget budgets[BUDGETS];
static char names[BUDGETS][8];
static uint64_t seed = 20261121;
static struct sbuf bill = SBUF_INIT;

/* xorshift64* */
static int64_t below(int64_t n)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (int64_t)((seed * UINT64_C(2685821657736338717)) >> 33) % n;
}

static bool chance(int percent)
{
	return below(100) < percent;
}

#define PICK(list) (list)[below((int64_t)ARRAY_LEN(list))]

static const char *const projects[] = {"p", "q", "r"};
static const char *const places[] = {"us-central1-b", "europe-west4-a", "asia-east1-c"};

static void random_moment(void)
{
	static const char *const zones[] = {"UTC", "Asia/Hong_Kong", "America/Los_Angeles",
		"Asia/Kolkata", "America/Santiago", "Australia/Lord_Howe",
		"Europe/Amsterdam"};
	/* changes of clocks, ends of months and years, leap day */
	static const char *const moments[] = {"2026-03-08T00:00:00Z",
		"2026-03-29T00:00:00Z", "2026-04-05T00:00:00Z", "2026-09-06T00:00:00Z",
		"2026-10-25T00:00:00Z", "2026-11-01T00:00:00Z", "2026-11-21T00:00:00Z",
		"2026-12-31T00:00:00Z", "2027-01-01T00:00:00Z", "2027-02-28T00:00:00Z",
		"2028-02-29T00:00:00Z"};
	struct err e = {0};

	tz_free(w.t.tz);
	assert_ok(tz_open(PICK(zones), &w.t.tz, &e), e);
	w.settings.tz = w.t.tz;
	assert_ok(rfc3339_parse(PICK(moments), &w.now, NULL, &e), e);
	w.now += below(2 * DAY_SECONDS) - DAY_SECONDS / 2;
}

/* ---- the bill -------------------------------------------------------------------------- */

struct line_words {
	const char *category, *sku;
};
static const struct line_words skus[] = {{"cpu", "N1 Instance Core"},
	{"disk", "SSD backed PD Capacity"}, {"ip", "Static Ip Charge"},
	{"tpu", "Tpu-v3 accelerator"}};

static void dump_line(const struct cost_line *l, const char *sku)
{
	const char *project = l->account_level ? "null" : l->project;
	const char *quote = l->account_level ? "" : "\"";

	sbuf_addf(&bill,
		"%s{\"project\":%s%s%s,\"category\":\"%s\",\"sku\":\"%s\","
		"\"zone\":\"%s\",\"region\":\"%.*s\",\"currency\":\"%s\",\"rate\":%lld,"
		"\"cost_type\":\"%s\",\"hour\":%lld,\"cost\":%lld,\"credits\":%lld}",
		bill.len ? "," : "", quote, project, quote, l->category, sku, l->zone,
		(int)(strrchr(l->zone, '-') - l->zone), l->zone, l->currency,
		(long long)(l->rate < 0 ? 0 : l->rate), l->cost_type, (long long)l->hour,
		(long long)l->cost, (long long)l->credits);
}

/* Rates of one currency change with the time, as Google's do. */
static int64_t rate_of(const char *currency, ts_t hour, bool told)
{
	if (!strcmp(currency, "USD"))
		return NANOS;
	if (!told)
		return -1;
	return INT64_C(7750000000) + hour / DAY_SECONDS % 50 * 1234567;
}

static void random_bill(void)
{
	static const char *const types[] = {
		"regular", "regular", "regular", "tax", "adjustment"};
	static const int64_t reaches[] = {2, 4, 12, 40};
	const char *currency = chance(50) ? "USD" : "HKD";
	bool told = chance(85), mixed = chance(20);
	int64_t lines = chance(10) ? 0 : below(60), lag = below(100);

	sbuf_reset(&bill);
	for (int64_t i = 0; i < lines; i++) {
		const struct line_words *what = &PICK(skus);
		ts_t at = w.now - lag * HOUR / 2 - below(PICK(reaches) * DAY_SECONDS);
		struct cost_line l = {.project = PICK(projects),
			.category = what->category,
			.zone = PICK(places),
			.currency = mixed && chance(30) ? "USD" : currency,
			.cost_type = PICK(types),
			.hour = at - at % HOUR,
			.cost = below(5) ? below(8 * NANOS) : -below(NANOS)};

		l.rate = rate_of(l.currency, l.hour, told);
		l.account_level = !strcmp(l.cost_type, "tax") && chance(50);
		if (chance(30))
			l.credits = -below(4 * NANOS);
		cost_bill(&w, &l);
		dump_line(&l, what->sku);
	}
}

/* ---- what runs ------------------------------------------------------------------------- */

static void random_things(void)
{
	static const struct cost_thing things[] = {{.kind = "disk", .type = "pd-ssd"},
		{.kind = "disk", .type = "pd-standard"}, {.kind = "disk", .type = "odd"},
		{.kind = "vm", .type = "n1-standard-4"},
		{.kind = "vm", .type = "e2-standard-2", .state = "stopped"},
		{.kind = "tpu", .type = "v3-8"}};
	int64_t n = below(9);

	for (int64_t i = 0; i < n; i++) {
		struct cost_thing x = PICK(things);
		char name[8];

		snprintf(name, sizeof(name), "x%d", (int)i);
		x.name = name;
		x.project = PICK(projects);
		x.zone = PICK(places);
		x.gib = 1 + below(5000);
		x.since = w.now - below(6 * DAY_SECONDS);
		if (chance(30))
			x.ends = w.now - DAY_SECONDS + below(20 * DAY_SECONDS);
		cost_run(&w, &x);
		if (chance(25)) { /* deleted since */
			tempdb_execf(&w.t,
				"UPDATE resource_interval SET ends = %lld WHERE name = "
				"'%s';DELETE FROM resource WHERE name = '%s'",
				(long long)(x.since + below(w.now - x.since + 1)), name,
				name);
		}
	}
}

/* ---- budgets --------------------------------------------------------------------------- */

static void random_budget(struct budget *b)
{
	static const char *const conditions[] = {NULL, NULL, "category = 'cpu'",
		"project IN ('p', 'r') AND category <> 'ip'",
		"zone = 'europe-west4-a' OR region = 'us-central1'", "sku LIKE 'SSD%'",
		"cost_type = 'regular'"};
	static const char *const currencies[] = {"USD", "USD", "HKD", "EUR"};
	static const int64_t sizes[] = {20, 200, 3000, 100000};
	const char *name = b->name;

	*b = (struct budget){.name = name,
		.amount = {.nanos = 1 + below(PICK(sizes) * NANOS)},
		.per = (enum budget_per)below(4),
		.where = PICK(conditions),
		.gross = chance(30),
		.alert_at = {{50, 80, 100}, 3},
		.forecast_at = {{90, 100}, 2}};
	memcpy(b->amount.cur, PICK(currencies), 4);
	if (b->per != BUDGET_CUSTOM)
		return;
	b->starts = w.now - below(10 * DAY_SECONDS);
	if (chance(10))
		b->starts = w.now + below(3 * DAY_SECONDS);
	b->ends = b->starts + 1 + below(20 * DAY_SECONDS);
	if (chance(30)) { /* whole days */
		b->starts = tz_day_start(w.t.tz, tz_day(w.t.tz, b->starts));
		b->ends = tz_day_start(
			w.t.tz, tz_day(w.t.tz, b->starts) + 1 + (day_t)below(9));
	}
}

static void dump_budget(struct sbuf *out, const struct budget *b)
{
	const char *quote = b->where ? "\"" : "";

	sbuf_addf(out,
		"%s{\"name\":\"%s\",\"per\":\"%s\",\"starts\":%lld,\"ends\":%lld,"
		"\"amount\":%lld,\"currency\":\"%s\",\"where\":%s%s%s,\"gross\":%s,"
		"\"alert_at\":[50,80,100],\"forecast_at\":[90,100]}",
		b == budgets ? "" : ",", b->name, budget_per_name(b->per),
		(long long)b->starts, (long long)b->ends, (long long)b->amount.nanos,
		b->amount.cur, quote, b->where ? b->where : "null", quote,
		b->gross ? "true" : "false");
}

/* ---- all of it ------------------------------------------------------------------------- */

static void dump_rows(struct sbuf *out, const char *sql)
{
	static char text[200000];

	sbuf_adds(out, tempdb_text(&w.t, sql, text, sizeof(text)));
}

#define CHARGES(columns)                                                                  \
	"SELECT json_group_array(json_object('id', id, 'project', project, 'category', "  \
	"category, 'zone', zone, 'region', region, 'sku', NULL, 'cost_type', 'regular', " \
	"'net', net, 'currency', currency, " columns ")) FROM charge_part"

static void dump_world(struct sbuf *out)
{
	sbuf_addf(out,
		"{\"now\":%lld,\"zone\":\"%s\",\"bill\":[%s],\"live\":", (long long)w.now,
		tz_name(w.t.tz), bill.s);
	dump_rows(out,
		CHARGES("'advised', advised, 'ends', (SELECT r.ends FROM resource r "
			"WHERE r.id = charge_part.id)") " WHERE starts IS NULL");
	sbuf_adds(out, ",\"ran\":");
	dump_rows(
		out, CHARGES("'since', starts, 'until', ends") " WHERE starts IS NOT NULL");
	sbuf_adds(out, ",\"budgets\":[");
	for (size_t i = 0; i < BUDGETS; i++)
		dump_budget(out, &budgets[i]);
	sbuf_adds(out, "],\"got\":");
	dump_rows(out,
		"SELECT json_group_array(json_object('name', name, 'starts', starts, "
		"'ends', ends, 'spent', spent, 'unbilled', unbilled, 'expected', expected, "
		"'forecast', forecast, 'forecast_if_stopped', forecast_if_stopped, "
		"'runs_out', runs_out, 'runs_out_if_stopped', runs_out_if_stopped, "
		"'reached', reached, 'forecast_reached', forecast_reached, "
		"'safe_per_day', safe_per_day, 'unpriced', unpriced)) FROM budget_state");
	sbuf_adds(out, "}\n");
}

/* Its exit status, 127 where there is no python3; what it prints is the test's output. */
static int python(const char *first, const char *second)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		execlp("python3", "python3", "-B", first, second, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *budget_figures_text(char *buf, size_t size)
{
	return tempdb_text(&w.t,
		"SELECT group_concat(quote(name) || quote(spent) || quote(unbilled) || "
		"quote(expected) || "
		"quote(forecast) || quote(runs_out) || quote(runs_out_if_stopped) || "
		"quote(reached) || "
		"quote(unpriced)) || (SELECT group_concat(name || project || spent || "
		"quote(unbilled)) "
		"FROM budget_part) FROM budget_state",
		buf, size);
}

/* A condition over names is decided once for each combination of them; one that names a day is left to SQL, line
 * by line. */
static void expect_the_same_by_sql(void)
{
	char by_names[20000], by_sql[20000], where[BUDGETS][200];

	budget_figures_text(by_names, sizeof(by_names));
	for (size_t i = 0; i < BUDGETS; i++) {
		snprintf(where[i], sizeof(where[i]), "(%s) AND day IS NOT NULL",
			budgets[i].where ? budgets[i].where : "1 = 1");
		budgets[i].where = where[i];
	}
	cost_derive(&w);
	assert_string_equal(budget_figures_text(by_sql, sizeof(by_sql)), by_names);
}

static void figures_are_those_of_the_oracle(void **state)
{
	struct sbuf all = SBUF_INIT;
	char path[128];
	FILE *f;
	int rc;

	if (python("-c", ""))
		skip();
	cost_world_open(&w, "UTC", 0);
	w.settings.budgets = budgets;
	w.settings.n_budgets = BUDGETS;
	for (int world = 0; world < WORLDS; world++) {
		cost_world_clear(&w);
		random_moment();
		random_bill();
		random_things();
		for (size_t i = 0; i < BUDGETS; i++) {
			snprintf(names[i], sizeof(names[i]), "b%zu", i);
			budgets[i].name = names[i];
			random_budget(&budgets[i]);
		}
		cost_derive(&w);
		dump_world(&all);
		expect_the_same_by_sql();
	}
	snprintf(path, sizeof(path), "%s/worlds", w.t.dir);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(all.s, 1, all.len, f), all.len);
	fclose(f);
	rc = python("tests/oracle/budget_oracle.py", path);
	unlink(path);
	sbuf_done(&all);
	sbuf_done(&bill);
	tempdb_close(&w.t);
	assert_int_equal(rc, 0);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_those_of_the_oracle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

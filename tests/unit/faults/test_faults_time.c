/* Clocks that jump, days that are no 24 hours long, years that are far away: what is
 * collected stays whole, and sums by day are the sums by hour. The oracle of calendar days is
 * the C library's localtime, which knows nothing of our reading of zone files. */
#include "base/time/civil.h"
#include "base/sbuf.h"
#include "base/time/tz.h"
#include "collector/bill/store.h"
#include "collector/collect.h"
#include "collector/import/import.h"
#include "collector/bill/usage_stage.h"
#include "db/rollup/rollup.h"
#include "tests/support/assert.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOW WORLD_NOW /* 2026-11-21T05:00:00Z */
#define HOUR INT64_C(3600)
#define DAY DAY_SECONDS
#define YEAR (365 * DAY)

static struct tempdb t;
static struct err e;

static int setup(void **state)
{
	tempdb_open(&t, NOW);
	return 0;
}

static void expect(const char *sql, const char *want)
{
	tempdb_expect(&t, sql, want);
}

static struct tz *zone(const char *name)
{
	struct tz *tz = NULL;

	assert_ok(tz_open(name, &tz, &e), e);
	return tz;
}

/* ---- D1, D2, D3: a clock that jumps between polls ------------------------------------------------ */

#define VMS "GET /compute/v1/projects/my-project/aggregated/instances"

/* One poll of the machines at `now`: "name:STATUS" each, all in one zone. */
static struct collect_result poll(ts_t now, const char *const *vms, size_t n)
{
	static const char *const projects[] = {"my-project"};
	static const char *const only[] = {"vm"};
	struct sbuf b = SBUF_INIT;
	struct fault_step step = {
		.match = VMS, .headers = "Content-Type: application/json\r\n"};
	struct tz *tz = zone("UTC");
	struct collect_settings settings = {
		.projects = projects, .n_projects = 1, .tz = tz};
	struct collector c = {.settings = &settings, .db = t.db, .only = only, .n_only = 1};
	struct collect_result r;
	struct gcp_world w;

	sbuf_adds(&b, "{\"items\":{\"zones/us-central1-a\":{\"instances\":[");
	for (size_t i = 0; i < n; i++) {
		int name = (int)strcspn(vms[i], ":");

		sbuf_addf(&b,
			"%s{\"id\":\"%zu\",\"name\":\"%.*s\",\"zone\":\"z/us-central1-a\","
			"\"machineType\":\"t/n1-standard-1\",\"status\":\"%s\","
			"\"creationTimestamp\":\"2026-11-20T00:00:00Z\"}",
			i ? "," : "", 100 + (size_t)vms[i][0], name, vms[i],
			vms[i] + name + 1);
	}
	sbuf_adds(&b, n ? "]}}}" : "]}}}");
	step.body = b.s;
	world_open(&w, &step, 1);
	w.clock.fake_now = now;
	c.gcp = w.g;
	c.clock = &w.clock;
	assert_ok(collect(&c, &r, &w.e), w.e);
	world_close(&w);
	sbuf_done(&b);
	tz_free(tz);
	return r;
}

#define POLL(now, ...)                                  \
	poll((now), (const char *const[]){__VA_ARGS__}, \
		ARRAY_LEN(((const char *const[]){__VA_ARGS__})))

/* Whatever the clock did: no stretch ends before it begins, none overlap, one is open. */
static void stretches_are_sound(void)
{
	expect("SELECT COUNT(*) FROM resource_interval WHERE ends < starts", "0");
	expect("SELECT COUNT(*) FROM resource_interval a JOIN resource_interval b ON a.id "
	       "= b.id AND a.rowid <> b.rowid AND a.starts < COALESCE(b.ends, 9e18) AND "
	       "b.starts < COALESCE(a.ends, 9e18) AND a.starts <= b.starts AND a.starts < "
	       "COALESCE(a.ends, 9e18) AND b.starts < COALESCE(b.ends, 9e18)",
		"0");
	expect("SELECT COUNT(*) FROM (SELECT id FROM resource_interval WHERE ends IS NULL "
	       "GROUP BY id HAVING COUNT(*) > 1)",
		"0");
	expect("SELECT (SELECT COUNT(*) FROM resource) = (SELECT COUNT(*) FROM "
	       "resource_interval WHERE ends IS NULL)",
		"1");
}

static void a_clock_that_jumps_and_returns_leaves_sound_stretches(void **state)
{
	static const int64_t jumps[] = {HOUR, DAY, 10 * YEAR, -HOUR, -DAY, -10 * YEAR};

	for (size_t i = 0; i < ARRAY_LEN(jumps); i++) {
		if (i) {
			tempdb_close(&t);
			tempdb_open(&t, NOW);
		}
		assert_int_equal(POLL(NOW, "a:RUNNING", "b:RUNNING").ok, 1);
		/* seen by a wrong clock: a stops, b goes, c comes */
		assert_int_equal(POLL(NOW + jumps[i], "a:TERMINATED", "c:RUNNING").ok, 1);
		stretches_are_sound();
		expect("SELECT group_concat(name || state) FROM (SELECT * FROM resource "
		       "ORDER BY id)",
			"astopped,crunning");
		/* and by a right one: a runs again, b is there again, c is gone */
		assert_int_equal(POLL(NOW + 120, "a:RUNNING", "b:RUNNING").ok, 1);
		stretches_are_sound();
		assert_int_equal(POLL(NOW + 180, "a:TERMINATED", "b:RUNNING").ok, 1);
		assert_int_equal(POLL(NOW + 240, "a:TERMINATED", "b:RUNNING").ok, 1);
		stretches_are_sound();
		expect("SELECT group_concat(name || state) FROM (SELECT * FROM resource "
		       "ORDER BY id)",
			"astopped,brunning");
		/* nothing that was seen is thrown away, and the age of the data is true */
		assert_true(tempdb_int(&t, "SELECT COUNT(*) FROM resource_interval") >= 4);
		expect("SELECT last_success || ' ' || last_attempt FROM source_status",
			"1795237440 1795237440");
	}
}

static void a_long_way_back_and_forth_ends_where_it_should(void **state)
{
	uint64_t x = 7;
	ts_t now = NOW;

	for (int i = 0; i < 40; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		now += (int64_t)(x >> 44) - (1 << 19); /* six days to and fro */
		if (x >> 43 & 1)
			POLL(now, "a:RUNNING", "b:TERMINATED");
		else
			POLL(now, "a:TERMINATED", "c:RUNNING");
		stretches_are_sound();
	}
}

/* A success that lies ahead says nothing of how old the data is. */
static void a_success_in_the_future_does_not_keep_a_source_fresh(void **state)
{
	bool due = false;

	POLL(NOW + 10 * YEAR, "a:RUNNING");
	tempdb_exec(&t,
		"INSERT INTO poll_interval VALUES ('instances', 60);INSERT INTO as_of "
		"(now, timezone, currency) VALUES (1795237200, 'UTC', 'USD')");
	expect("SELECT stale FROM sources", "1");
	assert_ok(status_due(t.db, "vm", "my-project", 60, NOW, &due, &e), e);
	assert_true(due);
	POLL(NOW, "a:RUNNING");
	expect("SELECT stale || ' ' || age_minutes FROM sources", "0 0.0");
	/* clocks of two machines that are some seconds apart are no fault */
	POLL(NOW + 30, "a:RUNNING");
	expect("SELECT stale FROM sources", "0");
}

/* ---- billing under a clock that jumps ---------------------------------------------------------------- */

struct hours {
	ts_t first, last;         /* every hour between them has one line */
	int64_t cost;             /* of each */
	const char *invoice_zone; /* invoice months go by this zone; NULL: UTC */
};

static enum err_code store_hours(
	const struct hours *h, const struct tz *tz, ts_t now, bool restates)
{
	struct billing_store s = {
		.db = t.db, .table_id = 1, .tz = tz, .now = now, .restates = restates};
	struct tz *invoices = zone(h->invoice_zone ? h->invoice_zone : "UTC");
	struct billing_unit *units;
	struct usage_stage stage;
	struct arena a = {0};
	enum err_code rc;
	size_t n;

	rc = usage_stage_open(&stage, t.db, false, &e);
	for (ts_t at = h->first; !rc && at <= h->last; at += HOUR) {
		char month[8], date[DATE_BUF];
		struct usage_line l = {.unit = at / DAY - (at % DAY < 0),
			.hour = at,
			.service_id = "6F81",
			.service = "Compute Engine",
			.sku_id = "S1",
			.sku = "Core",
			.project = "p1",
			.number = "1",
			.account = "01AB23",
			.location = "",
			.region = "",
			.zone = "",
			.resource = "",
			.global_name = "",
			.labels = "",
			.invoice_month = month,
			.cost_type = "regular",
			.currency = "USD",
			.usage_unit = "hour",
			.model = "",
			.model_name = "",
			.credit_type = "",
			.usage = SOME(1),
			.cost = h->cost,
			.rows = 1};

		date_format(tz_day(invoices, at), date);
		snprintf(month, sizeof(month), "%.4s%.2s", date, date + 5);
		rc = usage_stage_add(&stage, &l, &e);
	}
	if (!rc)
		rc = usage_stage_flush(&stage, &e);
	if (!rc)
		rc = billing_units_staged(t.db, &a, &units, &n, &e);
	if (!rc)
		rc = billing_store(&s, units, n, &e);
	usage_stage_close(&stage);
	arena_done(&a);
	tz_free(invoices);
	return rc;
}

static void add_table(void)
{
	tempdb_exec(&t,
		"INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count) VALUES (1, 'a.b.c', 'US', 0, 0)");
}

static void figures_do_not_depend_on_the_clock(void **state)
{
	static const int64_t jumps[] = {0, 10 * YEAR, -DAY, -40 * YEAR, HOUR, 0};
	struct hours h = {
		.first = NOW - 9 * DAY, .last = NOW - 2 * DAY, .cost = 1000000007};
	struct tz *tz = zone("America/Los_Angeles");
	int64_t days = 0;

	add_table();
	for (size_t i = 0; i < ARRAY_LEN(jumps); i++) {
		assert_ok(store_hours(&h, tz, NOW + jumps[i], true), e);
		assert_nanos_eq(tempdb_int(&t, "SELECT SUM(cost) FROM cost_day"),
			INT64_C(1000000007) * (7 * 24 + 1));
		if (!i)
			days = tempdb_int(&t, "SELECT COUNT(*) FROM cost_day");
		assert_i64_eq(tempdb_int(&t, "SELECT COUNT(*) FROM cost_day"), days);
	}
	/* the same figures again restate nothing, whatever the time */
	expect("SELECT COUNT(*) FROM restatement", "0");
	/* others do: told once for each time that they changed, even by a clock gone back */
	h.cost++;
	assert_ok(store_hours(&h, tz, NOW - 1, true), e);
	assert_i64_eq(tempdb_int(&t, "SELECT COUNT(*) FROM restatement"), days);
	assert_ok(store_hours(&h, tz, NOW - 1, true), e);
	assert_i64_eq(tempdb_int(&t, "SELECT COUNT(*) FROM restatement"), days);
	h.cost++;
	assert_ok(store_hours(&h, tz, NOW - 2 * HOUR, true), e);
	assert_i64_eq(tempdb_int(&t, "SELECT COUNT(*) FROM restatement"), 2 * days);
	assert_nanos_eq(tempdb_int(&t, "SELECT SUM(new_cost - old_cost) FROM restatement"),
		2 * (7 * 24 + 1));
	tz_free(tz);
}

/* ---- D4 to D8: calendar days ---------------------------------------------------------------------------- */

/* The date that the C library gives for an instant in the zone that TZ names. */
static const char *libc_date(ts_t at, char buf[DATE_BUF])
{
	time_t when = (time_t)at;
	struct tm tm;

	localtime_r(&when, &tm);
	strftime(buf, DATE_BUF, "%Y-%m-%d", &tm);
	return buf;
}

struct span {
	const char *zone;
	const char *from; /* first day (UTC) */
	int days;
	const char *odd;     /* a day that is special */
	int64_t odd_minutes; /* its length; 0: the zone skipped it */
	int64_t odd_hours;   /* hours of usage that begin in it */
};

static const struct span spans[] = {
	{"America/Los_Angeles", "2026-03-01", 14, "2026-03-08", 23 * 60, 23},
	{"America/Los_Angeles", "2026-10-25", 14, "2026-11-01", 25 * 60, 25},
	{"Europe/Berlin", "2027-03-21", 14, "2027-03-28", 23 * 60, 23},
	{"Europe/Berlin", "2026-10-18", 14, "2026-10-25", 25 * 60, 25},
	/* half an hour: which hours begin in it depends on the offset */
	{"Australia/Lord_Howe", "2026-03-28", 14, "2026-04-05", 24 * 60 + 30, 25},
	{"Australia/Lord_Howe", "2026-09-26", 14, "2026-10-04", 23 * 60 + 30, 23},
	/* a day that never was */
	{"Pacific/Apia", "2011-12-24", 14, "2011-12-30", 0, 0},
	{"Pacific/Apia", "2011-12-24", 14, "2011-12-29", 24 * 60, 24},
	/* midnight does not exist, or comes twice */
	{"America/Sao_Paulo", "2018-10-28", 14, "2018-11-04", 23 * 60, 23},
	{"America/Sao_Paulo", "2018-02-10", 14, "2018-02-17", 25 * 60, 25},
	{"Asia/Kathmandu", "2026-11-10", 10, "2026-11-15", 24 * 60, 24},
	{"Pacific/Chatham", "2026-09-20", 14, "2026-09-27", 23 * 60, 23},
	{"Pacific/Kiritimati", "2026-12-25", 14, "2027-01-01", 24 * 60, 24},
	{"Asia/Hong_Kong", "2028-02-22", 14, "2028-02-29", 24 * 60, 24},
	{"America/Los_Angeles", "2040-03-05", 14, "2040-03-11", 23 * 60, 23},
	{"UTC", "2099-12-25", 14, "2099-12-31", 24 * 60, 24},
};

/* Each hour costs another amount, so that one that is moved to another day is noticed. */
static int64_t cost_of(ts_t hour)
{
	return 1000000 + hour / HOUR % 9973;
}

static void fill_usage(ts_t first, int64_t hours)
{
	tempdb_exec(&t,
		"INSERT INTO sku VALUES (1, 'a', 'b', 'c', 'd');INSERT INTO billed_project "
		"VALUES (1, 'p', '', '');INSERT INTO charge (charge_ref, invoice_month, "
		"cost_type, currency, usage_unit, rate) VALUES (1, '202601', "
		"'regular', 'USD', 'hour', 0);INSERT INTO place VALUES (1, '', '', "
		"'');INSERT INTO billed_resource (resource_ref, resource, global_name) "
		"VALUES (1, '', '')");
	add_table();
	tempdb_execf(&t,
		"WITH RECURSIVE h(t) AS (SELECT %lld UNION ALL SELECT t + 3600 FROM h "
		"WHERE t < %lld) INSERT INTO usage (table_id, unit, hour, sku_ref, "
		"project_ref, place_ref, resource_ref, charge_ref, credit_ref, usage, "
		"cost, credits, row_count) SELECT 1, t / 86400, t, 1, 1, 1, 1, 1, "
		"0, 1, 1000000 + t / 3600 %% 9973, -7, 1 FROM h",
		(long long)first, (long long)(first + (hours - 1) * HOUR));
}

/* Add up by the C library's dates, and compare with what is kept, day by day. */
static void days_are_those_of_libc(ts_t first, int64_t hours)
{
	char date[DATE_BUF], before[DATE_BUF] = "", sql[256];
	int64_t sum = 0, seen = 0, days = 0;

	for (int64_t i = 0; i <= hours; i++) {
		if (i == hours)
			strcpy(date, "");
		else
			libc_date(first + i * HOUR, date);
		if (*before && strcmp(date, before) != 0) {
			snprintf(sql, sizeof(sql),
				"SELECT COALESCE(SUM(cost), -1) FROM cost_day JOIN "
				"calendar USING (day) WHERE date = '%s'",
				before);
			if (tempdb_int(&t, sql) != sum)
				fail_msg("%s is %lld, want %lld", before,
					(long long)tempdb_int(&t, sql), (long long)sum);
			seen += sum;
			sum = 0;
			days++;
		}
		strcpy(before, date);
		sum += i < hours ? cost_of(first + i * HOUR) : 0;
	}
	assert_i64_eq(tempdb_int(&t, "SELECT SUM(cost) FROM usage"), seen);
	assert_i64_eq(tempdb_int(&t, "SELECT SUM(cost) FROM cost_day"), seen);
	assert_i64_eq(tempdb_int(&t, "SELECT COUNT(DISTINCT day) FROM cost_day"), days);
	assert_i64_eq(tempdb_int(&t, "SELECT SUM(usage) FROM cost_day"), hours);
	assert_i64_eq(tempdb_int(&t, "SELECT SUM(credits) FROM cost_day"), -7 * hours);
}

static void check_odd_day(const struct span *s)
{
	char sql[256];

	snprintf(sql, sizeof(sql),
		"SELECT (ends - starts) / 60 FROM calendar WHERE date = '%s'", s->odd);
	assert_i64_eq(tempdb_int(&t, sql), s->odd_minutes);
	snprintf(sql, sizeof(sql),
		"SELECT COALESCE(SUM(usage), 0) FROM cost_day JOIN calendar USING (day) "
		"WHERE date = '%s'",
		s->odd);
	assert_i64_eq(tempdb_int(&t, sql), s->odd_hours);
}

static void days_of_any_length_hold_the_hours_that_begin_in_them(void **state)
{
	char *old = getenv("TZ") ? strdup(getenv("TZ")) : NULL;

	for (size_t i = 0; i < ARRAY_LEN(spans); i++) {
		const struct span *s = &spans[i];
		struct tz *tz = zone(s->zone);
		struct rollup_range range = ROLLUP_NOTHING;
		day_t from;
		ts_t first;

		if (i) {
			tempdb_close(&t);
			tempdb_open(&t, NOW);
		}
		assert_ok(date_parse(s->from, &from, &e), e);
		first = from * DAY;
		fill_usage(first, s->days * 24);
		setenv("TZ", s->zone, 1);
		tzset();
		assert_ok(rollup_all(t.db, tz, &e), e);
		days_are_those_of_libc(first, s->days * 24);
		check_odd_day(s);
		/* days follow each other without a gap */
		expect("SELECT COUNT(*) FROM calendar a JOIN calendar b ON b.day = a.day + "
		       "1 WHERE b.starts <> a.ends",
			"0");
		/* once more, a part of it, and one day: the same */
		rollup_widen(&range, first + 3 * DAY, first + 9 * DAY);
		assert_ok(rollup_days(t.db, tz, &range, &e), e);
		range = (struct rollup_range){first + 7 * DAY, first + 7 * DAY};
		assert_ok(rollup_days(t.db, tz, &range, &e), e);
		days_are_those_of_libc(first, s->days * 24);
		tz_free(tz);
	}
	if (old)
		setenv("TZ", old, 1);
	else
		unsetenv("TZ");
	tzset();
	free(old);
}

/* Every zone there is, over a year: nothing is lost, and nothing counted twice. */
static void in_every_zone_the_days_of_a_year_are_its_hours(void **state)
{
	static const char *const zones[] = {"Africa/Casablanca", "Africa/Cairo",
		"America/Godthab", "America/Havana", "America/Santiago", "America/St_Johns",
		"Antarctica/Troll", "Asia/Beirut", "Asia/Gaza", "Asia/Tehran",
		"Asia/Pyongyang", "Australia/Adelaide", "Europe/Dublin", "Pacific/Easter",
		"Pacific/Marquesas", "Asia/Kolkata", "Etc/GMT+12", "Etc/GMT-14"};
	char *old = getenv("TZ") ? strdup(getenv("TZ")) : NULL;
	ts_t first = 1767225600; /* 2026-01-01T00:00Z */

	fill_usage(first, 365 * 24);
	for (size_t i = 0; i < ARRAY_LEN(zones); i++) {
		struct tz *tz = zone(zones[i]);

		setenv("TZ", zones[i], 1);
		tzset();
		assert_ok(rollup_all(t.db, tz, &e), e);
		days_are_those_of_libc(first, 365 * 24);
		tz_free(tz);
	}
	if (old)
		setenv("TZ", old, 1);
	else
		unsetenv("TZ");
	tzset();
	free(old);
}

/* ---- D9: the end of a month ------------------------------------------------------------------------------ */

static void months_end_by_invoice_and_by_day_with_the_same_total(void **state)
{
	/* invoices go by Pacific time, days by another zone */
	struct hours h = {.first = 1798416000 /* 2026-12-28T00:00Z */,
		.last = 1798416000 + 7 * DAY,
		.cost = 1000000001,
		.invoice_zone = "America/Los_Angeles"};
	struct tz *tz = zone("Asia/Hong_Kong");

	add_table();
	assert_ok(store_hours(&h, tz, h.last + 3 * DAY, false), e);
	expect("SELECT group_concat(invoice_month || ' ' || n, '; ') FROM (SELECT "
	       "invoice_month, SUM(usage) AS n FROM cost_day JOIN charge USING "
	       "(charge_ref) GROUP BY 1 ORDER BY 1)",
		"202612 104; 202701 65");
	expect("SELECT group_concat(m || ' ' || n, '; ') FROM (SELECT substr(date, 1, 7) "
	       "AS m, SUM(usage) AS n FROM cost_day JOIN calendar USING (day) GROUP BY 1 "
	       "ORDER BY 1)",
		"2026-12 88; 2027-01 81");
	expect("SELECT SUM(cost) FROM cost_day", "169000000169");
	/* hours of January by the calendar that the December invoice holds */
	expect("SELECT SUM(usage) FROM cost_day JOIN calendar USING (day) JOIN charge "
	       "USING (charge_ref) WHERE date >= '2027-01-01' AND invoice_month = '202612'",
		"16");
	tz_free(tz);
}

/* ---- D10: the zone of the process ------------------------------------------------------------------------- */

static void the_zone_of_the_process_changes_nothing(void **state)
{
	static const char *const wrong[] = {
		"", "Nonsense/Zone", "/etc/passwd", "XYZ-99", "Asia/Tokyo", ":", "UTC+25"};
	char *old = getenv("TZ") ? strdup(getenv("TZ")) : NULL;
	struct tz *tz = zone("America/Los_Angeles");
	char want[4096], got[4096];
	const char *sql = "SELECT group_concat(date || ':' || starts || ':' || cost) FROM "
			  "cost_day JOIN calendar USING (day)";

	fill_usage(NOW - 20 * DAY, 20 * 24);
	assert_ok(rollup_all(t.db, tz, &e), e);
	tempdb_text(&t, sql, want, sizeof(want));
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct tz *again;

		setenv("TZ", wrong[i], 1);
		tzset();
		again = zone("America/Los_Angeles");
		assert_ok(rollup_all(t.db, again, &e), e);
		assert_string_equal(tempdb_text(&t, sql, got, sizeof(got)), want);
		tz_free(again);
	}
	if (old)
		setenv("TZ", old, 1);
	else
		unsetenv("TZ");
	tzset();
	free(old);
	tz_free(tz);
	tz = NULL;
	assert_err(tz_open("Asia/Hong_Kog", &tz, &e), e, E_CONFIG, "Asia/Hong_Kog");
	assert_contains(e.fix, "Asia/Hong_Kong");
}

/* ---- D14: years that are far away -------------------------------------------------------------------------- */

static enum err_code import_at(
	const char *const *times, size_t n, const struct tz *tz, ts_t now)
{
	char path[160];
	struct import_opts o = {.db = t.db, .tz = tz, .now = now};
	struct import_result r;
	enum err_code rc;
	FILE *f;

	snprintf(path, sizeof(path), "%s/rows.json", t.dir);
	f = fopen(path, "w");
	assert_non_null(f);
	for (size_t i = 0; i < n; i++)
		fprintf(f,
			"{\"service\":{\"id\":\"6F81\",\"description\":\"Compute Engine\"},"
			"\"sku\":{\"id\":\"S\",\"description\":\"Sku\"},\"usage_start_"
			"time\":\"%s\","
			"\"cost\":1.5,\"currency\":\"USD\",\"export_time\":\"2026-11-20 "
			"00:00:00 "
			"UTC\",\"invoice\":{\"month\":\"202611\"}}\n",
			times[i]);
	assert_int_equal(fclose(f), 0);
	rc = import_file(&o, path, &r, &e);
	unlink(path);
	return rc;
}

static void usage_of_any_year_is_stored_under_its_day(void **state)
{
	static const char *const times[] = {"2008-04-02 06:00:00 UTC",
		"2008-04-02 08:00:00 UTC", "2026-11-19 10:00:00 UTC",
		"2038-01-19 03:00:00 UTC", "2038-01-19 04:00:00 UTC",
		"2106-02-07 06:00:00 UTC", "2262-04-12 00:00:00 UTC",
		"9999-12-29 22:00:00 UTC"};
	static const char dates[] =
		"2008-04-01:1 2008-04-02:1 2026-11-19:1 2038-01-18:2 2106-02-06:1 "
		"2262-04-11:1 9999-12-29:1";
	static const char by_day[] =
		"SELECT group_concat(date || ':' || n, ' ') FROM (SELECT date, SUM(cost) / "
		"1500000000 AS n FROM cost_day JOIN calendar USING (day) GROUP BY day "
		"ORDER BY day)";
	struct tz *tz = zone("America/Los_Angeles");

	/* in 9999, two days before its end */
	assert_ok(import_at(times, ARRAY_LEN(times), tz, INT64_C(253402128000)), e);
	expect(by_day, dates);
	/* all of it anew, as when the configured zone changes: only days with usage */
	assert_ok(rollup_all(t.db, tz, &e), e);
	expect(by_day, dates);
	expect("SELECT COUNT(*) < 40 FROM calendar", "1");
	expect("SELECT SUM(cost) FROM cost_day", "12000000000");
	tz_free(tz);
}

static void instants_that_are_none_are_refused(void **state)
{
	static const char *const bad[] = {"0000-01-01 00:00:00 UTC",
		"2026-02-30 00:00:00 UTC", "2027-02-29 00:00:00 UTC",
		"2026-11-19 24:00:00 UTC", "10000-01-01 00:00:00 UTC",
		"2026-13-01 00:00:00 UTC", "-2026-01-01 00:00:00 UTC", "tomorrow",
		"2008-03-31 23:00:00 UTC", "2026-11-23 06:00:00 UTC",
		"9999-12-31 22:00:00 UTC"};
	struct tz *tz = zone("UTC");

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		if (!import_at(&bad[i], 1, tz, NOW))
			fail_msg("%s was taken", bad[i]);
		assert_contains(e.msg, "rows.json:1");
	}
	expect("SELECT COUNT(*) FROM usage", "0");
	tz_free(tz);
}

static void polls_after_2038_work_as_before(void **state)
{
	static const ts_t times[] = {INT64_C(2147483647), INT64_C(2147483648),
		INT64_C(4294967296), INT64_C(253402300000) /* 9999-12-31 */};

	POLL(NOW, "a:RUNNING");
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		char want[64];

		assert_int_equal((i & 1 ? POLL(times[i], "a:RUNNING")
					: POLL(times[i], "a:TERMINATED"))
					 .ok,
			1);
		snprintf(want, sizeof(want), "%lld", (long long)times[i]);
		expect("SELECT last_success FROM source_status", want);
		expect("SELECT starts FROM resource_interval WHERE ends IS NULL", want);
		stretches_are_sound();
	}
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(a_clock_that_jumps_and_returns_leaves_sound_stretches),
		TEST(a_long_way_back_and_forth_ends_where_it_should),
		TEST(a_success_in_the_future_does_not_keep_a_source_fresh),
		TEST(figures_do_not_depend_on_the_clock),
		TEST(days_of_any_length_hold_the_hours_that_begin_in_them),
		TEST(in_every_zone_the_days_of_a_year_are_its_hours),
		TEST(months_end_by_invoice_and_by_day_with_the_same_total),
		TEST(the_zone_of_the_process_changes_nothing),
		TEST(usage_of_any_year_is_stored_under_its_day),
		TEST(instants_that_are_none_are_refused),
		TEST(polls_after_2038_work_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

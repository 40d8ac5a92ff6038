/* The daily report from stored facts: its model, and that every format says the same. */
#include "reports/report.h"

#include "base/civil.h"
#include "base/json.h"
#include "tests/support/tempdb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define NOW INT64_C(1795219200) /* 2026-11-21T00:00Z, 08:00 in Hong Kong */

static struct tempdb t;
static struct arena a;
static struct tz *tz;

static int setup(void **state)
{
	struct err e = {0};

	(void)state;
	tempdb_open(&t, NOW);
	if (tz_open("Asia/Hong_Kong", &tz, &e))
		fail_msg("%s", e.msg);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tempdb_close(&t);
	tz_free(tz);
	arena_done(&a);
	return 0;
}

static struct report build(void)
{
	struct report r;
	struct err e = {0};

	if (report_daily(t.db, tz, NOW, &a, &r, &e))
		fail_msg("%s", e.msg);
	return r;
}

static void put(const char *kind, const char *location, const char *name, const char *state,
	const char *provisioning, const char *verdict, const char *hosts)
{
	char sql[2048];

	snprintf(sql, sizeof(sql),
		"INSERT INTO resource (id, uid, source, kind, project, location, name, "
		"state, "
		"raw_state, type, provisioning, labels, first_seen, last_seen, complete) "
		"VALUES "
		"('p/%s/%s/' || %s, '1', 'x', '%s', 'p', '%s', %s, '%s', 'X', 'v3-8', "
		"'%s', '{}', "
		"0, %lld, 1);"
		"INSERT INTO verdict (id, running_since, covered, grant_name, why, "
		"why_text, gross, "
		"net, currency, price_source, exempt, hosts) VALUES ('p/%s/%s/' || %s, "
		"%lld, %s, 0, "
		"%s)",
		kind, location, name, kind, location, name, state, provisioning,
		(long long)NOW, kind, location, name, (long long)NOW - 7200, verdict,
		hosts);
	tempdb_exec(&t, sql);
}

static void clear(void)
{
	tempdb_exec(&t,
		"DELETE FROM resource; DELETE FROM verdict; DELETE FROM burn_part;"
		"DELETE FROM cost_day; DELETE FROM calendar; DELETE FROM grant_state;"
		"DELETE FROM as_of; DELETE FROM source_status; DELETE FROM credit_state");
	tempdb_exec(&t,
		"INSERT INTO as_of (now, timezone, currency) VALUES (1795219200, "
		"'Asia/Hong_Kong', 'USD')");
}

#define COVERED "1, 'trc', 'covered', 'covered', 8000000000, 0, 'USD', 'builtin'"
#define WRONG                                                                           \
	"0, NULL, 'wrong-zone', 'v3-8 is granted in a; this one is in b', 8000000000, " \
	"8000000000, 'USD', 'builtin'"
#define PLAIN "NULL, NULL, NULL, NULL, 5678544000, 5678544000, 'USD', 'builtin'"

static void each_thing_is_in_its_place_with_the_command_that_ends_it(void **state)
{
	struct report r;

	(void)state;
	clear();
	put("tpu", "us-central1-a", "'bad'", "running", "on-demand", WRONG, "1");
	put("tpu", "us-central1-b", "'pod'", "running", "on-demand", WRONG, "4");
	put("tpu", "us-central1-c", "'spot'", "running", "spot", WRONG, "1");
	put("tpu", "europe-west4-a", "'good'", "running", "on-demand", COVERED, "1");
	put("vm", "us-central1-a", "'big'", "running", "on-demand", PLAIN, "NULL");
	put("vm", "us-central1-a", "'off'", "stopped", "on-demand", PLAIN, "NULL");
	put("disk", "us-central1", "'spare'", "stopped", "on-demand", PLAIN, "NULL");
	put("ip", "global", "'addr'", "stopped", "on-demand", PLAIN, "NULL");
	put("disk", "us-central1-a", "'used'", "running", "on-demand", PLAIN, "NULL");
	r = build();
	assert_int_equal(r.uncovered.n, 3);
	assert_int_equal(r.covered.n, 1);
	assert_int_equal(r.machines.n, 1);
	assert_int_equal(r.leftovers.n, 2);
	for (size_t i = 0; i < r.uncovered.n; i++) {
		bool stop = !strcmp(r.uncovered.v[i].name, "bad");

		/* slices and spot TPUs have no stop, only delete */
		assert_non_null(strstr(
			r.uncovered.v[i].command, stop ? "tpu-vm stop" : "tpu-vm delete"));
	}
	assert_null(r.covered.v[0].command);
	for (size_t i = 0; i < r.leftovers.n; i++)
		assert_non_null(strstr(r.leftovers.v[i].command,
			!strcmp(r.leftovers.v[i].name, "addr") ? "--global"
							       : "--region us-central1"));
}

static void yesterday_is_the_calendar_day_before_in_the_configured_zone(void **state)
{
	struct report r;

	(void)state;
	clear();
	tempdb_exec(&t,
		"INSERT OR IGNORE INTO sku VALUES (1, 'a', 'b', 'c', 'd');"
		"INSERT OR IGNORE INTO billed_project VALUES (1, 'p', '', '');"
		"INSERT OR IGNORE INTO charge VALUES (1, '202611', 'regular', 'HKD', '', "
		"0);"
		"INSERT OR IGNORE INTO place VALUES (1, '', '', '');"
		"INSERT OR IGNORE INTO billed_resource VALUES (1, '', '')");
	for (int d = 0; d < 4; d++) {
		day_t day = tz_day(tz, NOW) - d;
		char sql[512], date[DATE_BUF];

		snprintf(sql, sizeof(sql),
			"INSERT INTO calendar VALUES (%d, '%s', %lld, %lld);"
			"INSERT INTO cost_day VALUES (%d, 1, 1, 1, 1, 1, 0, %lld, "
			"-500000000, 0)",
			day, date_format(day, date), (long long)tz_day_start(tz, day),
			(long long)tz_day_start(tz, day + 1), day, (d + 1) * 1000000000LL);
		tempdb_exec(&t, sql);
	}
	r = build();
	assert_string_equal(r.date, "2026-11-21");
	assert_string_equal(r.yesterday_date, "2026-11-20");
	assert_int_equal(r.n_yesterday, 1);
	assert_int_equal(r.yesterday[0].gross, 2000000000);
	assert_int_equal(r.yesterday[0].net, 1500000000);
	assert_string_equal(r.yesterday_status, "partial");
	assert_int_equal(r.n_days, 3); /* today is not over */
	assert_string_equal(r.days[0].date, "2026-11-18");
	assert_string_equal(r.days[0].status, "settling");
	{ /* imported, and nothing was ever polled */
		struct sbuf b = SBUF_INIT;

		report_text(&r, &b);
		assert_non_null(strstr(b.s, "What runs was never"));
		assert_non_null(strstr(b.s, "from imported files"));
		sbuf_done(&b);
	}
}

static void an_empty_database_says_so_and_shows_no_zeros(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct report r;

	(void)state;
	clear();
	r = build();
	report_text(&r, &b);
	assert_non_null(strstr(b.s, "No data yet"));
	assert_non_null(strstr(b.s, "never completely read"));
	assert_non_null(strstr(b.s, "no billing data for that day yet"));
	assert_null(strstr(b.s, "0.00"));
	sbuf_done(&b);
}

static void hostile_names_are_text_in_every_format(void **state)
{
	static const char *const formats[] = {"text", "html", "json"};
	struct report r;

	(void)state;
	clear();
	put("tpu", "us-central1-a",
		"'<script>alert(1)</script>' || char(27) || '[31m' || char(8238) || "
		"'x''$(rm -rf /)'",
		"running", "on-demand", WRONG, "1");
	r = build();
	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		struct sbuf b = SBUF_INIT;

		report_format_find(formats[i])->render(&r, &b);
		assert_null(strchr(b.s, 27));
		if (i == 1)
			assert_null(strstr(b.s, "<script"));
		if (i != 2)
			assert_null(strstr(b.s, "\xe2\x80\xae")); /* U+202E */
		sbuf_done(&b);
	}
	/* what is pasted into a shell is one word */
	assert_non_null(strstr(r.uncovered.v[0].command, "'<script>"));
	assert_non_null(strstr(r.uncovered.v[0].command, "'\\''$(rm -rf /)'"));
}

static void json_holds_the_model(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct cJSON *j = NULL;
	struct err e = {0};
	struct report r;
	int64_t net;

	(void)state;
	clear();
	put("tpu", "us-central1-a", "'bad'", "running", "on-demand", WRONG, "1");
	tempdb_exec(&t,
		"INSERT INTO burn_part VALUES ('p/tpu/us-central1-a/bad', 'tpu', "
		"8000000000, "
		"8000000000, 'USD')");
	r = build();
	report_json(&r, &b);
	if (json_parse(b.s, b.len, &j, &e))
		fail_msg("%s: %s", e.msg, b.s);
	assert_int_equal(json_len(json_get(j, "uncovered")), 1);
	assert_string_equal(
		json_text(json_get(json_first(json_get(j, "uncovered")), "why"), ""),
		"wrong-zone");
	assert_int_equal(
		json_nanos(json_get(json_first(json_get(j, "burn_per_hour")), "net"), &net,
			&e),
		E_OK);
	assert_int_equal(net, 8000000000);
	json_free(j);
	sbuf_done(&b);
}

static void an_unknown_price_is_counted_not_added(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct report r;

	(void)state;
	clear();
	put("vm", "us-central1-a", "'odd'", "running", "on-demand",
		"NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'unknown'", "NULL");
	r = build();
	assert_int_equal(r.unknown_prices, 1);
	report_text(&r, &b);
	assert_non_null(strstr(b.s, "unknown"));
	sbuf_done(&b);
}

static void heads(const char *want)
{
	struct report r = build();
	struct sbuf b = SBUF_INIT;

	report_headline(&r, &b);
	if (strcmp(b.s, want) != 0)
		fail_msg("gave %s\nwant %s", b.s, want);
	sbuf_done(&b);
}

#define SOURCE(source, state, success)                                                    \
	"INSERT INTO source_status (source, project, state, last_attempt, last_success, " \
	"items, "                                                                         \
	"failures) VALUES ('" source "', 'p', '" state "', 1795219200, " success          \
	", 0, 0); "

/* That nothing was seen is not that nothing is there. */
static void what_could_not_be_read_is_not_said_to_be_nothing(void **state)
{
	(void)state;
	clear();
	tempdb_exec(&t, SOURCE("vm", "failed", "NULL") SOURCE("disk", "ok", "1795219200"));
	{
		struct report r = build();
		struct sbuf b = SBUF_INIT;

		report_text(&r, &b);
		assert_non_null(strstr(b.s, "nothing is known"));
		sbuf_done(&b);
	}
	heads("Not everything could be read; no TPU outside the grants is known.");
	clear();
	put("tpu", "europe-west4-a", "'good'", "running", "on-demand", COVERED, "1");
	tempdb_exec(&t, SOURCE("tpu", "failed", "1795100000"));
	heads("Not everything could be read; no TPU outside the grants is known.");
	clear();
	tempdb_exec(&t, SOURCE("vm", "ok", "1795219200") SOURCE("tpu", "disabled", "NULL"));
	/* metrics are no inventory */
	tempdb_exec(&t, SOURCE("metric", "failed", "NULL"));
	heads("No TPU runs. Nothing burns money now.");
	clear();
	put("tpu", "us-central1-a", "'bad'", "running", "on-demand", WRONG, "1");
	tempdb_exec(&t, SOURCE("tpu", "partial", "NULL"));
	heads("1 TPU runs outside every grant: 8.00 USD/h. Not everything could be read "
	      "lately: tpucost sources.");
	clear();
	put("tpu", "us-central1-a", "'odd'", "running", "on-demand",
		"0, NULL, 'no-grant', 'x', NULL, NULL, NULL, 'unknown'", "1");
	tempdb_exec(&t, SOURCE("tpu", "ok", "1795219200"));
	heads("1 TPU runs outside every grant: at a price that is not known. Of 1 the "
	      "price is "
	      "not known.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thing_is_in_its_place_with_the_command_that_ends_it),
		cmocka_unit_test(
			yesterday_is_the_calendar_day_before_in_the_configured_zone),
		cmocka_unit_test(an_empty_database_says_so_and_shows_no_zeros),
		cmocka_unit_test(hostile_names_are_text_in_every_format),
		cmocka_unit_test(json_holds_the_model),
		cmocka_unit_test(an_unknown_price_is_counted_not_added),
		cmocka_unit_test(what_could_not_be_read_is_not_said_to_be_nothing),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

/* The weekly report: seven whole days of the configured zone beside the seven before. */
#include "tests/support/assert.h"
#include "tests/support/world/cost_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define NOW INT64_C(1795219200) /* 2026-11-21T00:00Z, 08:00 in Hong Kong */
#define TODAY (NOW - 8 * 3600)  /* its first moment there */
#define DAY INT64_C(86400)
#define WEEK (TODAY - 7 * DAY)
#define UNITS(n) ((int64_t)((n)*1000) * 1000000)

static struct cost_world w;

static const struct grant grants[] = {{.name = "trc",
	.zone = "us-central1-b",
	.type = "v3-8",
	.family = "v3",
	.unit = GRANT_DEVICES,
	.count = 1,
	.chips = 4,
	.provisioning = "on-demand",
	.starts = NOW - 20 * DAY,
	.until = TODAY + 3 * DAY}};

static int setup(void **state)
{
	cost_world_open(&w, "Asia/Hong_Kong", NOW);
	return 0;
}

static void clear(void)
{
	cost_world_clear(&w);
	w.settings.grants = NULL;
	w.settings.n_grants = 0;
	w.settings.credits = NULL;
	w.settings.n_credits = 0;
	tempdb_exec(&w.t,
		"DELETE FROM alert_event; DELETE FROM restatement; DELETE FROM "
		"source_status; DELETE FROM billing_day; UPDATE usage SET resource_ref = "
		"1");
}

static struct doc *weekly(ts_t until)
{
	struct doc *d;

	cost_derive(&w);
	d = report_make(&w, "weekly", ASK(.until = until), &w.t.a);
	assert_headline(d->headline);
	return d;
}

static void days_are_those_of_the_zone_and_only_whole_ones(void **state)
{
	struct doc *d;

	clear();
	BILL(&w, .hour = WEEK - 30 * DAY, .cost = UNITS(1));
	BILL(&w, .hour = WEEK - 7 * DAY - 3600, .cost = UNITS(1000)); /* two weeks ago */
	BILL(&w, .hour = WEEK - 7 * DAY, .cost = UNITS(1));
	BILL(&w, .hour = WEEK - 3600, .cost = UNITS(2));
	BILL(&w, .hour = WEEK, .cost = UNITS(10));
	BILL(&w, .hour = TODAY - 3600, .cost = UNITS(20), .credits = -UNITS(5));
	BILL(&w, .hour = TODAY, .cost = UNITS(5000)); /* today */
	d = weekly(0);
	assert_string_equal(d->title, "tpucost weekly report, 2026-11-14 to 2026-11-20");
	report_expect(d, "sums", "currency,net,net_before,change,cost,credits",
		"USD|25 USD*|3 USD|22 USD*|30 USD*|-5 USD*");
	report_expect(d, "days", "day,net,cost,status",
		"2026-11-07|1 USD|1 USD|settled\n"
		"2026-11-08|0 USD|0 USD|settled\n"
		"2026-11-09|0 USD|0 USD|settled\n"
		"2026-11-10|0 USD|0 USD|settled\n"
		"2026-11-11|0 USD|0 USD|settled\n"
		"2026-11-12|0 USD|0 USD|settled\n"
		"2026-11-13|2 USD|2 USD|settled\n"
		"2026-11-14|10 USD|10 USD|settled\n"
		"2026-11-15|0 USD|0 USD|settled\n"
		"2026-11-16|0 USD|0 USD|settled\n"
		"2026-11-17|0 USD|0 USD|settled\n"
		"2026-11-18|0 USD*|0 USD*|settling\n"
		"2026-11-19|0 USD*|0 USD*|settling\n"
		"2026-11-20|15 USD*|20 USD*|partial");
	assert_int_equal(doc_find(d, "days")->chart.value, 1);
	assert_string_equal(d->headline,
		"The week cost 25.00 USD net so far, more than the week before.");
	assert_string_equal(doc_find(d, "sums")->rows[0].detail,
		"The largest change is N1 Instance Core (+22.00 USD).");
	assert_string_equal(d->subject,
		"[tpucost] week 2026-11-14 to 2026-11-20: 25.00 USD so far (+22.00 USD)");
	/* a date given is the first day that does not count; the future is not over */
	d = weekly(WEEK + DAY);
	assert_string_equal(d->title, "tpucost weekly report, 2026-11-08 to 2026-11-14");
	report_expect(d, "sums", "net,net_before", "12 USD|1001 USD");
	d = weekly(TODAY + DAY - 1);
	assert_string_equal(d->title, "tpucost weekly report, 2026-11-14 to 2026-11-20");
}

/* Both accounts are in one sum; the export of each has a table of its own. */
static void the_account_that_is_furthest_behind_decides(void **state)
{
	for (int behind = 1; behind <= 2; behind++) {
		clear();
		BILL(&w, .hour = WEEK, .cost = UNITS(1));
		BILL(&w, .hour = WEEK, .cost = UNITS(2), .account = "B");
		BILL(&w, .hour = WEEK, .cost = UNITS(4), .account = "B", .currency = "HKD");
		BILL(&w, .hour = TODAY - 3600, .cost = UNITS(8));
		BILL(&w, .hour = TODAY - 3600, .cost = UNITS(8), .account = "B");
		tempdb_execf(&w.t,
			"INSERT OR IGNORE INTO billing_table (table_id, name, location, "
			"last_modified_ms, row_count) VALUES (2, 'u', 'US', 0, 0);"
			"UPDATE billing_table SET looked = %lld - (table_id = %d) * 864000;"
			"INSERT INTO billing_day VALUES (1, 1, 'A', %d), (1, 1, 'A', %d), "
			"(2, 1, 'B', %d), (2, 1, 'B', %d)",
			(long long)NOW, behind, (int)(WEEK / DAY), (int)(WEEK / DAY + 1),
			(int)(WEEK / DAY), (int)(WEEK / DAY + 1));
		assert_contains(report_rows(weekly(0), "days", "day,net,status", &w.t.a),
			behind == 1
				? "2026-11-14|4 HKD|settled\n2026-11-14|3 USD*|partial"
				: "2026-11-14|4 HKD*|partial\n2026-11-14|3 USD*|partial");
	}
	clear();
	tempdb_exec(&w.t, "DELETE FROM billing_table WHERE table_id = 2");
}

static void a_week_of_the_future_is_refused(void **state)
{
	struct report_ask ask = {.settings = &w.settings, .now = NOW};
	struct err e = {0};

	ask.until = TODAY + DAY;
	assert_err(weekly_period(&ask, &e), e, E_USAGE, "--until is in the future");
	assert_non_null(strstr(e.fix, "ends yesterday"));
	ask.until = TODAY + DAY - 1;
	e = (struct err){0};
	assert_ok(weekly_period(&ask, &e), e);
	assert_i64_eq(ask.until, TODAY);
	assert_i64_eq(ask.since, TODAY - 7 * DAY);
}

static void where_the_money_went_adds_up_and_keeps_the_account(void **state)
{
	struct doc *d;

	clear();
	BILL(&w, .hour = WEEK - 8 * DAY, .cost = 1);
	BILL(&w, .hour = WEEK - DAY, .cost = UNITS(7), .category = "disk");
	BILL(&w, .hour = WEEK, .cost = UNITS(2), .category = "disk", .project = "q");
	BILL(&w, .hour = WEEK + 1 * DAY, .cost = UNITS(3), .category = "other",
		.cost_type = "tax", .account_level = true);
	BILL(&w, .hour = WEEK + 2 * DAY, .cost = 1);
	BILL(&w, .hour = WEEK + 2 * DAY, .cost = UNITS(100), .currency = "HKD");
	BILL(&w, .hour = TODAY, .cost = 1);
	d = weekly(0);
	report_expect(d, "sums", "currency,net,net_before",
		"USD|5.000000001 USD*|7 USD\nHKD|100 HKD*|0 HKD");
	report_expect(d, "categories", "category,net,change",
		"cpu|100 HKD*|100 HKD*\n"
		"other|3 USD*|3 USD*\n"
		"disk|2 USD*|-5 USD*\n"
		"cpu|0.000000001 USD*|0.000000001 USD*");
	report_expect(d, "projects", "project,net,net_before",
		"p|100 HKD*|0 HKD\n"
		"-|3 USD*|0 USD\n"
		"q|2 USD*|0 USD\n"
		"p|0.000000001 USD*|7 USD");
	assert_contains(doc_find(d, "projects")->rows[1].detail, "billing account");
	assert_string_equal(
		d->headline, "The week cost 5.00 USD net and 100.00 HKD net so far.");
	assert_contains(doc_find(d, "sums")->rows[0].detail,
		"The largest change is SSD backed PD Capacity (-5.00 USD)");
}

static void a_list_has_ten_of_each_currency(void **state)
{
	struct doc *d;
	const struct doc_section *s;

	clear();
	BILL(&w, .hour = WEEK - 7 * DAY, .cost = 1);
	for (int i = 0; i < 12; i++) {

		BILL(&w, .hour = WEEK + i * 3600, .cost = UNITS(1 + i));
		BILL(&w, .hour = WEEK + i * 3600, .cost = UNITS(1 + i), .currency = "HKD");
		tempdb_execf(&w.t,
			"INSERT OR IGNORE INTO billed_resource (resource_ref, resource, "
			"global_name) VALUES (%d, 'vm-%d', '');"
			"UPDATE usage SET resource_ref = %d WHERE hour = %lld",
			i + 10, i, i + 10, (long long)(WEEK + i * 3600));
	}
	d = weekly(0);
	s = doc_find(d, "resources");
	assert_int_equal(s->n, 20);
	assert_string_equal(s->rows[0].cells[0].text, "vm-11");
	assert_string_equal(s->rows[9].cells[0].text, "vm-2");
	assert_string_equal(s->rows[10].cells[0].text, "vm-11");
	assert_contains(s->note, "4 more: tpucost cost --by resource");
}

static void what_costs_the_same_comes_by_name(void **state)
{
	clear();
	tempdb_exec(&w.t,
		"INSERT OR IGNORE INTO billed_resource (resource_ref, resource, "
		"global_name) VALUES (80, 'b', ''), (81, 'a', ''), (82, 'c', '')");
	for (int i = 0; i < 3; i++) {

		BILL(&w, .hour = WEEK + i * 3600, .cost = UNITS(i == 2 ? 6 : 4),
			.credits = -UNITS(i == 2 ? 1 : 0));
		BILL(&w, .hour = WEEK + i * 3600, .cost = UNITS(1), .project = "q");
		BILL(&w, .hour = WEEK + i * 3600, .account_level = true, .cost = UNITS(4));
		tempdb_execf(&w.t, "UPDATE usage SET resource_ref = %d WHERE hour = %lld",
			80 + i, (long long)(WEEK + i * 3600));
	}
	report_expect(weekly(0), "resources", "resource,project,net,display_name",
		"c|p|5 USD*|p/c\na|-|4 USD*|a\na|p|4 USD*|p/a\nb|-|4 USD*|b\n"
		"b|p|4 USD*|p/b\nc|-|4 USD*|c\n"
		"a|q|1 USD*|q/a\nb|q|1 USD*|q/b\nc|q|1 USD*|q/c");
}

/* The bill tells machines of one name apart by what else it says of them. */
static void a_name_with_several_numbers_is_one_row(void **state)
{
	struct doc *d;

	clear();
	tempdb_exec(&w.t,
		"INSERT OR IGNORE INTO billed_resource (resource_ref, resource, "
		"global_name) VALUES (90, 'vm', '//a'), "
		"(91, 'vm', '//b'), (92, 'tpu', '')");
	BILL(&w, .hour = WEEK - 9 * DAY, .cost = UNITS(1000));
	BILL(&w, .hour = WEEK - 7 * DAY, .cost = UNITS(1));
	BILL(&w, .hour = WEEK - DAY, .cost = UNITS(7), .credits = -UNITS(2));
	BILL(&w, .hour = WEEK, .cost = UNITS(10));
	BILL(&w, .hour = WEEK + 3600, .cost = UNITS(20), .credits = -UNITS(4));
	BILL(&w, .hour = WEEK + 7200, .cost = UNITS(5));
	BILL(&w, .hour = TODAY, .cost = 1);
	tempdb_exec(&w.t,
		"UPDATE usage SET resource_ref = CASE WHEN hour < 1794585600 + 3600 THEN "
		"90 WHEN hour < 1794585600 + 7200 THEN 91 ELSE 92 END");
	d = weekly(0);
	report_expect(d, "resources", "resource,net,net_before,change,cost,credits",
		"vm|26 USD*|6 USD|20 USD*|30 USD*|-4 USD*\n"
		"tpu|5 USD*|0 USD|5 USD*|5 USD*|0 USD*");
	report_expect(
		d, "skus", "net,net_before,cost,credits", "31 USD*|6 USD|35 USD*|-4 USD*");
}

static void sums_that_do_not_fit_are_refused(void **state)
{
	struct report_ask ask = {.db = w.t.db,
		.settings = &w.settings,
		.now = NOW,
		.since = TS_NONE,
		.until = TS_NONE};
	struct doc *d;
	struct err e = {0};

	clear();
	BILL(&w, .hour = WEEK, .cost = INT64_MAX - 5);
	BILL(&w, .hour = WEEK + DAY, .cost = UNITS(1));
	cost_derive(&w);
	assert_err(weekly_build(&ask, &w.t.a, &d, &e), e, E_OVERFLOW,
		"the costs of the two weeks are too large");
}

static void no_bill_is_said_not_shown_as_zero(void **state)
{
	struct doc *d;

	clear();
	d = weekly(0);
	assert_string_equal(d->headline, NO_BILLING_DATA);
	assert_string_equal(
		d->subject, "[tpucost] week 2026-11-14 to 2026-11-20: cost unknown");
	assert_string_equal(doc_find(d, "sums")->empty, NO_BILLING_DATA);
	assert_contains(doc_find(d, "tpus")->empty, "not collected");
	assert_null(strstr(report_all(d, &w.t.a), "0 USD"));
	BILL(&w, .hour = TODAY, .cost = UNITS(1));
	d = weekly(0);
	assert_contains(d->headline, "begins on 2026-11-21, after this week");
	clear();
	BILL(&w, .hour = WEEK - DAY, .cost = UNITS(1));
	d = weekly(0);
	assert_contains(d->headline, "ends on 2026-11-13");
	report_expect(d, "sums", "net", "");
	clear();
	/* half a week before is none to compare with */
	BILL(&w, .hour = WEEK - DAY, .cost = UNITS(1));
	BILL(&w, .hour = WEEK + DAY, .cost = UNITS(3));
	d = weekly(0);
	report_expect(d, "sums", "net,net_before,change", "3 USD*|-|-");
	report_expect(d, "categories", "net,net_before,change", "3 USD*|-|-");
	assert_null(
		doc_find(d, "categories")->columns[2].title); /* nothing but "unknown" */
	assert_contains(d->notes[0], "the previous week is incomplete");
	assert_contains(d->notes[1], "ends on 2026-11-15");
}

/* The export is read, and nothing new comes: seven days are not compared with two. */
static void a_bill_that_ends_early_is_not_compared(void **state)
{
	struct doc *d;

	clear();
	for (int i = -8; i < 2; i++)
		BILL(&w, .hour = WEEK + i * DAY, .cost = UNITS(2));
	BILL(&w, .hour = WEEK + 5 * DAY, .cost_type = "tax", .account_level = true);
	d = weekly(0); /* a tax is no usage */
	assert_string_equal(d->headline, "The week cost 4.00 USD net so far.");
	assert_contains(d->subject, ": 4.00 USD so far, bill ends 2026-11-15");
	report_expect(d, "sums", "net,net_before,change,cost", "4 USD*|14 USD|-|4 USD*");
	report_expect(d, "categories", "net,net_before,change", "4 USD*|14 USD|-");
	assert_null(doc_find(d, "sums")->columns[3].title);
	assert_string_equal(doc_find(d, "sums")->note,
		"The bill ends at 2026-11-15 01:00, 6d 7h ago: later usage is not on it. "
		"Some days are missing: not compared with the week before.");
	assert_string_equal(doc_find(d, "days")->rows[6].cells[5].text, "settled");
	assert_string_equal(doc_find(d, "days")->rows[7].cells[5].text, "settling");
	assert_string_equal(doc_find(d, "days")->rows[8].cells[5].text, "partial");
	/* of the days after it there is only that of the tax */
	assert_int_equal(doc_find(d, "days")->n, 10);
	assert_string_equal(doc_find(d, "days")->rows[9].cells[0].text, "2026-11-19");
	/* a second account that goes on, by the name of the one that does not */
	BILL(&w, .hour = TODAY - 3600, .cost = UNITS(1), .account = "B");
	d = weekly(0);
	assert_contains(doc_find(d, "sums")->note,
		"The bill of A ends at 2026-11-15 01:00, 6d 7h ago");
	assert_contains(d->headline, "The week cost 5.00 USD net so far.");
	/* one that had no usage for a month is closed */
	cost_world_clear(&w);
	BILL(&w, .hour = TODAY - 40 * DAY, .cost = UNITS(2));
	BILL(&w, .hour = TODAY - 3600, .cost = UNITS(1), .account = "B");
	d = weekly(0);
	assert_null(doc_find(d, "sums")->note);
	assert_contains(d->headline, "The week cost 1.00 USD net so far");
	/* late, as the export may be */
	cost_world_clear(&w);
	for (int i = -8; i < 6; i++)
		BILL(&w, .hour = WEEK + i * DAY + 23 * 3600, .cost = UNITS(2));
	d = weekly(0);
	assert_null(doc_find(d, "sums")->note);
	assert_contains(d->headline, "than the week before");
}

static void free_chip_hours_and_what_they_are_worth(void **state)
{
	struct doc *d;

	clear();
	w.settings.grants = grants;
	w.settings.n_grants = 1;
	tempdb_exec(&w.t,
		"INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items, failures, watched_since) VALUES ('tpu', 'p', 'ok', "
		"1795219200, 1795219200, 2, 0, 1794700800)");
	RUN(&w, .kind = "tpu", .type = "v3-8", .name = "a", .since = WEEK - DAY);
	RUN(&w, .kind = "tpu", .type = "v3-8", .name = "b", .since = TODAY - 3600);
	d = weekly(0);
	report_expect(d, "tpus",
		"grant_name,covered,why,tpus,chip_hours,gross,saved,net,currency",
		"trc|1|covered|1|672|1344 USD~|1344 USD~|0 USD~|USD\n"
		"-|0|over-capacity|1|4|8 USD~|0 USD~|8 USD~|USD");
	assert_contains(doc_find(d, "tpus")->note,
		"Uncovered TPUs cost about 8.00 USD at list prices. 672.0 TPU "
		"chip-hours were free, worth about 1344.00 USD at list prices.");
	assert_int_equal(d->tone, TONE_WARN);
	assert_contains(doc_find(d, "tpus")->note, "since 2026-11-15 08:00");
	report_expect(d, "owners", "owner,net,gross,resources", "-|8 USD~|1352 USD~|2");
	report_expect(d, "grants", "name,used_chips,granted_chips,left", "trc|4|4|230400");
	/* a TPU that nobody sells here: its hours count, its price is not known */
	RUN(&w, .kind = "tpu", .type = "v3-999", .name = "c", .since = TODAY - 7200);
	d = weekly(0);
	report_expect(d, "tpus", "why,chip_hours,gross,net",
		"covered|672|1344 USD~|0 USD~\n"
		"over-capacity|4|8 USD~|8 USD~\n"
		"wrong-type|-|-|-");
}

static void what_ran_after_it_was_last_seen_is_not_known(void **state)
{
	struct doc *d;

	clear();
	w.settings.grants = grants;
	w.settings.n_grants = 1;
	RUN(&w, .kind = "tpu", .type = "v3-8", .name = "a", .since = WEEK - DAY);
	RUN(&w, .kind = "tpu", .type = "v3-8", .name = "b", .since = WEEK - DAY);
	RUN(&w, .kind = "tpu", .type = "v3-8", .name = "c", .since = TODAY - 2 * DAY);
	tempdb_exec(&w.t,
		"DELETE FROM source_status; INSERT INTO source_status (source, project, "
		"state, last_attempt, last_success, items, failures, watched_since) VALUES "
		"('tpu', 'p', 'ok', 1794700800, 1794700800, 2, 0, 1794528000);"
		"UPDATE resource SET last_seen = 1794700800");
	d = weekly(0);
	/* 32 hours of the week */
	report_expect(d, "tpus", "grant_name,covered,why,tpus,chip_hours,gross,net",
		"trc|1|covered|1|128|256 USD~|0 USD~\n"
		"-|0|over-capacity|1|128|256 USD~|256 USD~");
	report_expect(d, "owners", "net,gross,resources", "256 USD~|512 USD~|2");
	assert_string_equal(d->headline,
		"DATA STALE since 2026-11-15 08:00 (inventory); last known: No billing "
		"data yet: set billing.table in the configuration, or run tpucost import.");
	assert_contains(d->subject,
		"[tpucost] DATA STALE since 2026-11-15 08:00; week 2026-11-14 to "
		"2026-11-20: ");
	assert_string_equal(doc_find(d, "tpus")->note,
		"Uncovered TPUs cost about 256.00 USD at list prices. 128.0 TPU chip-hours "
		"were free, worth about 256.00 USD at list prices. TPUs were collected "
		"until 2026-11-15 08:00; later use is unknown and not "
		"counted.");
	assert_contains(doc_find(d, "owners")->note, "until they were last read");
	assert_contains(doc_find(d, "grants")->note, "are those of 2026-11-15 08:00");
	assert_int_equal(d->tone, TONE_BAD);
	/* the week after: nothing of it is known, and nothing is none */
	tempdb_exec(&w.t,
		"UPDATE source_status SET last_success = 1794528000;"
		"UPDATE resource SET last_seen = 1794528000");
	d = weekly(0);
	report_expect(d, "tpus", "chip_hours", "");
	assert_contains(doc_find(d, "tpus")->empty, "not collected");
	/* half of it, in which none ran */
	tempdb_exec(&w.t,
		"DELETE FROM resource; DELETE FROM resource_interval;"
		"UPDATE source_status SET last_success = 1794700800");
	d = weekly(0);
	assert_string_equal(doc_find(d, "tpus")->empty, "No TPU was seen.");
	tempdb_exec(&w.t, "DELETE FROM source_status");
}

/* The week is watched, and its bill is not final. */
static void an_old_bill_is_said_first(void **state)
{
	struct doc *d;

	clear();
	BILL(&w, .hour = WEEK - 30 * DAY, .cost = UNITS(1));
	BILL(&w, .hour = TODAY - 3600, .cost = UNITS(20));
	tempdb_execf(&w.t,
		"INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items) VALUES ('tpu', 'p', 'ok', %lld, %lld, 1), "
		"('billing', 't', 'failed', %lld, %lld, 1)",
		(long long)NOW, (long long)NOW, (long long)NOW, (long long)(NOW - DAY));
	d = weekly(0);
	assert_string_equal(d->headline,
		"DATA STALE since 2026-11-20 08:00 (bill); last known: The week cost 20.00 "
		"USD net so far, more than the week before.");
	assert_int_equal(d->tone, TONE_BAD);
	tempdb_exec(&w.t, "UPDATE source_status SET last_success = last_attempt");
	d = weekly(0);
	assert_true(strstr(d->headline, "The week cost 20.00 USD") == d->headline);
}

static void owners_are_those_of_now_or_of_the_end(void **state)
{
	struct doc *d;

	clear();
	RUN(&w, .name = "x", .since = TODAY - 10 * 3600);
	RUN(&w, .name = "y", .since = WEEK - 30 * DAY);
	RUN(&w, .name = "z", .since = TODAY + 3600); /* of today */
	tempdb_exec(&w.t,
		"UPDATE resource SET owner = 'ada' WHERE name = 'x';DELETE FROM resource "
		"WHERE name = 'y';UPDATE resource_interval SET owner = 'ben', ends = "
		"1795190400 - 6 * 86400 WHERE name = 'y'");
	d = weekly(0);
	report_expect(d, "owners", "owner,net,gross,resources",
		"ben|4.08 USD~|4.08 USD~|1\nada|1.7 USD~|1.7 USD~|1");
}

static void alerts_restatements_and_silence(void **state)
{
	struct doc *d;

	clear();
	BILL(&w, .hour = 1793620800, .cost = UNITS(13));
	tempdb_exec(&w.t,
		"INSERT INTO alert_event (at, rule, subject, kind, severity, summary, "
		"muted) VALUES (1795190399, 'a', 's1', 'firing', 'critical', '', "
		"0),(1795190300, 'a', 's2', 'firing', 'warning', '', 1),(1795190300, 'a', "
		"'s2', 'resolved', 'warning', '', 0),(1795190300, 'b', 's', 'repeat', "
		"'warning', '', 0),(1795190400, 'late', 's', 'firing', 'warning', '', "
		"0);INSERT INTO restatement VALUES (1795190000, '2026-11-02', '202611', "
		"'USD', 't', 12300000000, 0, 13050000000, -50000000),(1795190400, "
		"'2026-11-03', '202611', 'USD', 't', 1, 0, 2, 0)");
	d = weekly(0);
	report_expect(d, "alerts", "rule,fired,critical,muted,resolved,subjects",
		"a|2|1|1|1|2\nb|0|0|0|0|1");
	report_expect(d, "restatements", "day,old_net,new_net,change",
		"2026-11-02|12.3 USD|13 USD|0.7 USD");
	clear();
	d = weekly(0);
	assert_string_equal(doc_find(d, "alerts")->empty, "No alerts.");
}

static void a_credit_that_unbilled_use_has_used_up_is_not_left(void **state)
{
	static const struct credit coupon[] = {{.name = "trial",
		.amount = {UNITS(10), "USD"},
		.starts = NOW - 30 * DAY,
		.expires = NOW + 30 * DAY}};
	struct doc *d;

	clear();
	w.settings.credits = coupon;
	w.settings.n_credits = 1;
	BILL(&w, .hour = WEEK, .cost = UNITS(1), .credits = -UNITS(1));
	d = weekly(TS_NONE);
	assert_null(doc_find(d, "credits")->rows[0].detail);
	RUN(&w, .kind = "tpu", .type = "v3-8", .name = "a", .since = WEEK - DAY);
	d = weekly(TS_NONE);
	report_expect(d, "credits", "left,runs_out", "9 USD|2026-11-21T00:00:00Z~");
	assert_string_equal(
		doc_find(d, "credits")->rows[0].detail, "about used up by unbilled use");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_credit_that_unbilled_use_has_used_up_is_not_left),
		cmocka_unit_test(days_are_those_of_the_zone_and_only_whole_ones),
		cmocka_unit_test(the_account_that_is_furthest_behind_decides),
		cmocka_unit_test(a_week_of_the_future_is_refused),
		cmocka_unit_test(where_the_money_went_adds_up_and_keeps_the_account),
		cmocka_unit_test(a_list_has_ten_of_each_currency),
		cmocka_unit_test(what_costs_the_same_comes_by_name),
		cmocka_unit_test(a_name_with_several_numbers_is_one_row),
		cmocka_unit_test(sums_that_do_not_fit_are_refused),
		cmocka_unit_test(no_bill_is_said_not_shown_as_zero),
		cmocka_unit_test(a_bill_that_ends_early_is_not_compared),
		cmocka_unit_test(free_chip_hours_and_what_they_are_worth),
		cmocka_unit_test(what_ran_after_it_was_last_seen_is_not_known),
		cmocka_unit_test(an_old_bill_is_said_first),
		cmocka_unit_test(owners_are_those_of_now_or_of_the_end),
		cmocka_unit_test(alerts_restatements_and_silence),
	};

	return cmocka_run_group_tests(tests, setup, tempdb_teardown);
}

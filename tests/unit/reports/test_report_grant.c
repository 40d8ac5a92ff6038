/* The report grant: hours of chips that a grant covered, and nothing of money or names. */
#include "reports/doc/formats.h"
#include "tests/support/assert.h"
#include "tests/support/world/cost_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define NOW INT64_C(1795219200) /* 2026-11-21T00:00Z, a Saturday */
#define HOUR INT64_C(3600)
#define DAY INT64_C(86400)
#define UNITS(n) ((int64_t)((n)*1000) * 1000000)
#define START (NOW - 20 * DAY) /* 2026-11-01 */

static struct cost_world w;

static struct grant grants[2];

static int setup(void **state)
{
	cost_world_open(&w, "UTC", NOW);
	return 0;
}

static void clear(void)
{
	cost_world_clear(&w);
	w.now = NOW;
	grants[0] = (struct grant){.name = "trc",
		.zone = "us-central1-b",
		.type = "v3-8",
		.family = "v3",
		.unit = GRANT_DEVICES,
		.count = 2,
		.chips = 8,
		.provisioning = "on-demand",
		.starts = START,
		.until = START + 30 * DAY};
	grants[1] = (struct grant){.name = "other",
		.zone = "us-central2-b",
		.family = "v4",
		.unit = GRANT_CHIPS,
		.count = 32,
		.chips = 32,
		.provisioning = "spot",
		.starts = START,
		.until = START + 30 * DAY};
	w.settings.grants = grants;
	w.settings.n_grants = 2;
	tempdb_exec(&w.t, "DELETE FROM source_status");
}

/* Read without gaps from one moment to another. */
static void watch_until(ts_t since, ts_t until)
{
	tempdb_execf(&w.t,
		"DELETE FROM source_status; INSERT INTO source_status (source, project, "
		"state, last_attempt, last_success, items, failures, watched_since) VALUES "
		"('tpu', 'p', 'ok', %lld, %lld, 2, 0, %lld);"
		"UPDATE resource SET last_seen = %lld",
		(long long)until, (long long)until, (long long)since, (long long)until);
}

static void watch(ts_t since)
{
	watch_until(since, NOW);
}

/* A TPU that ran from one moment to another; 0: until now. */
static void run(const char *name, const char *type, ts_t since, ts_t until)
{
	RUN(&w, .kind = "tpu", .type = type, .name = name, .since = since);
	if (!until)
		return;
	tempdb_execf(&w.t,
		"DELETE FROM resource WHERE name = '%s';"
		"UPDATE resource_interval SET ends = %lld WHERE name = '%s'",
		name, (long long)until, name);
}

static struct doc *report(struct report_ask ask)
{
	cost_derive(&w);
	return report_make(&w, "grant", ask, &w.t.a);
}

#define LINES                                                                              \
	"grant_name,type,zone,granted_chips,chip_hours,tpu_hours,percent,tpus,peak_chips," \
	"active_days"

static void hours_chips_days_and_utilisation(void **state)
{
	struct doc *d;

	clear();
	watch(START - DAY);
	run("a", "v3-8", START + 6 * HOUR, START + 30 * HOUR);       /* 2 days, 24 h */
	run("b", "v3-8", START + 29 * HOUR, START + 5 * DAY + HOUR); /* 92 h, one with a */
	run("c", "v3-8", NOW - 4 * HOUR, 0);
	d = report(ASK(.name = "trc"));
	/* 120 hours of 4 chips; 480 of 8 chips for 480 hours are 12.5 % */
	report_expect(d, "grants", LINES, "trc|v3-8|us-central1-b|8|480|120|12.5|3|8|7");
	report_expect(d, "grants", "first_use,last_use,starts,until",
		"2026-11-01T06:00:00Z|2026-11-21T00:00:00Z|2026-11-01T00:00:00Z|"
		"2026-12-01T00:00:00Z");
	report_expect(d, "types", "type,zone,provisioning,tpus,tpu_hours,chip_hours",
		"v3-8|us-central1-b|on-demand|3|120|480");
	report_expect(d, "weeks", "week,tpus,tpu_hours,chip_hours",
		"2026-10-26|1|18|72\n"
		"2026-11-02|2|98|392\n"
		"2026-11-09|0|0|0\n"
		"2026-11-16|1|4|16");
	assert_string_equal(d->headline,
		"Thank you for the Cloud TPUs of the TPU Research Cloud. This is our use "
		"from 2026-11-01 to 2026-11-20. Of 8 v3 chips (on-demand) in us-central1-b "
		"we used 480.0 chip-hours, 12.5 % of the granted capacity, on 7 days and "
		"up to 8 chips at a time. [Describe your work, its results and your "
		"plans.] We would be grateful for a renewal.");
	assert_null(doc_find(d, "billed"));
	clear();
	watch(START - DAY);
	run("a", "v3-8", START, START + HOUR / 2);
	assert_contains(report(ASK(.name = "trc"))->headline,
		"used 2.0 chip-hours, less than 0.1 % of the granted capacity");
	clear();
	watch(START - DAY);
	run("a", "v3-8", START + 6 * HOUR, START + 30 * HOUR);
	run("b", "v3-8", START + 29 * HOUR, START + 5 * DAY + HOUR);
	run("c", "v3-8", NOW - 4 * HOUR, 0);
	/* all grants; the one that was not used was watched, so 0 is true */
	d = report(ASK(.name = NULL));
	assert_null(strstr(d->headline, "v4"));
	report_expect(d, "grants", LINES,
		"trc|v3-8|us-central1-b|8|480|120|12.5|3|8|7\n"
		"other|v4|us-central2-b|32|0|0|0|0|0|0");
	d = report(ASK(.name = "other"));
	assert_contains(d->headline, "So far we have not used any.");
	/* a part of it: 24 hours of 8 chips, of which b has 23 and a 5 of 4 chips */
	d = report(
		ASK(.name = "trc", .since = START + 25 * HOUR, .until = START + 49 * HOUR));
	report_expect(
		d, "grants", LINES, "trc|v3-8|us-central1-b|8|100|25|52.083333333|2|8|2");
}

/* Formats cut paragraphs that are too long. */
static void the_text_is_short_whatever_is_granted(void **state)
{
	static struct grant many[6];
	struct doc *d;

	clear();
	watch(START + DAY);
	for (int i = 0; i < 6; i++) {
		char *zone = arena_printf(&w.t.a, "northamerica-northeast%d-ai1b", i + 1);

		many[i] = grants[0];
		many[i].zone = zone;
		RUN(&w, .kind = "tpu", .type = "v3-8", .zone = zone, .name = "n",
			.since = START + DAY);
	}
	w.settings.grants = many;
	w.settings.n_grants = 6;
	d = report(ASK(.name = "trc"));
	assert_contains(d->headline, "northeast2-ai1b");
	assert_contains(d->headline, " The table below has 4 more.");
	assert_true(strlen(d->headline) < 800);
	assert_int_equal(doc_find(d, "grants")->n, 6);
}

static void lines_for_the_same_thing_are_one(void **state)
{
	static struct grant twice[2];
	struct doc *d;

	clear();
	watch(START - DAY);
	twice[0] = twice[1] = grants[0];
	twice[1].count = 1;
	twice[1].chips = 4;
	w.settings.grants = twice;
	for (int i = 0; i < 3; i++)
		run((const char *[]){"a", "b", "c"}[i], "v3-8", NOW - 10 * HOUR, 0);
	d = report(ASK(.name = "trc"));
	report_expect(
		d, "grants", LINES, "trc|v3-8|us-central1-b|12|120|30|2.083333333|3|12|1");
}

static void what_no_grant_covers_does_not_count(void **state)
{
	struct doc *d;

	clear();
	watch(START - DAY);
	run("a", "v3-8", NOW - 3 * HOUR, 0);
	run("b", "v3-8", NOW - 3 * HOUR, 0);
	run("c", "v3-8", NOW - 2 * HOUR, 0); /* no room */
	run("d", "v2-8", NOW - 2 * HOUR, 0); /* not granted */
	d = report(ASK(.name = "trc"));
	report_expect(d, "grants", "chip_hours,tpus,peak_chips", "24|2|8");
	report_expect(d, "types", "type,tpus", "v3-8|2");
}

static void after_the_grant_ended_and_before_it_began(void **state)
{
	struct doc *d;

	clear();
	watch(START - DAY);
	grants[0].until = START + 10 * DAY;
	grants[1].starts = NOW + DAY;
	run("a", "v3-8", START + 9 * DAY, 0); /* goes on, and is paid */
	d = report(ASK(.name = NULL));
	report_expect(d, "grants", LINES,
		"trc|v3-8|us-central1-b|8|96|24|5|1|4|1\n"
		"other|v4|us-central2-b|32|-|-|-|-|-|-");
	assert_contains(doc_find(d, "grants")->rows[1].detail, "begins on 2026-11-22");
	assert_contains(d->headline, "from 2026-11-01 to 2026-11-10");
	d = report(ASK(.name = "other"));
	assert_contains(d->headline, "None of these grants was valid");
	w.settings.n_grants = 0;
	d = report(ASK(.name = NULL));
	assert_contains(d->headline, "The configuration has no grant");
}

static void what_nobody_watched_is_not_zero(void **state)
{
	struct doc *d;

	clear();
	d = report(ASK(.name = "trc")); /* never polled */
	report_expect(d, "grants", "chip_hours,percent,tpus", "-|-|-");
	assert_contains(doc_find(d, "grants")->rows[0].detail, "is unknown");
	assert_contains(d->headline, "We have no records for that time.");
	watch(START + 10 * DAY); /* none since then: that is no 0 for all of the time */
	d = report(ASK(.name = "trc"));
	report_expect(d, "grants", "chip_hours,percent,tpus", "-|-|-");
	assert_contains(doc_find(d, "grants")->rows[0].detail,
		"No TPU was seen since 2026-11-11 00:00; the use before is unknown.");
	assert_null(strstr(d->headline, "not used any"));
	assert_contains(d->headline, "no gaps since 2026-11-11 00:00");
	run("a", "v3-8", START + 8 * DAY, START + 9 * DAY);
	d = report(ASK(.name = "trc"));
	report_expect(d, "grants", "chip_hours,percent", "96|2.5");
	assert_contains(doc_find(d, "grants")->rows[0].detail,
		"At least: collected without gaps only since 2026-11-11 00:00.");
	assert_contains(d->headline, "we used at least 96.0 chip-hours");
	assert_contains(d->headline, "no gaps since 2026-11-11 00:00");
}

static void what_ran_after_it_was_last_seen_is_not_known(void **state)
{
	struct doc *d;

	clear();
	run("a", "v3-8", START, 0);
	watch_until(START - DAY, START + 10 * DAY);
	d = report(ASK(.name = NULL));
	report_expect(d, "grants", LINES ",last_use",
		"trc|v3-8|us-central1-b|8|960|240|25|1|4|10|2026-11-11T00:00:00Z\n"
		"other|v4|us-central2-b|32|-|-|-|-|-|-|-");
	assert_string_equal(doc_find(d, "grants")->rows[0].detail,
		"At least: collected only until 2026-11-11 00:00; later use is unknown.");
	assert_string_equal(doc_find(d, "grants")->rows[1].detail,
		"No TPU was seen until 2026-11-11 00:00; the use later is unknown.");
	assert_true(
		strstr(d->headline, "DATA STALE since 2026-11-11 00:00 (inventory). ") ==
		d->headline);
	assert_contains(d->headline,
		"Our records have no gaps until 2026-11-11 00:00; other use may be "
		"missing.");
	assert_contains(d->headline, "we used at least 960.0 chip-hours");
	assert_int_equal(d->tone, TONE_BAD);
	report_expect(d, "types", "chip_hours", "960");
	/* weeks that nobody watched are not weeks without use */
	report_expect(d, "weeks", "week,tpus,chip_hours",
		"2026-10-26|1|96\n2026-11-02|1|672\n2026-11-09|1|192");
	assert_contains(report_all(d, &w.t.a), "watched_until 2026-11-11T00:00:00Z");
	/* the hours that are asked for were watched */
	d = report(ASK(.name = "trc", .until = START + 10 * DAY));
	report_expect(d, "grants", "chip_hours,percent", "960|50");
	assert_null(doc_find(d, "grants")->rows[0].detail);
	assert_null(strstr(d->headline, "STALE"));
	assert_null(strstr(d->headline, "at least"));
	/* none of them was */
	d = report(ASK(.name = "trc", .since = START + 11 * DAY));
	report_expect(d, "grants", "chip_hours,tpus", "-|-");
	assert_contains(
		doc_find(d, "grants")->rows[0].detail, "Not collected in that time");
	/* only between */
	watch_until(START + 2 * DAY, START + 10 * DAY);
	d = report(ASK(.name = NULL));
	assert_contains(doc_find(d, "grants")->rows[0].detail,
		"only from 2026-11-03 00:00 until 2026-11-11 00:00");
	assert_contains(doc_find(d, "grants")->rows[1].detail,
		"No TPU was seen from 2026-11-03 00:00 until 2026-11-11 00:00;");
}

static void three_polls_may_be_missed(void **state)
{
	static const struct poll_interval minute = {"instances", 60};
	struct doc *d;

	clear();
	w.settings.intervals = &minute;
	w.settings.n_intervals = 1;
	run("a", "v3-8", START, 0);
	watch_until(START - DAY, NOW - 180);
	tempdb_exec(&w.t, "UPDATE source_status SET poll_group = 'instances'");
	d = report(ASK(.name = "trc"));
	report_expect(d, "grants", "chip_hours", "1920");
	assert_null(strstr(d->headline, "STALE"));
	watch_until(START - DAY, NOW - 900);
	tempdb_exec(&w.t, "UPDATE source_status SET poll_group = 'instances'");
	d = report(ASK(.name = "trc"));
	report_expect(d, "grants", "chip_hours", "1919");
	assert_contains(d->headline, "DATA STALE since 2026-11-20 23:45");
	/* one that answers in part: what is seen goes on, and the rest is said */
	run("b", "v3-8", START, 0);
	tempdb_exec(&w.t,
		"UPDATE source_status SET state = 'partial', last_attempt = 1795219200");
	d = report(ASK(.name = "trc"));
	report_expect(d, "grants", "chip_hours", "3839");
	assert_contains(d->headline,
		"Not everything could be read since 2026-11-20 23:45 (inventory). Thank "
		"you");
	assert_int_equal(d->tone, TONE_WARN);
	assert_contains(d->headline, "at least 3839.0");
	w.settings.n_intervals = 0;
}

/* Every view and report of it says the same. */
static void other_figures_agree(void **state)
{
	struct derive_opts o;
	struct err e = {0};

	clear();
	run("a", "v3-8", START, 0);
	watch_until(START - DAY, START + 10 * DAY);
	cost_derive(&w);
	cost_expect(
		&w, "SELECT covered_chip_hours FROM grants WHERE name = 'trc'", "960.0");
	cost_expect(&w, "SELECT covered FROM coverage", "1");
	o = (struct derive_opts){
		.settings = &w.settings, .now = NOW, .since = START, .until = NOW};
	assert_ok(derive(w.t.db, &o, &e), e);
	cost_expect(&w, "SELECT chip_hours || ' ' || ends FROM coverage",
		"960.0 2026-11-11T00:00:00Z");
	o.since = START + 12 * DAY;
	assert_ok(derive(w.t.db, &o, &e), e);
	cost_expect(&w, "SELECT COUNT(*) FROM coverage", "0");
}

static void days_before_it_was_watched_are_from_the_bill(void **state)
{
	struct doc *d;

	clear();
	watch(START + 2 * DAY);
	BILL(&w, .hour = START, .category = "tpu", .zone = "us-central1-b", .cost = 0);
	BILL(&w, .hour = START + DAY, .category = "tpu", .zone = "us-central1-b",
		.cost = UNITS(8), .credits = -UNITS(8), .credit_type = "DISCOUNT");
	BILL(&w, .hour = START + 2 * DAY, .category = "tpu", .zone = "us-central1-b",
		.cost = UNITS(99)); /* watched */
	BILL(&w, .hour = START, .category = "tpu", .zone = "europe-west4-a", .cost = 1);
	tempdb_exec(&w.t, "UPDATE usage SET usage = 3000000000 WHERE credit_ref = 0");
	d = report(ASK(.name = "trc"));
	report_expect(d, "billed", "family,location,provisioning,billed_chip_hours",
		"v3|us-central1-b|on-demand|24");
	assert_contains(doc_find(d, "billed")->note, "until 2026-11-02, free or not");
}

static void a_name_that_is_none_is_an_error(void **state)
{
	const struct report_kind *k = report_kind_find("grant");
	struct report_ask ask = {
		.settings = &w.settings, .name = "trx", .since = TS_NONE, .until = TS_NONE};
	struct err e = {0};

	clear();
	assert_err(k->period(&ask, &e), e, E_USAGE, "no grant is named 'trx'");
	ask.name = NULL;
	ask.since = ask.until = NOW;
	err_clear(&e);
	assert_err(k->period(&ask, &e), e, E_USAGE, "--since must be before --until");
}

/* ---- no secrets ---------------------------------------------------------------------------- */

static const char *const secrets[] = {"USD", "HKD", "EUR", "JPY", "$", "cost", "price",
	"net\"", "currency", "01AB23", "@example", "secret", "ada", "lab-one", "gcloud",
	"billing account"};

static void hides(const char *format, const char *text)
{
	for (size_t i = 0; i < ARRAY_LEN(secrets); i++)
		if (strstr(text, secrets[i]))
			fail_msg("%s has \"%s\": %s", format, secrets[i],
				strstr(text, secrets[i]));
	/* amounts that are known to be in the database */
	assert_null(strstr(text, "1234.56"));
	assert_null(strstr(text, "987.65"));
}

static void no_format_has_money_or_names(void **state)
{
	struct doc *d;

	clear();
	watch(START + 3 * DAY);
	w.settings.currency = "HKD";
	RUN(&w, .kind = "tpu", .type = "v3-8", .name = "secret-1", .project = "lab-one",
		.since = START + DAY);
	RUN(&w, .name = "secret-2", .project = "lab-one");
	tempdb_exec(&w.t, "UPDATE resource SET owner = 'ada@example.org'");
	BILL(&w, .hour = START, .cost = UNITS(1234.56), .account = "01AB23-CD45EF-678901");
	BILL(&w, .hour = START, .cost = UNITS(987.65), .category = "tpu", .currency = "HKD",
		.zone = "us-central1-b", .project = "lab-one");
	tempdb_exec(&w.t, "UPDATE usage SET usage = 3000000000 WHERE credit_ref = 0");
	d = report(ASK(.name = NULL));
	assert_int_equal(doc_find(d, "billed")->n, 1);
	assert_int_equal(doc_find(d, "types")->n, 1);
	hides("model", report_all(d, &w.t.a));
	for (size_t i = 0; i < n_doc_formats; i++)
		for (int mail = 0; mail < 2; mail++) {
			struct format_opts o = {.mail = mail};
			struct sbuf b = SBUF_INIT;

			doc_formats[i].render(d, &o, &b);
			assert_true(b.len > 100);
			hides(doc_formats[i].name, b.s);
			sbuf_done(&b);
		}
	for (size_t i = 0; i < d->n; i++)
		for (int k = 0; k < d->sections[i]->n_columns; k++) {
			enum doc_type type = d->sections[i]->columns[k].type;

			assert_true(type != DOC_MONEY && type != DOC_RATE);
		}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hours_chips_days_and_utilisation),
		cmocka_unit_test(the_text_is_short_whatever_is_granted),
		cmocka_unit_test(lines_for_the_same_thing_are_one),
		cmocka_unit_test(what_no_grant_covers_does_not_count),
		cmocka_unit_test(after_the_grant_ended_and_before_it_began),
		cmocka_unit_test(what_nobody_watched_is_not_zero),
		cmocka_unit_test(what_ran_after_it_was_last_seen_is_not_known),
		cmocka_unit_test(three_polls_may_be_missed),
		cmocka_unit_test(other_figures_agree),
		cmocka_unit_test(days_before_it_was_watched_are_from_the_bill),
		cmocka_unit_test(a_name_that_is_none_is_an_error),
		cmocka_unit_test(no_format_has_money_or_names),
	};

	return cmocka_run_group_tests(tests, setup, tempdb_teardown);
}

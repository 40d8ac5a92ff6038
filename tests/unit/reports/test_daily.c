/* The daily report: each thing in its place, the headline, and what is not known. */
#include "base/money.h"
#include "rules/act/audit.h"
#include "tests/support/assert.h"
#include "tests/support/world/daily_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define HOURLY (8 * NANOS)
#define WRONG .why = "wrong-zone", .why_text = "v3-8 is granted in a; this one is in b"
#define TPU .kind = "tpu", .type = "v3-8"

static int clear(void **state)
{
	dw_clear();
	return 0;
}

static void heads(const char *want)
{
	const struct doc *d = dw_build();

	if (strcmp(d->headline, want) != 0)
		fail_msg("gave %s\nwant %s", d->headline, want);
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in\n%s", part, text);
}

static void each_thing_is_in_its_place(void **state)
{
	dw_polled();
	PUT(TPU, .name = "bad", .net = HOURLY, WRONG);
	PUT(TPU, .name = "good", .why = "covered", .grant = "trc", .gross = HOURLY);
	PUT(.name = "big", .type = "n1-highmem-96", .net = 5678544000);
	PUT(.name = "off", .state = "stopped", .net = 0);
	PUT(.kind = "disk", .name = "spare", .state = "unattached", .net = 100000000);
	PUT(.kind = "ip", .name = "addr", .location = "global", .state = "stopped",
		.net = 10000000);
	PUT(.kind = "disk", .name = "used", .state = "attached");
	PUT(TPU, .name = "dead", .state = "preempted", .provisioning = "spot");
	PUT(.kind = "queued", .name = "waits", .state = "suspended",
		.raw_state = "SUSPENDED");
	dw_build();
	dw_rows("running", 3);
	dw_is("running", 0, "name", "bad");
	dw_is("running", 0, "why", "wrong-zone");
	dw_is("running", 0, "covered", "no");
	dw_is("running", 0, "net_per_hour", "8.00 USD/h~");
	dw_is("running", 0, "running_hours", "2.0");
	dw_is("running", 1, "name", "big");
	dw_is("running", 1, "why", "-");
	dw_is("running", 2, "name", "good");
	dw_is("running", 2, "grant_name", "trc");
	dw_is("running", 2, "net_per_hour", "0.00 USD/h~");
	dw_is("running", 2, "gross_per_hour", "8.00 USD/h~");
	dw_rows("left_behind", 5);
	dw_is("left_behind", 0, "name", "spare");
	dw_is("left_behind", 0, "net_per_month", "73.00 USD~");
	dw_is("left_behind", 1, "name", "addr");
	dw_is("left_behind", 1, "net_per_month", "7.30 USD~");
	dw_is("left_behind", 2, "name", "waits");
	dw_is("left_behind", 2, "net_per_month", "0.00 USD~");
	dw_is("left_behind", 3, "name", "dead");
	dw_is("left_behind", 3, "state", "preempted");
	dw_is("left_behind", 4, "net_per_month", "80.30 USD~");
	assert_true(dw_row("left_behind", 4)->total);
}

/* What the record ends with is noted where it stays. */
static void it_ends_with_the_head_of_the_audit(void **state)
{
	static const struct audit_entry entry = {.actor = "tpucost", .event = "began"};
	static const char *const people[] = {"text", "markdown", "html", "slack"};
	char hash[AUDIT_HASH_BUF];
	const struct doc *d;
	struct err e = {0};

	dw_polled();
	d = dw_build();
	assert_string_equal(d->sections[d->n - 1]->key, "audit");
	assert_false(doc_section_shown(d->sections[d->n - 1]));
	for (int i = 0; i < 2; i++)
		assert_ok(audit_add(dw.t.db, &entry, i, &e), e);
	d = dw_build();
	assert_string_equal(d->sections[d->n - 1]->key, "audit");
	assert_null(d->sections[d->n - 1]->title);
	dw_rows("audit", 1);
	dw_is("audit", 0, "seq", "2");
	dw_is("audit", 0, "entries", "2");
	dw_is("audit", 0, "hash",
		tempdb_text(
			&dw.t, "SELECT hash FROM audit WHERE seq = 2", hash, sizeof(hash)));
	for (size_t i = 0; i < ARRAY_LEN(people); i++) {
		has(dw_render(people[i]), "Audit: 2 entries, newest hash");
		has(dw_render(people[i]), hash);
	}
	/* also where there is hardly room for what is to be done */
	for (int i = 0; i < 40; i++)
		dw_fires("vm-forgotten", arena_printf(&dw.t.a, "p/vm/z/%0300d", i),
			"warning",
			"A long story of it, so that chat has no room for the rest.");
	dw_build();
	has(dw_render("slack"),
		arena_printf(&dw.t.a, "Audit: 2 entries, newest hash %s", hash));
}

/* That a machine merely runs is no reason to stop it. */
static void only_what_is_wrong_is_to_be_stopped(void **state)
{
	dw_polled();
	PUT(TPU, .name = "bad", .net = HOURLY, WRONG);
	PUT(.name = "big", .net = HOURLY);
	PUT(.kind = "disk", .name = "spare", .state = "unattached", .net = 100000000);
	dw_build();
	dw_rows("do_now", 1);
	dw_is("do_now", 0, "name", "bad");
	assert_string_equal(dw_row("do_now", 0)->command,
		"gcloud compute tpus tpu-vm stop bad --zone us-central1-b --project p");
	has(dw_row("do_now", 0)->detail, "Not covered: v3-8 is granted in a");
	for (size_t i = 0; i < 2; i++)
		assert_null(dw_row("running", i)->command);
	assert_null(dw_row("left_behind", 0)->command);
}

static void commands_fit_what_they_end(void **state)
{
	static const struct {
		const char *name, *command;
	} want[] = {
		{"a-slice",
			"gcloud compute tpus tpu-vm delete a-slice --zone us-central1-b "
			"--project p"},
		{"b-spot",
			"gcloud compute tpus tpu-vm delete b-spot --zone us-central1-b "
			"--project p"},
		{"c-queued",
			"gcloud compute tpus queued-resources delete q1 "
			"--zone=us-central1-b --project=p --force"},
		{"d-machine",
			"gcloud compute instances stop d-machine --zone us-central1-b "
			"--project p"},
	};

	dw_polled();
	PUT(TPU, .name = "a-slice", .net = HOURLY, .hosts = 4, WRONG);
	PUT(TPU, .name = "b-spot", .net = HOURLY, .provisioning = "spot", WRONG);
	PUT(TPU, .name = "c-queued", .net = HOURLY, .queued = "q1", WRONG);
	PUT(TPU, .name = "d-machine", .net = HOURLY, .source = "vm", WRONG);
	dw_build();
	dw_rows("do_now", ARRAY_LEN(want));
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		dw_is("do_now", i, "name", want[i].name);
		assert_string_equal(dw_row("do_now", i)->command, want[i].command);
	}
}

static void an_empty_database_says_so_and_shows_no_zeros(void **state)
{
	heads("No data has been collected yet; run: tpucost collect");
	assert_string_equal(dw.doc->subject, "[tpucost] no data yet");
	has(dw_render("text"), "not completely read yet");
	has(dw_render("text"),
		"No billing data yet: set billing.table in the configuration");
	has(dw_render("text"), "Not known: no poll was complete.");
	assert_null(strstr(dw_render("text"), "0.00"));
	assert_null(strstr(dw_render("markdown"), "0.00"));
}

static void an_imported_bill_is_no_inventory(void **state)
{
	dw_bill(1, "cpu", "HKD", 2 * NANOS, 0);
	heads("Only imported costs are known; to read resources: tpucost collect.");
	has(dw_render("text"), "Billing: from");
	has(dw_render("text"), "Collect first: tpucost collect");
	has(dw_render("json"), "\"do_now\":\"Collect first: tpucost collect\"");
	dw_rows("running", 0);
	/* collect would read no resource */
	dw.settings.watches = false;
	heads("Only imported costs are known; to read resources: list projects in the "
	      "configuration.");
	has(dw_render("text"), "Not known: the configuration lists no project.");
	dw_clear();
	heads("No data has been collected yet; run: tpucost import");
	dw.settings.n_export_tables = 1;
	heads("No data has been collected yet; run: tpucost collect");
	/* a table that was read is not imported */
	dw_bill(1, "cpu", "HKD", 2 * NANOS, 0);
	dw_source("billing", "ok", DW_NOW - 60, NULL, NULL);
	heads("Only costs are known; to read resources: list projects in the "
	      "configuration.");
}

/* That nothing was seen is not that nothing is there. */
static void what_could_not_be_read_is_not_said_to_be_nothing(void **state)
{
	dw_source("vm", "failed", TS_NONE, "HTTP 403", NULL);
	dw_source("disk", "ok", DW_NOW - 60, NULL, NULL);
	heads("No uncovered TPU is known; some sources could not be read: tpucost "
	      "sources.");
	has(dw_render("text"), "Not known.");
	dw_clear();
	dw_source("vm", "ok", DW_NOW, NULL, NULL);
	dw_source("tpu", "disabled", TS_NONE, NULL, NULL);
	/* metrics are no inventory */
	dw_source("metric", "failed", TS_NONE, NULL, NULL);
	heads("No TPU is running; no resource costs money now.");
	dw_clear();
	dw_source("tpu", "partial", TS_NONE, "us-central1-a does not answer", NULL);
	PUT(TPU, .name = "bad", .net = HOURLY, WRONG);
	heads("Stop bad to save about 8.00 USD/h; some sources could not be read: tpucost "
	      "sources.");
	assert_non_null(strstr(dw.doc->subject, ": 1 TPU not covered, "));
}

static void old_data_is_said_first(void **state)
{
	dw_source("vm", "failed", DW_NOW - 3 * 86400, "HTTP 500", NULL);
	dw_source("tpu", "ok", DW_NOW - 60, NULL, NULL);
	dw_source("billing", "ok", DW_NOW - 60, NULL, NULL);
	dw_bill(1, "cpu", "USD", NANOS, 0);
	heads("DATA STALE since 2026-11-18 08:00 (inventory); last known: No uncovered TPU "
	      "is known.");
	assert_string_equal(dw.doc->subject,
		"[tpucost] DATA STALE since 2026-11-18 08:00; p: 1.00 USD so far on Fri "
		"20 Nov, 1 action to take");
	assert_int_equal(dw.doc->tone, TONE_BAD);
	dw_clear();
	dw_source("vm", "ok", DW_NOW - 3 * 86400, NULL, NULL);
	dw_source("tpu", "ok", DW_NOW - 60, NULL, NULL);
	PUT(TPU, .name = "bad", .net = HOURLY, .gross = HOURLY, WRONG);
	heads("DATA STALE since 2026-11-18 08:00 (inventory); last known: Stop bad to save "
	      "about 8.00 USD/h.");
	/* the longest of all: still at most 30 words */
	dw_clear();
	dw_source("vm", "ok", DW_NOW - 3 * 86400, NULL, NULL);
	dw_source("billing", "failed", DW_NOW - 2 * 86400, "HTTP 500", NULL);
	dw_bill(5, "cpu", "USD", NANOS, 0);
	PUT(.name = "a", .unpriced = true);
	dw_burns("p/vm/us-central1-b/a", "cpu", 0, 0, NULL);
	dw_burns("p/vm/us-central1-b/d", "cpu", NANOS, NANOS, "EUR");
	dw_burns("p/vm/us-central1-b/b", "cpu", 2 * NANOS, 2 * NANOS, "USD");
	dw_burns("p/vm/us-central1-b/c", "cpu", NANOS, NANOS, "HKD");
	heads("DATA STALE since 2026-11-18 08:00 (inventory and bill); last known: No "
	      "uncovered TPU is known; the net burn is about 2.00 USD/h and more in 2 "
	      "currencies and unknown prices.");
	dw_clear();
	dw_source("vm", "failed", TS_NONE, "HTTP 500",
		NULL); /* never: TPUs were seen all the same */
	dw_source("tpu", "ok", DW_NOW - 60, NULL, NULL);
	PUT(TPU, .name = "bad", .net = HOURLY, .gross = HOURLY, WRONG);
	heads("Stop bad to save about 8.00 USD/h; some sources could not be read: tpucost "
	      "sources.");
	dw_clear();
	dw_source("vm", "ok", DW_NOW - 60, NULL, NULL);
	dw_source("billing", "failed", DW_NOW - 2 * 86400, "HTTP 500", NULL);
	dw_bill(3, "cpu", "USD", NANOS, 0);
	heads("DATA STALE since 2026-11-19 08:00 (bill); last known: No TPU is running; no "
	      "resource costs money now.");
	has(dw_render("text"), "No billing data for yesterday yet.");
	dw_is("money", 0, "net_yesterday", "unknown");
	dw_is("money", 0, "net_7d", "1.00 USD*");
}

static void all_is_well_is_short(void **state)
{
	const char *text, *p;
	size_t lines = 0;

	dw_polled();
	PUT(TPU, .name = "good", .why = "covered", .grant = "trc", .gross = HOURLY);
	dw_burns("p/tpu/us-central1-b/good", "tpu", HOURLY, 0, "USD");
	heads("Every running TPU is covered; no resource costs money now.");
	assert_int_equal(dw.doc->tone, TONE_GOOD);
	text = dw_render("text");
	for (p = text; (p = strchr(p, '\n')); p++)
		lines++;
	if (lines > 27)
		fail_msg("%zu lines:\n%s", lines, text);
	has(text, "Do now\n  Nothing.");
}

static void an_unknown_price_is_counted_not_added(void **state)
{
	dw_polled();
	PUT(.name = "odd", .unpriced = true);
	PUT(TPU, .name = "bad", .unpriced = true, WRONG);
	dw_burns("p/vm/us-central1-b/odd", "cpu", 0, 0, NULL);
	dw_burns("p/tpu/us-central1-b/bad", "tpu", 0, 0, NULL);
	heads("1 TPU is not covered by a grant: unknown price.");
	dw_is("running", 0, "net_per_hour", "unknown");
	dw_rows("burn", 2);
	dw_is("burn", 0, "net_per_hour", "unknown");
	dw_rows("burn_per_hour", 0);
	has(dw_row("do_now", 0)->detail, "is in b. Its price is unknown.");
}

static void what_burns_is_summed_by_category_and_currency(void **state)
{
	dw_polled();
	PUT(.name = "a", .net = 2 * NANOS);
	PUT(.name = "b", .net = 3 * NANOS);
	PUT(.name = "c", .net = NANOS, .currency = "HKD");
	dw_burns("p/vm/us-central1-b/a", "cpu", 2 * NANOS, 2 * NANOS, "USD");
	dw_burns("p/vm/us-central1-b/b", "cpu", 3 * NANOS, 3 * NANOS, "USD");
	dw_burns("p/vm/us-central1-b/c", "cpu", NANOS, NANOS, "HKD");
	dw_burns("p/vm/us-central1-b/a", "gpu", 5 * NANOS, 4 * NANOS, "USD");
	heads("No TPU is running; the net burn is about 9.00 USD/h and 1.00 HKD/h.");
	dw_rows("burn", 5);
	dw_is("burn", 0, "category", "cpu");
	dw_is("burn", 0, "resources", "2");
	dw_is("burn", 0, "net_per_day", "120.00 USD~");
	dw_is("burn", 1, "net_per_hour", "4.00 USD/h~");
	dw_is("burn", 2, "net_per_hour", "1.00 HKD/h~");
	dw_is("burn", 3, "net_per_hour", "9.00 USD/h~");
	dw_is("burn", 3, "gross_per_hour", "10.00 USD/h~");
	assert_true(dw_row("burn", 4)->total && !dw_row("burn", 4)->folded);
	assert_true(dw_row("burn", 3)->total && !dw_row("burn", 3)->folded);
	dw_rows("burn_per_hour", 2);
	dw_is("burn_per_hour", 0, "net_per_hour", "9.00 USD/h~");
	/* two hours of each; all of them began today */
	dw_is("today_estimate", 1, "net", "18.00 USD~");
}

/* 08:00 in Hong Kong: eight hours of today. */
static void today_begins_at_midnight_of_the_zone(void **state)
{
	dw_polled();
	PUT(.name = "a", .net = 2 * NANOS);
	tempdb_exec(&dw.t, "UPDATE verdict SET running_since = 0");
	dw_burns("p/vm/us-central1-b/a", "cpu", 2 * NANOS, 2 * NANOS, "USD");
	dw_build();
	dw_is("today_estimate", 0, "net", "16.00 USD~");
}

/* Nobody looked after two o'clock: what ran then may be gone. */
static void today_ends_when_it_was_last_seen(void **state)
{
	dw_polled();
	PUT(.name = "a", .net = 2 * NANOS);
	PUT(.name = "b", .net = 2 * NANOS);
	tempdb_exec(&dw.t,
		"UPDATE verdict SET running_since = 0;"
		"UPDATE source_status SET last_success = 1795219200 - 21600;"
		"UPDATE resource SET last_seen = 1795219200 - 21600");
	dw_burns("p/vm/us-central1-b/a", "cpu", 2 * NANOS, 2 * NANOS, "USD");
	dw_build();
	dw_is("today_estimate", 0, "net", "4.00 USD~");
	assert_string_equal(doc_find(dw.doc, "burn")->note,
		"Running resources have cost about 4.00 USD today, until they were last "
		"polled.");
	/* and before today: nothing of today is known */
	tempdb_exec(&dw.t,
		"UPDATE source_status SET last_success = 1795219200 - 36000;"
		"UPDATE resource SET last_seen = 1795219200 - 36000");
	dw_build();
	dw_rows("today_estimate", 0);
	assert_null(doc_find(dw.doc, "burn")->note);
}

static void what_is_on_hold_is_left_alone_and_still_shown(void **state)
{
	dw_polled();
	PUT(TPU, .name = "kept", .net = HOURLY, .exempt = true, WRONG);
	PUT(TPU, .name = "held", .net = HOURLY, WRONG);
	PUT(TPU, .name = "quiet", .net = HOURLY, WRONG);
	tempdb_exec(&dw.t,
		"INSERT INTO hold VALUES ('p/tpu/us-central1-b/held', 0, 1795219201, '');"
		"INSERT INTO silence (rule, subject, created, until, comment) VALUES "
		"('tpu-not-covered', 'p/tpu/us-central1-b/quiet', 0, 1795219201, '')");
	dw_build();
	dw_rows("do_now", 0);
	dw_rows("running", 3);
	dw_is("running", 0, "name", "held");
	has(dw_row("running", 0)->detail, "on hold, and not covered: v3-8 is granted in a");
	dw_is("running", 1, "exempt", "yes");
	has(dw.doc->headline,
		"3 uncovered TPUs are silenced, on hold or exempt: about 24.00 USD/h");
	assert_null(strstr(dw.doc->subject, "not covered"));
	assert_int_equal(dw.doc->tone, TONE_GOOD);
	/* over: the hold ended a second ago */
	tempdb_exec(&dw.t,
		"UPDATE hold SET until = 1795219200;UPDATE silence SET until = 1795219200");
	dw_build();
	dw_rows("do_now", 2);
}

static void a_hostile_name_stays_one_word(void **state)
{
	dw_polled();
	PUT(TPU, .name = "<script>\x1b[31m\xe2\x80\xaex'$(rm -rf /)\r\n<!channel>",
		.net = HOURLY, WRONG);
	dw_build();
	has(dw_row("do_now", 0)->command, "'<script>");
	has(dw_row("do_now", 0)->command, "'\\''$(rm -rf /)");
	assert_null(strchr(dw_render("text"), 27));
	assert_null(strstr(dw_render("text"), "\xe2\x80\xae"));
	assert_null(strstr(dw_render("slack"), "<!channel>"));
}

/* One row for each cause that is no action to take. */
static void a_glance_names_a_source_for_each_cause(void **state)
{
	struct report_ask ask = {.db = dw.t.db,
		.settings = &dw.settings,
		.now = DW_NOW,
		.since = TS_NONE,
		.until = TS_NONE,
		.glance = true};
	const struct doc_section *s;
	struct doc *d;
	struct err e = {0};

	dw_polled();
	tempdb_exec(&dw.t,
		"UPDATE source_status SET state = 'failed', "
		"error = 'list ' || source || ': HTTP 503'");
	tempdb_exec(&dw.t,
		"UPDATE source_status SET error = 'no answer' WHERE source = 'disk'");
	assert_ok(daily_build(&ask, &dw.t.a, &d, &e), e);
	s = doc_find(d, "sources");
	assert_int_equal(s->n, 2);
	assert_string_equal(s->rows[0].line, "4 sources: HTTP 503");
	assert_string_equal(s->rows[1].cells[0].text, "disk");
	assert_string_equal(s->rows[1].detail, "no answer");
	assert_null(s->rows[1].line);
}

/* What is asked for is as in the whole report, and nothing else is read for it. */
static void a_glance_has_what_is_to_be_done(void **state)
{
	static const char *const both[] = {
		"do_now", "enforcement", "lost_messages", "gaps"};
	struct report_ask ask = {.db = dw.t.db,
		.settings = &dw.settings,
		.now = DW_NOW,
		.since = TS_NONE,
		.until = TS_NONE,
		.glance = true};
	const struct doc *whole;
	struct doc *d;
	struct err e = {0};

	dw_polled();
	dw_bill(1, "cpu", "USD", 3 * NANOS, 0);
	PUT(TPU, .name = "wrong", .net = HOURLY, WRONG);
	whole = dw_build();
	/* reading a day of the bill would fail now */
	tempdb_exec(&dw.t, "UPDATE project_day SET sku_ref = 9999");
	assert_int_not_equal(daily_build(&(struct report_ask){.db = dw.t.db,
						 .settings = &dw.settings,
						 .now = DW_NOW,
						 .until = TS_NONE},
				     &dw.t.a, &d, &e),
		E_OK);
	e = (struct err){0};
	assert_ok(daily_build(&ask, &dw.t.a, &d, &e), e);
	for (size_t i = 0; i < ARRAY_LEN(both); i++)
		assert_int_equal(doc_find(d, both[i])->n, doc_find(whole, both[i])->n);
	assert_int_equal(doc_find(d, "do_now")->n, 1);
	assert_string_equal(doc_find(d, "do_now")->rows[0].command,
		doc_find(whole, "do_now")->rows[0].command);
	assert_int_equal(doc_find(d, "sources")->n, 0); /* none has a problem */
	assert_null(doc_find(d, "money"));
	assert_null(doc_find(d, "budgets"));
	assert_null(d->headline);
	/* no fact is of what was not read */
	for (size_t i = 0; i < d->n_facts; i++)
		assert_true(strcmp(d->facts[i].key, "unknown_prices") &&
			strcmp(d->facts[i].key, "net_burn"));
	assert_int_equal(d->n_facts, whole->n_facts - 2);
}

/* The same section of both, cell by cell. */
static void same_section(const struct doc *a, const struct doc *b, const char *key)
{
	const struct doc_section *x = doc_find(a, key), *y = doc_find(b, key);

	assert_int_equal(x->n, y->n);
	for (size_t i = 0; i < x->n; i++) {
		const struct doc_row *r = &x->rows[i], *q = &y->rows[i];
		struct sbuf one = SBUF_INIT, two = SBUF_INIT;

		for (int k = 0; k < x->n_columns; k++) {
			doc_cell_text(a, &x->columns[k], &r->cells[k], &one);
			doc_cell_text(b, &y->columns[k], &q->cells[k], &two);
		}
		assert_string_equal(one.s, two.s);
		assert_string_equal(r->detail ? r->detail : "", q->detail ? q->detail : "");
		assert_string_equal(
			r->command ? r->command : "", q->command ? q->command : "");
		sbuf_done(&one);
		sbuf_done(&two);
	}
}

/* A glance reads only what is uncovered, and grants only where one ends soon. */
static void a_glance_says_what_the_report_says(void **state)
{
	static const char *const states[] = {
		"running", "unknown", "stopped", "preempted", "failed", "starting"};
	/* past, soon, as late as counts, too late */
	static const ts_t ends[] = {-60, 3600, 7 * 86400, 7 * 86400 + 1};
	struct grant grant = {.name = "trc"};
	struct report_ask ask = {.db = dw.t.db,
		.settings = &dw.settings,
		.now = DW_NOW,
		.since = TS_NONE,
		.until = TS_NONE,
		.glance = true};
	const struct doc *whole;
	struct err e = {0};
	struct doc *d;

	dw_polled();
	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		PUT(TPU, .name = arena_printf(&dw.t.a, "wrong%zu", i), .state = states[i],
			.net = (int64_t)i * HOURLY, WRONG);
		PUT(TPU, .name = arena_printf(&dw.t.a, "right%zu", i), .state = states[i],
			.why = "covered", .gross = HOURLY);
		PUT(.name = arena_printf(&dw.t.a, "vm%zu", i), .state = states[i],
			.net = HOURLY);
	}
	PUT(TPU, .name = "riddle", .unpriced = true, WRONG);
	PUT(TPU, .name = "exempt", .exempt = true, .net = HOURLY, WRONG);
	PUT(TPU, .name = "held", .net = HOURLY, WRONG);
	tempdb_exec(&dw.t,
		"INSERT INTO hold VALUES ('p/tpu/us-central1-b/held', 0, 1795219201, '')");
	dw.settings.grants = &grant;
	dw.settings.n_grants = 1;
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		grant.until = DW_NOW + ends[i];
		tempdb_execf(&dw.t,
			"DELETE FROM grant_end; INSERT INTO grant_end VALUES ('trc', %lld, "
			"NULL, 4, 1, '', 'x', 5, 'USD')",
			(long long)grant.until);
		whole = dw_build();
		assert_ok(daily_build(&ask, &dw.t.a, &d, &e), e);
		same_section(d, whole, "do_now");
		assert_int_equal(doc_find(d, "do_now")->n,
			3 + (ends[i] > 0 && ends[i] <= 7 * 86400));
	}
	dw.settings.grants = NULL;
	dw.settings.n_grants = 0;
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_thing_is_in_its_place, clear),
		cmocka_unit_test_setup(only_what_is_wrong_is_to_be_stopped, clear),
		cmocka_unit_test_setup(commands_fit_what_they_end, clear),
		cmocka_unit_test_setup(an_empty_database_says_so_and_shows_no_zeros, clear),
		cmocka_unit_test_setup(an_imported_bill_is_no_inventory, clear),
		cmocka_unit_test_setup(
			what_could_not_be_read_is_not_said_to_be_nothing, clear),
		cmocka_unit_test_setup(old_data_is_said_first, clear),
		cmocka_unit_test_setup(all_is_well_is_short, clear),
		cmocka_unit_test_setup(an_unknown_price_is_counted_not_added, clear),
		cmocka_unit_test_setup(
			what_burns_is_summed_by_category_and_currency, clear),
		cmocka_unit_test_setup(today_ends_when_it_was_last_seen, clear),
		cmocka_unit_test_setup(today_begins_at_midnight_of_the_zone, clear),
		cmocka_unit_test_setup(
			what_is_on_hold_is_left_alone_and_still_shown, clear),
		cmocka_unit_test_setup(a_hostile_name_stays_one_word, clear),
		cmocka_unit_test_setup(a_glance_names_a_source_for_each_cause, clear),
		cmocka_unit_test_setup(a_glance_has_what_is_to_be_done, clear),
		cmocka_unit_test_setup(a_glance_says_what_the_report_says, clear),
		/* entries cannot be cleared */
		cmocka_unit_test_setup(it_ends_with_the_head_of_the_audit, clear),
	};

	return cmocka_run_group_tests(tests, dw_setup, tempdb_teardown);
}

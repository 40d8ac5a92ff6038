/* Actions in reports: what was done, what is due, what waits for a person, and what it all saved. */
#include "base/money.h"
#include "tests/support/world/daily_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define ID(name) "p/vm/us-central1-b/" name
#define HOUR 3600

static const struct enforcement armed = {.mode = ENFORCE_ARMED};

struct row {
	const char *name, *state, *held, *reason, *mode, *verb, *currency, *restart;
	int64_t due, ended; /* seconds from now; 0: none */
	int64_t saves;      /* nanos an hour; -1: nobody knows */
};

static const char *some(const char *s, const char *other)
{
	return s ? s : other;
}

static const char *at(int64_t offset, char buf[32])
{
	if (!offset)
		return "NULL";
	snprintf(buf, 32, "%lld", (long long)(DW_NOW + offset));
	return buf;
}

static void put(const struct row *r)
{
	const char *currency = some(r->currency, "USD"), *name = some(r->name, "a");
	char due[32], ended[32], saves[32] = "NULL";

	if (r->saves >= 0)
		snprintf(saves, sizeof(saves), "%lld", (long long)r->saves);
	tempdb_execf(&dw.t,
		"INSERT INTO action (rule, resource, uid, source, kind, project, location, "
		"name, verb, mode, severity, policy, state, held, reason, since, began, "
		"due, attempts, saves, residual, currency, ended, restart) VALUES ('big', "
		"'%s%s', '%s', 'vm', 'vm', 'p', 'us-central1-b', '%s', '%s', '%s', "
		"'warning', 'x', '%s', '%s', '%s', 0, 0, %s, 0, %s, 5000000, '%s', %s, "
		"%s%s%s)",
		ID(""), name, name, name, some(r->verb, "stop"), some(r->mode, "armed"),
		some(r->state, "grace"), some(r->held, ""), some(r->reason, "a reason"),
		at(r->due, due), saves, currency, at(r->ended, ended),
		r->restart ? "'" : "", some(r->restart, "NULL"), r->restart ? "'" : "");
}
#define ROW(...) put(&(struct row){__VA_ARGS__})

/* A stretch of a machine's time, in seconds from now; ends 0: it goes on. */
static void was(
	const char *name, const char *uid, const char *state, int64_t starts, int64_t ends)
{
	char from[32], to[32];

	tempdb_execf(&dw.t,
		"INSERT INTO resource_interval (id, uid, starts, ends, kind, project, "
		"location, name, state) VALUES ('%s%s', '%s', %s, %s, 'vm', 'p', "
		"'us-central1-b', '%s', '%s')",
		ID(""), name, uid, at(starts, from), at(ends, to), name, state);
}

static int clear(void **state)
{
	dw_clear();
	tempdb_exec(&dw.t, "DELETE FROM action");
	tempdb_exec(&dw.t, "DELETE FROM resource_interval");
	dw.settings.enforcement = &armed;
	return 0;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in\n%s", part, text);
}

/* ---- the daily report -------------------------------------------------------------------------- */

static void what_was_done_stands_before_what_is_due(void **state)
{
	ROW(.name = "later", .due = 2 * HOUR, .saves = NANOS);
	ROW(.name = "soon", .due = HOUR, .saves = NANOS);
	ROW(.name = "limit", .state = "recheck", .held = "caps", .due = -60,
		.reason = "limit reached: 4 ready, 3 a run", .saves = NANOS);
	ROW(.name = "halted", .held = "halt", .due = -30, .reason = "halted",
		.saves = NANOS);
	ROW(.name = "waits", .state = "pending", .saves = NANOS);
	ROW(.name = "moves", .state = "sent", .saves = NANOS, .due = -90);
	ROW(.name = "gone", .state = "done", .ended = -HOUR, .saves = NANOS,
		.restart = "gcloud x start gone");
	ROW(.name = "no", .state = "failed", .ended = -2 * HOUR, .saves = NANOS,
		.reason = "Google refuses; run: gcloud x mend, or see docs/iam.md");
	/* no news */
	ROW(.name = "old", .state = "done", .ended = -25 * HOUR, .saves = NANOS);
	ROW(.name = "calm", .state = "cleared", .ended = -HOUR, .saves = NANOS);
	ROW(.name = "dry", .state = "cleared", .mode = "dry-run", .ended = -HOUR);
	dw_build();
	dw_rows("actions", 8);
	dw_is("actions", 0, "name", "no");
	dw_is("actions", 0, "action", "could not be stopped");
	assert_string_equal(dw_row("actions", 0)->detail, "Google refuses");
	assert_string_equal(dw_row("actions", 0)->command, "gcloud x mend");
	dw_is("actions", 1, "name", "gone");
	dw_is("actions", 1, "action", "stopped");
	assert_string_equal(dw_row("actions", 1)->command, "gcloud x start gone");
	dw_is("actions", 2, "action", "is being stopped");
	assert_null(dw_row("actions", 2)->command);
	dw_is("actions", 3, "action", "held");
	dw_is("actions", 3, "held", "caps");
	assert_string_equal(
		dw_row("actions", 3)->detail, "limit reached: 4 ready, 3 a run");
	has(dw_row("actions", 3)->command, "tpucost enforce approve ");
	dw_is("actions", 4, "held", "halt");
	assert_null(dw_row("actions", 4)->command);
	dw_is("actions", 5, "name", "soon");
	dw_is("actions", 5, "action", "will be stopped");
	dw_is("actions", 5, "at", "2026-11-21 09:00");
	dw_is("actions", 5, "saves_per_hour", "1.00 USD/h~");
	assert_string_equal(dw_row("actions", 5)->command,
		"tpucost hold add " ID("soon") " --until 2026-11-28");
	dw_is("actions", 6, "name", "later");
	dw_is("actions", 7, "name", "waits");
	dw_is("actions", 7, "action", "may be stopped");
	dw_is("actions", 7, "at", "-");
	assert_string_equal(doc_find(dw.doc, "actions")->note,
		"Enforcement is armed. Last 24 hours: 1 stopped or deleted, 1 failed.");
	assert_string_equal(doc_find(dw.doc, "actions")->title, "Actions on machines");
}

static void what_was_put_on_hold_since_is_not_planned(void **state)
{
	static const struct enforcement dry = {.mode = ENFORCE_DRY_RUN};

	dw_polled();
	dw_put(&(struct dw_thing){.name = "a", .net = NANOS});
	dw_put(&(struct dw_thing){.name = "moves", .net = NANOS});
	ROW(.name = "a", .due = HOUR, .saves = NANOS);
	ROW(.name = "moves", .state = "sent", .due = -60, .saves = NANOS);
	dw_build();
	dw_rows("actions", 2);
	dw_is("enforcement", 0, "next", "a");
	tempdb_execf(&dw.t, "INSERT INTO hold SELECT resource, 0, %lld, '' FROM action",
		(long long)DW_NOW + 1);
	dw_build();
	dw_rows("actions", 1);
	dw_is("actions", 0, "action", "is being stopped");
	dw_is("enforcement", 0, "next", "-");
	tempdb_exec(&dw.t, "UPDATE action SET mode = 'dry-run', state = 'grace'");
	dw.settings.enforcement = &dry;
	dw_build();
	dw_rows("actions", 0);
	tempdb_exec(&dw.t, "UPDATE hold SET until = until - 1");
	dw_build();
	dw_rows("actions", 2);
}

static size_t place_of(const char *key)
{
	for (size_t i = 0; i < dw.doc->n; i++)
		if (!strcmp(dw.doc->sections[i]->key, key))
			return i;
	fail_msg("no section %s", key);
	return 0;
}

static char halt_path[128];

static void put_halt(void)
{
	FILE *f;

	snprintf(halt_path, sizeof(halt_path), "%s/halt", dw.t.dir);
	f = fopen(halt_path, "w");
	assert_non_null(f);
	fclose(f);
}

static void what_happens_by_itself_stands_below_what_to_do(void **state)
{
	size_t low;

	ROW(.name = "waits", .state = "pending", .saves = NANOS);
	dw_build();
	low = place_of("actions");
	assert_true(low > place_of("running"));
	assert_false(doc_find(dw.doc, "actions")->brief);
	ROW(.name = "soon", .due = HOUR, .saves = NANOS);
	dw_build();
	assert_int_equal(place_of("do_now"), 0);
	assert_int_equal(place_of("actions"), 1);
	assert_int_equal(place_of("enforcement"), 2);
	assert_int_equal(place_of("receipts"), low + 2);
	assert_true(doc_find(dw.doc, "actions")->brief);
	clear(state);
	ROW(.name = "done", .state = "done", .ended = -23 * HOUR, .saves = NANOS);
	dw_build();
	assert_int_equal(place_of("actions"), 1);
	tempdb_exec(&dw.t, "UPDATE action SET ended = ended - 7200");
	dw_build();
	assert_int_equal(place_of("actions"), low);
}

static void detail_is(size_t row, const char *want)
{
	if (strcmp(dw_row("do_now", row)->detail, want) != 0)
		fail_msg("gave %s\nwant %s", dw_row("do_now", row)->detail, want);
}

static void what_stops_by_itself_is_not_to_be_stopped_by_hand(void **state)
{
	static const char *const by_hand =
		"gcloud compute instances stop soon --zone us-central1-b --project p";
	static const char *const kept[] = {"held = 'window'", "warned = NULL",
		"uid = 'other'", "mode = 'dry-run'", "state = 'warning'"};
	static const struct enforcement dry = {.mode = ENFORCE_DRY_RUN};
	const struct halt_file file = {.beside = dw.t.path};
	const struct enforcement halted = {
		.mode = ENFORCE_ARMED, .halt_files = &file, .n_halt_files = 1};

	dw_polled();
	dw_put(&(struct dw_thing){.name = "soon", .net = NANOS});
	dw_fires("vm-forgotten", ID("soon"), "warning", "soon is idle");
	dw_put(&(struct dw_thing){.name = "gone", .unpriced = true});
	dw_fires("vm-forgotten", ID("gone"), "warning", "gone is idle.");
	ROW(.name = "soon", .due = HOUR, .saves = NANOS);
	ROW(.name = "gone", .due = -60, .saves = -1, .verb = "delete");
	tempdb_exec(&dw.t, "UPDATE action SET uid = '1', warned = 5");
	dw_build();
	detail_is(
		1, "is idle. Its price is unknown. tpucost deletes it now; to prevent it:");
	dw_is("do_now", 0, "name", "soon");
	detail_is(0, "is idle. tpucost stops it at 09:00; to prevent it:");
	assert_string_equal(dw_row("do_now", 0)->command,
		"tpucost hold add " ID("soon") " --until 2026-11-28");
	assert_null(strstr(dw_render("text"), by_hand));
	dw.settings.enforcement = &halted;
	put_halt();
	dw_build();
	remove(halt_path);
	assert_string_equal(dw_row("do_now", 0)->command, by_hand);
	dw.settings.enforcement = &dry;
	dw_build();
	assert_string_equal(dw_row("do_now", 0)->command, by_hand);
	detail_is(0, "is idle");
	dw.settings.enforcement = &armed;
	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		tempdb_exec(&dw.t,
			"UPDATE action SET uid = '1', warned = 5, held = '', "
			"mode = 'armed', state = 'grace'");
		tempdb_execf(&dw.t, "UPDATE action SET %s WHERE name = 'soon'", kept[i]);
		dw_build();
		assert_string_equal(dw_row("do_now", 0)->command, by_hand);
	}
}

static void what_could_not_be_stopped_is_to_be_stopped_by_hand(void **state)
{
	static const char *const by_hand =
		"gcloud compute instances stop bad --zone us-central1-b --project p";
	static const char *const states[] = {"due = 5, state = 'recheck'",
		"due = 5, state = 'grace'", "due = NULL, warned = NULL, state = 'warning'"};

	dw_polled();
	dw_put(&(struct dw_thing){.name = "dear", .net = 2 * NANOS});
	dw_fires("vm-forgotten", ID("dear"), "critical", "dear is idle");
	dw_put(&(struct dw_thing){.name = "bad", .net = NANOS});
	dw_fires("tpu-idle", ID("bad"), "warning", "bad is idle");
	ROW(.name = "bad", .due = -60, .saves = NANOS);
	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		tempdb_execf(&dw.t,
			"UPDATE action SET uid = '1', warned = 5, attempts = 3, next_at = "
			"%lld, %s",
			(long long)(DW_NOW + HOUR), states[i]);
		dw_build();
		dw_is("do_now", 0, "name", "bad");
		detail_is(0,
			"is idle. It could not be stopped: attempts failed, the next at "
			"09:00; to do it manually:");
		assert_string_equal(dw_row("do_now", 0)->command, by_hand);
		has(dw.doc->headline, "Stop bad and dear to save about 3.00 USD/h");
		dw_is("actions", 0, "action", "could not be stopped");
		assert_string_equal(dw_row("actions", 0)->detail,
			"could not be stopped: attempts failed, the next at 09:00");
		assert_string_equal(dw_row("actions", 0)->command, by_hand);
		has(doc_find(dw.doc, "actions")->note,
			"No resource was stopped, 1 could not be.");
		dw_is("enforcement", 0, "next", "-");
	}
	tempdb_exec(&dw.t,
		"UPDATE action SET attempts = 2, due = 5, warned = 5, state = 'recheck'");
	dw_build();
	dw_is("do_now", 1, "name", "bad");
	detail_is(1, "is idle. tpucost stops it at 09:00; to prevent it:");
	has(dw.doc->headline, "Stop dear to save");
}

static void what_waits_for_a_window_says_when_it_opens(void **state)
{
	static const struct enforce_window monday = {0x01, 9 * 60, 18 * 60};
	static const struct enforcement en = {
		.mode = ENFORCE_ARMED, .windows = &monday, .n_windows = 1};
	static const char *const words =
		"not before the window opens: Mon 2026-11-23 09:00 (Asia/Hong_Kong)";

	dw_polled();
	dw_put(&(struct dw_thing){.name = "soon", .net = NANOS});
	dw_fires("vm-forgotten", ID("soon"), "warning", "soon is idle.");
	ROW(.name = "soon", .due = HOUR, .saves = NANOS);
	ROW(.name = "dry", .due = HOUR, .mode = "dry-run");
	tempdb_exec(&dw.t, "UPDATE action SET uid = '1', warned = 5");
	dw.settings.enforcement = &en;
	dw_build();
	dw_is("actions", 0, "name", "soon");
	dw_is("actions", 0, "at", "2026-11-23 09:00");
	assert_string_equal(dw_row("actions", 0)->detail, words);
	dw_is("actions", 1, "at", "2026-11-21 09:00");
	detail_is(0,
		arena_printf(&dw.t.a,
			"is idle. tpucost stops it automatically, %s; to prevent it:",
			words));
	dw_is("enforcement", 0, "due", "2026-11-23 09:00");
}

/* A TPU that no grant pays and a machine that is forgotten; `ended` is counted from the last poll. */
static void stopped_after_the_poll(int64_t ended, const char *change)
{
	dw_clear();
	dw_polled();
	tempdb_exec(&dw.t, "DELETE FROM action");
	PUT(.kind = "tpu", .type = "v3-8", .name = "wrong", .net = 8 * NANOS,
		.why = "wrong-zone", .why_text = "granted in a");
	PUT(.name = "big", .net = 6 * NANOS);
	PUT(.name = "other", .net = NANOS);
	dw_burns("p/tpu/us-central1-b/wrong", "tpu", 8 * NANOS, 8 * NANOS, "USD");
	dw_burns(ID("big"), "vm", 6 * NANOS, 6 * NANOS, "USD");
	dw_burns(ID("other"), "vm", NANOS, NANOS, "USD");
	dw_fires("tpu-not-covered", "p/tpu/us-central1-b/wrong", "critical", "not free.");
	dw_fires("vm-forgotten", ID("big"), "warning", "big is idle.");
	dw_fires("vm-forgotten", ID("other"), "warning", "other is idle.");
	ROW(.name = "wrong", .state = "done", .ended = ended, .saves = 8 * NANOS);
	ROW(.name = "big", .state = "done", .ended = ended - 60, .saves = 6 * NANOS);
	tempdb_exec(&dw.t,
		"UPDATE action SET uid = '1', reason = 'stopped; confirmed by Google', "
		"started = (SELECT running_since FROM verdict LIMIT 1), resource = CASE "
		"name WHEN 'wrong' THEN 'p/tpu/us-central1-b/wrong' ELSE resource "
		"END;UPDATE resource SET last_seen = last_seen - 600");
	tempdb_exec(&dw.t, change);
	dw_build();
}

static void what_was_stopped_a_moment_ago_is_not_to_be_stopped(void **state)
{
	stopped_after_the_poll(-120, "SELECT 1");
	dw_rows("do_now", 1);
	dw_is("do_now", 0, "name", "other");
	assert_string_equal(doc_find(dw.doc, "do_now")->note,
		"big: stopped by tpucost at 07:57; the next poll will show it. "
		"wrong: stopped by tpucost at 07:58; the next poll will show it.");
	dw_rows("running", 3);
	dw_is("running", 0, "name", "wrong");
	dw_is("running", 0, "net_per_hour", "0.00 USD/h~");
	assert_string_equal(dw_row("running", 0)->detail,
		"stopped by tpucost at 07:58; the next poll will show it");
	dw_rows("burn_per_hour", 1);
	dw_is("burn_per_hour", 0, "net_per_hour", "1.00 USD/h~");
	has(dw.doc->headline, "Stop other to save about 1.00 USD/h.");
}

/* Another machine, another start, a poll that saw it run since, or somebody who started it. */
static void what_runs_again_is_to_be_stopped(void **state)
{
	static const char *const changes[] = {
		"UPDATE action SET uid = '2'",
		"UPDATE action SET started = started - 1",
		"UPDATE resource SET last_seen = last_seen + 500",
		"UPDATE action SET reason = 'it was stopped, and then started again'",
		"UPDATE action SET mode = 'dry-run'",
		"UPDATE action SET state = 'failed'",
	};

	for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
		stopped_after_the_poll(-120, changes[i]);
		dw_rows("do_now", 3);
		dw_is("do_now", 0, "name", "wrong");
		assert_null(doc_find(dw.doc, "do_now")->note);
		dw_is("burn_per_hour", 0, "net_per_hour", "15.00 USD/h~");
		has(dw.doc->headline, " to save about ");
	}
}

static void a_dry_run_says_what_would_have_been(void **state)
{
	static const struct enforcement dry = {.mode = ENFORCE_DRY_RUN};

	dw.settings.enforcement = &dry;
	ROW(.name = "past", .state = "recheck", .mode = "dry-run", .held = "mode",
		.due = -HOUR, .saves = NANOS);
	ROW(.name = "soon", .mode = "dry-run", .due = HOUR, .saves = NANOS);
	/* it was armed when it was begun */
	ROW(.name = "was", .due = 2 * HOUR, .verb = "delete", .saves = NANOS);
	dw_build();
	dw_rows("actions", 3);
	dw_is("actions", 0, "action", "would have been stopped");
	dw_is("actions", 0, "at", "2026-11-21 07:00");
	dw_is("actions", 1, "action", "would be stopped");
	dw_is("actions", 2, "action", "would be deleted");
	for (size_t i = 0; i < 3; i++)
		assert_null(dw_row("actions", i)->command);
	assert_string_equal(doc_find(dw.doc, "actions")->title,
		"Planned stops (enforcement dry-run: no resource is stopped)");
	assert_null(doc_find(dw.doc, "actions")->note);
	dw_is("enforcement", 0, "mode", "dry-run");
	dw_is("enforcement", 0, "next", "-");
	assert_null(strstr(dw_render("text"), "Enforcement"));
}

/* ---- receipts ---------------------------------------------------------------------------------- */

static void a_receipt_counts_until_it_runs_again_or_is_gone(void **state)
{
	ROW(.name = "off", .state = "done", .ended = -10 * HOUR, .saves = 2 * NANOS);
	was("off", "off", "running", -20 * HOUR, -10 * HOUR);
	was("off", "off", "stopped", -10 * HOUR + 30, 0);
	ROW(.name = "on", .state = "done", .ended = -10 * HOUR, .saves = 3 * NANOS,
		.currency = "HKD");
	was("on", "on", "stopped", -10 * HOUR + 30, -6 * HOUR);
	was("on", "on", "running", -6 * HOUR, -5 * HOUR);
	was("on", "on", "stopped", -5 * HOUR, 0);
	ROW(.name = "away", .state = "done", .ended = -10 * HOUR, .saves = NANOS);
	was("away", "away", "stopped", -10 * HOUR + 30, -8 * HOUR);
	/* what was deleted is gone by that, until another one has its name */
	ROW(.name = "del", .state = "done", .verb = "delete", .ended = -10 * HOUR,
		.saves = NANOS);
	was("del", "del", "running", -20 * HOUR, -10 * HOUR + 60);
	ROW(.name = "anew", .state = "done", .verb = "delete", .ended = -10 * HOUR,
		.saves = NANOS);
	was("anew", "other", "running", -9 * HOUR, 0);
	ROW(.name = "odd", .state = "done", .ended = -10 * HOUR, .saves = -1);
	/* not of this month, not done, not in earnest */
	ROW(.name = "october", .state = "done", .ended = -21 * 24 * HOUR, .saves = NANOS);
	ROW(.name = "failed", .state = "failed", .ended = -HOUR, .saves = NANOS);
	ROW(.name = "dry", .state = "done", .mode = "dry-run", .ended = -HOUR,
		.saves = NANOS);
	dw_build();
	dw_rows("receipts", 8);
	dw_is("receipts", 0, "name", "off");
	dw_is("receipts", 0, "saved", "20.00 USD~");
	dw_is("receipts", 0, "hours", "10.0");
	dw_is("receipts", 0, "since_then", "-");
	dw_is("receipts", 1, "saved", "12.00 HKD~");
	dw_is("receipts", 1, "since_then", "started again");
	dw_is("receipts", 1, "until", "2026-11-21 02:00");
	dw_is("receipts", 2, "saved", "2.00 USD~");
	dw_is("receipts", 2, "since_then", "gone");
	dw_is("receipts", 3, "saved", "10.00 USD~");
	dw_is("receipts", 3, "action", "deleted");
	dw_is("receipts", 4, "saved", "1.00 USD~");
	dw_is("receipts", 5, "saved", "unknown");
	dw_is("receipts", 5, "saves_per_hour", "unknown");
	assert_true(dw_row("receipts", 6)->total);
	/* of what is still off */
	dw_is("receipts", 6, "saves_per_hour", "3.00 USD/h~");
	dw_is("receipts", 6, "saved", "33.00 USD~");
	dw_is("receipts", 7, "saved", "12.00 HKD~");
	dw_is("receipts", 7, "saves_per_hour", "0.00 HKD/h~");
}

/* Nobody looked for an hour, and it ran again, or was gone, before that. */
static void nothing_is_saved_by_what_ran_again_before_anybody_looked(void **state)
{
	ROW(.name = "on", .state = "done", .ended = -9 * HOUR, .saves = NANOS);
	was("on", "on", "running", -20 * HOUR, -10 * HOUR + 30);
	was("on", "on", "running", -10 * HOUR + 300, 0);
	ROW(.name = "away", .state = "done", .ended = -9 * HOUR, .saves = NANOS);
	was("away", "away", "running", -20 * HOUR, -9 * HOUR);
	tempdb_exec(&dw.t, "UPDATE action SET sent = ended - 3600");
	dw_build();
	dw_is("receipts", 0, "saved", "0.00 USD~");
	dw_is("receipts", 0, "since_then", "started again");
	dw_is("receipts", 1, "saved", "0.00 USD~");
	dw_is("receipts", 1, "since_then", "gone");
}

static void what_does_not_fit_is_an_error(void **state)
{
	struct report_ask ask = {
		.db = dw.t.db, .settings = &dw.settings, .now = DW_NOW, .until = TS_NONE};
	struct doc *d;
	struct err e = {0};

	for (int i = 0; i < 2; i++)
		ROW(.name = i ? "a" : "b", .state = "done", .ended = -HOUR,
			.saves = INT64_MAX - 5);
	assert_int_equal(daily_build(&ask, &dw.t.a, &d, &e), E_OVERFLOW);
	assert_non_null(strstr(e.msg, "sum of the savings"));
	/* more than there are numbers for: not known */
	tempdb_exec(&dw.t, "UPDATE action SET ended = ended - 86400");
	dw_build();
	dw_is("receipts", 0, "saved", "unknown");
}

static void weeks_and_months_have_a_line(void **state)
{
	ROW(.name = "a", .state = "done", .ended = -34 * HOUR, .saves = NANOS);
	ROW(.name = "b", .state = "done", .ended = -36 * HOUR, .saves = NANOS,
		.currency = "HKD");
	ROW(.name = "c", .state = "done", .ended = -36 * HOUR, .saves = -1);
	for (int i = 0; i < 2; i++) {
		const struct report_kind *k = report_kind_find(i ? "month" : "weekly");
		struct report_ask ask = {.db = dw.t.db,
			.settings = &dw.settings,
			.now = DW_NOW,
			.since = TS_NONE,
			.until = TS_NONE};
		/* the week ends at midnight, eight hours ago */
		const char *want = i
			? "tpucost saved about 36.00 HKD + 34.00 USD in the calendar "
			  "month: 3 machines stopped or deleted, some at an unknown price."
			: "tpucost saved about 28.00 HKD + 26.00 USD in these days: 3 "
			  "machines stopped or deleted, some at an unknown price.";
		struct err e = {0};
		struct doc *d;
		size_t n;

		assert_int_equal(k->build(&ask, &dw.t.a, &d, &e), E_OK);
		for (n = 0; n < d->n_notes && strcmp(d->notes[n], want) != 0; n++)
			;
		if (n == d->n_notes)
			fail_msg("%s: no \"%s\"; last is \"%s\"", k->name, want,
				n ? d->notes[n - 1] : "");
	}
}

/* ---- the line of the status screen ------------------------------------------------------------- */

static void the_status_names_what_is_next_and_what_waits(void **state)
{
	ROW(.name = "later", .due = 2 * HOUR);
	ROW(.name = "soon", .due = HOUR);
	ROW(.name = "first", .due = 60, .held = "window");
	ROW(.name = "x", .state = "recheck", .held = "back-off", .due = -60);
	ROW(.name = "y", .state = "recheck", .held = "anomaly", .due = -60);
	ROW(.name = "z", .state = "verify");
	dw_build();
	dw_is("enforcement", 0, "mode", "armed");
	dw_is("enforcement", 0, "next", "soon");
	dw_is("enforcement", 0, "due", "2026-11-21 09:00");
	dw_is("enforcement", 0, "approvals", "2");
	dw_is("enforcement", 0, "in_flight", "1");
	dw_is("enforcement", 0, "halted", "-");
	assert_string_equal(
		dw_row("enforcement", 0)->detail, "2 actions wait for approval.");
	has(dw_render("text"), "Enforcement");
}

static void a_halt_is_said_before_all(void **state)
{
	const struct halt_file files[] = {
		{.beside = dw.t.path}, {.beside = "/nonexistent/t.db"}};
	const struct enforcement en = {
		.mode = ENFORCE_ARMED, .halt_files = files, .n_halt_files = 2};
	const struct enforcement none = {
		.mode = ENFORCE_ARMED, .halt_files = files + 1, .n_halt_files = 1};

	dw.settings.enforcement = &en;
	put_halt();
	dw_build();
	remove(halt_path);
	dw_is("enforcement", 0, "halted", halt_path);
	assert_string_equal(dw_row("enforcement", 0)->command, "tpucost enforce resume");
	has(dw_render("text"), "No resource is stopped until you resume enforcement:");
	dw.settings.enforcement = &none;
	dw_build();
	dw_is("enforcement", 0, "halted", "-");
	assert_null(dw_row("enforcement", 0)->command);
}

static void names_are_other_peoples(void **state)
{
	static const char *const formats[] = {
		"text", "html", "markdown", "json", "csv", "slack"};

	ROW(.name = "<b>$(rm)|`x`", .due = HOUR, .saves = NANOS, .reason = "<script>");
	ROW(.name = "<i>", .state = "done", .ended = -HOUR, .saves = NANOS);
	dw_build();
	assert_string_equal(dw_row("actions", 1)->command,
		"tpucost hold add '" ID("<b>$(rm)|`x`") "' --until 2026-11-28");
	assert_null(strstr(dw_render("html"), "<b>$"));
	assert_null(strstr(dw_render("html"), "<script>"));
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		assert_non_null(dw_render(formats[i]));
}

#define TEST(f) cmocka_unit_test_setup(f, clear)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_done_stands_before_what_is_due),
		TEST(what_was_put_on_hold_since_is_not_planned),
		TEST(what_happens_by_itself_stands_below_what_to_do),
		TEST(what_stops_by_itself_is_not_to_be_stopped_by_hand),
		TEST(what_could_not_be_stopped_is_to_be_stopped_by_hand),
		TEST(what_waits_for_a_window_says_when_it_opens),
		TEST(what_was_stopped_a_moment_ago_is_not_to_be_stopped),
		TEST(what_runs_again_is_to_be_stopped),
		TEST(a_dry_run_says_what_would_have_been),
		TEST(a_receipt_counts_until_it_runs_again_or_is_gone),
		TEST(nothing_is_saved_by_what_ran_again_before_anybody_looked),
		TEST(what_does_not_fit_is_an_error),
		TEST(weeks_and_months_have_a_line),
		TEST(the_status_names_what_is_next_and_what_waits),
		TEST(a_halt_is_said_before_all),
		TEST(names_are_other_peoples),
	};

	return cmocka_run_group_tests(tests, dw_setup, tempdb_teardown);
}

/* What channels are told of actions: once, at once, with what waits, and never less. */
#include "tests/support/action_world.h"

#include "base/json.h"
#include "base/money.h"
#include "db_sql.h"
#include "tests/support/assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define W SEVERITY_WARNING
#define C SEVERITY_CRITICAL
#define NOTICES                                                                    \
	"SELECT group_concat(action || ' ' || kind || ' ' || channel, '; ') FROM " \
	"(SELECT * FROM action_notice ORDER BY action, kind, channel)"

static int setup(void **state)
{
	ow_setup(state);
	aw_arm();
	return 0;
}

static void expect_subjects(const char *want)
{
	struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < ow.n; i++)
		sbuf_addf(&b, "%s%s: %s", i ? "; " : "", ow.letters[i].channel,
			ow.letters[i].subject);
	if (strcmp(b.s, want) != 0)
		fail_msg("sent %s\n  want %s", b.s, want);
	sbuf_done(&b);
}

/* A member of a row of the section actions in a JSON letter, as text; "none". */
static const char *member(size_t letter, int row, const char *key)
{
	struct cJSON *j = NULL, *it;
	struct err e = {0};
	const char *body = ow.letters[letter].body, *text;
	char num[NANOS_BUF];
	int64_t nanos;

	assert_ok(json_parse(body, strlen(body), &j, &e), e);
	it = json_first(json_get(j, "actions"));
	while (it && row-- > 0)
		it = json_next(it);
	it = json_get(it, key);
	if (it && !json_is_string(it)) {
		assert_ok(json_nanos(it, &nanos, &e), e);
		text = nanos_format(nanos, num);
	} else {
		text = json_text(it, "none");
	}
	text = arena_strdup(&ow.arena, text);
	json_free(j);
	return text;
}

static int items_of(size_t letter, const char *section)
{
	struct cJSON *j = NULL;
	struct err e = {0};
	const char *body = ow.letters[letter].body;
	int n;

	assert_ok(json_parse(body, strlen(body), &j, &e), e);
	n = (int)json_len(json_get(j, section));
	json_free(j);
	return n;
}

static void expect_warned(int64_t action, const char *want)
{
	struct q_action_warned_in in = {.action = action};
	struct q_action_warned q;
	struct err e = {0};
	char got[32] = "never";
	bool found;

	assert_ok(q_action_warned_one(ow.t.db, &in, &ow.arena, &q, &found, &e), e);
	if (found && q.at.set)
		snprintf(got, sizeof(got), "%lld", (long long)(q.at.v - OW_NOW));
	assert_string_equal(got, want);
}

/* ---- warnings ---------------------------------------------------------------------------------- */

static void a_warning_is_told_once_on_every_channel(void **state)
{
	(void)state;
	ow_channel("log");
	ow_channel("pager")->min_severity = C;
	ACT(.name = "wrong", .severity = "info");
	expect_warned(1, "never");
	ow_compose();
	ow_expect(NOTICES, "1 warning log; 1 warning pager");
	expect_warned(1, "never");
	ow_advance(5);
	ow_post();
	expect_subjects("log: [tpucost] wrong will be stopped at 00:30; "
			"pager: [tpucost] wrong will be stopped at 00:30");
	expect_warned(1, "5");
	for (int i = 0; i < 3; i++) {
		ow_advance(60);
		ow_cycle();
	}
	assert_int_equal(ow.n, 2);
	assert_string_equal(member(0, 0, "event"), "warning");
	assert_string_equal(member(0, 0, "due"), "2026-11-21T00:30:00Z");
	assert_string_equal(member(0, 0, "command"),
		"tpucost hold add p/tpu/us-central1-b/wrong --until 2026-11-28");
	assert_string_equal(member(0, 0, "saves_per_hour"), "8");
	assert_string_equal(member(0, 0, "residual_per_hour"), "0.1");
}

static void who_did_not_get_it_was_not_warned(void **state)
{
	(void)state;
	ow_channel("log");
	ow_channel("pager");
	ACT();
	ow_fail(NULL, SEND_LATER, 2);
	ow_cycle();
	expect_warned(1, "never");
	ow_advance(60);
	ow_fail("log", SEND_LATER, 1);
	ow_cycle();
	expect_warned(1, "60");
	ow_expect("SELECT group_concat(channel || ' ' || state, '; ') FROM notification",
		"log pending; pager sent");
}

static void with_what_waits_it_is_one_message(void **state)
{
	struct channel *c;

	(void)state;
	c = ow_channel("log");
	c->group_wait = 600;
	c->group_interval = 600;
	ow_note("firing", "vm", "b", W);
	ow_cycle();
	assert_int_equal(ow.n, 0);
	ACT(.name = "wrong");
	ow_cycle();
	expect_subjects("log: [tpucost] wrong will be stopped at 00:30 (and 1 more)");
	assert_int_equal(items_of(0, "actions"), 1);
	assert_int_equal(items_of(0, "firing"), 1);
	assert_true(strstr(ow.letters[0].body, "actions") <
		strstr(ow.letters[0].body, "firing"));
	ow_expect("SELECT state FROM outbox", "told");
	/* and nothing of the pace of people keeps the next one back */
	ACT(.name = "other");
	ow_advance(1);
	ow_cycle();
	assert_int_equal(ow.n, 2);
}

static void nothing_is_told_of_dry_runs(void **state)
{
	static const struct enforcement dry = {.mode = ENFORCE_DRY_RUN};

	(void)state;
	ow_channel("log");
	ACT(.name = "dry", .mode = "dry-run");
	ACT(.name = "over", .mode = "dry-run", .state = "cleared", .over = true);
	ACT(.name = "mode", .state = "grace", .held = "mode", .due = 60);
	ACT(.name = "pending", .state = "pending");
	ow_cycle();
	/* armed once, and not any more */
	ow.settings.enforcement = &dry;
	ACT(.name = "was");
	ACT(.name = "limit", .state = "recheck", .held = "caps", .reason = "limit reached");
	ow_cycle();
	ow.settings.enforcement = NULL;
	ow_cycle();
	assert_int_equal(ow.n, 0);
	ow_expect("SELECT COUNT(*) FROM action_notice", "0");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, ow_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_warning_is_told_once_on_every_channel),
		TEST(who_did_not_get_it_was_not_warned),
		TEST(with_what_waits_it_is_one_message),
		TEST(nothing_is_told_of_dry_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

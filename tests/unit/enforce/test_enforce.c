/* The state machine of actions, against a fake Google: what it asks, when, and what it does with
 * the answers. The oracle is Google's log, the table action and the audit. */
#include "db/db.h"
#include "rules/enforce/internal.h"
#include "tests/support/assert.h"
#include "tests/support/world/enforce_world.h"
#include "tests/support/unit.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define GRACE 1800

/* What a run says of the actions that it saw. */
static void expect_counts(size_t done, size_t failed, size_t held, size_t in_flight)
{
	assert_i64_eq(ew.result.done, done);
	assert_i64_eq(ew.result.failed, failed);
	assert_i64_eq(ew.result.held, held);
	assert_i64_eq(ew.result.in_flight, in_flight);
}

/* What may have hosts is never exempt from max_share. */
static void test_what_is_dead(void **state)
{
	static const struct {
		const char *source, *kind, *raw, *is;
		bool dead;
	} cases[] = {{"queued", "queued", "ACCEPTED", "starting", true},
		{"queued", "queued", "WAITING_FOR_RESOURCES", "starting", true},
		{"queued", "queued", "SUSPENDED", "suspended", true},
		{"queued", "queued", "PROVISIONING", "starting", false},
		{"queued", "queued", "CREATING", "starting", false},
		{"queued", "queued", "ACTIVE", "running", false},
		{"queued", "queued", "STATE_UNSPECIFIED", "unknown", false},
		{"resize", "queued", "ACCEPTED", "starting", false},
		{"tpu", "tpu", "WAITING_FOR_RESOURCES", "starting", false},
		{"vm", "vm", "PROVISIONING", "starting", false},
		{"vm", "vm", "TERMINATED", "stopped", true}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct enforce_subject m = {
			.t = {.source = cases[i].source, .kind = cases[i].kind},
			.state = cases[i].is,
			.raw_state = cases[i].raw};

		assert_int_equal(enforce_dead(&m), cases[i].dead);
	}
}

static void test_one_run(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	assert_ptr_equal(enforce_rule(&ew.settings, "r"), &ew.rules[0]);
	assert_null(enforce_rule(&ew.settings, "gone"));
	ew_cycle(60);
	assert_i64_eq(ew.acts, 1);
	expect_counts(1, 0, 0, 0);
	ew_expect_actions("big done");
	assert_contains(ew.log, "stop big 7001 ");
	ew_expect("SELECT group_concat(event, ' ') FROM (SELECT event FROM audit_entry "
		  "ORDER BY seq)",
		"began warning recheck intent sent verify done");
	ew_expect("SELECT record || ' ' || restart FROM action",
		"{\"id\":\"1\"} gcloud start");
	ew_expect_audit();
	/* It stays stopped, and nothing more is asked. */
	ew_cycle(60);
	ew_cycle(60);
	assert_i64_eq(ew.acts, 1);
	ew_expect_actions("big done");
}

static void test_grace(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", GRACE);
	ew_cycle(60);
	ew_expect_actions("big grace");
	ew_cycle(GRACE - 60);
	ew_expect_actions("big grace");
	assert_i64_eq(ew.acts + ew.looks, 0);
	ew_cycle(60);
	ew_expect_actions("big done");
	assert_i64_eq(ew.acts, 1);
}

static void test_pending_first(void **state)
{
	struct rule *r;

	ew_vm("big");
	r = ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	r->hold_for = 600;
	ew_cycle(60);
	ew_expect_actions("big pending");
	ew_cycle(540);
	ew_expect_actions("big pending");
	ew_cycle(60);
	ew_expect_actions("big done");
}

static void test_never_unwarned(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.deliver = false;
	for (int i = 0; i < 20; i++)
		ew_cycle(3600);
	ew_expect_actions("big warning");
	ew_expect("SELECT reason FROM action", "no channel has accepted its warning yet");
	assert_i64_eq(ew.acts, 0);
	ew.deliver = true;
	ew_cycle(60);
	ew_expect_actions("big done");
}

static void test_condition_ends_in_grace(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", GRACE);
	ew_cycle(60);
	ew_find("big")->state = "stopped";
	ew_cycle(60);
	ew_expect_actions("big cleared");
	ew_cycle(GRACE);
	assert_i64_eq(ew.acts, 0);
}

/* I4 */
static void test_restarted_in_grace(void **state)
{
	struct ew_machine *m;

	m = ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", GRACE);
	ew_cycle(60);
	m->started = ew.t.clock.fake_now + 30;
	ew_cycle(GRACE);
	ew_expect_actions("big superseded; big grace");
	assert_i64_eq(ew.acts, 0);
	ew_cycle(GRACE);
	ew_expect_actions("big superseded; big done");
}

/* The world has no intervals: the one of the node from then on. */
static void interval(const char *state, ts_t starts)
{
	tempdb_execf(&ew.t,
		"UPDATE resource_interval SET ends = %lld WHERE ends IS NULL;"
		"INSERT INTO resource_interval (id, uid, starts, kind, project, location, "
		"name, state) VALUES ('p-lab1/tpu/us-central1-a/node', '7001', %lld, "
		"'tpu', 'p-lab1', 'us-central1-a', 'node', '%s')",
		(long long)starts, (long long)starts, state);
}

/* A state between says nothing of a start: the action waits, and goes on if the start is the same. */
static void test_between_states_in_grace(void **state)
{
	static const struct {
		const char *between;
		int64_t later; /* the start after it */
		const char *waits, *after, *end;
	} cases[] = {{"stopping", 0, "big grace state", "big recheck state", "big done"},
		{"starting", 0, "big grace state", "big recheck state", "big done"},
		{"stopping", 30, "big grace state", "big recheck state",
			"big superseded; big grace"},
		{"starting", 30, "big grace state", "big recheck state",
			"big superseded; big grace"},
		{"stopped", 30, "big superseded; big pending state",
			"big superseded; big pending state",
			"big superseded; big superseded; big grace"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct ew_machine *m = ew_vm("big");

		ew_rule("r", "kind = 'vm'", GRACE);
		ew_cycle(60);
		m->state = cases[i].between;
		ew_cycle(60);
		ew_expect_actions(cases[i].waits);
		ew_cycle(GRACE);
		ew_expect_actions(cases[i].after);
		assert_i64_eq(ew.acts, 0);
		m->state = "running";
		m->started += cases[i].later;
		ew_cycle(60);
		ew_expect_actions(cases[i].end);
		tempdb_teardown(state);
		ew_setup(state);
	}
}

/* Google does not report the start of TPU nodes: after another state, it counts as another start. */
static void test_between_states_of_a_node(void **state)
{
	struct ew_machine *m = ew_tpu("node");

	tempdb_exec(&ew.t,
		"CREATE TRIGGER unstated AFTER INSERT ON resource "
		"BEGIN UPDATE resource SET state_since = NULL; END;"
		"CREATE TRIGGER no_state AFTER UPDATE OF last_seen ON resource "
		"BEGIN UPDATE resource SET state_since = NULL; END");
	interval("running", EW_NOW - 3600);
	ew_rule("r", "kind = 'tpu'", GRACE);
	ew_cycle(60);
	ew_expect_actions("node grace");
	m->state = "starting";
	interval("starting", EW_NOW + 120);
	ew_cycle(60);
	ew_expect_actions("node grace state");
	m->state = "running";
	interval("running", EW_NOW + 180);
	ew_cycle(60);
	ew_expect_actions("node superseded; node grace");
	ew_expect("SELECT reason FROM action WHERE ended IS NOT NULL",
		"it is running now: a new grace period begins");
}

/* After a live check ended it: nothing is announced on what the poll before it stored. */
static void expect_unannounced(const char *want)
{
	ew.poll = false;
	ew_cycle(60);
	ew_expect_actions(want);
	ew_expect("SELECT COUNT(*) FROM action_notice", "1");
	assert_i64_eq(ew.acts, 0);
	ew.poll = true;
	ew_cycle(60);
}

static void restart(struct ew_machine *m)
{
	m->started = ew.t.clock.fake_now;
}

/* I4, between the last poll and the look */
static void test_restarted_before_look(void **state)
{
	struct ew_machine *m;

	m = ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_track(60);
	restart(m);
	ew_run();
	ew_expect_actions("big superseded");
	expect_unannounced("big superseded; big pending fresh");
	ew_expect_actions("big superseded; big superseded; big done");
}

static void make_anew(struct ew_machine *m)
{
	snprintf(m->uid, sizeof(m->uid), "9999");
	m->created = m->started = ew.t.clock.fake_now;
}

/* I5 */
static void test_made_anew_before_look(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_track(60);
	make_anew(ew_find("big"));
	ew_run();
	ew_expect_actions("big superseded");
	expect_unannounced("big superseded; big pending fresh");
}

static void make_anew_much_later(struct ew_machine *m)
{
	make_anew(m);
	m->created += 86400;
	m->state = "stopped";
}

static void test_another_that_does_not_run_may_have_been_hit(void **state)
{
	ew_tpu("t");
	ew_rule("r", "kind = 'tpu' AND state = 'running'", 0);
	ew_track(60);
	ew.before_act = make_anew_much_later;
	ew_run();
	ew_expect_actions("t failed");
	ew_expect("SELECT substr(reason, 1, 12) FROM action", "WRONG TARGET");
}

/* I5, in the one moment that cannot be closed for calls that take a name */
static void test_made_anew_before_act(void **state)
{
	ew_tpu("t");
	ew_rule("r", "kind = 'tpu' AND state = 'running'", 0);
	ew_track(60);
	ew.before_act = make_anew;
	ew_run();
	ew_expect_actions("t failed");
	ew_expect("SELECT substr(reason, 1, 12) FROM action", "WRONG TARGET");
	ew_expect("SELECT count(*) FROM disarmed", "1");
	ew_expect_audit();
}

/* I6 */
static int64_t made_after; /* seconds after the call */
static void make_anew_later(struct ew_machine *m)
{
	make_anew(m);
	m->created += made_after;
}

/* A machine that was made a minute after the call cannot have been met by it. */
static void test_made_anew_after_act(void **state)
{
	static const struct {
		int64_t after;
		const char *actions, *disarmed;
	} cases[] = {{60, "t failed", "1"}, {61, "t superseded", "0"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		ew_tpu("t");
		ew_rule("r", "kind = 'tpu' AND state = 'running'", 0);
		ew_track(60);
		ew.before_act = make_anew_later;
		ew.no_effect = true;
		made_after = cases[i].after;
		ew_run();
		ew_expect_actions(cases[i].actions);
		ew_expect("SELECT count(*) FROM disarmed", cases[i].disarmed);
		tempdb_teardown(state);
		ew_setup(state);
	}
}

static void test_stopped_by_somebody(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_track(60);
	ew_find("big")->state = "stopped";
	ew_run();
	ew_expect_actions("big cleared");
	ew_expect("SELECT reason FROM action", "a live check found that it is stopped");
	expect_unannounced("big cleared; big pending fresh");
	ew_expect_actions("big cleared; big cleared");
	ew_cycle(60);
	ew_expect_actions("big cleared; big cleared");
}

static void test_deleted_by_somebody(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_track(60);
	ew_find("big")->there = false;
	ew_run();
	ew_expect_actions("big cleared");
	ew_expect(
		"SELECT reason FROM action", "a live check found that it no longer exists");
	expect_unannounced("big cleared; big pending fresh");
	ew_expect_actions("big cleared; big cleared");
}

/* The alert is kept for a while. */
static void test_stopped_and_kept(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 99999)->keep_for = 3600;
	ew_cycle(60);
	ew_find("big")->state = "stopped";
	ew_cycle(60);
	ew_expect("SELECT state FROM alert", "firing");
	ew_expect("SELECT reason FROM action WHERE ended IS NOT NULL",
		"the condition no longer holds");
}

/* `keep_for` is about messages: an action ends with the condition. */
static void test_kept_is_not_matched(void **state)
{
	struct ew_machine *m = ew_vm("big");
	struct rule *r = ew_rule("r",
		"kind = 'vm' AND state = 'running' AND json_extract(labels, '$.idle') = 1",
		600);

	m->labels = "{\"idle\":1}";
	r->hold_for = 300;
	r->keep_for = 99999;
	ew_cycle(60);
	ew_cycle(300);
	ew_expect_actions("big grace");
	m->labels = "{\"idle\":0}";
	ew_cycle(60);
	ew_expect("SELECT state || data FROM alert", "firingfresh");
	ew_expect_actions("big cleared");
	ew_expect("SELECT reason FROM action", "the condition no longer holds");
	ew_cycle(600);
	ew_expect_actions("big cleared");
	/* fresh data does not say that it holds again */
	m->labels = "{\"idle\":1}";
	ew.poll = false;
	ew_cycle(3600);
	ew_expect("SELECT state || data FROM alert", "firingstale");
	ew_expect_actions("big cleared");
	/* it does: the time of the rule and the grace start again, without another message of the alert */
	ew.poll = true;
	ew_cycle(60);
	ew_expect_actions("big cleared; big pending");
	ew_cycle(299);
	ew_expect_actions("big cleared; big pending");
	ew_cycle(1);
	ew_expect_actions("big cleared; big grace");
	ew_expect("SELECT COUNT(*) FROM alert_event", "1");
	ew_cycle(599);
	assert_i64_eq(ew.acts, 0);
	ew_cycle(60);
	ew_expect_actions("big cleared; big done");
	assert_i64_eq(ew.acts, 1);
	ew_cycle(60);
	ew_expect("SELECT state FROM alert", "firing");
	ew_expect_actions("big cleared; big done");
}

/* While a request is under way, the action is left alone. If it fails, its warning was about an earlier time. */
static void test_ceased_in_flight(void **state)
{
	struct ew_machine *m = ew_vm("big");
	struct rule *r = ew_rule("r",
		"kind = 'vm' AND state = 'running' AND json_extract(labels, '$.idle') = 1",
		600);

	m->labels = "{\"idle\":1}";
	r->keep_for = 99999;
	ew.op_stuck = true;
	ew.opts.wait_seconds = 0;
	ew_cycle(60);
	ew_cycle(660);
	ew_expect_actions("big sent");
	m->labels = "{\"idle\":0}";
	ew_cycle(60);
	m->labels = "{\"idle\":1}";
	ew_track(60);
	ew_expect_actions("big sent");
	ew.op_stuck = false;
	ew.op_error = "QUOTA";
	ew_run();
	ew_expect_actions("big recheck");
	ew.op_error = NULL;
	ew.poll = false;
	ew.t.clock.fake_now += 300;
	ew_run();
	ew_expect_actions("big recheck fresh");
	ew.poll = true;
	ew_cycle(60);
	ew_expect_actions("big superseded; big grace");
	assert_i64_eq(ew.acts, 1);
}

static void test_stopping_by_somebody(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_track(60);
	ew_find("big")->state = "stopping";
	ew_find("big")->looks_to_stop = 5;
	ew_run();
	ew_expect_actions("big recheck");
	ew_expect("SELECT reason FROM action", "it is stopping: Google reports STOPPING");
	assert_i64_eq(ew.acts, 0);
}

/* I7 */
static void test_label_in_last_second(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_track(60);
	ew_find("big")->labels = "{\"tpucost-keep\":\"forever\"}";
	ew_run();
	assert_i64_eq(ew.acts, 0);
	ew_expect_actions("big cleared");
	/* it is not announced again because the last poll was before the label */
	ew.poll = false;
	ew_cycle(60);
	ew_expect_actions("big cleared");
	ew.poll = true;
	ew_cycle(60);
	ew_expect_actions("big cleared");
}

/* The `for` of a rule is time in which it was observed to hold. */
static void test_for_is_observed(void **state)
{
	struct ew_machine *m = ew_vm("big");
	struct rule *r = ew_rule("r", "kind = 'vm' AND state = 'running'", 99999);

	r->hold_for = 3600;
	ew_cycle(60);
	ew_cycle(1800);
	/* stopped and started between two polls */
	m->started = ew.t.clock.fake_now + 1700;
	ew_cycle(1800);
	ew_expect("SELECT state FROM alert", "pending");
	ew_cycle(1800);
	ew_expect("SELECT state FROM alert", "pending");
	ew_cycle(1800);
	ew_expect("SELECT state FROM alert", "firing");
	/* once more: the alert ends by it, though it would be kept, and begins again at once */
	r->keep_for = 86400;
	m->started = ew.t.clock.fake_now + 10;
	ew_cycle(60);
	ew_expect("SELECT kind || (summary LIKE '%it was started at%') FROM alert_event "
		  "ORDER BY event DESC",
		"resolved1");
	ew_expect("SELECT state FROM alert", "pending");
	ew_cycle(1800);
	ew_expect("SELECT state FROM alert", "pending");
	ew_cycle(1800);
	ew_expect("SELECT state FROM alert", "firing");
	/* a rule that does not act goes on; when it gets an action, its time starts again */
	r->then.action = "notify";
	m->started = ew.t.clock.fake_now + 1700;
	ew_cycle(1800);
	ew_cycle(60);
	ew_expect("SELECT state FROM alert", "firing");
	r->then.action = "stop";
	ew_cycle(60);
	ew_expect("SELECT state FROM alert", "pending");
	/* another machine of that name */
	snprintf(m->uid, sizeof(m->uid), "77");
	m->created = m->started = ew.t.clock.fake_now + 1700;
	ew_cycle(1800);
	ew_expect("SELECT state FROM alert", "pending");
	/* nothing was observed for more than two hours, but it was not started since */
	ew_cycle(7201);
	ew_expect("SELECT state FROM alert", "firing");
}

/* Google does not report the start of TPU nodes. */
static void test_for_of_a_node(void **state)
{
	struct rule *r = ew_rule("r", "kind = 'tpu' AND state = 'running'", 99999);

	r->hold_for = 3600;
	ew_tpu("node");
	ew_cycle(60);
	tempdb_exec(&ew.t,
		"CREATE TRIGGER unstated AFTER UPDATE OF last_seen ON resource "
		"BEGIN UPDATE resource SET state_since = NULL; END");
	ew_cycle(7201);
	ew_expect("SELECT state FROM alert", "pending");
	ew_cycle(3600);
	ew_expect("SELECT state FROM alert", "firing");
	assert_i64_eq(ew.acts, 0);
	/* a rule that does not act fires all the same */
	tempdb_exec(&ew.t, "DELETE FROM alert");
	r->then = (struct rule_action){0};
	ew_cycle(60);
	ew_cycle(7201);
	ew_expect("SELECT state FROM alert", "firing");
}

/* Its zone is unreachable while others are read: did it run all the time? */
static void test_node_unread(void **state)
{
	static const int64_t holds[] = {0, 600};

	for (size_t i = 0; i < ARRAY_LEN(holds); i++) {
		struct rule *r = ew_rule("r", "kind = 'tpu' AND state = 'running'", 600);

		r->hold_for = holds[i];
		ew_tpu("node");
		tempdb_exec(&ew.t,
			"CREATE TRIGGER unstated AFTER UPDATE OF last_seen ON resource "
			"BEGIN UPDATE resource SET state_since = NULL; END");
		ew_cycle(60);
		ew_cycle(600 - !holds[i]);
		ew_expect_actions("node grace");
		tempdb_exec(&ew.t, "UPDATE resource SET complete = 0");
		for (int k = 0; k < 4; k++)
			ew_cycle(1800);
		ew_expect_actions("node recheck fresh");
		tempdb_exec(&ew.t, "UPDATE resource SET complete = 1");
		ew_cycle(1);
		ew_expect("SELECT state FROM alert", "firing");
		ew_expect_actions(holds[i] ? "node superseded; node pending"
					   : "node superseded; node grace");
		ew_expect("SELECT reason FROM action WHERE ended IS NOT NULL",
			"the condition may not have held all the time: it is announced "
			"anew");
		ew_cycle(holds[i]);
		ew_expect_actions("node superseded; node grace");
		assert_i64_eq(ew.acts, 0);
		/* not if it was read two hours ago */
		tempdb_exec(&ew.t, "UPDATE resource SET complete = 0");
		for (int k = 0; k < 4; k++)
			ew_cycle(1799);
		tempdb_exec(&ew.t, "UPDATE resource SET complete = 1");
		ew_cycle(4);
		ew_expect_actions("node superseded; node done");
		assert_i64_eq(ew.acts, 1);
		tempdb_teardown(state);
		ew_setup(state);
	}
}

/* I8 */
static void test_labels_unreadable(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_track(60);
	ew_find("big")->hidden_labels = true;
	ew_run();
	assert_i64_eq(ew.acts, 0);
}

/* I9 */
/* Does each change that was asked for have a request id of its own? */
static bool requests_differ(void)
{
	char log[sizeof(ew.log)], *ids[16], *save = NULL;
	size_t n = 0;

	snprintf(log, sizeof(log), "%s", ew.log);
	for (char *l = strtok_r(log, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		assert_true(n < ARRAY_LEN(ids));
		ids[n] = strrchr(l, ' ');
		for (size_t i = 0; i < n; i++)
			if (!strcmp(ids[i], ids[n]))
				return false;
		n++;
	}
	return n > 1;
}

static void test_operation_fails(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.op_error = "RESOURCE_IN_USE";
	ew_cycle(60);
	ew_expect_actions("big recheck");
	assert_i64_eq(ew.result.n_notes, 0); /* it may still go well */
	ew_expect("SELECT attempts FROM action", "1");
	ew_cycle(60);
	assert_i64_eq(ew.acts, 1); /* five minutes later, not at once */
	ew_cycle(300);
	ew_cycle(900);
	ew_expect_actions("big recheck");
	assert_i64_eq(ew.result.n_notes, 1);
	assert_contains(ew.result.notes[0], "FAILED ");
	expect_counts(0, 1, 0, 0);
	assert_i64_eq(ew.acts, 3);
	ew_expect("SELECT reason FROM action",
		"the attempt failed, the next follows in 15m: Google reports a failure: "
		"RESOURCE_IN_USE");
	assert_true(requests_differ()); /* the same one would get the same answer */
	ew_expect_audit();
}

/* Google accepted a request whose operation failed, or it may have: the limits count it. */
static void test_failed_requests_count(void **state)
{
	struct ew_machine *other;

	ew_vm("big");
	other = ew_vm("other");
	other->state = "stopped";
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.en.max_per_hour = 1;
	ew.op_error = "RESOURCE_IN_USE";
	ew_cycle(60);
	ew_expect_actions("big recheck");
	other->state = "running";
	ew.op_error = NULL;
	ew_cycle(60);
	ew_expect_actions("big recheck; other recheck caps");
	ew_expect("SELECT reason FROM action WHERE name = 'other'",
		"limit reached: 1 due and 1 done, at most 1 an hour "
		"(enforcement.max_per_hour)");
	/* nothing stopped it: it may be held, and its own rules may go on */
	ew_expect("SELECT COUNT(*) FROM action WHERE held = 'back-off'", "0");
	assert_i64_eq(ew.acts, 1);
}

/* The process died after the intent, and the machine runs: the request may have been sent. */
static void test_lost_requests_count(void **state)
{
	ew_vm("a");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_track(60);
	tempdb_exec(&ew.t,
		"UPDATE action SET state = 'intent', request_id = 'id-a', "
		"intent = (SELECT now - 61 FROM as_of)");
	ew.opts.recover = true;
	ew_run();
	ew_expect_actions("a recheck");
	ew_expect(
		"SELECT intent IS NULL AND sent = (SELECT now - 61 FROM as_of) FROM action",
		"1");
}

/* It is tried again as long as it burns, at growing intervals, each time through all guards. */
static void test_not_given_up(void **state)
{
	static const int64_t waits[] = {
		300, 900, 900, 1800, 3600, 7200, 14400, 21600, 21600, 21600};

	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.op_error = "RESOURCE_IN_USE";
	ew_cycle(60);
	for (size_t i = 0; i < ARRAY_LEN(waits); i++) {
		assert_i64_eq(ew.acts, (int64_t)i + 1);
		ew_cycle(waits[i] - 60); /* not before its time */
		assert_i64_eq(ew.acts, (int64_t)i + 1);
		if (i < 8)
			ew_expect("SELECT COUNT(*) FROM action_notice", "1");
		ew_cycle(60);
	}
	/* a day later it was announced once more */
	ew_expect("SELECT COUNT(*) FROM action", "1");
	ew_expect("SELECT COUNT(*) FROM audit_entry WHERE event = 'warning'", "2");
	ew.op_error = NULL;
	ew_cycle(21600);
	ew_expect_actions("big done");
	assert_i64_eq(ew.effects, 1);
	ew_expect_audit();
}

/* A guard that blocks now blocks the next attempt too, and a condition that ends ends it. */
static void test_failing_and_no_longer_wanted(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.op_error = "RESOURCE_IN_USE";
	for (int i = 0; i < 3; i++)
		ew_cycle(900);
	ew_expect_actions("big recheck");
	assert_i64_eq(ew.acts, 3);
	tempdb_exec(&ew.t,
		"INSERT INTO hold (id, created, until, comment) SELECT resource, 0, "
		"9999999999, '' FROM action");
	ew_cycle(900);
	ew_expect_actions("big cleared");
	assert_i64_eq(ew.acts, 3);
}

/* I10 */
static void test_operation_never_ends(void **state)
{
	ew_vm("big");
	ew_rule("r", "name = 'big'", 0);
	ew.op_stuck = true;
	ew_cycle(60);
	ew_expect_actions("big sent");
	expect_counts(0, 0, 0, 1);
	/* asked again after 1, 2, 4, 8 and 8 s, and no later than 30 s */
	assert_ts_eq(ew.t.clock.fake_now, EW_NOW + 60 + 23);
	ew.opts.wait_seconds = 31;
	ew_cycle(60);
	assert_ts_eq(ew.t.clock.fake_now, EW_NOW + 120 + 23 + 31);
	ew.opts.wait_seconds = 30;
	for (int i = 0; i < 200; i++)
		ew_cycle(60);
	/* no second request while Google works on the first; users are told that it is unclear */
	ew_expect_actions("big sent");
	assert_i64_eq(ew.acts, 1);
	ew.op_stuck = false; /* it ends, without an effect */
	ew_cycle(60);
	ew_expect_actions("big recheck");
	ew_expect("SELECT reason LIKE '%Google reports the operation as done, but it is "
		  "still "
		  "running after%' FROM action",
		"1");
	ew_cycle(900);
	ew_expect_actions("big done");
	/* Google would answer with the operation that had none */
	assert_i64_eq(ew.acts, 2);
	assert_true(requests_differ());
}

/* Nobody may read the operation, and the machine goes on. */
static void test_no_effect_has_its_price(void **state)
{
	for (int known = 0; known < 2; known++) {
		ew_vm(known ? "big2" : "big");
		ew_rule(known ? "r2" : "r", known ? "name = 'big2'" : "name = 'big'", 0);
		ew.op_fails = E_DENIED;
		ew.no_effect = true;
		ew_cycle(60);
		if (!known)
			tempdb_exec(&ew.t, "UPDATE action SET saves = NULL");
		for (int i = 0; i < 16; i++)
			ew_cycle(60);
		if (known)
			ew_expect("SELECT reason LIKE '%may still be running and costs "
				  "_.__ USD an hour' FROM action WHERE name = 'big2'",
				"1");
		else
			ew_expect("SELECT reason LIKE '%may still be running' FROM action",
				"1");
	}
}

/* I11 */
static void test_operation_forgotten(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.op_fails = E_NOTFOUND;
	ew_cycle(60);
	ew_expect_actions("big done");
}

/* Who may stop need not be allowed to read operations: what the machine is decides. */
static void test_operation_unreadable(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.op_fails = E_DENIED;
	ew_cycle(60);
	ew_cycle(60);
	ew_expect_actions("big done");
	assert_i64_eq(ew.acts, 1);
	ew_expect_audit();
}

static void test_operation_unreadable_and_it_runs(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.op_fails = E_DENIED;
	ew.no_effect = true;
	ew_cycle(60);
	ew_expect_actions("big sent");
	for (int i = 0; i < 16; i++)
		ew_cycle(60);
	ew_expect_actions("big recheck");
	ew_expect("SELECT reason LIKE '%the operation cannot be read, and it is still "
		  "running after 1% minutes%' "
		  "FROM action",
		"1");
	assert_i64_eq(ew.acts, 1);
}

/* Nothing was stopped, so nothing may be called done: a look decides, later. */
static void test_not_found_by_the_stop(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.act_fails = E_NOTFOUND;
	ew_cycle(60);
	ew_expect_actions("big recheck");
	ew_expect("SELECT attempts FROM action", "1");
	ew.act_fails = E_OK;
	ew_cycle(300);
	ew_expect_actions("big done");
	assert_i64_eq(ew.acts, 2);
	assert_i64_eq(ew.effects, 1);
	ew_expect_audit();
}

static void goes(struct ew_machine *m)
{
	m->there = false;
}

static void test_gone_before_the_stop(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.before_act = goes;
	ew_cycle(60);
	ew_expect_actions("big recheck");
	ew_cycle(300);
	ew_expect_actions("big cleared");
	assert_i64_eq(ew.acts, 1);
}

/* A TPU under repair has no hosts for a while: that is no reason to let it run for ever after. */
static void test_hosts_untold_for_a_while(void **state)
{
	struct ew_machine *leak;

	leak = ew_tpu("leak");
	ew_rule("r", "kind = 'tpu' AND state = 'running'", 0);
	ew_track(60);
	leak->hosts = 0;
	ew_run();
	ew_expect_actions("leak recheck hosts");
	assert_i64_eq(ew.acts, 0);
	leak->hosts = 1;
	ew_cycle(60);
	ew_expect_actions("leak done");
	assert_i64_eq(ew.acts, 1);
}

/* A clock that was a year ahead, and is right again: what it told is told anew. */
static void test_clock_was_ahead(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", GRACE);
	ew_cycle(60);
	ew.t.clock.fake_now += 365 * 86400;
	ew_find("big")->started += 365 * 86400; /* and a machine of that time */
	ew_cycle(60);
	ew.t.clock.fake_now -= 365 * 86400;
	ew_find("big")->started -= 365 * 86400;
	ew_cycle(60);
	ew_cycle(GRACE);
	ew_cycle(GRACE);
	assert_i64_eq(ew.acts, 1);
	ew_expect("SELECT state FROM action ORDER BY action DESC", "done");
}

/* Warned on Friday, and the window opens on Monday: one warning is enough. */
static void test_weekly_window(void **state)
{
	static const struct enforce_window monday = {.days = 1, .from = 540, .until = 1080};

	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.en.windows = &monday;
	ew.en.n_windows = 1;
	for (int i = 0; i < 2 * 24 + 8; i++) /* from Saturday on */
		ew_cycle(3600);
	ew_expect_actions("big recheck window");
	ew_cycle(3600);
	ew_cycle(3600);
	ew_expect_actions("big done");
	ew_expect("SELECT count(*) FROM action_notice", "1");
}

/* Two rules, one machine: the second one must not say that somebody started it again. */
static void test_two_rules_before_the_next_poll(void **state)
{
	ew_vm("big");
	ew_rule("a", "kind = 'vm' AND state = 'running'", 0);
	ew_rule("b", "kind = 'vm' AND state = 'running' AND vcpus > 1", 0);
	ew_cycle(60);
	ew.poll = false;
	ew_cycle(20);
	ew_expect_actions("big done; big recheck fresh");
	ew.poll = true;
	ew_cycle(60);
	ew_expect_actions("big done; big cleared");
	assert_i64_eq(ew.acts, 1);
}

/* I12 */
static void test_done_and_still_running(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.no_effect = true;
	ew_cycle(60);
	ew_expect_actions("big verify");
	for (int i = 0; i < 16; i++)
		ew_cycle(60);
	ew_expect_actions("big recheck");
	assert_i64_eq(ew.acts, 1);
}

/* I13 */
static void test_denied(void **state)
{
	struct ew_machine *other;

	ew_vm("big");
	other = ew_vm("other");
	ew_rule("r", "name LIKE 'big%' AND state = 'running'", 0);
	ew.act_fails = E_DENIED;
	ew_cycle(60);
	ew_expect_actions("big failed");
	expect_counts(0, 1, 0, 0);
	assert_contains(ew.result.notes[0], "FAILED ");
	assert_i64_eq(ew.acts, 1);
	ew_expect("SELECT rule || project FROM disarmed", "rp-lab1");
	ew_cycle(600);
	assert_i64_eq(ew.acts, 1);
	/* The same rule does not try the next machine either, until a person looked. */
	ew.act_fails = E_OK;
	snprintf(other->name, sizeof(other->name), "big2");
	ew_cycle(60);
	assert_i64_eq(ew.acts, 1);
	ew_expect("SELECT held FROM action WHERE ended IS NULL", "disarmed");
	tempdb_exec(&ew.t, "DELETE FROM disarmed");
	ew_cycle(60);
	assert_i64_eq(ew.acts, 2);
}

/* A36 */
static void test_answer_lost(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.act_lost = true;
	ew_cycle(60);
	ew_expect_actions("big done");
	assert_i64_eq(ew.acts, 1);
	assert_i64_eq(ew.effects, 1);
	ew_expect_audit();
}

/* A36, and it never arrived: asked again after a while, under the same id. */
static void test_request_lost(void **state)
{
	char first[sizeof(ew.log)];

	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.act_lost = true;
	ew.no_effect = true;
	ew_cycle(60);
	ew_expect_actions("big unknown");
	snprintf(first, sizeof(first), "%s", ew.log);
	ew.act_lost = ew.no_effect = false;
	ew_cycle(61);
	ew_expect_actions("big recheck");
	ew_cycle(300);
	ew_expect_actions("big done");
	assert_i64_eq(ew.acts, 2);
	assert_string_equal(ew.log + strlen(first), first);
}

/* Every answer is lost, for ever: three requests, all of them the same. */
static void test_every_answer_lost(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.act_lost = ew.no_effect = true;
	for (int i = 0; i < 100; i++)
		ew_cycle(60);
	ew_expect_actions("big recheck");
	assert_i64_eq(ew.acts, 5);
	ew_expect("SELECT attempts FROM action", "5");
}

/* Written down, and killed before it was sent, or before the answer was stored. */
static void test_died_after_intent(void **state)
{
	ew_vm("a");
	ew_vm("b");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_track(60);
	tempdb_exec(&ew.t,
		"UPDATE action SET state = 'intent', intent = (SELECT now FROM as_of), "
		"request_id = 'id-' || name");
	ew_find("b")->state = "stopped";
	ew.opts.recover = true;
	ew_run();
	ew_expect_actions("a intent; b done");
	ew.opts.recover = false;
	assert_i64_eq(ew.acts, 0);
	ew_cycle(60);
	ew_expect_actions("a done; b done");
	assert_string_equal(ew.log, "stop a 7001 id-a\n");
}

/* It was set back since: that is no reason to wait until it has caught up. */
static void test_clock_behind_the_intent(void **state)
{
	ew_vm("a");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_track(60);
	tempdb_exec(&ew.t,
		"UPDATE action SET state = 'intent', request_id = 'id-a', "
		"intent = (SELECT now + 3600 FROM as_of)");
	ew_cycle(60);
	ew_expect_actions("a done");
	assert_string_equal(ew.log, "stop a 7001 id-a\n");
}

static void test_old_actions_are_forgotten(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_cycle(60);
	ew_cycle(729 * 86400);
	ew_expect("SELECT count(*) FROM action", "1");
	ew_cycle(2 * 86400);
	ew_expect("SELECT (SELECT count(*) FROM action) + (SELECT count(*) FROM "
		  "action_notice)",
		"0");
	ew_expect_audit();
	ew_expect("SELECT count(*) > 5 FROM audit_entry", "1");
}

/* I18 */
static void test_rule_edited(void **state)
{
	struct rule *r;

	ew_vm("big");
	r = ew_rule("r", "kind = 'vm' AND state = 'running'", GRACE);
	ew_cycle(60);
	r->where = "kind = 'vm' AND state = 'running' AND 1";
	ew_cycle(GRACE);
	ew_expect_actions("big superseded; big grace");
	assert_i64_eq(ew.acts, 0);
}

/* I19 */
static void test_wrong_project(void **state)
{
	ew_vm("big");
	ew_vm("big2"); /* what was found of the first one holds for both */
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	tempdb_exec(&ew.t,
		"INSERT INTO project (project, number, origin, first_seen, last_seen) "
		"VALUES ('p-lab1', '111', 'organizations/8', 1, 1)");
	ew.number = "222";
	ew_cycle(60);
	ew_expect_actions("big recheck wrong-project; big2 recheck wrong-project");
	expect_counts(0, 0, 2, 0);
	assert_i64_eq(ew.acts + ew.looks, 0);
	ew.number = "111";
	ew_cycle(60);
	ew_expect_actions("big done; big2 done");
}

static void test_project_by_number(void **state)
{
	static const char *const numbers[] = {"111"};

	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.en.projects = numbers;
	ew_cycle(60);
	ew_expect_actions("big recheck project");
	tempdb_exec(&ew.t,
		"INSERT INTO project (project, number, origin, first_seen, last_seen) "
		"VALUES ('p-lab1', '111', 'organizations/8', 1, 1)");
	ew.number = "111";
	ew_cycle(60);
	ew_cycle(60);
	ew_expect("SELECT state FROM action ORDER BY action DESC", "done");
}

/* I22 */
static void test_started_again_after_our_stop(void **state)
{
	struct ew_machine *m;

	m = ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_cycle(60);
	ew_cycle(60);
	m->state = "running";
	m->started = ew.t.clock.fake_now;
	for (int i = 0; i < 5; i++)
		ew_cycle(3600);
	assert_i64_eq(ew.acts, 1);
	ew_expect("SELECT count(*) FROM action WHERE ended IS NULL AND held = 'back-off'",
		"1");
	/* A person lets it. */
	tempdb_exec(&ew.t,
		"UPDATE action SET approved = (SELECT MAX(at) FROM audit_entry) "
		"WHERE ended IS NULL");
	ew_cycle(60);
	ew_cycle(60);
	assert_i64_eq(ew.acts, 2);
	assert_true(requests_differ()); /* or Google would take it for the first one */
}

/* I15 */
static void test_caps(void **state)
{
	size_t looks;

	ew_vm("a");
	ew_vm("b");
	ew_vm("c");
	ew_vm("d");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_cycle(60);
	ew_expect_actions("a recheck caps; b recheck caps; c recheck caps; d recheck caps");
	assert_i64_eq(ew.acts, 0);
	looks = ew.looks;
	ew_cycle(60); /* what the limit holds was looked at before */
	assert_i64_eq(ew.looks, looks);
	ew_find("d")->state = "stopped";
	ew_cycle(60);
	ew_expect_actions("a done; b done; c done; d cleared");
	assert_i64_eq(ew.acts, 3);
}

/* What may not be touched anyway fills no limit. */
static void test_untouchable_fill_no_limit(void **state)
{
	ew_vm("a");
	ew_vm("b")->managed_by = "a managed instance group";
	ew_vm("c")->local_ssd = true;
	ew_vm("d")->deletion_protection = true;
	ew_vm("e");
	ew_vm("f")->managed_by = "a managed instance group";
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_cycle(60);
	ew_expect_actions("a done; b failed; c failed; d failed; e done; f failed");
	assert_i64_eq(ew.acts, 2);
}

/* I24 */
static void test_dry_run(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.en.mode = ENFORCE_DRY_RUN;
	ew.deliver = false;
	ew_cycle(60);
	ew_cycle(60);
	ew_expect_actions("big recheck mode");
	assert_i64_eq(ew.acts + ew.looks, 0);
	/* Armed, it begins anew, with a warning: also when a run comes before that was judged. */
	ew.en.mode = ENFORCE_ARMED;
	ew_run();
	assert_i64_eq(ew.acts + ew.looks, 0);
	ew_cycle(60);
	ew_expect_actions("big superseded; big warning");
	assert_i64_eq(ew.acts, 0);
	ew.en.mode = ENFORCE_OFF;
	ew_cycle(60);
	ew_expect_actions("big superseded; big cleared");
}

static void test_old_data(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 1200);
	ew_cycle(60);
	ew.poll = false;
	for (int i = 0; i < 10; i++)
		ew_cycle(600);
	assert_i64_eq(ew.acts, 0);
	ew_expect("SELECT held FROM action", "fresh");
	ew.poll = true;
	ew_cycle(60);
	ew_expect_actions("big done");
}

/* The machine was seen a moment ago, but what the rule rests on was not: the alert is an old one. */
static void test_old_alert(void **state)
{
	struct err e = {0};

	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", GRACE);
	ew_cycle(60);
	ew_expect_actions("big grace");
	tempdb_exec(&ew.t, "UPDATE alert SET data = 'stale'");
	assert_ok(enforce_track(ew.t.db, &ew.settings, ew.t.clock.fake_now, &e), e);
	ew_expect_actions("big grace fresh");
	ew_expect("SELECT reason FROM action",
		"the rule does not match this resource on fresh data");
	ew_cycle(60);
	ew_expect_actions("big grace");
	/* true again, and not long enough yet */
	tempdb_exec(&ew.t, "UPDATE alert SET state = 'pending'");
	assert_ok(enforce_track(ew.t.db, &ew.settings, ew.t.clock.fake_now, &e), e);
	ew_expect_actions("big grace fresh");
}

/* Between the poll and the act. */
static void test_alert_gets_old(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", GRACE);
	ew_cycle(60);
	ew_track(GRACE);
	tempdb_exec(&ew.t, "UPDATE alert SET data = 'stale'");
	ew_run();
	assert_i64_eq(ew.acts, 0);
	ew_expect("SELECT held FROM action", "fresh");
	ew_cycle(60);
	ew_expect_actions("big done");
}

static void test_wrong_clock(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", GRACE);
	ew_cycle(60);
	for (int side = -1; side <= 1; side += 2) {
		ew.skew = side * 301;
		ew_cycle(GRACE);
		assert_i64_eq(ew.acts, 0);
		ew_expect("SELECT held FROM action", "clock");
	}
	ew.skew = 300;
	ew_cycle(60);
	ew_expect_actions("big done");
}

/* A second rule does not stop a second time. */
static void test_two_rules(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_rule("s", "name = 'big' AND state = 'running'", 0);
	ew_cycle(60);
	ew_cycle(60);
	assert_i64_eq(ew.acts, 1);
	ew_expect("SELECT count(*) FROM action WHERE state = 'done'", "1");
}

/* I3: another database of the same world makes the same request. */
static void test_request_id_is_of_the_episode(void **state)
{
	char log[sizeof(ew.log)];

	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_cycle(60);
	snprintf(log, sizeof(log), "%s", ew.log);
	tempdb_teardown(state);
	ew_setup(state);
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_cycle(120);
	assert_string_equal(ew.log, log);
}

static void test_lease(void **state)
{
	struct err e = {0};

	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_track(60);
	tempdb_exec(&ew.t,
		"INSERT INTO lease VALUES ('enforce', 'host-2:7', 41, "
		"(SELECT now + 100 FROM as_of))");
	assert_err(enforce_run(ew.t.db, &ew.opts, &ew.t.a, &ew.result, &e), e, E_BUSY,
		"another tpucost is acting: host-2:7");
	assert_i64_eq(ew.acts, 0);
	clock_fake_advance(&ew.t.clock, 101);
	ew_run();
	assert_i64_eq(ew.acts, 1);
	ew_expect("SELECT fence FROM lease", "42");
}

/* "host" is not "host-1"; and what ends in ten years is of a clock that was wrong. */
static void test_lease_of_others(void **state)
{
	struct err e = {0};

	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_track(60);
	tempdb_exec(&ew.t,
		"INSERT INTO lease VALUES ('enforce', 'host:7', 41, "
		"(SELECT now + 100 FROM as_of))");
	assert_err(enforce_run(ew.t.db, &ew.opts, &ew.t.a, &ew.result, &e), e, E_BUSY,
		"another tpucost is acting: host:7");
	assert_i64_eq(ew.acts, 0);
	tempdb_exec(&ew.t, "UPDATE lease SET until = until + 315360000");
	ew_run();
	assert_i64_eq(ew.acts, 1);
}

/* A warning that came late leaves its whole grace. */
static void test_grace_is_of_the_warning(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", GRACE);
	ew.deliver = false;
	ew_cycle(60);
	ew_cycle(2 * GRACE);
	ew_expect_actions("big warning");
	ew.deliver = true;
	ew_cycle(60);
	ew_cycle(GRACE - 60);
	ew_expect_actions("big grace");
	assert_i64_eq(ew.acts, 0);
	ew_cycle(120);
	ew_cycle(60);
	ew_expect_actions("big done");
}

/* A machine that slept through the grace knows the condition from before the warning only. */
static void test_grace_needs_news_of_after_the_warning(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", GRACE);
	ew_cycle(60);
	ew_track(60);
	ew_expect_actions("big grace");
	tempdb_exec(&ew.t, "UPDATE alert SET last_true = (SELECT warned - 1 FROM action)");
	ew.poll = false;
	ew_cycle(2 * GRACE);
	ew_expect_actions("big grace fresh");
	tempdb_exec(&ew.t, "UPDATE alert SET last_true = (SELECT warned FROM action)");
	ew_cycle(60);
	ew_expect_actions("big recheck fresh");
	assert_i64_eq(ew.acts, 0);
	ew.poll = true;
	ew_cycle(60);
	ew_expect_actions("big done");
}

/* Clocks are corrected by a little all the time; a warning of hours ahead is none. */
static void test_clock_set_back_by_a_little(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", GRACE);
	ew_cycle(60);
	ew_expect_actions("big grace");
	ew_track(-300);
	ew_expect("SELECT group_concat(state, ' ') FROM action", "grace");
	ew_track(-1);
	ew_expect("SELECT state || ': ' || reason FROM action ORDER BY action",
		"cleared: the clock was set back: the reported time is wrong");
	assert_i64_eq(ew.acts, 0);
}

static void lose_lease(struct ew_machine *m)
{
	(void)m;
	tempdb_exec(&ew.t, "UPDATE lease SET owner = 'host-2:7', fence = fence + 1");
	ew.after_look = NULL;
}

/* I2: who slept over its lease neither writes nor acts. */
static void test_fenced_out(void **state)
{
	struct err e = {0};

	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_track(60);
	ew.after_look = lose_lease;
	assert_err(enforce_run(ew.t.db, &ew.opts, &ew.t.a, &ew.result, &e), e, E_BUSY,
		"took over");
	assert_i64_eq(ew.acts, 0);
	ew_expect("SELECT count(*) FROM audit_entry WHERE event = 'intent'", "0");
}

static int interrupted; /* signals that would end the program in the middle of a stop */

static void count_signals(void *ctx, const char *step)
{
	static const int ending[] = {SIGTERM, SIGINT, SIGHUP};
	sigset_t set;

	(void)ctx;
	if (strcmp(step, "intent") != 0 && strcmp(step, "asked") != 0)
		return;
	sigprocmask(SIG_BLOCK, NULL, &set);
	for (size_t i = 0; i < ARRAY_LEN(ending); i++)
		interrupted += !sigismember(&set, ending[i]);
}

static void test_no_signal_between_intent_and_answer(void **state)
{
	sigset_t set;

	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.opts.step = count_signals;
	interrupted = 0;
	ew_cycle(60);
	ew_expect_actions("big done");
	assert_int_equal(interrupted, 0);
	sigprocmask(SIG_BLOCK, NULL, &set);
	assert_false(sigismember(&set, SIGINT)); /* and afterwards it can be ended */
}

static char halt_path[128];
static const char *hold_at;

/* Something is decided while the run is at that step. */
static void decide(void *ctx, const char *step)
{
	(void)ctx;
	if (strcmp(step, hold_at) != 0)
		return;
	if (ew.en.n_halt_files) {
		FILE *f = fopen(halt_path, "w");

		assert_non_null(f);
		fclose(f);
	} else {
		tempdb_exec(&ew.t,
			"INSERT OR IGNORE INTO hold (id, created, until, comment) SELECT "
			"resource, 0, 9999999999, '' FROM action WHERE ended IS NULL");
	}
}

/* I17, and a hold that comes after the look: both count. */
static void test_decided_in_the_last_moment(void **state)
{
	const struct halt_file file = {.beside = ew.t.path};

	ew_vm("a");
	ew_vm("b");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.opts.step = decide;
	hold_at = "looked";
	ew_cycle(60);
	ew_expect_actions("a cleared; b cleared");
	assert_i64_eq(ew.acts, 0);
	tempdb_exec(&ew.t, "DELETE FROM hold");
	snprintf(halt_path, sizeof(halt_path), "%s/halt", ew.t.dir);
	ew.en.halt_files = &file;
	ew.en.n_halt_files = 1;
	hold_at = "sent"; /* of the first one: the second is not acted on */
	ew_cycle(60);
	ew_expect_actions("a cleared; b cleared; a done; b recheck halt");
	assert_i64_eq(ew.acts, 1);
	remove(halt_path);
	hold_at = "intent";
	ew_cycle(60);
	ew_expect_actions("a cleared; b cleared; a done; b recheck halt");
	assert_i64_eq(ew.acts, 1);
	remove(halt_path);
	hold_at = "";
	ew_cycle(60);
	assert_i64_eq(ew.acts, 2);
	ew_expect_audit();
}

static enum err_code look_while_it_ends(void *ctx, const struct target *t, enum verb verb,
	struct arena *a, struct live *out, struct err *e)
{
	(void)ctx;
	(void)t;
	(void)verb;
	(void)a;
	(void)out;
	tempdb_exec(&ew.t, "UPDATE action SET state = 'superseded', ended = since");
	return err_set(e, E_NET, "look: no answer");
}

/* Another process judged a newer configuration while this one looked. */
static void test_ended_by_another_process(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_track(60);
	ew.hands.look = look_while_it_ends;
	ew_run();
	ew_expect_actions("big superseded");
	ew_expect("SELECT count(*) FROM action WHERE ended IS NULL", "0");
	assert_i64_eq(ew.acts, 0);
	ew_expect_audit();
}

static int slow_looks;
static void slow_look(struct ew_machine *m)
{
	(void)m;
	if (slow_looks-- > 0)
		clock_fake_advance(&ew.t.clock, ENFORCE_LOOK_AGE + 1);
}

static void test_old_look_is_done_again(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew_track(60);
	slow_looks = 1;
	ew.after_look = slow_look;
	ew_run();
	ew_expect_actions("big done");
	assert_i64_eq(ew.acts, 1);
	ew_expect("SELECT count(*) FROM audit_entry WHERE event = 'intent'", "2");
}

static int64_t wall_jump, mono_jump; /* while Google is looked at, the first time */
static void clocks_jump(struct ew_machine *m)
{
	(void)m;
	ew.t.clock.fake_now += wall_jump;
	ew.t.clock.fake_mono_ms += mono_jump;
	wall_jump = mono_jump = 0;
}

/* A machine that is suspended: its monotonic clock stands still. And one whose clock is set. */
static void test_age_of_a_look_is_of_both_clocks(void **state)
{
	static const struct {
		int64_t wall, mono;
		const char *intents;
	} cases[] = {
		{ENFORCE_LOOK_AGE, ENFORCE_LOOK_AGE * 1000, "1"},
		{ENFORCE_LOOK_AGE + 1, 0, "2"},
		{-1, 0, "2"},
		{0, ENFORCE_LOOK_AGE * 1000 + 1, "2"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		ew_vm("big");
		ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
		ew_track(60);
		wall_jump = cases[i].wall;
		mono_jump = cases[i].mono;
		ew.after_look = clocks_jump;
		ew_run();
		ew_expect_actions("big done");
		assert_i64_eq(ew.acts, 1);
		ew_expect("SELECT count(*) FROM audit_entry WHERE event = 'intent'",
			cases[i].intents);
		tempdb_teardown(state);
		ew_setup(state);
	}
}

static void test_google_silent(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.look_fails = E_NET;
	ew_cycle(60);
	ew_expect_actions("big recheck look");
	assert_i64_eq(ew.acts, 0);
	ew.look_fails = E_OK;
	ew_cycle(60);
	ew_expect_actions("big done");
}

static void test_old_warning(void **state)
{
	ew_vm("big");
	ew_rule("r", "kind = 'vm' AND state = 'running'", 0);
	ew.look_fails = E_NET;
	ew_cycle(60);
	ew_cycle(ENFORCE_WARNING_AGE + 60);
	ew_expect("SELECT group_concat(state, ' ') FROM (SELECT state FROM action ORDER BY "
		  "action)",
		"cleared recheck");
	assert_i64_eq(ew.acts, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, ew_setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(test_what_is_dead),
		TEST(test_one_run),
		TEST(test_grace),
		TEST(test_pending_first),
		TEST(test_never_unwarned),
		TEST(test_condition_ends_in_grace),
		TEST(test_restarted_in_grace),
		TEST(test_between_states_in_grace),
		TEST(test_between_states_of_a_node),
		TEST(test_restarted_before_look),
		TEST(test_made_anew_before_look),
		TEST(test_made_anew_before_act),
		TEST(test_another_that_does_not_run_may_have_been_hit),
		TEST(test_made_anew_after_act),
		TEST(test_stopped_by_somebody),
		TEST(test_deleted_by_somebody),
		TEST(test_stopped_and_kept),
		TEST(test_kept_is_not_matched),
		TEST(test_ceased_in_flight),
		TEST(test_stopping_by_somebody),
		TEST(test_label_in_last_second),
		TEST(test_for_is_observed),
		TEST(test_for_of_a_node),
		TEST(test_node_unread),
		TEST(test_labels_unreadable),
		TEST(test_operation_fails),
		TEST(test_operation_never_ends),
		TEST(test_no_effect_has_its_price),
		TEST(test_operation_forgotten),
		TEST(test_operation_unreadable),
		TEST(test_operation_unreadable_and_it_runs),
		TEST(test_not_found_by_the_stop),
		TEST(test_gone_before_the_stop),
		TEST(test_hosts_untold_for_a_while),
		TEST(test_clock_was_ahead),
		TEST(test_weekly_window),
		TEST(test_two_rules_before_the_next_poll),
		TEST(test_done_and_still_running),
		TEST(test_denied),
		TEST(test_answer_lost),
		TEST(test_request_lost),
		TEST(test_every_answer_lost),
		TEST(test_failed_requests_count),
		TEST(test_lost_requests_count),
		TEST(test_not_given_up),
		TEST(test_failing_and_no_longer_wanted),
		TEST(test_died_after_intent),
		TEST(test_clock_behind_the_intent),
		TEST(test_old_actions_are_forgotten),
		TEST(test_rule_edited),
		TEST(test_wrong_project),
		TEST(test_project_by_number),
		TEST(test_started_again_after_our_stop),
		TEST(test_caps),
		TEST(test_untouchable_fill_no_limit),
		TEST(test_dry_run),
		TEST(test_old_data),
		TEST(test_old_alert),
		TEST(test_alert_gets_old),
		TEST(test_wrong_clock),
		TEST(test_two_rules),
		TEST(test_request_id_is_of_the_episode),
		TEST(test_lease),
		TEST(test_lease_of_others),
		TEST(test_grace_is_of_the_warning),
		TEST(test_grace_needs_news_of_after_the_warning),
		TEST(test_clock_set_back_by_a_little),
		TEST(test_fenced_out),
		TEST(test_no_signal_between_intent_and_answer),
		TEST(test_ended_by_another_process),
		TEST(test_decided_in_the_last_moment),
		TEST(test_old_look_is_done_again),
		TEST(test_age_of_a_look_is_of_both_clocks),
		TEST(test_google_silent),
		TEST(test_old_warning),
	};

	return cmocka_run_group_tests_name("enforce", tests, NULL, NULL);
}

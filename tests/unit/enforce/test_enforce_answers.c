/* Each answer to a request, and each sight of the machine afterwards: the row of the action, whole. */
#include "db/db.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"
#include "tests/support/world/enforce_world.h"

#include <stdio.h>
#include <string.h>

#define AGAIN "done 0 - -60 -60 1 0: it was stopped, and then started again"
#define KEPT                                                                       \
	"superseded 0 - -60 -60 1 0: it was started again; the request may still " \
	"delete it"
#define WRONG(past)                                                                   \
	"failed 0 - -60 -60 1 1: WRONG TARGET: another machine (id 9) had taken its " \
	"name and may have been " past " instead; check that machine, and start it again"
#define AT INT64_C(1795219260) /* of the first run */

static struct ew_machine *begin(const char *action)
{
	struct rule *r;

	ew_setup(NULL);
	ew_vm("big")->created = EW_NOW - 86400;
	r = ew_rule("r", "name = 'big' AND state = 'running'", 0);
	r->then.action = action;
	r->then.allow_delete = ew.en.allow_delete = true;
	return ew_find("big");
}

/* "state attempts, next_at, sent and intent in seconds from `at`, a request id, the rule disarmed: reason" */
static const char *row(ts_t at)
{
	static char got[600];
	char sql[600];

	snprintf(sql, sizeof(sql),
		"SELECT state || ' ' || attempts || ' ' || COALESCE(next_at - %lld, '-') "
		"|| "
		"' ' || COALESCE(sent - %lld, '-') || ' ' || COALESCE(intent - %lld, '-') "
		"|| "
		"' ' || (request_id IS NOT NULL) || ' ' || (SELECT COUNT(*) FROM disarmed) "
		"|| ': ' || reason FROM action",
		(long long)at, (long long)at, (long long)at);
	return tempdb_text(&ew.t, sql, got, sizeof(got));
}

static void each_answer_is_taken_for_what_it_says(void **state)
{
	static const struct {
		const char *action;
		enum err_code answer;
		const char *want;
		int64_t failed;
	} cases[] = {
		{"stop", E_OK, "sent 0 - 0 0 1 0: Google is working on it", 0},
		{"stop", E_NOTFOUND,
			"recheck 1 300 - - 1 0: Google did not find it; nothing was "
			"stopped",
			0},
		{"delete", E_NOTFOUND, "verify 0 - 0 0 1 0: Google does not find it", 0},
		{"stop", E_NET, "recheck 1 300 - - 1 0: stop: refused", 0},
		{"stop", E_RATE, "recheck 1 300 - - 1 0: stop: refused", 0},
		{"stop", E_AUTH, "recheck 1 300 - - 1 0: stop: refused", 0},
		{"stop", E_CONFLICT, "recheck 1 300 - - 1 0: stop: refused", 0},
		{"stop", E_BUSY, "recheck 1 300 - - 1 0: stop: refused", 0},
		{"stop", E_DENIED, "failed 0 - - 0 1 1: Google refuses: stop: refused", 1},
		{"stop", E_HTTP,
			"recheck 3 900 - - 0 0: the attempt failed, the next follows in "
			"15m: "
			"Google refuses: stop: refused",
			1},
		{"stop", E_CONFIG,
			"recheck 3 900 - - 0 0: the attempt failed, the next follows in "
			"15m: "
			"Google refuses: stop: refused",
			1},
		{"stop", E_DISABLED,
			"recheck 3 900 - - 0 0: the attempt failed, the next follows in "
			"15m: "
			"Google refuses: stop: refused",
			1},
		{"stop", E_UNCERTAIN,
			"unknown 0 - 0 0 1 0: the request may have succeeded: "
			"stop: refused",
			0},
		{"stop", E_DATA,
			"unknown 0 - 0 0 1 0: the request may have succeeded: "
			"stop: refused",
			0},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin(cases[i].action);
		ew.act_fails = cases[i].answer;
		ew.op_stuck = true;
		ew_cycle(60);
		if (strcmp(row(AT), cases[i].want) != 0)
			fail_msg("%s, %s: %s", cases[i].action, err_name(cases[i].answer),
				row(AT));
		assert_i64_eq(ew.result.failed, cases[i].failed);
		tempdb_close(&ew.t);
	}
}

/* Its machine runs as before: the error of the request is reported, as far as Google gave one. */
static void a_request_without_effect_says_why(void **state)
{
	static const struct {
		const char *action;
		enum err_code answer;
		int64_t after;
		const char *want;
	} cases[] = {
		{"stop", E_UNCERTAIN, 60,
			"recheck 1 360 0 - 1 0: it is still running: the request failed: "
			"stop: "
			"refused"},
		{"delete", E_NOTFOUND, 901,
			"recheck 3 1801 0 - 0 0: the attempt failed, the next follows in "
			"15m: "
			"Google did not find it, but it is still running after 15 minutes: "
			"it "
			"may still be running"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin(cases[i].action);
		ew.act_fails = cases[i].answer;
		ew.opts.wait_seconds = 0;
		ew_cycle(60);
		tempdb_exec(&ew.t, "UPDATE action SET saves = NULL");
		ew.t.clock.fake_now += cases[i].after;
		ew_run();
		assert_string_equal(row(AT), cases[i].want);
		tempdb_close(&ew.t);
	}
}

static const char *const states[] = {"intent", "sent", "verify", "unknown"};
static const struct {
	const char *sight, *state;
	int64_t started;
	bool other, gone;
} sights[] = {
	{"running", "running"},
	{"restarted", "running", 30},
	{"stopping", "stopping"},
	{"stopped", "stopped"},
	{"unknown", "unknown"},
	{"another", "running", .other = true},
	{"gone", "running", .gone = true},
};
static const char *const wants[2][ARRAY_LEN(states)][ARRAY_LEN(sights)] = {
	{
		{"verify 0 - 23 23 1 0: Google reports it as done",
			"superseded 0 - -60 -60 1 0: it was started again, "
			"possibly after tpucost stopped it",
			"intent 0 - - -60 1 0: Google is working on it",
			"done 0 - -60 -60 1 0: stopped; confirmed by Google",
			"intent 0 - - -60 1 0: Google is working on it", WRONG("stopped"),
			"done 0 - -60 -60 1 0: it no longer exists"},
		{"verify 0 - -60 -60 1 0: Google reports it as done", AGAIN,
			"verify 0 - -60 -60 1 0: Google reports it as done",
			"done 0 - -60 -60 1 0: stopped; confirmed by Google",
			"verify 0 - -60 -60 1 0: Google reports it as done",
			WRONG("stopped"), "done 0 - -60 -60 1 0: it no longer exists"},
		{"verify 0 - -60 -60 1 0: Google is working on it", AGAIN,
			"verify 0 - -60 -60 1 0: Google is working on it",
			"done 0 - -60 -60 1 0: stopped; confirmed by Google",
			"verify 0 - -60 -60 1 0: Google is working on it", WRONG("stopped"),
			"done 0 - -60 -60 1 0: it no longer exists"},
		{"recheck 1 323 -60 - 1 0: it is still running: the request did "
		 "not arrive",
			AGAIN, "unknown 0 - -60 -60 1 0: Google is working on it",
			"done 0 - -60 -60 1 0: stopped; confirmed by Google",
			"unknown 0 - -60 -60 1 0: Google is working on it",
			WRONG("stopped"), "done 0 - -60 -60 1 0: it no longer exists"},
	},
	{
		{"verify 0 - 23 23 1 0: Google reports it as done", KEPT,
			"intent 0 - - -60 1 0: Google is working on it",
			"recheck 0 - -60 - 1 0: its state is TERMINATED: it is not "
			"deleted in that state",
			"intent 0 - - -60 1 0: Google is working on it", WRONG("deleted"),
			"verify 0 - -60 -60 1 0: Google no longer finds it; "
			"waiting for the lists to confirm"},
		{"verify 0 - -60 -60 1 0: Google reports it as done", KEPT,
			"verify 0 - -60 -60 1 0: Google reports it as done",
			"verify 0 - -60 -60 1 0: Google reports it as done",
			"verify 0 - -60 -60 1 0: Google reports it as done",
			WRONG("deleted"),
			"verify 0 - -60 -60 1 0: Google reports it as done"},
		{"verify 0 - -60 -60 1 0: Google is working on it", KEPT,
			"verify 0 - -60 -60 1 0: Google is working on it",
			"verify 0 - -60 -60 1 0: Google is working on it",
			"verify 0 - -60 -60 1 0: Google is working on it", WRONG("deleted"),
			"verify 0 - -60 -60 1 0: Google is working on it"},
		{"recheck 1 323 -60 - 1 0: it is still running: the request did "
		 "not arrive",
			KEPT, "unknown 0 - -60 -60 1 0: Google is working on it",
			"recheck 1 323 -60 - 1 0: it is still running: the request "
			"did not arrive",
			"unknown 0 - -60 -60 1 0: Google is working on it",
			WRONG("deleted"),
			"verify 0 - -60 -60 1 0: Google no longer finds it; "
			"waiting for the lists to confirm"},
	},
};

/* As a run left it a minute ago, and what the next one makes of it. */
static void each_sight_has_its_outcome(void **state)
{
	for (size_t d = 0; d < 2; d++)
		for (size_t s = 0; s < ARRAY_LEN(states); s++)
			for (size_t i = 0; i < ARRAY_LEN(sights); i++) {
				struct ew_machine *m = begin(d ? "delete" : "stop");

				ew.op_stuck = true;
				ew_cycle(60);
				tempdb_execf(&ew.t,
					"UPDATE action SET state = '%s', intent = "
					"1795219260, sent = "
					"%s, operation = 'operation-1'",
					states[s], s ? "1795219260" : "NULL");
				m->state = sights[i].state;
				m->looks_to_stop = 9;
				m->started += sights[i].started;
				m->there = !sights[i].gone;
				if (sights[i].other)
					strcpy(m->uid, "9");
				ew.op_stuck = false;
				ew.t.clock.fake_now += 60;
				ew.opts.wait_seconds = 0;
				ew_run();
				if (strcmp(row(AT + 60), wants[d][s][i]) != 0)
					fail_msg("%s %s %s: %s", d ? "delete" : "stop",
						states[s], sights[i].sight, row(AT + 60));
				tempdb_close(&ew.t);
			}
}

static char steps[400];

static void on_step(void *ctx, const char *name)
{
	(void)ctx;
	snprintf(steps + strlen(steps), sizeof(steps) - strlen(steps), "%s, ", name);
}

static void a_stop_has_these_steps(void **state)
{
	begin("stop");
	ew.opts.step = on_step;
	ew_cycle(60);
	assert_string_equal(
		steps, "looked, intent, noted, asked, sent, verify, seen, seen, ended, ");
	tempdb_close(&ew.t);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_answer_is_taken_for_what_it_says),
		cmocka_unit_test(a_request_without_effect_says_why),
		cmocka_unit_test(each_sight_has_its_outcome),
		cmocka_unit_test(a_stop_has_these_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

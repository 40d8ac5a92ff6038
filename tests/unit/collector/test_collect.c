/* A pass over many projects and sources. The oracle is the database and what was asked of the
 * server. */
#include "collector/collect.h"

#include "base/time/tz.h"
#include "db_sql.h"
#include "collector/source/source.h"
#include "tests/support/assert.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define JSON_TYPE "Content-Type: application/json\r\n"
#define COMPUTE "GET /compute/v1/projects/"
#define EMPTY "{\"kind\":\"compute#instanceAggregatedList\",\"items\":{}}"

static struct tempdb t;
static struct collect_result result;

static int setup(void **state)
{
	tempdb_open_as_of(&t, WORLD_NOW);
	return 0;
}

static void expect(const char *sql, const char *want)
{
	tempdb_expect(&t, sql, want);
}

#define MANY 40
#define MOST 300
static char names[MOST][24];
static const char *projects[MOST];

static void name_projects(void)
{
	for (int i = 0; i < MOST; i++) {
		snprintf(names[i], sizeof(names[i]), "project-%02d", i);
		projects[i] = names[i];
	}
}

static int64_t minute(void *ctx, const struct source *s)
{
	(void)ctx;
	(void)s;
	return 60;
}

struct pass {
	const char *only[2];
	size_t n_projects;
	const struct discovery *discovery;
	const struct billing_export *tables;
	size_t n_tables;
	bool due_only;
	ts_t now;
	size_t requests; /* filled in: those that begin with `counted` */
	const char *counted;
};

/* "list: it" has the cause "it", a refusal the cause "x". */
static const char *after_colon(const char *error, struct arena *a)
{
	(void)a;
	return strstr(error, "404") ? "x" : strchr(error, ':') + 1;
}

static void run_pass(struct pass *p, const struct fault_step *steps, size_t n)
{
	struct collect_settings settings = {.projects = projects,
		.currency = "USD",
		.n_projects = p->n_projects,
		.tz = t.tz,
		.discovery = p->discovery,
		.tables = p->tables,
		.n_tables = p->n_tables};
	struct collector c = {.settings = &settings,
		.only = p->only,
		.n_only = p->only[0] ? (p->only[1] ? 2 : 1) : 0,
		.interval = p->due_only ? minute : NULL,
		.cause = after_colon};
	struct gcp_world w;

	name_projects();
	world_open(&w, steps, n);
	w.clock.fake_now = p->now ? p->now : WORLD_NOW;
	c.gcp = w.g;
	c.db = t.db;
	c.clock = &w.clock;
	if (collect(&c, &result, &w.e))
		fail_msg("%s", w.e.msg);
	p->requests = p->counted ? fault_count_of(w.s, p->counted) : fault_count(w.s);
	world_close(&w);
}

/* ---- many at once ------------------------------------------------------------------------------ */

/* No list is answered before 32 of them have been asked for (and the token). */
static void thirty_two_lists_are_under_way_at_once(void **state)
{
	struct fault_step steps[] = {{.match = COMPUTE,
		.how = FAULT_RENDEZVOUS,
		.count = 33,
		.headers = JSON_TYPE,
		.body = EMPTY}};
	struct pass p = {.only = {"vm"}, .n_projects = MANY, .counted = COMPUTE};

	run_pass(&p, steps, 1);
	assert_int_equal(result.ok, MANY);
	assert_int_equal(p.requests, MANY);
	expect("SELECT COUNT(*) FROM source_status WHERE state = 'ok'", "40");
}

#define VM_OF(project)                                                      \
	"{\"kind\":\"compute#instanceAggregatedList\",\"items\":{\"zones/"  \
	"us-central1-a\":{"                                                 \
	"\"instances\":[{\"id\":\"1\",\"name\":\"vm\",\"machineType\":\"x/" \
	"e2-small\",\"status\":"                                            \
	"\"RUNNING\"}]}}}"

static void a_project_that_fails_spoils_nothing_for_the_others(void **state)
{
	static const enum fault_how faults[] = {FAULT_CLOSE, FAULT_RESET};

	for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
		struct fault_step good[] = {
			{.match = COMPUTE, .headers = JSON_TYPE, .body = VM_OF("x")}};
		struct fault_step bad[] = {
			{.match = COMPUTE "project-03/", .how = faults[i]},
			{.match = COMPUTE, .headers = JSON_TYPE, .body = VM_OF("x")}};
		struct pass p = {.only = {"vm"}, .n_projects = 10};

		run_pass(&p, good, 1);
		assert_int_equal(result.ok, 10);
		p.now = WORLD_NOW + 3600;
		run_pass(&p, bad, 2);
		assert_int_equal(result.ok, 9);
		assert_int_equal(result.failed, 1);
		expect("SELECT COUNT(*) FROM resource", "10");
		/* the clock went on while the bad one was tried again and again */
		expect("SELECT COUNT(*) FROM resource WHERE last_seen > 1795237200 AND "
		       "complete = 1",
			"9");
		expect("SELECT complete || ' ' || last_seen FROM resource WHERE project = "
		       "'project-03'",
			"0 1795237200");
		expect("SELECT project FROM source_status WHERE state = 'failed'",
			"project-03");
		expect("SELECT last_success FROM source_status WHERE state = 'failed'",
			"1795237200");
		tempdb_exec(&t, "DELETE FROM resource; DELETE FROM resource_interval");
	}
}

/* Compute says "too fast" with a 403: it is waited for, not given up. */
static void a_403_that_says_rate_limit_is_waited_for(void **state)
{
	struct fault_step steps[] = {
		{.match = COMPUTE "project-01/",
			.times = 2,
			.status = 403,
			.headers = JSON_TYPE,
			.body = "{\"error\":{\"code\":403,\"message\":\"Rate Limit "
				"Exceeded\",\"errors\":[{\"reason\":\"rateLimitExceeded\"}]"
				"}}"},
		{.match = COMPUTE, .headers = JSON_TYPE, .body = EMPTY}};
	struct pass p = {.only = {"vm"}, .n_projects = 3, .counted = COMPUTE};

	run_pass(&p, steps, 2);
	assert_int_equal(result.ok, 3);
	assert_int_equal(p.requests, 5);
}

/* ---- intervals and backoff ---------------------------------------------------------------------- */

static void the_wait_doubles_with_every_failure(void **state)
{
	static const struct {
		int failures;
		int64_t interval, wait;
	} v[] = {{0, 60, 60}, {1, 60, 60}, {2, 60, 120}, {3, 60, 240}, {4, 60, 300},
		{99, 60, 300}, {5, 3600, 3600}};
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		bool due;

		tempdb_execf(&t,
			"DELETE FROM source_status; INSERT INTO source_status (source, "
			"project, state, last_attempt, items, failures, poll_group) "
			"VALUES ('vm', 'p', '%s', 1000000, 0, %d, 'instances')",
			v[i].failures ? "failed" : "ok", v[i].failures);
		assert_ok(status_due(t.db, "vm", "p", v[i].interval,
				  1000000 + v[i].wait - 1, &due, &e),
			e);
		assert_false(due);
		assert_ok(status_due(t.db, "vm", "p", v[i].interval, 1000000 + v[i].wait,
				  &due, &e),
			e);
		assert_true(due);
	}
}

static void what_keeps_failing_is_tried_less_and_less_often(void **state)
{
	struct fault_step bad[] = {{.match = COMPUTE,
		.status = 404,
		.headers = JSON_TYPE,
		.body = "{\"error\":{\"code\":404,\"message\":\"no such project\"}}"}};
	int attempts = 0;

	/* six hours, looked at every ten seconds' worth of a minute */
	for (int s = 0; s < 6 * 3600; s += 20) {
		struct pass p = {.only = {"vm"},
			.n_projects = 1,
			.due_only = true,
			.now = WORLD_NOW + s};

		/* a server only when something will be asked of it */
		if (tempdb_int(&t,
			    "SELECT COUNT(*) FROM source_status WHERE last_attempt + "
			    "CASE WHEN failures < 2 THEN 60 WHEN failures = 2 THEN 120 "
			    "WHEN failures = 3 THEN 240 ELSE 300 END > (SELECT now FROM "
			    "as_of)")) {
			tempdb_exec(&t, "UPDATE as_of SET now = now + 20");
			continue;
		}
		run_pass(&p, bad, 1);
		attempts += (int)result.polled;
		tempdb_exec(&t, "UPDATE as_of SET now = now + 20");
	}
	/* 0, 1, 3, 7 minutes, then every five: 73 in six hours, not 360 */
	assert_in_range(attempts, 70, 76);
	/* the first success brings the usual pace back */
	{
		struct fault_step good[] = {
			{.match = COMPUTE, .headers = JSON_TYPE, .body = EMPTY}};
		struct pass p = {.only = {"vm"},
			.n_projects = 1,
			.due_only = true,
			.now = WORLD_NOW + 7 * 3600};

		run_pass(&p, good, 1);
		assert_int_equal(result.ok, 1);
		expect("SELECT failures FROM source_status", "0");
		p.now += 59;
		run_pass(&p, good, 1);
		assert_int_equal(result.polled, 0);
		p.now += 1;
		run_pass(&p, good, 1);
		assert_int_equal(result.polled, 1);
		/* a clock that was set back makes it due */
		p.now -= 3600;
		run_pass(&p, good, 1);
		assert_int_equal(result.polled, 1);
	}
}

/* ---- quotas of calls -------------------------------------------------------------------------- */

/* The calls of this source count for one project: of 300, 130 are polled in a pass, and none again before all were. */
static void a_pass_makes_no_more_polls_than_a_quota_of_calls_allows(void **state)
{
	struct fault_step steps[] = {{.match = "GET /v1/projects/", .status = 404}};
	struct pass p = {.only = {"account"},
		.n_projects = MOST,
		.due_only = true,
		.now = WORLD_NOW,
		.counted = "GET /v1/projects/"};

	run_pass(&p, steps, ARRAY_LEN(steps));
	assert_int_equal(p.requests, 130);
	p.now += 60;
	run_pass(&p, steps, ARRAY_LEN(steps));
	assert_int_equal(p.requests, 130);
	p.now += 60;
	run_pass(&p, steps, ARRAY_LEN(steps));
	assert_int_equal(p.requests, 40);
	expect("SELECT COUNT(*) FROM source_status", "300");
	/* by hand, all at once */
	p.due_only = false;
	run_pass(&p, steps, ARRAY_LEN(steps));
	assert_int_equal(p.requests, MOST);
}

/* ---- the same cause ------------------------------------------------------------------------------ */

/* Nothing of these projects is due but of 0 and 4, which still fails. */
static void what_failed_with_a_cause_that_ended_is_due(void **state)
{
	struct fault_step steps[] = {{.match = COMPUTE "project-04", .status = 404},
		{.match = COMPUTE, .headers = JSON_TYPE, .body = EMPTY}};
	struct pass p = {
		.only = {"vm"}, .n_projects = 6, .due_only = true, .counted = COMPUTE};

	tempdb_execf(&t,
		"INSERT INTO source_status (source, project, state, last_attempt, items, "
		"failures, error, poll_group) SELECT 'vm', 'project-0' || column1, "
		"column2, %lld - column3, 0, 1, column4, 'instances' FROM (VALUES "
		"(0, 'failed', 60, 'a:x'), (1, 'failed', 59, 'b:x'), "
		"(2, 'failed', 59, 'a:y'), (3, 'partial', 59, 'a:x'), "
		"(4, 'failed', 60, 'a:x'), (5, 'ok', 59, NULL))",
		(long long)WORLD_NOW);
	run_pass(&p, steps, ARRAY_LEN(steps));
	expect("SELECT group_concat(state || failures) FROM source_status ORDER BY project",
		"ok0,ok0,failed1,partial1,failed2,ok1");
	assert_int_equal(p.requests, 3);
	assert_int_equal(result.polled, 3);
	assert_int_equal(result.failed, 1);
}

/* Nor does a cause end by failing once more. */
static void a_cause_that_continues_makes_nothing_due(void **state)
{
	struct fault_step steps[] = {{.match = COMPUTE, .status = 404}};
	struct pass p = {
		.only = {"vm"}, .n_projects = 2, .due_only = true, .counted = COMPUTE};

	tempdb_execf(&t,
		"INSERT INTO source_status (source, project, state, last_attempt, items, "
		"failures, error, poll_group) VALUES ('vm', 'project-00', 'failed', "
		"%lld - 60, 0, 1, 'a:x', 'instances'), ('vm', 'project-01', 'failed', "
		"%lld - 59, 0, 1, 'b:x', 'instances')",
		(long long)WORLD_NOW, (long long)WORLD_NOW);
	run_pass(&p, steps, ARRAY_LEN(steps));
	assert_int_equal(p.requests, 1);
	assert_int_equal(result.polled, 1);
}

/* ---- finding projects ---------------------------------------------------------------------------- */

#define ACCOUNT "GET /v1/billingAccounts/01AB23-CD45EF-678901/projects"
#define PROJECT(id, on) "{\"projectId\":\"" id "\",\"billingEnabled\":" on "}"

static const struct discovery account = {.billing_account = "01AB23-CD45EF-678901"};

static void projects_of_an_account_are_found_and_polled(void **state)
{
	struct fault_step steps[] = {
		{.match = ACCOUNT,
			.headers = JSON_TYPE,
			.body = "{\"projectBillingInfo\":[" PROJECT(
				"lab-one", "true") "," PROJECT("lab-two",
				"true") "," PROJECT("closed-one", "false") "]}"},
		{.match = COMPUTE, .headers = JSON_TYPE, .body = VM_OF("x")}};
	struct pass p = {.only = {"vm"}, .discovery = &account, .counted = COMPUTE};

	run_pass(&p, steps, 2);
	assert_int_equal(result.ok, 3); /* the list, and two projects */
	assert_int_equal(p.requests, 2);
	expect("SELECT group_concat(project) FROM (SELECT project FROM resource ORDER BY "
	       "project)",
		"lab-one,lab-two");
	expect("SELECT group_concat(project) FROM (SELECT project FROM project ORDER BY "
	       "project)",
		"lab-one,lab-two");
}

static void the_list_from_before_serves_when_google_does_not_answer(void **state)
{
	struct fault_step good[] = {{.match = ACCOUNT,
					    .headers = JSON_TYPE,
					    .body = "{\"projectBillingInfo\":[" PROJECT(
						    "lab-one", "true") "]}"},
		{.match = COMPUTE, .headers = JSON_TYPE, .body = VM_OF("x")}};
	struct fault_step bad[] = {{.match = ACCOUNT, .status = 403},
		{.match = COMPUTE, .headers = JSON_TYPE, .body = VM_OF("x")}};
	struct fault_step none[] = {{.match = ACCOUNT, .headers = JSON_TYPE, .body = "{}"},
		{.match = COMPUTE, .headers = JSON_TYPE, .body = VM_OF("x")}};
	struct pass p = {.only = {"vm"}, .discovery = &account, .counted = COMPUTE};

	run_pass(&p, good, 2);
	p.now = WORLD_NOW + 60;
	run_pass(&p, bad, 2);
	assert_int_equal(result.failed, 1);
	assert_int_equal(result.ok, 1);
	assert_int_equal(p.requests, 1);
	/* an empty list is more likely a missing permission */
	run_pass(&p, none, 2);
	assert_int_equal(result.failed, 1);
	assert_int_equal(p.requests, 1);
	expect("SELECT error LIKE '%no projects found%' FROM source_status WHERE source = "
	       "'project'",
		"1");
	expect("SELECT project FROM project", "lab-one");
}

static void a_project_that_left_is_not_asked_any_more(void **state)
{
	struct fault_step two[] = {
		{.match = ACCOUNT,
			.headers = JSON_TYPE,
			.body = "{\"projectBillingInfo\":[" PROJECT(
				"lab-one", "true") "," PROJECT("lab-two", "true") "]}"},
		{.match = COMPUTE, .headers = JSON_TYPE, .body = VM_OF("x")}};
	struct fault_step one[] = {{.match = ACCOUNT,
					   .headers = JSON_TYPE,
					   .body = "{\"projectBillingInfo\":[" PROJECT(
						   "lab-two", "true") "]}"},
		{.match = COMPUTE, .headers = JSON_TYPE, .body = VM_OF("x")}};
	struct pass p = {.only = {"vm"}, .discovery = &account, .counted = COMPUTE};

	run_pass(&p, two, 2);
	p.now = WORLD_NOW + 60;
	run_pass(&p, one, 2);
	assert_int_equal(p.requests, 1);
	/* what it had is kept, as not current: nobody said that it is gone */
	expect("SELECT group_concat(project || complete) FROM (SELECT * FROM resource "
	       "ORDER BY project)",
		"lab-one0,lab-two1");
}

/* It may come back with the next answer: it is given a day. */
static void a_project_that_stays_away_is_not_shown_any_more(void **state)
{
	struct fault_step two[] = {
		{.match = ACCOUNT,
			.headers = JSON_TYPE,
			.body = "{\"projectBillingInfo\":[" PROJECT(
				"lab-one", "true") "," PROJECT("lab-two", "true") "]}"},
		{.match = COMPUTE, .headers = JSON_TYPE, .body = VM_OF("x")}};
	struct fault_step one[] = {{.match = ACCOUNT,
					   .headers = JSON_TYPE,
					   .body = "{\"projectBillingInfo\":[" PROJECT(
						   "lab-two", "true") "]}"},
		{.match = COMPUTE, .headers = JSON_TYPE, .body = VM_OF("x")}};
	struct pass p = {.only = {"vm"}, .discovery = &account};

	run_pass(&p, two, 2);
	p.now = WORLD_NOW + 86400;
	run_pass(&p, one, 2);
	expect("SELECT COUNT(*) FROM resource", "2");
	p.now = WORLD_NOW + 86401;
	run_pass(&p, one, 2);
	expect("SELECT group_concat(project || (ends IS NULL)) FROM (SELECT * FROM "
	       "resource_interval ORDER BY project)",
		"lab-one0,lab-two1");
	expect("SELECT group_concat(project) FROM resource", "lab-two");
	expect("SELECT group_concat(source || project) FROM (SELECT * FROM source_status "
	       "ORDER BY source)",
		"project,vmlab-two");
}

/* An API that is switched off is no news of what was there. */
static void a_list_that_is_switched_off_gets_old(void **state)
{
	struct fault_step on = {.match = COMPUTE, .headers = JSON_TYPE, .body = VM_OF("x")};
	struct fault_step off = {.match = COMPUTE, .status = 404, .body = "{}"};
	struct pass p = {.only = {"vm"}, .n_projects = 1};
	struct q_freshness_in in = {.basis = "inventory"};
	struct q_freshness row;
	struct err e;
	bool found;

	run_pass(&p, &on, 1);
	tempdb_exec(&t,
		"UPDATE resource SET source = 'bucket'; UPDATE source_status SET "
		"source = 'bucket'");
	off.match = "GET /storage/";
	p.only[0] = "bucket";
	p.now = WORLD_NOW + 86400;
	run_pass(&p, &off, 1);
	assert_int_equal(result.disabled, 1);
	tempdb_exec(&t, "UPDATE as_of SET now = now + 86400");
	expect("SELECT state || stale FROM sources WHERE source = 'bucket'", "disabled1");
	expect("SELECT complete FROM resource", "0");
	assert_ok(q_freshness_one(t.db, &in, NULL, &row, &found, &e), e);
	assert_int_equal(row.stale, 1);
	/* where nothing was, nothing is missing */
	tempdb_exec(&t, "DELETE FROM resource");
	expect("SELECT state || stale FROM sources WHERE source = 'bucket'", "disabled0");
	assert_ok(q_freshness_one(t.db, &in, NULL, &row, &found, &e), e);
	assert_int_equal(row.stale, 0);
}

/* Three times its own interval, whatever that is. */
static void a_source_is_stale_by_its_own_interval(void **state)
{
	struct fault_step step = {.match = "GET /", .headers = JSON_TYPE, .body = EMPTY};
	struct pass p = {.only = {"vm", "quota"}, .n_projects = 1};

	run_pass(&p, &step, 1);
	expect("SELECT group_concat(source || ' ' || poll_group) FROM (SELECT * FROM "
	       "source_status ORDER BY source)",
		"quota quotas,vm instances");
	tempdb_exec(&t,
		"UPDATE source_status SET state = 'ok', last_success = 1795237200; "
		"INSERT INTO poll_interval VALUES ('instances', 60), ('quotas', 1800); "
		"UPDATE as_of SET now = 1795237200 + 181");
	expect("SELECT group_concat(source || stale) FROM (SELECT * FROM sources ORDER BY "
	       "source)",
		"quota0,vm1");
	tempdb_exec(&t, "UPDATE as_of SET now = 1795237200 + 5401");
	expect("SELECT SUM(stale) FROM sources", "2");
}

static void what_left_the_configuration_is_not_shown_any_more(void **state)
{
	static const struct billing_export tables[] = {
		{.name = "admin-one.billing.old", .from = DAY_NONE, .until = DAY_NONE},
		{.name = "admin-two.billing.new", .from = DAY_NONE, .until = DAY_NONE}};
	struct fault_step steps[] = {
		{.match = COMPUTE, .headers = JSON_TYPE, .body = VM_OF("x")},
		{.match = "GET /bigquery/", .status = 404}};
	struct pass p = {.only = {"vm", "billing"},
		.n_projects = 2,
		.tables = tables,
		.n_tables = 2};

	run_pass(&p, steps, 2);
	expect("SELECT COUNT(*) FROM resource", "2");
	tempdb_exec(&t,
		"INSERT INTO metric (project, metric, subject, at, value, series) VALUES "
		"('project-01', 'm', 's', 1, 1, 1)");
	tempdb_put_quota(&t,
		(struct q_quota_put_in){.project = "project-01",
			.service = "s",
			.metric = "m",
			.location = "l"});
	p.n_projects = 1;
	p.tables = &tables[1];
	p.n_tables = 1;
	p.now = WORLD_NOW + 600;
	run_pass(&p, steps, 2);
	assert_true(result.changed);
	expect("SELECT group_concat(project) FROM resource", "project-00");
	expect("SELECT group_concat(project || ' ' || COALESCE(ends, 'open')) FROM "
	       "(SELECT * FROM resource_interval ORDER BY project)",
		"project-00 open,project-01 1795237200");
	expect("SELECT group_concat(project) FROM (SELECT * FROM source_status ORDER BY "
	       "source)",
		"admin-two,project-00");
	expect("SELECT (SELECT COUNT(*) FROM metric) + (SELECT COUNT(*) FROM quota)", "0");
	/* back again: one stretch after the other, and none twice */
	p.n_projects = 2;
	p.now = WORLD_NOW + 1200;
	run_pass(&p, steps, 2);
	expect("SELECT COUNT(*) || ' ' || COUNT(ends) FROM resource_interval WHERE "
	       "project = 'project-01'",
		"2 1");
}

static void patterns_choose_among_what_is_found(void **state)
{
	static const char *const only[] = {"lab-*"}, *const except[] = {"*-old", "lab-9*"};
	const struct discovery d = {.scope = "folders/9",
		.only = only,
		.n_only = 1,
		.except = except,
		.n_except = 2};
#define ASSET(id, state)                                                                \
	"{\"name\":\"//cloudresourcemanager.googleapis.com/projects/" id                \
	"\",\"assetType\":\"cloudresourcemanager.googleapis.com/Project\",\"project\":" \
	"\"projects/123456789012\",\"displayName\":\"d\",\"state\":\"" state "\"}"
	struct fault_step steps[] = {
		{.match = "GET /v1/folders/9:searchAllResources",
			.headers = JSON_TYPE,
			.body = "{\"results\":[" ASSET("lab-one", "ACTIVE") "," ASSET(
				"lab-one-old", "ACTIVE") "," ASSET("lab-99",
				"ACTIVE") "," ASSET("other-one",
				"ACTIVE") "," ASSET("lab-dead", "DELETE_REQUESTED") "]}"},
		{.match = COMPUTE, .headers = JSON_TYPE, .body = EMPTY}};
	struct pass p = {.only = {"vm"}, .discovery = &d, .counted = COMPUTE};

	run_pass(&p, steps, 2);
	assert_int_equal(p.requests, 1);
	expect("SELECT project || ' ' || number || ' ' || origin FROM project",
		"lab-one 123456789012 folders/9");
}

/* Who changes the patterns means it: what they leave out is not polled and not shown. */
static void what_patterns_leave_out_goes_at_once(void **state)
{
	static const char *const except[] = {"lab-two"}, *const none[] = {"zzz*"};
	const struct discovery all = {.scope = "folders/9"},
			       less = {.scope = "folders/9",
				       .except = except,
				       .n_except = 1},
			       nothing = {.scope = "folders/9", .only = none, .n_only = 1};
	struct fault_step steps[] = {
		{.match = "GET /v1/folders/9:searchAllResources",
			.headers = JSON_TYPE,
			.body = "{\"results\":[" ASSET("lab-one", "ACTIVE") "," ASSET(
				"lab-two", "ACTIVE") "]}"},
		{.match = COMPUTE, .headers = JSON_TYPE, .body = VM_OF("x")}};
	struct pass p = {.only = {"vm"}, .discovery = &all, .counted = COMPUTE};

	run_pass(&p, steps, 2);
	expect("SELECT COUNT(*) FROM resource", "2");
	p.discovery = &less;
	p.now = WORLD_NOW + 60;
	run_pass(&p, steps, 2);
	assert_int_equal(p.requests, 1);
	expect("SELECT group_concat(project) FROM resource", "lab-one");
	expect("SELECT COUNT(*) FROM source_status WHERE project = 'lab-two'", "0");
	p.discovery = &nothing;
	p.now = WORLD_NOW + 120;
	run_pass(&p, steps, 2);
	assert_int_equal(p.requests, 0);
	expect("SELECT error FROM source_status WHERE source = 'project'",
		"folders/9: none of 2 projects matches only: and except:");
	expect("SELECT COUNT(*) FROM resource", "0");
}

/* One that Google is deleting is gone; of one that is not listed nothing is known but that. */
static void projects_that_are_deleted_or_not_listed(void **state)
{
	const struct discovery d = {.scope = "folders/9"};
	struct fault_step all[] = {
		{.match = "GET /v1/folders/9:searchAllResources",
			.headers = JSON_TYPE,
			.body = "{\"results\":[" ASSET("lab-one", "ACTIVE") "," ASSET(
				"lab-two", "ACTIVE") "," ASSET("lab-three", "ACTIVE") "]}"},
		{.match = COMPUTE, .headers = JSON_TYPE, .body = VM_OF("x")}};
	struct fault_step fewer[] = {
		{.match = "GET /v1/folders/9:searchAllResources",
			.headers = JSON_TYPE,
			.body = "{\"results\":[" ASSET("lab-one", "ACTIVE") "," ASSET(
				"lab-two", "DELETE_REQUESTED") "]}"},
		{.match = COMPUTE, .headers = JSON_TYPE, .body = VM_OF("x")}};
	struct pass p = {.only = {"vm"}, .discovery = &d, .counted = COMPUTE};

	run_pass(&p, all, 2);
	expect("SELECT COUNT(*) FROM resource", "3");
	p.now = WORLD_NOW + 7200;
	run_pass(&p, fewer, 2);
	expect("SELECT group_concat(project || ' ' || complete) FROM (SELECT * FROM "
	       "resource "
	       "ORDER BY project)",
		"lab-one 1,lab-three 0");
	expect("SELECT group_concat(project || ': ' || COALESCE(error, '-')) FROM (SELECT "
	       "* "
	       "FROM source_status WHERE source = 'vm' ORDER BY project)",
		"lab-one: -,lab-three: folders/9 no longer lists the project");
	expect("SELECT COUNT(*) FROM resource_interval WHERE project = 'lab-two' AND ends "
	       "= "
	       "1795237200",
		"1");
	/* listed again, and not polled */
	p.now = WORLD_NOW + 14400;
	p.only[0] = "project";
	run_pass(&p, all, 2);
	expect("SELECT COUNT(*) FROM source_status WHERE error IS NOT NULL", "0");
}

/* ---- tables -------------------------------------------------------------------------------------- */

static void tables_go_by_their_project_or_by_their_names(void **state)
{
	static const struct billing_export tables[] = {
		{.name = "admin-one.billing.old", .from = DAY_NONE, .until = 20000},
		{.name = "admin-one.billing.new", .from = 20001, .until = DAY_NONE},
		{.name = "example.com:other-one.b.t", .from = DAY_NONE, .until = DAY_NONE},
		{.name = "bad table", .from = DAY_NONE, .until = DAY_NONE}};
	struct fault_step steps[] = {{.match = "GET /bigquery/", .status = 404}};
	struct pass p = {.only = {"billing"},
		.tables = tables,
		.n_tables = 4,
		.counted = "GET /bigquery/v2/projects/"};

	run_pass(&p, steps, 1);
	assert_int_equal(result.failed, 4);
	assert_int_equal(p.requests, 3);
	expect("SELECT group_concat(project) FROM (SELECT project FROM source_status "
	       "ORDER BY project)",
		",admin-one.billing.new,admin-one.billing.old,example.com:other-one");
}

/* ---- prices --------------------------------------------------------------------------------------- */

#define CATALOG "GET /v1/services/6F81-5844-456A/skus"
#define CATALOG_TPUS "GET /v1/services/E000-3F24-B8AA/skus"
#define SKU(id, words, family, usage, units, nanos)                                       \
	"{\"name\":\"services/s/skus/" id "\",\"skuId\":\"" id                            \
	"\",\"description\":\"" words "\",\"category\":{\"resourceFamily\":\"" family     \
	"\",\"resourceGroup\":\"CPU\","                                                   \
	"\"usageType\":\"" usage "\"},\"serviceRegions\":[\"us-central1\",\"us-east1\"]," \
	"\"pricingInfo\":[{\"effectiveTime\":\"2026-11-01T00:00:00Z\","                   \
	"\"pricingExpression\":{"                                                         \
	"\"usageUnit\":\"h\",\"tieredRates\":[{\"startUsageAmount\":0,\"unitPrice\":{"    \
	"\"currencyCode\":\"USD\",\"units\":\"" units "\",\"nanos\":" nanos "}}]}}]}"

static void prices_of_what_can_run_are_kept(void **state)
{
	struct fault_step steps[] = {
		{.match = CATALOG,
			.headers = JSON_TYPE,
			.body = "{\"skus\":[" SKU("AAAA-0001",
				"N1 Predefined Instance Core", "Compute", "OnDemand", "0",
				"31611000") "," SKU("AAAA-0002",
				"N1 Predefined Instance Core", "Compute", "Commit1Yr", "0",
				"19915000") "," SKU("AAAA-0003",
				"N1 Sole Tenancy Instance Core", "Compute", "OnDemand", "0",
				"9") "," SKU("AAAA-0004", "Static Ip Charge", "Network",
				"OnDemand", "0", "10000000") "," SKU("AAAA-0005", "Egress",
				"Network", "OnDemand", "0", "1") "," SKU("AAAA-0006",
				"Reserved V6e TPU in Columbus in Calendar Mode", "Compute",
				"OnDemand", "1", "890000000") "," SKU("AAAA-0007",
				"Reserved V6e TPU in Columbus", "Compute", "OnDemand", "1",
				"1") "]}"},
		{.match = CATALOG_TPUS,
			.headers = JSON_TYPE,
			.body = "{\"skus\":[" SKU("BBBB-0001", "Tpu v3", "Compute",
				"OnDemand", "8", "800000000") "]}"}};
	struct fault_step empty[] = {{.match = CATALOG, .headers = JSON_TYPE, .body = "{}"},
		{.match = CATALOG_TPUS, .headers = JSON_TYPE, .body = "{}"}};
	struct fault_step fewer[] = {
		{.match = CATALOG,
			.headers = JSON_TYPE,
			.body = "{\"skus\":[" SKU("AAAA-0001",
				"N1 Predefined Instance Core", "Compute", "OnDemand", "0",
				"32000000") "]}"},
		{.match = CATALOG_TPUS, .headers = JSON_TYPE, .body = "{}"}};
	struct pass p = {.only = {"prices"}};

	run_pass(&p, steps, 2);
	assert_int_equal(result.ok, 1);
	expect("SELECT group_concat(sku_id || ' ' || region || ' ' || price || ' ' || "
	       "unit, '; ') FROM "
	       "(SELECT * FROM list_price WHERE region = 'us-east1' ORDER BY sku_id)",
		"AAAA-0001 us-east1 31611000 h; AAAA-0004 us-east1 10000000 h; AAAA-0006 "
		"us-east1 1890000000 h; BBBB-0001 us-east1 8800000000 h");
	expect("SELECT COUNT(*) FROM list_price", "8");
	/* suddenly nothing: not believed */
	p.now = WORLD_NOW + 86400;
	run_pass(&p, empty, 2);
	assert_int_equal(result.failed, 1);
	expect("SELECT COUNT(*) FROM list_price", "8");
	/* what is not sold any more goes */
	run_pass(&p, fewer, 2);
	assert_int_equal(result.ok, 1);
	expect("SELECT group_concat(region || price) FROM (SELECT * FROM list_price "
	       "ORDER BY region)",
		"us-central132000000,us-east132000000");
}

static void an_api_that_is_not_there_at_all_is_as_if_not_enabled(void **state)
{
	struct fault_step steps[] = {{.match = "GET /v1/", .status = 404}};
	struct pass p = {.only = {"prices", "account"}, .n_projects = 1};

	run_pass(&p, steps, 1);
	assert_int_equal(result.polled, 2);
	assert_int_equal(result.disabled, 2);
	assert_int_equal(result.failed, 0);
}

static void who_pays_for_a_project_is_kept(void **state)
{
	struct fault_step steps[] = {
		{.match = "GET /v1/projects/project-00/billingInfo",
			.headers = JSON_TYPE,
			.body = "{\"name\":\"projects/project-00/billingInfo\","
				"\"billingAccountName\":\"billingAccounts/"
				"01AB23-CD45EF-678901\",\"billingEnabled\":true}"},
		{.match = "GET /v1/projects/project-01/billingInfo",
			.headers = JSON_TYPE,
			.body = "{\"name\":\"projects/project-01/billingInfo\","
				"\"billingAccountName\":\"\"}"}};
	struct pass p = {.only = {"account"}, .n_projects = 2};

	run_pass(&p, steps, 2);
	assert_int_equal(result.ok, 2);
	expect("SELECT group_concat(project || ' ' || account || ' ' || enabled, '; ') "
	       "FROM (SELECT * FROM project_billing ORDER BY project)",
		"project-00 01AB23-CD45EF-678901 1; project-01  0");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(thirty_two_lists_are_under_way_at_once),
		TEST(a_project_that_fails_spoils_nothing_for_the_others),
		TEST(a_403_that_says_rate_limit_is_waited_for),
		TEST(the_wait_doubles_with_every_failure),
		TEST(what_keeps_failing_is_tried_less_and_less_often),
		TEST(a_pass_makes_no_more_polls_than_a_quota_of_calls_allows),
		TEST(what_failed_with_a_cause_that_ended_is_due),
		TEST(a_cause_that_continues_makes_nothing_due),
		TEST(projects_of_an_account_are_found_and_polled),
		TEST(the_list_from_before_serves_when_google_does_not_answer),
		TEST(a_project_that_left_is_not_asked_any_more),
		TEST(a_project_that_stays_away_is_not_shown_any_more),
		TEST(a_list_that_is_switched_off_gets_old),
		TEST(a_source_is_stale_by_its_own_interval),
		TEST(what_left_the_configuration_is_not_shown_any_more),
		TEST(patterns_choose_among_what_is_found),
		TEST(what_patterns_leave_out_goes_at_once),
		TEST(projects_that_are_deleted_or_not_listed),
		TEST(tables_go_by_their_project_or_by_their_names),
		TEST(prices_of_what_can_run_are_kept),
		TEST(an_api_that_is_not_there_at_all_is_as_if_not_enabled),
		TEST(who_pays_for_a_project_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

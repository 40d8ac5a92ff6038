/* The queries of enforcement, of its guards and of budgets, each asked by itself: of rows that differ in one
 * column from those that it finds, it finds none. */
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static struct tempdb t;

#define expect(query, params, want) assert_string_equal(tempdb_ask(&t, query, params), want)
#define expect_sql(sql, want) tempdb_expect(&t, sql, want)

static int setup(void **state)
{
	tempdb_open_as_of(&t, 10000);
	tempdb_exec(&t, "PRAGMA foreign_keys = OFF");
	return 0;
}

/* Of machine "m", uid "u", rule "r", which ended. */
static void put(int action, const char *set)
{
	tempdb_execf(&t,
		"INSERT INTO action (action, rule, resource, uid, source, kind, project, "
		"location, name, started, verb, mode, severity, policy, state, held, "
		"reason, "
		"since, began, attempts, ended) VALUES (%d, 'r', 'm', 'u', 'vm', 'vm', "
		"'p', "
		"'l', 'm', 7, 'stop', 'armed', 'info', 'x', 'done', '', '', 1, 1, 0, 500); "
		"UPDATE action SET %s WHERE action = %d",
		action, set, action);
}

static void machine(const char *id, const char *set)
{
	tempdb_execf(&t,
		"INSERT INTO resource (id, uid, source, kind, project, location, name, "
		"state, "
		"raw_state, labels, first_seen, last_seen, complete) VALUES ('%s', 'u', "
		"'vm', "
		"'vm', 'p', 'l', '%s', 'running', 'RUNNING', '{}', 1, 100, 1); UPDATE "
		"resource SET %s WHERE id = '%s'",
		id, id, set, id);
}

/* ---- actions ----------------------------------------------------------------------------------- */

/* The first word of each row. */
static const char *numbers(const char *params)
{
	static char got[200];
	const char *at = tempdb_ask(&t, "action_list", params);

	got[0] = '\0';
	while (*at) {
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%.*s ",
			(int)strcspn(at, " "), at);
		at = strstr(at, "; ");
		at = at ? at + 2 : "";
	}
	return got;
}

static void actions_are_listed_by_their_ends(void **state)
{
	put(3, "resource = 'n', ended = NULL");
	put(1, "ended = NULL");
	put(2, "ended = 100");
	put(4, "ended = 101");
	put(5, "ended = 102");
	put(6, "ended = 102");
	assert_string_equal(numbers("-,-"), "1 3 ");
	assert_string_equal(numbers("100,-"), "6 5 4 ");
	assert_string_equal(numbers("-,3"), "3 ");
	assert_string_equal(numbers("-,2"), "2 ");
}

static void what_has_ended_does_not_move(void **state)
{
	put(1, "ended = NULL");
	put(2, "resource = 'n', ended = NULL");
	put(3, "ended = 9");
	tempdb_ask(&t, "action_move", "sent,h,y,2,3,4,5,6,q,o,7,8,-,1");
	tempdb_ask(&t, "action_move", "sent,h,y,2,3,4,5,6,q,o,7,8,-,3");
	expect_sql(
		"SELECT group_concat(state || held || reason || since || IFNULL(warned, "
		"'') "
		"|| IFNULL(due, '') || attempts || IFNULL(next_at, '') || "
		"IFNULL(request_id, '') || IFNULL(operation, '') || IFNULL(intent, '') || "
		"IFNULL(sent, ''), ' ') FROM action",
		"senthy23456qo78 done10 done10");
	expect("action_state", "1", "sent");
	expect("action_state", "3", "");
	tempdb_ask(&t, "action_record", "rec,gcloud,1");
	tempdb_ask(&t, "action_worth", "11,12,USD,chips,1,1");
	expect_sql("SELECT group_concat(IFNULL(record || restart || saves || residual || "
		   "currency || frees || dead, '-'), ' ') FROM action",
		"recgcloud1112USDchips1 - -");
}

static void a_warning_is_sent_again_alone(void **state)
{
	put(1, "ended = NULL");
	put(2, "resource = 'n', ended = NULL");
	tempdb_exec(&t,
		"INSERT INTO action_notice (action, kind, channel, message) VALUES (1, "
		"'warning', 'c', 'm'), (1, 'held', 'c', 'm'), (1, 'outcome', 'c', 'm'), "
		"(2, "
		"'warning', 'c', 'm')");
	tempdb_ask(&t, "action_warn_again", "1");
	expect_sql("SELECT group_concat(action || kind, ' ') FROM action_notice",
		"1outcome 2warning");
	put(3, "ended = 100");
	put(4, "ended = 99");
	tempdb_exec(&t,
		"INSERT INTO action_notice (action, kind, channel, message) VALUES (3, "
		"'outcome', "
		"'c', 'm'), (4, 'outcome', 'c', 'm')");
	tempdb_ask(&t, "action_forget", "100");
	expect_sql("SELECT group_concat(action || kind, ' ') FROM action_notice",
		"1outcome 2warning 3outcome");
	expect_sql("SELECT group_concat(action, ' ') FROM action", "1 2 3");
}

static void alerts_of_a_rule_that_hold(void **state)
{
	tempdb_exec(&t,
		"INSERT INTO alert (rule, subject, state, data, severity, since, "
		"last_true, "
		"stage, summary, labels) VALUES ('r', 'b', 'firing', 'fresh', 'info', 1, "
		"2, 0, "
		"'s', '{}'), ('r', 'a', 'pending', 'stale', 'info', 1, 3, 0, 's', '{}'), "
		"('r', "
		"'c', 'resolved', 'fresh', 'info', 1, 4, 0, 's', '{}'), ('s', 'a', "
		"'firing', "
		"'fresh', 'info', 1, 5, 0, 't', '{}')");
	expect("action_alerts", "r",
		"a pending stale info 1 3 -; b firing fresh info 1 2 -");
	expect("alert_get", "r,c", "resolved fresh info s 4 1 -");
	expect("alert_get", "s,a", "firing fresh info t 5 1 -");
	expect("alert_get", "s,b", "");
}

static void what_is_known_of_a_machine(void **state)
{
	machine("m",
		"type = 't', provisioning = 'spot', queued = 'q', created = 6, state_since "
		"= 7, hosts = 2");
	machine("n", "uid = 'v', state = 'stopped', state_since = 8");
	machine("o", "uid = 'w'");
	tempdb_exec(&t,
		"INSERT INTO verdict (id, exempt, hosts, running_since, net, currency) "
		"VALUES "
		"('m', 0, 3, 9, 10, 'USD'), ('n', 1, NULL, NULL, 11, 'HKD'), ('o', 0, 4, "
		"12, "
		"NULL, NULL); INSERT INTO hold VALUES ('n', 0, 10001, '')");
	expect("enforce_subject", "m",
		"m u vm vm p l m running RUNNING t spot q {} 7 6 100 1 0 2 10 USD - - - - "
		"- - -");
	expect("enforce_subject", "n",
		"n v vm vm p l n stopped RUNNING - - - {} - - 100 1 1 - 11 HKD - - - - - - "
		"-");
	expect("enforce_subject", "o",
		"o w vm vm p l o running RUNNING - - - {} 12 - 100 1 0 4 - - - - - - - - "
		"-");
	expect("enforce_subject", "x", "");
	tempdb_exec(&t, "INSERT INTO hold VALUES ('m', 0, 10000, '')");
	assert_string_equal(
		tempdb_ask(&t, "enforce_subject", "m") + 54, "0 2 10 USD - - - - - - -");
	tempdb_exec(&t, "UPDATE hold SET until = 10001");
	assert_string_equal(
		tempdb_ask(&t, "enforce_subject", "m") + 54, "1 2 10 USD - - - - - - -");
	tempdb_exec(&t, "DELETE FROM hold; UPDATE verdict SET exempt = 1");
	assert_string_equal(
		tempdb_ask(&t, "enforce_subject", "m") + 54, "1 2 10 USD - - - - - - -");
}

/* A deletion frees what a dead TPU holds, or a running one uses; a reserved one uses its reservation. */
static void what_a_deletion_frees(void **state)
{
	machine("m", "kind = 'tpu', region = 'europe-west4', provisioning = 'spot'");
	machine("n", "kind = 'tpu', provisioning = 'reserved'");
	machine("o", "kind = 'queued', state = 'suspended', region = 'r'");
	tempdb_exec(&t,
		"INSERT INTO verdict (id, exempt, family, chips, held_chips) VALUES "
		"('m', 0, 'v6e', 24, 0), ('n', 0, 'v4', 8, NULL), ('o', 0, NULL, 4, 16)");
	assert_non_null(strstr(tempdb_ask(&t, "enforce_subject", "m"),
		" 24 v6e chips of quota in europe-west4"));
	assert_null(strstr(tempdb_ask(&t, "enforce_subject", "n"), "chips"));
	assert_non_null(
		strstr(tempdb_ask(&t, "enforce_subject", "o"), " 16 chips of quota in r"));
}

static const char stopped_once[] = "verb = 'stop', mode = 'armed', state = 'done', sent = "
				   "50, ended = 60, policy = 'p', operation = 'o'";

static void second_steps_begin_on_what_stays_stopped(void **state)
{
	static const char *const not [] = {"verb = 'delete'", "mode = 'dry-run'",
		"state = 'cleared'", "operation = NULL", "uid = ''", "uid = 'other'",
		"ended = 101",
		"reason = 'stopped; it had been started again a moment before'"};
	char set[300];

	machine("m", "state = 'stopped', state_since = 55");
	put(1, stopped_once);
	expect("action_stopped", "r,p", "m info 1 1 100");
	expect("action_stopped", "r,q", "");
	expect("action_still_stopped", "1", "1 100");
	for (size_t i = 0; i < ARRAY_LEN(not ); i++) {
		snprintf(set, sizeof(set), "UPDATE action SET %s", not [i]);
		tempdb_exec(&t, set);
		expect("action_stopped", "r,p", "");
		expect("action_still_stopped", "1", "");
		tempdb_exec(&t, "DELETE FROM action");
		put(1, stopped_once);
	}
	/* one that is open keeps others from beginning, and goes on itself */
	put(2, "ended = NULL, follows = 1");
	expect("action_stopped", "r,p", "");
	expect("action_still_stopped", "1", "1 100");
	tempdb_exec(&t, "DELETE FROM action WHERE action = 2");
	/* stopped by somebody else, long after the request */
	tempdb_exec(&t,
		"UPDATE resource SET state_since = 1011, last_seen = 2000; UPDATE "
		"action SET ended = 2000");
	expect("action_still_stopped", "1", "");
	tempdb_exec(&t, "UPDATE resource SET state_since = 1010");
	expect("action_still_stopped", "1", "1 2000");
	/* a TPU node has no such time: a gap in the polls may hide that it ran */
	tempdb_exec(&t,
		"UPDATE resource SET state_since = NULL, last_seen = 100; UPDATE "
		"action SET ended = 60; INSERT INTO source_status (source, project, "
		"state, last_attempt, items, watched_since) SELECT source, project, "
		"'ok', 100, 1, 61 FROM resource");
	expect("action_still_stopped", "1", "");
	tempdb_exec(&t, "UPDATE source_status SET watched_since = 50");
	expect("action_still_stopped", "1", "1 100");
	/* it ran since: only the intervals of a TPU node know */
	tempdb_exec(&t,
		"INSERT INTO resource_interval (id, uid, starts, ends, kind, project, "
		"location, name, state) VALUES ('m', 'u', 40, 55, 'vm', 'p', 'l', 'm', "
		"'running')");
	expect("action_still_stopped", "1", "1 100");
	tempdb_exec(&t, "UPDATE resource_interval SET starts = 51");
	expect("action_still_stopped", "1", "");
	expect("action_stopped", "r,p", "");
	tempdb_exec(&t,
		"DELETE FROM resource_interval; UPDATE resource SET state = 'suspended'");
	expect("action_still_stopped", "1", "");
}

static void the_number_of_a_project(void **state)
{
	expect("project_number", "p", "");
	tempdb_exec(&t,
		"INSERT INTO billed_project (project_ref, project, number, account) VALUES "
		"(1, "
		"'p', '5', ''), (2, 'p', '6', ''), (3, 'p', '', ''), (4, 'q', '8', ''), "
		"(5, 'q', "
		"'', '')");
	expect("project_number", "p", "6");
	expect("guard_number", "p", "-");
	tempdb_exec(&t,
		"INSERT INTO project (project, number, origin, first_seen, last_seen) "
		"VALUES "
		"('p', '9', 'o', 1, 1), ('r', '', 'o', 1, 1), ('s', '8', 'o', 1, 1)");
	expect("project_number", "p", "9");
	expect("project_number", "r", "");
	expect("guard_number", "p", "-");
	expect("guard_number", "q", "8");
	expect("guard_number", "r", "-");
	tempdb_exec(&t,
		"UPDATE billed_project SET number = '9' WHERE number = '5'; DELETE FROM "
		"billed_project WHERE number = '6'");
	expect("guard_number", "p", "9");
	tempdb_exec(&t, "UPDATE billed_project SET number = '7' WHERE number = '9'");
	expect("guard_number", "p", "-");
}

static void leases_and_disarmed_rules(void **state)
{
	tempdb_ask(&t, "lease_put", "enforce,me,1,100");
	tempdb_ask(&t, "lease_put", "other,me,2,200");
	tempdb_ask(&t, "lease_put", "enforce,you,3,300");
	expect("lease_get", "enforce", "you 3 300");
	expect("lease_get", "other", "me 2 200");
	tempdb_ask(&t, "disarm", "r,x,p,1,why");
	tempdb_ask(&t, "disarm", "s,x,p,1,s");
	tempdb_ask(&t, "disarm", "r,y,p,1,y");
	tempdb_ask(&t, "disarm", "r,x,q,1,q");
	tempdb_ask(&t, "disarm", "r,x,p,2,again");
	expect("disarmed_get", "r,x,p", "again");
	expect_sql("SELECT at FROM disarmed WHERE reason = 'again'", "2");
	expect("disarmed_get", "s,x,p", "s");
	expect("disarmed_get", "r,y,p", "y");
	expect("disarmed_get", "r,x,q", "q");
	expect("disarmed_get", "s,y,p", "");
	tempdb_ask(&t, "rearm_all", "");
	expect_sql("SELECT COUNT(*) FROM disarmed", "0");
}

static void earlier_tries_of_an_episode(void **state)
{
	static const char *const others[] = {"rule = 's'", "resource = 'n'", "uid = 'v'",
		"started = 8", "started = NULL", "ended = NULL", "attempts = 0"};

	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		put((int)i + 1, "attempts = 1");
		tempdb_execf(&t, "UPDATE action SET %s WHERE action = %d", others[i],
			(int)i + 1);
	}
	expect("action_tries", "r,m,u,7,20", "0");
	put(10, "attempts = 1");
	put(11, "request_id = 'q'");
	put(20, "attempts = 1");
	expect("action_tries", "r,m,u,7,20", "2");
	expect("action_tries", "r,m,u,7,21", "3");
	expect("action_tries", "r,m,u,-,20", "1");
}

/* ---- guards ------------------------------------------------------------------------------------ */

static void nodes_of_a_queued_resource(void **state)
{
	machine("a", "queued = 'projects/p/q'");
	machine("b", "queued = 'q'");
	machine("c", "queued = 'xq'");
	machine("d", "queued = 'q', project = 'o'");
	machine("e", "queued = 'q', location = 'o'");
	machine("f", "queued = NULL");
	tempdb_exec(&t,
		"INSERT INTO verdict (id, exempt, net, currency) VALUES ('a', 0, 5, "
		"'USD'), "
		"('c', 0, 7, 'HKD'); INSERT INTO hold VALUES ('b', 0, 9, ''), ('c', 0, 8, "
		"'')");
	expect("queued_nodes", "p,l,q", "a a {} - 5 USD; b b {} 9 - -");
	expect("resource_get", "a", "vm - - - - u -");
	tempdb_exec(&t,
		"UPDATE resource SET local_ssd_gib = 375, ends = 7, run_limit = 8, "
		"provisioning = 'spot' WHERE id = 'a'");
	expect("resource_get", "a", "vm spot 7 8 375 u -");
	expect("resource_get", "b", "vm - - - - u -");
	tempdb_exec(&t,
		"UPDATE resource SET source = 'slice', attached_to = 'locations/p' WHERE "
		"id IN ('a', 'b', 'd'); UPDATE resource SET attached_to = 'locations/p' "
		"WHERE id = 'c'");
	expect("pool_others", "p,locations/p,a", "b b l {} 9");
}

static void the_newest_time_of_all(void **state)
{
	expect("guard_newest", "100", "-");
	put(1, "since = 50");
	put(2, "since = 101");
	expect("guard_newest", "100", "50");
	tempdb_exec(&t,
		"INSERT INTO source_status (source, project, state, last_attempt, items) "
		"VALUES "
		"('vm', 'p', 'ok', 60, 0), ('ip', 'p', 'ok', 100, 0), ('tpu', 'p', 'ok', "
		"102, "
		"0)");
	expect("guard_newest", "100", "100");
	expect("guard_newest", "99", "60");
	expect("guard_newest", "101", "101");
	tempdb_exec(&t,
		"INSERT INTO audit_entry (seq, at, actor, event, detail, prev, hash) "
		"VALUES (1, "
		"109, 'a', 'e', '{}', '', 'h'), (2, 110, 'a', 'e', '{}', '', 'h'), (3, "
		"112, "
		"'a', 'e', '{}', '', 'h')");
	expect("guard_newest", "110", "110");
	expect("guard_newest", "111", "110");
}

/* Each of these is not meant; then one that is. */
static void others_but(const char *query, const char *params, const char *base,
	const char *const *others, size_t n, const char *want)
{
	for (size_t i = 0; i < n; i++) {
		put((int)i + 1, base);
		tempdb_execf(&t, "UPDATE action SET %s WHERE action = %d", others[i],
			(int)i + 1);
	}
	expect(query, params, "");
	put(50, base);
	expect(query, params, want);
}

static void another_stop_before(void **state)
{
	static const char *const others[] = {"uid = 'v'", "sent = 100", "sent = NULL",
		"intent = NULL", "state = 'failed'", "state = 'intent'", "state = 'sent'",
		"state = 'verify'", "state = 'unknown'", "action = 60"};

	others_but("guard_stopped_before", "u,other,60,100", "sent = 101, intent = 1",
		others, ARRAY_LEN(others), "101");
	put(51, "sent = 105, intent = 1");
	expect("guard_stopped_before", "u,other,60,100", "105");
	/* queued resources have no number */
	tempdb_exec(&t, "UPDATE action SET uid = ''");
	expect("guard_stopped_before", ",other,60,100", "");
	expect("guard_stopped_before", ",m,60,100", "105");
}

static void a_stop_that_no_poll_saw(void **state)
{
	static const char *const others[] = {"uid = 'v'", "state = 'failed'", "ended = 99",
		"ended = 201", "ended = NULL", "action = 60"};

	others_but("guard_unseen", "u,other,60,100,200", "ended = 100", others,
		ARRAY_LEN(others), "50");
	put(51, "ended = 200");
	expect("guard_unseen", "u,other,60,100,200", "51");
	tempdb_exec(&t, "UPDATE action SET uid = ''");
	expect("guard_unseen", ",other,60,100,200", "");
	expect("guard_unseen", ",m,60,100,200", "51");
	/* what a live check ended, and nothing else that ended without an effect */
	put(52, "state = 'cleared', ended = 150, reason = 'a live check found that x'");
	expect("guard_unseen", "u,other,60,100,200", "52");
	put(53, "state = 'superseded', ended = 150, reason = 'a live check found that x'");
	expect("guard_unseen", "u,other,60,100,200", "53");
	put(54, "state = 'cleared', ended = 150, reason = 'x'");
	expect("guard_unseen", "u,other,60,100,200", "53");
}

static void a_request_in_flight(void **state)
{
	static const char *const others[] = {
		"uid = 'v'", "state = 'done'", "state = 'recheck'", "action = 60"};
	static const char *const flying[] = {"intent", "sent", "verify", "unknown"};

	others_but("guard_in_flight", "u,other,60", "state = 'sent'", others,
		ARRAY_LEN(others), "50 r");
	put(51, "state = 'sent'");
	for (size_t i = 0; i < ARRAY_LEN(flying); i++) {
		tempdb_execf(
			&t, "UPDATE action SET state = '%s' WHERE action = 50", flying[i]);
		expect("guard_in_flight", "u,other,60", "50 r");
	}
	tempdb_exec(&t, "UPDATE action SET uid = '' WHERE action >= 50");
	expect("guard_in_flight", ",other,60", "");
	expect("guard_in_flight", ",m,60", "50 r");
}

#define IN_POOL "source = 'slice', attached_to = 'locations/l/clusters/c/nodePools/n'"

/* Deleting a queued resource ends its nodes, and scaling a node pool ends all of it. */
static void a_request_that_ends_a_machine(void **state)
{
	machine("q", "kind = 'queued'");
	machine("node", "queued = 'projects/p/locations/l/queuedResources/q'");
	machine("far", "queued = 'q', location = 'k'");
	machine("other", "queued = 'xq'");
	put(1, "resource = 'q', ended = NULL, state = 'sent'");
	expect("decide_in_flight", "node", "1 q stop sent");
	expect("decide_in_flight", "q", "1 q stop sent");
	expect("decide_in_flight", "far", "");
	expect("decide_in_flight", "other", "");
	machine("here", IN_POOL);
	machine("there", IN_POOL);
	machine("elsewhere", IN_POOL ", project = 'o'");
	put(2, "resource = 'here', ended = NULL, state = 'intent'");
	put(3, "resource = 'there', ended = NULL, state = 'grace'");
	put(4, "resource = 'there', state = 'sent'");
	expect("decide_in_flight", "there", "2 here stop intent");
	expect("decide_in_flight", "elsewhere", "");
	expect("decide_in_flight", "", "1 q stop sent; 2 here stop intent");
}

static void ran(const char *id, const char *set)
{
	tempdb_execf(&t,
		"INSERT INTO resource_interval (id, uid, starts, kind, project, location, "
		"name, "
		"state) VALUES ('%s', 'u', 1, 'vm', 'p', 'l', '%s', 'running'); UPDATE "
		"resource_interval SET %s WHERE id = '%s'",
		id, id, set, id);
}

static void machines_that_vanished(void **state)
{
	static const struct {
		const char *set, *want;
	} listed[] = {{"last_seen = 100", "5 4"}, {"last_seen = 99", "5 5"},
		{"last_seen = 1000, uid = 'w'", "5 5"},
		{"last_seen = 1000, project = 'q'", "5 5"}};
	static const struct {
		const char *set, *want;
	} deleted[] = {{"verb = 'delete'", "5 4"}, {"verb = 'stop'", "5 5"},
		{"verb = 'delete', uid = 'v'", "5 5"},
		{"verb = 'delete', resource = 'x'", "5 5"},
		{"verb = 'delete', sent = NULL", "5 5"},
		{"verb = 'delete', intent = NULL", "5 5"}};

	expect("guard_shrunk", "p,1000", "0 0");
	ran("m", "ends = 1001");
	ran("n", "ends = NULL, kind = 'tpu'");
	ran("a", "ends = 1000");
	ran("b", "state = 'stopped'");
	ran("c", "kind = 'disk'");
	ran("d", "project = 'q'");
	ran("e", "ends = NULL");
	ran("f", "ends = NULL");
	ran("g", "ends = NULL");
	expect("guard_shrunk", "p,1000", "5 5");
	machine("n", "last_seen = 1");
	expect("guard_shrunk", "p,1000", "5 4"); /* never a complete list */
	tempdb_exec(&t,
		"INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, "
		"items) VALUES ('vm', 'p', 'ok', 100, 100, 0), ('vm', 'q', 'ok', 1000, "
		"1000, "
		"0), ('vm', 'r', 'ok', 50, 50, 0), ('tpu', 'p', 'ok', 1000, 1000, 0)");
	for (size_t i = 0; i < ARRAY_LEN(listed); i++) {
		tempdb_exec(&t, "SAVEPOINT s");
		tempdb_execf(&t, "UPDATE resource SET %s", listed[i].set);
		expect("guard_shrunk", "p,1000", listed[i].want);
		tempdb_exec(&t, "ROLLBACK TO s; RELEASE s");
	}
	for (size_t i = 0; i < ARRAY_LEN(deleted); i++) {
		put(1, "sent = 2, intent = 1");
		tempdb_execf(&t, "UPDATE action SET %s", deleted[i].set);
		expect("guard_shrunk", "p,1000", deleted[i].want);
		tempdb_exec(&t, "DELETE FROM action");
	}
}

static void the_bill_that_guards_trust(void **state)
{
	expect("guard_bill", "", "- 0 0");
	tempdb_exec(&t,
		"INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count) VALUES (1, 'a', 'US', 0, 0); INSERT INTO billing_unit "
		"(table_id, "
		"unit, row_count, exported, ingested) VALUES (1, 1, 1, 50, 1), (1, 2, 1, "
		"40, "
		"1); INSERT INTO billing_quarantine VALUES (1, 1, 1, 1, 1, 1, 1)");
	expect("guard_bill", "", "50 1 2");
	tempdb_exec(&t,
		"INSERT INTO restatement VALUES (99, 'd', 'm', 'USD', 's', 1, 2, 3, 4), "
		"(100, "
		"'d', 'm', 'USD', 's', 5, 6, 7, 8), (101, 'd', 'm', 'HKD', 's', 1, 1, 1, "
		"2), "
		"(99, 'c', 'm', 'USD', 's', 1, 1, 1, 2), (102, 'd', 'm', 'USD', 's', 7, "
		"8, 9, 6)");
	tempdb_exec(
		&t, "UPDATE restatement SET date = '2026-11-0' || (unicode(date) - 98)");
	tempdb_bill_restated(&t);
	expect("guard_restated", "100", "2026-11-02 HKD 2 3; 2026-11-02 USD 11 15");
	expect("guard_restated", "99",
		"2026-11-01 USD 2 3; 2026-11-02 HKD 2 3; 2026-11-02 USD 7 11; 2026-11-02 "
		"USD 11 15");
	expect("guard_restated", "102", "");
}

static void requests_that_count(void **state)
{
	put(1, "sent = 101");
	put(2, "sent = 100");
	put(3, "sent = NULL");
	put(4, "state = 'intent', intent = 102");
	put(5, "state = 'unknown', intent = 103, sent = 104");
	put(6, "state = 'unknown', intent = 106, sent = 105");
	put(7, "sent = 150, approved = 150"); /* approved ones count, too */
	put(11, "intent = 200, sent = 107");
	expect("caps_sent", "100,100",
		"1 r stop vm 0 101 0; 4 r stop vm 0 102 0; 5 r stop vm 0 104 0; 6 r stop "
		"vm 0 106 0; 7 r stop vm 0 150 0; 11 r stop vm 0 107 0");
	machine("m", "last_seen = 100");
	expect("caps_sent", "100,149", "7 r stop vm 0 150 1");
	tempdb_exec(&t, "UPDATE resource SET uid = 'new'");
	expect("caps_sent", "100,149", "7 r stop vm 0 150 0");
	tempdb_exec(&t, "UPDATE resource SET uid = 'u'");
	expect("caps_sent", "101,149", "7 r stop vm 0 150 0");
	machine("n", "last_seen = 99");
	machine("o", "state = 'stopped'");
	machine("q", "complete = 0");
	machine("s", "kind = 'tpu'");
	expect("caps_running", "vm,100", "1");
	expect("caps_running", "vm,99", "2");
}

/* ---- budgets ----------------------------------------------------------------------------------- */

static void what_is_held_now(void **state)
{
	tempdb_exec(&t,
		"INSERT INTO hold VALUES ('b', 0, 101, ''), ('a', 0, 102, ''), ('c', 0, "
		"100, '')");
	expect("held_list", "100", "a; b");
}

static void hours_of_the_bill(void **state)
{
	tempdb_exec(&t,
		"INSERT INTO billed_project (project_ref, project, number, account) VALUES "
		"(1, "
		"'p', '', ''), (2, 'q', '', ''), (3, 'p', '', 'A'), (4, 'r', '', '');"
		"INSERT INTO charge (charge_ref, invoice_month, cost_type, currency, "
		"usage_unit, "
		"rate) VALUES (1, 'm', 'regular', 'USD', '', 1), (2, 'm', '', 'HKD', '', "
		"8), "
		"(3, 'm', 'tax', 'HKD', '', 9), (4, 'n', 'regular', 'HKD', '', 10), (5, "
		"'n', "
		"'regular', 'EUR', '', 0);"
		"INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, place_ref, "
		"resource_ref, charge_ref, credit_ref, usage, cost, credits, row_count) "
		"VALUES (1, 1, 100, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1), (1, "
		"1, 100, "
		"1, 2, 1, 1, 2, 0, 1, 1, 0, 1), (1, 1, 100, 1, 4, 1, 1, 3, 0, 1, 1, 0, 1), "
		"(1, "
		"1, 100, 1, 4, 1, 1, 1, 1, 1, 1, 0, 1), (1, 1, 100, 1, 3, 1, 1, 1, 0, 1, "
		"1, 0, "
		"1), (1, 1, 200, 1, 4, 1, 1, 2, 0, 1, 1, 0, 1)");
	expect("usage_hour_before", "200,100", "100");
	expect("usage_hour_before", "201,100", "200");
	expect("usage_hour_before", "200,101", "-");
	tempdb_exec(&t, "INSERT INTO sku_category (sku_ref, category) VALUES (1, 'tpu')");
	expect("usage_hour_projects", "100", "p 1; q 1");
	expect("billed_projects", "", "p; q; r");
	tempdb_exec(&t,
		"CREATE TEMP TABLE project_day (day, project_ref, charge_ref, sku_ref); "
		"INSERT INTO temp.project_day VALUES (4, 4, 1, 1), (5, 2, 2, 1), (6, 1, 1, "
		"1), (6, 3, 1, 2), (7, 4, 3, 1)");
	expect("billed_lately", "5", "p 0 6; p 1 6; q 1 5");
	expect("billed_lately", "6", "p 0 6; p 1 6");
	expect("billed_lately", "4", "p 0 6; p 1 6; q 1 5; r 1 4");
	expect("newest_rate", "HKD", "8 200");
	expect("newest_rate", "EUR", "");
	expect("newest_rate", "USD", "1 100");
	tempdb_exec(&t,
		"INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, place_ref, "
		"resource_ref, charge_ref, credit_ref, usage, cost, credits, row_count) "
		"VALUES (1, 1, 200, 1, 4, 1, 1, 3, 0, 1, 1, 0, 1), (1, "
		"1, 200, 1, 4, 1, 1, 5, 0, 1, 1, 0, 1)");
	expect("newest_rate", "HKD", "9 200");
	tempdb_exec(&t,
		"INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, place_ref, "
		"resource_ref, charge_ref, credit_ref, usage, cost, credits, row_count) "
		"VALUES (1, 1, 200, 1, 1, 1, 1, 4, 0, 1, 1, 0, 1)");
	expect("newest_rate", "HKD", "10 200");
	tempdb_exec(&t, "UPDATE charge SET rate = 0 WHERE charge_ref = 4");
	expect("newest_rate", "HKD", "9 200");
	expect("newest_rate", "EUR", "");
	expect("bill_currencies", "", "EUR; HKD; USD");
	tempdb_exec(&t, "DELETE FROM charge WHERE currency <> 'HKD'");
	expect("bill_currencies", "", "HKD");
	expect("newest_rate", "HKD", "9 200");
}

static void periods_of_a_budget(void **state)
{
	expect("budget_past_span", "b", "");
	tempdb_exec(&t,
		"INSERT INTO budget_past (name, period, starts, ends, amount, currency) "
		"VALUES "
		"('b', 'month', 20, 30, 1, 'USD'), ('b', 'month', 10, 20, 1, 'USD'), ('c', "
		"'month', 1, 99, 1, 'USD')");
	expect("budget_past_span", "b", "10 30");
}

/* Of the account of which least is known. */
static void the_time_in_which_costs_are_known(void **state)
{
	expect("budget_bill_since", "", "- - 0 -");
	tempdb_exec(&t,
		"INSERT INTO billing_day (table_id, unit, account, day) VALUES (1, 1, 'A', "
		"5), "
		"(1, 1, 'A', 6), (1, 1, 'B', 7), (1, 1, 'B', 9)");
	expect("budget_bill_since", "", "432000 604800 2 B");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, tempdb_teardown)
		TEST(actions_are_listed_by_their_ends),
		TEST(what_has_ended_does_not_move),
		TEST(a_warning_is_sent_again_alone),
		TEST(alerts_of_a_rule_that_hold),
		TEST(what_is_known_of_a_machine),
		TEST(what_a_deletion_frees),
		TEST(second_steps_begin_on_what_stays_stopped),
		TEST(the_number_of_a_project),
		TEST(leases_and_disarmed_rules),
		TEST(earlier_tries_of_an_episode),
		TEST(nodes_of_a_queued_resource),
		TEST(the_newest_time_of_all),
		TEST(another_stop_before),
		TEST(a_stop_that_no_poll_saw),
		TEST(a_request_in_flight),
		TEST(a_request_that_ends_a_machine),
		TEST(machines_that_vanished),
		TEST(the_bill_that_guards_trust),
		TEST(requests_that_count),
		TEST(what_is_held_now),
		TEST(hours_of_the_bill),
		TEST(periods_of_a_budget),
		TEST(the_time_in_which_costs_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

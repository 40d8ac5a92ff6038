#include "tests/support/world/judge_world.h"

#include "rules/derive/derive.h"
#include "tests/support/assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct judge_world jw;

static struct poll_interval every_minute = {"instances", 60};

int jw_setup(void **state)
{
	tempdb_open(&jw.t, JW_NOW);
	memset(jw.rules, 0, sizeof(jw.rules));
	jw.settings = (struct settings){.tz = jw.t.tz,
		.currency = "USD",
		.intervals = &every_minute,
		.n_intervals = 1,
		.rules = jw.rules};
	return 0;
}

struct rule *jw_rule(const char *name, const char *where)
{
	struct rule *r = &jw.rules[jw.settings.n_rules++];

	*r = (struct rule){.name = name,
		.on = "resources",
		.where = where,
		.summary = "{name} is {state}",
		.severity = SEVERITY_WARNING,
		.enabled = true};
	return r;
}

void jw_polled(ts_t at)
{
	tempdb_execf(&jw.t,
		"INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items, poll_group) VALUES ('vm', 'p', 'ok', %lld, %lld, 1, "
		"'instances') ON CONFLICT DO UPDATE SET last_success = "
		"excluded.last_success",
		(long long)at, (long long)at);
}

void jw_vm(const char *name, const char *state)
{
	tempdb_execf(&jw.t,
		"INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, name, state, raw_state, type, provisioning, labels, created, "
		"first_seen, last_seen, complete) VALUES ('p/vm/us-central1-b/%s', '1', "
		"'vm', 'vm', 'p', 'us-central1-b', 'us-central1-b', 'us-central1', '%s', "
		"'%s', 'RUNNING', 'n1-standard-2', 'on-demand', '{}', %lld, %lld, %lld, 1) "
		"ON CONFLICT (id) DO UPDATE SET state = excluded.state",
		name, name, state, (long long)JW_NOW, (long long)JW_NOW, (long long)JW_NOW);
}

/* What the derived tables say is judged as it stands. */
void jw_judge(ts_t now)
{
	struct err e = {0};
	struct db_tx tx = {0};

	assert_ok(db_begin(jw.t.db, &tx, &e), e);
	assert_ok(judge(jw.t.db, &jw.settings, now, &jw.t.a, &jw.last, &e), e);
	assert_ok(db_commit(&tx, &e), e);
	assert_i64_eq(jw.last.n_errors, 0);
}

/* A cycle: what was put in is derived and judged as of `now`. */
void jw_cycle(ts_t now)
{
	struct derive_opts o = {
		.settings = &jw.settings, .now = now, .since = TS_NONE, .until = TS_NONE};
	struct err e = {0};
	struct db_tx tx = {0};

	jw.t.clock.fake_now = now;
	assert_ok(db_begin(jw.t.db, &tx, &e), e);
	assert_ok(derive(jw.t.db, &o, &e), e);
	assert_ok(judge(jw.t.db, &jw.settings, now, &jw.t.a, &jw.last, &e), e);
	assert_ok(db_commit(&tx, &e), e);
}

void jw_expect(const char *sql, const char *want)
{
	tempdb_expect(&jw.t, sql, want);
}

#include "tests/support/world/guard_world.h"

#include "rules/derive/derive.h"
#include "tests/support/assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct guard_world gw;

static const struct poll_interval every_minute = {"instances", 60};
static const char *const projects[] = {"p"};

static void put_resource(const struct target *t, const char *raw)
{
	gw_exec("DELETE FROM resource; DELETE FROM source_status");
	gw_exec("INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, name, state, raw_state, type, provisioning, labels, created, "
		"first_seen, last_seen, complete) VALUES ('%s', '%s', '%s', '%s', 'p', "
		"'us-central1-b', 'us-central1-b', 'us-central1', 'a', '%s', '%s', "
		"'%s', 'on-demand', '{}', %lld, 0, %lld, 1)",
		t->id, t->uid, t->source, t->kind, gw.subject.state, raw, gw.subject.type,
		(long long)gw.subject.created, (long long)GW_NOW);
	gw_exec("INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items, poll_group) VALUES ('%s', 'p', 'ok', %lld, %lld, 1, "
		"'instances')",
		t->source, (long long)GW_NOW, (long long)GW_NOW);
}

static void put(struct target t, const char *raw, const char *type)
{
	ts_t created = GW_NOW - 7200, started = t.uid[0] == '1' ? created + 60 : TS_NONE;
	const char *state = gw.second ? "stopped" : "running";

	if (gw.second)
		raw = *t.source == 'v' ? "TERMINATED" : "STOPPED";
	gw.action.t = t;
	gw.action.started = gw.second ? TS_NONE : started;
	gw.subject = (struct enforce_subject){.t = t,
		.state = state,
		.raw_state = raw,
		.type = type,
		.provisioning = "on-demand",
		.labels = "{}",
		.started = gw.action.started,
		.created = created,
		.last_seen = GW_NOW,
		.complete = true,
		.hosts = 1};
	gw.live = (struct live){
		.found = true,
		.uid = t.uid,
		.raw_state = raw,
		.state = state,
		.type = type,
		.created = created,
		.started = started,
		.labels = "{}",
		.hosts = 1,
		.queued = "",
	};
	put_resource(&t, raw);
	gw_derive();
}

static void put_all(void)
{
	gw.en = (struct enforcement){.mode = ENFORCE_ARMED,
		.projects = projects,
		.n_projects = 1,
		.max_per_run = 3,
		.max_per_hour = 5,
		.max_per_rule_hour = 3,
		.max_per_day = 10,
		.max_deletes_per_hour = 1,
		.max_share = 50};
	gw.settings = (struct settings){.tz = gw.t.tz,
		.currency = "USD",
		.intervals = &every_minute,
		.n_intervals = 1,
		.rules = &gw.rule,
		.n_rules = 1,
		.enforcement = &gw.en};
	gw.rule = (struct rule){.name = "r",
		.on = "resources",
		.where = "kind = 'vm'",
		.enabled = true,
		.then = {.action = "stop", .grace = 300, .armed = true}};
	gw.step = &gw.rule.then;
	if (gw.second) {
		gw.step = &gw.rule.later;
		*gw.step = (struct rule_action){.action = "delete",
			.after = 3600,
			.grace = 300,
			.armed = true,
			.allow_delete = true};
		gw.en.allow_delete = true;
	}
	gw.action = (struct action){.number = 1,
		.follows = gw.second ? GW_STOP : 0,
		.verb = gw.second ? VERB_DELETE : VERB_STOP,
		.rule = "r",
		.armed = true,
		.state = ACTION_RECHECK,
		.began = GW_NOW - 900,
		.warned = GW_NOW - 300,
		.approved = TS_NONE,
		.sent = TS_NONE,
		.intent = TS_NONE};
	gw.ask = (struct guard_ask){.db = gw.t.db,
		.s = &gw.settings,
		.rule = &gw.rule,
		.action = &gw.action,
		.subject = &gw.subject,
		.live = &gw.live,
		.fresh = true,
		.clock_skew = INT64_MIN,
		.now = GW_NOW,
		.a = &gw.t.a};
	put((struct target){.id = "p/vm/us-central1-b/a",
		    .uid = "1",
		    .source = "vm",
		    .kind = "vm",
		    .project = "p",
		    .location = "us-central1-b",
		    .name = "a"},
		"RUNNING", "n1-standard-2");
}

int gw_setup(void **state)
{
	gw.second = false;
	tempdb_open(&gw.t, GW_NOW);
	put_all();
	return 0;
}

int gw_setup_second(void **state)
{
	gw.second = true;
	tempdb_open(&gw.t, GW_NOW);
	put_all();
	gw_stop();
	return 0;
}

void gw_tpu(void)
{
	put((struct target){.id = "p/tpu/us-central1-b/a",
		    .uid = "2",
		    .source = "tpu",
		    .kind = "tpu",
		    .project = "p",
		    .location = "us-central1-b",
		    .name = "a"},
		"READY", "v3-8");
}

void gw_delete(void)
{
	gw.action.verb = VERB_DELETE;
	gw.rule.then.action = "delete";
	gw.rule.then.allow_delete = true;
	gw.en.allow_delete = true;
}

void gw_queued(void)
{
	put((struct target){.id = "p/queued/us-central1-b/a",
		    .uid = "",
		    .source = "queued",
		    .kind = "queued",
		    .project = "p",
		    .location = "us-central1-b",
		    .name = "a"},
		"ACTIVE", "v3-8");
	gw_delete();
}

const char *gw_held(void)
{
	struct err e = {0};

	assert_ok(guard_first(&gw.ask, &gw.no, &e), e);
	return gw.no.name ? gw.no.name : "";
}

void gw_refused_(const char *name, const char *part, const char *file, int line)
{
	const char *got = gw_held(), *reason = gw.no.reason ? gw.no.reason : "";

	if (strcmp(got, name) != 0 || !strstr(reason, part)) {
		print_error(
			"held by \"%s\" (%s), want \"%s\" (%s)\n", got, reason, name, part);
		_fail(file, line);
	}
}

void gw_derive(void)
{
	struct derive_opts o = {.settings = &gw.settings,
		.now = gw.ask.now,
		.since = TS_NONE,
		.until = TS_NONE};
	struct err e = {0};
	struct db_tx tx = {0};

	gw.t.clock.fake_now = gw.ask.now;
	assert_ok(db_begin(gw.t.db, &tx, &e), e);
	assert_ok(derive(gw.t.db, &o, &e), e);
	assert_ok(db_commit(&tx, &e), e);
}

void gw_action(int64_t number, const char *what)
{
	gw_exec("INSERT INTO action (action, rule, resource, uid, source, kind, project, "
		"location, name, verb, mode, severity, policy, state, held, reason, since, "
		"began, attempts, intent, ended) VALUES (%lld, 'x', "
		"'p/vm/us-central1-b/x%lld', "
		"'x%lld', 'vm', 'vm', 'p', 'us-central1-b', 'x', 'stop', 'armed', "
		"'warning', '', 'done', '', '', %lld, 0, 1, 1, 1)",
		(long long)number, (long long)number, (long long)number,
		(long long)GW_NOW - 1000);
	gw_exec("UPDATE action SET %s WHERE action = %lld", what, (long long)number);
}

void gw_stop(void)
{
	gw_action(GW_STOP, "intent = NULL");
	gw_exec("UPDATE action SET started = %lld WHERE action = %d",
		(long long)gw.live.started, GW_STOP);
}

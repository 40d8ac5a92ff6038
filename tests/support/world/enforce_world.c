#include "tests/support/world/enforce_world.h"

#include "rules/act/audit.h"
#include "rules/derive/derive.h"
#include "tests/support/assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct enforce_world ew;

static struct poll_interval every_minute = {"instances", 60};
static const char *const projects[] = {"p-lab1"};

/* ---- Google ------------------------------------------------------------------------------------ */

struct ew_machine *ew_find(const char *name)
{
	for (size_t i = 0; i < ew.n; i++)
		if (ew.m[i].there && !strcmp(ew.m[i].name, name))
			return &ew.m[i];
	return NULL;
}

static enum err_code fake_project(
	void *ctx, const char *project, struct arena *a, const char **number, struct err *e)
{
	(void)ctx;
	(void)project;
	(void)e;
	*number = arena_strdup(a, ew.number);
	return E_OK;
}

static const char *google_word(const struct ew_machine *m)
{
	if (!strcmp(m->state, "running"))
		return !strcmp(m->source, "vm") ? "RUNNING" : "READY";
	if (!strcmp(m->state, "stopped"))
		return !strcmp(m->source, "vm") ? "TERMINATED" : "STOPPED";
	return "STOPPING";
}

static enum err_code fake_look(void *ctx, const struct target *t, enum verb verb,
	struct arena *a, struct live *out, struct err *e)
{
	struct ew_machine *m = ew_find(t->name);

	(void)ctx;
	ew.looks++;
	if (ew.look_fails)
		return err_set(e, ew.look_fails, "look: it fails");
	*out = (struct live){.found = m != NULL, .uid = ""};
	if (!m)
		return E_OK;
	if (!strcmp(m->state, "stopping") && m->looks_to_stop-- <= 0)
		m->state = "stopped";
	*out = (struct live){.found = true,
		.uid = arena_strdup(a, m->uid),
		.raw_state = google_word(m),
		.state = m->state,
		.type = m->type,
		.created = m->created,
		.started = !strcmp(m->source, "vm") ? m->started : TS_NONE,
		.labels = m->hidden_labels ? NULL : m->labels,
		.deletion_protection = m->deletion_protection,
		.local_ssd = m->local_ssd,
		.own_host = m->own_host,
		.managed_by = m->managed_by,
		.hosts = m->hosts,
		.queued = "",
		.record = "{\"id\":\"1\"}",
		.restart = verb == VERB_STOP ? "gcloud start" : "gcloud create"};
	if (ew.after_look)
		ew.after_look(m);
	return E_OK;
}

static enum err_code fake_act(void *ctx, const struct target *t, enum verb verb,
	const char *request_id, struct arena *a, const char **operation, struct err *e)
{
	struct ew_machine *m;
	size_t len = strlen(ew.log);

	(void)ctx;
	if (ew.before_act)
		ew.before_act(ew_find(t->name));
	m = ew_find(t->name);
	ew.acts++;
	snprintf(ew.log + len, sizeof(ew.log) - len, "%s %s %s %s\n", verb_name(verb),
		t->name, m ? m->uid : "-", request_id);
	if (ew.act_fails)
		return err_set(e, ew.act_fails, "stop: refused");
	if (!m)
		return err_set(e, E_NOTFOUND, "stop: there is none");
	if (!ew.no_effect && !ew.op_error && !ew.op_stuck &&
		(verb == VERB_DELETE || !strcmp(m->state, "running"))) {
		ew.effects++;
		m->state = "stopping";
		m->looks_to_stop = 1;
		if (verb == VERB_DELETE)
			m->there = false;
	}
	if (ew.act_lost)
		return err_set(e, E_UNCERTAIN, "stop: the connection ended");
	*operation = arena_strdup(a, "operation-1");
	return E_OK;
}

static enum err_code fake_operation(void *ctx, const struct target *t,
	const char *operation, struct arena *a, struct op_state *out, struct err *e)
{
	(void)ctx;
	(void)t;
	(void)a;
	assert_string_equal(operation, "operation-1");
	if (ew.op_fails == E_NOTFOUND)
		*out = (struct op_state){.outcome = OP_GONE};
	else if (ew.op_fails)
		return err_set(e, ew.op_fails, "operation: it fails");
	else if (ew.op_stuck)
		*out = (struct op_state){.outcome = OP_RUNNING};
	else if (ew.op_error)
		*out = (struct op_state){.outcome = OP_FAILED, .error = ew.op_error};
	else
		*out = (struct op_state){.outcome = OP_DONE};
	return E_OK;
}

static enum err_code fake_skew(void *ctx, int64_t *seconds)
{
	(void)ctx;
	*seconds = ew.skew;
	return E_OK;
}

/* ---- the world --------------------------------------------------------------------------------- */

int ew_setup(void **state)
{
	memset(&ew, 0, sizeof(ew));
	tempdb_open(&ew.t, EW_NOW);
	ew.en = (struct enforcement){.mode = ENFORCE_ARMED,
		.projects = projects,
		.n_projects = 1,
		.max_per_run = 3,
		.max_per_hour = 5,
		.max_per_rule_hour = 5,
		.max_per_day = 10,
		.max_deletes_per_hour = 1,
		.max_share = 100};
	ew.settings = (struct settings){.tz = ew.t.tz,
		.currency = "USD",
		.intervals = &every_minute,
		.n_intervals = 1,
		.rules = ew.rules,
		.enforcement = &ew.en};
	ew.hands = (struct hands){.project = fake_project,
		.look = fake_look,
		.act = fake_act,
		.operation = fake_operation,
		.clock_skew = fake_skew};
	ew.opts = (struct enforce_opts){.settings = &ew.settings,
		.hands = &ew.hands,
		.clock = &ew.t.clock,
		.owner = "host-1:100",
		.wait_seconds = 30};
	ew.number = "";
	ew.deliver = ew.poll = true;
	return 0;
}

static struct ew_machine *add(const char *name)
{
	struct ew_machine *m = &ew.m[ew.n++];

	assert_true(ew.n <= EW_MACHINES);
	snprintf(m->name, sizeof(m->name), "%s", name);
	snprintf(m->uid, sizeof(m->uid), "%zu", 7000 + ew.n);
	m->state = "running";
	m->labels = "{}";
	m->created = m->started = ew.t.clock.fake_now - 3600;
	m->hosts = 1;
	m->there = true;
	return m;
}

struct ew_machine *ew_vm(const char *name)
{
	struct ew_machine *m = add(name);

	m->kind = m->source = "vm";
	m->type = "n1-highmem-96";
	return m;
}

struct ew_machine *ew_tpu(const char *name)
{
	struct ew_machine *m = add(name);

	m->kind = m->source = "tpu";
	m->type = "v3-8";
	return m;
}

struct rule *ew_rule(const char *name, const char *where, int64_t grace)
{
	struct rule *r = &ew.rules[ew.settings.n_rules++];

	*r = (struct rule){.name = name,
		.on = "resources",
		.where = where,
		.summary = "{name} is {state}",
		.severity = SEVERITY_WARNING,
		.enabled = true,
		.then = {.action = "stop", .grace = grace, .armed = true}};
	return r;
}

static void put_source(const char *name, ts_t at)
{
	tempdb_execf(&ew.t,
		"INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items, poll_group) VALUES ('%s', 'p-lab1', 'ok', %lld, "
		"%lld, 1, 'instances') ON CONFLICT DO UPDATE SET last_success = "
		"excluded.last_success, last_attempt = excluded.last_attempt",
		name, (long long)at, (long long)at);
}

static void put_machine(const struct ew_machine *m, ts_t now)
{
	const char *zone = !strcmp(m->kind, "vm") ? "us-central1-b" : "us-central1-a";

	tempdb_execf(&ew.t,
		"INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, name, state, raw_state, type, provisioning, hosts, labels, "
		"owner, created, state_since, first_seen, last_seen, complete) VALUES "
		"('p-lab1/%s/%s/%s', '%s', '%s', '%s', 'p-lab1', '%s', '%s', "
		"'us-central1', '%s', '%s', '%s', '%s', 'on-demand', %lld, '%s', "
		"NULLIF('%s', ''), %lld, "
		"%lld, %lld, %lld, 1) ON CONFLICT (id) DO UPDATE SET uid = excluded.uid, "
		"state = excluded.state, raw_state = excluded.raw_state, created = "
		"excluded.created, state_since = excluded.state_since, labels = "
		"excluded.labels, owner = excluded.owner, last_seen = excluded.last_seen, "
		"hosts = excluded.hosts",
		m->kind, zone, m->name, m->uid, m->source, m->kind, zone, zone, m->name,
		m->state, google_word(m), m->type, (long long)m->hosts, m->labels,
		m->owner ? m->owner : "", (long long)m->created,
		(long long)(m->stopped && !strcmp(m->state, "stopped") ? m->stopped
								       : m->started),
		(long long)m->created, (long long)now);
}

static void poll(ts_t now)
{
	put_source("vm", now);
	put_source("tpu", now);
	for (size_t i = 0; i < ew.n; i++) {
		const struct ew_machine *m = &ew.m[i];

		if (m->there) {
			put_machine(m, now);
			continue;
		}
		tempdb_execf(&ew.t, "DELETE FROM resource WHERE name = '%s' AND uid = '%s'",
			m->name, m->uid);
	}
}

static void deliver(ts_t now)
{
	tempdb_execf(&ew.t,
		"INSERT INTO notification (message, channel, recipient, kind, dedup, "
		"critical, subject, body, refs, state, attempts, fence, created, finished, "
		"lost_told, format, perhaps_sent) SELECT 'w' || action || ' ' || since, "
		"'me', '', 'alerts', 'w' || action || ' ' || since, 0, 's', 'b', '', "
		"'sent', 1, 1, %lld, %lld, 0, 'text', 0 FROM action WHERE state = "
		"'warning' AND mode = 'armed' AND NOT EXISTS (SELECT 1 FROM action_notice "
		"n WHERE n.action = action.action)",
		(long long)now, (long long)now);
	tempdb_exec(&ew.t,
		"INSERT INTO action_notice (action, kind, channel, message) SELECT action, "
		"'warning', 'me', 'w' || action || ' ' || since FROM action WHERE state = "
		"'warning' AND mode = 'armed' AND NOT EXISTS (SELECT 1 FROM action_notice "
		"n WHERE n.action = action.action)");
}

void ew_track(int64_t seconds)
{
	ts_t now = ew.t.clock.fake_now + seconds;
	struct derive_opts o = {
		.settings = &ew.settings, .now = now, .since = TS_NONE, .until = TS_NONE};
	struct err e = {0};
	struct db_tx tx = {0};

	ew.t.clock.fake_now = now;
	if (ew.poll)
		poll(now);
	assert_ok(db_begin(ew.t.db, &tx, &e), e);
	assert_ok(derive(ew.t.db, &o, &e), e);
	assert_ok(judge(ew.t.db, &ew.settings, now, &ew.t.a, &ew.judged, &e), e);
	assert_i64_eq(ew.judged.n_errors, 0);
	assert_ok(enforce_track(ew.t.db, &ew.settings, now, &e), e);
	assert_ok(db_commit(&tx, &e), e);
	if (ew.deliver)
		deliver(now);
}

void ew_run(void)
{
	struct err e = {0};

	assert_ok(enforce_run(ew.t.db, &ew.opts, &ew.t.a, &ew.result, &e), e);
}

void ew_cycle(int64_t seconds)
{
	ew_track(seconds);
	ew_run();
}

/* ---- what came of it --------------------------------------------------------------------------- */

void ew_expect(const char *sql, const char *want)
{
	tempdb_expect(&ew.t, sql, want);
}

void ew_expect_actions(const char *want)
{
	ew_expect("SELECT COALESCE(group_concat(x, '; '), '') FROM (SELECT name || ' ' || "
		  "state || CASE WHEN held <> '' THEN ' ' || held ELSE '' END AS x FROM "
		  "action ORDER BY action)",
		want);
}

void ew_expect_audit(void)
{
	struct audit_verdict v;
	struct err e = {0};

	assert_ok(audit_verify(ew.t.db, NULL, &ew.t.a, &v, &e), e);
	if (!v.ok)
		fail_msg("audit: entry %lld: %s", (long long)v.bad, v.why);
}

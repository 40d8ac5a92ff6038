#include "tests/support/world/cost_world.h"

#include "db/rollup/rollup.h"
#include "tests/support/assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define OR(value, otherwise) ((value) ? (value) : (otherwise))

void cost_world_open(struct cost_world *w, const char *zone, ts_t now)
{
	struct err e = {0};

	memset(w, 0, sizeof(*w));
	tempdb_open(&w->t, now);
	assert_ok(tz_open(zone, &w->tz, &e), e);
	w->now = now;
	w->settings = (struct settings){.tz = w->tz, .currency = "USD"};
	tempdb_exec(&w->t,
		"PRAGMA synchronous = OFF;"
		"INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count) VALUES (1, 't', 'US', 0, 0);"
		"INSERT INTO sku (service_id, service, sku_id, sku) VALUES "
		"('6F81-5844-456A', 'Compute Engine', 'cpu', 'N1 Instance Core'),"
		"('6F81-5844-456A', 'Compute Engine', 'disk', 'SSD backed PD Capacity'),"
		"('6F81-5844-456A', 'Compute Engine', 'ip', 'Static Ip Charge'),"
		"('E000-3F24-B8AA', 'Cloud TPU', 'tpu', 'Tpu-v3 accelerator'),"
		"('', 'Invoice', 'other', 'Tax');"
		"INSERT INTO billed_resource (resource_ref, resource, global_name) VALUES "
		"(1, '', '')");
}

void cost_world_close(struct cost_world *w)
{
	tz_free(w->tz);
	tempdb_close(&w->t);
}

void cost_world_clear(struct cost_world *w)
{
	tempdb_exec(&w->t,
		"DELETE FROM usage; DELETE FROM billed_project; DELETE FROM charge;"
		"DELETE FROM resource; DELETE FROM resource_interval");
}

static void put_usage(struct cost_world *w, const struct cost_line *l, const char *credit,
	int64_t cost, int64_t credits)
{
	char sql[1024];

	snprintf(sql, sizeof(sql),
		"INSERT INTO usage SELECT 1, %d, %lld, s.sku_ref, p.project_ref, "
		"l.place_ref, 1, c.charge_ref, t.credit_ref, 0, %lld, %lld, 1 "
		"FROM sku s, billed_project p, place l, charge c, credit_type t "
		"WHERE s.sku_id = '%s' AND p.project = '%s' AND l.zone = '%s' "
		"AND c.currency = '%s' AND c.rate = %lld AND c.cost_type = '%s' "
		"AND t.type = '%s' AND c.invoice_month = '%s' AND p.account = '%s'",
		w->units, (long long)l->hour, (long long)cost, (long long)credits,
		OR(l->category, "cpu"), l->account_level ? "" : OR(l->project, "p"),
		OR(l->zone, "us-central1-b"), OR(l->currency, "USD"),
		(long long)(l->rate < 0 ? 0 : OR(l->rate, NANOS)),
		OR(l->cost_type, "regular"), credit, OR(l->invoice, "202611"),
		OR(l->account, "A"));
	tempdb_exec(&w->t, sql);
}

void cost_bill(struct cost_world *w, const struct cost_line *l)
{
	const char *zone = OR(l->zone, "us-central1-b");
	const char *credit = l->credits ? OR(l->credit_type, "PROMOTION") : "";
	char sql[1024];

	snprintf(sql, sizeof(sql),
		"INSERT OR IGNORE INTO billed_project (project, number, account) "
		"VALUES ('%s', '', '%s');"
		"INSERT OR IGNORE INTO place (location, region, zone) "
		"VALUES ('%.*s', '%.*s', '%s');"
		"INSERT OR IGNORE INTO charge (invoice_month, cost_type, currency, "
		"usage_unit, rate) VALUES ('%s', '%s', '%s', 'hour', %lld);"
		"INSERT OR IGNORE INTO credit_type (type) VALUES ('%s')",
		l->account_level ? "" : OR(l->project, "p"), OR(l->account, "A"),
		(int)(strrchr(zone, '-') - zone), zone, (int)(strrchr(zone, '-') - zone),
		zone, zone, OR(l->invoice, "202611"), OR(l->cost_type, "regular"),
		OR(l->currency, "USD"), (long long)(l->rate < 0 ? 0 : OR(l->rate, NANOS)),
		credit);
	tempdb_exec(&w->t, sql);
	w->units++; /* lines that are the same otherwise are of different partitions */
	put_usage(w, l, "", l->cost, 0);
	if (l->credits)
		put_usage(w, l, credit, 0, l->credits);
}

void cost_run(struct cost_world *w, const struct cost_thing *x)
{
	const char *project = OR(x->project, "p"), *zone = OR(x->zone, "us-central1-b");
	const char *kind = OR(x->kind, "disk"), *type = OR(x->type, "pd-ssd");
	const char *state = OR(x->state, "running"), *name = OR(x->name, "d");
	const char *how = OR(x->provisioning, "on-demand");
	long long since = OR(x->since, w->now - 100 * 86400), gib = OR(x->gib, 730);
	char sql[2048];

	snprintf(sql, sizeof(sql),
		"INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, name, state, raw_state, type, provisioning, size_gib, labels, "
		"created, first_seen, last_seen, complete) VALUES ('%s/%s/%s/%s', '%s', "
		"'%s', '%s', '%s', '%s', '%s', '%.*s', '%s', '%s', '%s', '%s', '%s', "
		"%lld, '%s', %lld, %lld, %lld, 1);"
		"INSERT INTO resource_interval (id, uid, starts, kind, project, location, "
		"name, state, type, provisioning, size_gib, created) VALUES "
		"('%s/%s/%s/%s', '%s', %lld, '%s', '%s', '%s', '%s', '%s', '%s', '%s', "
		"%lld, %lld)",
		project, kind, zone, name, name, kind, kind, project, zone, zone,
		(int)(strrchr(zone, '-') - zone), zone, name, state, state, type, how, gib,
		OR(x->labels, "{}"), since, since, (long long)w->now, project, kind, zone,
		name, name, since, kind, project, zone, name, state, type, how, gib, since);
	tempdb_exec(&w->t, sql);
}

void cost_derive(struct cost_world *w)
{
	struct derive_opts o = {.settings = &w->settings,
		.now = w->now,
		.since = TS_NONE,
		.until = TS_NONE};
	struct err e = {0};

	assert_ok(rollup_all(w->t.db, w->tz, &e), e);
	assert_ok(derive(w->t.db, &o, &e), e);
}

void cost_expect(struct cost_world *w, const char *sql, const char *want)
{
	char got[2048];

	tempdb_text(&w->t, sql, got, sizeof(got));
	if (strcmp(got, want) != 0)
		fail_msg("%s\n  gave %s\n  want %s", sql, got, want);
}

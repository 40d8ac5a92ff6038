#include "tests/support/world/cost_world.h"

#include "base/time/civil.h"
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
	memset(w, 0, sizeof(*w));
	tempdb_open_in(&w->t, zone, now);
	w->now = now;
	w->settings = (struct settings){.tz = w->t.tz, .currency = "USD"};
	tempdb_exec(&w->t,
		"PRAGMA synchronous = OFF;INSERT INTO billing_table (table_id, name, "
		"location, last_modified_ms, row_count) VALUES (1, 't', 'US', 0, 0);INSERT "
		"INTO sku (service_id, service, sku_id, sku) VALUES ('6F81-5844-456A', "
		"'Compute Engine', 'cpu', 'N1 Instance Core'),('6F81-5844-456A', 'Compute "
		"Engine', 'disk', 'SSD backed PD Capacity'),('6F81-5844-456A', 'Compute "
		"Engine', 'ip', 'Static Ip Charge'),('E000-3F24-B8AA', 'Cloud TPU', 'tpu', "
		"'Tpu-v3 accelerator'),('', 'Invoice', 'other', 'Tax');INSERT INTO "
		"billed_resource (resource_ref, resource, global_name) VALUES (1, '', '')");
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
	tempdb_execf(&w->t,
		"INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, place_ref, "
		"resource_ref, charge_ref, credit_ref, usage, cost, credits, row_count) "
		"SELECT 1, %d, %lld, s.sku_ref, p.project_ref, "
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
}

void cost_bill(struct cost_world *w, const struct cost_line *l)
{
	const char *zone = OR(l->zone, "us-central1-b");
	const char *credit = l->credits ? OR(l->credit_type, "PROMOTION") : "";

	tempdb_execf(&w->t,
		"INSERT OR IGNORE INTO billed_project (project, number, account) VALUES "
		"('%s', '', '%s');INSERT OR IGNORE INTO place (location, region, zone) "
		"VALUES ('%.*s', '%.*s', '%s');INSERT OR IGNORE INTO charge "
		"(invoice_month, cost_type, currency, usage_unit, rate) VALUES ('%s', "
		"'%s', '%s', 'hour', %lld);INSERT OR IGNORE INTO credit_type (type) VALUES "
		"('%s')",
		l->account_level ? "" : OR(l->project, "p"), OR(l->account, "A"),
		(int)(strrchr(zone, '-') - zone), zone, (int)(strrchr(zone, '-') - zone),
		zone, zone, OR(l->invoice, "202611"), OR(l->cost_type, "regular"),
		OR(l->currency, "USD"), (long long)(l->rate < 0 ? 0 : OR(l->rate, NANOS)),
		credit);
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

	tempdb_execf(&w->t,
		"INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, name, state, raw_state, type, provisioning, size_gib, labels, "
		"created, first_seen, last_seen, complete) VALUES ('%s/%s/%s/%s', '%s', "
		"'%s', '%s', '%s', '%s', '%s', '%.*s', '%s', '%s', '%s', '%s', '%s', %lld, "
		"'%s', %lld, %lld, %lld, 1);INSERT INTO resource_interval (id, uid, "
		"starts, kind, project, location, name, state, type, provisioning, "
		"size_gib, created) VALUES ('%s/%s/%s/%s', '%s', %lld, '%s', '%s', '%s', "
		"'%s', '%s', '%s', '%s', %lld, %lld)",
		project, kind, zone, name, name, kind, kind, project, zone, zone,
		(int)(strrchr(zone, '-') - zone), zone, name, state, state, type, how, gib,
		OR(x->labels, "{}"), since, since, (long long)w->now, project, kind, zone,
		name, name, since, kind, project, zone, name, state, type, how, gib, since);
	if (x->attached_to)
		tempdb_execf(&w->t,
			"UPDATE resource SET attached_to = '%s' WHERE name = '%s'",
			x->attached_to, name);
	if (x->ends)
		tempdb_execf(&w->t,
			"UPDATE resource SET ends = %lld, end_action = '%s', end_disks = "
			"IIF('%s' = 'stop', NULL, '%s') WHERE name = '%s'",
			(long long)x->ends, x->end_disks ? "delete" : "stop",
			x->end_disks ? "" : "stop", OR(x->end_disks, ""), name);
}

void cost_derive(struct cost_world *w)
{
	struct derive_opts o = {.settings = &w->settings,
		.now = w->now,
		.since = TS_NONE,
		.until = TS_NONE};
	struct err e = {0};

	assert_ok(rollup_all(w->t.db, w->t.tz, &e), e);
	assert_ok(derive_begin(w->t.db, &o, &e), e);
	assert_ok(db_derived_all(w->t.db, NULL, &e), e);
}

void cost_expect(struct cost_world *w, const char *sql, const char *want)
{
	tempdb_expect(&w->t, sql, want);
}

/* ---- reports ------------------------------------------------------------------------------------- */

struct doc *report_make(
	struct cost_world *w, const char *kind, struct report_ask ask, struct arena *a)
{
	const struct report_kind *k = report_kind_find(kind);
	struct doc *d = NULL;
	struct err e = {0};

	assert_non_null(k);
	ask.db = w->t.db;
	ask.settings = &w->settings;
	ask.now = w->now;
	ask.since = ask.since ? ask.since : TS_NONE;
	ask.until = ask.until ? ask.until : TS_NONE;
	if (k->period)
		assert_ok(k->period(&ask, &e), e);
	assert_ok(k->build(&ask, a, &d, &e), e);
	assert_non_null(d);
	/* A key that is misspelt has no type, and would be empty for ever. */
	for (size_t i = 0; i < d->n; i++)
		for (int c = 0; c < d->sections[i]->n_columns; c++)
			if (!d->sections[i]->columns[c].type)
				fail_msg("%s: column %s has no type", d->sections[i]->key,
					d->sections[i]->columns[c].key);
	return d;
}

static void add_cell(const struct doc_cell *c, struct sbuf *b)
{
	if (c->type == DOC_NONE)
		sbuf_addc(b, '-');
	doc_cell_exact(c, b);
	if (c->type == DOC_MONEY || c->type == DOC_RATE)
		sbuf_addf(b, " %s", c->text);
	sbuf_adds(b, doc_status_mark(c->status));
}

static int column_of(const struct doc_section *s, const char *key, size_t len)
{
	for (int i = 0; i < s->n_columns; i++)
		if (strlen(s->columns[i].key) == len &&
			!strncmp(s->columns[i].key, key, len))
			return i;
	fail_msg("%s has no column %.*s", s->key, (int)len, key);
	return -1;
}

const char *report_rows(
	const struct doc *d, const char *section, const char *keys, struct arena *a)
{
	const struct doc_section *s = doc_find(d, section);
	struct sbuf b = SBUF_INIT;
	const char *out;

	for (size_t i = 0; s && i < s->n; i++) {
		if (i)
			sbuf_addc(&b, '\n');
		for (const char *key = keys; *key;) {
			size_t len = strcspn(key, ",");

			sbuf_adds(&b, key == keys ? "" : "|");
			add_cell(&s->rows[i].cells[column_of(s, key, len)], &b);
			key += len + (key[len] == ',');
		}
	}
	out = arena_strdup(a, s ? b.s : "no such section");
	sbuf_done(&b);
	return out;
}

void report_expect(
	const struct doc *d, const char *section, const char *keys, const char *want)
{
	struct arena a = {0};
	const char *got = report_rows(d, section, keys, &a);

	if (strcmp(got, want) != 0)
		fail_msg("%s (%s)\n gave:\n%s\n want:\n%s", section, keys, got, want);
	arena_done(&a);
}

const char *report_all(const struct doc *d, struct arena *a)
{
	struct sbuf b = SBUF_INIT;
	const char *out;

	sbuf_addf(&b, "%s\n%s\n%s\n", d->title, d->subject ? d->subject : "", d->headline);
	for (size_t i = 0; i < d->n_facts; i++) {
		sbuf_addf(&b, "%s ", d->facts[i].key);
		add_cell(&d->facts[i].cell, &b);
		sbuf_addc(&b, '\n');
	}
	for (size_t i = 0; i < d->n; i++) {
		const struct doc_section *s = d->sections[i];

		sbuf_addf(&b, "[%s] %s\n%s\n%s\n", s->key, s->title ? s->title : "",
			s->note ? s->note : "", s->empty ? s->empty : "");
		for (int k = 0; k < s->n_columns; k++)
			sbuf_addf(&b, "%s %s;", s->columns[k].key,
				s->columns[k].title ? s->columns[k].title : "");
		for (size_t r = 0; r < s->n; r++) {
			sbuf_addc(&b, '\n');
			for (int k = 0; k < s->n_columns; k++) {
				sbuf_addc(&b, '|');
				add_cell(&s->rows[r].cells[k], &b);
			}
			if (s->rows[r].detail)
				sbuf_addf(&b, "\n  %s", s->rows[r].detail);
		}
		sbuf_addc(&b, '\n');
	}
	for (size_t i = 0; i < d->n_notes; i++)
		sbuf_addf(&b, "%s\n", d->notes[i]);
	out = arena_strdup(a, b.s);
	sbuf_done(&b);
	return out;
}

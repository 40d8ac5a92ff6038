#include "tests/support/world/daily_world.h"

#include "base/time/civil.h"
#include "reports/doc/formats.h"
#include "rules/judge/judge.h"
#include "tests/support/assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define OR(value, otherwise) ((value) ? (value) : (otherwise))

struct daily_world dw;

static const struct enforcement dry_run = {.mode = ENFORCE_DRY_RUN};

int dw_setup(void **state)
{
	struct rule *rules;

	memset(&dw, 0, sizeof(dw));
	tempdb_open_in(&dw.t, "Asia/Hong_Kong", DW_NOW);
	rules = arena_alloc(&dw.t.a, (n_builtin_rules + 4) * sizeof(*rules));
	for (size_t i = 0; i < n_builtin_rules; i++) {
		rules[i] = builtin_rules[i];
		rules[i].builtin = rules[i].name;
	}
	dw.settings = (struct settings){.tz = dw.t.tz,
		.currency = "USD",
		.rules = rules,
		.n_rules = n_builtin_rules,
		.enforcement = &dry_run,
		.watches = true};
	return 0;
}

void dw_clear(void)
{
	tempdb_execf(&dw.t,
		"DELETE FROM resource; DELETE FROM verdict; DELETE FROM burn_part;DELETE "
		"FROM usage; DELETE FROM cost_day; DELETE FROM project_day; DELETE FROM "
		"calendar; DELETE FROM account_day;DELETE FROM grant_state; DELETE FROM "
		"grant_end; DELETE FROM as_of;DELETE FROM source_status; DELETE FROM "
		"source_gap; DELETE FROM credit_state;DELETE FROM budget_state; DELETE "
		"FROM coverage_part; DELETE FROM alert;DELETE FROM silence; DELETE FROM "
		"hold; DELETE FROM quota_item;DELETE FROM restatement; DELETE FROM "
		"estimate_error;DELETE FROM notification; DELETE FROM billing_day; DELETE "
		"FROM residual");
	tempdb_execf(&dw.t,
		"INSERT INTO as_of (now, timezone, currency, today) VALUES (%lld, "
		"'Asia/Hong_Kong', 'USD', '2026-11-21')",
		(long long)DW_NOW);
	dw.settings.budgets = NULL;
	dw.settings.n_budgets = 0;
	dw.settings.n_rules = n_builtin_rules;
}

void dw_source(const char *source, const char *state, ts_t success, const char *error,
	const char *fix)
{
	char at[24] = "NULL";

	if (success != TS_NONE)
		snprintf(at, sizeof(at), "%lld", (long long)success);
	tempdb_execf(&dw.t,
		"INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items, error, fix, poll_group) VALUES ('%s', 'p', '%s', "
		"%lld, %s, 0, %Q, %Q, '%s')",
		source, state, (long long)DW_NOW, at, error, fix,
		!strcmp(source, "billing")          ? "billing"
			: !strcmp(source, "metric") ? "metrics"
						    : "instances");
}

void dw_polled(void)
{
	static const char *const sources[] = {"vm", "tpu", "disk", "ip", "billing"};

	for (size_t i = 0; i < ARRAY_LEN(sources); i++)
		dw_source(sources[i], "ok", DW_NOW - 60, NULL, NULL);
}

void dw_put(const struct dw_thing *x)
{
	const char *kind = OR(x->kind, "vm"), *location = OR(x->location, "us-central1-b");
	const char *state = OR(x->state, "running");
	const char *name = OR(x->name, "big");
	const char *id = arena_printf(&dw.t.a, "p/%s/%s/%s", kind, location, name);
	char amounts[96] = "NULL, NULL";

	tempdb_execf(&dw.t,
		"INSERT INTO resource (id, uid, source, kind, project, location, name, "
		"state, raw_state, type, provisioning, queued, labels, created, "
		"first_seen, last_seen, complete) VALUES (%Q, '1', %Q, %Q, 'p', %Q, %Q, "
		"%Q, %Q, %Q, %Q, %Q, '{}', %lld, 0, %lld, 1)",
		id, OR(x->source, kind), kind, location, name, state, OR(x->raw_state, "X"),
		x->type, OR(x->provisioning, "on-demand"), x->queued,
		(long long)DW_NOW - 7200, (long long)DW_NOW);
	if (!x->unpriced)
		snprintf(amounts, sizeof(amounts), "%lld, %lld",
			(long long)OR(x->gross, x->net), (long long)x->net);
	tempdb_execf(&dw.t,
		"INSERT INTO verdict (id, hosts, running_since, covered, grant_name, why, "
		"why_text, gross, net, currency, price_source, exempt) VALUES (%Q, %lld, "
		"%lld, %s, %Q, %Q, %Q, %s, %Q, 'builtin', %d)",
		id, (long long)OR(x->hosts, 1), (long long)DW_NOW - 7200,
		!x->why                              ? "NULL"
			: !strcmp(x->why, "covered") ? "1"
						     : "0",
		x->grant, x->why, x->why_text, amounts,
		x->unpriced ? NULL : OR(x->currency, "USD"), x->exempt);
}

void dw_burns(const char *id, const char *category, int64_t gross, int64_t net,
	const char *currency)
{
	if (currency)
		tempdb_execf(&dw.t,
			"INSERT INTO burn_part VALUES ('%s', '%s', %lld, %lld, '%s')", id,
			category, (long long)gross, (long long)net, currency);
	else
		tempdb_execf(&dw.t,
			"INSERT INTO burn_part VALUES ('%s', '%s', NULL, NULL, NULL)", id,
			category);
}

void dw_fires(
	const char *rule, const char *subject, const char *severity, const char *summary)
{
	tempdb_execf(&dw.t,
		"INSERT INTO alert (rule, subject, state, data, severity, since, "
		"last_true, stage, summary, labels) VALUES (%Q, %Q, 'firing', 'fresh', %Q, "
		"%lld, %lld, 0, %Q, '{}')",
		rule, subject, severity, (long long)DW_NOW - 600, (long long)DW_NOW,
		summary);
}

/* A description that is of that category. */
static const char *sku_text(const char *category)
{
	return !strcmp(category, "cpu")     ? "N1 Predefined Instance Core"
		: !strcmp(category, "disk") ? "Storage PD Capacity"
		: !strcmp(category, "ip")   ? "Static Ip Charge"
					    : category;
}

void dw_bill(int days_ago, const char *category, const char *currency, int64_t cost,
	int64_t credits)
{
	day_t day = tz_day(dw.t.tz, DW_NOW) - days_ago;
	char date[DATE_BUF];
	ts_t last;

	tempdb_execf(&dw.t,
		"INSERT OR IGNORE INTO billed_project (project, number, account) VALUES "
		"('p', '', 'A');INSERT OR IGNORE INTO charge (invoice_month, cost_type, "
		"currency, usage_unit, rate) VALUES ('202611', 'regular', '%s', 'hour', "
		"0);INSERT OR IGNORE INTO sku (service_id, service, sku_id, sku) VALUES "
		"('6F81-5844-456A', 'Compute Engine', '%s', '%s')",
		currency, category, sku_text(category));
	tempdb_execf(&dw.t,
		"INSERT OR IGNORE INTO sku_category SELECT sku_ref, sku_id FROM sku;"
		"INSERT OR IGNORE INTO calendar VALUES (%d, '%s', %lld, %lld)",
		day, date_format(day, date), (long long)tz_day_start(dw.t.tz, day),
		(long long)tz_day_start(dw.t.tz, day + 1));
	tempdb_execf(&dw.t,
		"INSERT INTO project_day (day, project_ref, sku_ref, charge_ref, cost, "
		"credits, promo) SELECT %d, p.project_ref, s.sku_ref, "
		"h.charge_ref, %lld, %lld, %lld FROM billed_project p, sku s, charge h "
		"WHERE p.account = 'A' AND s.sku_id = '%s' AND h.currency = '%s'",
		day, (long long)cost, (long long)credits, (long long)credits, category,
		currency);
	tempdb_execf(&dw.t,
		"INSERT INTO account_day (day, account, charge_ref, part, cost, credits, "
		"promo) SELECT %d, 'A', charge_ref, (SELECT COUNT(*) FROM "
		"account_day), %lld, %lld, %lld FROM charge WHERE currency = '%s'",
		day, (long long)cost, (long long)credits, (long long)credits, currency);
	/* the hour that tells what the bill reaches: the last of the day that is over */
	last = tz_day_start(dw.t.tz, day + 1) < DW_NOW ? tz_day_start(dw.t.tz, day + 1)
						       : DW_NOW;
	tempdb_execf(&dw.t,
		"INSERT OR IGNORE INTO billing_table (table_id, name, location, "
		"last_modified_ms, row_count) VALUES (1, 't', 'US', 0, 0);INSERT OR IGNORE "
		"INTO billed_resource (resource_ref, resource, global_name) VALUES (1, '', "
		"'');INSERT OR IGNORE INTO place (location, region, zone) VALUES ('', '', "
		"'');INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, "
		"place_ref, resource_ref, charge_ref, credit_ref, usage, cost, credits, "
		"row_count) SELECT 1, %d, %lld, s.sku_ref, p.project_ref, "
		"l.place_ref, 1, h.charge_ref, 0, 0, %lld, 0, 1 FROM billed_project p, sku "
		"s, charge h, place l WHERE p.account = 'A' AND s.sku_id = '%s' AND "
		"h.currency = '%s' AND l.zone = ''",
		day, (long long)last - 3600, (long long)cost, category, currency);
}

const struct doc *dw_build(void)
{
	struct report_ask ask = {.db = dw.t.db,
		.settings = &dw.settings,
		.now = DW_NOW,
		.since = TS_NONE,
		.until = TS_NONE};
	struct err e = {0};

	assert_ok(daily_build(&ask, &dw.t.a, &dw.doc, &e), e);
	assert_headline(dw.doc->headline);
	return dw.doc;
}

const struct doc_row *dw_row(const char *section, size_t row)
{
	const struct doc_section *s = doc_find(dw.doc, section);

	if (!s || row >= s->n)
		fail_msg("no row %zu of %s", row, section);
	return &s->rows[row];
}

const char *dw_cell(const char *section, size_t row, const char *key)
{
	const struct doc_row *r = dw_row(section, row);
	const struct doc_section *s = doc_find(dw.doc, section);
	struct sbuf b = SBUF_INIT;
	const char *text;

	for (int i = 0; i < s->n_columns; i++)
		if (!strcmp(s->columns[i].key, key))
			doc_cell_text(dw.doc, &s->columns[i], &r->cells[i], &b);
	if (!b.len)
		fail_msg("%s has no column %s", section, key);
	text = arena_strdup(&dw.t.a, b.s);
	sbuf_done(&b);
	return text;
}

void dw_is(const char *section, size_t row, const char *key, const char *want)
{
	const char *got = dw_cell(section, row, key);

	if (strcmp(got, want) != 0)
		fail_msg("%s %zu %s\n  gave %s\n  want %s", section, row, key, got, want);
}

void dw_rows(const char *section, size_t want)
{
	const struct doc_section *s = doc_find(dw.doc, section);

	if (!s || s->n != want)
		fail_msg("%s has %zu rows, want %zu", section, s ? s->n : 0, want);
}

const char *dw_render(const char *format)
{
	const struct doc_format *f = doc_format_find(format);
	const struct format_opts o = {0};
	struct sbuf b = SBUF_INIT;
	const char *text;

	if (!f)
		fail_msg("no format %s", format);
	f->render(dw.doc, &o, &b);
	text = arena_strdup(&dw.t.a, b.s);
	sbuf_done(&b);
	return text;
}

/* Figures taken apart: what `why` says of worlds that are made by hand. */
#include "reports/why/explain.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "db/rollup/rollup.h"
#include "rules/judge/judge.h"
#include "rules/derive/derive.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define NOW INT64_C(1795219200) /* 2026-11-21T00:00:00Z, 08:00 in Hong Kong */
#define HOUR INT64_C(3600)
#define GCE "6F81-5844-456A"

static struct tempdb t;
static struct arena a;
static struct tz *tz;
static struct settings settings;
static struct explaining x;

static struct grant grant_line(const char *name, const char *line)
{
	struct grant g = {.name = name,
		.starts = NOW - 10 * DAY_SECONDS,
		.until = NOW + 3 * DAY_SECONDS,
		.new_only = true};
	struct err e = {0};

	if (grant_parse_line(line, &a, &g, &e))
		fail_msg("%s", e.msg);
	return g;
}

static int open_world(void **state)
{
	static struct grant grants[1];
	static const struct price_override prices[] = {
		{"v4", "us-central2-b", NULL, {3220000000, "USD"}}};
	struct rule *rules = arena_alloc(&a, n_builtin_rules * sizeof(*rules));
	struct err e = {0};

	memcpy(rules, builtin_rules, n_builtin_rules * sizeof(*rules));
	for (size_t i = 0; i < n_builtin_rules; i++)
		rules[i].enabled = true;
	tempdb_open(&t, NOW);
	if (tz_open("Asia/Hong_Kong", &tz, &e))
		fail_msg("%s", e.msg);
	grants[0] = grant_line(
		"trc", "2 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a");
	settings = (struct settings){.tz = tz,
		.currency = "USD",
		.grants = grants,
		.n_grants = 1,
		.prices = prices,
		.n_prices = 1,
		.rules = rules,
		.n_rules = n_builtin_rules};
	return 0;
}

static int close_world(void **state)
{
	tempdb_close(&t);
	tz_free(tz);
	arena_done(&a);
	return 0;
}

static void put(const char *kind, const char *location, const char *name, const char *type,
	const char *state, int64_t started)
{
	char sql[2048], region[64];

	snprintf(region, sizeof(region), "%s", location);
	*strrchr(region, '-') = '\0';
	snprintf(sql, sizeof(sql),
		"INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, name, state, raw_state, type, provisioning, labels, created, "
		"first_seen, last_seen, complete) VALUES ('p/%1$s/%2$s/%3$s', '77', "
		"'%1$s', '%1$s', 'p', '%2$s', '%2$s', '%4$s', '%3$s', '%5$s', '%5$s', "
		"'%6$s', 'on-demand', '{}', %7$lld, %7$lld, %8$lld, 1);INSERT INTO "
		"resource_interval (id, uid, starts, kind, project, location, name, state, "
		"type, provisioning, created) VALUES ('p/%1$s/%2$s/%3$s', '77', %7$lld, "
		"'%1$s', 'p', '%2$s', '%3$s', '%5$s', '%6$s', 'on-demand', %7$lld)",
		kind, location, name, region, state, type, (long long)started,
		(long long)NOW);
	tempdb_exec(&t, sql);
}

/* One row of the bill: an hour of `resource` in a zone of us-central1. */
static void bill(int64_t hour, const char *sku, const char *resource, const char *global,
	const char *currency, int64_t rate, int64_t cost, int64_t promo)
{
	tempdb_execf(&t,
		"INSERT OR IGNORE INTO billing_table (table_id, name, location, "
		"last_modified_ms, row_count, looked) VALUES (1, 'p.d.t', 'US', 0, 0, "
		"%lld);INSERT OR IGNORE INTO billing_unit (table_id, unit, row_count, "
		"exported, ingested) VALUES (1, %lld, 1, %lld, %lld);INSERT OR IGNORE INTO "
		"sku (service_id, service, sku_id, sku) VALUES "
		"('" GCE "', 'Compute Engine', 'ID-%s', '%s');"
		"INSERT OR IGNORE INTO billed_project (project, number, account) VALUES "
		"('p', '1', 'A');INSERT OR IGNORE INTO place (location, region, zone) "
		"VALUES ('us-central1-b', 'us-central1', 'us-central1-b');INSERT OR IGNORE "
		"INTO billed_resource (resource, global_name) VALUES ('%s', '%s');INSERT "
		"OR IGNORE INTO charge (invoice_month, cost_type, currency, usage_unit, "
		"rate) VALUES ('202611', 'regular', '%s', 'hour', %lld);",
		(long long)NOW, (long long)(hour / DAY_SECONDS), (long long)(hour + 7200),
		(long long)(NOW - 600), sku, sku, resource, global, currency,
		(long long)rate);
	tempdb_execf(&t,
		"INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, place_ref, "
		"resource_ref, charge_ref, credit_ref, usage, cost, credits, row_count) "
		"SELECT 1, %lld, %lld, s.sku_ref, p.project_ref, "
		"l.place_ref, r.resource_ref, c.charge_ref, k.n, CASE k.n WHEN 0 THEN "
		"1000000000 ELSE 0 END, CASE k.n WHEN 0 THEN %lld ELSE 0 END, CASE k.n "
		"WHEN 0 THEN 0 ELSE %lld END, 1 - k.n FROM sku s, billed_project p, place "
		"l, billed_resource r, charge c, (SELECT 0 AS n UNION ALL SELECT 1) k "
		"WHERE s.sku = '%s' AND r.resource = '%s' AND r.global_name = '%s' AND "
		"c.currency = '%s' AND c.rate = %lld AND (k.n = 0 OR %lld <> 0);INSERT OR "
		"IGNORE INTO billing_day (table_id, unit, account, day) VALUES (1, %lld, "
		"'A', %lld)",
		(long long)(hour / DAY_SECONDS), (long long)hour, (long long)cost,
		(long long)promo, sku, resource, global, currency, (long long)rate,
		(long long)promo, (long long)(hour / DAY_SECONDS),
		(long long)(hour / DAY_SECONDS));
}

static void derive_now(void)
{
	struct derive_opts o = {
		.settings = &settings, .now = NOW, .since = TS_NONE, .until = TS_NONE};
	struct err e = {0};
	struct db_tx tx = {0};

	if (db_begin(t.db, &tx, &e) || rollup_all(t.db, tz, &e) ||
		derive_begin(t.db, &o, &e) || db_derived_all(t.db, NULL, &e) ||
		db_commit(&tx, &e))
		fail_msg("%s", e.msg);
}

static enum err_code try(const char *word, const char *second, struct err *e)
{
	const char *words[] = {word, second};

	memset(e, 0, sizeof(*e));
	x = (struct explaining){.db = t.db,
		.settings = &settings,
		.now = NOW,
		.config = "lab.yaml",
		.a = &a};
	return explain(&x, words, second ? 2 : 1, e);
}

static void why(const char *word)
{
	struct err e;

	if (try(word, NULL, &e))
		fail_msg("%s: %s", word, e.msg);
}

/* The nth row of that label as "value unit | formula | source". */
static const char *nth(const char *label, size_t n)
{
	for (size_t i = 0; i < x.n_rows; i++) {
		const struct explain_row *r = &x.rows[i];
		char num[NANOS_BUF];

		if (strcmp(r->label, label) != 0 || n--)
			continue;
		return arena_printf(&a, "%s%s%s | %s | %s",
			r->kind == EXPLAIN_NANOS             ? nanos_format(r->nanos, num)
				: r->kind == EXPLAIN_UNKNOWN ? "unknown"
				: r->kind == EXPLAIN_TIME    ? rfc3339_format(r->at, num)
							     : r->text,
			r->unit ? " " : "", r->unit ? r->unit : "",
			r->formula ? r->formula : "-", r->source ? r->source : "-");
	}
	return "(no row)";
}

#define SAYS(label, want) assert_string_equal(nth((label), 0), (want))

static const char *text(void)
{
	struct sbuf b = SBUF_INIT;
	const char *s;

	explain_text(&x, 80, &b);
	s = arena_strdup(&a, b.s);
	sbuf_done(&b);
	return s;
}

/* ---- TPUs ---------------------------------------------------------------------------------- */

static void a_full_grant_names_the_older_tpus_that_have_the_room(void **state)
{
	put("tpu", "europe-west4-a", "first", "v3-8", "running", NOW - 5 * HOUR);
	put("tpu", "europe-west4-a", "second", "v3-8", "running", NOW - 4 * HOUR);
	put("tpu", "europe-west4-a", "third", "v3-8", "running", NOW - 3 * HOUR);
	put("tpu", "us-central1-a", "elsewhere", "v3-8", "running", NOW - 6 * HOUR);
	derive_now();
	why("third");
	SAYS("why", "over-capacity | - | -");
	/* 3 hours of 8.80 */
	SAYS("gross of 24 h",
		"26.4 USD | its history in that time x current list price | inventory "
		"history");
	SAYS("net of 24 h", "26.4 USD | - | -");
	SAYS("2026-11-20T21:00:00Z", "running until now, v3-8 | - | inventory history");
	SAYS("net", "8.8 USD/h | gross | -");
	SAYS("grant trc",
		"2 on-demand v3-8 devices in europe-west4-a: 8 of 8 chips used, 0 free | - "
		"| lab.yaml");
	SAYS("capacity is used by",
		"p/tpu/europe-west4-a/first (v3-8, 4 chips, created 2026-11-20T19:00:00Z, "
		"grant trc) | - | -");
	assert_string_equal(nth("capacity is used by", 1),
		"p/tpu/europe-west4-a/second (v3-8, 4 chips, created "
		"2026-11-20T20:00:00Z, grant trc) | - | -");
	assert_string_equal(nth("capacity is used by", 2), "(no row)");
	/* nothing was judged yet, and the rule holds all the same */
	assert_non_null(strstr(nth("tpu-not-covered", 0), "is not covered by a grant"));
	why("first");
	SAYS("tpu-not-covered", "(no row)");
	SAYS("net", "0 USD/h | paid by the grant | -");
	why("grant:trc");
	SAYS("used now", "8 chips | - | -");
	/* (5 h + 4 h) x 4 chips; 8.80 each hour */
	SAYS("covered so far",
		"36 chip-hours | 129600 chip-seconds / 3600 | inventory history");
	SAYS("saved so far", "79.2 USD | covered time x today's list price | -");
	SAYS("list value on the bill", "(no row)");
	/* days that it covered completely, in its place; free on the bill, with a list cost */
	tempdb_exec(&t,
		"INSERT INTO reconcile_part (day, family, location, covered, uncovered, "
		"skus, "
		"cost, credits, promo, list_cost, currency, status, verdict, text) VALUES "
		"('2026-11-18', 'v3', 'europe-west4', 5, 0, 1, 0, 0, 0, 70400000001, "
		"'USD', "
		"'settled', 'ok', ''), ('2026-11-19', 'v3', 'europe-west4-a', 5, 0, 1, "
		"1000000000, -1000000000, 0, 1000000000, 'USD', 'settled', 'ok', ''), "
		"('2026-11-19', 'v3', 'europe-west4-a', 5, 1, 1, 0, 0, 0, 9000000000, "
		"'USD', "
		"'settled', 'ok', ''), ('2026-11-19', 'v3', 'us-east1-d', 5, 0, 1, 0, 0, "
		"0, "
		"9000000000, 'USD', 'settled', 'ok', '')");
	why("grant:trc");
	SAYS("list value on the bill",
		"71.400000001 USD | 2 days that it covered, 2026-11-18 to 2026-11-19 | "
		"billing");
	SAYS("p/tpu/europe-west4-a/first", "8.8 USD/h | v3-8, 4 chips | -");
	/* both, 2 x 8.80 */
	SAYS("together", "17.6 USD/h | TPUs: 2 | -");
	SAYS("commands", "run: tpucost grant plan trc | - | -");
	why("second");
	SAYS("covered until the end of trc", "2026-11-24T00:00:00Z | - | -");
	SAYS("then",
		"not covered: the grant of v3-8 in europe-west4-a (trc) ends "
		"2026-11-24 08:00, in 3 days | - | -");
}

/* Another grant pays for it, until an older TPU needs the room there. */
static void the_end_of_another_grant_is_named_as_that(void **state)
{
	struct grant both[] = {
		grant_line("short",
			"1 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a"),
		grant_line("long",
			"2 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a")};

	both[1].until += 30 * DAY_SECONDS;
	settings.grants = both;
	settings.n_grants = 2;
	put("tpu", "europe-west4-a", "old", "v3-8", "running", NOW - 9 * HOUR);
	put("tpu", "europe-west4-a", "young", "v3-8", "running", NOW - 2 * HOUR);
	put("tpu", "europe-west4-a", "new", "v3-8", "running", NOW - HOUR);
	derive_now();
	why("new");
	SAYS("grant", "long | - | -");
	SAYS("short pays until", "(no row)");
	SAYS("covered until the end of short", "2026-11-24T00:00:00Z | - | -");
}

static void a_grant_of_another_project_is_named_as_that(void **state)
{
	static const char line[] =
		"2 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a";
	struct grant both[] = {grant_line("theirs", line), grant_line("ours", line)};

	both[0].project = "q";
	both[1].project = "p";
	settings.grants = both;
	settings.n_grants = 2;
	put("tpu", "europe-west4-a", "old", "v3-8", "running", NOW - 2 * HOUR);
	put("tpu", "europe-west4-a", "young", "v3-8", "running", NOW - HOUR);
	tempdb_exec(&t,
		"UPDATE resource SET project = 'q', id = 'q' || substr(id, 2) "
		"WHERE name = 'old';"
		"UPDATE resource_interval SET project = 'q', id = 'q' || substr(id, 2) "
		"WHERE name = 'old'");
	derive_now();
	why("young");
	SAYS("grant theirs",
		"2 on-demand v3-8 devices in europe-west4-a: 4 of 8 chips used, 4 free, "
		"only for project q | - | lab.yaml");
	SAYS("grant ours",
		"2 on-demand v3-8 devices in europe-west4-a: 4 of 8 chips used, 4 free | - "
		"| lab.yaml");
	SAYS("capacity is used by", "(no row)");
}

/* TPUs need not be created again for a renewal. */
static void a_renewal_covers_tpus_since_the_first_grant(void **state)
{
	static const char line[] =
		"5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a";
	struct grant both[] = {grant_line("first", line), grant_line("next", line)};
	char since[RFC3339_BUF], want[80];

	both[0].starts -= 30 * DAY_SECONDS;
	both[0].until = both[1].starts;
	both[1].extends = "first";
	settings.grants = both;
	settings.n_grants = 2;
	derive_now();
	why("grant:next");
	snprintf(want, sizeof(want), "%s | - | -", rfc3339_format(both[0].starts, since));
	SAYS("TPUs created since", want);
	both[0].new_only = false;
	why("grant:next");
	SAYS("covers TPUs", "regardless of their creation | - | -");
}

static void tpus_that_are_not_listed_are_counted(void **state)
{
	struct grant many = grant_line(
		"trc", "60 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a");
	char name[16];

	settings.grants = &many;
	for (int i = 0; i < 52; i++) {
		snprintf(name, sizeof(name), "t%02d", i);
		put("tpu", "europe-west4-a", name, "v3-8", "running", NOW - HOUR);
	}
	derive_now();
	why("grant:trc");
	SAYS("p/tpu/europe-west4-a/t49", "8.8 USD/h | v3-8, 4 chips | -");
	SAYS("p/tpu/europe-west4-a/t50", "(no row)");
	SAYS("more", "2 more; run: tpucost coverage | - | -");
}

/* ---- where prices are from ------------------------------------------------------------------ */

static void a_price_of_the_configuration_names_the_file(void **state)
{
	put("tpu", "us-central2-b", "pod", "v4-16", "running", NOW - HOUR);
	derive_now();
	why("pod");
	/* 8 x 3.22 */
	SAYS("TPU v4", "25.76 USD/h | 8 chips x 3.22 USD | config lab.yaml");
	SAYS("gross", "25.76 USD/h | - | config");
}

static void a_billed_price_names_its_sku(void **state)
{
	tempdb_exec(&t,
		"INSERT INTO billed_price (service_id, sku_id, currency, unit, price, "
		"hour) VALUES ('" GCE "', 'C1', 'USD', 'hour', 20000000, "
		"1795132800), ('" GCE
		"', 'R1', 'USD', 'gibibyte hour', 3000000, 1795132800);"
		"INSERT INTO billed_region (service_id, sku_id, region) VALUES "
		"('" GCE "', 'C1', 'us-central1'), ('" GCE "', 'R1', 'us-central1');"
		"INSERT INTO sku (service_id, service, sku_id, sku) VALUES ('" GCE
		"', 'S', 'C1', 'N1 Predefined Instance Core running in Americas'), ('" GCE
		"', 'S', 'R1', 'N1 Predefined Instance Ram running in Americas')");
	put("vm", "us-central1-b", "big", "n1-highmem-96", "running", NOW - HOUR);
	derive_now();
	why("big");
	/* 96 x 0.02, 624 x 0.003 */
	SAYS("vCPUs n1", "1.92 USD/h | 96 vCPU x 0.02 USD | billed SKU C1 of 2026-11-20");
	SAYS("memory n1",
		"1.872 USD/h | 624 GiB x 0.003 USD | billed SKU R1 of 2026-11-20");
	SAYS("gross", "3.792 USD/h | the sum | billed");
}

static void a_listed_price_names_its_sku(void **state)
{
	tempdb_exec(&t,
		"INSERT INTO list_price VALUES ('" GCE
		"', 'D1', 'us-central1', 'SSD backed PD Capacity', '', '', 'OnDemand', "
		"'GiBy.mo', 'USD', 200000000, NULL, 1795132800)");
	put("disk", "us-central1-b", "data", "pd-ssd", "attached", NOW - HOUR);
	tempdb_exec(&t, "UPDATE resource SET size_gib = 73");
	derive_now();
	why("data");
	/* 73 x 0.20 / 730 */
	SAYS("disk pd-ssd",
		"0.02 USD/h | 73 GiB x 0.2 USD / 730 h | catalog SKU D1 of 2026-11-20");
}

static void sustained_use_is_an_estimate_beside_the_price(void **state)
{
	char want[NANOS_BUF];

	put("vm", "us-central1-b", "long", "n1-standard-8", "running",
		NOW - 19 * DAY_SECONDS);
	derive_now();
	why("long");
	nanos_format(tempdb_int(&t, "SELECT sustained_use FROM verdict"), want);
	assert_int_equal(*want, '-');
	SAYS("reduces gross",
		arena_printf(&a,
			"%s USD/h | depends on its running hours this month, in Pacific "
			"time | -",
			want));
	/* 8 x 0.031611 + 30 x 0.004237 */
	SAYS("gross", "0.379998 USD/h | the sum | builtin");
}

static void surcharges_and_bytes_are_in_the_formula(void **state)
{
	put("vm", "us-central1-b", "odd", "n2-custom-8-16384", "running", NOW - HOUR);
	put("snapshot", "us-central1-b", "snap", "standard", "running", NOW - HOUR);
	tempdb_exec(&t,
		"UPDATE resource SET location = 'us-central1', zone = NULL, "
		"bytes = 10737418240 WHERE name = 'snap'");
	derive_now();
	why("odd");
	assert_true(str_starts(strstr(nth("vCPUs n2", 0), " | "), " | 8 vCPU x 105 % x "));
	why("snap");
	assert_true(
		str_starts(strstr(nth("snapshot", 0), " | "), " | 10737418240 bytes x "));
	assert_non_null(strstr(nth("snapshot", 0), " USD / 2^30 / 730 h | builtin of 20"));
}

static void a_price_that_nobody_knows_says_so(void **state)
{
	put("vm", "us-central1-b", "new", "z9-ultra-8", "running", NOW - HOUR);
	put("vm", "us-central1-b", "asleep", "n1-standard-1", "suspended", NOW - HOUR);
	derive_now();
	why("new");
	SAYS("gross", "unknown | - | unknown");
	SAYS("note",
		"no price list has all its parts: z9-ultra-8 in us-central1-b; see prices: "
		"in the configuration | - | -");
	why("asleep");
	SAYS("gross", "unknown | - | unknown");
	assert_true(str_starts(nth("note", 0), "a suspended machine is charged"));
	why("burn");
	SAYS("p/vm/us-central1-b/new (cpu)", "unknown | - | -");
	tempdb_exec(&t, "UPDATE resource SET provisioning = 'reserved'");
	derive_now();
	why("new");
	SAYS("gross", "unknown | - | unknown");
	assert_true(str_starts(nth("note", 0), "its price is that of its reservation"));
	tempdb_exec(&t, "UPDATE resource SET provisioning = 'unknown'");
	derive_now();
	why("new");
	assert_true(str_starts(nth("note", 0), "its class is unknown: Google does not"));
}

static void an_end_is_shown_with_what_happens_then(void **state)
{
	put("vm", "us-central1-b", "m", "n1-standard-1", "running", NOW - HOUR);
	tempdb_execf(&t, "UPDATE resource SET ends = %lld, end_action = 'stop'",
		(long long)NOW + HOUR);
	derive_now();
	why("m");
	assert_true(str_starts(nth("ends by itself", 0), "2026-11-21T01:00:00Z"));
	SAYS("at its end", "stopped; its disks are still charged | - | -");
	tempdb_exec(&t, "UPDATE resource SET end_action = 'delete'");
	derive_now();
	why("m");
	SAYS("at its end", "deleted | - | -");
	tempdb_execf(&t, "UPDATE resource SET ends = %lld", (long long)NOW - HOUR);
	derive_now();
	why("m");
	SAYS("at its end", "(no row)");
}

/* ---- what was seen -------------------------------------------------------------------------- */

static void what_did_not_answer_says_so(void **state)
{
	put("vm", "us-central1-b", "big", "n1-standard-1", "running", NOW - HOUR);
	tempdb_exec(&t,
		"UPDATE resource SET complete = 0;INSERT INTO source_status (source, "
		"project, state, last_attempt, last_success, items, error, fix, failures, "
		"poll_group) VALUES ('vm', 'p', 'partial', 1795219140, 1795212000, 1, 'no "
		"answer', 'try again', 3, 'instances'); INSERT INTO source_gap VALUES "
		"('vm', 'p', 'us-central1-b', 1795212000)");
	derive_now();
	why("big");
	SAYS("not current",
		"not read in the last poll: these are older values | "
		"- | -");
	SAYS("state", "running (Google says running) | - | vm");
	for (size_t i = 0; i < x.n_rows; i++)
		if (!strcmp(x.rows[i].label, "state"))
			assert_int_equal(x.rows[i].age.v, 7200);
	why("source:vm");
	SAYS("error", "no answer | - | -");
	SAYS("fix", "try again | - | -");
	SAYS("consecutive failures", "3 | - | -");
	SAYS("silent: us-central1-b", "(no row)");
}

static void signals_have_their_age_and_idleness_its_basis(void **state)
{
	put("vm", "us-central1-b", "big", "n1-standard-1", "running", NOW - 10 * HOUR);
	tempdb_exec(&t,
		"INSERT INTO metric (project, metric, subject, at, value, idle_since, "
		"series) VALUES ('p', 'compute.googleapis.com/instance/cpu/utilization', "
		"'77', 1795218960, 4000000, 1795208400, 1)");
	derive_now();
	why("big");
	/* since 21:00 */
	SAYS("idle", "180 minutes at least | - | -");
	SAYS("by", "cpu | - | -");
	SAYS("compute.googleapis.com/instance/cpu/utilization",
		"0.004 | newest of 1 series | metric");
	SAYS("  idle since", "2026-11-20T21:00:00Z | - | -");
}

/* ---- the bill ------------------------------------------------------------------------------- */

static void lines_of_a_machine_are_not_those_of_a_disk_of_its_name(void **state)
{
	put("vm", "us-central1-b", "big", "n1-standard-1", "running", NOW - HOUR);
	put("disk", "us-central1-b", "big", "pd-ssd", "attached", NOW - HOUR);
	put("vm", "us-central1-b", "bigger", "n1-standard-1", "running", NOW - HOUR);
	bill(NOW - 5 * HOUR, "N1 Predefined Instance Core running in Americas", "big", "",
		"USD", NANOS, 3000000000, -1000000000);
	bill(NOW - 5 * HOUR, "SSD backed PD Capacity", "big", "", "USD", NANOS, 500000000,
		0);
	bill(NOW - 4 * HOUR, "Network Internet Data Transfer Out", "",
		"//compute.googleapis.com/projects/1/zones/us-central1-b/instances/77",
		"USD", NANOS, 250000000, 0);
	bill(NOW - 4 * HOUR, "N1 Predefined Instance Core running in Americas",
		"projects/p/zones/us-central1-b/instances/bigger", "", "USD", NANOS,
		9000000000, 0);
	derive_now();
	why("p/vm/us-central1-b/big");
	SAYS("N1 Predefined Instance Core running in Americas",
		"2 USD | 2026-11-21 to 2026-11-21: 3 USD and credits of -1 USD | billing, "
		"SKU ID-N1 Predefined Instance Core running in Americas");
	assert_true(str_starts(nth("Network Internet Data Transfer Out", 0), "0.25 USD"));
	SAYS("SSD backed PD Capacity", "(no row)");
	why("p/disk/us-central1-b/big");
	assert_true(str_starts(nth("SSD backed PD Capacity", 0), "0.5 USD"));
	SAYS("N1 Predefined Instance Core running in Americas", "(no row)");
	why("bigger");
	assert_true(str_starts(
		nth("N1 Predefined Instance Core running in Americas", 0), "9 USD"));
}

static void currencies_of_a_day_stay_apart_and_changes_are_told(void **state)
{
	/* 20 November in Hong Kong ends at 16:00Z */
	bill(NOW - 12 * HOUR, "One", "", "", "USD", NANOS, 3000000000, 0);
	bill(NOW - 12 * HOUR, "Two", "", "", "HKD", 7800000000, 5000000000, -2000000000);
	bill(NOW - 8 * HOUR, "Of the next day", "", "", "USD", NANOS, 1000000000, 0);
	tempdb_exec(&t,
		"INSERT INTO restatement VALUES (1795200000, '2026-11-20', '202611', "
		"'USD', 'p.d.t', 2000000000, 0, 2500000000, -500000000), (1795200001, "
		"'2026-11-20', '202612', 'USD', 'p.d.t', 0, 0, 500000000, 0)");
	derive_now();
	why("cost:2026-11-20");
	SAYS("begins", "2026-11-19T16:00:00Z | - | -");
	SAYS("net", "3 HKD | 5 HKD and credits of -2 HKD | -");
	assert_string_equal(nth("net", 1), "3 USD | - | -");
	SAYS("PROMOTION", "-2 HKD | - | promotional credit");
	SAYS("One", "3 USD | 1 hour | Compute Engine, SKU ID-One");
	SAYS("Of the next day", "(no row)");
	SAYS("2026-11-20T18:40:01Z", "3 USD | 2026-11-20: was 2.5 USD, now | p.d.t");
	SAYS("known of A until", "(no row)");
	SAYS("settled from", "2026-11-23T16:00:00Z | - | -");
	SAYS("so it is", "(no row)");
	SAYS("p.d.t",
		"export, partitions: 1, newest row exported 2026-11-20T14:00:00Z | - | "
		"billing");
	why("2026-11");
	assert_string_equal(nth("net", 1), "4 USD | - | -");
	SAYS("status",
		"open: Google adds usage until about 2026-12-05 | - | -"); /* as in the report */
	SAYS("2026-11-21", "1 USD | - | partial");
}

static void a_coupon_is_used_up_at_the_rate_of_the_export(void **state)
{
	static const struct credit credits[] = {{.name = "trial",
		.amount = {.nanos = INT64_C(300000000000), .cur = "USD"},
		.starts = NOW - 30 * DAY_SECONDS,
		.expires = NOW + 30 * DAY_SECONDS}};

	settings.credits = credits;
	settings.n_credits = 1;
	bill(NOW - 5 * HOUR, "One", "", "", "HKD", 7750000000, INT64_C(800000000000),
		INT64_C(-775000000000));
	derive_now();
	why("trial");
	SAYS("used", "100 USD | promotion credits on the bill since it began | billing");
	SAYS("left", "200 USD | 300 USD - 100 USD | -");
	SAYS("202611", "-775 HKD | - | billing");
	SAYS("converted", "100 USD | 775 HKD / 7.75 | rate of the export");
	/* nothing was polled */
	SAYS("net burn now",
		"unknown USD/h | running resources have not been read completely yet | -");
	SAYS("unbilled",
		"unknown USD | of what ran since the newest usage on the bill; at most 14 "
		"days | -");
	SAYS("runs out", "unknown | - | -");
	SAYS("safe to spend per day",
		"6.666666667 USD | at most: unbilled use is not known | -");
	why("burn");
	SAYS("together", "unknown: no poll of the resources was complete | - | -");
	put("tpu", "us-central1-a", "paid", "v3-8", "running", NOW - HOUR);
	derive_now();
	why("trial");
	/* for an hour already: (200 - 8) / 8 = 24 h */
	SAYS("net burn now", "8 USD/h | - | -");
	SAYS("unbilled",
		"8 USD | of what ran since the newest usage on the bill; at "
		"most 14 days | -");
	SAYS("runs out", "2026-11-22T00:00:00Z | - | -");
	/* (200 - 8) / 30 */
	SAYS("safe to spend per day", "6.4 USD | - | -");
}

/* ---- budgets -------------------------------------------------------------------------------- */

static void each_figure_of_a_budget_is_made_of_the_ones_before(void **state)
{
	static const struct budget budgets[] = {{.name = "day",
							.amount = {100000000000, "USD"},
							.per = BUDGET_DAY,
							.alert_at = {{10, 50}, 2}},
		{.name = "it's", .amount = {100000000000, "USD"}, .per = BUDGET_DAY},
		{.name = "broken",
			.amount = {1000000000, "USD"},
			.per = BUDGET_DAY,
			.where = "nope = 1"}};

	settings.budgets = budgets;
	settings.n_budgets = ARRAY_LEN(budgets);
	/* The day began at 16:00Z; billed until 18:00Z; one TPU at 8.00 an hour: 6 h x 8
	 * are not billed yet. */
	put("tpu", "us-central1-a", "paid", "v3-8", "running", NOW - 20 * HOUR);
	bill(NOW - 7 * HOUR, "TPU", "", "", "USD", NANOS, 5000000000, -1000000000);
	bill(NOW - 12 * HOUR, "Of yesterday", "", "", "USD", NANOS, 7000000000, 0);
	derive_now();
	why("budget:day");
	SAYS("begins", "2026-11-20T16:00:00Z | - | -");
	SAYS("counts", "net cost, all costs | - | -");
	SAYS("alerts at", "10 %, 50 % | - | -");
	SAYS("spent", "4 USD | the sum | billing");
	assert_string_equal(nth("p", 1), "48 USD | since 2026-11-20T18:00:00Z | -");
	assert_string_equal(nth("p/tpu/us-central1-a/paid (tpu)", 0),
		"48 USD | 8 USD/h x 21600 s / 3600 from 2026-11-20T18:00:00Z | -");
	SAYS("unbilled",
		"48 USD | the sum, of rates in the currency of the budget; rounded at the "
		"end | -");
	SAYS("expected", "52 USD | 4 USD + 48 USD | -");
	SAYS("percent", "52 % of the amount | - | -");
	SAYS("threshold reached", "50 % | - | -");
	/* 16 hours are left: 52 + 128 */
	SAYS("forecast", "180 USD | 52 USD + 8 USD/h x 57600 s / 3600 | -");
	SAYS("forecast percent", "180 % of the amount | - | -");
	/* 48 left / 8 an hour = 6 h */
	SAYS("runs out", "2026-11-21T06:00:00Z | - | -");
	assert_string_equal(nth("p/tpu/us-central1-a/paid (tpu)", 1),
		"8 USD/h | - | recommended: stop it");
	SAYS("2026-11-21", "4 USD | 5 USD and credits of -1 USD | partial");
	SAYS("2026-11-20", "(no row)");
	why("budget:it's");
	assert_string_equal(nth("p/tpu/us-central1-a/paid (tpu)", 0),
		"48 USD | 8 USD/h x 21600 s / 3600 from 2026-11-20T18:00:00Z | -");
	why("budget:broken");
	SAYS("spent", "unknown USD | - | billing");
	SAYS("forecast", "unknown USD | - | -");
	assert_non_null(strstr(nth("based on", 0), "nope"));
	/* 6 of the 16 hours are after its end */
	tempdb_execf(&t, "UPDATE resource SET ends = %lld", (long long)NOW + 10 * HOUR);
	derive_now();
	why("budget:day");
	SAYS("forecast",
		"132 USD | 52 USD + 8 USD/h x 57600 s / 3600 - 48 USD of what ends by "
		"itself "
		"before | -");
	assert_string_equal(nth("p/tpu/us-central1-a/paid (tpu)", 1),
		"8 USD/h | until 2026-11-21T10:00:00Z | recommended: stop it");
}

static void only_the_condition_of_a_budget_may_fail(void **state)
{
	static const struct budget budgets[] = {
		{.name = "all", .amount = {NANOS, "USD"}, .per = BUDGET_DAY},
		{.name = "some",
			.amount = {NANOS, "USD"},
			.per = BUDGET_DAY,
			.where = "project = 'p'"}};
	struct err e;

	settings.budgets = budgets;
	settings.n_budgets = ARRAY_LEN(budgets);
	bill(NOW - 7 * HOUR, "One", "", "", "USD", NANOS, INT64_MAX / 2, 0);
	bill(NOW - 6 * HOUR, "Other", "", "", "USD", NANOS, INT64_MAX / 2, 0);
	bill(NOW - 5 * HOUR, "Third", "", "", "USD", NANOS, INT64_MAX / 2, 0);
	derive_now();
	assert_int_equal(try("budget:all", NULL, &e), E_LIMIT);
	assert_string_equal(e.msg,
		"SQL: a sum is too large (at most 9.2e18 for integers, 9.2 billion for "
		"amounts)");
	why("budget:some");
	SAYS("spent", "unknown USD | - | billing");
}

/* ---- any world ------------------------------------------------------------------------------ */

static uint64_t seed = 20261121;

static unsigned pick(unsigned n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 33) % n;
}

static void check_width(const char *s, size_t width);

/* The terms of a price, each rounded by itself, are the gross of the view to a nano-unit each. */
static void terms_add_up_whatever_it_is(void **state)
{
	static const char *const kinds[] = {"vm", "vm", "tpu", "disk"};
	static const char *const types[][5] = {
		{"n1-standard-8", "e2-micro", "n2-custom-8-16384", "a2-highgpu-1g",
			"zzz-9"},
		{"custom-4-5120", "n1-highcpu-2", "m1-ultramem-40", "e2-medium",
			"n1-custom-2-13312-ext"},
		{"v2-8", "v3-32", "v4-16", "v5litepod-4", "v9-8"},
		{"pd-ssd", "pd-standard", "pd-balanced", "pd-extreme",
			"hyperdisk-balanced"},
	};
	static const char *const zones[] = {
		"us-central1-b", "europe-west4-a", "asia-east1-c", "us-central2-b"};
	static const char *const states[] = {"running", "stopped", "suspended", "unknown"};
	size_t known = 0;

	for (int i = 0; i < 200; i++) {
		unsigned kind = pick(ARRAY_LEN(kinds));
		char name[16];

		snprintf(name, sizeof(name), "n%d", i);
		put(kinds[kind], zones[pick(ARRAY_LEN(zones))], name, types[kind][pick(5)],
			states[pick(2) ? 0 : pick(ARRAY_LEN(states))], NOW - pick(1000000));
		tempdb_execf(&t,
			"UPDATE resource SET size_gib = %u, provisioning = '%s', gpu_type "
			"= %s, gpu_count = %u WHERE name = '%s'",
			pick(5000), pick(3) ? "on-demand" : "spot",
			pick(4) ? "NULL" : "'nvidia-tesla-v100'", pick(4), name);
	}
	derive_now();
	for (int i = 0; i < 200; i++) {
		char name[24], sql[128];
		int64_t sum = 0, terms = 0, gross;

		snprintf(name, sizeof(name), "resource:n%d", i);
		why(name);
		for (size_t k = 0; k < x.n_rows; k++) {
			if (str_starts(x.rows[k].section, "Gross") &&
				x.rows[k].kind == EXPLAIN_NANOS &&
				strcmp(x.rows[k].label, "gross") != 0) {
				sum += x.rows[k].nanos;
				terms++;
			}
		}
		snprintf(sql, sizeof(sql),
			"SELECT COALESCE(gross, -1) FROM verdict WHERE id = '%s'", x.title);
		gross = tempdb_int(&t, sql);
		if (gross >= 0 && (sum - gross > terms || gross - sum > terms))
			fail_msg("%s: %lld of %lld", x.title, (long long)sum,
				(long long)gross);
		known += gross > 0;
		check_width(text(), 80);
	}
	assert_in_range(known, 40, 190);
}

/* ---- quotas --------------------------------------------------------------------------------- */

static void a_quota_is_no_grant(void **state)
{
	tempdb_put_quota(&t,
		(struct q_quota_put_in){.service = "compute.googleapis.com",
			.metric = "CPUS",
			.location = "us-central1",
			.limit_value = SOME(24),
			.is_default = SOME(0),
			.used = SOME(8),
			.seen = 1795219140});
	tempdb_put_quota(&t,
		(struct q_quota_put_in){.service = "compute.googleapis.com",
			.metric = "IMAGES",
			.location = "global",
			.limit_value = SOME(-1),
			.is_default = SOME(1),
			.seen = 1795219140});
	derive_now();
	why("quota:CPUS");
	SAYS("limit", "24 | - | quota");
	SAYS("used", "8 | - | -");
	SAYS("origin", "granted to this project | - | -");
	SAYS("no grant", "(no row)");
	why("quota:p/global/IMAGES");
	SAYS("limit", "none | - | quota");
	SAYS("used", "unknown | - | -");
}

/* ---- names ---------------------------------------------------------------------------------- */

static void names_that_say_too_little_are_listed_up_to_a_cap(void **state)
{
	struct err e;

	tempdb_exec(&t,
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
		"300) INSERT INTO resource (id, uid, source, kind, project, location, "
		"name, state, raw_state, type, labels, first_seen, last_seen, complete) "
		"SELECT 'p/disk/z/node-' || i, '1', 'disk', 'disk', 'p', 'z', 'node-' || "
		"i, 'running', 'READY', 'pd-ssd', '{}', 0, 0, 1 FROM n");
	derive_now();
	assert_int_equal(try("node", NULL, &e), E_USAGE);
	assert_string_equal(e.msg,
		"'node' is ambiguous (300 matches): p/disk/z/node-1, p/disk/z/node-10, "
		"p/disk/z/node-100, p/disk/z/node-101, p/disk/z/node-102, ...");
	assert_string_equal(e.fix, "type a longer name");
	/* a whole name is no part of others */
	why("node-30");
	assert_string_equal(x.title, "p/disk/z/node-30");
	assert_int_equal(try("nodee-30", NULL, &e), E_USAGE);
	assert_non_null(strstr(e.fix, "did you mean 'node-30'?"));
}

static void kinds_are_told_by_their_word(void **state)
{
	struct err e;

	put("disk", "us-central1-a", "trc", "pd-ssd", "attached", NOW - HOUR);
	put("disk", "us-central1-a", "burn", "pd-ssd", "attached", NOW - HOUR);
	derive_now();
	/* the grant is called so as a whole, the disk's id is not */
	why("trc");
	assert_true(str_starts(x.title, "grant trc"));
	why("resource:trc");
	assert_string_equal(x.title, "p/disk/us-central1-a/trc");
	why("burn");
	assert_true(str_starts(x.title, "burn: "));
	why("resource:burn");
	assert_string_equal(x.title, "p/disk/us-central1-a/burn");
	assert_int_equal(try("grant", "trc", &e), E_OK);
	assert_int_equal(try("cost:2026-13", NULL, &e), E_USAGE);
	assert_int_equal(try("cost:", NULL, &e), E_USAGE);
	assert_int_equal(try("cost:20x6-11-01", NULL, &e), E_USAGE);
	assert_int_equal(try("nonsense:trc", NULL, &e), E_USAGE);
	assert_int_equal(try("", NULL, &e), E_USAGE);
	assert_int_equal(try("\xff\xfe", NULL, &e), E_USAGE);
}

static void a_name_of_a_megabyte_is_refused(void **state)
{
	char *big = arena_alloc(&a, 1 << 20);
	struct err e;

	memset(big, 'x', (1 << 20) - 1);
	assert_int_equal(try(big, NULL, &e), E_USAGE);
	assert_string_equal(e.msg, "why: a name has 1048575 characters");
	assert_int_equal(try("grant", big, &e), E_USAGE);
}

/* ---- text ----------------------------------------------------------------------------------- */

static void check_width(const char *s, size_t width)
{
	while (*s) {
		size_t n = strcspn(s, "\n");
		char *line = arena_strndup(&a, s, n);

		if (utf8_width(line) > width)
			fail_msg("%zu columns: %s", utf8_width(line), line);
		s += n + (s[n] == '\n');
	}
}

static void lines_fit_whatever_is_in_them(void **state)
{
	char name[400];

	put("vm", "us-central1-b", "big", "n1-standard-1", "running", NOW - HOUR);
	memset(name, 'w', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	tempdb_execf(&t,
		"UPDATE resource SET owner = '%s \xe6\x96\x87\xe6\x96\x87', labels = "
		"'{\"a\":\"\x1b[31m\"}', "
		"queued = '\xe6\x96\x87\xe6\x96\x87\xe6\x96\x87'",
		name);
	derive_now();
	why("big");
	check_width(text(), 80);
	assert_null(strchr(text(), '\x1b'));
	assert_non_null(strstr(text(), "\\x1b[31m"));
	assert_non_null(strstr(text(), "\nGross: the list price per hour\n"));
}

UNIT_TESTS()
{
#define T(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
	const struct CMUnitTest tests[] = {
		T(a_full_grant_names_the_older_tpus_that_have_the_room),
		T(tpus_that_are_not_listed_are_counted),
		T(the_end_of_another_grant_is_named_as_that),
		T(a_grant_of_another_project_is_named_as_that),
		T(a_renewal_covers_tpus_since_the_first_grant),
		T(a_price_of_the_configuration_names_the_file),
		T(a_billed_price_names_its_sku),
		T(a_listed_price_names_its_sku),
		T(sustained_use_is_an_estimate_beside_the_price),
		T(surcharges_and_bytes_are_in_the_formula),
		T(a_price_that_nobody_knows_says_so),
		T(an_end_is_shown_with_what_happens_then),
		T(what_did_not_answer_says_so),
		T(signals_have_their_age_and_idleness_its_basis),
		T(lines_of_a_machine_are_not_those_of_a_disk_of_its_name),
		T(currencies_of_a_day_stay_apart_and_changes_are_told),
		T(a_coupon_is_used_up_at_the_rate_of_the_export),
		T(each_figure_of_a_budget_is_made_of_the_ones_before),
		T(only_the_condition_of_a_budget_may_fail),
		T(terms_add_up_whatever_it_is),
		T(a_quota_is_no_grant),
		T(names_that_say_too_little_are_listed_up_to_a_cap),
		T(kinds_are_told_by_their_word),
		T(a_name_of_a_megabyte_is_refused),
		T(lines_fit_whatever_is_in_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

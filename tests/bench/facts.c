/* facts DATABASE ROWS NOW: a database with that many facts of a bill, 520 an hour up to NOW (Unix
 * seconds), of 14 SKUs, 12 projects and 520 resources, each hour of 13 months or so, and with
 * 200 machines and TPUs that run: what a report of a large lab is made of. */
#include "base/time/clock.h"
#include "base/str.h"
#include "db/internal.h"
#include "db/rollup/rollup.h"

#include <stdio.h>
#include <stdlib.h>

#define AN_HOUR 520

noreturn_fn static void die(const struct err *e)
{
	fprintf(stderr, "facts: %s\n", e->msg);
	exit(1);
}

static void run(struct db *db, const char *fmt, ...) printf_like(2, 3);
static void run(struct db *db, const char *fmt, ...)
{
	struct sbuf sql = SBUF_INIT;
	struct err e = {0};

	sbuf_add_args(&sql, fmt);
	if (db_exec(db, sql.s, &e))
		die(&e);
	sbuf_done(&sql);
}

static void fill_names(struct db *db)
{
	run(db,
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
		"14) "
		"INSERT INTO sku (sku_ref, service_id, service, sku_id, sku) SELECT i, "
		"CASE i %% 7 WHEN 0 THEN 'E000-3F24-B8AA' ELSE '6F81-5844-456A' END, "
		"CASE i %% 7 WHEN 0 THEN 'Cloud TPU' ELSE 'Compute Engine' END, 'S' || i, "
		"CASE i %% 7 WHEN 0 THEN 'Tpu-v3 accelerator' WHEN 1 THEN 'SSD backed PD "
		"Capacity' WHEN 2 THEN 'Static Ip Charge' ELSE 'N1 Instance Core' END || ' "
		"' "
		"|| i FROM n");
	run(db,
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
		"12) "
		"INSERT INTO billed_project (project_ref, project, number, account) SELECT "
		"i, "
		"'tpu-lab-' || i, i, '00AA11-22BB33-44CC55' FROM n");
	run(db,
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
		"%d) "
		"INSERT INTO billed_resource (resource_ref, resource, global_name) SELECT "
		"i, 'machine-' || i, '' FROM n",
		AN_HOUR);
	run(db,
		"INSERT INTO place (place_ref, location, region, zone) VALUES (1, "
		"'us-central1', 'us-central1', 'us-central1-b')");
}

/* Each resource has its SKU and project, hour for hour; invoices are by month, eight hours behind
 * UTC. */
static void fill_usage(struct db *db, long long rows, long long now)
{
	long long last = now - now % 3600;

	run(db,
		"WITH RECURSIVE m(at) AS (SELECT date(%lld, 'unixepoch', 'start of month') "
		"UNION ALL SELECT date(at, '-1 month') FROM m WHERE unixepoch(at) > "
		"%lld - %lld / %d * 3600) INSERT INTO charge (invoice_month, cost_type, "
		"currency, usage_unit, rate) SELECT strftime('%%Y%%m', at), 'regular', "
		"'USD', 'hour', 1000000000 FROM m ORDER BY at",
		last, last, rows, AN_HOUR);
	run(db,
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < "
		"%lld - 1), k AS (SELECT i %% %d AS r, %lld - i / %d * 3600 AS hour FROM "
		"n) "
		"INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, place_ref, "
		"resource_ref, charge_ref, credit_ref, usage, cost, credits, row_count) "
		"SELECT 1, hour / 86400, hour, r %% 14 + 1, r %% 12 + 1, 1, r + 1, "
		"charge_ref, "
		"0, 1000000000, 31611000 + r, 0, 1 FROM k JOIN charge ON invoice_month = "
		"strftime('%%Y%%m', hour - 28800, 'unixepoch') ORDER BY hour",
		rows, AN_HOUR, last, AN_HOUR);
	run(db,
		"INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count, looked) VALUES (1, 'p.d.t', 'US', 0, %lld, %lld);"
		"INSERT INTO billing_day SELECT DISTINCT 1, u.unit, p.account, u.hour / "
		"86400 "
		"FROM usage u JOIN billed_project p ON p.project_ref = u.project_ref",
		rows, now);
}

static void fill_things(struct db *db, long long now)
{
	run(db,
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
		"200), "
		"k AS (SELECT i, CASE i %% 4 WHEN 0 THEN 'tpu' WHEN 1 THEN 'disk' ELSE "
		"'vm' "
		"END AS kind FROM n) INSERT INTO resource (id, uid, source, kind, project, "
		"location, zone, region, name, state, raw_state, type, provisioning, "
		"size_gib, "
		"labels, created, state_since, first_seen, last_seen, complete) SELECT "
		"'tpu-lab-' "
		"|| (i %% 12 + 1) || '/' || kind || '/us-central1-b/m-' || i, i, kind, "
		"kind, "
		"'tpu-lab-' || (i %% 12 + 1), 'us-central1-b', 'us-central1-b', "
		"'us-central1', "
		"'m-' || i, 'running', 'RUNNING', CASE kind WHEN 'tpu' THEN 'v3-8' WHEN "
		"'vm' "
		"THEN 'n1-standard-8' ELSE 'pd-ssd' END, 'on-demand', 100, '{}', %lld - i, "
		"%lld - i, 1, %lld, 1 FROM k",
		now - 2000000, now - 2000000, now);
	run(db,
		"INSERT INTO resource_interval (id, uid, starts, kind, project, location, "
		"name, state, type, provisioning, size_gib, created) SELECT id, uid, "
		"created, "
		"kind, project, location, name, state, type, provisioning, size_gib, "
		"created "
		"FROM resource;"
		"WITH s(source) AS (VALUES ('vm'), ('tpu'), ('disk'), ('ip'), ('billing')) "
		"INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items, poll_group, watched_since) SELECT s.source, "
		"p.project, "
		"'ok', %lld, %lld, 1, 'instances', 0 FROM s, billed_project p",
		now, now);
}

int main(int argc, char **argv)
{
	int64_t rows, now;
	struct err e = {0};
	struct db *db;
	struct tz *tz;
	bool rebuilt;

	if (argc != 4 || !str_to_i64(argv[2], 1, 100000000, &rows) ||
		!str_to_i64(argv[3], 86400, INT32_MAX, &now)) {
		fputs("usage: facts DATABASE ROWS NOW\n", stderr);
		return 1;
	}
	if (tz_open("UTC", &tz, &e) ||
		db_open(argv[1], DB_WRITE, clock_system(), &db, &e) ||
		db_keep_rollups(db, &rebuilt, &e))
		die(&e);
	run(db, "BEGIN");
	fill_names(db);
	fill_usage(db, rows, now);
	fill_things(db, now);
	run(db, "INSERT INTO meta (key, value) VALUES ('rollup_timezone', 'UTC')");
	run(db, "COMMIT");
	if (rollup_all(db, tz, &e))
		die(&e);
	db_close(db);
	tz_free(tz);
	return 0;
}

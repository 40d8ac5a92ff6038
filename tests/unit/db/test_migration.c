/* A database of an older tpucost: the figures are what they were, to the nano-unit, whatever
 * happens while it is brought up to date. tests/data/schema1.sql was written by the program
 * of that time. */
#include "base/fs.h"
#include "base/time/tz.h"
#include "collector/bill/sql.h"
#include "collector/bill/store.h"
#include "db/internal.h"
#include "db/rollup/rollup.h"
#include "tests/support/assert.h"
#include "tests/support/fault/faultvfs.h"
#include "tests/support/fingerprint.h"
#include "tests/support/tempdir.h"
#include "tests/support/unit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOW INT64_C(1795237200)
#define TEXT 65536

static struct tempdir dir;
static struct clock clk;
static struct tz *tz;
static struct err e;

static const char *path_of(const char *name)
{
	static char paths[4][320];
	static unsigned next;
	char *path = paths[next++ % ARRAY_LEN(paths)];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir.path, name);
	return path;
}

static void run_sql(sqlite3 *sq, const char *text)
{
	char *why = NULL;

	if (sqlite3_exec(sq, text, NULL, NULL, &why))
		fail_msg("%.200s: %s", text, why);
}

/* All rows of a query as text, one a line. */
static char *rows_of(sqlite3 *sq, const char *text, char *buf)
{
	sqlite3_stmt *st = NULL;
	size_t at = 0;

	buf[0] = '\0';
	if (sqlite3_prepare_v2(sq, text, -1, &st, NULL))
		fail_msg("%s: %s", text, sqlite3_errmsg(sq));
	while (sqlite3_step(st) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(st); i++) {
			const char *v = (const char *)sqlite3_column_text(st, i);

			at += (size_t)snprintf(
				buf + at, TEXT - at, "%s%s", i ? "|" : "", v ? v : "NULL");
			assert_true(at < TEXT - 1);
		}
		at += (size_t)snprintf(buf + at, TEXT - at, "\n");
	}
	assert_int_equal(sqlite3_finalize(st), SQLITE_OK);
	return buf;
}

static void remove_db(const char *name)
{
	static const char *const ends[] = {"", "-wal", "-shm"};
	char file[64];

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		snprintf(file, sizeof(file), "%s%s", name, ends[i]);
		unlink(path_of(file));
	}
}

/* "old.db", in WAL mode as the program leaves it. */
static void make_old(void)
{
	static char text[200000];
	FILE *f = fopen("tests/data/schema1.sql", "r");
	sqlite3 *sq = NULL;
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	assert_true(n > 1000 && n < sizeof(text) - 1);
	fclose(f);
	text[n] = '\0';
	assert_int_equal(sqlite3_open(path_of("old.db"), &sq), SQLITE_OK);
	run_sql(sq, text);
	run_sql(sq, "PRAGMA journal_mode = WAL");
	sqlite3_close(sq);
}

static void copy_file(const char *from, const char *to)
{
	FILE *in = fopen(path_of(from), "r"), *out;
	char buf[65536];
	size_t n;

	unlink(path_of(to));
	if (!in)
		return;
	out = fopen(path_of(to), "w");
	assert_non_null(out);
	while ((n = fread(buf, 1, sizeof(buf), in)) > 0)
		assert_int_equal(fwrite(buf, 1, n, out), n);
	fclose(in);
	fclose(out);
}

static void fresh(void)
{
	remove_db("t.db");
	copy_file("old.db", "t.db");
}

static struct db *open_db(const char *name)
{
	struct db *db = NULL;

	assert_ok(db_open(path_of(name), DB_WRITE, &clk, &db, &e), e);
	return db;
}

static int begin(void **state)
{
	faultvfs_install();
	tempdir_make(&dir);
	clock_fake_init(&clk, NOW);
	assert_ok(tz_open("UTC", &tz, &e), e);
	make_old();
	return 0;
}

static int end(void **state)
{
	tz_free(tz);
	tempdir_remove(&dir);
	return 0;
}

/* ---- figures ------------------------------------------------------------------------------------ */

#define KEYS                                                                      \
	"hour, s.service_id, s.sku_id, p.project, l.location, l.region, l.zone, " \
	"r.resource, r.global_name, "
#define DIMS                                                                          \
	" JOIN sku s USING (sku_ref) JOIN billed_project p USING (project_ref) JOIN " \
	"place l USING (place_ref) JOIN billed_resource r USING (resource_ref) "
#define SUMS "SUM(usage), SUM(cost), SUM(u.credits), SUM(u.row_count), "
/* Line by line, as each version of the schema keeps them. */
static const char lines_1[] =
	"SELECT table_id, unit, " KEYS
	"invoice_month, cost_type, currency, usage_unit, COALESCE(rate, 0), " SUMS
	"SUM(promo) FROM usage u" DIMS "GROUP BY 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 "
	"ORDER BY 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16";
static const char lines_2[] =
	"SELECT table_id, unit, " KEYS
	"c.invoice_month, c.cost_type, c.currency, c.usage_unit, c.rate, " SUMS
	"SUM(u.credits * (t.type = 'PROMOTION')) FROM usage u" DIMS
	"JOIN charge c USING (charge_ref) JOIN credit_type t USING (credit_ref) "
	"GROUP BY 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 "
	"ORDER BY 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16";
static const char days_1[] =
	"SELECT day, currency, invoice_month, SUM(usage), SUM(cost), SUM(credits), "
	"SUM(promo) FROM cost_day GROUP BY 1,2,3 ORDER BY 1,2,3";
static const char days_2[] =
	"SELECT day, currency, invoice_month, SUM(usage), SUM(cost), SUM(credits), "
	"SUM(promo) FROM cost_day JOIN charge USING (charge_ref) GROUP BY 1,2,3 ORDER BY "
	"1,2,3";

static void ask_old(const char *query, char *buf)
{
	sqlite3 *sq = NULL;

	assert_int_equal(sqlite3_open(path_of("old.db"), &sq), SQLITE_OK);
	rows_of(sq, query, buf);
	sqlite3_close(sq);
}

static void same_as_old(struct db *db, const char *query_1, const char *query_2)
{
	static char want[TEXT], got[TEXT];

	ask_old(query_1, want);
	rows_of(db->sq, query_2, got);
	assert_true(strlen(want) > 4);
	assert_string_equal(got, want);
}

static void every_line_of_the_bill_is_what_it_was(void **state)
{
	static char types[TEXT];
	struct db *db;

	fresh();
	db = open_db("t.db");
	assert_ok(db_check(db, &e), e);
	same_as_old(db, lines_1, lines_2);
	same_as_old(db, "SELECT currency, SUM(credits), SUM(promo) FROM usage GROUP BY 1",
		"SELECT currency, SUM(credits), SUM(credits * (credit_ref = 1)) FROM usage "
		"JOIN charge USING (charge_ref) GROUP BY 1");
	same_as_old(db, "SELECT SUM(promo <> 0), SUM(credits <> promo) FROM usage",
		"SELECT SUM(credit_ref = 1), SUM(credit_ref = 2) FROM usage");
	rows_of(db->sq,
		"SELECT SUM(cost <> 0 OR usage <> 0 OR row_count <> 0) FROM usage WHERE "
		"credit_ref > 0",
		types);
	assert_string_equal(types, "0\n");
	rows_of(db->sq, "PRAGMA foreign_key_check", types);
	assert_string_equal(types, "");
	db_close(db);
}

static void days_sum_up_to_what_they_did(void **state)
{
	struct db_tx tx = {0};
	struct db *db;
	bool rebuilt;

	fresh();
	db = open_db("t.db");
	assert_ok(db_begin(db, &tx, &e), e);
	assert_ok(db_keep_rollups(db, &rebuilt, &e), e);
	assert_true(rebuilt);
	assert_ok(rollup_all(db, tz, &e), e);
	assert_ok(db_commit(&tx, &e), e);
	same_as_old(db, days_1, days_2);
	same_as_old(db, "SELECT currency, SUM(credits) FROM cost_day GROUP BY 1",
		"SELECT currency, SUM(credits) FROM credit_day JOIN charge USING "
		"(charge_ref) GROUP BY 1");
	db_close(db);
}

/* Killed between the migration and making the derived tables anew: the old ones lie about
 * in a shape that nobody can read. */
static void a_reader_does_without_the_kept_tables_of_another_version(void **state)
{
	struct db_tx tx = {0};
	bool current = true, rebuilt;
	struct db *db;

	fresh();
	db = open_db("t.db");
	assert_ok(db_rollups_current(db, &current, &e), e);
	assert_false(current);
	db_close(db);
	assert_ok(db_open(path_of("t.db"), DB_READ, &clk, &db, &e), e);
	assert_ok(db_begin(db, &tx, &e), e);
	assert_ok(db_make_rollups(db, &e), e);
	assert_ok(rollup_all(db, tz, &e), e);
	assert_ok(db_commit(&tx, &e), e);
	same_as_old(db, days_1, days_2);
	db_close(db);
	db = open_db("t.db");
	assert_ok(db_keep_rollups(db, &rebuilt, &e), e);
	assert_ok(db_rollups_current(db, &current, &e), e);
	assert_true(current);
	run_sql(db->sq, "UPDATE meta SET value = 'other' WHERE key = 'derived'");
	assert_ok(db_rollups_current(db, &current, &e), e);
	assert_false(current);
	db_close(db);
}

static void everything_else_is_kept(void **state)
{
#define DISKS                                                                       \
	"CASE kind || ' ' || state WHEN 'disk running' THEN 'attached' WHEN 'disk " \
	"stopped' "                                                                 \
	"THEN 'unattached' ELSE state END"
	static const struct {
		const char *old, *new;
	} renamed[] = {{"SELECT id, started FROM resource ORDER BY id",
			       "SELECT id, state_since FROM resource ORDER BY id"},
		{"SELECT id, " DISKS " FROM resource ORDER BY id",
			"SELECT id, state FROM resource ORDER BY id"},
		{"SELECT id, starts, " DISKS " FROM resource_interval ORDER BY id, starts",
			"SELECT id, starts, state FROM resource_interval ORDER BY id, "
			"starts"}};
#undef DISKS
	static const char *const same[] = {
		"SELECT id, uid, source, kind, project, location, zone, "
		"region, name, raw_state, type, provisioning, hosts, size_gib, "
		"gpu_type, gpu_count, attached_to, queued, labels, owner, created, "
		"first_seen, last_seen, complete FROM resource ORDER BY id",
		"SELECT id, uid, starts, ends, kind, project, location, name, type, "
		"provisioning, size_gib, created FROM resource_interval ORDER BY id, "
		"starts",
		"SELECT * FROM sku ORDER BY sku_ref",
		"SELECT * FROM place ORDER BY place_ref",
		"SELECT project_ref, project FROM billed_project ORDER BY 1",
		"SELECT source, project, state, last_attempt, last_success, items, error, "
		"fix "
		"FROM source_status ORDER BY 1, 2",
		"SELECT table_id, name, location, last_modified_ms, row_count FROM "
		"billing_table",
		"SELECT table_id, unit, row_count, exported, ingested FROM billing_unit "
		"ORDER "
		"BY 1, 2",
		"SELECT table_id, unit, currency, cost, credits FROM billing_unit_sum "
		"ORDER BY "
		"1, 2, 3"};
	struct db *db;

	fresh();
	db = open_db("t.db");
	for (size_t i = 0; i < ARRAY_LEN(same); i++)
		same_as_old(db, same[i], same[i]);
	for (size_t i = 0; i < ARRAY_LEN(renamed); i++)
		same_as_old(db, renamed[i].old, renamed[i].new);
	db_close(db);
}

/* What newer versions keep beside it, as far as the old facts tell it. */
static void what_was_not_kept_is_filled_in(void **state)
{
	struct db *db;

	fresh();
	db = open_db("t.db");
	same_as_old(db,
		"SELECT DISTINCT region, service_id, sku_id FROM usage u JOIN sku USING "
		"(sku_ref) JOIN place USING (place_ref) WHERE region <> '' AND sku_id <> "
		"'' "
		"ORDER BY 1, 2, 3",
		"SELECT region, service_id, sku_id FROM billed_region ORDER BY 1, 2, 3");
	same_as_old(db,
		"SELECT source, project, last_success FROM source_status ORDER BY 1, 2",
		"SELECT source, project, watched_since FROM source_status ORDER BY 1, 2");
	same_as_old(db,
		"SELECT i.id, r.gpu_type, r.gpu_count FROM resource_interval i LEFT JOIN "
		"resource r ON r.id = i.id AND r.uid = i.uid AND r.kind = 'vm' ORDER BY 1",
		"SELECT id, gpu_type, gpu_count FROM resource_interval ORDER BY 1");
	db_close(db);
}

/* Credits other than promotions had no types: what the export says of them is read again. */
static void units_of_the_old_schema_are_read_again(void **state)
{
	static char units[TEXT];
	struct billing_sum sums[] = {
		{.currency = "HKD", .cost = 6069312000, .credits = -3999999999},
		{.currency = "USD", .cost = 18208992000, .credits = -10000000000}};
	struct billing_unit u = {.day = 20773, .sums = sums, .n_sums = 2};
	enum billing_change change;
	struct db *db;
	char *end;

	fresh();
	db = open_db("t.db");
	rows_of(db->sq, "SELECT row_count, exported FROM billing_unit WHERE unit = 20773",
		units);
	u.rows = strtoll(units, &end, 10);
	u.exported = strtoll(end + 1, NULL, 10);
	assert_ok(billing_unit_compare(db, 1, BILLING_RECIPE, &u, &change, &e), e);
	assert_int_equal(change, BILLING_CHANGED);
	rows_of(db->sq,
		"SELECT DISTINCT recipe < " STR(BILLING_RECIPE) " FROM billing_unit",
		units);
	assert_string_equal(units, "1\n");
	db_close(db);
}

static void a_reader_leaves_it_as_it_is(void **state)
{
	static char version[TEXT];
	struct db *db = NULL;
	sqlite3 *sq = NULL;

	fresh();
	assert_err(
		db_open(path_of("t.db"), DB_READ, &clk, &db, &e), e, E_DB, "older tpucost");
	assert_contains(e.fix, "tpucost collect");
	assert_int_equal(sqlite3_open(path_of("t.db"), &sq), SQLITE_OK);
	assert_string_equal(rows_of(sq, "PRAGMA user_version", version), "1\n");
	sqlite3_close(sq);
}

/* Migration 24 stores limits once, and quotas of a project beside them. */
static void quotas_stay_when_limits_are_stored_apart(void **state)
{
	static char before[TEXT], after[TEXT];
	sqlite3 *sq;

	assert_int_equal(sqlite3_open(":memory:", &sq), SQLITE_OK);
	for (int i = 0; i < 23; i++)
		run_sql(sq, db_migrations[i].sql);
	run_sql(sq,
		"INSERT INTO quota (project, source, service, metric, location, "
		"dimensions, quota_id, limit_value, is_default, used, seen) VALUES "
		"('p', 'quota', 's', 'CPUS', 'a', '{}', '', 24, NULL, 8, 60),"
		"('p', 'quota', 's', 'CPUS', 'b', '{}', '', 24, NULL, 0, 50),"
		"('p', 'tpu-quota', 't', 'x', 'a', '{\"f\":1}', 'X', -1, 1, NULL, 60),"
		"('q', 'quota', 's', 'CPUS', 'a', '{}', '', 24, NULL, 9, 70),"
		"('q', 'quota', 's', 'NONE', 'a', '{}', '', NULL, NULL, NULL, 70)");
	rows_of(sq, "SELECT * FROM quota ORDER BY project, source, metric, location",
		before);
	run_sql(sq, db_migrations[23].sql);
	rows_of(sq,
		"SELECT l.project, l.source, q.service, q.metric, q.location, "
		"q.dimensions, q.quota_id, q.limit_value, q.is_default, i.used, "
		"COALESCE(i.seen, l.seen) FROM quota_list l JOIN quota_item i USING (list) "
		"JOIN quota_limit q USING (limit_id) ORDER BY project, source, metric, "
		"location",
		after);
	assert_string_equal(after, before);
	rows_of(sq, "SELECT COUNT(*) FROM quota_limit", after);
	assert_string_equal(after, "4\n");
	sqlite3_close(sq);
}

static void a_new_one_is_what_all_migrations_come_to(void **state)
{
	static const char schema[] =
		"SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2";
	static char stepwise[TEXT], at_once[TEXT];
	sqlite3 *sq[2];

	for (int i = 0; i < 2; i++)
		assert_int_equal(sqlite3_open(":memory:", &sq[i]), SQLITE_OK);
	for (int i = 0; i < db_n_migrations; i++)
		run_sql(sq[0], db_migrations[i].sql);
	run_sql(sq[1], db_new);
	assert_string_equal(
		rows_of(sq[1], schema, at_once), rows_of(sq[0], schema, stepwise));
	assert_contains(at_once, "CREATE TABLE resource ");
	assert_string_equal(rows_of(sq[1], "SELECT * FROM credit_type", at_once),
		rows_of(sq[0], "SELECT * FROM credit_type", stepwise));
	for (int i = 0; i < 2; i++)
		sqlite3_close(sq[i]);
}

/* ---- faults --------------------------------------------------------------------------------------- */

/* What a fault leaves in the -wal is read once, so that many pictures become the same file. */
static void settle(const char *name)
{
	sqlite3 *sq = NULL;
	char wal[80];

	assert_int_equal(sqlite3_open(path_of(name), &sq), SQLITE_OK);
	run_sql(sq, "PRAGMA user_version");
	assert_int_equal(sqlite3_close(sq), SQLITE_OK);
	snprintf(wal, sizeof(wal), "%s-wal", name);
	assert_int_equal(access(path_of(wal), F_OK), -1);
}

/* The old figures in the old schema, or the same in the new one; then it opens for good. */
static void is_whole(const char *name)
{
	static struct fingerprints raw, whole;
	static char want[TEXT], got[TEXT];
	sqlite3 *sq = NULL;
	struct db *db;
	char version[64];

	if (!fingerprints_add(&raw, fingerprint(path_of(name))))
		return;
	settle(name);
	if (!fingerprints_add(&whole, fingerprint(path_of(name))))
		return;
	ask_old(lines_1, want);
	assert_int_equal(sqlite3_open(path_of(name), &sq), SQLITE_OK);
	rows_of(sq, "PRAGMA integrity_check", got);
	assert_string_equal(got, "ok\n");
	snprintf(version, sizeof(version), "%s", rows_of(sq, "PRAGMA user_version", got));
	rows_of(sq, !strcmp(version, "1\n") ? lines_1 : lines_2, got);
	assert_string_equal(got, want);
	sqlite3_close(sq);
	db = open_db(name);
	rows_of(db->sq, lines_2, got);
	assert_string_equal(got, want);
	db_close(db);
}

/* "v.db": the old one, as far as that version. */
static void make_version(int version)
{
	char pragma[64];
	sqlite3 *sq = NULL;

	remove_db("v.db");
	copy_file("old.db", "v.db");
	assert_int_equal(sqlite3_open(path_of("v.db"), &sq), SQLITE_OK);
	for (int i = 1; i < version; i++)
		run_sql(sq, db_migrations[i].sql);
	snprintf(pragma, sizeof(pragma), "PRAGMA user_version = %d", version);
	run_sql(sq, pragma);
	assert_int_equal(sqlite3_close(sq), SQLITE_OK);
}

/* Opens a copy of "v.db" while the n-th call that changes a file fails, and with `how` & 1 those after it. Returns the
 * version that it then has; 0 if it could be opened all the same, INT_MAX if there are fewer calls. */
static int fail_at(int64_t n, int how)
{
	static char version[TEXT];
	struct db *db = NULL;
	sqlite3 *sq = NULL;
	bool failed, reached;

	remove_db("t.db");
	copy_file("v.db", "t.db");
	faultvfs_arm(FAULT_OP_CHANGE, n, how & 1, how & 2);
	failed = db_open(path_of("t.db"), DB_WRITE, &clk, &db, &e) != E_OK;
	db_close(db);
	reached = faultvfs.calls >= n;
	faultvfs_disarm();
	is_whole("t.db");
	assert_int_equal(sqlite3_open(path_of("t.db"), &sq), SQLITE_OK);
	rows_of(sq, "PRAGMA user_version", version);
	sqlite3_close(sq);
	return failed ? (int)strtol(version, NULL, 10) : reached ? 0 : INT_MAX;
}

/* Each migration is a transaction: calls after it are those of the next version. */
static void whatever_fails_it_is_the_old_or_the_new(void **state)
{
	int64_t failed = 0, survived = 0, n;
	int left = 0;

	for (int version = 1; version < db_n_migrations; version++) {
		make_version(version);
		for (int how = 0; how < 4; how++)
			for (n = 1; (left = fail_at(n, how)) <= version;
				n += unit_step(2) - (how & 1))
				++*(left ? &failed : &survived);
	}
	print_message("%lld failures, %lld without effect\n", (long long)failed,
		(long long)survived);
	assert_true(failed > 800 / unit_step(2));
	assert_true(survived < failed);
}

/* Pictures of the disk before every call, as kill -9 and as a power cut leave it. They are
 * taken in one run and looked at after it; those that are the same as one before are not kept. */
#define CUTS 4

struct album {
	struct fingerprints prints;
	int64_t calls;
};

static const char *picture_name(int64_t call, unsigned seed, char name[static 64])
{
	snprintf(name, 64, "at%lld.%u/t.db", (long long)call, seed);
	return name;
}

static void keep_new(struct album *album, const char *name)
{
	if (!fingerprints_add(&album->prints, fingerprint(path_of(name))))
		remove_db(name);
}

static void take_picture(void *ctx)
{
	struct album *album = ctx;
	char name[64], wal[72], at[64];

	for (unsigned seed = 0; seed <= CUTS; seed++) {
		snprintf(at, sizeof(at), "at%lld.%u", (long long)album->calls, seed);
		if (mkdir(path_of(at), 0700))
			fail_msg("mkdir %s", at);
		picture_name(album->calls, seed, name);
		if (seed == CUTS) {
			copy_file("t.db", name);
			snprintf(wal, sizeof(wal), "%s-wal", name);
			copy_file("t.db-wal", wal);
		} else {
			faultvfs_power_off(path_of(at), seed);
		}
		assert_int_equal(access(path_of(name), F_OK), 0);
		keep_new(album, name);
	}
	album->calls++;
}

static void whenever_it_is_killed_it_is_the_old_or_the_new(void **state)
{
	static struct album album;
	char name[64], at[64];
	int looked_at = 0;

	fresh();
	faultvfs_track();
	faultvfs_arm(FAULT_OP_CHANGE, 0, false, false);
	faultvfs.before = take_picture;
	faultvfs.ctx = &album;
	db_close(open_db("t.db"));
	assert_int_equal(album.calls, faultvfs.calls);
	faultvfs_disarm();
	for (int64_t n = 0; n < album.calls; n++) {
		for (unsigned seed = 0; seed <= CUTS; seed++) {
			if (!access(path_of(picture_name(n, seed, name)), F_OK)) {
				is_whole(name);
				looked_at++;
			}
			remove_db(name);
			snprintf(at, sizeof(at), "at%lld.%u", (long long)n, seed);
			assert_int_equal(rmdir(path_of(at)), 0);
		}
	}
	assert_true(album.calls > 20);
	assert_true(looked_at > album.calls);
	print_message("%lld calls, %d pictures\n", (long long)album.calls, looked_at);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_line_of_the_bill_is_what_it_was),
		cmocka_unit_test(days_sum_up_to_what_they_did),
		cmocka_unit_test(a_reader_does_without_the_kept_tables_of_another_version),
		cmocka_unit_test(everything_else_is_kept),
		cmocka_unit_test(what_was_not_kept_is_filled_in),
		cmocka_unit_test(units_of_the_old_schema_are_read_again),
		cmocka_unit_test(a_reader_leaves_it_as_it_is),
		cmocka_unit_test(quotas_stay_when_limits_are_stored_apart),
		cmocka_unit_test(a_new_one_is_what_all_migrations_come_to),
		cmocka_unit_test(whatever_fails_it_is_the_old_or_the_new),
		cmocka_unit_test(whenever_it_is_killed_it_is_the_old_or_the_new),
	};

	return cmocka_run_group_tests(tests, begin, end);
}

/* What a disk, a lock or a damaged file can do to the database: after every fault there is
 * the state before or the state after, never half, and another try gives the state after
 * exactly once. The oracle is a digest of everything that is stored, taken of a run without
 * faults. */
#include "base/tz.h"
#include "collector/billing_store.h"
#include "collector/collect.h"
#include "collector/import.h"
#include "collector/usage_stage.h"
#include "db/internal.h"
#include "db_sql.h"
#include "tests/support/assert.h"
#include "tests/support/faultvfs.h"
#include "tests/support/gcp_world.h"
#include "tests/support/tempdir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define DAY0 20410 /* 2025-11-18 */
#define STORED_AT (DAY0 * INT64_C(86400) + 40 * 86400)

static struct tempdir dir;
static struct tz *tz;
static struct clock clk;
static struct gcp_world world;
static struct err e;

/* ---- files -------------------------------------------------------------------------------------- */

static const char *path_of(const char *name)
{
	static char paths[8][320];
	static unsigned next;
	char *path = paths[next++ % ARRAY_LEN(paths)];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir.path, name);
	return path;
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
	assert_int_equal(fclose(out), 0);
}

/* A database as it lies, with what its -wal holds. */
static void copy_db(const char *from, const char *to)
{
	char a[64], b[64];

	copy_file(from, to);
	snprintf(a, sizeof(a), "%s-wal", from);
	snprintf(b, sizeof(b), "%s-wal", to);
	copy_file(a, b);
	snprintf(b, sizeof(b), "%s-shm", to);
	unlink(path_of(b));
}

/* ---- databases ---------------------------------------------------------------------------------- */

static struct db *open_db(const char *name)
{
	struct db *db = NULL;

	assert_ok(db_open(path_of(name), DB_WRITE, &clk, &db, &e), e);
	return db;
}

static void sql(struct db *db, const char *text)
{
	char *why = NULL;

	if (sqlite3_exec(db->sq, text, NULL, NULL, &why))
		fail_msg("%s: %s", text, why);
}

static char *query(struct db *db, const char *text, char *buf, size_t size)
{
	sqlite3_stmt *st = NULL;

	if (sqlite3_prepare_v2(db->sq, text, -1, &st, NULL) ||
		sqlite3_step(st) != SQLITE_ROW)
		fail_msg("%s: %s", text, sqlite3_errmsg(db->sq));
	snprintf(buf, size, "%s", (const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	return buf;
}

/* Everything that a person could be shown, hour by hour and day by day. */
static const char digest_sql[] =
	"SELECT concat FROM (SELECT "
	"(SELECT IFNULL(group_concat(x, ' '), '') FROM (SELECT hour || ':' || table_id || "
	"':' "
	"|| SUM(cost) || ':' || SUM(credits) || ':' || SUM(usage) || ':' || SUM(row_count) "
	"AS x "
	"FROM usage GROUP BY hour, table_id ORDER BY hour, table_id)) || '\nday ' || "
	"(SELECT IFNULL(group_concat(x, ' '), '') FROM (SELECT day || ':' || SUM(cost) || "
	"':' "
	"|| SUM(credits) || ':' || SUM(promo) AS x FROM cost_day GROUP BY day ORDER BY "
	"day)) "
	"|| '\ncredit ' || (SELECT COUNT(*) || ':' || IFNULL(SUM(credits), 0) FROM "
	"credit_day) "
	"|| '\nunit ' || (SELECT IFNULL(group_concat(x, ' '), '') FROM (SELECT u.table_id "
	"|| "
	"':' || u.unit || ':' || u.row_count || ':' || s.cost || ':' || s.credits AS x "
	"FROM "
	"billing_unit u JOIN billing_unit_sum s USING (table_id, unit) ORDER BY 1)) "
	"|| '\ndays ' || (SELECT COUNT(*) || ':' || IFNULL(SUM(day), 0) FROM billing_day) "
	"|| '\nrestated ' || (SELECT COUNT(*) || ':' || IFNULL(SUM(new_cost - old_cost), "
	"0) "
	"FROM restatement) || '\nfiles ' || (SELECT COUNT(*) || ':' || "
	"IFNULL(SUM(row_count), 0) FROM import_file) || ':' || (SELECT COUNT(*) FROM "
	"billing_table WHERE kind = 'file') || '\nprices ' || (SELECT COUNT(*) FROM "
	"billed_price) || '\nthings ' || (SELECT IFNULL(group_concat(x, ' '), '') FROM "
	"(SELECT "
	"id || ':' || state || ':' || type AS x FROM resource ORDER BY id)) || '\ntimes ' "
	"|| "
	"(SELECT IFNULL(group_concat(x, ' '), '') FROM (SELECT id || ':' || state || ':' "
	"|| "
	"starts || ':' || IFNULL(ends, '-') AS x FROM resource_interval ORDER BY id, "
	"starts)) "
	"AS concat)";

#define DIGEST 16384

static char *digest(struct db *db, char buf[DIGEST])
{
	return query(db, digest_sql, buf, DIGEST);
}

static void digest_of(const char *name, char buf[DIGEST])
{
	struct db *db = open_db(name);

	assert_ok(db_check(db, &e), e);
	digest(db, buf);
	db_close(db);
}

/* ---- what is done under faults ------------------------------------------------------------------- */

/* Two days of the export, forty hours each with a credit, in a first or a second version. */
static enum err_code store_units(struct db *db, int64_t version, struct err *err)
{
	struct billing_store s = {
		.db = db, .table_id = 1, .tz = tz, .now = STORED_AT, .restates = true};
	struct billing_unit *units;
	struct usage_stage stage;
	struct arena a = {0};
	enum err_code rc;
	size_t n;

	rc = usage_stage_open(&stage, db, false, err);
	for (int64_t i = 0; !rc && i < 80; i++) {
		struct usage_line l = {.unit = DAY0 + i / 40,
			.hour = (DAY0 + i / 40) * INT64_C(86400) + i % 24 * 3600,
			.service_id = "6F81",
			.service = "Compute Engine",
			.sku_id = i % 3 ? "S1" : "S2",
			.sku = "Core",
			.project = "p1",
			.number = "1",
			.account = "01AB23",
			.location = "us",
			.region = "",
			.zone = "",
			.resource = version > 1 ? "new" : "old",
			.global_name = "",
			.invoice_month = "202511",
			.cost_type = "regular",
			.currency = "USD",
			.usage_unit = "hour",
			.credit_type = i % 4 ? "" : "PROMOTION",
			.usage = i,
			.cost = i % 4 ? 1000000007 * version + i : 0,
			.credits = i % 4 ? 0 : -500000003 * version,
			.rows = i % 4 ? 1 : 0};

		rc = usage_stage_add(&stage, &l, err);
	}
	if (!rc)
		rc = usage_stage_flush(&stage, err);
	if (!rc)
		rc = billing_units_staged(db, &a, &units, &n, err);
	if (!rc)
		rc = billing_store(&s, units, n, err);
	usage_stage_close(&stage);
	arena_done(&a);
	return rc;
}

static enum err_code store_version_2(struct db *db, struct err *err)
{
	return store_units(db, 2, err);
}

/* A file of sixty rows in three days that nobody has yet. */
static void write_rows(const char *name)
{
	FILE *f = fopen(path_of(name), "w");

	assert_non_null(f);
	for (int i = 0; i < 60; i++)
		fprintf(f,
			"{\"billing_account_id\":\"01AB23\",\"service\":{\"id\":\"6F81\","
			"\"description\":\"Compute Engine\"},\"sku\":{\"id\":\"S%d\","
			"\"description\":\"Sku\"},\"usage_start_time\":\"2025-12-%02d "
			"%02d:00:00 UTC\",\"project\":{\"id\":\"p-%d\"},\"export_time\":"
			"\"2025-12-20 00:00:00 UTC\",\"cost\":%d.%03d,\"currency\":\"USD\","
			"\"usage\":{\"amount\":\"1\",\"unit\":\"seconds\"},\"credits\":[{"
			"\"amount\":-0.%03d,\"type\":\"PROMOTION\"}],\"invoice\":{"
			"\"month\":"
			"\"202512\"},\"cost_type\":\"regular\"}\n",
			i % 4, 1 + i % 3, i % 24, i % 5, i, i * 7 % 1000, i * 3 % 1000);
	assert_int_equal(fclose(f), 0);
}

static enum err_code import_rows_file(struct db *db, struct err *err)
{
	struct import_opts o = {.db = db, .tz = tz, .now = STORED_AT};
	struct import_result r;

	return import_file(&o, path_of("rows.json"), &r, err);
}

#define VMS "GET /compute/v1/projects/my-project/aggregated/instances"
#define VM(name, zone, status)                                                 \
	"{\"id\":\"1" name "1\",\"name\":\"" name                              \
	"\",\"zone\":\"https://x/compute/v1/projects/my-project/zones/" zone   \
	"\",\"machineType\":\"https://x/zones/z/machineTypes/n1-standard-1\"," \
	"\"status\":\"" status "\",\"creationTimestamp\":\"2026-11-20T00:00:00-08:00\"}"
#define LIST(vms)                                                                \
	"{\"items\":{\"zones/us-central1-a\":{\"instances\":[" vms "]},\"zones/" \
	"us-east1-b\":{\"warning\":{\"code\":\"NO_RESULTS_ON_PAGE\"}}}}"
#define FIRST_LIST \
	LIST(VM("1", "us-central1-a", "RUNNING") "," VM("2", "us-central1-a", "RUNNING"))
#define SECOND_LIST \
	LIST(VM("1", "us-central1-a", "TERMINATED") "," VM("3", "us-central1-a", "RUNNING"))

static enum err_code poll_vms(struct db *db, struct err *err)
{
	static const char *const projects[] = {"my-project"};
	static const char *const only[] = {"vm"};
	struct collect_settings settings = {
		.projects = projects, .n_projects = 1, .tz = tz};
	struct collector c = {.settings = &settings,
		.gcp = world.g,
		.db = db,
		.clock = &world.clock,
		.only = only,
		.n_only = 1};
	struct collect_result r;
	char state[64];

	if (collect(&c, &r, err))
		return err->code;
	if (r.ok == 1)
		return E_OK;
	query(db, "SELECT state || ' ' || (error <> '') FROM source_status", state,
		sizeof(state));
	assert_string_equal(state, "failed 1");
	return err_set(err, E_DB, "the poll failed");
}

static const struct act {
	const char *name;
	enum err_code (*run)(struct db *db, struct err *err);
} acts[] = {{"billing_store", store_version_2}, {"import", import_rows_file},
	{"poll", poll_vms}};

/* ---- the world ------------------------------------------------------------------------------------ */

/* "old.db" holds what was there before: a first version of two days, and two machines. */
static void make_old(void)
{
	struct db *db = open_db("old.db");
	struct db_tx tx = {0};
	bool rebuilt;

	assert_ok(db_begin(db, &tx, &e), e);
	assert_ok(db_keep_derived(db, &rebuilt, &e), e);
	assert_ok(db_commit(&tx, &e), e);
	sql(db,
		"INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count) VALUES (1, 'a.b.c', 'US', 0, 0)");
	assert_ok(store_units(db, 1, &e), e);
	assert_ok(poll_vms(db, &e), e);
	world.clock.fake_now += 600;
	db_close(db);
}

static int begin(void **state)
{
	static const struct fault_step steps[] = {
		{.match = VMS,
			.times = 1,
			.headers = "Content-Type: application/json\r\n",
			.body = FIRST_LIST},
		{.match = VMS,
			.headers = "Content-Type: application/json\r\n",
			.body = SECOND_LIST}};

	(void)state;
	faultmem_install();
	faultvfs_install();
	tempdir_make(&dir);
	clock_fake_init(&clk, STORED_AT);
	assert_ok(tz_open("America/Los_Angeles", &tz, &e), e);
	world_open(&world, steps, ARRAY_LEN(steps));
	write_rows("rows.json");
	make_old();
	return 0;
}

static int end(void **state)
{
	(void)state;
	world_close(&world);
	tz_free(tz);
	tempdir_remove(&dir);
	return 0;
}

/* ---- C1 to C4: the Nth call fails ------------------------------------------------------------------ */

struct sweep {
	const struct act *act;
	const char *with; /* SQL run after opening */
	char old[DIGEST], new[DIGEST];
	int64_t runs, failed, uncertain;
};

static void is_old_or_new(struct sweep *s, const char *name, enum err_code rc)
{
	char got[DIGEST];

	digest_of(name, got);
	if (strcmp(got, s->new) != 0 && (!rc || strcmp(got, s->old) != 0))
		fail_msg("%s after fault %lld (rc %d) has\n%s\nold\n%s\nnew\n%s",
			s->act->name, (long long)faultvfs.at, rc, got, s->old, s->new);
	if (rc && !strcmp(got, s->new) && strcmp(s->old, s->new) != 0)
		s->uncertain++;
}

/* A run under whatever was armed. */
static enum err_code run_it(struct sweep *s)
{
	struct db *db = NULL;
	enum err_code rc;

	copy_db("old.db", "t.db");
	err_clear(&e);
	rc = db_open(path_of("t.db"), DB_WRITE, &clk, &db, &e);
	if (!rc && s->with)
		sql(db, s->with);
	if (!rc)
		rc = s->act->run(db, &e);
	copy_db("t.db", "killed.db");
	db_close(db);
	return rc;
}

static void try_again(struct sweep *s)
{
	struct db *db = open_db("t.db");
	char got[DIGEST];

	assert_ok(s->act->run(db, &e), e);
	assert_string_equal(digest(db, got), s->new);
	db_close(db);
}

static void judge(struct sweep *s, enum err_code rc, bool hit)
{
	s->runs++;
	s->failed += rc != E_OK;
	if (rc && (!hit || rc == E_BUG || !e.msg[0]))
		fail_msg("%s at %lld: %d %s", s->act->name, (long long)faultvfs.at, rc,
			e.msg);
	is_old_or_new(s, "killed.db", rc);
	is_old_or_new(s, "t.db", rc);
	try_again(s);
}

/* What a run without faults does, and how many calls it makes. */
static int64_t rehearse(
	struct sweep *s, const struct act *act, const char *with, unsigned ops)
{
	int64_t calls;

	memset(s, 0, sizeof(*s));
	s->act = act;
	s->with = with;
	digest_of("old.db", s->old);
	faultvfs_arm(ops, 0, false, false);
	assert_ok(run_it(s), e);
	calls = faultvfs.calls;
	faultvfs_disarm();
	digest_of("t.db", s->new);
	assert_string_not_equal(s->old, s->new);
	return calls;
}

static void sweep_disk(const struct act *act, const char *with, unsigned ops, int64_t step)
{
	static struct sweep s;
	int64_t calls = rehearse(&s, act, with, ops);

	assert_true(calls > 10);
	for (int how = 0; how < 4; how++) {
		for (int64_t n = 1 + how % step; n <= calls; n += step) {
			enum err_code rc;

			faultvfs_arm(ops, n, how & 1, how & 2);
			rc = run_it(&s);
			faultvfs_disarm();
			judge(&s, rc, faultvfs.failed > 0);
		}
	}
	print_message("%s: %lld calls, %lld runs, %lld failed, %lld of them were stored\n",
		act->name, (long long)calls, (long long)s.runs, (long long)s.failed,
		(long long)s.uncertain);
	assert_true(s.failed > s.runs / 2);
}

static void whatever_write_fails_a_stored_bill_is_whole(void **state)
{
	(void)state;
	sweep_disk(&acts[0], NULL, FAULT_OP_CHANGE, 1);
}

static void whatever_write_fails_an_import_is_whole(void **state)
{
	(void)state;
	sweep_disk(&acts[1], NULL, FAULT_OP_CHANGE, 1);
}

static void whatever_write_fails_a_poll_is_whole(void **state)
{
	(void)state;
	sweep_disk(&acts[2], NULL, FAULT_OP_CHANGE, 1);
}

/* A transaction larger than the cache writes, reads and fails in the middle of statements. */
#define TINY "PRAGMA cache_size = 4; PRAGMA temp.cache_size = 4; PRAGMA cache_spill = 4"

static void a_bill_larger_than_the_cache_is_whole(void **state)
{
	(void)state;
	sweep_disk(&acts[0], TINY, FAULT_OP_CHANGE, 1);
}

static void whatever_read_fails_a_stored_bill_is_whole(void **state)
{
	(void)state;
	sweep_disk(&acts[0], TINY, FAULT_OP_READ | FAULT_OP_OPEN, 5);
}

/* The engine may end a transaction by itself. Nothing is stored piece by piece after that. */
static void what_follows_in_a_transaction_that_is_over_is_refused(void **state)
{
	struct q_meta_put_in put = {.key = "k", .value = "v"};
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct db *db;
	char n[16];

	(void)state;
	copy_db("old.db", "t.db");
	db = open_db("t.db");
	assert_ok(db_begin(db, &tx, &e), e);
	assert_ok(q_meta_put(db, &put, &e), e);
	sql(db, "ROLLBACK");
	assert_err(
		q_meta_put(db, &put, &e), e, E_DB, "meta_put: the transaction was rolled");
	assert_err(db_commit(&tx, &e), e, E_DB, "was rolled back");
	query(db, "SELECT COUNT(*) FROM meta WHERE key = 'k'", n, sizeof(n));
	assert_string_equal(n, "0");
	assert_ok(q_meta_put(db, &put, &e), e);
	db_close(db);
}

/* ---- C18: memory ------------------------------------------------------------------------------------- */

static void whatever_allocation_of_the_engine_fails_nothing_is_half(void **state)
{
	static struct sweep s;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(acts); i++) {
		int64_t calls, step;

		rehearse(&s, &acts[i], NULL, 0);
		faultmem_arm(0, false);
		assert_ok(run_it(&s), e);
		calls = faultmem.calls;
		assert_true(calls > 100);
		step = calls / 60;
		for (int64_t n = 1; n <= calls; n += step) {
			enum err_code rc;
			bool hit;

			faultmem_arm(n, n / step & 1);
			rc = run_it(&s);
			hit = faultmem.failed > 0;
			faultmem_arm(0, false);
			judge(&s, rc, hit);
		}
		print_message("%s: %lld allocations, %lld runs, %lld failed\n",
			acts[i].name, (long long)calls, (long long)s.runs,
			(long long)s.failed);
		assert_true(s.failed > s.runs / 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_write_fails_a_stored_bill_is_whole),
		cmocka_unit_test(whatever_write_fails_an_import_is_whole),
		cmocka_unit_test(whatever_write_fails_a_poll_is_whole),
		cmocka_unit_test(a_bill_larger_than_the_cache_is_whole),
		cmocka_unit_test(whatever_read_fails_a_stored_bill_is_whole),
		cmocka_unit_test(what_follows_in_a_transaction_that_is_over_is_refused),
		cmocka_unit_test(whatever_allocation_of_the_engine_fails_nothing_is_half),
	};

	return cmocka_run_group_tests(tests, begin, end);
}

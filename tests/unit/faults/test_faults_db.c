/* What a disk, a lock or a damaged file can do to the database: after every fault there is
 * the state before or the state after, never half, and another try gives the state after
 * exactly once. The oracle is a digest of everything that is stored, taken of a run without
 * faults. */
#include "base/time/tz.h"
#include "collector/bill/store.h"
#include "collector/collect.h"
#include "collector/import/import.h"
#include "collector/bill/usage_stage.h"
#include "db/internal.h"
#include "db_sql.h"
#include "tests/support/assert.h"
#include "tests/support/fault/faultvfs.h"
#include "tests/support/fingerprint.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/tempdir.h"
#include "tests/support/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void remove_db(const char *name)
{
	static const char *const ends[] = {"", "-wal", "-shm"};
	char file[64];

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		snprintf(file, sizeof(file), "%s%s", name, ends[i]);
		unlink(path_of(file));
	}
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
			.labels = "",
			.invoice_month = "202511",
			.cost_type = "regular",
			.currency = "USD",
			.usage_unit = "hour",
			.model = "",
			.model_name = "",
			.credit_type = i % 4 ? "" : "PROMOTION",
			.usage = SOME(i),
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
	assert_ok(db_keep_rollups(db, &rebuilt, &e), e);
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
	/* files that were looked at: many faults leave the same bytes */
	struct fingerprints are_old, are_new, tried;
	int64_t runs, failed, uncertain;
};

static void is_old_or_new(struct sweep *s, const char *name, enum err_code rc)
{
	uint64_t print = fingerprint(path_of(name));
	bool is_new = fingerprints_has(&s->are_new, print);
	char got[DIGEST] = "";

	if (!is_new && !(rc && fingerprints_has(&s->are_old, print))) {
		digest_of(name, got);
		is_new = !strcmp(got, s->new);
		if (!is_new && (!rc || strcmp(got, s->old) != 0))
			fail_msg("%s after fault %lld (rc %d) has\n%s\nold\n%s\nnew\n%s",
				s->act->name, (long long)faultvfs.at, rc, got, s->old,
				s->new);
		fingerprints_add(is_new ? &s->are_new : &s->are_old, print);
	}
	if (rc && is_new) {
		s->uncertain++;
		/* who reads this code looks before doing it again */
		if (s->act->run != poll_vms)
			assert_int_equal(rc, E_UNCERTAIN);
	}
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
	char got[DIGEST];
	struct db *db;

	if (!fingerprints_add(&s->tried, fingerprint(path_of("t.db"))))
		return;
	db = open_db("t.db");
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

	step = unit_step(step);
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
	print_message("%s: %lld calls, %lld runs, %lld failed, %lld of them were stored; "
		      "%zu files\n",
		act->name, (long long)calls, (long long)s.runs, (long long)s.failed,
		(long long)s.uncertain, s.are_old.n + s.are_new.n);
	assert_true(s.failed > s.runs / 2);
}

static void whatever_write_fails_a_stored_bill_is_whole(void **state)
{
	sweep_disk(&acts[0], NULL, FAULT_OP_CHANGE, 1);
}

static void whatever_write_fails_an_import_is_whole(void **state)
{
	sweep_disk(&acts[1], NULL, FAULT_OP_CHANGE, 1);
}

static void whatever_write_fails_a_poll_is_whole(void **state)
{
	sweep_disk(&acts[2], NULL, FAULT_OP_CHANGE, 1);
}

/* A transaction larger than the cache writes, reads and fails in the middle of statements. */
#define TINY "PRAGMA cache_size = 4; PRAGMA temp.cache_size = 4; PRAGMA cache_spill = 4"

static void a_bill_larger_than_the_cache_is_whole(void **state)
{
	sweep_disk(&acts[0], TINY, FAULT_OP_CHANGE, 1);
}

static void whatever_read_fails_a_stored_bill_is_whole(void **state)
{
	sweep_disk(&acts[0], TINY, FAULT_OP_READ | FAULT_OP_OPEN, 5);
}

/* The engine may end a transaction by itself. Nothing is stored piece by piece after that. */
static void what_follows_in_a_transaction_that_is_over_is_refused(void **state)
{
	struct q_meta_put_in put = {.key = "k", .value = "v"};
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct db *db;
	char n[16];

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

	for (size_t i = 0; i < ARRAY_LEN(acts); i++) {
		int64_t calls, step;

		rehearse(&s, &acts[i], NULL, 0);
		faultmem_arm(0, false);
		assert_ok(run_it(&s), e);
		calls = faultmem.calls;
		assert_true(calls > 100);
		step = calls / 40;
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

/* AddressSanitizer reserves the whole address space, which is then not there to take. */
#ifndef __SANITIZE_ADDRESS__
#define BLOCK 65536

static rlim_t address_space(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	char text[64] = "";

	if (!f || !fgets(text, sizeof(text), f))
		_exit(99);
	fclose(f);
	return (rlim_t)strtoull(text, NULL, 10) * 4096;
}

/* Take all memory there is, and give back so many blocks; besides, there is room to map the
 * memory that connections share. */
static void leave_blocks(size_t n)
{
	struct rlimit limit = {.rlim_cur = address_space() + 4 * BLOCK,
			      .rlim_max = RLIM_INFINITY},
		      none = {.rlim_max = RLIM_INFINITY};
	void *list = NULL, *block;

	setrlimit(RLIMIT_AS, &none);
	while ((block = malloc(BLOCK))) {
		*(void **)block = list;
		list = block;
	}
	while ((block = malloc(512)))
		*(void **)block = NULL;
	while (list && n--) {
		block = list;
		list = *(void **)block;
		free(block);
	}
	setrlimit(RLIMIT_AS, &limit);
}
#endif

/* xmalloc does not return without memory: it ends the program, wherever it is. */
static void a_program_without_memory_leaves_the_old_or_the_new(void **state)
{
#ifndef __SANITIZE_ADDRESS__
	static struct sweep s;
	int ended = 0, fine = 0;

	rehearse(&s, &acts[1], NULL, 0);
	for (size_t blocks = 0; blocks <= 120; blocks += 4) {
		int status;
		pid_t pid;

		copy_db("old.db", "t.db");
		pid = fork();
		if (!pid) {
			struct db *db = NULL;

			if (!freopen("/dev/null", "w", stderr))
				_exit(99);
			leave_blocks(blocks);
			/* 1 is the end that memory makes of it */
			_exit(db_open(path_of("t.db"), DB_WRITE, &clk, &db, NULL) ||
						import_rows_file(db, &e)
					? 2
					: 0);
		}
		waitpid(pid, &status, 0);
		assert_true(WIFEXITED(status));
		assert_in_range(WEXITSTATUS(status), 0, 2);
		ended += WEXITSTATUS(status) == 1;
		fine += WEXITSTATUS(status) == 0;
		is_old_or_new(&s, "t.db", status ? E_UNCERTAIN : E_OK);
		try_again(&s);
	}
	print_message("without memory: %d ended, %d had enough\n", ended, fine);
	assert_true(ended > 0);
	assert_true(fine > 0);
#else
	/* the sanitizer needs the address space for itself */
#endif
}

/* ---- C3, C19: syncs and power ------------------------------------------------------------------------- */

/* The engine may not be asked to sync again and be believed: what it said had failed is read
 * again, and done again. */
static void a_sync_that_fails_is_never_taken_for_a_success(void **state)
{
	static struct sweep s;
	int64_t syncs = rehearse(&s, &acts[0], NULL, FAULT_OP_SYNC);

	assert_true(syncs >= 3);
	for (int64_t n = 1; n <= syncs; n++) {
		struct db *db = NULL;
		char got[DIGEST];
		enum err_code rc;

		copy_db("old.db", "t.db");
		faultvfs_arm(FAULT_OP_SYNC, n, false, false);
		db = open_db("t.db");
		rc = store_version_2(db, &e);
		if (rc)
			assert_err(rc, e, E_UNCERTAIN, "disk I/O error");
		else
			faultvfs_disarm(); /* it is one of those when closing */
		/* the same connection, then a new one */
		assert_ok(store_version_2(db, &e), e);
		assert_string_equal(digest(db, got), s.new);
		db_close(db);
		faultvfs_disarm();
		digest_of("t.db", got);
		assert_string_equal(got, s.new);
	}
}

struct cut {
	int64_t at;
	bool taken;
};

static void cut_power(void *ctx)
{
	struct cut *c = ctx;

	if (faultvfs.calls != c->at)
		return;
	c->taken = true;
	for (unsigned seed = 0; seed < 4; seed++) {
		char name[16];

		snprintf(name, sizeof(name), "cut%u", seed);
		faultvfs_power_off(path_of(name), seed);
	}
}

static void whenever_the_power_goes_it_is_the_old_or_the_new(void **state)
{
	static struct sweep s;

	for (unsigned seed = 0; seed < 4; seed++) {
		char name[16];

		snprintf(name, sizeof(name), "cut%u", seed);
		assert_int_equal(mkdir(path_of(name), 0700), 0);
	}
	for (size_t i = 0; i < ARRAY_LEN(acts); i++) {
		int64_t calls = rehearse(&s, &acts[i], NULL, FAULT_OP_CHANGE);

		for (int64_t n = 1 + (int64_t)(i & 1); n < calls; n += unit_step(2)) {
			struct cut c = {.at = n};

			faultvfs_track();
			faultvfs_arm(FAULT_OP_CHANGE, 0, false, false);
			faultvfs.before = cut_power;
			faultvfs.ctx = &c;
			assert_ok(run_it(&s), e);
			faultvfs_disarm();
			assert_true(c.taken);
			for (unsigned seed = 0; seed < 4; seed++) {
				char name[32];

				snprintf(name, sizeof(name), "cut%u/t.db", seed);
				is_old_or_new(&s, name, E_UNCERTAIN);
				remove_db(name);
			}
		}
	}
}

/* What was reported as stored is there after a power cut that spares nothing unsynced. */
static void what_was_stored_survives_the_power_cut(void **state)
{
	static struct sweep s;

	for (size_t i = 0; i < ARRAY_LEN(acts); i++) {
		char got[DIGEST];
		struct db *db;

		rehearse(&s, &acts[i], NULL, 0);
		copy_db("old.db", "t.db");
		faultvfs_track();
		db = open_db("t.db");
		assert_ok(acts[i].run(db, &e), e);
		faultvfs_power_off(path_of("cut0"), 0);
		db_close(db);
		faultvfs_disarm();
		digest_of("cut0/t.db", got);
		assert_string_equal(got, s.new);
		unlink(path_of("cut0/t.db"));
	}
}

/* ---- C6, C17: others --------------------------------------------------------------------------------- */

static sqlite3 *open_raw(const char *name)
{
	sqlite3 *sq = NULL;

	assert_int_equal(sqlite3_open(path_of(name), &sq), SQLITE_OK);
	return sq;
}

static void raw_sql(sqlite3 *sq, const char *text)
{
	assert_int_equal(sqlite3_exec(sq, text, NULL, NULL, NULL), SQLITE_OK);
}

static void who_meets_a_lock_waits_and_says_so(void **state)
{
	static struct sweep s;

	for (size_t i = 0; i < ARRAY_LEN(acts); i++) {
		struct db *db, *reader = NULL;
		char got[DIGEST];
		sqlite3 *other;

		rehearse(&s, &acts[i], NULL, 0);
		copy_db("old.db", "t.db");
		other = open_raw("t.db");
		raw_sql(other, "BEGIN IMMEDIATE; DELETE FROM meta WHERE key = 'nothing'");
		db = open_db("t.db");
		faultvfs_arm(0, 0, false, false);
		assert_err(acts[i].run(db, &e), e, E_BUSY, "locked");
		assert_contains(e.fix, "another tpucost is writing");
		assert_true(faultvfs.slept_ms >= 9000);
		assert_true(faultvfs.slept_ms <= 40000);
		/* a reader is not held up */
		assert_ok(db_open(path_of("t.db"), DB_READ, &clk, &reader, &e), e);
		assert_string_equal(digest(reader, got), s.old);
		db_close(reader);
		raw_sql(other, "COMMIT");
		assert_ok(acts[i].run(db, &e), e);
		assert_string_equal(digest(db, got), s.new);
		db_close(db);
		sqlite3_close(other);
	}
}

static void who_cannot_even_open_it_says_that_it_is_locked(void **state)
{
	struct db *db = NULL;
	sqlite3 *other;

	copy_db("old.db", "t.db");
	other = open_raw("t.db");
	raw_sql(other,
		"PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; DELETE FROM meta WHERE "
		"key "
		"= 'nothing'; COMMIT");
	for (int mode = DB_READ; mode <= DB_WRITE; mode++) {
		assert_err(db_open(path_of("t.db"), (enum db_mode)mode, &clk, &db, &e), e,
			E_BUSY, "locked");
		assert_contains(e.fix, "try again");
	}
	sqlite3_close(other);
	db_close(open_db("t.db"));
}

static int64_t size_of(const char *name)
{
	struct stat st;

	return stat(path_of(name), &st) ? -1 : (int64_t)st.st_size;
}

/* Somebody reads for hours: the -wal grows meanwhile, and no longer. */
static void the_wal_of_a_long_reader_goes_when_it_is_done(void **state)
{
	char before[DIGEST], during[DIGEST];
	struct db *db, *reader = NULL;
	struct db_tx tx = {0};
	int64_t once;

	copy_db("old.db", "t.db");
	chmod(path_of("t.db"), 0600); /* of one that others read the -wal stays, empty */
	db = open_db("t.db");
	assert_ok(db_open(path_of("t.db"), DB_READ, &clk, &reader, &e), e);
	assert_ok(db_begin(reader, &tx, &e), e);
	digest(reader, before);
	assert_ok(store_units(db, 1, &e), e);
	once = size_of("t.db-wal");
	for (int i = 2; i <= 100; i++)
		assert_ok(store_units(db, i, &e), e);
	assert_string_equal(digest(reader, during), before);
	assert_true(size_of("t.db-wal") > 20 * once);
	assert_ok(db_commit(&tx, &e), e);
	db_close(reader);
	/* from now on it is used anew from its beginning */
	assert_ok(store_units(db, 101, &e), e);
	once = size_of("t.db-wal");
	for (int i = 102; i <= 110; i++)
		assert_ok(store_units(db, i, &e), e);
	assert_int_equal(size_of("t.db-wal"), once);
	db_close(db);
	assert_int_equal(size_of("t.db-wal"), -1);
	assert_true(size_of("t.db") < 1000000);
}

/* ---- C7 to C9: files that are not what they should be --------------------------------------------------- */

static char *slurp(const char *name, size_t *len)
{
	FILE *f = fopen(path_of(name), "r");
	char *text = malloc(2000000);

	assert_non_null(f);
	assert_non_null(text);
	*len = fread(text, 1, 2000000, f);
	fclose(f);
	return text;
}

static void spill(const char *name, const char *data, size_t len)
{
	FILE *f = fopen(path_of(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* Refused in both modes, not a byte changed, nothing left beside it. */
static void is_refused(const char *name, const char *why)
{
	size_t len, after, files = tempdir_count(&dir);
	char *data = slurp(name, &len), *again;

	for (int mode = DB_READ; mode <= DB_WRITE; mode++) {
		struct db *db = NULL;
		enum err_code rc;

		err_clear(&e);
		rc = db_open(path_of(name), (enum db_mode)mode, &clk, &db, &e);
		assert_err(rc, e, E_DB, why);
		assert_contains(e.msg, name);
	}
	again = slurp(name, &after);
	assert_int_equal(after, len);
	assert_memory_equal(again, data, len);
	assert_int_equal(tempdir_count(&dir), files);
	free(data);
	free(again);
}

static void what_is_no_database_is_refused_untouched(void **state)
{
	static const char text[] =
		"To be, or not to be, that is the question, but not here.";
	static char noise[9000];
	uint64_t x = 1;

	for (size_t i = 0; i < sizeof(noise); i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		noise[i] = (char)(x >> 56);
	}
	spill("bad.db", text, sizeof(text));
	is_refused("bad.db", "not a database");
	spill("bad.db", noise, sizeof(noise));
	is_refused("bad.db", "not a database");
	memcpy(noise, "SQLite format 3", 16);
	spill("bad.db", noise, sizeof(noise));
	is_refused("bad.db", "");
	memset(noise, 0, sizeof(noise));
	spill("bad.db", noise, sizeof(noise));
	is_refused("bad.db", "not a database");
	unlink(path_of("bad.db"));
	assert_int_equal(mkdir(path_of("bad.db"), 0700), 0);
	for (int mode = DB_READ; mode <= DB_WRITE; mode++) {
		struct db *db = NULL;

		assert_err(db_open(path_of("bad.db"), (enum db_mode)mode, &clk, &db, &e), e,
			E_DB, "it is a directory");
	}
	assert_int_equal(rmdir(path_of("bad.db")), 0);
}

/* An empty file is what mktemp makes: a writer may begin in it, a reader finds nothing. */
static void an_empty_file_is_no_database_yet(void **state)
{
	struct db *db = NULL;

	spill("empty.db", "", 0);
	assert_err(db_open(path_of("empty.db"), DB_READ, &clk, &db, &e), e, E_DB,
		"not a tpucost database");
	assert_int_equal(size_of("empty.db"), 0);
	db = open_db("empty.db");
	assert_ok(db_check(db, &e), e);
	db_close(db);
}

static void databases_of_others_are_refused_untouched(void **state)
{
	sqlite3 *sq;

	unlink(path_of("bad.db"));
	sq = open_raw("bad.db");
	raw_sql(sq, "CREATE TABLE usage (cost); INSERT INTO usage VALUES (1)");
	sqlite3_close(sq);
	is_refused("bad.db", "not a tpucost database");
	sq = open_raw("bad.db");
	raw_sql(sq, "PRAGMA application_id = 252006673; PRAGMA user_version = 1");
	sqlite3_close(sq);
	is_refused("bad.db", "not a tpucost database");
	copy_db("old.db", "bad.db");
	sq = open_raw("bad.db");
	raw_sql(sq, "PRAGMA journal_mode = DELETE; PRAGMA user_version = 99");
	sqlite3_close(sq);
	is_refused("bad.db", "newer tpucost (schema 99");
	assert_contains(e.fix, "upgrade");
}

/* A database that ends too early, at every quarter of a page near its beginning. */
static void a_database_that_was_cut_off_is_not_believed(void **state)
{
	char want[DIGEST], got[DIGEST];
	size_t len;
	char *data;

	digest_of("old.db", want);
	data = slurp("old.db", &len);
	for (size_t n = 1024; n < len; n += n < 16384 ? 1024 : 16384) {
		struct db *db = NULL;

		spill("bad.db", data, n);
		err_clear(&e);
		if (db_open(path_of("bad.db"), DB_READ, &clk, &db, &e)) {
			assert_int_equal(e.code, E_DB);
			continue;
		}
		if (!db_check(db, &e)) {
			digest(db, got);
			assert_string_equal(got, want);
		}
		db_close(db);
	}
	free(data);
	unlink(path_of("bad.db"));
}

/* Every page of the file in turn has a broken head. Whatever is asked is answered rightly,
 * or with an error that says what to do; and checking finds it. */
static void a_broken_page_is_found_and_never_shown(void **state)
{
	char want[DIGEST];
	size_t len, found = 0, pages;
	char *data;

	digest_of("old.db", want);
	data = slurp("old.db", &len);
	pages = len / 4096;
	assert_true(pages > 30);
	for (size_t page = 1; page < pages; page++) {
		struct db *db = NULL;
		sqlite3_stmt *st = NULL;
		char kept[32];
		int rc;

		memcpy(kept, data + page * 4096, sizeof(kept));
		memset(data + page * 4096, 0xff, sizeof(kept));
		spill("bad.db", data, len);
		memcpy(data + page * 4096, kept, sizeof(kept));
		if (db_open(path_of("bad.db"), DB_READ, &clk, &db, &e)) {
			assert_err(e.code, e, E_DB, "malformed");
			assert_contains(e.fix, "restore a backup");
			continue;
		}
		rc = sqlite3_prepare_v2(db->sq, digest_sql, -1, &st, NULL);
		if (!rc)
			rc = sqlite3_step(st);
		if (rc == SQLITE_ROW)
			assert_string_equal((const char *)sqlite3_column_text(st, 0), want);
		else
			assert_int_equal(rc & 0xff, SQLITE_CORRUPT);
		found += rc != SQLITE_ROW;
		sqlite3_finalize(st);
		assert_err(db_check(db, &e), e, E_DB, "");
		db_close(db);
	}
	assert_true(found > 5);
	free(data);
	unlink(path_of("bad.db"));
}

static void writing_into_a_damaged_file_says_what_to_do(void **state)
{
	struct db *db;
	sqlite3 *sq;
	char root[32], *data;
	size_t len, page;

	copy_db("old.db", "bad.db");
	db = open_db("bad.db");
	query(db, "SELECT rootpage FROM sqlite_schema WHERE name = 'import_file'", root,
		sizeof(root));
	db_close(db);
	page = strtoul(root, NULL, 10) - 1;
	data = slurp("bad.db", &len);
	memset(data + page * 4096, 0xff, 32);
	spill("bad.db", data, len);
	free(data);
	db = open_db("bad.db");
	assert_err(import_rows_file(db, &e), e, E_DB, "malformed");
	assert_contains(e.fix, "restore a backup");
	db_close(db);
	sq = open_raw("bad.db");
	raw_sql(sq, "SELECT 1");
	sqlite3_close(sq);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_write_fails_a_stored_bill_is_whole),
		cmocka_unit_test(whatever_write_fails_an_import_is_whole),
		cmocka_unit_test(whatever_write_fails_a_poll_is_whole),
		cmocka_unit_test(a_bill_larger_than_the_cache_is_whole),
		cmocka_unit_test(whatever_read_fails_a_stored_bill_is_whole),
		cmocka_unit_test(what_follows_in_a_transaction_that_is_over_is_refused),
		cmocka_unit_test(whatever_allocation_of_the_engine_fails_nothing_is_half),
		cmocka_unit_test(a_program_without_memory_leaves_the_old_or_the_new),
		cmocka_unit_test(a_sync_that_fails_is_never_taken_for_a_success),
		cmocka_unit_test(whenever_the_power_goes_it_is_the_old_or_the_new),
		cmocka_unit_test(what_was_stored_survives_the_power_cut),
		cmocka_unit_test(who_meets_a_lock_waits_and_says_so),
		cmocka_unit_test(who_cannot_even_open_it_says_that_it_is_locked),
		cmocka_unit_test(the_wal_of_a_long_reader_goes_when_it_is_done),
		cmocka_unit_test(what_is_no_database_is_refused_untouched),
		cmocka_unit_test(an_empty_file_is_no_database_yet),
		cmocka_unit_test(databases_of_others_are_refused_untouched),
		cmocka_unit_test(a_database_that_was_cut_off_is_not_believed),
		cmocka_unit_test(a_broken_page_is_found_and_never_shown),
		cmocka_unit_test(writing_into_a_damaged_file_says_what_to_do),
	};

	return cmocka_run_group_tests(tests, begin, end);
}

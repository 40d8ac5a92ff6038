/* Derived rows: which are filled for which SQL, by whom, and how long they stay. The rows
 * themselves are in test_derived_rows.c and test_derived_compare.c. */
#include "db/internal.h"
#include "db_sql.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

typedef enum err_code put_fn(struct db *db, const char *table, struct err *e);

/* Who fills. */
struct world {
	struct db *db;
	char filled[1024];  /* tables, in the order in which they were asked for */
	const char *broken; /* the table that cannot be filled */
	bool late;          /* not even when its rows were put */
	const char *asker;  /* who fills this one asks ... */
	const char *asks;   /* ... that */
	int64_t told;       /* and is answered this */
	put_fn *put;        /* NULL: no rows */
	int done;           /* how often it was told that it is over */
};

static struct tempdb t;
static struct world first, second;

typedef enum err_code open_fn(
	struct db *db, const char *sql, int64_t ms, struct db_cursor *c, struct err *e);

static enum err_code open_rule(
	struct db *db, const char *sql, int64_t ms, struct db_cursor *c, struct err *e)
{
	(void)ms;
	return db_cursor_open_rule(db, sql, false, c, e);
}

static open_fn *const ways[] = {db_cursor_open, db_cursor_open_own, open_rule};

/* The first value of it as an integer. */
static enum err_code ask_by(
	open_fn *by, struct db *db, const char *sql, int64_t *v, struct err *e)
{
	struct db_cursor c;
	enum err_code rc;
	bool row;

	if (by(db, sql, 1000, &c, e))
		return e->code;
	rc = db_cursor_step(&c, &row, e);
	if (!rc)
		*v = row ? db_cursor_i64(&c, 0) : -2;
	db_cursor_close(&c);
	return rc;
}

static enum err_code fill(void *ctx, const char *table, struct err *e)
{
	struct world *w = ctx;
	bool broken = w->broken && !strcmp(table, w->broken);

	snprintf(w->filled + strlen(w->filled), sizeof(w->filled) - strlen(w->filled),
		"%s ", table);
	if (broken && !w->late)
		return err_set(e, E_NET, "no %s today", table);
	if (w->asker && !strcmp(table, w->asker) &&
		ask_by(db_cursor_open_own, w->db, w->asks, &w->told, e))
		return e->code;
	if (w->put && w->put(w->db, table, e))
		return e->code;
	return broken ? err_set(e, E_NET, "no %s today", table) : E_OK;
}

static void done(void *ctx)
{
	((struct world *)ctx)->done++;
}

static void begin(struct world *w, put_fn *put)
{
	struct err e = {0};

	assert_ok(db_fill_derived(t.db, fill, done, w, &e), e);
	*w = (struct world){.db = t.db, .put = put}; /* it may be the one of before */
}

static enum err_code put_moment(struct db *db, const char *table, struct err *e)
{
	struct row_as_of row = {
		.now = 7, .timezone = "UTC", .currency = "USD", .today = "1970-01-01"};

	return strcmp(table, "as_of") ? E_OK : derived_put_as_of(db, &row, e);
}

/* A moment, and two things to stop. */
static enum err_code put_two(struct db *db, const char *table, struct err *e)
{
	static const struct row_advised_stop b = {"b"}, a = {"a"};

	if (strcmp(table, "advised_stop") != 0)
		return put_moment(db, table, e);
	return derived_put_advised_stop(db, &b, e) ? e->code
						   : derived_put_advised_stop(db, &a, e);
}

static enum err_code put_one(struct db *db, const char *table, struct err *e)
{
	static const struct row_advised_stop c = {"c"};

	if (strcmp(table, "advised_stop") != 0)
		return put_moment(db, table, e);
	return derived_put_advised_stop(db, &c, e);
}

static int setup(void **state)
{
	tempdb_open(&t, 1795219200);
	begin(&first, put_moment);
	return 0;
}

/* -1: it cannot be opened, or not be read. */
static int64_t ask(open_fn *by, const char *sql)
{
	struct err e = {0};
	int64_t v = -1;

	return ask_by(by, t.db, sql, &v, &e) ? -1 : v;
}

static int64_t own(const char *sql)
{
	return ask(db_cursor_open_own, sql);
}

/* By a named query, which is kept; "a b ". */
static enum err_code advised(char buf[32], struct err *e)
{
	struct q_advised_list q;
	struct db_rows rows;

	*buf = '\0';
	if (q_advised_list_open(t.db, &rows, e))
		return e->code;
	while (q_advised_list_next(&rows, &q))
		snprintf(buf + strlen(buf), 32 - strlen(buf), "%s ", q.id);
	return db_rows_close(&rows, e);
}

static void assert_advised(const char *want)
{
	struct err e = {0};
	char got[32];

	assert_ok(advised(got, &e), e);
	assert_string_equal(got, want);
}

/* ---- what is filled ---------------------------------------------------------------------------- */

static void only_what_is_read_is_filled_and_once(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		begin(&first, put_moment);
		assert_i64_eq(ask(ways[i], "SELECT 1"), 1);
		assert_string_equal(first.filled, "");
		assert_i64_eq(ask(ways[i], "SELECT count(*) FROM present"), 1);
		assert_string_equal(first.filled, "as_of ");
		assert_i64_eq(ask(ways[i], "SELECT count(*) FROM present"), 1);
		assert_i64_eq(ask(ways[i], "SELECT count(*) FROM holds"), 0);
		assert_string_equal(first.filled, "as_of ");
		assert_i64_eq(ask(ways[i], "SELECT count(*) FROM hidden_costs"), 0);
		assert_string_equal(first.filled, "as_of verdict belonging ");
	}
}

static void words_alone_are_not_reading(void **state)
{
	static const char *const texts[] = {
		"SELECT 2 AS burn_part WHERE 'verdict' <> ''",
		"SELECT 2 -- FROM verdict",
		"SELECT 2 /* FROM verdict */",
		"SELECT x.verdict FROM (SELECT 2 AS verdict) AS x",
		"SELECT verdict.x FROM (SELECT 2 AS x) AS verdict",
		"WITH verdict AS (SELECT 2 AS x) SELECT x FROM verdict",
	};

	for (size_t i = 0; i < ARRAY_LEN(ways); i++)
		for (size_t k = 0; k < ARRAY_LEN(texts); k++) {
			assert_i64_eq(ask(ways[i], texts[k]), 2);
			if (*first.filled)
				fail_msg("%s fills %s", texts[k], first.filled);
		}
	assert_i64_eq(own("SELECT count(*) + 2 FROM resource AS verdict"), 2);
	assert_string_equal(first.filled, "");
	assert_i64_eq(own("SELECT count(verdict) FROM reconcile_part"), 0);
	assert_string_equal(first.filled, "reconcile_part ");
}

/* It reads no column of them. */
static void what_is_counted_is_filled(void **state)
{
	assert_i64_eq(own("SELECT count(*) FROM as_of"), 1);
	assert_i64_eq(own("SELECT count(*) FROM \"As_Of\" WHERE NOT EXISTS (SELECT 1 FROM "
			  "burn_part)"),
		1);
	assert_string_equal(first.filled, "as_of burn_part ");
	assert_i64_eq(own("SELECT 3 WHERE (SELECT count(*) FROM [residual]) = 0"), 3);
	assert_i64_eq(own("SELECT count(*) FROM resource, `activity`"), 0);
	assert_string_equal(first.filled, "as_of burn_part residual activity ");
}

/* Of users only views, and what is refused costs nothing. */
static void tables_are_not_shown_to_users(void **state)
{
	static const char *const refused[] = {"SELECT count(*) FROM as_of",
		"SELECT now FROM as_of", "SELECT count(*) FROM main.resources",
		"SELECT count(*) FROM \"main\".as_of", "SELECT count(*) FROM main.present",
		"SELECT count(*) FROM temp.as_of", "SELECT count(*) FROM main.holds"};

	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		assert_i64_eq(ask(db_cursor_open, refused[i]), -1);
		assert_i64_eq(ask(open_rule, refused[i]), -1);
	}
	assert_string_equal(first.filled, "");
	assert_i64_eq(ask(db_cursor_open, "SELECT 5"), 5);
	assert_string_equal(first.filled, "");
	assert_i64_eq(ask(db_cursor_open, "SELECT count(*) FROM temp.resources"), 0);
}

static void nobody_writes_them_by_sql(void **state)
{
	static const char *const writes[] = {
		"INSERT INTO advised_stop VALUES ('z')",
		"UPDATE advised_stop SET id = 'z'",
		"DELETE FROM advised_stop",
	};

	begin(&first, put_two);
	assert_advised("a b ");
	for (size_t i = 0; i < ARRAY_LEN(writes); i++) {
		assert_int_not_equal(
			sqlite3_exec(t.db->sq, writes[i], NULL, NULL, NULL), SQLITE_OK);
		assert_string_equal(
			sqlite3_errmsg(t.db->sq), "table advised_stop may not be modified");
	}
	assert_advised("a b ");
}

/* The statement is not prepared again when the rows are others. */
static void a_query_that_is_kept_knows_what_it_reads(void **state)
{
	begin(&first, put_two);
	/* what others prepared meanwhile is not what it reads */
	sqlite3_exec(t.db->sq, "EXPLAIN SELECT * FROM verdict", NULL, NULL, NULL);
	assert_advised("a b ");
	assert_advised("a b ");
	assert_string_equal(first.filled, "advised_stop ");
	begin(&second, put_one);
	assert_advised("c ");
	assert_advised("c ");
	assert_string_equal(second.filled, "advised_stop ");
	assert_string_equal(first.filled, "advised_stop ");
}

/* Then the one that is kept is in use, and another one is prepared. */
static void a_query_inside_its_own_loop_reads_the_same(void **state)
{
	struct q_advised_list q;
	struct db_rows rows;
	struct err e = {0};
	int n = 0;

	begin(&first, put_two);
	assert_ok(q_advised_list_open(t.db, &rows, &e), e);
	for (; q_advised_list_next(&rows, &q); n++)
		assert_advised("a b ");
	assert_ok(db_rows_close(&rows, &e), e);
	assert_int_equal(n, 2);
	assert_string_equal(first.filled, "advised_stop ");
}

/* Rules are judged over it. What is derived later does not change it. */
static void a_view_that_is_frozen_is_filled(void **state)
{
	struct err e = {0};

	tempdb_exec(&t,
		"INSERT INTO hold (id, until, comment, created) VALUES ('a', 9, '', 1)");
	assert_ok(db_freeze_view(t.db, "holds", "id", &e), e);
	assert_string_equal(first.filled, "as_of ");
	begin(&second, NULL);
	assert_i64_eq(ask(open_rule, "SELECT active FROM holds"), 1);
	assert_string_equal(second.filled, "");
	db_unfreeze_view(t.db, "holds");
	assert_i64_eq(ask(open_rule, "SELECT count(*) FROM holds"), 0);
	assert_string_equal(second.filled, "as_of ");
}

/* ---- by whom ----------------------------------------------------------------------------------- */

/* The tables that a statement waits for are filled one after the other, not in the midst of the
 * first. */
static void who_fills_waits_for_nobody_else(void **state)
{
	begin(&first, put_two);
	first.asker = "as_of";
	first.asks = "SELECT count(*) FROM advised_stop";
	assert_i64_eq(
		ask(db_cursor_open, "SELECT count(*) FROM present CROSS JOIN hidden_costs"),
		0);
	assert_string_equal(first.filled, "as_of advised_stop verdict belonging ");
	assert_i64_eq(first.told, 2);
	assert_advised("a b ");
	assert_string_equal(first.filled, "as_of advised_stop verdict belonging ");
}

/* One that the statement outside waits for as well. */
static void what_was_filled_meanwhile_is_not_filled_again(void **state)
{
	first.asker = "as_of";
	first.asks = "SELECT count(*) FROM belonging";
	assert_i64_eq(
		ask(db_cursor_open, "SELECT count(*) FROM present CROSS JOIN hidden_costs"),
		0);
	assert_string_equal(first.filled, "as_of belonging verdict ");
}

/* A window, and what is in it. */
static enum err_code put_beside(struct db *db, const char *table, struct err *e)
{
	struct row_window_part part = {.id = "a", .uid = "u", .category = table};
	struct row_window_span span = {1, 2};

	if (!strcmp(table, "window_span") &&
		(derived_put_window_span(db, &span, e) ||
			derived_put_window_part(db, &part, e)))
		return e->code;
	return strcmp(table, "window_part") ? E_OK : derived_put_window_part(db, &part, e);
}

static void who_fills_may_put_rows_of_others(void **state)
{
	begin(&first, put_beside);
	assert_i64_eq(own("SELECT ends FROM window_span"), 2);
	assert_string_equal(first.filled, "window_span ");
	assert_i64_eq(
		own("SELECT count(*) FROM window_part WHERE category = 'window_span'"), 1);
	assert_i64_eq(
		own("SELECT count(*) FROM window_part WHERE category = 'window_part'"), 1);
	assert_string_equal(first.filled, "window_span window_part ");
}

static void what_is_read_to_fill_itself_is_a_bug(void **state)
{
	struct err e = {0};
	int64_t v;

	first.asker = "verdict";
	first.asks = "SELECT count(*) FROM verdict";
	for (int i = 0; i < 2; i++) {
		err_clear(&e);
		assert_err(ask_by(db_cursor_open, t.db, "SELECT count(*) FROM hidden_costs",
				   &v, &e),
			e, E_BUG, "derived table verdict is read to fill itself");
	}
	first.asker = NULL;
	assert_i64_eq(ask(db_cursor_open, "SELECT count(*) FROM hidden_costs"), 0);
}

/* Filling one reads a second, and filling that reads the first. */
static enum err_code put_in_circle(struct db *db, const char *table, struct err *e)
{
	struct db_cursor c;

	if (strcmp(table, "activity") != 0)
		return put_moment(db, table, e);
	if (db_cursor_open(db, "SELECT count(*) FROM present", 1000, &c, e))
		return e->code;
	db_cursor_close(&c);
	return E_OK;
}

static void a_circle_is_a_bug_too(void **state)
{
	struct err e = {0};
	int64_t v;

	begin(&first, put_in_circle);
	first.asker = "as_of";
	first.asks = "SELECT count(*) FROM activity";
	assert_err(ask_by(db_cursor_open, t.db, "SELECT count(*) FROM present", &v, &e), e,
		E_BUG, "derived table as_of is read to fill itself");
	first.put = put_moment;
	assert_i64_eq(ask(db_cursor_open, "SELECT count(*) FROM present"), 1);
	assert_string_equal(first.filled, "as_of activity as_of activity ");
}

static void what_cannot_be_filled_cannot_be_read(void **state)
{
	struct err e = {0};
	char got[32];
	int64_t v;

	begin(&first, put_two);
	first.broken = "as_of";
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		err_clear(&e);
		assert_err(ask_by(ways[i], t.db, "SELECT count(*) FROM present", &v, &e), e,
			E_NET, "no as_of today");
	}
	err_clear(&e);
	assert_err(db_freeze_view(t.db, "present", NULL, &e), e, E_NET, "no as_of today");
	first.broken = "advised_stop";
	err_clear(&e);
	assert_err(advised(got, &e), e, E_NET, "no advised_stop today");
	assert_i64_eq(ask(db_cursor_open, "SELECT count(*) FROM present"), 1);
	first.broken = NULL;
	assert_advised("a b ");
}

/* What was put before that is not there twice later. */
static void half_of_a_table_is_forgotten(void **state)
{
	struct err e = {0};
	int64_t v;

	first.broken = "as_of";
	first.late = true;
	assert_err(ask_by(db_cursor_open_own, t.db, "SELECT count(*) FROM as_of", &v, &e),
		e, E_NET, "no as_of today");
	first.broken = NULL;
	assert_i64_eq(own("SELECT count(*) FROM as_of"), 1);
}

static struct db *reader(void)
{
	struct db *db = NULL;
	struct err e = {0};

	assert_ok(db_open(t.path, DB_READ, &t.clock, &db, &e), e);
	return db;
}

/* An empty answer would say that there is nothing. */
static void what_nobody_derived_cannot_be_read(void **state)
{
	static const char why[] = "derived table as_of is read, but nothing was derived";
	struct row_as_of row = {0};
	struct db *db = reader();
	struct q_advised_list q;
	struct arena a = {0};
	struct err e = {0};
	bool found = true;
	int64_t v = -1;

	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		err_clear(&e);
		assert_err(ask_by(ways[i], db, "SELECT count(*) FROM present", &v, &e), e,
			E_BUG, why);
	}
	assert_err(q_advised_list_one(db, &a, &q, &found, &e), e, E_BUG, "advised_stop");
	assert_int_equal(db_derived_need(db, 1, NULL), E_BUG);
	assert_err(db_derived_all(db, NULL, &e), e, E_BUG, why);
	assert_int_equal(sqlite3_exec(db->sq, "SELECT * FROM as_of", NULL, NULL, NULL),
		SQLITE_ERROR);
	assert_string_equal(sqlite3_errmsg(db->sq), "as_of is read before it is filled");

	db_derived_empty(db);
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		assert_ok(ask_by(ways[i], db, "SELECT count(*) FROM present", &v, &e), e);
		assert_i64_eq(v, 0);
	}
	assert_ok(q_advised_list_one(db, &a, &q, &found, &e), e);
	assert_false(found);
	assert_ok(db_derived_all(db, NULL, &e), e);
	assert_err(derived_put_as_of(db, &row, &e), e, E_BUG, "as_of is full already");
	db_close(db);
	arena_done(&a);
}

/* Also what was filled before. */
static void empty_is_empty(void **state)
{
	begin(&first, put_two);
	assert_advised("a b ");
	db_derived_empty(t.db);
	assert_int_equal(first.done, 1);
	assert_advised("");
	assert_i64_eq(own("SELECT count(*) FROM as_of"), 0);
	assert_string_equal(first.filled, "advised_stop ");
}

/* ---- how long ---------------------------------------------------------------------------------- */

static void another_world_is_filled_anew(void **state)
{
	static const char stops[] = "SELECT count(*) FROM advised_stop WHERE id = ";
	char sql[128];

	begin(&first, put_two);
	assert_i64_eq(own("SELECT count(*) FROM present, advised_stop"), 2);
	begin(&second, put_one);
	assert_i64_eq(own("SELECT count(*) FROM present, advised_stop"), 1);
	snprintf(sql, sizeof(sql), "%s'a'", stops);
	assert_i64_eq(own(sql), 0);
	snprintf(sql, sizeof(sql), "%s'c'", stops);
	assert_i64_eq(own(sql), 1);
	assert_string_equal(first.filled, "as_of advised_stop ");
	assert_string_equal(second.filled, "as_of advised_stop ");
}

static enum err_code put_verdicts(struct db *db, const char *table, int n, struct err *e)
{
	for (int i = n; i && !strcmp(table, "verdict"); i--) {
		char id[8];
		struct row_verdict row = {.id = id, .why = i % 2 ? "old" : "new"};

		snprintf(id, sizeof(id), "%02d-%d", i, n);
		if (derived_put_verdict(db, &row, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code put_many(struct db *db, const char *table, struct err *e)
{
	return put_verdicts(db, table, 40, e);
}

static enum err_code put_few(struct db *db, const char *table, struct err *e)
{
	return put_verdicts(db, table, 10, e);
}

/* By a column that is not the key, rows are looked up in an order that was made of the old ones. */
static void look_ups_are_made_anew(void **state)
{
	static const char by_why[] = "SELECT count(*) FROM verdict WHERE why = 'old'";

	begin(&first, put_many);
	assert_i64_eq(own(by_why), 20);
	begin(&second, put_few);
	assert_i64_eq(own(by_why), 5);
	begin(&first, put_many);
	assert_i64_eq(own(by_why), 20);
	assert_i64_eq(own("SELECT count(*) FROM verdict WHERE id = '07-40'"), 1);
}

static const char *one_key(void *ctx, uint32_t number, int column)
{
	(void)ctx, (void)column;
	return number ? "b" : "a";
}

static void one_row(void *ctx, uint32_t number, void *row)
{
	*(struct row_advised_stop *)row = (struct row_advised_stop){
		.id = one_key(ctx, number, 0)};
}

static enum err_code compute_two(void *ctx, const char *table, struct err *e)
{
	static const struct db_computed by = {one_row, one_key};

	if (strcmp(table, "advised_stop") != 0)
		return E_OK;
	db_derived_compute(t.db, DERIVED_ADVISED_STOP, &by, ctx);
	return db_derived_add(t.db, DERIVED_ADVISED_STOP, 1, e) ||
			db_derived_add(t.db, DERIVED_ADVISED_STOP, 0, e)
		? e->code
		: E_OK;
}

/* What they are computed from is there until the next derivation. */
static void computed_rows_stay(void **state)
{
	struct world third = {.db = NULL};
	struct err e = {0};

	assert_ok(db_fill_derived(t.db, compute_two, done, &third, &e), e);
	assert_ok(db_derived_all(t.db, NULL, &e), e);
	assert_int_equal(third.done, 0);
	assert_i64_eq(own("SELECT count(*) FROM advised_stop WHERE id = 'b'"), 1);
	assert_i64_eq(own("SELECT min(id) = 'a' FROM advised_stop"), 1);
	assert_err(db_derived_add(t.db, DERIVED_ADVISED_STOP, 2, &e), e, E_BUG,
		"derived table advised_stop is full already");
	begin(&first, NULL);
	assert_int_equal(third.done, 1);
	assert_i64_eq(own("SELECT count(*) FROM advised_stop WHERE id = 'b'"), 0);
}

static void it_is_over_once(void **state)
{
	struct world third = {.db = NULL};
	struct db *db = reader();
	struct err e = {0};

	assert_int_equal(first.done, 0);
	begin(&second, NULL);
	assert_int_equal(first.done, 1);
	assert_int_equal(second.done, 0);
	/* nothing is left to do */
	second.broken = "budget_state";
	assert_err(db_derived_all(t.db, NULL, &e), e, E_NET, "no budget_state today");
	assert_int_equal(second.done, 0);
	second.broken = NULL;
	assert_ok(db_derived_all(t.db, NULL, &e), e);
	assert_int_equal(second.done, 1);
	assert_ok(db_derived_all(t.db, NULL, &e), e);
	begin(&first, NULL);
	assert_int_equal(second.done, 1);
	assert_int_equal(first.done, 0);

	assert_ok(db_fill_derived(db, fill, done, &third, &e), e);
	db_close(db);
	assert_int_equal(third.done, 1);
	assert_int_equal(second.done, 1);
	/* who has nothing to end */
	assert_ok(db_fill_derived(t.db, fill, NULL, &second, &e), e);
	assert_ok(db_fill_derived(t.db, NULL, NULL, NULL, &e), e);
	assert_int_equal(second.done, 1);
}

static void every_table_is_filled_at_once(void **state)
{
	char want[1024] = "";
	struct err e = {0};

	for (int i = 0; i < db_n_derived_tables; i++)
		snprintf(want + strlen(want), sizeof(want) - strlen(want), "%s ",
			db_derived_tables[i].name);
	assert_ok(db_derived_all(t.db, NULL, &e), e);
	assert_string_equal(first.filled, want);
}

/* Its rows would be gone. */
static void while_one_is_read_nothing_is_derived_anew(void **state)
{
	struct q_advised_list q;
	struct db_rows rows;
	struct err e = {0};

	begin(&first, put_two);
	assert_ok(q_advised_list_open(t.db, &rows, &e), e);
	assert_true(q_advised_list_next(&rows, &q));
	assert_string_equal(q.id, "a");
	second = (struct world){.db = t.db, .put = put_one};
	assert_err(db_fill_derived(t.db, fill, done, &second, &e), e, E_BUG,
		"derived table advised_stop is being read");
	assert_int_equal(second.done, 1);
	assert_int_equal(first.done, 0);
	err_clear(&e);
	assert_err(db_fill_derived(t.db, fill, NULL, &second, &e), e, E_BUG, "being read");
	/* another one of the same moment */
	assert_i64_eq(own("SELECT now FROM as_of"), 7);
	assert_string_equal(first.filled, "advised_stop as_of ");
	assert_string_equal(q.id, "a");
	assert_true(q_advised_list_next(&rows, &q));
	assert_string_equal(q.id, "b");
	assert_false(q_advised_list_next(&rows, &q));
	assert_ok(db_rows_close(&rows, &e), e);
	begin(&second, put_one);
	assert_int_equal(first.done, 1);
	assert_advised("c ");
}

static void a_cursor_of_a_user_reads_as_well(void **state)
{
	struct db_cursor c;
	struct err e = {0};
	bool row;

	assert_ok(db_cursor_open(t.db, "SELECT today FROM present", 1000, &c, &e), e);
	assert_ok(db_cursor_step(&c, &row, &e), e);
	assert_true(row);
	assert_err(db_fill_derived(t.db, NULL, NULL, NULL, &e), e, E_BUG, "as_of");
	assert_string_equal(db_cursor_text(&c, 0), "1970-01-01");
	db_cursor_close(&c);
	err_clear(&e);
	assert_ok(db_fill_derived(t.db, NULL, NULL, NULL, &e), e);
}

/* Nothing was read yet, and what it would read is not there any more. */
static void a_cursor_of_before_finds_no_rows_of_after(void **state)
{
	struct db_cursor c;
	struct err e = {0};
	bool row = true;

	assert_ok(db_cursor_open(t.db, "SELECT today FROM present", 1000, &c, &e), e);
	begin(&second, put_moment);
	assert_int_not_equal(db_cursor_step(&c, &row, &e), E_OK);
	assert_contains(e.msg, "as_of is read before it is filled");
	assert_false(row);
	db_cursor_close(&c);
}

/* They are not of the file, nor of a transaction. */
static void what_was_filled_stays_when_a_transaction_does_not(void **state)
{
	struct db_tx tx = {0};
	struct err e = {0};

	assert_ok(db_begin(t.db, &tx, &e), e);
	assert_i64_eq(ask(db_cursor_open, "SELECT count(*) FROM present"), 1);
	db_tx_end(&tx);
	assert_i64_eq(ask(db_cursor_open, "SELECT count(*) FROM present"), 1);
	assert_string_equal(first.filled, "as_of ");
}

static int64_t holds_seen(struct db *db)
{
	struct err e = {0};
	int64_t n = -1;

	assert_ok(db_pragma(db, "SELECT COUNT(*) FROM hold", &n, &e), e);
	return n;
}

/* Also behind what is filled, and behind a transaction. */
static void who_holds_a_moment_sees_no_later_one(void **state)
{
	struct world w = {.put = put_moment};
	struct db_tx tx = {0};
	struct err e = {0};
	int64_t n;

	w.db = reader();
	assert_ok(db_hold(w.db, &e), e);
	tempdb_exec(&t,
		"INSERT INTO hold (id, until, comment, created) VALUES ('a', 9, '', 1)");
	assert_i64_eq(holds_seen(w.db), 0);
	assert_ok(db_fill_derived(w.db, fill, done, &w, &e), e);
	assert_ok(db_begin(w.db, &tx, &e), e);
	assert_ok(ask_by(db_cursor_open, w.db, "SELECT count(*) FROM holds", &n, &e), e);
	assert_i64_eq(n, 0);
	assert_ok(db_commit(&tx, &e), e);
	assert_i64_eq(holds_seen(w.db), 0);
	db_close(w.db);
	w.db = reader();
	assert_i64_eq(holds_seen(w.db), 1);
	db_close(w.db);
}

/* The engine reads it all at once, which is most of what a small question would cost. */
static void who_reads_no_table_of_the_file_reads_no_schema(void **state)
{
	static const char *const texts[] = {
		"SELECT 1", "SELECT now FROM present", "SELECT 1 FROM holds"};
	int used[ARRAY_LEN(texts)], high;
	struct db *db = reader();
	struct db_cursor c;
	struct err e = {0};

	assert_ok(db_hold(db, &e), e);
	db_derived_empty(db);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		assert_ok(db_cursor_open_own(db, texts[i], 1000, &c, &e), e);
		db_cursor_close(&c);
		sqlite3_db_status(db->sq, SQLITE_DBSTATUS_SCHEMA_USED, &used[i], &high, 0);
	}
	assert_true(used[0] * 20 < used[2]);
	db_close(db);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(only_what_is_read_is_filled_and_once),
		TEST(words_alone_are_not_reading),
		TEST(what_is_counted_is_filled),
		TEST(tables_are_not_shown_to_users),
		TEST(nobody_writes_them_by_sql),
		TEST(a_query_that_is_kept_knows_what_it_reads),
		TEST(a_query_inside_its_own_loop_reads_the_same),
		TEST(a_view_that_is_frozen_is_filled),
		TEST(who_fills_waits_for_nobody_else),
		TEST(what_was_filled_meanwhile_is_not_filled_again),
		TEST(who_fills_may_put_rows_of_others),
		TEST(what_is_read_to_fill_itself_is_a_bug),
		TEST(a_circle_is_a_bug_too),
		TEST(what_cannot_be_filled_cannot_be_read),
		TEST(half_of_a_table_is_forgotten),
		TEST(what_nobody_derived_cannot_be_read),
		TEST(empty_is_empty),
		TEST(another_world_is_filled_anew),
		TEST(look_ups_are_made_anew),
		TEST(computed_rows_stay),
		TEST(it_is_over_once),
		TEST(every_table_is_filled_at_once),
		TEST(while_one_is_read_nothing_is_derived_anew),
		TEST(a_cursor_of_a_user_reads_as_well),
		TEST(a_cursor_of_before_finds_no_rows_of_after),
		TEST(what_was_filled_stays_when_a_transaction_does_not),
		TEST(who_holds_a_moment_sees_no_later_one),
		TEST(who_reads_no_table_of_the_file_reads_no_schema),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

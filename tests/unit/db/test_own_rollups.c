/* Rollups of the bill that a connection makes for itself, where those of the file do not fit. */
#include "db/answer.h"
#include "db/internal.h"
#include "db/vocab.h"
#include "db_sql.h"
#include "rules/bill/days.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static struct tempdb t;
static struct db *last; /* reader */

/* Who knows whether those of the file fit, and makes others. */
static struct {
	bool fit;                    /* what is answered */
	bool cannot_tell, cannot_do; /* not even that */
	int asked, made;
} rollups;

static enum err_code fit(void *ctx, bool *fits, struct err *e)
{
	(void)ctx;
	rollups.asked++;
	if (rollups.cannot_tell)
		return err_set(e, E_IO, "cannot tell");
	*fits = rollups.fit;
	return E_OK;
}

#define DAYS                                                                              \
	"INSERT INTO calendar (day, date, starts, ends) VALUES (1, '1970-01-02', 86400, " \
	"172800), (2, '1970-01-03', 172800, 259200);"                                     \
	"INSERT INTO cost_day (day, sku_ref, project_ref, place_ref, resource_ref, "      \
	"charge_ref, cost, credits, promo) VALUES (1, 1, 1, 1, 1, 1, 5, 0, 0), "          \
	"(2, 1, 1, 1, 1, 1, 5, 0, 0)"

/* Two days, where the file has one. */
static enum err_code roll_up(void *ctx, struct err *e)
{
	struct db *db = ctx;

	rollups.made++;
	if (db_make_rollups(db, e) || db_exec(db, DAYS, e))
		return e->code;
	return rollups.cannot_do ? err_set(e, E_NET, "cannot do") : E_OK;
}

static void ask_for(struct db *db, bool fits)
{
	memset(&rollups, 0, sizeof(rollups));
	rollups.fit = fits;
	db_ask_rollups(db, fit, roll_up, db);
}

static int setup(void **state)
{
	memset(&rollups, 0, sizeof(rollups));
	tempdb_open(&t, 1795219200);
	tempdb_exec(&t,
		"INSERT INTO charge (charge_ref, invoice_month, cost_type, currency, "
		"usage_unit, rate) VALUES (1, '197001', 'regular', 'USD', 'hour', 1);"
		"INSERT INTO calendar (day, date, starts, ends) VALUES "
		"(0, '1970-01-01', 0, 86400);"
		"INSERT INTO cost_day (day, sku_ref, project_ref, place_ref, resource_ref, "
		"charge_ref, cost, credits, promo) VALUES (0, 1, 1, 1, 1, 1, 5, 0, 0)");
	return 0;
}

static int teardown(void **state)
{
	db_close(last);
	last = NULL;
	tempdb_close(&t);
	return 0;
}

/* Closed when there is another one. */
static struct db *reader(void)
{
	struct err e = {0};

	db_close(last);
	last = NULL;
	assert_ok(db_open(t.path, DB_READ, &t.clock, &last, &e), e);
	db_derived_empty(last);
	return last;
}

/* ---- ways to read them ------------------------------------------------------------------------- */

typedef enum err_code read_fn(struct db *db, int64_t *days, struct err *e);

static enum err_code step(struct db_cursor *c, int64_t *v, struct err *e)
{
	enum err_code rc;
	bool row;

	rc = db_cursor_step(c, &row, e);
	if (!rc && row)
		*v = db_cursor_i64(c, 0);
	db_cursor_close(c);
	return rc;
}

static enum err_code ask_own(struct db *db, const char *sql, int64_t *v, struct err *e)
{
	struct db_cursor c;

	return db_cursor_open_own(db, sql, 1000, &c, e) ? e->code : step(&c, v, e);
}

static enum err_code by_columns(struct db *db, int64_t *days, struct err *e)
{
	return ask_own(db, "SELECT count(DISTINCT day) FROM cost_day", days, e);
}

static enum err_code by_counting(struct db *db, int64_t *days, struct err *e)
{
	return ask_own(db, "SELECT count(*) FROM cost_day", days, e);
}

static enum err_code by_a_user(struct db *db, int64_t *days, struct err *e)
{
	struct db_cursor c;

	return db_cursor_open(db, "SELECT count(*) FROM costs", 1000, &c, e)
		? e->code
		: step(&c, days, e);
}

static enum err_code by_a_rule(struct db *db, int64_t *days, struct err *e)
{
	struct db_cursor c;

	return db_cursor_open_rule(db, "SELECT count(*) FROM costs", false, &c, e)
		? e->code
		: step(&c, days, e);
}

static enum err_code by_name(struct db *db, int64_t *days, struct err *e)
{
	struct q_upkeep_days q;
	struct db_rows rows;
	int64_t n = 0;

	if (q_upkeep_days_open(db, &rows, e))
		return e->code;
	while (q_upkeep_days_next(&rows, &q))
		n++;
	*days = n;
	return db_rows_close(&rows, e);
}

static read_fn *const ways[] = {by_columns, by_counting, by_a_user, by_a_rule, by_name};

static int64_t days_by(read_fn *way, struct db *db)
{
	struct err e = {0};
	int64_t n = -1;

	assert_ok(way(db, &n, &e), e);
	return n;
}

static void assert_lost(struct db *db)
{
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct err e = {0};
		int64_t n;

		assert_err(ways[i](db, &n, &e), e, E_DB, "computed rollups were lost");
	}
}

/* ---- when they are asked for ------------------------------------------------------------------- */

/* "@" stands for a name. */
static void assert_asked(struct db *db, const char *sql, const char *name, int asked)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct err e = {0};
	int64_t v;

	for (; *sql; sql++)
		if (*sql == '@')
			sbuf_adds(&b, name);
		else
			sbuf_addc(&b, *sql);
	assert_ok(ask_own(db, b.s, &v, &e), e);
	if (rollups.asked != asked)
		fail_msg("%s: asked %d times", b.s, rollups.asked);
}

static void they_are_asked_for_once_and_when_one_is_read(void **state)
{
	static const char *const reads[] = {"SELECT max(day) FROM @",
		"SELECT count(*) FROM @", "SELECT count(*) FROM [@]",
		"SELECT 1 WHERE EXISTS (SELECT 1 FROM \"@\")",
		"SELECT count(*) FROM main.@", "SELECT 1 FROM hold, @",
		"WITH x AS (SELECT * FROM @) SELECT count(*) FROM x"};
	static const char *const others[] = {"SELECT 1", "SELECT '@' AS @",
		"SELECT count(*) FROM hold AS [@]",
		"SELECT day -- FROM @\nFROM estimate_errors",
		"WITH @ AS (SELECT 1 AS day) SELECT day FROM @",
		"WITH x AS (SELECT * FROM @) SELECT 1", "SELECT now FROM present",
		"SELECT count(*) FROM resources"};

	assert_int_equal(db_n_rollups, 5);
	for (int i = 0; i < db_n_rollups; i++)
		for (size_t k = 0; k < ARRAY_LEN(reads); k++) {
			struct db *db = reader();

			ask_for(db, true);
			for (size_t j = 0; j < ARRAY_LEN(others); j++)
				assert_asked(db, others[j], db_rollups[i], 0);
			assert_asked(db, reads[k], db_rollups[i], 1);
			assert_asked(db, reads[k], db_rollups[i], 1);
			assert_asked(db, "SELECT max(day) FROM cost_day", "", 1);
		}
}

/* In capitals too; and nobody is asked who has nothing to say. */
static void names_are_known_in_capitals(void **state)
{
	struct db *db = reader();

	assert_asked(db, "SELECT count(*) FROM Cost_Day", "", 0);
	assert_i64_eq(days_by(by_a_user, db), 1);
	db = reader();
	ask_for(db, true);
	assert_asked(db, "SELECT count(*) FROM CALENDAR", "", 1);
}

/* It is not run, and the next statement is another one. */
static void what_is_refused_reads_nothing(void **state)
{
	static const char *const refused[] = {
		"SELECT nothing FROM costs", "SELECT day FROM calendar"};

	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		struct db *db = reader();
		struct db_cursor c;
		struct err e = {0};

		ask_for(db, false);
		assert_int_equal(db_cursor_open(db, refused[i], 1000, &c, &e), E_USAGE);
		assert_int_equal(rollups.asked, 0);
		if (ask_own(db, "SELECT 1", &(int64_t){0}, &e) || rollups.asked)
			fail_msg("%s: asked for behind it", refused[i]);
	}
}

static void who_cannot_tell_is_asked_again(void **state)
{
	struct db *db = reader();

	ask_for(db, true);
	rollups.cannot_tell = true;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct err e = {0};
		int64_t n;

		assert_err(ways[i](db, &n, &e), e, E_IO, "cannot tell");
	}
	assert_int_equal(rollups.asked, ARRAY_LEN(ways));
	rollups.cannot_tell = false;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++)
		assert_i64_eq(days_by(ways[i], db), 1);
	assert_int_equal(rollups.asked, ARRAY_LEN(ways) + 1);
}

/* ---- which are read ---------------------------------------------------------------------------- */

static void what_fits_is_read_where_it_is(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct db *db = reader();

		ask_for(db, true);
		for (size_t k = 0; k < ARRAY_LEN(ways); k++)
			assert_i64_eq(days_by(ways[(i + k) % ARRAY_LEN(ways)], db), 1);
		assert_int_equal(rollups.asked, 1);
		assert_int_equal(rollups.made, 0);
	}
}

/* Also by the statement that asked, whichever it is. */
static void what_does_not_fit_is_made_once_and_read(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct db *db = reader();

		ask_for(db, false);
		for (size_t k = 0; k < 2 * ARRAY_LEN(ways); k++)
			assert_i64_eq(days_by(ways[(i + k) % ARRAY_LEN(ways)], db), 2);
		assert_int_equal(rollups.asked, 1);
		assert_int_equal(rollups.made, 1);
	}
	assert_i64_eq(tempdb_int(&t, "SELECT count(*) FROM cost_day"), 1);
}

/* By SQL over facts, as most of them are. */
static enum err_code fill_from_facts(void *ctx, const char *table, struct err *e)
{
	struct row_as_of row = {.timezone = "UTC", .currency = "USD", .today = ""};
	struct q_sku_list q;
	struct db_rows rows;
	enum err_code rc = q_sku_list_open(ctx, &rows, e);

	while (!rc && q_sku_list_next(&rows, &q))
		;
	rc = rc ? rc : db_rows_close(&rows, e);
	return rc || strcmp(table, "as_of") != 0 ? rc : derived_put_as_of(ctx, &row, e);
}

static void a_view_is_frozen_with_them(void **state)
{
	struct err e = {0};

	ask_for(t.db, false);
	assert_ok(db_freeze_view(t.db, "costs", NULL, &e), e);
	assert_int_equal(rollups.made, 1);
	assert_i64_eq(days_by(by_a_rule, t.db), 2);
	db_unfreeze_view(t.db, "costs");
	assert_i64_eq(days_by(by_a_rule, t.db), 2);
	assert_int_equal(rollups.made, 1);
}

/* Who derives reads the bill as well, in the midst of another statement. */
static enum err_code fill(void *ctx, const char *table, struct err *e)
{
	struct row_as_of row = {.timezone = "UTC", .currency = "USD", .today = ""};

	if (strcmp(table, "as_of") != 0)
		return E_OK;
	return by_name(ctx, &row.now, e) ? e->code : derived_put_as_of(ctx, &row, e);
}

/* The rows that it needs are filled by other statements, after it was seen that it reads rollups. */
static void a_view_is_frozen_with_them_and_with_rows(void **state)
{
	struct err e = {0};

	ask_for(t.db, false);
	assert_ok(db_fill_derived(t.db, fill_from_facts, NULL, t.db, &e), e);
	assert_ok(db_freeze_view(t.db, "costs", NULL, &e), e);
	assert_int_equal(rollups.made, 1);
	assert_i64_eq(days_by(by_a_rule, t.db), 2);
}

static void who_fills_derived_rows_may_be_the_first(void **state)
{
	static const char *const texts[] = {
		"SELECT now FROM as_of", "SELECT now * count(*) / 2 FROM as_of, cost_day"};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct db *db = reader();
		struct err e = {0};
		int64_t v = 0;

		ask_for(db, false);
		assert_ok(db_fill_derived(db, fill, NULL, db, &e), e);
		assert_ok(ask_own(db, texts[i], &v, &e), e);
		assert_i64_eq(v, 2);
		assert_int_equal(rollups.made, 1);
	}
}

/* ---- when they are gone ------------------------------------------------------------------------ */

static void what_cannot_be_made_cannot_be_read(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct db *db = reader();
		struct err e = {0};
		int64_t n;

		ask_for(db, false);
		rollups.cannot_do = true;
		assert_err(ways[i](db, &n, &e), e, E_NET, "cannot do");
		rollups.cannot_do = false;
		assert_lost(db);
		assert_int_equal(rollups.made, 1);
		assert_int_equal(rollups.asked, 1);
	}
}

static void a_view_of_them_is_not_frozen(void **state)
{
	struct err e = {0};

	ask_for(t.db, false);
	rollups.cannot_do = true;
	assert_err(db_freeze_view(t.db, "costs", NULL, &e), e, E_NET, "cannot do");
	err_clear(&e);
	assert_err(db_freeze_view(t.db, "costs", NULL, &e), e, E_DB, "were lost");
}

/* The names would mean those of the file again. */
static void what_was_rolled_back_is_missed(void **state)
{
	struct db_tx tx = {0};
	struct err e = {0};

	for (size_t i = 0; ways[i] != by_name; i++) {
		ask_for(t.db, false);
		assert_ok(db_begin(t.db, &tx, &e), e);
		assert_i64_eq(days_by(ways[i], t.db), 2);
		db_tx_end(&tx);
		assert_lost(t.db);
		assert_int_equal(rollups.made, 1);
	}
}

/* Also by a query that was prepared while they were there: the engine prepares it again by itself. */
static void a_query_that_is_kept_misses_it_too(void **state)
{
	struct db_tx tx = {0};
	struct err e = {0};

	ask_for(t.db, false);
	assert_ok(db_begin(t.db, &tx, &e), e);
	assert_i64_eq(days_by(by_name, t.db), 2);
	db_tx_end(&tx);
	assert_lost(t.db);
}

/* Who only reads keeps temporary tables when a transaction ends, but the engine may end it itself. */
static void a_reader_loses_them_by_the_engine_alone(void **state)
{
	struct db *db = reader();
	struct db_tx tx = {0};
	struct err e = {0};

	ask_for(db, false);
	assert_ok(db_begin(db, &tx, &e), e);
	assert_i64_eq(days_by(by_columns, db), 2);
	db_tx_end(&tx);
	assert_i64_eq(days_by(by_columns, db), 2);

	db = reader();
	ask_for(db, false);
	assert_ok(db_begin(db, &tx, &e), e);
	assert_i64_eq(days_by(by_columns, db), 2);
	assert_ok(db_exec(db, "ROLLBACK", &e), e);
	db_tx_end(&tx);
	assert_lost(db);
}

static void a_later_transaction_does_not_take_them(void **state)
{
	struct db_tx tx = {0};
	struct err e = {0};

	for (int committed = 0; committed < 2; committed++) {
		struct db *db = NULL;

		assert_ok(db_open(t.path, DB_WRITE, &t.clock, &db, &e), e);
		db_derived_empty(db);
		ask_for(db, false);
		if (committed)
			assert_ok(db_begin(db, &tx, &e), e);
		assert_i64_eq(days_by(by_columns, db), 2);
		if (committed)
			assert_ok(db_commit(&tx, &e), e);
		assert_ok(db_begin(db, &tx, &e), e);
		assert_i64_eq(days_by(by_a_user, db), 2);
		db_tx_end(&tx);
		for (size_t i = 0; i < ARRAY_LEN(ways); i++)
			assert_i64_eq(days_by(ways[i], db), 2);
		assert_int_equal(rollups.made, 1);
		db_close(db);
	}
}

/* ---- the smallest ------------------------------------------------------------------------------ */

/* Until the answer is hidden; and then the same are there as before. */
static void an_answer_is_shown_in_their_place(void **state)
{
	const struct billing_question q = {.time = ASK_DAY, .until = 10 * INT64_C(86400)};
	cleanup(arena_done) struct arena a = {0};
	cleanup(tz_free_ptr) struct tz *tz = NULL;
	struct err e = {0};
	bool found;

	assert_ok(tz_open("UTC", &tz, &e), e);
	tempdb_exec(&t,
		"INSERT INTO detail_line SELECT 7, 1, 0, 86400 * value, 1, 1, 1, 1, 1, 0, "
		"0, 9, "
		"0, 0, 0, 1 FROM json_each('[1, 2, 3]')");
	tempdb_exec(&t,
		arena_printf(&a, "INSERT INTO detail_answer VALUES (7, '%s', '', 0, 0)",
			db_question_text(&q, tz, &a)));
	for (int fits = 0; fits < 2; fits++) {
		struct db *db = reader();

		ask_for(db, fits);
		for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
			db_answer_hide(db); /* without any */
			assert_ok(db_answer_show(db, &q, tz, &found, &e), e);
			assert_true(found);
			assert_i64_eq(days_by(ways[i], db), 3);
			db_answer_hide(db);
			assert_i64_eq(days_by(ways[i], db), fits ? 1 : 2);
		}
		assert_int_equal(rollups.asked, 1);
		assert_int_equal(rollups.made, fits ? 0 : 1 + (int)ARRAY_LEN(ways));
	}
}

static void sums_take_the_small_rollup_when_it_is_enough(void **state)
{
	assert_string_equal(bill_view(NULL), "sku_costs_exact");
	assert_string_equal(
		bill_view("category = 'cpu' AND usage_unit = 'h'"), "sku_costs_exact");
	assert_string_equal(bill_view("\"Zone\" = 'a'"), "costs_exact");
	assert_string_equal(bill_view("cost > 1"), "costs_exact");
	assert_string_equal(bill_view("resource"), "costs_exact");
}

static void conditions_over_names_are_told_from_others(void **state)
{
	static const char *const others[] = {"cost > 1", "category = 'cpu' AND net > 0",
		"\"Day\" = 'a'", "status = 'settled'", "usage > 1",
		"project IN (SELECT project FROM burn)", "promo", "random() > 0",
		"list_cost_n = 1", "rowid = 1"};

	assert_true(
		bill_by_names("category = 'cpu' AND usage_unit = 'h' OR zone LIKE 'us-%'"));
	assert_true(bill_by_names("invoice_month = '202611' OR owner = 'cost_center'"));
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (bill_by_names(others[i]))
			fail_msg("by names: %s", others[i]);
}

static void assert_column(const char *of, const char *name)
{
	struct err e = {0};
	struct db_cursor c;
	char sql[256];

	snprintf(sql, sizeof(sql), "SELECT costs.%s FROM %s costs", name, of);
	if (db_cursor_open_rule(t.db, sql, false, &c, &e))
		fail_msg("%s: %s", of, e.msg);
	db_cursor_close(&c);
}

/* A condition over costs is applied to all of them. */
static void what_stands_for_costs_has_its_columns(void **state)
{
	static const char *const all[] = {"costs_exact", "cost_lines_exact",
		"hour_costs_exact", "focus_exact", "charges_exact"};
	const struct view *costs = view_find("costs");

	for (size_t i = 0; i < costs->n; i++) {
		const char *name = costs->columns[i].name;

		for (size_t k = 0; k < ARRAY_LEN(all); k++)
			assert_column(all[k], name);
		assert_column(bill_view(name), name);
		if (bill_by_names(name))
			assert_column("bill_names_exact", name);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(they_are_asked_for_once_and_when_one_is_read),
		TEST(names_are_known_in_capitals),
		TEST(what_is_refused_reads_nothing),
		TEST(who_cannot_tell_is_asked_again),
		TEST(what_fits_is_read_where_it_is),
		TEST(what_does_not_fit_is_made_once_and_read),
		TEST(a_view_is_frozen_with_them),
		TEST(a_view_is_frozen_with_them_and_with_rows),
		TEST(who_fills_derived_rows_may_be_the_first),
		TEST(what_cannot_be_made_cannot_be_read),
		TEST(a_view_of_them_is_not_frozen),
		TEST(what_was_rolled_back_is_missed),
		TEST(a_query_that_is_kept_misses_it_too),
		TEST(a_reader_loses_them_by_the_engine_alone),
		TEST(a_later_transaction_does_not_take_them),
		TEST(an_answer_is_shown_in_their_place),
		TEST(sums_take_the_small_rollup_when_it_is_enough),
		TEST(conditions_over_names_are_told_from_others),
		TEST(what_stands_for_costs_has_its_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

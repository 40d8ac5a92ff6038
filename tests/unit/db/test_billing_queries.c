/* The queries of billing, each asked by itself: of rows that differ in one column from those that it finds,
 * it finds none. */
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static struct tempdb t;

#define expect(query, params, want) assert_string_equal(tempdb_ask(&t, query, params), want)
#define expect_sql(sql, want) tempdb_expect(&t, sql, want)

/* Tables 1 to 3, and units 10 and 11 of the first two. */
static int setup(void **state)
{
	tempdb_open(&t, 10000);
	tempdb_exec(&t,
		"INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count) VALUES (1, 'a', 'US', 0, 0), (2, 'b', 'US', 0, 0), (3, 'c', "
		"'US', "
		"0, 0);"
		"INSERT INTO billing_unit (table_id, unit, row_count, exported, ingested, "
		"gone, "
		"recipe) VALUES (1, 10, 110, 1, 100, 0, 7), (1, 11, 111, 2, 200, 0, 8), "
		"(2, 10, "
		"210, 3, 300, 0, 9), (2, 11, 211, 4, 400, 1, 9);"
		"INSERT INTO billing_unit_sum (table_id, unit, currency, cost, credits) "
		"VALUES "
		"(1, 10, 'USD', 5, -1), (1, 10, 'HKD', 6, -2), (1, 11, 'USD', 7, -3), (2, "
		"10, "
		"'USD', 8, -4);"
		"INSERT INTO billing_day (table_id, unit, account, day) VALUES (1, 10, "
		"'A', "
		"10), (1, 10, 'B', 10), (1, 10, 'A', 9), (1, 11, 'A', 11), (2, 10, 'A', "
		"12);"
		"INSERT INTO billing_quarantine (table_id, unit, row_count, exported, "
		"since, "
		"seen, last) VALUES (1, 10, 1000, 1, 1, 1, 1), (1, 11, 1001, 2, 2, 2, 2), "
		"(2, "
		"10, 1002, 3, 3, 3, 3), (2, 11, 1003, 4, 4, 4, 4);"
		"INSERT INTO billed_project (project_ref, project, number, account) VALUES "
		"(1, "
		"'p', '', 'A'), (2, 'p', '', ''), (3, 'q', '', 'A');"
		"INSERT INTO charge (charge_ref, invoice_month, cost_type, currency, "
		"usage_unit, "
		"rate) VALUES (1, '202611', 'regular', 'USD', 'h', 1), (2, '202611', "
		"'regular', "
		"'HKD', 'h', 8), (3, '202610', 'tax', 'USD', '', 1);"
		"PRAGMA foreign_keys = OFF");
	return 0;
}

/* ---- tables and units -------------------------------------------------------------------------- */

static void a_table_keeps_what_is_not_set(void **state)
{
	tempdb_ask(&t, "billing_table_set", "10,11,12,13,14,15,16,2");
	tempdb_ask(&t, "billing_table_set", "-,-,-,-,-,-,-,2");
	expect("billing_table_get", "b", "2 10 11 16 14 12");
	expect_sql("SELECT batch || ' ' || looked FROM billing_table WHERE table_id = 2",
		"13 15");
	expect("billing_table_get", "a", "1 0 0 0 0 1");
	tempdb_ask(&t, "billing_table_set", "20,21,22,23,24,25,26,2");
	expect("billing_table_get", "b", "2 20 21 26 24 22");
	expect_sql("SELECT batch || ' ' || looked FROM billing_table WHERE table_id = 2",
		"23 25");
	tempdb_ask(&t, "billing_table_add", "b,EU,export");
	tempdb_ask(&t, "billing_table_add", "d,EU,export");
	expect_sql("SELECT group_concat(name || location, ' ') FROM billing_table",
		"aUS bEU cUS dEU");
	expect("billing_table_get", "d", "4 0 0 0 0 1");
}

static void a_file_is_named_by_its_path_too(void **state)
{
	tempdb_exec(&t,
		"INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count, kind) VALUES (4, 'file:x#1', '', 0, 0, 'file'), (5, "
		"'file:x#2', '', "
		"0, 0, 'file'), (6, 'file:x#3', '', 0, 0, 'file'), (7, 'file:xy#4', '', 0, "
		"0, "
		"'file'), (8, 'file:z#5', '', 0, 0, 'export')");
	expect("billing_table_named", "a", "1 a");
	expect("billing_table_named", "x", "4 file:x#1; 5 file:x#2");
	expect("billing_table_named", "xy", "7 file:xy#4");
	expect("billing_table_named", "file:x#3", "6 file:x#3");
	expect("billing_table_named", "z", "");
	tempdb_exec(&t, "UPDATE billing_table SET name = 'x' WHERE table_id = 3");
	expect("billing_table_named", "x", "3 x; 4 file:x#1");
	expect("billing_table_newer", "x", "0");
	tempdb_exec(&t, "UPDATE billing_table SET name = 'x@9' WHERE table_id = 2");
	expect("billing_table_newer", "x", "1");
	expect("billing_table_newer", "x@", "0");
}

static void a_bill_is_there_once_it_was_looked_at(void **state)
{
	expect("billing_any", "", "");
	tempdb_ask(&t, "billing_table_set", "-,-,-,-,-,1,-,2");
	expect("billing_any", "", "2");
	tempdb_exec(&t,
		"UPDATE billing_table SET looked = 0; INSERT INTO usage (table_id, unit, "
		"hour, sku_ref, project_ref, place_ref, resource_ref, charge_ref, "
		"credit_ref, usage, cost, credits, row_count) VALUES (3, 10, 0, "
		"1, 1, "
		"1, 1, 1, 0, 0, 1, 0, 1)");
	expect("billing_any", "", "3");
}

static void a_table_is_forgotten_with_all_of_it(void **state)
{
	tempdb_ask(&t, "refused_put", "1,5,6,b,7,why,fix");
	tempdb_ask(&t, "refused_put", "2,5,6,a,7,why,fix");
	tempdb_ask(&t, "bytes_add", "1,202611,1,10");
	tempdb_ask(&t, "bytes_add", "2,202611,1,10");
	tempdb_ask(&t, "import_put", "s1,1,x,1,1");
	tempdb_ask(&t, "import_put", "s2,2,x,1,1");
	tempdb_ask(&t, "billing_table_forget", "1");
	expect_sql("SELECT (SELECT group_concat(table_id) FROM billing_table) || ' ' || "
		   "(SELECT group_concat(table_id) FROM billing_unit) || ' ' || (SELECT "
		   "group_concat(table_id) FROM billing_refused) || ' ' || (SELECT "
		   "group_concat(table_id) FROM billing_bytes) || ' ' || (SELECT "
		   "group_concat(table_id) FROM import_file)",
		"2,3 2,2 2 2 2");
}

static void a_unit_is_of_its_table(void **state)
{
	expect("billing_unit_get", "1,11", "111 2 0 8 200");
	expect("billing_units_from", "1,11", "11 111 0 8");
	expect("billing_units_from", "1,10", "10 110 0 7; 11 111 0 8");
	expect("billing_units_from", "2,11", "11 211 1 9");
	expect("billing_sum_list", "1,10", "HKD 6 -2; USD 5 -1");
	expect("billing_days_of", "1,10", "9; 10");
	expect("billing_days_of", "2,10", "12");
	expect("billing_rows_stored", "1", "2001"); /* as they are on Google's side */
	expect("billing_rows_stored", "2", "1002");
	tempdb_ask(&t, "quarantine_drop", "1,11");
	expect("billing_rows_stored", "1", "1111");
	expect_sql("SELECT group_concat(table_id || '/' || unit, ' ') FROM "
		   "billing_quarantine ORDER BY 1",
		"1/10 2/10 2/11");
	expect("quarantine_get", "2,-", "1002 3 3 3 10; 1003 4 4 4 11");
	expect("quarantine_get", "2,10", "1002 3 3 3 10");
	tempdb_ask(&t, "quarantine_put", "2,10,1,2,9,1");
	expect("quarantine_get", "2,10", "1 2 1 9 10");
	expect_sql("SELECT since FROM billing_quarantine WHERE row_count = 1", "9");
	tempdb_ask(&t, "quarantine_put", "2,10,1,3,10,2");
	expect_sql("SELECT since || ' ' || exported FROM billing_quarantine WHERE seen = 2 "
		   "AND table_id = 2",
		"9 3");
}

static void a_unit_goes_alone(void **state)
{
	tempdb_ask(&t, "billing_unit_gone", "1,10");
	expect_sql("SELECT group_concat(table_id || '/' || unit || '/' || gone, ' ') FROM "
		   "billing_unit",
		"1/10/1 1/11/0 2/10/0 2/11/1");
	expect_sql("SELECT group_concat(table_id || '/' || unit, ' ') FROM "
		   "billing_quarantine",
		"1/11 2/10 2/11");
	tempdb_exec(&t, "INSERT INTO billing_quarantine VALUES (1, 10, 1, 1, 1, 1, 1)");
	tempdb_ask(&t, "billing_unit_drop", "1,10");
	expect_sql("SELECT group_concat(table_id || '/' || unit, ' ') FROM (SELECT * FROM "
		   "billing_unit ORDER BY 1, 2)",
		"1/11 2/10 2/11");
	expect_sql("SELECT group_concat(table_id || '/' || unit, ' ') FROM (SELECT * FROM "
		   "billing_unit_sum ORDER BY 1, 2)",
		"1/11 2/10");
	expect_sql("SELECT group_concat(table_id || '/' || unit, ' ') FROM (SELECT * FROM "
		   "billing_day ORDER BY 1, 2)",
		"1/11 2/10");
	expect_sql("SELECT group_concat(table_id || '/' || unit, ' ') FROM (SELECT * FROM "
		   "billing_quarantine ORDER BY 1, 2)",
		"1/11 2/10 2/11");
}

static void bytes_add_up_by_month(void **state)
{
	tempdb_ask(&t, "bytes_add", "1,202611,1,10");
	tempdb_ask(&t, "bytes_add", "1,202611,2,20");
	tempdb_ask(&t, "bytes_add", "1,202612,4,40");
	tempdb_ask(&t, "bytes_add", "2,202611,8,80");
	expect_sql("SELECT group_concat(table_id || ' ' || queries || ' ' || bytes, ', ') "
		   "FROM billing_bytes ORDER BY 1",
		"1 3 30, 1 4 40, 2 8 80");
}

/* Until the table, or the other one, was read again. */
static void a_refusal_holds_for_what_was_seen(void **state)
{
	tempdb_ask(&t, "refused_put", "3,4,5,x,6,no,no");
	tempdb_ask(&t, "refused_put", "3,5,6,b,401,why,fix");
	expect("refused_get", "3,5,6", "why fix");
	expect("refused_get", "3,4,6", "");
	expect("refused_get", "3,5,5", "");
	expect("refused_get", "1,5,6", "");
	tempdb_exec(&t, "UPDATE billing_unit SET ingested = 401 WHERE table_id = 1");
	expect("refused_get", "3,5,6", "why fix");
	tempdb_exec(&t, "UPDATE billing_unit SET ingested = 401 WHERE table_id = 2");
	expect("refused_get", "3,5,6", "");
	tempdb_exec(&t, "UPDATE billing_refused SET at = 402, other = 'gone'");
	expect("refused_get", "3,5,6", "");
	tempdb_ask(&t, "refused_drop", "2");
	expect_sql("SELECT COUNT(*) FROM billing_refused", "1");
	tempdb_ask(&t, "refused_drop", "3");
	expect_sql("SELECT COUNT(*) FROM billing_refused", "0");
}

static void a_day_was_reported_by_an_earlier_poll(void **state)
{
	tempdb_exec(&t,
		"CREATE TEMP TABLE calendar (day, date, starts, ends);"
		"INSERT INTO temp.calendar VALUES (11, 'd11', 11 * 86400, 12 * 86400), "
		"(12, "
		"'d12', 12 * 86400, 13 * 86400), (13, 'd13', 13 * 86400, 14 * 86400), (9, "
		"'d9h', 9 "
		"* 86400 + 1800, 10 * 86400 + 1800), (8, 'd8', 8 * 86400, 9 * 86400);"
		"INSERT INTO restatement VALUES (1, 'd12', '', '', '', 0, 0, 0, 0)");
	expect("day_reported", "d11,200", "0 0");
	expect("day_reported", "d11,201", "1 0");
	expect("day_reported", "d12,301", "1 1");
	expect("day_reported", "d13,1", "0 0");
	expect("day_reported", "d9h,1", "1 0");
	expect("day_reported", "d8,1", "0 0");
}

/* ---- what is staged ---------------------------------------------------------------------------- */

static void stage(int64_t unit, int64_t hour, int project, int charge, int credit,
	int64_t cost, int64_t credits)
{
	tempdb_execf(&t,
		"INSERT INTO stage_usage VALUES (%lld, %lld, 1, %d, 1, 1, %d, %d, 1, %lld, "
		"%lld, 3, 2, 1)",
		(long long)unit, (long long)hour, project, charge, credit, (long long)cost,
		(long long)credits);
}

static void use(int table, int64_t unit, int64_t hour, int project, int charge, int credit,
	int64_t cost, int64_t credits)
{
	tempdb_execf(&t,
		"INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, place_ref, "
		"resource_ref, charge_ref, credit_ref, usage, cost, credits, row_count) "
		"VALUES (%d, %lld, %lld, 1, %d, 1, 1, %d, %d, 1, %lld, "
		"%lld, "
		"1)",
		table, (long long)unit, (long long)hour, project, charge, credit,
		(long long)cost, (long long)credits);
}

static void two_have_the_same_days(void **state)
{
	static const struct {
		const char *set, *want;
	} cases[] = {{"day = 9", ""}, {"account = 'B'", ""}, {"account = ''", " 10 b"},
		{"table_id = 1", ""}};

	tempdb_exec(&t,
		"DELETE FROM billing_day; UPDATE billing_table SET batch = 5 WHERE "
		"table_id <> 1");
	stage(10, 10 * 86400, 1, 1, 0, 1, 0);
	stage(10, 10 * 86400 + 3600, 1, 1, 0, 1, 0);
	stage(11, 11 * 86400, 1, 1, 0, 1, 0);
	tempdb_ask(&t, "stage_day_fill", "");
	tempdb_ask(&t, "stage_day_fill", "");
	expect_sql(
		"SELECT group_concat(unit || ' ' || project_ref || ' ' || day, ', ') FROM "
		"stage_day",
		"10 1 10, 11 1 11");
	expect("stage_days", "", "10; 11");
	tempdb_ask(&t, "billing_day_fill", "2");
	expect_sql(
		"SELECT group_concat(table_id || ' ' || unit || ' ' || account || ' ' || "
		"day, ', ') FROM billing_day",
		"2 10 A 10, 2 11 A 11");
	expect("billing_overlap", "1,0", "A 10 b");
	expect("billing_overlap", "2,0", "");
	/* files of one command */
	expect("billing_overlap", "1,5", "");
	tempdb_exec(&t, "UPDATE billing_table SET batch = 0");
	expect("billing_overlap", "1,0", "A 10 b");
	tempdb_exec(&t,
		"DELETE FROM billing_day WHERE day = 11; UPDATE billing_table SET "
		"batch = 5");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		tempdb_exec(&t, "SAVEPOINT s");
		tempdb_execf(&t, "UPDATE billing_day SET %s", cases[i].set);
		assert_string_equal(tempdb_ask(&t, "billing_overlap", "1,4"),
			*cases[i].want ? "A 10 b" : "");
		/* one says whose it is, the other does not */
		assert_string_equal(tempdb_ask(&t, "billing_overlap", "1,5"),
			*cases[i].want ? "A 10 b" : "");
		tempdb_exec(&t, "ROLLBACK TO s; RELEASE s");
	}
	tempdb_exec(&t, "UPDATE stage_day SET project_ref = 2");
	expect("billing_overlap", "1,5", " 10 b");
}

static void what_is_stored_is_dropped_by_its_hours(void **state)
{
	for (int hour = 99; hour <= 201; hour += 34)
		for (int table = 1; table <= 2; table++)
			for (int unit = 10; unit <= 11; unit++)
				use(table, unit, hour, 1, 1, 0, 1, 0);
	tempdb_ask(&t, "usage_drop", "133,201,1,10");
	expect_sql("SELECT group_concat(table_id || '/' || unit || '/' || hour, ' ') FROM "
		   "usage "
		   "WHERE table_id = 1 AND unit = 10",
		"1/10/99 1/10/201");
	expect_sql("SELECT COUNT(*) FROM usage", "14");
}

static void what_is_staged_is_taken(void **state)
{
	stage(10, 100, 1, 1, 0, 5, -1);
	stage(11, 101, 3, 2, 1, 6, -2);
	tempdb_ask(&t, "stage_take", "3");
	expect_sql("SELECT group_concat(table_id || ' ' || unit || ' ' || hour || ' ' || "
		   "project_ref || charge_ref || credit_ref || ' ' || cost || ' ' || "
		   "credits || "
		   "' ' || discount || ' ' || committed, ', ') FROM usage",
		"3 10 100 110 5 -1 3 2, 3 11 101 321 6 -2 3 2");
	expect("stage_lines", "", "10 1 5 -1 1; 11 2 6 -2 1");
	tempdb_ask(&t, "stage_clear", "");
	expect("stage_lines", "", "");
}

static void a_name_has_one_number(void **state)
{
	static const struct {
		const char *query, *one, *other;
	} names[] = {{"sku_put", "s,S,k,K", "s,S,k,L"},
		{"billed_project_put", "x,1,A", "x,1,B"}, {"place_put", "l,r,z", "l,r,y"},
		{"billed_resource_put", "r,g,l,o", "r,g,m,o"},
		{"charge_put", "m,c,USD,h,1,M,N", "m,c,USD,h,2,M,N"},
		{"charge_put", "m,c,USD,h,1,M,N", "m,c,USD,h,1,L,N"},
		{"charge_put", "m,c,USD,h,1,M,N", "m,c,USD,h,1,M,O"},
		{"credit_type_put", "x", "y"}};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char first[16];

		snprintf(first, sizeof(first), "%s",
			tempdb_ask(&t, names[i].query, names[i].one));
		assert_string_not_equal(
			tempdb_ask(&t, names[i].query, names[i].other), first);
		assert_string_equal(tempdb_ask(&t, names[i].query, names[i].one), first);
	}
}

static void the_newest_price_stays(void **state)
{
	tempdb_ask(&t, "billed_price_put", "s,k,USD,h,,1,5,100");
	tempdb_ask(&t, "billed_price_put", "s,k,USD,h,,1,6,99");
	expect_sql("SELECT price || ' ' || hour FROM billed_price", "5 100");
	tempdb_ask(&t, "billed_price_put", "s,k,USD,h,,1,7,100");
	expect_sql("SELECT price || ' ' || hour FROM billed_price", "7 100");
	tempdb_ask(&t, "billed_price_put", "s,k,USD,h,,1,8,101");
	expect_sql("SELECT price || ' ' || hour FROM billed_price", "8 101");
	/* that of a commitment is another price */
	tempdb_ask(&t, "billed_price_put", "s,k,USD,h,M,1,4,102");
	expect_sql("SELECT group_concat(model || price, ' ') FROM billed_price", "8 M4");
}

static void a_file_is_known_with_its_batch(void **state)
{
	tempdb_ask(&t, "import_put", "s1,2,x,11,12");
	tempdb_ask(&t, "import_put", "s2,9,x,13,14");
	expect("import_get", "s1", "12 11 2 0");
	tempdb_ask(&t, "billing_table_set", "-,-,-,5,-,-,-,2");
	expect("import_get", "s1", "12 11 2 5");
	expect("import_get", "s2", "14 13 9 0");
	expect("import_get", "s3", "");
}

/* ---- what was stored --------------------------------------------------------------------------- */

static void promotions_by_rate_and_hour(void **state)
{
	static const int64_t hours[] = {9, 10, 19, 20, 29, 30, 39, 40};

	tempdb_exec(&t,
		"CREATE TEMP TABLE account_day (day, charge_ref, promo); INSERT INTO "
		"temp.account_day VALUES (4, 1, 1000), (5, 1, 2000), (6, 1, 4000), (7, 1, "
		"8000), "
		"(5, 2, 1), (5, 3, 0)");
	for (size_t i = 0; i < ARRAY_LEN(hours); i++)
		use(1, 10, hours[i], 1, 1, 1, 0, 1 << i);
	use(1, 10, 10, 1, 2, 1, 0, 500);
	use(1, 10, 10, 1, 1, 0, 0, 700);
	use(1, 11, 30, 1, 1, 2, 0, 900);
	/* hours 10 to 19, days 5 and 6, hours 30 to 39 */
	expect("promo_by_rate", "10,20,5,7,30,40",
		"HKD 8 500; USD 1 6; HKD 8 1; USD 1 6000; USD 1 96");
	tempdb_exec(&t, "DELETE FROM usage WHERE hour < 10");
	expect("promo_by_rate", "10,11,5,5,30,30", "HKD 8 500; USD 1 2");
	expect("promo_by_hour", "",
		"10 HKD 8 500; 10 USD 1 2; 19 USD 1 4; 20 USD 1 8; 29 USD 1 16; 30 USD 1 "
		"32; 39 "
		"USD 1 64; 40 USD 1 128");
	use(1, 12, 40, 1, 1, 1, 0, 2);
	assert_contains(tempdb_ask(&t, "promo_by_hour", ""), "40 USD 1 130");
}

static void a_day_is_restated_in_one_line(void **state)
{
	tempdb_ask(&t, "restatement_put", "5,d,m,USD,1,2,3,4,2");
	tempdb_ask(&t, "restatement_put", "5,d,m,USD,9,9,7,8,2");
	tempdb_ask(&t, "restatement_put", "5,d,m,USD,1,1,1,1,1");
	tempdb_ask(&t, "restatement_put", "5,d,m,USD,1,1,1,1,9");
	expect_sql("SELECT group_concat(source || old_cost || old_credits || new_cost || "
		   "new_credits, ' ') FROM (SELECT * FROM restatement ORDER BY source)",
		"a1111 b1278");
}

static void a_day_is_summed_by_month_and_currency(void **state)
{
	tempdb_exec(&t,
		"CREATE TEMP TABLE calendar (day, date, starts, ends); INSERT INTO "
		"temp.calendar "
		"VALUES (4, 'd4', 0, 40), (5, 'd5', 0, 50), (6, 'd6', 0, 60), (7, 'd7', 0, "
		"70); "
		"CREATE TEMP TABLE cost_day (day, charge_ref, cost, credits); INSERT INTO "
		"temp.cost_day VALUES (4, 1, 1, 0), (5, 1, 2, -1), (5, 1, 4, -2), (5, 2, "
		"8, -4), "
		"(6, 3, 16, -8), (7, 1, 32, 0)");
	expect("day_sums", "5,6",
		"d5 50 202611 HKD 8 -4; d5 50 202611 USD 6 -3; d6 60 202610 USD 16 -8");
}

/* ---- two files of one command ------------------------------------------------------------------ */

/* A staged file, hours 100 to 103, and what another one has of it. */
static void two_files_are_compared(void **state)
{
	tempdb_exec(&t,
		"UPDATE billing_table SET batch = 7, name = 'file:out-' || table_id; "
		"UPDATE "
		"billing_table SET batch = 8 WHERE table_id = 3");
	for (int h = 100; h <= 103; h++)
		stage(10, h, 1, 1, 0, h == 103 ? 0 : 5, 0);
	stage(10, 102, 1, 1, 1, 0, -1); /* a credit is not a line */
	use(1, 10, 101, 1, 1, 0, 5, 0); /* itself */
	use(3, 10, 101, 1, 1, 0, 5, 0); /* of another command */
	use(2, 10, 99, 1, 1, 0, 5, 0);  /* before */
	use(2, 10, 104, 1, 1, 0, 5, 0); /* behind */
	expect("import_shared", "7,file:out-1,", "");
	use(2, 10, 101, 1, 1, 1, 0, -1);
	expect("import_shared", "7,file:out-1,", "");
	use(2, 10, 101, 1, 1, 0, 5, 0); /* the same, and net of it is not */
	expect("import_shared", "7,file:out-1,", "file:out-2 1 1 1 1 1 1 0 1");
	use(2, 10, 102, 1, 1, 0, 9, -5); /* another amount, the same net */
	expect("import_shared", "7,file:out-1,", "file:out-2 2 2 2 2 2 2 0 1");
	use(2, 11, 102, 3, 1, 0, 5, -1); /* of another unit and project */
	expect("import_shared", "7,file:out-1,", "file:out-2 2 3 2 2 3 2 0 1");
	use(2, 11, 102, 1, 2, 0, 5, 0); /* of another currency */
	expect("import_shared", "7,file:out-1,", "file:out-2 2 4 2 2 4 2 0 1");
	use(2, 10, 103, 1, 1, 0, 0, 0); /* nothing is not a sum */
	expect("import_shared", "7,file:out-1,", "file:out-2 3 5 3 2 4 2 0 2");
	use(2, 11, 103, 3, 1, 0, 5, 0); /* nor are two that make nothing */
	use(2, 11, 103, 3, 2, 0, 1, 0);
	tempdb_exec(&t,
		"UPDATE usage SET cost = -5, charge_ref = 3, unit = 12 WHERE hour = 103 "
		"AND "
		"charge_ref = 2");
	expect("import_shared", "7,file:out-1,", "file:out-2 3 7 3 2 4 2 0 2");
	tempdb_exec(&t, "DELETE FROM usage WHERE hour = 103 AND unit > 10");
	use(2, 10, 102, 1, 1, 1, 0, -1); /* the same credit is not a line either */
	expect("import_shared", "7,file:out-1,", "file:out-2 3 5 3 2 4 1 0 2");
	tempdb_exec(&t, "DELETE FROM usage WHERE hour = 102 AND credit_ref = 1");
	/* whose it is need not be said, but not otherwise */
	tempdb_exec(&t, "UPDATE usage SET project_ref = 2 WHERE project_ref = 1");
	expect("import_shared", "7,file:out-1,", "file:out-2 3 5 0 2 4 2 0 0");
	tempdb_exec(&t, "UPDATE stage_usage SET project_ref = 2");
	expect("import_shared", "7,file:out-1,", "file:out-2 3 5 3 2 4 2 0 2");
	tempdb_exec(&t, "UPDATE usage SET project_ref = 1 WHERE project_ref = 2");
	expect("import_shared", "7,file:out-1,", "file:out-2 3 5 0 2 4 2 0 0");
	tempdb_exec(&t, "UPDATE billed_project SET account = 'B' WHERE project_ref = 2");
	expect("import_shared", "7,file:out-1,", "file:out-2 3 5 0 2 4 0 0 0");
}

static void lines_that_are_the_same_in_all(void **state)
{
	tempdb_exec(&t, "UPDATE billing_table SET batch = 7");
	stage(10, 100, 1, 1, 0, 5, 0);
	use(2, 10, 100, 1, 1, 0, 5, 0);
	expect("import_shared", "7,c,", "b 1 1 1 1 1 1 0 1");
	tempdb_exec(&t, "UPDATE usage SET usage = 2");
	expect("import_shared", "7,c,", "b 1 1 1 1 1 1 0 0");
	tempdb_exec(&t, "UPDATE usage SET usage = 1, row_count = 2");
	expect("import_shared", "7,c,", "b 1 1 1 1 1 1 0 0");
	tempdb_exec(&t, "UPDATE usage SET row_count = 1, cost = 4");
	expect("import_shared", "7,c,", "b 1 1 1 1 1 0 0 0");
	/* its project has two lines in that hour, the other one */
	tempdb_exec(&t, "UPDATE usage SET cost = 5, project_ref = 3");
	expect("import_shared", "7,c,", "b 1 1 0 1 1 0 0 0");
	stage(10, 100, 1, 1, 2, 0, -2);
	use(2, 11, 100, 1, 1, 0, 2, 0);
	use(2, 10, 100, 1, 1, 0, 1, 0);
	/* 5, and net 3, against 2 and 1 */
	expect("import_shared", "7,c,", "b 1 3 1 1 2 1 0 0");
	tempdb_exec(&t, "UPDATE usage SET cost = 4 WHERE cost = 2");
	expect("import_shared", "7,c,", "b 1 3 1 1 2 1 0 0"); /* 5 against 4 and 1 */
	/* of both other files, in the order of their names */
	use(1, 10, 100, 1, 1, 0, 5, 0);
	expect("import_shared", "7,c,", "a 1 1 1 1 1 1 0 1; b 1 3 1 1 2 1 0 0");
}

static void parts_have_names_of_one_length(void **state)
{
	tempdb_exec(&t,
		"UPDATE billing_table SET batch = 7, name = 'out-2' WHERE table_id = 2");
	stage(10, 100, 1, 1, 0, 5, 0);
	use(2, 10, 100, 1, 1, 0, 5, 0);
	expect("import_shared", "7,out-1,out-", "out-2 1 1 1 1 1 1 1 1");
	expect("import_shared", "7,out-1,", "out-2 1 1 1 1 1 1 0 1");
	expect("import_shared", "7,out-11,out-", "out-2 1 1 1 1 1 1 0 1");
	expect("import_shared", "7,oux-1,oux-", "out-2 1 1 1 1 1 1 0 1");
}

/* Each name of the sums of one day is missing: those of other days are not looked at. */
static void names_are_missed_on_their_days(void **state)
{
	static const char *const sums[] = {
		"cost_day VALUES (20, 9, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0)",
		"cost_day VALUES (20, 1, 9, 1, 1, 1, 0, 0, 0, 0, 0, 0)",
		"cost_day VALUES (20, 1, 1, 9, 1, 1, 0, 0, 0, 0, 0, 0)",
		"cost_day VALUES (20, 1, 1, 1, 9, 1, 0, 0, 0, 0, 0, 0)",
		"cost_day VALUES (20, 1, 1, 1, 1, 9, 0, 0, 0, 0, 0, 0)",
		"credit_day VALUES (20, 1, 1, 1, 1, 1, 9, 0)"};

	tempdb_exec(&t,
		"INSERT INTO sku VALUES (1, '', '', '', ''); INSERT INTO place VALUES (1, "
		"'', '', ''); INSERT INTO billed_resource (resource_ref, resource, "
		"global_name) VALUES (1, '', '')");
	for (size_t i = 0; i < ARRAY_LEN(sums); i++) {
		tempdb_exec(&t, "DELETE FROM cost_day; DELETE FROM credit_day");
		tempdb_execf(&t, "INSERT INTO %s", sums[i]);
		expect("cost_day_unknown", "20,20", "20");
		expect("cost_day_unknown", "19,21", "20");
		expect("cost_day_unknown", "10,19", "");
		expect("cost_day_unknown", "21,30", "");
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, tempdb_teardown)
		TEST(a_table_keeps_what_is_not_set),
		TEST(a_file_is_named_by_its_path_too),
		TEST(a_bill_is_there_once_it_was_looked_at),
		TEST(a_table_is_forgotten_with_all_of_it),
		TEST(a_unit_is_of_its_table),
		TEST(a_unit_goes_alone),
		TEST(bytes_add_up_by_month),
		TEST(a_refusal_holds_for_what_was_seen),
		TEST(a_day_was_reported_by_an_earlier_poll),
		TEST(two_have_the_same_days),
		TEST(what_is_stored_is_dropped_by_its_hours),
		TEST(what_is_staged_is_taken),
		TEST(a_name_has_one_number),
		TEST(the_newest_price_stays),
		TEST(a_file_is_known_with_its_batch),
		TEST(promotions_by_rate_and_hour),
		TEST(a_day_is_restated_in_one_line),
		TEST(a_day_is_summed_by_month_and_currency),
		TEST(two_files_are_compared),
		TEST(lines_that_are_the_same_in_all),
		TEST(parts_have_names_of_one_length),
		TEST(names_are_missed_on_their_days),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

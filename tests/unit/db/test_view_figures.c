/* What views make of the rows below them: every figure, name and status of a few rows that differ in
 * everything. The oracle is written by hand. */
#include "db/internal.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY 20700 /* days since 1970-01-01: 2026-09-04 */
#define AT(day) ((day)*INT64_C(86400))
#define NOW (AT(DAY) + 43200)

static struct tempdb t;

static int setup(void **state)
{
	tempdb_open(&t, NOW);
	tempdb_exec(&t,
		"INSERT INTO as_of (now, timezone, currency, today) VALUES "
		"(1788523200, 'UTC', 'EUR', '2026-09-04')");
	return 0;
}

/* All rows of a SELECT in the order of its columns: '|' between columns, a line each. */
static void expect(const char *sql, const char *want)
{
	static char got[16384];
	sqlite3_stmt *st = NULL;
	char all[2048];
	size_t n = 0, at = 0;

	tempdb_text(&t, sql, got, sizeof(got)); /* makes the views */
	for (int pass = 0; pass < 2; pass++) {
		at = (size_t)snprintf(
			all, sizeof(all), "SELECT * FROM (%s) ORDER BY 1", sql);
		for (int i = 1; i < (st ? sqlite3_column_count(st) : 1); i++)
			at += (size_t)snprintf(all + at, sizeof(all) - at, ", %d", i + 1);
		sqlite3_finalize(st);
		if (sqlite3_prepare_v2(t.db->sq, all, -1, &st, NULL))
			fail_msg("%s: %s", all, sqlite3_errmsg(t.db->sq));
	}
	got[0] = '\0';
	while (sqlite3_step(st) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(st); i++) {
			const char *text = (const char *)sqlite3_column_text(st, i);

			n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%s",
				text ? text : "-",
				i + 1 < sqlite3_column_count(st) ? "|" : "\n");
		}
	sqlite3_finalize(st);
	if (strcmp(got, want) != 0)
		fail_msg("%s\ngave\n%swant\n%s", sql, got, want);
}

/* ---- the bill ---------------------------------------------------------------------------------- */

/* Two lines of a bill that have nothing in common. */
static void bill(void)
{
	tempdb_exec(&t,
		"INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count, kind) VALUES (1, 'a.b.c', '', 0, 0, 'export'), (2, 'file:x', "
		"'', 0, 0, 'file');INSERT INTO sku VALUES (1, 'S1', 'Compute', 'A', "
		"'Core'), (2, 'S2', 'TPU', 'B', 'Chip');INSERT INTO sku_category (sku_ref, "
		"category) VALUES (1, 'cpu'), (7, 'ip');INSERT INTO billed_project VALUES "
		"(1, 'p', '11', 'A1'), (2, '', '', 'A2');INSERT INTO place VALUES (1, "
		"'us', 'us-1', 'us-1-b'), (2, '', '', '');INSERT INTO billed_resource "
		"VALUES (1, 'vm', '//vm', '{\"owner\":\"ada\"}', 'ada'), (2, '', '', '', "
		"NULL);INSERT INTO charge (charge_ref, invoice_month, cost_type, currency, "
		"usage_unit, rate) VALUES (1, '202609', 'regular', 'USD', 'hour', "
		"1000000000), (2, '202608', 'tax', 'HKD', '', 7750000000);INSERT INTO "
		"credit_type VALUES (3, 'DISCOUNT');INSERT INTO calendar VALUES (20690, "
		"'2026-08-25', 1787616000, 1787702400), (20691, '2026-08-26', 1787702400, "
		"1787788800);INSERT INTO account_known (account, day, until) VALUES ('A1', "
		"20690, 1788523200), ('A2', 20691, 1788523200)");
}

static void days(void)
{
	tempdb_exec(&t,
		"INSERT INTO cost_day (day, sku_ref, project_ref, place_ref, resource_ref, "
		"charge_ref, usage, cost, credits, promo) VALUES (20690, 1, 1, 1, 1, 1, "
		"3000000000, "
		"10000000000, -4000000000, -1000000000), (20691, 2, 2, 2, 2, 2, NULL, "
		"5000000000, -500000000, 0);INSERT INTO project_day (day, project_ref, "
		"sku_ref, charge_ref, cost, credits, promo) VALUES (20690, 1, 1, "
		"1, 10000000000, -4000000000, -1000000000), (20690, 1, 2, 1, 1000000000, "
		"-500000000, 0), (20691, 2, 2, 2, 5000000000, -500000000, 0);INSERT INTO "
		"credit_day VALUES (20690, 1, 1, 1, 1, 1, 1, -1000000000), (20690, 1, 1, "
		"1, 1, 1, 3, -3000000000), (20690, 1, 1, 1, 2, 1, 3, -1000000000), (20691, "
		"2, 2, 2, 2, 2, 3, -500000000);UPDATE cost_day SET discount = 2500000000, "
		"committed = 700000000 WHERE day = 20690;UPDATE project_day SET discount = "
		"2500000000, committed = 700000000 WHERE sku_ref = 1;UPDATE charge SET "
		"model "
		"= 'M', model_name = 'Flexible CUD' WHERE charge_ref = 1");
}

static void hours(void)
{
	tempdb_exec(&t,
		"INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, place_ref, "
		"resource_ref, charge_ref, credit_ref, usage, cost, credits, row_count) "
		"VALUES (1, 20690, 1787616000, 1, 1, 1, 1, 1, 0, "
		"1000000000, 4000000000, 0, 1), (2, 20690, 1787616000, 1, 1, 1, 1, 1, 0, "
		"2000000000, 6000000000, 0, 1), (1, 20690, 1787616000, 1, 1, 1, 1, 1, 1, "
		"0, 0, -1000000000, 0), (1, 20690, 1787616000, 1, 1, 1, 1, 1, 3, 0, 0, "
		"-3000000000, 0), (1, 20690, 1787702399, 1, 1, 1, 1, 1, 0, 7000000000, "
		"8000000000, -9000000000, 1), (1, 20691, 1787702400, 2, 2, 2, 2, 2, 0, "
		"NULL, 5000000000, -500000000, 1);UPDATE usage SET discount = 1250000000, "
		"committed = 350000000 WHERE charge_ref = 1 AND credit_ref = 0");
}

static void each_line_of_the_bill_has_its_own_names(void **state)
{
	bill();
	days();
	hours();
	expect("SELECT * FROM costs_exact",
		"2026-08-25|202609|p|Compute|Core|cpu|us|us-1-b|vm|ada|{\"owner\":\"ada\"}|"
		"10.0|-4.0|6.0|-1.0|USD|"
		"3.0|hour|settled|A|S1|us-1|regular|10000000000|-4000000000|-1000000000|"
		"3000000000|1000000000|20690|1|1|12.5|6.5|Flexible "
		"CUD|12500000000|6500000000|"
		"2500000000|700000000|A1\n"
		"2026-08-26|202608|-|TPU|Chip|other|-|-|-|-|-|5.0|-0.5|4.5|0.0|HKD|-|-|"
		"settled|"
		"B|S2|-|tax|5000000000|-500000000|0|-|7750000000|20691|2|2|5.0|0.5|-|"
		"5000000000|"
		"500000000|0|0|A2\n");
	expect("SELECT * FROM sku_costs_exact",
		"2026-08-25|202609|p|Compute|Core|cpu|10.0|-4.0|6.0|-1.0|USD|hour|settled|"
		"A|S1|regular|10000000000|-4000000000|-1000000000|1000000000|20690|1|1|12."
		"5|6."
		"5|"
		"Flexible CUD|12500000000|6500000000|2500000000|700000000|A1\n"
		"2026-08-25|202609|p|TPU|Chip|other|1.0|-0.5|0.5|0.0|USD|hour|settled|B|S2|"
		"regular|1000000000|-500000000|0|1000000000|20690|1|1|1.0|0.5|Flexible CUD|"
		"1000000000|500000000|0|0|A1\n"
		"2026-08-26|202608|-|TPU|Chip|other|5.0|-0.5|4.5|0.0|HKD|-|settled|B|S2|"
		"tax|5000000000|-500000000|0|7750000000|20691|2|2|5.0|0.5|-|5000000000|"
		"500000000|0|0|A2\n");
	/* each name with its own number, in every combination */
	expect("SELECT * FROM bill_names_exact WHERE charge_ref = 1 AND sku_ref = 1 AND "
	       "project_ref = 1 AND place_ref = 1 AND resource_ref = 1",
		"202609|p|Compute|Core|cpu|us|us-1-b|vm|ada|{\"owner\":\"ada\"}|USD|hour|A|"
		"S1|"
		"us-1|regular|1000000000|Flexible CUD|A1|1|1|1|1|1\n");
	expect("SELECT * FROM cost_lines_exact",
		"2026-08-25|202609|p|Compute|Core|cpu|us|us-1-b|-|-|-|USD|hour|settled|A|"
		"S1|us-"
		"1|regular|DISCOUNT|0|-1000000000|0|0|0|-1.0|-1.0|0.0|0|0|1.0|Flexible "
		"CUD|0|1000000000|A1\n"
		"2026-08-25|202609|p|Compute|Core|cpu|us|us-1-b|vm|ada|{\"owner\":\"ada\"}|"
		"USD|hour|settled|A|S1|"
		"us-1|regular|-|10000000000|0|0|3000000000|10.0|0|10.0|0|3.0|12.5|2.5|"
		"Flexible CUD|12500000000|2500000000|A1\n"
		"2026-08-25|202609|p|Compute|Core|cpu|us|us-1-b|vm|ada|{\"owner\":\"ada\"}|"
		"USD|hour|settled|A|S1|"
		"us-1|regular|DISCOUNT|0|-3000000000|0|0|0|-3.0|-3.0|0.0|0|0|3.0|Flexible "
		"CUD|0|3000000000|A1\n"
		"2026-08-25|202609|p|Compute|Core|cpu|us|us-1-b|vm|ada|{\"owner\":\"ada\"}|"
		"USD|hour|settled|A|S1|"
		"us-1|regular|PROMOTION|0|-1000000000|-1000000000|0|0|-1.0|-1.0|-1.0|0|0|"
		"1.0|Flexible CUD|0|1000000000|A1\n"
		"2026-08-26|202608|-|TPU|Chip|other|-|-|-|-|-|HKD|-|settled|B|S2|-|tax|-|"
		"5000000000|0|0|-|5.0|0|5.0|0|-|5.0|0.0|-|5000000000|0|A2\n"
		"2026-08-26|202608|-|TPU|Chip|other|-|-|-|-|-|HKD|-|settled|B|S2|-|tax|"
		"DISCOUNT|0|-500000000|0|0|0|-0.5|-0.5|0.0|0|0|0.5|-|0|500000000|A2\n");
	expect("SELECT * FROM billed_credits",
		"2026-08-25|202609|p|Compute|Core|cpu|DISCOUNT|-4.0|USD\n"
		"2026-08-25|202609|p|Compute|Core|cpu|PROMOTION|-1.0|USD\n"
		"2026-08-26|202608|-|TPU|Chip|other|DISCOUNT|-0.5|HKD\n");
	expect("SELECT * FROM hour_costs_exact",
		"2026-08-25|202609|p|Compute|Core|cpu|us|us-1-b|vm|ada|{\"owner\":\"ada\"}|"
		"8.0|-9.0|-1.0|0.0|USD|7."
		"0|hour|settled|A|S1|us-1|regular|8000000000|-9000000000|1000000000|"
		"1787702399|1|1|9.25|10.25|Flexible CUD|9250000000|10250000000|1250000000|"
		"350000000|A1\n"
		"2026-08-25|202609|p|Compute|Core|cpu|us|us-1-b|vm|ada|{\"owner\":\"ada\"}|"
		"10.0|-4.0|6.0|-1.0|USD|"
		"3.0|hour|settled|A|S1|us-1|regular|10000000000|-4000000000|1000000000|"
		"1787616000|1|1|12.5|6.5|Flexible CUD|12500000000|6500000000|2500000000|"
		"700000000|A1\n"
		"2026-08-26|202608|-|TPU|Chip|other|-|-|-|-|-|5.0|-0.5|4.5|0.0|HKD|-|-|"
		"settled|"
		"B|S2|-|tax|5000000000|-500000000|7750000000|1787702400|2|2|5.0|0.5|-|"
		"5000000000|"
		"500000000|0|0|A2\n");
	expect("SELECT * FROM daily_costs",
		"2026-08-25|p|11.0|-4.5|6.5|USD|settled|0|-|-|-\n"
		"2026-08-26|-|5.0|-0.5|4.5|HKD|settled|0|-|-|-\n");
}

/* Days of a zone begin and end at other hours than those of UTC. */
static void an_hour_is_of_the_day_of_the_zone(void **state)
{
	static const struct {
		int64_t starts, hour;
		const char *want;
	} cases[] = {
		/* east: the day before of UTC */
		{AT(20695) - 28800, AT(20695) - 28800, "local\n"},
		{AT(20695) - 28800, AT(20695) - 28800 - 3600, ""},
		{AT(20695) - 28800, AT(20695) - 28800 + 86399, "local\n"},
		{AT(20695) - 28800, AT(20695) - 28800 + 86400, ""},
		/* west: the day after */
		{AT(20695) + 28800, AT(20695) + 28800 - 1, ""},
		{AT(20695) + 28800, AT(20695) + 28800, "local\n"},
		{AT(20695) + 28800, AT(20696) + 28799, "local\n"},
		{AT(20695) + 28800, AT(20696) + 28800, ""},
	};

	bill();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {

		tempdb_execf(&t,
			"DELETE FROM calendar; DELETE FROM usage; INSERT INTO calendar "
			"VALUES (20695, 'local', %lld, %lld);INSERT INTO usage (table_id, "
			"unit, hour, sku_ref, project_ref, place_ref, resource_ref, "
			"charge_ref, credit_ref, usage, cost, credits, row_count) VALUES "
			"(1, "
			"20690, %lld, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1)",
			(long long)cases[i].starts, (long long)cases[i].starts + 86400,
			(long long)cases[i].hour);
		expect("SELECT day FROM hour_costs_exact", cases[i].want);
	}
}

/* A day is final when three days have passed since its end and its costs are known up to there. */
static void a_day_has_the_status_of_what_is_known_last(void **state)
{
	static const char *const views[] = {"costs_exact", "sku_costs_exact",
		"cost_lines_exact WHERE credit_type IS NULL",
		"cost_lines_exact WHERE credit_type IS NOT NULL", "hour_costs_exact",
		"daily_costs"};
	/* seconds since the end of the day */
	static const struct {
		int64_t now, known;
		const char *status;
	} cases[] = {
		{86399, 900000, "partial"},
		{86400, 900000, "settling"},
		{900000, 86399, "partial"},
		{900000, 86400, "settling"},
		{259199, 900000, "settling"},
		{259200, 900000, "settled"},
		{900000, 259199, "settling"},
		{900000, 259200, "settled"},
	};
	char sql[400];

	bill();
	days();
	hours();
	/* of others, and of other days, little is known */
	tempdb_exec(&t,
		"INSERT INTO billed_project VALUES (0, 'other', '', 'A0');DELETE FROM "
		"account_known WHERE account = 'A1';INSERT INTO account_known (account, "
		"day, until) VALUES ('A0', 20690, 0), ('A1', 20689, 0), ('A1', 20690, 0), "
		"('A1', 20691, 0), ('A2', 20690, 0)");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		tempdb_execf(&t,
			"UPDATE as_of SET now = %lld; UPDATE account_known SET until = "
			"%lld WHERE account = 'A1' AND day = 20690",
			(long long)(AT(20691) + cases[i].now),
			(long long)(AT(20691) + cases[i].known));
		for (size_t k = 0; k < ARRAY_LEN(views); k++) {
			snprintf(sql, sizeof(sql),
				"SELECT group_concat(DISTINCT status) FROM (SELECT * FROM "
				"%s) WHERE project = 'p'",
				views[k]);
			tempdb_expect(&t, sql, cases[i].status);
		}
	}
}

/* Two accounts of one project: what is known least decides. */
static void the_status_of_a_project_is_that_of_its_worst_account(void **state)
{
	bill();
	tempdb_exec(&t,
		"INSERT INTO billed_project VALUES (3, 'p', '11', 'A3');INSERT INTO "
		"project_day (day, project_ref, sku_ref, charge_ref, cost, credits, promo) "
		"VALUES (20690, 1, 1, 1, 1000000000, 0, 0), (20690, 3, 1, 1, "
		"2000000000, 0, 0);INSERT INTO account_known (account, day, until) VALUES "
		"('A3', 20690, 1787875199)");
	expect("SELECT day, project, cost, status FROM daily_costs",
		"2026-08-25|p|3.0|settling\n");
	tempdb_exec(&t, "UPDATE account_known SET until = 1787788799 WHERE account = 'A3'");
	expect("SELECT day, project, cost, status FROM daily_costs",
		"2026-08-25|p|3.0|partial\n");
}

/* Half a nano goes to the even one. */
static void the_mean_of_a_week_is_rounded_once(void **state)
{
	static const struct {
		const char *project, *days; /* net of the days before, the newest last */
		const char *want;           /* days|mean|ratio, for a day of 6 */
	} cases[] = {
		{"of-two", "5 5", "2|-|-"},
		{"down", "1 0 0", "3|0|-"},
		{"up", "1 1 0", "3|1|6.0"},
		{"down-of-odd", "1 1 2", "3|1|6.0"},
		{"half-of-none", "1 1 0 0", "4|0|-"},
		{"half-of-even", "3 3 2 2", "4|2|3.0"},
		{"half-of-three", "4 4 3 3", "4|4|1.5"},
		{"seven", "7 7 7", "3|7|0.8571"},
		{"half-of-odd", "2 2 1 1", "4|2|3.0"},
		{"half-of-minus", "-2 -2 -1 -1", "4|-2|-"},
		{"up-of-minus", "-1 -1 0", "3|-1|-"},
		{"seven-of-eight", "900 4 4 4 4 4 4 4", "7|4|1.5"},
	};
	char sql[400], want[64];

	bill();
	for (int64_t d = 20680; d < 20690; d++) {
		tempdb_execf(&t, "INSERT INTO calendar VALUES (%lld, 'd%lld', %lld, %lld)",
			(long long)d, (long long)d, (long long)AT(d), (long long)AT(d + 1));
	}
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t ref = 10 + (int64_t)i, day = 20689;
		const char *at = cases[i].days + strlen(cases[i].days);

		tempdb_execf(&t,
			"INSERT INTO billed_project VALUES (%lld, '%s', '', 'A1');"
			"INSERT INTO project_day (day, project_ref, sku_ref, charge_ref, "
			"cost, credits, promo) VALUES (20690, %lld, 1, 1, 8, -2, 0);"
			"INSERT INTO project_day (day, project_ref, sku_ref, charge_ref, "
			"cost, credits, promo) VALUES (20690, %lld, 1, 2, 500, 0, 0)",
			(long long)ref, cases[i].project, (long long)ref, (long long)ref);
		for (; at > cases[i].days; day--) {
			while (at > cases[i].days && at[-1] != ' ')
				at--;
			tempdb_execf(&t,
				"INSERT INTO project_day (day, project_ref, sku_ref, "
				"charge_ref, cost, credits, promo) VALUES (%lld, %lld, 1, "
				"1, %lld + "
				"7, -7, 0)",
				(long long)day, (long long)ref,
				(long long)strtoll(at, NULL, 10));
			at -= at > cases[i].days;
		}
	}
#define MEAN                                                                             \
	"SELECT days_7d, CAST(ROUND(mean_7d * 1e9) AS INTEGER), ratio FROM daily_costs " \
	"WHERE day = '2026-08-25' AND currency = 'USD' AND project = "
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		snprintf(sql, sizeof(sql), MEAN "'%s'", cases[i].project);
		snprintf(want, sizeof(want), "%s\n", cases[i].want);
		expect(sql, want);
	}
	/* a day that is not complete is in no mean */
	tempdb_exec(&t,
		"INSERT INTO account_known (account, day, until) VALUES "
		"('A1', 20689, 1787616000)");
	expect(MEAN "'seven-of-eight'", "6|4|1.5\n");
}

static void what_is_said_of_the_bill(void **state)
{
	bill();
	tempdb_exec(&t,
		"INSERT INTO estimate_error (day, estimate, billed, currency, converted, "
		"rate, left_out) VALUES ('2026-08-25', 9000000000, 8000000000, 'HKD', 1, "
		"7750000000, 'x'), ('2026-08-26', 3000000000, 0, 'USD', 0, NULL, NULL), "
		"('2026-08-27', 3, 1, 'USD', 0, NULL, NULL), ('2026-08-28', 9000000000, "
		"7000000000, 'USD', 0, NULL, NULL);INSERT INTO restatement VALUES "
		"(1788523200, '2026-08-25', '202608', 'USD', 'a.b.c', 5000000000, "
		"-1000000000, 9000000000, -3000000000), (1788523201, '2026-08-25', "
		"'202608', 'USD', 'a.b.c', 9000000000, -3000000000, 10000000000, "
		"-4000000000);INSERT INTO billing_unit (table_id, "
		"unit, row_count, exported, ingested) VALUES (1, 20690, 3, 0, 0), (1, "
		"20691, 4, 0, 0), (2, 20680, 8, 0, 0);INSERT INTO billing_table (table_id, "
		"name, location, last_modified_ms, row_count, kind) VALUES (3, 'none', '', "
		"0, 9, 'export');INSERT INTO billing_day VALUES (1, 20690, 'A1', 20689), "
		"(1, 20690, 'A1', 20690), (1, 20691, 'A1', 20691), (2, 20680, 'A2', "
		"100000)");
	expect("SELECT * FROM estimate_errors",
		"2026-08-25|9.0|8.0|HKD|12.5|1|7.75|x\n"
		"2026-08-26|3.0|0.0|USD|-|0|-|-\n"
		"2026-08-27|3.0e-09|1.0e-09|USD|200.0|0|-|-\n"
		"2026-08-28|9.0|7.0|USD|28.57|0|-|-\n");
	/* the second changed cost and credits by the same amount */
	tempdb_bill_restated(&t);
	expect("SELECT * FROM restatements",
		"2026-08-25|202608|4.0|6.0|2.0|USD|2026-09-04T12:00:00Z|a.b.c\n");
	/* a line on the next invoice, and then a correction: of the whole day */
	tempdb_exec(&t,
		"INSERT INTO restatement VALUES (1788523202, '2026-08-25', '202609', "
		"'USD', "
		"'a.b.c', 0, 0, 500000000, 0), (1788523203, '2026-08-25', '202608', 'USD', "
		"'a.b.c', 10000000000, -4000000000, 9000000000, -4000000000), (1788523203, "
		"'2026-08-25', '202608', 'EUR', 'a.b.c', 1000000000, 0, 2000000000, 0)");
	tempdb_bill_restated(&t);
	expect("SELECT currency, noticed, invoice_month, old_net, new_net FROM "
	       "restatements",
		"EUR|2026-09-04T12:00:03Z|202608|1.0|2.0\n"
		"USD|2026-09-04T12:00:00Z|202608|4.0|6.0\n"
		"USD|2026-09-04T12:00:02Z|202609|6.0|6.5\n"
		"USD|2026-09-04T12:00:03Z|202608|6.5|5.5\n");
	expect("SELECT * FROM billing_tables",
		"a.b.c|export|2|7|2026-08-24|2026-08-26\n"
		"file:x|file|1|8|2243-10-17|2243-10-17\n"
		"none|export|0|0|-|-\n");
}

/* ---- coupons and budgets ----------------------------------------------------------------------- */

static void coupons_last_until_they_are_used_up_or_expire(void **state)
{
	tempdb_exec(&t,
		"INSERT INTO credit_state (name, amount, used, currency, expires, "
		"runs_out, safe_per_day, burn, unbilled, starts, ends_text, billed_from) "
		"VALUES "
		"('first-used-up', 9000000000, 3000000000, 'USD', 1788782400, 1788609600, "
		"2000000000, 1, 4000000000, 1787616000, NULL, 1787702400), "
		"('first-expired', "
		"8000000000, 0, 'HKD', 1788552000, 1788782400, NULL, NULL, NULL, NULL, "
		"NULL, NULL), ('never-expires', 7000000000, NULL, 'USD', NULL, 1788566400, "
		"NULL, "
		"NULL, NULL, NULL, NULL, NULL), ('never-used-up', 7000000000, 1, 'USD', "
		"1788696000, NULL, NULL, NULL, NULL, NULL, NULL, NULL), ('neither', "
		"7000000000, "
		"7000000000, 'USD', NULL, NULL, 0, 0, 0, NULL, 'used up', NULL);INSERT "
		"INTO "
		"credit_project (name, project, used) VALUES ('first-used-up', 'p', "
		"1000000000), ('first-used-up', '', 2000000000), ('first-expired', 'p', "
		"0), ('never-expires', 'q', NULL), ('never-used-up', 'p', 1)");
	expect("SELECT * FROM credits",
		"first-expired|8.0|0.0|8.0|HKD|2026-09-04T20:00:00Z|2026-09-07T12:00:00Z|-|"
		"0.33|-|-|-|-|valid\n"
		"first-used-up|9.0|3.0|6.0|USD|2026-09-07T12:00:00Z|2026-09-05T12:00:00Z|2."
		"0|1.0|2026-08-25T00:00:00Z|4.0|-|2026-08-26T00:00:00Z|valid\n"
		"neither|7.0|7.0|0.0|USD|-|-|0.0|-|-|0.0|used up|-|used-up\n"
		"never-expires|7.0|-|-|USD|-|2026-09-05T00:00:00Z|-|0.5|-|-|-|-|valid\n"
		"never-used-up|7.0|1.0e-09|6.999999999|USD|2026-09-06T12:00:00Z|-|-|2.0|-|-"
		"|-|-"
		"|valid\n");
	expect("SELECT * FROM credit_projects",
		"first-expired|p|0.0|-|8.0|HKD|-|2026-09-04T20:00:00Z\n"
		"first-used-up|-|2.0|66.67|9.0|USD|2026-08-25T00:00:00Z|2026-09-07T12:00:"
		"00Z\n"
		"first-used-up|p|1.0|33.33|9.0|USD|2026-08-25T00:00:00Z|2026-09-07T12:00:"
		"00Z\n"
		"never-expires|q|-|-|7.0|USD|-|-\n"
		"never-used-up|p|1.0e-09|100.0|7.0|USD|-|2026-09-06T12:00:00Z\n");
}

static void a_budget_shows_what_was_found(void **state)
{
	tempdb_exec(&t,
		"INSERT INTO budget_state (name, period, starts, ends, amount, currency, "
		"spent, unbilled, expected, forecast, forecast_low, forecast_high, "
		"forecast_if_stopped, reached, forecast_reached, runs_out, "
		"runs_out_if_stopped, safe_per_day, unpriced, converted, basis, condition) "
		"VALUES ('b', 'month', 1788220800, 1790812800, 7000000000, 'USD', "
		"1000000000, 2000000000, 3000000000, 6000000000, 5000000000, 7000000000, "
		"4000000000, 25, 75, 1789000000, 1789100000, 9000000000, 10, 11, 'actual', "
		"'project <> 1'), ('c', 'year', 1788220800, 1790812800, 8000000000, 'USD', "
		"NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
		"NULL, 0, 'none', NULL);INSERT INTO budget_part (name, project, spent, "
		"billed_until, unbilled_from, per_hour, unbilled, currency) VALUES ('b', "
		"'p', 1000000000, 1788220800, 1788307200, 2000000000, 3000000000, 'USD'), "
		"('b', '', 4000000000, NULL, NULL, NULL, NULL, 'USD')");
	expect("SELECT * FROM budgets",
		"b|month|2026-09-01T00:00:00Z|2026-10-01T00:00:00Z|7.0|1.0|2.0|3.0|6.0|42."
		"8|85.7|USD|2026-09-10T00:26:40Z|25|75|4.0|2026-09-11T04:13:20Z|5.0|7.0|"
		"9.0|10|11|actual|project <> 1\n"
		"c|year|2026-09-01T00:00:00Z|2026-10-01T00:00:00Z|8.0|-|-|-|-|-|-|USD|-|-|-"
		"|-|-|-|-|-|-|0|none|-\n");
	expect("SELECT * FROM budget_parts",
		"b|-|4.0|-|-|-|-|USD\n"
		"b|p|1.0|2026-09-01T00:00:00Z|2026-09-02T00:00:00Z|2.0|3.0|USD\n");
}

static void a_budget_of_the_past_is_final_when_its_bill_is(void **state)
{
	/* seconds since its end: now, and what is known */
	static const struct {
		int64_t now, known;
		const char *status;
	} cases[] = {
		{-1, -1, "running"},
		{0, 900000, "partial"},
		{86399, 900000, "partial"},
		{86400, 900000, "settling"},
		{900000, 86399, "partial"},
		{900000, 86400, "settling"},
		{259199, 900000, "settling"},
		{259200, 900000, "settled"},
		{900000, 259199, "settling"},
		{900000, 259200, "settled"},
	};

	tempdb_exec(&t,
		"INSERT INTO budget_past (name, period, starts, ends, amount, currency, "
		"spent, converted, since, known) VALUES ('b', 'month', 1787616000, "
		"1787702400, 7000000000, 'USD', 2000000000, 1, 1787616000, 1788523200), "
		"('late', 'month', 1787616000, 1787702400, 7000000000, 'USD', 2000000000, "
		"0, 1787616001, 1788523200), ('none', 'month', 1787616000, 1787702400, "
		"7000000000, 'HKD', NULL, 0, 1787616000, 1788523200), ('unknown', 'month', "
		"1787616000, 1787702400, 7000000000, 'USD', 0, 0, NULL, NULL)");
	expect("SELECT * FROM budget_periods",
		"b|month|2026-08-25T00:00:00Z|2026-08-26T00:00:00Z|7.0|2.0|28.5|USD|"
		"settled|1\n"
		"late|month|2026-08-25T00:00:00Z|2026-08-26T00:00:00Z|7.0|2.0|28.5|USD|"
		"partial|0\n"
		"none|month|2026-08-25T00:00:00Z|2026-08-26T00:00:00Z|7.0|-|-|HKD|-|0\n"
		"unknown|month|2026-08-25T00:00:00Z|2026-08-26T00:00:00Z|7.0|0.0|0.0|USD|"
		"partial|0\n");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		tempdb_execf(&t,
			"UPDATE as_of SET now = %lld; UPDATE budget_past SET known = %lld "
			"WHERE name = 'b'",
			(long long)(AT(20691) + cases[i].now),
			(long long)(AT(20691) + cases[i].known));
		tempdb_expect(&t, "SELECT status FROM budget_periods WHERE name = 'b'",
			cases[i].status);
	}
}

/* ---- what burns -------------------------------------------------------------------------------- */

/* Machine `v` and TPU `n` of p, disk `d` of q; `g` is gone, and so is another one that was called v. */
static void things(void)
{
	tempdb_exec(&t,
		"INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, name, state, raw_state, type, labels, owner, created, first_seen, "
		"last_seen, complete) VALUES ('v', '1', 'vm', 'vm', 'p', 'us-1-b', "
		"'us-1-b', 'us-1', 'v', 'running', 'RUNNING', 'n1', '{\"a\":\"v\"}', "
		"'eve', 1788000000, 0, 0, 1), ('n', '2', 'tpu', 'tpu', 'p', 'us-1-c', "
		"'us-1-c', NULL, 'n', 'stopped', 'STOPPED', 'v3-8', '{}', NULL, "
		"1788100000, 0, 0, 1), ('d', '3', 'disk', 'disk', 'q', 'us', NULL, 'us', "
		"'d', 'ready', 'READY', NULL, '{\"a\":\"d\"}', 'bob', NULL, 0, 0, "
		"1);INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items, watched_since, poll_group) VALUES ('vm', 'p', 'ok', "
		"0, 1788523200, 1, 1788450000, 'fast'), ('tpu', 'p', 'ok', 0, 1788523200, "
		"1, 1787900000, 'fast'), ('disk', 'q', 'ok', 0, 1788523200, 1, NULL, "
		"'slow'), ('vm', 'q', 'ok', 0, 1788523200, 1, 1788519600, 'fast'), ('tpu', "
		"'q', 'ok', 0, 1788523200, 1, 1788516000, 'fast')");
}

static void burning(void)
{
	tempdb_exec(&t,
		"INSERT INTO burn_part (id, category, gross, net, currency) VALUES ('v', "
		"'cpu', 3000000000, 2000000000, 'USD'), ('n', 'tpu', 8000000000, NULL, "
		"'USD'), ('v', 'tpu', 1000000000, 1000000000, 'USD'), ('n', 'cpu', "
		"5000000000, 4000000000, 'USD'), ('d', 'disk', NULL, NULL, NULL), ('d', "
		"'cpu', 1000000000, 1000000000, 'USD');INSERT INTO burned_part (id, uid, "
		"kind, project, category, currency, labels, owner, gross_24h, net_24h, "
		"gross_7d, net_7d, unpriced_24h, unpriced_7d) VALUES ('v', '1', 'vm', 'p', "
		"'cpu', 'USD', NULL, NULL, 11000000000, 12000000000, 13000000000, "
		"14000000000, 0, 0), ('v', '9', 'vm', 'p', 'cpu', 'USD', "
		"'{\"old\":\"1\"}', 'tom', 15000000000, 16000000000, 17000000000, "
		"18000000000, 0, 0), ('v', '9', 'vm', 'p', 'cpu', 'HKD', NULL, 'tom', "
		"21000000000, 22000000000, 23000000000, 24000000000, 0, 0), ('n', '2', "
		"'tpu', 'p', 'tpu', 'USD', NULL, NULL, 31000000000, 32000000000, "
		"33000000000, 34000000000, 0, 0), ('w', '1', 'vm', 'q', 'cpu', 'USD', "
		"NULL, 'sue', 41000000000, 42000000000, 43000000000, 44000000000, 0, 0), "
		"('w', '1', 'vm', 'q', 'tpu', NULL, NULL, 'sue', NULL, NULL, NULL, NULL, "
		"60, 60), ('g', '8', 'tpu', 'p', 'tpu', NULL, NULL, 'ann', NULL, NULL, "
		"NULL, NULL, 0, 4800)");
}

static void what_burns_is_added_up_by_project_and_category(void **state)
{
	things();
	burning();
	/* of what no longer runs, the recent cost is left */
	expect("SELECT * FROM burn",
		"p|cpu|0.0|0.0|0.0|0.0|0|HKD|21.0|22.0|23.0|24.0|20.33\n"
		"p|cpu|8.0|6.0|192.0|144.0|2|USD|26.0|28.0|30.0|32.0|20.33\n"
		"p|tpu|-|-|-|-|0|-|-|-|-|-|168.0\n"
		"p|tpu|9.0|-|216.0|-|2|USD|31.0|32.0|-|-|168.0\n"
		"q|cpu|1.0|1.0|24.0|24.0|1|USD|41.0|42.0|43.0|44.0|1.0\n"
		"q|disk|-|-|-|-|1|-|-|-|-|-|-\n"
		"q|tpu|-|-|-|-|0|-|-|-|-|-|2.0\n");
	expect("SELECT * FROM burned",
		"g|tpu|p|tpu|ann|-|0|-|-|-|-|-|1.33|168.0\n"
		"n|tpu|p|tpu|-|{}|1|31.0|32.0|33.0|34.0|USD|0.0|168.0\n"
		"v|vm|p|cpu|eve|{\"a\":\"v\"}|1|11.0|12.0|13.0|14.0|USD|0.0|20.33\n"
		"v|vm|p|cpu|tom|-|0|21.0|22.0|23.0|24.0|HKD|0.0|20.33\n"
		"v|vm|p|cpu|tom|{\"old\":\"1\"}|0|15.0|16.0|17.0|18.0|USD|0.0|20.33\n"
		"w|vm|q|cpu|sue|-|0|41.0|42.0|43.0|44.0|USD|0.0|1.0\n"
		"w|vm|q|tpu|sue|-|0|-|-|-|-|-|0.02|2.0\n");
	expect("SELECT * FROM burn_exact",
		"d|disk|q|cpu|bob|{\"a\":\"d\"}|USD|1|1000000000|1000000000|0|0|0|0|0|0|1."
		"0\n"
		"d|disk|q|disk|bob|{\"a\":\"d\"}|-|1|-|-|0|0|0|0|0|0|-\n"
		"g|tpu|p|tpu|ann|-|-|0|0|0|-|-|-|-|0|4800|168.0\n"
		"n|tpu|p|cpu|-|{}|USD|1|5000000000|4000000000|0|0|0|0|0|0|20.33\n"
		"n|tpu|p|tpu|-|{}|USD|0|0|0|31000000000|32000000000|33000000000|"
		"34000000000|0|0|168.0\n"
		"n|tpu|p|tpu|-|{}|USD|1|8000000000|-|0|0|0|0|0|0|168.0\n"
		"v|vm|p|cpu|eve|{\"a\":\"v\"}|USD|0|0|0|11000000000|12000000000|"
		"13000000000|14000000000|0|0|20.33\n"
		"v|vm|p|cpu|eve|{\"a\":\"v\"}|USD|1|3000000000|2000000000|0|0|0|0|0|0|20."
		"33\n"
		"v|vm|p|cpu|tom|-|HKD|0|0|0|21000000000|22000000000|23000000000|"
		"24000000000|0|0|20.33\n"
		"v|vm|p|cpu|tom|{\"old\":\"1\"}|USD|0|0|0|15000000000|16000000000|"
		"17000000000|18000000000|0|0|20.33\n"
		"v|vm|p|tpu|eve|{\"a\":\"v\"}|USD|1|1000000000|1000000000|0|0|0|0|0|0|168."
		"0\n"
		"w|vm|q|cpu|sue|-|USD|0|0|0|41000000000|42000000000|43000000000|"
		"44000000000|0|0|1.0\n"
		"w|vm|q|tpu|sue|-|-|0|0|0|-|-|-|-|60|60|2.0\n");
	expect("SELECT * FROM burn_known",
		"p|cpu|20.33\n"
		"p|gpu|20.33\n"
		"p|tpu|168.0\n"
		"q|cpu|1.0\n"
		"q|disk|-\n"
		"q|gpu|1.0\n"
		"q|tpu|2.0\n");
	/* without a price for a part of the day, there is no sum of it */
	tempdb_exec(&t, "UPDATE burned_part SET unpriced_24h = 1 WHERE id = 'g'");
	expect("SELECT project, category, gross_24h, net_24h, gross_7d, net_7d FROM burn "
	       "WHERE category = 'tpu' AND resources > 0",
		"p|tpu|-|-|-|-\n");
	tempdb_exec(&t, "DELETE FROM burned_part");
	expect("SELECT project, category, gross_24h, net_24h, gross_7d, net_7d FROM burn",
		"p|cpu|0.0|0.0|0.0|0.0\n"
		"p|tpu|0.0|0.0|0.0|0.0\n"
		"q|cpu|0.0|0.0|0.0|0.0\n"
		"q|disk|-|-|-|-\n");
}

static void what_a_day_would_burn_has_to_fit(void **state)
{
	things();
	tempdb_exec(&t,
		"INSERT INTO burn_part (id, category, gross, net, currency) VALUES "
		"('v', 'cpu', 384000000000000000, 383999999999999999, 'USD'), "
		"('n', 'tpu', 383999999999999999, 384000000000000000, 'USD');"
		"INSERT INTO belonging (id, part, via, relation, certain, gross, currency) "
		"VALUES ('n', 'v', NULL, 'x', 1, 384000000000000000, 'USD'), "
		"('n', 'd', NULL, 'x', 1, 383999999999999999, 'USD')");
	expect("SELECT category, gross_per_day, net_per_day FROM burn",
		"cpu|-|9216000000.0\n"
		"tpu|9216000000.0|-\n");
	expect("SELECT part, gross_per_day FROM hidden_costs",
		"d|9216000000.0\n"
		"v|-\n");
}

static void what_is_paid_beside_tpus(void **state)
{
	things();
	tempdb_exec(&t,
		"INSERT INTO resource (id, uid, source, kind, project, location, name, "
		"state, raw_state, labels, first_seen, last_seen, complete) VALUES ('i', "
		"'4', 'ip', 'ip', 'p', 'us', 'i', 'ready', '', '{}', 0, 0, 1);INSERT INTO "
		"belonging (id, part, via, relation, certain, gross, currency) VALUES "
		"('n', 'd', 'v', 'attached', 1, 2000000000, 'USD'), ('n', 'v', NULL, "
		"'near', 0, NULL, NULL), ('n', 'i', NULL, 'free', 1, 0, 'USD'), ('v', 'd', "
		"NULL, 'attached', 1, 3000000000, 'USD');INSERT INTO verdict (id, covered, "
		"exempt) VALUES ('n', 1, 0), ('v', 0, 0)");
	expect("SELECT * FROM hidden_costs",
		"n|p|us-1-c|n|v3-8|stopped|1|d|disk|attached|v|1|2.0|48.0|USD\n"
		"n|p|us-1-c|n|v3-8|stopped|1|v|vm|near|-|0|-|-|-\n");
}

static void what_machines_send(void **state)
{
	things();
	tempdb_exec(&t,
		"INSERT INTO egress_part (id, at, sent, received, sent_peak, "
		"received_peak, sent_bytes, received_bytes, rate, bytes, far_buckets, "
		"destinations, path, low, high, currency, basis) VALUES ('v', 1788523110, "
		"1, 2, 3, 4, "
		"2000000000, 3100000000, 24000, 4000000000, 'b', 'us-2 1.0 KiB/s', 'far', "
		"5000000000, "
		"6000000000, 'USD', 'counters')");
	expect("SELECT * FROM egress",
		"v|vm|p|us-1-b|us-1|v|eve|1|2|3|4|1.863|2.887|3.725|1.931|b|-|us-2 1.0 "
		"KiB/s|far|5.0|6.0|"
		"USD|1.5|0|-|-|-|-|-|-|-|to us-2 1.0 KiB/s; buckets elsewhere: "
		"b|counters|v\n");
}

static void what_runs_as_if_it_were_billed(void **state)
{
	things();
	tempdb_exec(&t,
		"INSERT INTO charge_part (id, kind, project, location, region, zone, name, "
		"category, gross, net, currency, starts, ends, advised) VALUES ('v', 'vm', "
		"'p', 'us-1-b', 'us-1', 'us-1-b', 'v', 'cpu', 3000000000, 2000000000, "
		"'USD', 1788400000, 1788500000, 0), ('n', 'tpu', 'p', 'us-1-c', NULL, "
		"'us-1-c', 'n', 'tpu', 8000000000, 1000000000, 'USD', NULL, NULL, 1), "
		"('q', 'queued', 'p', 'us', NULL, NULL, 'q', 'tpu', 1000000000, "
		"1000000000, 'USD', NULL, NULL, 0), ('b', 'bucket', 'p', 'eu', NULL, NULL, "
		"'b', 'storage', 1000000000, 1000000000, 'USD', NULL, NULL, 0), ('d', "
		"'disk', 'q', 'us', 'us', NULL, 'd', 'disk', NULL, NULL, NULL, NULL, NULL, "
		"0)");
	expect("SELECT * FROM charges_exact",
		"2026-09-04|-|p|Cloud "
		"Storage|-|storage|eu|-|b|1.0|0.0|1.0|0|USD|-|-|partial|-|95FF-2EF5-5EA1|-|"
		"regular|b|bucket|1000000000|1000000000|-|-|-|-|0|-|-|1.0|0.0|Default|-\n"
		"2026-09-04|-|p|Cloud "
		"TPU|-|tpu|us|-|q|1.0|0.0|1.0|0|USD|-|-|partial|-|E000-3F24-B8AA|-|regular|"
		"q|queued|1000000000|1000000000|-|-|-|-|0|-|-|1.0|0.0|Default|-\n"
		"2026-09-04|-|p|Cloud "
		"TPU|-|tpu|us-1-c|us-1-c|n|8.0|-7.0|1.0|0|USD|-|-|partial|-|E000-3F24-B8AA|"
		"-|regular|n|tpu|8000000000|1000000000|-|-|-|-|1|-|{}|8.0|7.0|Default|-\n"
		"2026-09-04|-|p|Compute "
		"Engine|-|cpu|us-1|us-1-b|v|3.0|-1.0|2.0|0|USD|-|-|partial|-|6F81-5844-"
		"456A|us-1|regular|v|vm|3000000000|2000000000|1788400000|1788500000|-|-|0|"
		"eve|{"
		"\"a\":\"v\"}|3.0|1.0|Default|-\n"
		"2026-09-04|-|q|Compute "
		"Engine|-|disk|us|-|d|-|-|-|0|-|-|-|partial|-|6F81-5844-456A|us|regular|d|"
		"disk|-|-|-|-|-|-|0|bob|{\"a\":\"d\"}|-|-|Default|-\n");
}

/* ---- the asked period -------------------------------------------------------------------------- */

/* A period of two days. */
static void period(void)
{
	things();
	tempdb_exec(&t,
		"INSERT INTO window_span (starts, ends) VALUES (1788350400, "
		"1788523200);INSERT INTO window_thing (id, uid, kind, project, location, "
		"name, state, type, family, provisioning, chips, vcpus, size_gib, labels, "
		"owner, starts, ends, seconds, running) VALUES ('v', '1', 'vm', 'p', "
		"'us-1-b', 'v', 'running', 'n1', NULL, 'spot', NULL, 4, 10, "
		"'{\"was\":\"v\"}', 'was', 1788350400, 1788523200, 172800, 3600), ('n', "
		"'2', 'tpu', 'p', 'us-1-c', 'n', 'stopped', 'v3-8', 'v3', NULL, 4, NULL, "
		"NULL, '{}', NULL, 1788350400, 1788523200, 100000, 4800), ('d', '3', "
		"'disk', 'q', 'us', 'd', 'ready', NULL, NULL, NULL, NULL, NULL, 50, '{}', "
		"'bob', 1788350400, 1788436800, 86400, 0), ('g', '8', 'tpu', 'p', 'us', "
		"'g', 'gone', NULL, NULL, NULL, NULL, NULL, NULL, '{\"g\":\"1\"}', 'ann', "
		"1788350400, 1788354000, 3600, 3600), ('v', '9', 'vm', 'p', 'us-1-b', 'v', "
		"'gone', 'n2', NULL, NULL, NULL, NULL, NULL, '{}', 'tom', 1788350400, "
		"1788354000, 3600, 0), ('w', '1', 'vm', 'q', 'us-1-b', 'w', 'gone', NULL, "
		"NULL, NULL, NULL, NULL, NULL, '{}', 'sue', 1788350400, 1788354000, 3600, "
		"0), ('x', '7', 'vm', 'q', 'us-1-b', 'x', 'gone', NULL, NULL, NULL, NULL, "
		"NULL, NULL, '{}', NULL, 1788350400, 1788354000, 3600, 0), ('y', '6', "
		"'vm', 'q', 'us-1-b', 'y', 'gone', NULL, NULL, NULL, NULL, NULL, NULL, "
		"'{}', NULL, 1788350400, 1788354000, 3600, 0);INSERT INTO resource_trait "
		"(id, uid, starts, source, raw_state, labels) VALUES ('g', '8', 0, 'vm', "
		"'', '{}'), ('g', '8', 1, 'disk', '', '{}'), ('g', '7', 0, 'zzz', '', "
		"'{}'), ('h', '8', 0, 'zzz', '', '{}');INSERT INTO window_part (id, uid, "
		"category, currency, gross, net, unpriced) VALUES ('v', '1', 'cpu', 'USD', "
		"3000000000, 2000000000, 0), ('v', '1', 'gpu', 'USD', 1000000000, "
		"1000000000, 0), ('n', '2', 'tpu', 'USD', 4000000000, 4000000000, 0), "
		"('n', '2', 'tpu', NULL, NULL, NULL, 4800), ('n', '2', 'disk', NULL, NULL, "
		"NULL, 1800), ('v', '9', 'cpu', 'USD', 50000000000, 40000000000, 0), ('v', "
		"'9', 'cpu', NULL, NULL, NULL, 0), ('w', '1', 'cpu', 'USD', 6000000000, "
		"NULL, 0), ('x', '7', 'cpu', 'USD', 2000000000, 1000000000, 0), ('x', '7', "
		"'disk', 'HKD', 3000000000, 2000000000, 0), ('y', '6', 'cpu', 'USD', NULL, "
		"1000000000, 0), ('y', '6', 'gpu', 'USD', 1000000000, 1000000000, 0), "
		"('n', '2', 'disk', NULL, NULL, NULL, 600), ('g', '8', 'tpu', 'USD', "
		"7000000000, NULL, 0), ('g', '8', 'disk', 'HKD', 9000000000, 8000000000, "
		"0)");
}

static void what_the_period_cost(void **state)
{
	period();
	expect("SELECT * FROM period_known",
		"p|tpu|48.0|48.0|1\n"
		"p|vm|48.0|20.33|0\n"
		"q|disk|48.0|-|0\n"
		"q|tpu|48.0|2.0|0\n"
		"q|vm|48.0|1.0|0\n");
	expect("SELECT * FROM period_exact",
		"g|8|tpu|p|disk|ann|{\"g\":\"1\"}|HKD|9000000000|8000000000|0|20.33\n"
		"g|8|tpu|p|tpu|ann|{\"g\":\"1\"}|USD|7000000000|-|0|20.33\n"
		"n|2|tpu|p|disk|-|{}|-|-|-|600|48.0\n"
		"n|2|tpu|p|disk|-|{}|-|-|-|1800|48.0\n"
		"n|2|tpu|p|tpu|-|{}|-|-|-|4800|48.0\n"
		"n|2|tpu|p|tpu|-|{}|USD|4000000000|4000000000|0|48.0\n"
		"v|1|vm|p|cpu|eve|{\"a\":\"v\"}|USD|3000000000|2000000000|0|20.33\n"
		"v|1|vm|p|gpu|eve|{\"a\":\"v\"}|USD|1000000000|1000000000|0|20.33\n"
		"v|9|vm|p|cpu|tom|{}|-|-|-|0|20.33\n"
		"v|9|vm|p|cpu|tom|{}|USD|50000000000|40000000000|0|20.33\n"
		"w|1|vm|q|cpu|sue|{}|USD|6000000000|-|0|1.0\n"
		"x|7|vm|q|cpu|-|{}|USD|2000000000|1000000000|0|1.0\n"
		"x|7|vm|q|disk|-|{}|HKD|3000000000|2000000000|0|1.0\n"
		"y|6|vm|q|cpu|-|{}|USD|-|1000000000|0|1.0\n"
		"y|6|vm|q|gpu|-|{}|USD|1000000000|1000000000|0|1.0\n");
	expect("SELECT * FROM period_resources",
		"d|3|disk|q|us|d|ready|-|-|-|-|-|50|bob|{\"a\":\"d\"}|2026-09-02T12:00:00Z|"
		"2026-09-03T12:00:00Z|1|24.0|0.0|0.0|0.0|USD|0.0|-\n"
		"g|8|tpu|p|us|g|gone|-|-|-|-|-|-|ann|{\"g\":\"1\"}|2026-09-02T12:00:00Z|"
		"2026-09-02T13:00:00Z|0|1.0|1.0|-|-|-|0.0|20.33\n"
		"n|2|tpu|p|us-1-c|n|stopped|v3-8|v3|-|4|-|-|-|{}|2026-09-02T12:00:00Z|2026-"
		"09-04T12:00:00Z|1|27.78|1.33|-|-|USD|2.0|48.0\n"
		"v|1|vm|p|us-1-b|v|running|n1|-|spot|-|4|10|eve|{\"a\":\"v\"}|2026-09-"
		"02T12:00:00Z|2026-09-04T12:00:00Z|1|48.0|1.0|4.0|3.0|USD|0.0|20.33\n"
		"v|9|vm|p|us-1-b|v|gone|n2|-|-|-|-|-|tom|{}|2026-09-02T12:00:00Z|2026-09-"
		"02T13:00:00Z|0|1.0|0.0|50.0|40.0|USD|0.0|20.33\n"
		"w|1|vm|q|us-1-b|w|gone|-|-|-|-|-|-|sue|{}|2026-09-02T12:00:00Z|2026-09-"
		"02T13:00:00Z|0|1.0|0.0|-|-|USD|0.0|1.0\n"
		"x|7|vm|q|us-1-b|x|gone|-|-|-|-|-|-|-|{}|2026-09-02T12:00:00Z|2026-09-"
		"02T13:00:00Z|0|1.0|0.0|-|-|-|0.0|1.0\n"
		"y|6|vm|q|us-1-b|y|gone|-|-|-|-|-|-|-|{}|2026-09-02T12:00:00Z|2026-09-"
		"02T13:00:00Z|0|1.0|0.0|-|-|USD|0.0|1.0\n");
	expect("SELECT * FROM period_burn",
		"p|cpu|-|-|1|-|0.0|20.33\n"
		"p|cpu|53.0|42.0|2|USD|0.0|20.33\n"
		"p|disk|-|-|1|-|0.67|48.0\n"
		"p|disk|9.0|8.0|1|HKD|0.0|20.33\n"
		"p|gpu|1.0|1.0|1|USD|0.0|20.33\n"
		"p|tpu|-|-|1|-|1.33|48.0\n"
		"p|tpu|11.0|-|2|USD|0.0|20.33\n"
		"q|cpu|-|-|3|USD|0.0|1.0\n"
		"q|disk|3.0|2.0|1|HKD|0.0|1.0\n"
		"q|gpu|1.0|1.0|1|USD|0.0|1.0\n");
	tempdb_exec(&t,
		"INSERT INTO belonging (id, part, via, relation, certain) VALUES "
		"('n', 'v', 'd', 'near', 0), ('n', 'd', NULL, 'attached', 1), "
		"('n', 'n', NULL, 'itself', 1), ('v', 'n', NULL, 'x', 1)");
	expect("SELECT * FROM period_hidden",
		"n|p|us-1-c|n|v3-8|n|tpu|itself|-|1|27.78|1.33|-|USD|48.0\n"
		"n|p|us-1-c|n|v3-8|v|vm|near|d|0|48.0|1.0|4.0|USD|20.33\n");
	tempdb_exec(&t,
		"UPDATE window_span SET starts = starts + 1200;"
		"DELETE FROM window_part WHERE id = 'v' AND uid = '1'");
	expect("SELECT * FROM period_known",
		"p|tpu|47.67|47.67|1\n"
		"p|vm|47.67|20.33|0\n"
		"q|disk|47.67|-|0\n"
		"q|tpu|47.67|2.0|0\n"
		"q|vm|47.67|1.0|0\n");
	tempdb_exec(&t, "UPDATE window_part SET gross = NULL WHERE id = 'n'");
	expect("SELECT * FROM period_hidden",
		"n|p|us-1-c|n|v3-8|n|tpu|itself|-|1|27.78|1.33|-|USD|47.67\n");
	tempdb_exec(&t, "DELETE FROM window_part");
	expect("SELECT id, uid, gross, net, currency FROM period_resources",
		"d|3|0.0|0.0|EUR\n"
		"g|8|0.0|0.0|EUR\n"
		"n|2|0.0|0.0|EUR\n"
		"v|1|0.0|0.0|EUR\n"
		"v|9|0.0|0.0|EUR\n"
		"w|1|0.0|0.0|EUR\n"
		"x|7|0.0|0.0|EUR\n"
		"y|6|0.0|0.0|EUR\n");
}

/* What was not watched all the time is not known all the time. */
static void how_much_of_the_period_is_known(void **state)
{
	static const struct {
		const char *change, *want; /* of the row of the source */
	} cases[] = {
		{"watched_since = 1788350400", "48.0|48.0|1\n"},
		{"watched_since = 1788350401", "48.0|48.0|0\n"},
		{"watched_since = 1788350399", "48.0|48.0|1\n"},
		{"watched_since = 1788519600", "48.0|1.0|0\n"},
		{"watched_since = 1788523200", "48.0|0.0|0\n"},
		{"watched_since = 1788523201", "48.0|0.0|0\n"},
		{"watched_since = NULL", "48.0|-|0\n"},
		/* stale: last read more than three times its interval ago */
		{"watched_since = 0, last_success = 1788522300", "48.0|48.0|1\n"},
		{"last_success = 1788522299", "48.0|47.75|0\n"},
		{"poll_group = 'other', last_success = 1788512400", "48.0|48.0|1\n"},
		{"last_success = 1788512399", "48.0|45.0|0\n"},
		{"state = 'failed'", "48.0|45.0|0\n"},
		{"source = 'ip', state = 'disabled'", ""},
		{"source = 'bucket', state = 'ok'", ""},
	};

	period();
	tempdb_exec(&t,
		"INSERT INTO poll_interval (poll_group, seconds) VALUES "
		"('fast', 300), ('slow', 86400);"
		"DELETE FROM source_status WHERE source <> 'vm' OR project <> 'p'");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {

		tempdb_execf(&t, "UPDATE source_status SET %s", cases[i].change);
		expect("SELECT hours, known_hours, whole FROM period_known", cases[i].want);
	}
	/* read after the end of the period is late enough */
	tempdb_exec(&t,
		"UPDATE window_span SET ends = 1788436800;UPDATE source_status SET source "
		"= 'vm', poll_group = 'fast', last_success = 1788440000");
	expect("SELECT hours, known_hours, whole FROM period_known", "24.0|24.0|1\n");
}

/* ---- grants ------------------------------------------------------------------------------------ */

static void what_grants_covered(void **state)
{
	tempdb_exec(&t,
		"INSERT INTO coverage_part (id, grant_name, starts, ends, chip_seconds, "
		"covered, why, why_text, gross, net, currency) VALUES ('a', 'trc', "
		"1788350400, 1788354000, 14401, 1, 'covered', 'by trc', 8000000000, "
		"3000000000, 'USD'), ('a', 'trc', 1788354000, 1788357600, 28800, 1, "
		"'covered', 'by trc', 2000000000, 1000000000, 'USD'), ('b', 'trc', "
		"1788350400, 1788354000, NULL, 0, 'expired', 'x', 5000000000, 5000000000, "
		"'USD'), ('c', 'trc', 1788350400, 1788354000, 3600, 0, 'expired', 'x', "
		"1000000000, 1000000000, 'USD'), ('d', NULL, 1788350400, 1788354000, 3600, "
		"0, 'no-grant', NULL, NULL, NULL, NULL);INSERT INTO reconcile_part (day, "
		"project, family, location, provisioning, covered, uncovered, why, billed, "
		"sku, skus, cost, credits, promo, list_cost, discounts, currency, status, "
		"verdict, "
		"text) "
		"VALUES "
		"('2026-08-25', 'p', 'v3', 'us', 'spot', 7201, 3601, 'expired', "
		"4000012345, 'B', 2, 9000000000, -2000000000, -1000000000, 10500000000, "
		"'PROMOTION -1', 'USD', "
		"'settled', 'ok', 'fine')");
	expect("SELECT * FROM coverage",
		"a|trc|2026-09-02T12:00:00Z|2026-09-02T13:00:00Z|4.0003|1|covered|by "
		"trc|8.0|3.0|USD\n"
		"a|trc|2026-09-02T13:00:00Z|2026-09-02T14:00:00Z|8.0|1|covered|by "
		"trc|2.0|1.0|USD\n"
		"b|trc|2026-09-02T12:00:00Z|2026-09-02T13:00:00Z|-|0|expired|x|5.0|5.0|"
		"USD\n"
		"c|trc|2026-09-02T12:00:00Z|2026-09-02T13:00:00Z|1.0|0|expired|x|1.0|1.0|"
		"USD\n"
		"d|-|2026-09-02T12:00:00Z|2026-09-02T13:00:00Z|1.0|0|no-grant|-|-|-|-\n");
	expect("SELECT * FROM coverage_totals",
		"-|no-grant|0|1|1.0|-|-|-|-\n"
		"trc|covered|1|1|12.0003|10.0|4.0|6.0|USD\n"
		"trc|expired|0|2|-|6.0|6.0|0.0|USD\n");
	expect("SELECT * FROM reconciliation",
		"2026-08-25|p|v3|us|spot|2.0003|1.0003|expired|4.0|9.0|-2.0|-1.0|7.0|USD|"
		"settled|ok|fine|B|2|10.5|3.5|PROMOTION -1\n");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(each_line_of_the_bill_has_its_own_names),
		TEST(an_hour_is_of_the_day_of_the_zone),
		TEST(a_day_has_the_status_of_what_is_known_last),
		TEST(the_status_of_a_project_is_that_of_its_worst_account),
		TEST(the_mean_of_a_week_is_rounded_once),
		TEST(what_is_said_of_the_bill),
		TEST(coupons_last_until_they_are_used_up_or_expire),
		TEST(a_budget_shows_what_was_found),
		TEST(a_budget_of_the_past_is_final_when_its_bill_is),
		TEST(what_burns_is_added_up_by_project_and_category),
		TEST(what_a_day_would_burn_has_to_fit),
		TEST(what_is_paid_beside_tpus),
		TEST(what_machines_send),
		TEST(what_runs_as_if_it_were_billed),
		TEST(what_the_period_cost),
		TEST(how_much_of_the_period_is_known),
		TEST(what_grants_covered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Which views have the bill in them: by the tables that each one reads, also while the rows behind it are derived. */
#include "base/str.h"
#include "db/internal.h"
#include "db/rollup/rollup.h"
#include "db/vocab.h"
#include "rules/judge/judge.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"
#include "tests/support/world/cost_world.h"
#include "tests/support/world/guard_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW GW_NOW
#define HOUR INT64_C(3600)
#define MOST 256

static struct cost_world w;
static struct budget budgets[2];
static struct credit credit;
static struct grant grant;

static char *texts[MOST]; /* of the statements that ran */
static size_t n_texts;

/* Tables of what was polled and set. A table that is not listed is of the bill, or of what was made of it. */
static const char *const polled[] = {"resource", "resource_interval", "resource_trait",
	"host", "tpu_disk", "commitment", "metric", "metric_past", "machine_type",
	"preemption", "preemption_read", "quota_list", "quota_limit", "quota_item",
	"source_status", "source_gap", "hold", "silence",
	/* prices, and rates of currencies */
	"list_price", "billed_price", "billed_region", "sku", "charge",
	/* when sources were read, and what that cost */
	"rule_state", "billing_table", "billing_bytes"};

/* Something of everything that views are made of, so that each is derived to its end. */
static int setup(void **state)
{
	const struct money one = {.nanos = NANOS, .cur = "USD"};
	struct err e = {0};

	cost_world_open(&w, "UTC", NOW);
	budgets[0] = (struct budget){.name = "all", .amount = one};
	budgets[1] = (struct budget){
		.name = "cpu", .amount = one, .where = "category = 'cpu'"};
	credit = (struct credit){.name = "trial",
		.amount = one,
		.starts = NOW - 1000 * HOUR,
		.expires = NOW + 1000 * HOUR};
	grant = (struct grant){
		.name = "trc", .starts = NOW - 500 * HOUR, .until = NOW + 50 * HOUR};
	assert_ok(grant_parse_line(
			  "5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a",
			  &w.t.a, &grant, &e),
		e);
	w.settings.budgets = budgets;
	w.settings.n_budgets = ARRAY_LEN(budgets);
	w.settings.credits = &credit;
	w.settings.n_credits = 1;
	w.settings.grants = &grant;
	w.settings.n_grants = 1;
	BILL(&w, .hour = NOW - 30 * HOUR, .cost = 2 * NANOS, .credits = -NANOS);
	BILL(&w, .hour = NOW - 30 * HOUR, .cost = 2 * NANOS, .category = "tpu");
	RUN(&w, .name = "d");
	RUN(&w, .name = "t", .kind = "tpu", .type = "v3-8", .zone = "europe-west4-a");
	RUN(&w, .name = "m", .kind = "vm", .type = "n1-standard-4");
	assert_ok(rollup_all(w.t.db, w.t.tz, &e), e);
	return gw_setup(state);
}

static int teardown(void **state)
{
	return tempdb_teardown(state) || tempdb_teardown(state);
}

static int note_text(unsigned what, void *ctx, void *stmt, void *text)
{
	const char *sql = sqlite3_sql(stmt);

	(void)what, (void)ctx, (void)text;
	for (size_t i = 0; i < n_texts; i++)
		if (!strcmp(texts[i], sql))
			return 0;
	assert_true(n_texts < MOST);
	texts[n_texts++] = xstrdup(sql);
	return 0;
}

/* Sets *ctx to a stored table that is not one of those above. */
static int note_table(void *ctx, int action, const char *table, const char *column,
	const char *schema, const char *reader)
{
	static char other[64];

	(void)column, (void)schema, (void)reader;
	if (action != SQLITE_READ || str_in(table, polled, ARRAY_LEN(polled)) ||
		db_view_named(table, strlen(table)) >= 0)
		return SQLITE_OK;
	for (int i = 0; i < db_n_derived_tables; i++)
		if (!strcmp(db_derived_tables[i].name, table))
			return SQLITE_OK;
	snprintf(other, sizeof(other), "%s", table);
	*(const char **)ctx = other;
	return SQLITE_OK;
}

static void read_all(const char *view)
{
	struct derive_opts o = {.settings = &w.settings,
		.now = NOW,
		.since = NOW - 100 * HOUR,
		.until = NOW};
	char sql[128];
	struct db_cursor c;
	struct err e = {0};
	bool row = true;

	assert_ok(derive_begin(w.t.db, &o, &e), e);
	snprintf(sql, sizeof(sql), "SELECT * FROM %s", view);
	sqlite3_trace_v2(w.t.db->sq, SQLITE_TRACE_STMT, note_text, NULL);
	assert_ok(db_cursor_open(w.t.db, sql, 10000, &c, &e), e);
	while (row)
		assert_ok(db_cursor_step(&c, &row, &e), e);
	db_cursor_close(&c);
	sqlite3_trace_v2(w.t.db->sq, 0, NULL, NULL);
}

/* A table of the bill that the view reads, or NULL. */
static const char *bill_behind(const char *view)
{
	const char *table = NULL;

	read_all(view);
	sqlite3_set_authorizer(w.t.db->sq, note_table, &table);
	for (; n_texts; free(texts[n_texts])) {
		sqlite3_stmt *st = NULL;

		if (sqlite3_prepare_v2(w.t.db->sq, texts[--n_texts], -1, &st, NULL))
			fail_msg("%s: %s", texts[n_texts], sqlite3_errmsg(w.t.db->sq));
		sqlite3_finalize(st);
	}
	db_guard_install(w.t.db);
	return table;
}

static void a_condition_on_a_view_with_the_bill_in_it_waits_for_the_bill(void **state)
{
	size_t n = 0;

	for (size_t i = 0; i < n_views; i++) {
		const char *view = views[i]->name, *table = bill_behind(view);
		char where[128];
		bool held;

		snprintf(where, sizeof(where), "(SELECT COUNT(*) FROM %s) >= 0", view);
		gw.rule.where = where;
		held = !strcmp(gw_held(), "anomaly");
		if (held != (table != NULL))
			fail_msg("%s reads %s, and a rule on it is %s", view,
				table ? table : "nothing of the bill",
				held ? "held" : "not held");
		n += held;
	}
	assert_true(n > 15 && n < n_views - 15);
}

/* They act without a bill. */
static void no_rule_of_tpucost_on_resources_needs_a_bill(void **state)
{
	size_t n = 0;

	for (size_t i = 0; i < n_builtin_rules; i++) {
		if (strcmp(builtin_rules[i].on, "resources") != 0)
			continue;
		n++;
		gw.rule.where = builtin_rules[i].where;
		gw_passes();
	}
	assert_true(n > 5);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(a_condition_on_a_view_with_the_bill_in_it_waits_for_the_bill),
		TEST(no_rule_of_tpucost_on_resources_needs_a_bill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

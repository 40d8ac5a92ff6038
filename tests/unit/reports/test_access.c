/* What answers rest on is said by fewer words of SQL than the view `access` has, and says the same. */
#include "reports/access.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static struct tempdb t;
static struct err e;

enum { FILES, INVENTORY, METRICS, BILLING, STOP, LEVELS };

/* The levels of the view, as the sentence takes them. */
static void read_view(struct q_access_levels v[LEVELS])
{
	struct q_access_levels q;
	struct db_rows rows;
	int n = 0;

	assert_ok(q_access_levels_open(t.db, &rows, &e), e);
	while (q_access_levels_next(&rows, &q)) {
		assert_i64_eq(q.level, n);
		v[n] = q;
		v[n].name = arena_strdup(&t.a, q.name);
		v[n].missing = arena_strdup(&t.a, q.missing);
		v[n++].fix = arena_strdup(&t.a, q.fix);
	}
	assert_ok(db_rows_close(&rows, &e), e);
	assert_int_equal(n, LEVELS);
}

static bool is_missed(const struct q_access_levels *v, int level)
{
	return !v[level].have && v[level].missing &&
		(level == INVENTORY || (level == METRICS && v[INVENTORY].have) ||
			(level == BILLING && !v[FILES].have));
}

static void add_missed(struct sbuf *b, const struct q_access_levels *v, bool first)
{
	bool tried = str_eq(v->fix, "tpucost doctor");

	if (v->level == BILLING && v->configured)
		sbuf_addf(b, "%se %s %s: %s", first ? ". Th" : "; th", v->name,
			tried ? "cannot be read" : "has not been read yet", v->missing);
	else
		sbuf_addf(b, "%so %s: %s", first ? ". N" : "; n", v->name, v->missing);
}

/* The sentence by the view. */
static const char *want(void)
{
	struct q_access_levels v[LEVELS];
	struct sbuf b = SBUF_INIT;
	const char *text;
	bool only_bill;
	size_t n = 0;

	read_view(v);
	for (int i = FILES; i <= BILLING; i++)
		if (v[i].have)
			sbuf_addf(&b, "%s%s", b.len ? ", " : "",
				i == FILES ? "imported files" : v[i].name);
	if (!b.len)
		return "no data yet; run: tpucost doctor";
	for (int i = INVENTORY; i <= BILLING; i++)
		if (is_missed(v, i))
			add_missed(&b, &v[i], !n++);
	only_bill = n == 1 && is_missed(v, BILLING) && v[BILLING].configured &&
		!str_eq(v[BILLING].fix, "tpucost doctor");
	if (n)
		sbuf_adds(
			&b, only_bill ? "; run: tpucost collect" : "; run: tpucost doctor");
	text = arena_strdup(&t.a, b.s);
	sbuf_done(&b);
	return text;
}

/* One source: not there, never read, failing since, read, read and not enabled any more. */
static void put_source(const char *source, const char *group, const char *project, int how)
{
	static const char *const states[] = {NULL, "failed", "failed", "ok", "disabled"};

	if (!states[how])
		return;
	tempdb_execf(&t,
		"INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items, poll_group) VALUES ('%s', '%s', '%s', 1, %s, 0, "
		"'%s')",
		source, project, states[how], how == 1 ? "NULL" : "1", group);
}

static void put_wanted(int which)
{
	tempdb_execf(&t,
		"DELETE FROM source_status; DELETE FROM access_wanted; DELETE FROM "
		"import_file; INSERT INTO access_wanted (projects, tables, armed) VALUES "
		"(%d, %d, 0)",
		which & 1, which >> 1);
}

#define HOWS 5

static void the_sentence_is_that_of_the_view(void **state)
{
	const char *got;
	bool missing;

	for (int i = 0; i < HOWS * HOWS * HOWS * 4 * 2; i++) {
		int rest = i / 8;

		put_wanted(i % 4);
		if (i & 4)
			tempdb_exec(&t,
				"INSERT INTO import_file (sha256, table_id, name, "
				"row_count, imported) VALUES ('a', 1, 'f', 1, 1)");
		put_source("vm", "instances", "p", rest % HOWS);
		put_source("vm", "instances", "q", rest % 2);
		put_source("metrics", "metrics", "p", rest / HOWS % HOWS);
		put_source("billing", "billing", "", rest / HOWS / HOWS);
		assert_ok(access_words(t.db, &t.a, &got, &missing, &e), e);
		assert_string_equal(got, want());
	}
}

static int setup(void **state)
{
	tempdb_open_as_of(&t, 1795219200);
	tempdb_exec(&t, "PRAGMA synchronous = OFF");
	return 0;
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sentence_is_that_of_the_view),
	};

	return cmocka_run_group_tests(tests, setup, tempdb_teardown);
}

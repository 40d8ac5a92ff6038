/* Derived rows as SQL reads them: the same as those of an ordinary table. */
#include "db/internal.h"
#include "db_sql.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tempdb t;

static int setup(void **state)
{
	tempdb_open(&t, 1795219200);
	return 0;
}

/* ---- tables ------------------------------------------------------------------------------------ */

/* One of each kind of key: a text, several, an integer, none, and others than the first columns. */
static const char *const names[] = {"verdict", "burn_part", "grant_state", "coverage_part",
	"estimate_error", "budget_past"};
#define NAMES ARRAY_LEN(names)
#define ROUNDS 200
#define ASKED 20 /* texts of SQL in a round */
#define BOUND 3  /* times with other values */

static uint64_t random_state;

/* xorshift64* */
static uint64_t draw(uint64_t below)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return ((random_state * UINT64_C(2685821657736338717)) >> 33) % below;
}

static int index_of(const char *name)
{
	int i = 0;

	while (strcmp(db_derived_tables[i].name, name) != 0)
		i++;
	return i;
}

static const struct derived_table *table(size_t i)
{
	return &db_derived_tables[index_of(names[i])];
}

static void run(const char *sql)
{
	if (sqlite3_exec(t.db->sq, sql, NULL, NULL, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(t.db->sq));
}

/* "a.id, a.category"; without a key, the row's number. */
static void add_key(struct sbuf *b, const struct derived_table *d, const char *prefix,
	int n, bool directions)
{
	for (int i = 0; i < n; i++)
		sbuf_addf(b, "%s%s%s%s", i ? ", " : "", prefix, d->fields[i].name,
			directions && draw(2) ? " DESC" : "");
	if (!d->n_key)
		sbuf_addf(b, "%srowid%s", prefix, directions && draw(2) ? " DESC" : "");
}

/* Without an index, which the engine would use in ways that are to be tested here. */
static void make_ordinary(void)
{
	run("PRAGMA automatic_index = OFF");
	for (size_t i = 0; i < NAMES; i++) {
		cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
		const struct derived_table *d = table(i);

		sbuf_addf(&sql, "CREATE TEMP TABLE o_%s (", d->name);
		for (int k = 0; k < d->n_fields; k++)
			sbuf_addf(&sql, "%s%s %s", k ? ", " : "", d->fields[k].name,
				d->fields[k].type == SQL_TEXT ? "TEXT" : "INTEGER");
		sbuf_addc(&sql, ')');
		run(sql.s);
	}
}

static const char *some_text(char buf[64])
{
	static const char *const texts[] = {"", "a", "A", "ab", "aB", "abc", "b", "a%", "5",
		"05", "5.0", " 5", "-1", "0", "1e300", "9223372036854775807", "\xc3\xa9",
		"zz"};

	snprintf(buf, 64, "%s%s", texts[draw(ARRAY_LEN(texts))],
		draw(4) ? "" : texts[draw(ARRAY_LEN(texts))]);
	return buf;
}

static int64_t some_int(void)
{
	static const int64_t ints[] = {0, 1, -1, 5, INT64_MIN, INT64_MIN + 1, INT64_MAX,
		INT64_MAX - 1, (INT64_C(1) << 53) + 1};

	return draw(2) ? ints[draw(ARRAY_LEN(ints))] : (int64_t)draw(12) - 4;
}

static void bind_value(sqlite3_stmt *st, int i, enum sql_type type)
{
	char buf[64];

	if (type == SQL_TEXT)
		sqlite3_bind_text(st, i, some_text(buf), -1, SQLITE_TRANSIENT);
	else
		sqlite3_bind_int64(st, i, some_int());
}

/* Any that SQL may compare a column with. */
static void bind_any(sqlite3_stmt *st, int i)
{
	static const double reals[] = {
		5.0, -1.0, 0.5, 1e300, 9223372036854775808.0, -9223372036854775808.0};
	char buf[64];

	switch (draw(8)) {
	case 0:
		sqlite3_bind_null(st, i);
		break;
	case 1:
		sqlite3_bind_double(st, i, reals[draw(ARRAY_LEN(reals))]);
		break;
	case 2:
		some_text(buf);
		sqlite3_bind_blob(st, i, buf, (int)strlen(buf), SQLITE_TRANSIENT);
		break;
	default:
		bind_value(st, i, draw(2) ? SQL_TEXT : SQL_I64);
	}
}

/* Into the ordinary table, each key once. */
static void make_rows(size_t i)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	const struct derived_table *d = table(i);
	sqlite3_stmt *st = NULL;

	sbuf_addf(&sql, "DELETE FROM o_%s", d->name);
	run(sql.s);
	sbuf_reset(&sql);
	sbuf_addf(&sql, "INSERT INTO o_%s SELECT ", d->name);
	for (int k = 0; k < d->n_fields; k++)
		sbuf_adds(&sql, k ? ", ?" : "?");
	sbuf_addf(&sql, " WHERE %d = 0 OR NOT EXISTS (SELECT 1 FROM o_%s WHERE 1", d->n_key,
		d->name);
	for (int k = 0; k < d->n_key; k++)
		sbuf_addf(&sql, " AND %s = ?%d", d->fields[k].name, k + 1);
	sbuf_addc(&sql, ')');
	assert_int_equal(sqlite3_prepare_v2(t.db->sq, sql.s, -1, &st, NULL), SQLITE_OK);
	for (uint64_t n = draw(25); n; n--) {
		for (int k = 0; k < d->n_fields; k++) {
			if (d->fields[k].nullable && !draw(4))
				sqlite3_bind_null(st, k + 1);
			else
				bind_value(st, k + 1, d->fields[k].type);
		}
		assert_int_equal(sqlite3_step(st), SQLITE_DONE);
		sqlite3_reset(st);
	}
	sqlite3_finalize(st);
}

static void read_field(const struct sql_field *f, sqlite3_stmt *st, int k, char *row)
{
	bool set = sqlite3_column_type(st, k) != SQLITE_NULL;

	if (f->type == SQL_TEXT)
		*(const char **)(row + f->offset) = (const char *)sqlite3_column_text(
			st, k);
	else if (f->nullable)
		*(struct opt_i64 *)(row + f->offset) = set
			? SOME(sqlite3_column_int64(st, k))
			: NONE;
	else
		*(int64_t *)(row + f->offset) = sqlite3_column_int64(st, k);
}

/* Rows that are computed: here, copied. */
static struct copies {
	const struct derived_table *d;
	struct arena a, brief;
	char **v;
	size_t n, cap;
} copies[NAMES];

static const char *copied_key(void *ctx, uint32_t number, int column)
{
	struct copies *c = ctx;

	return *(const char **)(c->v[number] + c->d->fields[column].offset);
}

static void copied_row(void *ctx, uint32_t number, void *row)
{
	struct copies *c = ctx;

	memcpy(row, c->v[number], c->d->row_size);
}

/* Its texts are gone when the next one is computed. */
static void copied_briefly(void *ctx, uint32_t number, void *row)
{
	struct copies *c = ctx;

	copied_row(ctx, number, row);
	arena_reset(&c->brief);
	for (int k = 0; k < c->d->n_fields; k++)
		if (c->d->fields[k].type == SQL_TEXT) {
			const char **text = (const char **)((char *)row +
				c->d->fields[k].offset);

			*text = arena_strdup(&c->brief, *text);
		}
}

static enum err_code copy_row(struct copies *c, const void *row, struct err *e)
{
	char *copy = arena_alloc(&c->a, c->d->row_size);

	memcpy(copy, row, c->d->row_size);
	for (int k = 0; k < c->d->n_fields; k++)
		if (c->d->fields[k].type == SQL_TEXT) {
			const char **text = (const char **)(copy + c->d->fields[k].offset);

			*text = arena_strdup(&c->a, *text);
		}
	*arena_append(&c->a, c->v, c->n, c->cap) = copy;
	return db_derived_add(t.db, index_of(c->d->name), (uint32_t)(c->n - 1), e);
}

/* Some of the tables whose key, or first column, has only texts. */
static struct copies *copies_of(const char *name)
{
	static const struct db_computed ways[] = {
		{copied_row, copied_key, false}, {copied_briefly, copied_key, true}};
	const struct db_computed *by = &ways[draw(2)];
	size_t i = 0;
	bool texts = true;

	while (strcmp(names[i], name) != 0)
		i++;
	for (int k = 0; k <= table(i)->n_key - !!table(i)->n_key; k++)
		texts &= table(i)->fields[k].type == SQL_TEXT;
	if (!texts || draw(2))
		return NULL;
	arena_done(&copies[i].a);
	arena_done(&copies[i].brief);
	copies[i] = (struct copies){.d = table(i)};
	db_derived_compute(t.db, index_of(name), by, &copies[i]);
	return &copies[i];
}

/* The rows of the ordinary table, some time in the order of the key. */
static enum err_code fill_same(void *ctx, const char *name, struct err *e)
{
	struct copies *copied;
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	const struct derived_table *d = &db_derived_tables[index_of(name)];
	int64_t room[64] = {0};
	sqlite3_stmt *st = NULL;
	bool same = false;

	(void)ctx;
	for (size_t i = 0; i < NAMES; i++)
		same |= !strcmp(name, names[i]);
	if (!same)
		return E_OK;
	assert_true(d->row_size <= sizeof(room));
	copied = copies_of(name);
	sbuf_addf(&sql, "SELECT * FROM o_%s ORDER BY ", name);
	if (draw(3))
		sbuf_adds(&sql, "rowid");
	else
		add_key(&sql, d, "", d->n_key, false);
	assert_int_equal(sqlite3_prepare_v2(t.db->sq, sql.s, -1, &st, NULL), SQLITE_OK);
	while (sqlite3_step(st) == SQLITE_ROW) {
		for (int k = 0; k < d->n_fields; k++)
			read_field(&d->fields[k], st, k, (char *)room);
		if (copied ? copy_row(copied, room, e)
			   : db_derived_put(t.db, index_of(name), room, e))
			break;
	}
	sqlite3_finalize(st);
	return e->code;
}

/* ---- SQL --------------------------------------------------------------------------------------- */

/* What SQL is made of: two tables, and two columns of each. */
struct pick {
	const struct derived_table *d[2];
	const struct sql_field *column[4];
};

static struct pick pick(void)
{
	struct pick p;

	for (int i = 0; i < 2; i++)
		p.d[i] = table(draw(NAMES));
	for (int i = 0; i < 4; i++) {
		const struct derived_table *d = p.d[i / 2];
		bool key = d->n_key && draw(2);

		p.column[i] = &d->fields[draw((uint64_t)(key ? d->n_key : d->n_fields))];
	}
	return p;
}

static void add_part(struct sbuf *b, char what, const struct pick *p)
{
	static const char columns[] = "cdxy";
	const char *column = strchr(columns, what);

	if (what == 't' || what == 'u')
		sbuf_addf(b, "@%s", p->d[what == 'u']->name);
	else if (what == 'k' || what == 'g') /* the key, in any direction */
		add_key(b, p->d[0], "a.", p->d[0]->n_key, what == 'g');
	else if (what == 'f') /* its first column */
		sbuf_addf(b, "a.%s", p->d[0]->fields[0].name);
	else if (column)
		sbuf_addf(b, "%s%s", column - columns < 2 ? "a." : "b.",
			p->column[column - columns]->name);
}

static void add_condition(struct sbuf *b, const struct pick *p)
{
	static const char *const conditions[] = {"$c = ?1", "?1 = $c", "$c IS ?1",
		"$c = $d", "$c IS NULL", "$c IS NOT NULL", "$c IS NOT ?1", "$c <> ?1",
		"$c IN (?1, ?2)", "$c IN (?1, ?2, '5', 5, NULL)", "$c NOT IN (?1, ?2)",
		"$c < ?1", "$c <= ?1", "$c > ?1", "$c BETWEEN ?1 AND ?2", "$c LIKE 'a%'",
		"$c LIKE ?1", "$c GLOB 'a*'", "$c COLLATE NOCASE IN (?1, 'ab')",
		"$c = CAST(?1 AS TEXT)", "+$c = ?1", "$c = ?1 AND $d = ?2",
		"$c IS ?1 AND $d IS ?2", "$c = ?1 AND $c = ?2", "$c = ?1 AND $c > ?2",
		"$c = ?1 OR $d = ?2", "$c IS ?1 OR $d = ?2", "($c, $d) = (?1, ?2)",
		"($c, $d) IN (VALUES (?1, ?2), (5, ''))", "$c = 5", "$c = '5'", "$c = 5.0",
		"$c = 1e300", "$c = x'61'", "$c = '' || ?1", "$c = substr('abc', 9)",
		"$c = 'a' || char(0)", "$f = ?1", "$f IS ?1"};
	const char *p1 = conditions[draw(ARRAY_LEN(conditions))];

	for (; *p1; p1++)
		if (*p1 == '$')
			add_part(b, *++p1, p);
		else
			sbuf_addc(b, *p1);
}

enum {
	ANY,
	ORDERED, /* all of it */
	/* Of columns of one type, where many texts are not equal to one number: see the last tests of
	 * this file; and of ordinary tables the engine takes any of these for their minimum. */
	ONE_TYPE,
};

struct text {
	const char *sql;
	int kind;
};

static const struct text texts[] = {
	{"SELECT * FROM $t a WHERE $w", ANY},
	{"SELECT * FROM $t a WHERE $w AND $w", ANY},
	{"SELECT * FROM $t a WHERE $w OR $w", ANY},
	{"SELECT * FROM $t a WHERE NOT ($w)", ANY},
	{"SELECT * FROM $t a WHERE $c = CAST(?1 AS INTEGER)", ANY},
	{"SELECT * FROM $t a WHERE $c = ?1 COLLATE NOCASE", ANY},
	{"SELECT * FROM $t a WHERE $c COLLATE NOCASE IS ?1 AND $w", ANY},
	{"SELECT * FROM $t a WHERE $w ORDER BY $k", ORDERED},
	{"SELECT * FROM $t a WHERE $w OR $w ORDER BY $k", ORDERED},
	{"SELECT * FROM $t a WHERE $w ORDER BY $g", ORDERED},
	{"SELECT $f FROM $t a WHERE $w ORDER BY $f", ORDERED},
	{"SELECT $f FROM $t a ORDER BY $f DESC", ORDERED},
	{"SELECT $f, $c FROM $t a WHERE $w ORDER BY $f, $c", ORDERED},
	{"SELECT * FROM $t a WHERE $w ORDER BY $k LIMIT 3 OFFSET 1", ORDERED},
	{"SELECT * FROM $t a ORDER BY $c, $k", ORDERED},
	{"SELECT * FROM $t a ORDER BY $c DESC, $k", ORDERED},
	{"SELECT * FROM $t a WHERE $w ORDER BY $c COLLATE NOCASE, $k", ORDERED},
	{"SELECT * FROM $t a ORDER BY $c NULLS LAST, $d DESC, $k", ORDERED},
	{"SELECT $c, count(*), count($d), min($d), max($d) FROM $t a GROUP BY $c", ANY},
	{"SELECT $f, count(*) FROM $t a WHERE $w GROUP BY $f ORDER BY $f", ORDERED},
	{"SELECT $c, $d, count(*) FROM $t a WHERE $w GROUP BY 1, 2 HAVING count(*) > 1",
		ANY},
	{"SELECT DISTINCT $c FROM $t a", ANY},
	{"SELECT DISTINCT $f FROM $t a WHERE $w", ANY},
	{"SELECT DISTINCT $c, $d FROM $t a WHERE $w ORDER BY $c, $d", ORDERED},
	{"SELECT count(*), count($c), min($c), max($c), min($d), count(DISTINCT $d) "
	 "FROM $t a WHERE $w",
		ANY},
	{"SELECT min($c) FROM $t a", ANY},
	{"SELECT max($c) FROM $t a WHERE $w", ANY},
	{"SELECT * FROM $t a JOIN $u b ON $c = $x", ANY},
	{"SELECT * FROM $t a JOIN $u b ON $x = $c AND $y = $d", ANY},
	{"SELECT * FROM $t a JOIN $u b ON $x IS $c AND $w", ANY},
	{"SELECT a.* FROM $t a JOIN $u b ON $x = $c ORDER BY $k", ORDERED},
	{"SELECT * FROM $t a NATURAL JOIN $u b", ANY},
	{"SELECT * FROM $t a LEFT JOIN $u b ON $x = $c", ANY},
	{"SELECT * FROM $t a LEFT JOIN $u b ON $x IS $c AND $y = ?1 WHERE $w", ANY},
	{"SELECT * FROM $t a LEFT JOIN $u b ON $x = $c WHERE $y IS ?1", ANY},
	{"SELECT $c FROM $t a LEFT JOIN $u b ON $x = $c", ONE_TYPE},
	{"SELECT * FROM $t a WHERE EXISTS (SELECT 1 FROM $u b WHERE $x IS $c)", ANY},
	{"SELECT $c, (SELECT count(*) FROM $u b WHERE $x = $c) FROM $t a", ANY},
	{"SELECT $c, (SELECT min($y) FROM $u b WHERE $x = $c) FROM $t a", ONE_TYPE},
	{"SELECT * FROM $t a WHERE $c IN (SELECT $x FROM $u b)", ONE_TYPE},
	{"SELECT * FROM $t a WHERE $c NOT IN (SELECT $x FROM $u b)", ONE_TYPE},
	{"SELECT * FROM $t a WHERE ($c, $d) IN (SELECT $x, $y FROM $u b)", ONE_TYPE},
	{"SELECT $c FROM $t a UNION SELECT $x FROM $u b ORDER BY 1", ORDERED},
	{"SELECT $c FROM $t a EXCEPT SELECT $x FROM $u b ORDER BY 1", ORDERED},
	{"SELECT $c FROM $t a UNION ALL SELECT $x FROM $u b", ANY},
	{"SELECT $c, row_number() OVER (PARTITION BY $c ORDER BY $k) FROM $t a", ANY},
	{"WITH v AS NOT MATERIALIZED (SELECT * FROM $t) SELECT * FROM v a WHERE $w", ANY},
	/* of newer engines */
	{"SELECT * FROM $t a FULL JOIN $u b ON $x = $c", ANY},
	{"SELECT * FROM $t a RIGHT JOIN $u b ON $x = $c WHERE $w", ANY},
};

static const struct text *make_sql(struct sbuf *b)
{
	size_t n = ARRAY_LEN(texts) - (sqlite3_libversion_number() < 3039000 ? 2 : 0);
	const struct text *text = &texts[draw(n)];
	struct pick p;

	do
		p = pick();
	while (text->kind == ONE_TYPE &&
		(p.column[0]->type != p.column[2]->type ||
			p.column[1]->type != p.column[3]->type));
	for (const char *s = text->sql; *s; s++)
		if (*s != '$')
			sbuf_addc(b, *s);
		else if (*++s == 'w')
			add_condition(b, &p);
		else
			add_part(b, *s, &p);
	return text;
}

/* ---- compared ---------------------------------------------------------------------------------- */

/* "@" stands for what is in front of the name of an ordinary table. */
static sqlite3_stmt *prepare(const char *sql, bool ordinary)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	sqlite3_stmt *st = NULL;

	for (; *sql; sql++)
		if (*sql != '@')
			sbuf_addc(&b, *sql);
		else if (ordinary)
			sbuf_adds(&b, "o_");
	if (sqlite3_prepare_v2(t.db->sq, b.s, -1, &st, NULL))
		fail_msg("%s: %s", b.s, sqlite3_errmsg(t.db->sq));
	return st;
}

static void add_row(struct sbuf *b, sqlite3_stmt *st)
{
	for (int i = 0; i < sqlite3_column_count(st); i++)
		sbuf_addf(b, "|%d %s", sqlite3_column_type(st, i),
			sqlite3_column_type(st, i) == SQLITE_NULL
				? ""
				: (const char *)sqlite3_column_text(st, i));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A line for each row. */
static void read_rows(sqlite3_stmt *st, bool ordered, struct sbuf *out)
{
	static char *lines[8192];
	struct sbuf one = SBUF_INIT;
	size_t n = 0;
	int rc;

	for (; (rc = sqlite3_step(st)) == SQLITE_ROW; n++) {
		assert_true(n < ARRAY_LEN(lines));
		sbuf_reset(&one);
		add_row(&one, st);
		lines[n] = xstrdup(one.s);
	}
	if (!ordered)
		qsort(lines, n, sizeof(*lines), by_text);
	for (size_t i = 0; i < n; i++) {
		sbuf_addf(out, "%s\n", lines[i]);
		free(lines[i]);
	}
	if (rc != SQLITE_DONE)
		sbuf_adds(out, sqlite3_errmsg(t.db->sq));
	sbuf_done(&one);
	sqlite3_reset(st);
}

static void compare_one(uint64_t seed)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	const struct text *text = make_sql(&sql);
	sqlite3_stmt *st[2] = {prepare(sql.s, false), prepare(sql.s, true)};

	for (int k = 0; k < (strchr(sql.s, '?') ? BOUND : 1); k++) {
		cleanup(sbuf_done) struct sbuf got = SBUF_INIT, want = SBUF_INIT;
		uint64_t before = random_state;

		for (int i = 0; i < 2; i++) {
			random_state = before;
			bind_any(st[i], 1);
			bind_any(st[i], 2);
			read_rows(st[i], text->kind == ORDERED, i ? &want : &got);
		}
		if (strcmp(got.s, want.s) != 0)
			fail_msg("seed %llu: %s\n of %s\ngives\n%sand ordinary\n%s",
				(unsigned long long)seed, sql.s,
				sqlite3_expanded_sql(st[0]), got.s, want.s);
	}
	sqlite3_finalize(st[0]);
	sqlite3_finalize(st[1]);
}

/* In the order of the key, or as they were put. */
static void compare_as_they_lie(size_t i)
{
	cleanup(sbuf_done) struct sbuf got = SBUF_INIT, want = SBUF_INIT, sql = SBUF_INIT;
	sqlite3_stmt *st;

	sbuf_addf(&sql, "SELECT * FROM @%s", names[i]);
	st = prepare(sql.s, false);
	read_rows(st, true, &got);
	sqlite3_finalize(st);
	sbuf_adds(&sql, " ORDER BY ");
	add_key(&sql, table(i), "", table(i)->n_key, false);
	st = prepare(sql.s, true);
	read_rows(st, true, &want);
	sqlite3_finalize(st);
	assert_string_equal(got.s, want.s);
}

static void sql_makes_the_same_of_them(void **state)
{
	struct err e = {0};

	make_ordinary();
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		random_state = seed * UINT64_C(0x9e3779b97f4a7c15);
		run("BEGIN");
		for (size_t i = 0; i < NAMES; i++)
			make_rows(i);
		run("COMMIT");
		assert_ok(db_fill_derived(t.db, fill_same, NULL, NULL, &e), e);
		assert_ok(db_derived_all(t.db, NULL, &e), e);
		for (size_t i = 0; i < NAMES; i++)
			if (table(i)->sorted || !table(i)->n_key)
				compare_as_they_lie(i);
		for (int i = 0; i < ASKED; i++)
			compare_one(seed);
	}
	for (size_t i = 0; i < NAMES; i++) {
		arena_done(&copies[i].a);
		arena_done(&copies[i].brief);
	}
}

/* ---- texts that are numbers -------------------------------------------------------------------- */

/* '5' and '05' are both equal to the number 5. */
static enum err_code fill_numbers(void *ctx, const char *name, struct err *e)
{
	static const struct row_advised_stop stops[] = {{"5"}, {"05"}, {"a"}};
	struct row_grant_note note = {.quota_note = "n"};

	(void)ctx;
	for (size_t i = 0; !strcmp(name, "advised_stop") && i < ARRAY_LEN(stops); i++)
		if (derived_put_advised_stop(t.db, &stops[i], e))
			return e->code;
	for (note.line = 4; !strcmp(name, "grant_note") && note.line < 6; note.line++)
		if (derived_put_grant_note(t.db, &note, e))
			return e->code;
	return E_OK;
}

static void put_numbers(void)
{
	struct err e = {0};

	assert_ok(db_fill_derived(t.db, fill_numbers, NULL, NULL, &e), e);
	assert_ok(db_derived_all(t.db, NULL, &e), e);
}

/* Values of the first column, in the order of which is least. */
static void expect(const char *sql, const char *want)
{
	cleanup(sbuf_done) struct sbuf got = SBUF_INIT;
	sqlite3_stmt *st = prepare(sql, false);

	read_rows(st, false, &got);
	sqlite3_finalize(st);
	if (strcmp(got.s, want) != 0)
		fail_msg("%s\n  gave\n%s  want\n%s", sql, got.s, want);
}

static void many_texts_are_equal_to_one_number(void **state)
{
	put_numbers();
	expect("SELECT id FROM grant_note JOIN advised_stop ON id = line", "|3 05\n|3 5\n");
	expect("SELECT line FROM advised_stop JOIN grant_note ON id = line",
		"|1 5\n|1 5\n");
	expect("SELECT id FROM advised_stop WHERE id = CAST(5 AS INTEGER)",
		"|3 05\n|3 5\n");
	expect("SELECT line FROM grant_note WHERE line IN (SELECT id FROM advised_stop)",
		"|1 5\n");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(sql_makes_the_same_of_them),
		TEST(many_texts_are_equal_to_one_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* compare CONFIG COPY NOW [SINCE [UNTIL]]: reads every view of the configured database as a query does,
 * where tables are made and filled as they are read, and compares all rows and columns with a
 * full derivation in COPY, a backup of it, as the writer makes it at the end of a cycle. Each view alone in many
 * spellings, in sessions of its own; all in one session, in several orders; and in pairs. Writes
 * "V views, R rows, S statements" and ends with 0 when all is the same. Instants are Unix seconds. */
#include "cli/cmd.h"
#include "cli/config/config.h"
#include "cli/session.h"
#include "base/str.h"
#include "db/internal.h"
#include "db/rollup/rollup.h"
#include "rules/derive/derive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_MS 60000
#define ORDERS 6
#define PARTNERS 3

static struct app app;
static struct clock *cl;
static ts_t since = TS_NONE, until = TS_NONE;
static char **want; /* per view */
static size_t rows_seen, asked, wrong;

noreturn_fn static void die(const char *what, const struct err *e)
{
	fprintf(stderr, "compare: %s: %s\n", what, e->msg);
	exit(2);
}

/* ---- rows as text ------------------------------------------------------------------------------ */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_cell(struct sbuf *b, const struct db_cursor *c, int i)
{
	switch (db_cursor_type(c, i)) {
	case DB_NULL:
		sbuf_adds(b, "-|");
		break;
	case DB_INT:
		sbuf_addf(b, "%" PRId64 "|", db_cursor_i64(c, i));
		break;
	case DB_REAL:
		sbuf_addf(b, "%a|", db_cursor_real(c, i));
		break;
	case DB_TEXT:
		sbuf_addf(b, "'%s'|", db_cursor_text(c, i));
		break;
	}
}

/* Its rows in the order of their text, a line each; NULL: it failed. */
static char *answer(struct db *db, const char *sql, size_t *n, struct err *e)
{
	char **lines = NULL;
	struct sbuf b = SBUF_INIT;
	struct db_cursor c;
	size_t cap = 0;
	char *text;
	bool row;

	*n = 0;
	if (db_cursor_open(db, sql, LONG_MS, &c, e))
		return NULL;
	while (!db_cursor_step(&c, &row, e) && row) {
		struct sbuf line = SBUF_INIT;

		sbuf_adds(&line, "|");
		for (int i = 0; i < db_cursor_columns(&c); i++)
			add_cell(&line, &c, i);
		if (*n == cap)
			lines = xrealloc(lines, (cap = cap * 2 + 64) * sizeof(*lines));
		lines[(*n)++] = line.s;
	}
	db_cursor_close(&c);
	if (*n)
		qsort(lines, *n, sizeof(*lines), by_text);
	for (size_t i = 0; i < *n; i++) {
		sbuf_addf(&b, "%s\n", lines[i]);
		free(lines[i]);
	}
	free(lines);
	text = e->code ? NULL : xstrdup(b.s);
	sbuf_done(&b);
	return text;
}

/* ---- in full ----------------------------------------------------------------------------------- */

/* Charges are there only while tables are derived: see derive(). */
static bool is_of_charges(const char *view)
{
	return !strcmp(view, "charges_exact");
}

static void answer_all(struct db *db, bool charges, struct err *e)
{
	size_t n;

	for (int i = 0; i < db_n_views; i++) {
		char sql[128];

		if (is_of_charges(db_views[i].name) != charges)
			continue;
		snprintf(sql, sizeof(sql), "SELECT * FROM %s", db_views[i].name);
		want[i] = answer(db, sql, &n, e);
		if (!want[i])
			die(sql, e);
		rows_seen += n;
	}
}

static void derive_in_full(const char *path)
{
	const struct derive_opts o = {.settings = &app.cfg->settings,
		.now = app.now,
		.since = since,
		.until = until};
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct err e = {0};
	struct db *db;
	bool rebuilt;

	if (db_open(path, DB_WRITE, cl, &db, &e) || db_begin(db, &tx, &e) ||
		db_keep_rollups(db, &rebuilt, &e) || rollup_all(db, app.cfg->tz, &e) ||
		derive(db, &o, &e) || db_commit(&tx, &e))
		die("derive in full", &e);
	want = xcalloc((size_t)db_n_views, sizeof(*want));
	answer_all(db, false, &e);
	if (derive_begin(db, &o, &e) || db_derived_all(db, NULL, &e))
		die("derive all", &e);
	answer_all(db, true, &e);
	db_close(db);
}

/* ---- as a query -------------------------------------------------------------------------------- */

static void open_session(void)
{
	struct err e = {0};

	if (session_open_for(&app, since, until, &e))
		die("open a session", &e);
}

static void same(const char *sql, const char *right)
{
	struct err e = {0};
	size_t n;
	char *got = answer(app.db, sql, &n, &e);

	asked++;
	if (got && !strcmp(got, right)) {
		free(got);
		return;
	}
	wrong++;
	printf("differs: %s\n", sql);
	if (!got)
		printf("  fails: %s\n", e.msg);
	else if (wrong < 4)
		printf("  got:\n%s  want:\n%s", got, right);
	free(got);
}

static const char *const spellings[] = {
	"SELECT * FROM %s",
	"SELECT * FROM \"%s\"",
	"SELECT * FROM[%s]",
	"SELECT * FROM temp.`%s`",
	"select*from/* of credits */%s--budgets",
	"WITH c AS (SELECT * FROM %s) SELECT * FROM c",
	"SELECT * FROM (SELECT * FROM (SELECT * FROM %s) a) WHERE 'quotas' <> ''",
	"SELECT a.* FROM present p CROSS JOIN %s a WHERE EXISTS (SELECT 1 FROM budgets) OR "
	"1",
};

static void in_capitals(char *s)
{
	for (; *s; s++)
		if (*s >= 'a' && *s <= 'z')
			*s = (char)(*s - 'a' + 'A');
}

static void each_alone(int view)
{
	char name[64], sql[512];

	size_t others = ARRAY_LEN(spellings) - 1;

	snprintf(name, sizeof(name), "%s", db_views[view].name);
	for (size_t i = 0; i < 3; i++) { /* as it is; in another spelling; in capitals */
		size_t spelling = i == 1 ? 1 + (size_t)view % others : 0;

		if (i == 2)
			in_capitals(name);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(sql, sizeof(sql), spellings[spelling], name);
#pragma GCC diagnostic pop
		open_session();
		same(sql, want[view]);
		if (!i) /* what is there is not filled twice */
			same(sql, want[view]);
		session_close(&app);
	}
}

static void in_order(unsigned order)
{
	size_t n = (size_t)db_n_views, *at = xcalloc(n, sizeof(*at));
	uint32_t random = order;
	char sql[128];

	for (size_t i = 0; i < n; i++)
		at[i] = order == 1 ? n - 1 - i : i;
	for (size_t i = n - 1; order > 1 && i; i--) {
		size_t k, t = at[i];

		random = random * 1664525u + 1013904223u;
		k = (random >> 8) % (i + 1);
		at[i] = at[k];
		at[k] = t;
	}
	open_session();
	for (size_t i = 0; i < n; i++) {
		snprintf(sql, sizeof(sql), "SELECT * FROM %s", db_views[at[i]].name);
		same(sql, want[at[i]]);
	}
	session_close(&app);
	free(at);
}

static size_t lines_of(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

/* Each view with some others, read in one statement. */
static void in_pairs(int a)
{
	char sql[512], right[64];

	for (int i = 1; i <= PARTNERS; i++) {
		int b = (a + i * i) % db_n_views;

		snprintf(sql, sizeof(sql),
			"SELECT (SELECT count(*) FROM %s), (SELECT count(*) FROM %s)",
			db_views[a].name, db_views[b].name);
		snprintf(right, sizeof(right), "|%zu|%zu|\n", lines_of(want[a]),
			lines_of(want[b]));
		open_session();
		same(sql, right);
		session_close(&app);
	}
}

int main(int argc, char **argv)
{
	static const struct cmd query = {.needs = NEED_CONFIG | NEED_DB};
	struct clock fake;
	struct err e = {0};

	if (argc < 4 || argc > 6 || !str_to_i64(argv[3], 1, INT32_MAX, &app.now) ||
		(argc > 4 && !str_to_i64(argv[4], 1, INT32_MAX, &since)) ||
		(argc > 5 && !str_to_i64(argv[5], 1, INT32_MAX, &until))) {
		fputs("usage: compare CONFIG COPY NOW [SINCE [UNTIL]]\n", stderr);
		return 2;
	}
	clock_fake_init(&fake, app.now);
	cl = app.clock = &fake;
	app.o = (struct opts){.config = argv[1], .quiet = true};
	app.cmd = &query;
	if (config_load(&app, &e))
		die(argv[1], &e);
	derive_in_full(argv[2]);
	for (int i = 0; i < db_n_views; i++) {
		each_alone(i);
		in_pairs(i);
	}
	for (unsigned order = 0; order < ORDERS; order++)
		in_order(order);
	printf("%d views, %zu rows, %zu statements, %zu differ\n", db_n_views, rows_seen,
		asked, wrong);
	for (int i = 0; i < db_n_views; i++)
		free(want[i]);
	free(want);
	config_free(&app);
	arena_done(&app.arena);
	return wrong ? 1 : 0;
}

/* `db plan`: what the bill needs in disk space, in bytes that BigQuery reads, and in money. */
#include "base/money.h"
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "cli/net/wire.h"
#include "cli/query.h"
#include "collector/bill/read.h"
#include "db_sql.h"
#include "gcp/bill/bigquery.h"

#include <string.h>

#define LEAST_BYTES (10 * MIB) /* of each query and table */
#define LINE_BYTES 60          /* with the sums of its days: see docs/performance.md */
#define ENOUGH_LINES 10000     /* to measure it */
#define WINDOW 40              /* days that each poll checks: collector/source/billing.c */
#define NEWEST 2               /* days that it usually reads */
#define MONTH 30               /* days */
#define MOST_DAYS 4000

enum plan_column {
	DETAIL,
	KEEPS,
	ROW_COUNT,
	PER_DAY,
	DISK,
	DISK_YEAR,
	READ,
	READ_COST,
	POLLS,
	POLLS_COST,
	QUESTION,
	QUESTION_COST,
	CURRENCY
};

static const struct column plan_columns[] = {
	[DETAIL] = {"detail", COL_TEXT,
		"local or bigquery: where the detail of the bill is"},
	[KEEPS] = {"keeps", COL_TEXT, "lines that are stored here"},
	[ROW_COUNT] = {"row_count", COL_INT, "of the bill that is stored now"},
	[PER_DAY] = {"rows_per_day", COL_INT, ""},
	[DISK] = {"disk_mib", COL_DECIMAL, ""},
	[DISK_YEAR] = {"disk_mib_per_year", COL_DECIMAL, ""},
	[READ] = {"read_gib", COL_DECIMAL, "bytes to read all of the export once"},
	[READ_COST] = {"read_cost", COL_MONEY, ""},
	[POLLS] = {"polls_gib", COL_DECIMAL,
		"bytes of the polls of 30 days, if each finds new rows"},
	[POLLS_COST] = {"polls_cost", COL_MONEY, ""},
	[QUESTION] = {"question_gib", COL_DECIMAL,
		"bytes to sum 30 days by resource or label"},
	[QUESTION_COST] = {"question_cost", COL_MONEY, ""},
	[CURRENCY] = {"currency", COL_TEXT, ""},
};

static const struct view view_plan = {.name = "plan",
	.doc = "disk space, bytes and costs of the bill",
	.columns = plan_columns,
	.n = ARRAY_LEN(plan_columns)};

/* Bytes of BigQuery, of all tables; NONE: unknown. */
struct plan_scan {
	struct opt_i64 read, polls, question;
};

static int64_t at_least(int64_t bytes)
{
	return bytes > LEAST_BYTES ? bytes : LEAST_BYTES;
}

static struct doc_cell in_unit(struct opt_i64 bytes, int64_t unit)
{
	int64_t v;

	return cell_decimal(
		bytes.set && nanos_muldiv(bytes.v, NANOS, unit, &v) ? SOME(v) : NONE);
}

static struct doc_cell plan_price(struct opt_i64 bytes)
{
	int64_t v;

	return cell_money(
		bytes.set && nanos_muldiv(bytes.v, BQ_TIB_PRICE, TIB, &v) ? SOME(v) : NONE,
		"USD");
}

/* ---- BigQuery ---------------------------------------------------------------------------------- */

static enum err_code scan_table(struct billing_reading *r, day_t first, int64_t polls,
	int64_t *read, int64_t *poll, int64_t *question, struct err *e)
{
	day_t today = (day_t)(r->p->now / DAY_SECONDS);
	size_t days = today - first < MOST_DAYS ? (size_t)(today - first + 1) : MOST_DAYS;
	int64_t units, rows;

	if (billing_dry_rows(r, today - (day_t)days + 1, days, read, e) ||
		billing_dry_units(r, today - WINDOW, &units, e) ||
		billing_dry_rows(r, today - NEWEST + 1, NEWEST, &rows, e) ||
		billing_dry_rows(r, today - MONTH + 1, MONTH, question, e))
		return e->code;
	*read = at_least(*read);
	*poll = (at_least(units) + at_least(rows)) * polls;
	*question = at_least(*question);
	return E_OK;
}

static void plan_add(struct opt_i64 *sum, int64_t v)
{
	*sum = SOME((sum->set ? sum->v : 0) + v);
}

/* Adds what the tables need in either choice. */
static enum err_code plan_scan_all(struct app *app, struct opt_i64 first,
	struct plan_scan *lines, struct plan_scan *sums, struct err *e)
{
	struct collect_settings settings = net_settings(app->cfg);
	int64_t polls = MONTH * DAY_SECONDS / config_poll_seconds(app->cfg, "billing");
	cleanup(net_done) struct net net = {0};

	settings.by_day = false; /* first of the lines, then of their sums */
	if (net_open(app, &net, e))
		return e->code;
	for (size_t i = 0; i < settings.n_tables; i++) {
		struct poll p = {.settings = &settings,
			.table = &settings.tables[i],
			.gcp = net.gcp,
			.arena = &app->arena,
			.now = app->now};
		struct billing_reading r = {.p = &p};
		int64_t read, poll, question;
		struct bq_table t;
		day_t from;

		if (billing_table_open(&r, &t, e))
			return e->code;
		from = first.set ? (day_t)first.v
				 : (day_t)(t.created_ms / 1000 / DAY_SECONDS) - WINDOW;
		if (scan_table(&r, from, polls, &read, &poll, &question, e))
			return e->code;
		plan_add(&lines->read, read);
		plan_add(&lines->polls, poll);
		plan_add(&sums->question, question);
		billing_add_up_days(&r.shape);
		if (scan_table(&r, from, polls, &read, &poll, &question, e))
			return e->code;
		plan_add(&sums->read, read);
		plan_add(&sums->polls, poll);
	}
	return E_OK;
}

/* ---- rows -------------------------------------------------------------------------------------- */

/* Rows -1: unknown. */
static void plan_add_row(struct doc_section *t, const char *const names[2], int64_t rows,
	const struct q_plan_lines *all, int64_t line_bytes, const struct plan_scan *scan)
{
	int64_t days = all->days ? all->days : 1, disk = rows * line_bytes;
	struct doc_cell *row = doc_row(t)->cells;

	row[DETAIL] = cell_text(names[0]);
	row[KEEPS] = cell_text(names[1]);
	if (rows >= 0) {
		row[ROW_COUNT] = cell_int(rows);
		row[PER_DAY] = cell_int((rows + days - 1) / days);
		row[DISK] = in_unit(SOME(disk), MIB);
		row[DISK_YEAR] = in_unit(SOME(disk / days * 365), MIB);
	}
	row[READ] = in_unit(scan->read, MIB * 1024);
	row[READ_COST] = plan_price(scan->read);
	row[POLLS] = in_unit(scan->polls, MIB * 1024);
	row[POLLS_COST] = plan_price(scan->polls);
	row[QUESTION] = in_unit(scan->question, MIB * 1024);
	row[QUESTION_COST] = plan_price(scan->question);
	row[CURRENCY] = cell_text("USD");
}

/* Bytes of disk for a line; measured where there are enough of them, if the engine can. */
static int64_t plan_line_bytes(struct app *app, int64_t lines)
{
	struct q_plan_bytes row;
	struct err ignored;
	bool found;

	if (lines < ENOUGH_LINES ||
		q_plan_bytes_one(app->db, &app->arena, &row, &found, &ignored) || !found)
		return LINE_BYTES;
	return row.bytes / lines;
}

static void plan_say_price(const struct plan_scan *lines)
{
	if (lines->read.set)
		say("note: a read of BigQuery costs 6.25 USD per TiB on demand in the US, "
		    "at "
		    "least 10 MiB for each query and table; other regions differ, and the "
		    "first TiB of a month is free for each billing account: "
		    "https://cloud.google.com/bigquery/pricing");
	else
		say("note: the figures of BigQuery are unknown");
}

int plan_show(struct app *app, struct err *e)
{
	static const char *const names[][2] = {
		{"local", "lines by hour, resource and labels"},
		{"bigquery", "sums of days by project, SKU and place"}};
	struct doc_section *t = doc_table_like(&app->arena, &view_plan);
	const struct query q = {.shown = &view_plan,
		.rows = t,
		.columns =
			"detail,keeps?,row_count,rows_per_day?,disk_mib,disk_mib_per_year,"
			"polls_gib,polls_cost,question_gib,question_cost,currency",
		.order = QUERY_ROW_NUMBER,
		.no_totals = true};
	struct q_plan_lines_in in = {.offset = tz_offset(app->cfg->tz, app->now)};
	struct plan_scan lines = {.question = SOME(0)}, sums = {.read = NONE};
	struct q_plan_lines all;
	struct err failed = {0};
	int64_t bytes;
	bool found;
	int rc;

	if (session_open(app, e) ||
		q_plan_lines_one(app->db, &in, &app->arena, &all, &found, e))
		return cmd_fail(e);
	bytes = plan_line_bytes(app, all.lines);
	session_close(app); /* not held during the requests */
	if (!app->o.offline && app->cfg->n_billing_tables &&
		plan_scan_all(app, all.first, &lines, &sums, &failed)) {
		say_err("tpucost: db plan", &failed);
		lines = (struct plan_scan){.question = SOME(0)};
		sums = (struct plan_scan){.read = NONE};
	}
	/* with sums of days only, the number of lines is unknown */
	plan_add_row(t, names[0], all.only_days ? -1 : all.lines, &all, bytes, &lines);
	plan_add_row(t, names[1], all.sums, &all, bytes, &sums);
	if (session_open(app, e))
		return cmd_fail(e);
	rc = query_run(app, &q, e);
	if (rc == EXIT_FINE && !app->o.quiet)
		plan_say_price(&lines);
	return rc == EXIT_FINE && failed.code ? EXIT_PARTIAL : rc;
}

/* Rows that are published: which are due, and what they are in JSON. */
#include "base/money.h"
#include "base/net/digest.h"
#include "base/str.h"
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/daemon/daemon.h"
#include "cli/net/publish.h"
#include "cli/net/wire.h"
#include "db/vocab.h"
#include "db_sql.h"
#include "rules/act/leader.h"
#include "rules/derive/derive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_DAYS 7             /* that are compared in one pass */
#define PIECE ((size_t)8 << 20) /* bytes of rows in a load job */
#define MANY_WAITING (INT64_C(64) << 20)
#define MOST_WAITING (INT64_C(512) << 20)

const struct published published[N_PUBLISHED] = {
	{"burn", HOUR_SECONDS, .read = q_publish_burn_read_of},
	{"alerts", HOUR_SECONDS, .read = q_publish_alerts_read_of},
	{"capacity", DAY_SECONDS, .read = q_publish_capacity_read_of},
	{"coverage", .adds = true, .read = q_publish_coverage_read_of},
	{"period_resources", .whole_days = true,
		.read = q_publish_period_resources_read_of},
	{"reconciliation", .read = q_publish_reconciliation_read_of},
	{"alert_events", .adds = true, .read = q_publish_alert_events_read_of},
	{"actions", .adds = true, .read = q_publish_actions_read_of},
};

/* ---- rows ------------------------------------------------------------------------------------ */

static const char *const types[] = {
	[COL_TEXT] = "STRING",
	[COL_INT] = "INTEGER",
	[COL_FLAG] = "INTEGER",
	[COL_MONEY] = "NUMERIC",
	[COL_DECIMAL] = "NUMERIC",
	[COL_TIME] = "TIMESTAMP",
	[COL_JSON] = "STRING",
};

void publish_fields(struct publisher *p, const struct published *t, struct destination *x)
{
	const struct view *v = view_find(t->view);
	struct bq_field *f = arena_alloc(&p->app->arena, (v->n + 2) * sizeof(*f));

	x->fields = f;
	*f++ = (struct bq_field){.name = BQ_LOAD_FIELD,
		.type = "DATE",
		.doc = "day of the row in the time zone of tpucost"};
	if (t->every)
		*f++ = (struct bq_field){
			.name = "as_of", .type = "TIMESTAMP", .doc = "time of the row"};
	for (size_t i = 0; i < v->n; i++)
		*f++ = (struct bq_field){.name = v->columns[i].name,
			.type = types[v->columns[i].type],
			.doc = v->columns[i].doc};
	x->n_fields = (size_t)(f - x->fields);
}

/* NUMERIC has 29 digits before the point: a row with more would be refused with all others of its load. */
#define NUMERIC_END 1e29

/* Decimals are texts: BigQuery would read a number as a binary one. */
static void publish_add_decimal(struct jw *w, const struct db_cell *c, bool money)
{
	char text[NANOS_BUF], whole[352];

	if (c->type == DB_REAL && !c->v.set) {
		snprintf(whole, sizeof(whole), "%.0f", c->real);
		jw_str(w, whole);
	} else if (c->type == DB_INT && !money) {
		jw_i64(w, c->v.v);
	} else {
		jw_str(w, nanos_format(c->v.v, text));
	}
}

static void publish_add_cell(
	struct jw *w, const struct column *col, const struct db_cell *c)
{
	char time[RFC3339_BUF];

	if (c->type == DB_NULL ||
		(c->type == DB_REAL && !c->v.set && !(fabs(c->real) < NUMERIC_END)))
		return;
	jw_key(w, col->name);
	switch (col->type) {
	case COL_TEXT:
	case COL_JSON:
		jw_str(w, c->text);
		break;
	case COL_INT:
	case COL_FLAG:
		jw_i64(w, c->v.v);
		break;
	case COL_TIME:
		jw_str(w, rfc3339_format(c->v.v, time));
		break;
	case COL_MONEY:
	case COL_DECIMAL:
		publish_add_decimal(w, c, col->type == COL_MONEY);
		break;
	}
}

/* Rows of a view on a day, in pieces. */
struct part {
	struct publisher *p;
	const struct published *t;
	day_t day;
	const char *job; /* NULL: the rows are only counted and hashed */
	ts_t since; /* only the rows since then, which replace none; 0: those of the day */
	struct sbuf body, hashes;
	size_t rows, pieces;
};

static void part_done(struct part *x)
{
	sbuf_done(&x->body);
	sbuf_done(&x->hashes);
}

static void publish_add_row(struct part *x, const struct view *v, struct db_rows *rows)
{
	struct jw w = {.b = &x->body};
	char text[RFC3339_BUF];

	jw_begin(&w, '{');
	jw_kstr(&w, BQ_LOAD_FIELD, date_format(x->day, text));
	if (x->t->every)
		jw_kstr(&w, "as_of", rfc3339_format(x->p->now, text));
	for (size_t i = 0; i < v->n; i++) {
		struct db_cell c = db_rows_cell(
			rows, db_rows_column(rows, v->columns[i].name));

		publish_add_cell(&w, &v->columns[i], &c);
	}
	jw_end(&w, '}');
	sbuf_addc(&x->body, '\n');
	x->rows++;
}

/* Ends a piece. The first one replaces the rows of the day, the others are added to it. */
static enum err_code publish_end_piece(struct part *x, struct err *e)
{
	struct q_publish_load_put_in in = {.view = x->t->view,
		.day = x->day,
		.replaces = !x->t->every && !x->since && !x->pieces,
		.bytes = (int64_t)x->body.len,
		.body = x->body.s};
	char hash[DIGEST_HEX];

	if (!digest_sha256(x->body.s, x->body.len, hash))
		out_of_memory(x->body.len);
	sbuf_adds(&x->hashes, hash);
	in.job = arena_printf(&x->p->app->arena, "%s_%.12s", x->job ? x->job : "", hash);
	if (x->job && q_publish_load_put(x->p->app->db, &in, e))
		return e->code;
	x->pieces++;
	sbuf_reset(&x->body);
	return E_OK;
}

static enum err_code publish_read_part(struct part *x, struct err *e)
{
	const struct tz *tz = x->p->app->cfg->tz;
	/* the same struct for all queries that have a period */
	const struct q_publish_actions_in in = {
		.since = x->since ? x->since : tz_day_start(tz, x->day),
		.until = tz_day_start(tz, x->day + 1)};
	const struct db_reader r = {x->p->app->db, &x->p->app->arena, e};
	const struct view *v = view_find(x->t->view);
	struct db_rows rows = x->t->read(&r, &in);

	sbuf_reset(&x->hashes);
	x->rows = x->pieces = 0;
	while (db_rows_step(&rows)) {
		publish_add_row(x, v, &rows);
		if (x->body.len > PIECE && publish_end_piece(x, e))
			return db_rows_end(&rows, e->code, e);
	}
	if (e->code)
		return e->code;
	/* without rows: those that were sent before are removed */
	return x->body.len || (!x->pieces && !x->t->every && !x->since)
		? publish_end_piece(x, e)
		: E_OK;
}

/* The beginning of job ids: never used before for other rows, also not by an earlier copy of the database. */
static const char *publish_job(const struct publisher *p, const char *view, day_t day)
{
	int y, m, d;

	civil_from_day(day, &y, &m, &d);
	return arena_printf(&p->app->arena, "tpucost_%.200s_%s_%04d%02d%02d_%lld",
		p->app->cfg->publish.dataset, view, y, m, d, (long long)p->now);
}

/* ---- days of another database ---------------------------------------------------------------- */

enum err_code publish_confirm(struct publisher *p, struct err *e)
{
	return p->app->cfg->enforcement.lease
		? leader_confirm(leader_of(p->app), &p->app->arena, e)
		: E_OK;
}

/* Rows that are sent after the backup has them are known to the database that is restored from it. */
bool publish_needs_backup(const struct config *cfg)
{
	return cfg->publish.dataset && cfg->enforcement.lease && cfg->backup.to &&
		!cfg->backup.daily;
}

/* Another database may have published before this one began, was restored or took over the lease. */
static enum err_code publish_find_gap(struct publisher *p, struct err *e)
{
	struct q_publish_gap_find_in in = {.now = p->now,
		.mark = DB_BACKUP_MARK,
		.each_cycle = publish_needs_backup(p->app->cfg)};
	struct q_publish_gap_put_in put;
	struct q_publish_gap_find row;
	bool found;

	if (q_publish_gap_find_one(p->app->db, &in, NULL, &row, &found, e) ||
		!row.until.set)
		return e->code;
	put = (struct q_publish_gap_put_in){.until = row.until.v, .since = row.since};
	return q_publish_gap_put(p->app->db, &put, e);
}

enum err_code publish_gap(
	struct publisher *p, const struct published *t, day_t day, ts_t *gap, struct err *e)
{
	const struct tz *tz = p->app->cfg->tz;
	ts_t ends = tz_day_start(tz, day + 1);
	/* rows of whole days are only sent after the day */
	struct q_publish_gap_in_in in = {
		.begins = t->whole_days ? ends - 1 : tz_day_start(tz, day), .ends = ends};
	struct q_publish_gap_in row;
	bool found;

	*gap = 0;
	if (q_publish_gap_in_one(p->app->db, &in, NULL, &row, &found, e))
		return e->code;
	if (row.until.set)
		*gap = row.until.v;
	return E_OK;
}

/* ---- what is to be sent ---------------------------------------------------------------------- */

static enum err_code publish_present(
	struct publisher *p, const struct published *t, bool *any, struct err *e)
{
	struct q_publish_table_get_in get = {.view = t->view};
	struct q_publish_taken_in put = {.view = t->view, .taken = p->now};
	cleanup(part_done) struct part x = {.p = p,
		.t = t,
		.day = p->today,
		.job = publish_job(p, t->view, p->today),
		.body = SBUF_INIT,
		.hashes = SBUF_INIT};
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct q_publish_table_get was;
	bool found;

	if (q_publish_table_get_one(p->app->db, &get, NULL, &was, &found, e))
		return e->code;
	if (found && was.taken / t->every == p->now / t->every)
		return E_OK;
	if (!*any && publish_confirm(p, e))
		return e->code;
	*any = true;
	return db_begin(p->app->db, &tx, e) || publish_read_part(&x, e) ||
			q_publish_taken(p->app->db, &put, e)
		? e->code
		: db_commit(&tx, e);
}

static enum err_code publish_part(
	struct publisher *p, const struct published *t, day_t day, struct err *e)
{
	struct db *db = p->app->db;
	struct q_publish_part_get_in get = {.view = t->view, .day = day};
	struct q_publish_part_put_in put = {.view = t->view, .day = day};
	cleanup(part_done) struct part x = {
		.p = p, .t = t, .day = day, .body = SBUF_INIT, .hashes = SBUF_INIT};
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct q_publish_part_get was;
	char hash[DIGEST_HEX];
	ts_t gap;
	bool found;

	if (q_publish_part_get_one(db, &get, &p->app->arena, &was, &found, e) ||
		publish_gap(p, t, day, &gap, e))
		return e->code;
	if (found && was.kept && was.gap >= gap)
		return E_OK;
	if (publish_read_part(&x, e))
		return e->code;
	if (!digest_sha256(x.hashes.s, x.hashes.len, hash))
		out_of_memory(x.hashes.len);
	put.hash = hash;
	if (found ? str_eq(was.hash, hash) : !x.rows)
		return E_OK;
	x.job = publish_job(p, t->view, day);
	if (db_begin(db, &tx, e) || q_publish_part_put(db, &put, e) ||
		publish_read_part(&x, e))
		return e->code;
	return db_commit(&tx, e);
}

static enum err_code publish_derive(
	struct publisher *p, ts_t since, ts_t until, struct err *e)
{
	const struct derive_opts o = {.settings = &p->app->cfg->settings,
		.now = p->now,
		.since = since,
		.until = until};

	return derive_begin(p->app->db, &o, e);
}

/* Adds the rows since a gap to those of another database, once, when the day has ended. */
static enum err_code publish_rest(
	struct publisher *p, const struct published *t, day_t day, struct err *e)
{
	const struct tz *tz = p->app->cfg->tz;
	struct q_publish_part_get_in get = {.view = t->view, .day = day};
	struct q_publish_added_in added = {.view = t->view, .day = day};
	cleanup(part_done) struct part x = {
		.p = p, .t = t, .day = day, .body = SBUF_INIT, .hashes = SBUF_INIT};
	cleanup(db_tx_end) struct db_tx tx = {0};
	ts_t until = tz_day_start(tz, day + 1);
	struct q_publish_part_get was;
	bool found;

	if (q_publish_part_get_one(p->app->db, &get, &p->app->arena, &was, &found, e))
		return e->code;
	if (!found || was.kept != 1 || was.gap <= tz_day_start(tz, day) || was.gap >= until)
		return E_OK;
	x.since = was.gap;
	x.job = publish_job(p, t->view, day);
	if (publish_derive(p, x.since, until, e) || db_begin(p->app->db, &tx, e) ||
		q_publish_added(p->app->db, &added, e) || publish_read_part(&x, e))
		return e->code;
	return db_commit(&tx, e);
}

static enum err_code publish_day(struct publisher *p, day_t day, struct err *e)
{
	const struct tz *tz = p->app->cfg->tz;
	ts_t since = tz_day_start(tz, day), until = tz_day_start(tz, day + 1);
	struct q_publish_checked_in in = {
		.day = day, .first = p->today - PUBLISH_WINDOW + 1, .now = p->now};

	daemon_alive();
	if (since >= p->now)
		return E_OK;
	if (publish_derive(p, since, until < p->now ? until : p->now, e))
		return e->code;
	for (size_t i = 0; i < N_PUBLISHED; i++)
		if (!published[i].every && !(published[i].whole_days && until > p->now) &&
			publish_part(p, &published[i], day, e))
			return e->code;
	for (size_t i = 0; i < N_PUBLISHED; i++)
		if (published[i].adds && until <= p->now &&
			publish_rest(p, &published[i], day, e))
			return e->code;
	return q_publish_checked(p->app->db, &in, e);
}

static enum err_code publish_bytes(struct publisher *p, int64_t *bytes, struct err *e)
{
	struct q_publish_waiting waiting;
	bool found;

	if (q_publish_waiting_one(p->app->db, NULL, &waiting, &found, e))
		return e->code;
	*bytes = found ? waiting.bytes : 0;
	return E_OK;
}

/* Today, and other days as long as little waits. */
static enum err_code publish_days(struct publisher *p, bool *any, struct err *e)
{
	struct q_publish_days_in in = {.first = p->today - PUBLISH_WINDOW + 1,
		.today = p->today,
		.most = MOST_DAYS};
	struct q_publish_days *v;
	enum err_code rc = E_OK;
	struct err ignored;
	int64_t bytes = 0;
	size_t n;

	if (q_publish_days_all(p->app->db, &in, &p->app->arena, &v, &n, e))
		return e->code;
	/* today is the first one */
	if (n && v[0].checked / HOUR_SECONDS == p->now / HOUR_SECONDS)
		return E_OK;
	if (!*any && publish_confirm(p, e))
		return e->code;
	*any = true;
	for (size_t i = 0; !rc && i < n && bytes < MANY_WAITING && !daemon_ending(); i++) {
		rc = publish_day(p, (day_t)v[i].day, e);
		if (!rc)
			rc = publish_bytes(p, &bytes, e);
	}
	/* the present again, for the rest of the cycle */
	return publish_derive(p, TS_NONE, TS_NONE, rc ? &ignored : e) && !rc ? e->code : rc;
}

enum err_code publish_compose(struct publisher *p, bool *any, struct err *e)
{
	int64_t bytes = 0;

	if (publish_find_gap(p, e) || publish_bytes(p, &bytes, e))
		return e->code;
	if (bytes > MOST_WAITING)
		return err_set_fix(e, E_LIMIT,
			"until it can be sent, no more history is recorded for it",
			"%lld MiB wait to be published", (long long)(bytes >> 20));
	for (size_t i = 0; i < N_PUBLISHED; i++)
		if (published[i].every && publish_present(p, &published[i], any, e))
			return e->code;
	/* days that were sent stay until the bill is read again */
	return p->app->bill_hidden ? E_OK : publish_days(p, any, e);
}

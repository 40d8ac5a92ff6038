#include "collector/bill/ask.h"

#include "base/data/json.h"
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "collector/bill/read.h"
#include "collector/bill/usage_stage.h"
#include "db/db.h"
#include "db_sql.h"

#include <string.h>

#define KEPT_ANSWERS 20
#define MOST_LINES 1000000 /* adding them up takes 120 bytes of memory each */
#define ASK_PARAMS 12

/* The units of one table. */
struct ask_table {
	struct billing_reading r;
	struct poll p;
	const char **units;
	size_t n, cap;
	ts_t exported;
};

struct ask {
	const struct billing_asking *x;
	const struct billing_question *q;
	const char *name;    /* of the question, in the database */
	const char *version; /* of the sums */
	struct ask_table *v;
	size_t n, cap;
	int64_t lines, bytes;
	struct usage_stage stage;
	struct ask_table *at; /* is being read */
	const struct bq_query *query;
};

static const char *ask_month(const struct ask *k)
{
	return k->q->month ? k->q->month : "";
}

/* ---- tables ------------------------------------------------------------------------------------ */

static const struct billing_export *configured(const struct ask *k, const char *name)
{
	const struct collect_settings *s = k->x->settings;

	for (size_t i = 0; i < s->n_tables; i++)
		if (!strcmp(s->tables[i].name, name))
			return &s->tables[i];
	return NULL;
}

static enum err_code ask_add_unit(
	struct ask *k, const struct q_detail_units *u, struct err *e)
{
	struct ask_table *t = k->n ? &k->v[k->n - 1] : NULL;
	const struct billing_export *table = configured(k, u->name);
	char day[DATE_BUF];

	if (!table || u->gone) {
		err_set(e, E_NOTFOUND, "BigQuery no longer has the lines of %s of %s",
			date_format((day_t)u->unit, day), u->name);
		return err_fix(e,
			table ? "use a later --since"
			      : "add the table to billing: in the configuration, or "
				"use a later --since");
	}
	if (!t || t->r.table_id != u->table_id) {
		t = arena_push(k->x->a, k);
		*t = (struct ask_table){.exported = u->exported,
			.r = {.table_id = u->table_id},
			.p = {.settings = k->x->settings,
				.table = table,
				.gcp = k->x->gcp,
				.db = k->x->db,
				.arena = k->x->a,
				.now = k->x->now}};
	}
	*arena_append(k->x->a, t->units, t->n, t->cap) = arena_strdup(
		k->x->a, date_format((day_t)u->unit, day));
	return E_OK;
}

static enum err_code ask_find_units(struct ask *k, struct err *e)
{
	struct q_detail_units_in in = {
		.from = k->q->from, .until = k->q->until, .month = ask_month(k)};
	struct q_detail_units *v;
	size_t n;

	if (q_detail_units_all(k->x->db, &in, k->x->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		if (ask_add_unit(k, &v[i], e))
			return e->code;
	return E_OK;
}

/* Only the columns that the question needs are read. */
static enum err_code ask_open_table(struct ask *k, struct ask_table *t, struct err *e)
{
	struct billing_shape *s = &t->r.shape;
	struct bq_table table;

	t->r.p = &t->p;
	if (billing_table_open(&t->r, &table, e))
		return e->code;
	s->asks = true;
	s->by_day = k->q->time == ASK_DAY;
	s->by_sum = k->q->time == ASK_SUM;
	s->has_price = false;
	s->has_resource = k->q->resource && billing_has(&table, "resource.name") &&
		billing_has(&table, "resource.global_name");
	s->has_labels = k->q->labels && billing_has(&table, "labels.value") &&
		billing_has(&table, "project.labels.value");
	return E_OK;
}

/* ---- query ------------------------------------------------------------------------------------- */

/* BigQuery counts them before it sends the first. */
static enum err_code ask_count(struct ask *k, struct err *e)
{
	bool first = !k->query->rows;

	if ((!first || k->query->total_rows <= MOST_LINES - k->lines) &&
		++k->lines <= MOST_LINES)
		return E_OK;
	return err_set_fix(e, E_LIMIT, "use a shorter period, --project or fewer groups",
		"the answer has more than %d lines", MOST_LINES);
}

static enum err_code ask_on_row(void *ctx, const struct bq_row *row, struct err *e)
{
	struct ask *k = ctx;
	struct usage_line l = {0};

	if (ask_count(k, e) || billing_read_line(&k->at->r, row, &l, e))
		return e->code;
	if (k->q->time == ASK_HOUR) {
		const char *unit;
		day_t day;

		if (bq_need_text(row, "unit", &unit, e) || date_parse(unit, &day, e))
			return e->code;
		l.unit = day;
	}
	return usage_stage_add(&k->stage, &l, e);
}

static enum err_code ask_query(
	struct ask *k, struct ask_table *t, struct bq_query *query, struct err *e)
{
	char first[RFC3339_BUF], end[RFC3339_BUF], seen[RFC3339_BUF], from[DATE_BUF],
		until[DATE_BUF];
	const struct billing_question *q = k->q;
	struct bq_param params[ASK_PARAMS] = {{.name = "units",
						      .type = "DATE",
						      .values = t->units,
						      .n_values = t->n,
						      .array = true},
		{.name = "first", .type = "DATE", .value = t->units[0]},
		{.name = "last", .type = "DATE", .value = t->units[t->n - 1]},
		{.name = "from",
			.type = "TIMESTAMP",
			.value = rfc3339_format(q->from, first)},
		{.name = "until",
			.type = "TIMESTAMP",
			.value = rfc3339_format(q->until, end)},
		/* whole seconds are stored */
		{.name = "exported",
			.type = "TIMESTAMP",
			.value = rfc3339_format(t->exported + 1, seen)},
		{.name = "month", .type = "STRING", .value = ask_month(k)},
		{.name = "projects",
			.type = "STRING",
			.values = q->projects,
			.n_values = q->n_projects,
			.array = true}};
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;

	query->params = params;
	query->n_params = billing_add_cut(&t->r, params, 8, from, until);
	if (t->r.shape.has_labels)
		params[query->n_params++] = (struct bq_param){.name = "keys",
			.type = "STRING",
			.values = q->keys,
			.n_values = q->n_keys,
			.array = true};
	if (t->r.shape.by_day)
		params[query->n_params++] = (struct bq_param){.name = "zone",
			.type = "STRING",
			.value = tz_name(k->x->settings->tz)};
	billing_sql_rows(&sql, t->r.table, &t->r.shape);
	query->sql = sql.s;
	k->at = t;
	k->query = query;
	return billing_run(&t->r, query, e);
}

/* Bytes that it reads, of all tables. */
static enum err_code ask_dry(struct ask *k, struct err *e)
{
	for (size_t i = 0; i < k->n; i++) {
		struct bq_query q = {.dry_run = true};

		if (ask_open_table(k, &k->v[i], e) || ask_query(k, &k->v[i], &q, e))
			return e->code;
		k->bytes += q.bytes_processed;
	}
	return k->x->tell(k->x->ctx, k->bytes, e);
}

/* ---- answer ------------------------------------------------------------------------------------ */

static const char *ask_projects(const struct ask *k)
{
	struct sbuf b = SBUF_INIT;
	const char *text;

	sbuf_addc(&b, '[');
	for (size_t i = 0; i < k->q->n_projects; i++) {
		sbuf_adds(&b, i ? "," : "");
		sbuf_add_json(&b, k->q->projects[i]);
	}
	sbuf_addc(&b, ']');
	text = arena_strdup(k->x->a, b.s);
	sbuf_done(&b);
	return text;
}

static enum err_code ask_begin(struct ask *k, struct err *e)
{
	struct q_detail_answer_drop_in drop = {
		.question = k->name, .version = k->version, .keep = KEPT_ANSWERS - 1};
	struct q_detail_answer_add_in add = {
		.question = k->name, .at = k->x->now, .bytes = k->bytes};
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(k->x->db, &tx, e) || q_detail_answer_drop(k->x->db, &drop, e) ||
		q_detail_answer_add(k->x->db, &add, e))
		return e->code;
	return db_commit(&tx, e);
}

static enum err_code ask_end(struct ask *k, struct err *e)
{
	struct q_detail_wrong_in in = {.question = k->name,
		.from = k->q->from,
		.until = k->q->until,
		.month = ask_month(k),
		.projects = ask_projects(k)};
	struct q_detail_answer_ready_in ready = {
		.question = k->name, .version = k->version};
	struct q_detail_wrong row;
	bool found;

	if (q_detail_wrong_one(k->x->db, &in, k->x->a, &row, &found, e))
		return e->code;
	if (!row.n)
		return q_detail_answer_ready(k->x->db, &ready, e);
	return err_set_fix(e, E_CONFLICT, "run: tpucost collect billing",
		"the export has changed since the last poll: its lines do not match the "
		"stored sums");
}

/* Reads a table into the stage, and adds it to the answer. */
static enum err_code ask_read(struct ask *k, struct ask_table *t, struct err *e)
{
	struct bq_query q = {.on_row = ask_on_row, .ctx = k, .stopped = k->x->stopped};
	struct q_detail_lines_add_in add = {.question = k->name, .table_id = t->r.table_id};
	enum err_code rc = usage_stage_open(&k->stage, k->x->db, false, e);

	if (!rc)
		rc = ask_query(k, t, &q, e);
	if (!rc)
		rc = usage_stage_flush(&k->stage, e);
	usage_stage_close(&k->stage);
	return rc ? rc : q_detail_lines_add(k->x->db, &add, e);
}

enum err_code billing_ask(
	const struct billing_asking *x, const struct billing_question *q, struct err *e)
{
	struct ask k = {.x = x, .q = q, .name = db_question_text(q, x->settings->tz, x->a)};
	struct q_detail_version version;
	bool found;

	/* A poll from here on makes the answer old. */
	if (q_detail_version_one(x->db, x->a, &version, &found, e))
		return e->code;
	k.version = version.version;
	if (ask_find_units(&k, e) || ask_dry(&k, e) || ask_begin(&k, e))
		return e->code;
	for (size_t i = 0; i < k.n; i++)
		if (ask_read(&k, &k.v[i], e))
			return e->code;
	return ask_end(&k, e);
}

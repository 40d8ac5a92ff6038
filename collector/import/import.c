#include "collector/import/import.h"

#include "base/ahead.h"
#include "base/net/gzin.h"
#include "base/sbuf.h"
#include "collector/bill/sql.h"
#include "collector/bill/store.h"
#include "collector/import/row.h"
#include "db_sql.h"

#include <stdatomic.h>
#include <string.h>

#define HEAD 4096

struct file {
	const struct import_opts *o;
	const char *path;
	struct gzin *g;
	/* thread that reads and decompresses; NULL: done by this thread */
	struct ahead *ahead;
	_Atomic int64_t done; /* read bytes of `size` */
	int64_t size;
	char sha[DIGEST_HEX];
	char head[HEAD];
};

static enum err_code file_unpack(
	void *ctx, char *buf, size_t room, size_t *n, struct err *e)
{
	struct file *f = ctx;
	enum err_code rc = gzin_read(f->g, buf, room, n, e);
	int64_t done, size;

	gzin_progress(f->g, &done, &size);
	atomic_store(&f->done, done);
	return rc;
}

static enum err_code file_read(void *ctx, char *buf, size_t room, size_t *n, struct err *e)
{
	struct file *f = ctx;

	return f->ahead ? ahead_read(f->ahead, buf, room, n, e)
			: file_unpack(f, buf, room, n, e);
}

static void file_on_turn(void *ctx, int64_t rows)
{
	struct file *f = ctx;

	if (f->o->progress)
		f->o->progress(f->o->ctx, atomic_load(&f->done), f->size, rows);
}

/* Bytes that are sufficient to detect the format. */
static enum err_code file_read_head(struct file *f, struct import_input *in, struct err *e)
{
	size_t n = 1;

	while (n && in->n_head < HEAD) {
		if (gzin_read(f->g, f->head + in->n_head, HEAD - in->n_head, &n, e))
			return e->code;
		in->n_head += n;
	}
	in->head = f->head;
	return E_OK;
}

/* A byte order mark before JSON is invalid, but some programs write it. */
static void file_skip_mark(struct import_input *in)
{
	if (in->n_head > 3 && !memcmp(in->head, "\xef\xbb\xbf", 3) &&
		(in->head[3] == '{' || in->head[3] == '[')) {
		in->head += 3;
		in->n_head -= 3;
	}
}

static bool file_looks_like_json(const struct import_input *in)
{
	size_t i = 0;

	while (i < in->n_head && strchr(" \t\r\n", in->head[i]) && in->head[i])
		i++;
	return i < in->n_head && (in->head[i] == '{' || in->head[i] == '[');
}

static enum err_code file_read_rows(struct file *f, struct import_rows *rows, struct err *e)
{
	struct import_input in = {
		.read = file_read, .ctx = f, .turn = file_on_turn, .name = f->path};
	enum err_code rc;

	if (file_read_head(f, &in, e))
		return e->code;
	if (!in.n_head) {
		err_set(e, E_DATA, "%s: the file is empty", f->path);
		return err_fix(e, "expected a file of the Cloud Billing export");
	}
	file_skip_mark(&in);
	f->ahead = ahead_start(file_unpack, f);
	rc = file_looks_like_json(&in) ? import_json(&in, rows, e)
				       : import_csv(&in, rows, e);
	ahead_stop(f->ahead);
	if (!rc && (import_focus_end(rows, e) || import_check_seen(rows, e))) {
		in.line = 0;
		rc = err_wrap(e, "%s", f->path);
	}
	if (rc && in.line && rc != E_DB && rc != E_IO && rc != E_BUSY)
		err_wrap(e, "%s:%lld", f->path, (long long)in.line);
	return rc;
}

/* ---- storing ----------------------------------------------------------------------------------- */

static bool file_fits(__int128 v)
{
	return v >= INT64_MIN && v <= INT64_MAX;
}

/* The staged lines must match the read lines, which are counted and summed independently of the
 * database. */
static enum err_code file_check_sums(const struct import_rows *rows,
	const struct billing_unit *units, size_t n, struct err *e)
{
	int64_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += units[i].rows;
	for (size_t k = 0; k < rows->n_sums; k++) {
		__int128 cost = 0, credits = 0;

		for (size_t i = 0; i < n; i++) {
			const struct billing_sum *s = billing_unit_sum(
				&units[i], rows->sums[k].currency);

			cost += s ? s->cost : 0;
			credits += s ? s->credits : 0;
		}
		if (cost != rows->sums[k].cost || credits != rows->sums[k].credits)
			return err_set(e, E_BUG, "%s: the stored sums differ",
				rows->sums[k].currency);
		if (!file_fits(cost) || !file_fits(credits) || !file_fits(cost + credits) ||
			!file_fits(rows->sums[k].rounding))
			return err_set(e, E_OVERFLOW, "the sums of %s are too large",
				rows->sums[k].currency);
	}
	return count == rows->rows ? E_OK : err_set(e, E_BUG, "rows were lost");
}

/* The remainders of rounding are stored with the first day, which represents the file. */
static void file_note_rounding(
	const struct import_rows *rows, struct billing_unit *units, size_t n)
{
	for (size_t k = 0; k < rows->n_sums; k++)
		for (size_t i = 0; i < n; i++) {
			struct billing_sum *s = billing_unit_sum(
				&units[i], rows->sums[k].currency);

			if (!s)
				continue;
			s->rounding = (int64_t)rows->sums[k].rounding;
			break;
		}
}

#define TABLE_NAME "file:%s#%.12s"

static enum err_code file_new_table(
	struct file *f, struct import_result *out, struct arena *a, struct err *e)
{
	const char *name = arena_printf(a, TABLE_NAME, f->path, f->sha);
	struct q_billing_table_add_in add = {.name = name, .location = "", .kind = "file"};
	struct q_billing_table_get_in get = {.name = name};
	struct q_billing_table_get row;
	bool found;

	if (q_billing_table_add(f->o->db, &add, e) ||
		q_billing_table_get_one(f->o->db, &get, a, &row, &found, e))
		return e->code;
	out->table_id = row.table_id;
	return found ? E_OK : err_set(e, E_BUG, "the file was not recorded");
}

#define PART_DIGITS 12

/* "billing-000000000007.json.gz" -> "file:billing-": the common prefix of all parts of one extract.
 * BigQuery numbers them with twelve digits. No extract has a million parts, but timestamps also
 * have twelve digits. "": the name is not that of a part. */
static const char *file_series_of(const char *path, struct arena *a)
{
	static const char digits[] = "0123456789";
	size_t end = strlen(path), n = 0;

	for (size_t i = end; i-- > 0;) {
		n = strchr(digits, path[i]) ? n + 1 : 0;
		if (n == PART_DIGITS && (!i || !strchr(digits, path[i - 1])) &&
			!strncmp(path + i, "000000", 6))
			return arena_printf(a, "file:%.*s", (int)i, path);
	}
	return "";
}

/* Reports whether most lines of the smaller one are in the other. An extract does not change: one
 * of a longer period, or a later one, has every line of the other. An extract in another format has
 * the same sums. */
static bool file_doubled(const struct q_import_shared *s)
{
	int64_t lines = s->mine < s->theirs ? s->mine : s->theirs, most = lines - lines / 5;
	int64_t hours = s->my_hours < s->their_hours ? s->my_hours : s->their_hours;

	/* A part that remained from an older extract has rows of the others. */
	if (s->part)
		return s->identical > 1 && s->identical >= most;
	return (s->common && s->common >= most) ||
		(s->same_hours && s->same_hours >= hours - s->same_hours);
}

/* Files of one command may have the same days, like parts of one extract. But so do two extracts of
 * overlapping periods, and one extract in two formats. */
static enum err_code file_check_doubled(
	struct file *f, struct q_import_shared_in *in, struct arena *a, struct err *e)
{
	struct q_import_shared row;
	struct db_rows rows;

	if (!f->o->batch) /* the first file of its command */
		return E_OK;
	in->series = file_series_of(f->path, a);
	if (q_import_shared_open(f->o->db, in, &rows, e))
		return e->code;
	while (q_import_shared_next(&rows, &row)) {
		if (!file_doubled(&row))
			continue;
		err_set(e, E_CONFLICT,
			"%s: in the overlap with %s, %lld of %lld lines are equal and %lld "
			"of %lld hours have equal sums: it may be the same data",
			f->path, row.name, (long long)row.common, (long long)row.mine,
			(long long)row.same_hours, (long long)row.my_hours);
		err_fix(e, "to import both: tpucost import --allow-overlap");
		return db_rows_end(&rows, E_CONFLICT, e);
	}
	return db_rows_close(&rows, e);
}

/* The days with usage: a row may be spread over midnight. */
static enum err_code file_note_days(
	struct file *f, struct arena *a, struct import_result *out, struct err *e)
{
	struct q_stage_days *days;

	if (q_stage_days_all(f->o->db, a, &days, &out->days, e))
		return e->code;
	out->first = (day_t)days[0].day;
	out->last = (day_t)days[out->days - 1].day;
	return E_OK;
}

static enum err_code file_put(struct file *f, struct import_rows *rows,
	struct billing_unit *units, size_t n, struct arena *a, struct import_result *out,
	struct err *e)
{
	const struct import_opts *o = f->o;
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct billing_store s = {.db = o->db,
		.tz = o->tz,
		.now = o->now,
		.restates = true,
		.recipe = BILLING_RECIPE,
		.as_staged = true,
		.may_overlap = o->may_overlap};
	struct q_billing_table_set_in table = {0};
	struct q_import_shared_in shared = {0};
	struct q_import_put_in put = {.sha256 = f->sha,
		.name = f->path,
		.row_count = rows->rows,
		.imported = o->now};

	if (db_begin(o->db, &tx, e) || file_new_table(f, out, a, e))
		return e->code;
	s.table_id = put.table_id = out->table_id;
	s.batch = out->batch = o->batch ? o->batch : out->table_id;
	table.batch = SOME(s.batch);
	table.table_id = out->table_id;
	shared.batch = s.batch;
	shared.name = arena_printf(a, TABLE_NAME, f->path, f->sha);
	if (q_billing_table_set(o->db, &table, e) ||
		(!o->may_overlap && file_check_doubled(f, &shared, a, e)))
		return e->code;
	if (billing_store(&s, units, n, e)) {
		if (e->code == E_CONFLICT)
			err_fix(e,
				"to import both: tpucost import --allow-overlap; to list "
				"the imported data: tpucost db list");
		return err_wrap(e, "%s", f->path);
	}
	if (file_note_days(f, a, out, e) || q_import_put(o->db, &put, e) ||
		billed_prices_put(&rows->prices, o->db, out->table_id, e))
		return e->code;
	return db_commit(&tx, e);
}

static enum err_code file_store(
	struct file *f, struct import_rows *rows, struct import_result *out, struct err *e)
{
	struct billing_unit *units;
	cleanup(arena_done) struct arena a = {0};
	size_t n;

	if (billing_units_staged(f->o->db, &a, &units, &n, e))
		return e->code;
	if (file_check_sums(rows, units, n, e))
		return err_wrap(e, "%s", f->path);
	if (!n)
		return err_set(e, E_DATA, "%s: no rows", f->path);
	file_note_rounding(rows, units, n);
	for (size_t i = 0; i < n; i++)
		units[i].exported = rows->exported;
	return file_put(f, rows, units, n, &a, out, e);
}

/* ---- one file ---------------------------------------------------------------------------------- */

static enum err_code file_look_up(struct file *f, struct import_result *out, struct err *e)
{
	struct q_import_get_in in = {.sha256 = f->sha};
	struct q_import_get row;

	if (q_import_get_one(f->o->db, &in, NULL, &row, &out->known, e))
		return e->code;
	if (out->known) {
		out->batch = row.batch;
		out->imported = row.imported;
		out->rows = row.row_count;
		out->table_id = row.table_id;
	}
	return E_OK;
}

static enum err_code file_run(
	struct file *f, struct import_rows *rows, struct import_result *out, struct err *e)
{
	if (usage_stage_open(&rows->stage, f->o->db, true, e) || file_read_rows(f, rows, e))
		return e->code;
	if (usage_stage_flush(&rows->stage, e))
		return e->code == E_OVERFLOW ? err_wrap(e, "%s", f->path) : e->code;
	if (!gzin_sha256(f->g, f->sha))
		return err_set(e, E_BUG, "%s was not read completely", f->path);
	if (file_look_up(f, out, e) || out->known)
		return e->code;
	out->rows = rows->rows;
	out->is_focus = rows->is_focus;
	out->no_credits = rows->no_credits && !rows->focus.net;
	out->unnamed = rows->focus.unnamed;
	out->no_month = rows->no_month;
	out->bad_rates = rows->bad_rates;
	out->bad_rate_at = rows->bad_rate_at;
	out->billed = !rows->is_focus ? IMPORT_BILLED_ASK
		: rows->billed        ? rows->billed
		: rows->focus.after   ? IMPORT_BILLED_AFTER
		: rows->focus.before  ? IMPORT_BILLED_BEFORE
				      : IMPORT_BILLED_ASK;
	out->foreign = rows->focus.foreign;
	memcpy(out->providers, rows->focus.providers, sizeof(out->providers));
	memcpy(out->sums, rows->sums, sizeof(out->sums));
	out->n_sums = rows->n_sums;
	return file_store(f, rows, out, e);
}

enum err_code import_file(const struct import_opts *o, const char *path,
	struct import_result *out, struct err *e)
{
	struct file f = {.o = o, .path = path};
	struct import_rows *rows = xcalloc(1, sizeof(*rows));
	struct err ignored;
	enum err_code rc;
	int64_t done;

	*out = (struct import_result){0};
	rows->now = o->now;
	rows->billed = o->billed;
	err_clear(e);
	rc = gzin_open(path, &f.g, e);
	if (!rc) {
		gzin_progress(f.g, &done, &f.size);
		rc = file_run(&f, rows, out, e);
	}
	/* Stored lines are left for the next file, or the end, to clear, because clearing is
	 * slow. */
	if (rc && rows->stage.db)
		(void)!usage_stage_clear(&rows->stage, &ignored);
	gzin_close(f.g);
	import_rows_done(rows);
	free_ptr(&rows);
	return rc;
}

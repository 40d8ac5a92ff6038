/* `cost --format focus`: the lines of the bill as a file of FOCUS, written as it is read. */
#include "base/fs.h"
#include "base/str.h"
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "cli/commands/cost_focus.h"
#include "cli/config/config.h"
#include "cli/detail.h"
#include "cli/query.h"
#include "cli/target.h"
#include "db/db.h"
#include "reports/focus/focus.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define FOCUS_MS 600000 /* years of hours take minutes */
#define FOCUS_CHUNK 65536
#define PACIFIC "America/Los_Angeles" /* zone in which Google's months begin and end */

#define TEXTS                                                                              \
	"account, project, number, service_id, service, sku_id, sku, category, location, " \
	"region, zone, resource, global_name, labels, invoice_month, cost_type, "          \
	"currency, "                                                                       \
	"usage_unit, model, consumption_model, credit_list"

/* The members of focus_line that are texts, in the order of TEXTS. */
static const size_t focus_texts[] = {offsetof(struct focus_line, account),
	offsetof(struct focus_line, project), offsetof(struct focus_line, number),
	offsetof(struct focus_line, service_id), offsetof(struct focus_line, service),
	offsetof(struct focus_line, sku_id), offsetof(struct focus_line, sku),
	offsetof(struct focus_line, category), offsetof(struct focus_line, location),
	offsetof(struct focus_line, region), offsetof(struct focus_line, zone),
	offsetof(struct focus_line, resource), offsetof(struct focus_line, global_name),
	offsetof(struct focus_line, labels), offsetof(struct focus_line, invoice_month),
	offsetof(struct focus_line, cost_type), offsetof(struct focus_line, currency),
	offsetof(struct focus_line, usage_unit), offsetof(struct focus_line, model),
	offsetof(struct focus_line, model_name), offsetof(struct focus_line, credits)};

struct focus_file {
	struct app *app;
	enum focus_version version;
	struct tz *pacific;
	char month[8];
	const char *name;
	bool packed;
	bool closed; /* the reader of standard output has ended */
	struct gzout *gz;
};

/* ---- query ------------------------------------------------------------------------------------ */

/* Whole days of the configured zone, as in the other formats. */
static enum err_code focus_add_filters(struct app *app, struct sbuf *sql, struct err *e)
{
	const struct tz *tz = app->cfg->tz;
	ts_t at;

	if (app->o.since) {
		if (query_time(app, app->o.since, &at, e))
			return e->code;
		sbuf_addf(sql, " AND hour_n >= %lld",
			(long long)tz_day_start(tz, tz_day(tz, at)));
	}
	if (app->o.until) {
		if (query_time(app, app->o.until, &at, e))
			return e->code;
		sbuf_addf(sql, " AND hour_n < %lld",
			(long long)tz_day_start(tz, tz_day(tz, at - 1) + 1));
	}
	if (app->o.month)
		sbuf_adds(sql, " AND invoice_month = :month");
	if (app->o.project)
		query_add_project(app, sql, "project");
	return app->o.where ? query_add_where(sql, app->o.where, e) : E_OK;
}

static void focus_read(const struct db_cursor *cur, struct focus_line *l)
{
	int at = ARRAY_LEN(focus_texts);

	*l = (struct focus_line){0};
	for (int i = 0; i < at; i++) {
		const char *text = db_cursor_type(cur, i) == DB_NULL
			? ""
			: db_cursor_text(cur, i);

		memcpy((char *)l + focus_texts[i], &text, sizeof(text));
	}
	l->hour = db_cursor_i64(cur, at++);
	l->rate = db_cursor_i64(cur, at++);
	l->cost = db_cursor_i64(cur, at++);
	l->discount = db_cursor_i64(cur, at++);
	l->committed = db_cursor_i64(cur, at++);
	l->usage = db_cursor_type(cur, at) == DB_NULL ? NONE : SOME(db_cursor_i64(cur, at));
}

/* ---- writing ---------------------------------------------------------------------------------- */

static enum err_code focus_flush(
	struct focus_file *f, int fd, struct sbuf *b, bool last, struct err *e)
{
	enum err_code rc;

	if (b->len < FOCUS_CHUNK && !last)
		return E_OK;
	rc = f->packed ? gz_writer(&f->gz, fd, f->name, b->s, b->len, last, e)
		       : fs_write_all(fd, f->name, b->s, b->len, e);
	/* A reader that closed the pipe has read all it needed. */
	f->closed = rc && errno == EPIPE;
	sbuf_reset(b);
	return f->closed ? E_OK : rc;
}

static enum err_code focus_lines(
	struct focus_file *f, struct db_cursor *cur, int fd, struct sbuf *b, struct err *e)
{
	cleanup(arena_done) struct arena scratch = {0};
	struct focus_line l;
	bool more;

	focus_header(f->version, b);
	for (;;) {
		if (db_cursor_step(cur, &more, e))
			return e->code;
		if (!more || f->closed)
			return f->closed ? E_OK : focus_flush(f, fd, b, true, e);
		focus_read(cur, &l);
		if (focus_rows(f->version, &l, f->pacific, &scratch, b, e) ||
			focus_flush(f, fd, b, false, e))
			return e->code;
		arena_reset(&scratch);
	}
}

/* A function for fs_write_made(): what is long goes to the file at once. */
static enum err_code focus_make(void *ctx, int fd, struct sbuf *b, struct err *e)
{
	struct focus_file *f = ctx;
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	struct db_cursor cur = {0};
	enum err_code rc;

	sbuf_adds(&sql,
		"SELECT " TEXTS
		", hour_n, rate, cost_n, discount_n, committed_n, usage_n FROM "
		"focus_exact costs WHERE 1");
	if (focus_add_filters(f->app, &sql, e))
		return e->code;
	rc = f->app->o.where ? db_cursor_open(f->app->db, sql.s, FOCUS_MS, &cur, e)
			     : db_cursor_open_own(f->app->db, sql.s, FOCUS_MS, &cur, e);
	if (rc)
		return rc;
	db_cursor_bind(&cur, ":month", f->month);
	rc = focus_lines(f, &cur, fd, b, e);
	db_cursor_close(&cur);
	return rc;
}

/* ---- command ---------------------------------------------------------------------------------- */

static enum err_code focus_check(const struct opts *o, struct err *e)
{
	const char *other = o->by ? "--by"
		: o->sort_by      ? "--sort-by"
		: o->columns      ? "--columns"
		: o->limit >= 0   ? "--limit"
		: o->watch >= 0   ? "--watch"
				  : NULL;

	if (!other)
		return E_OK;
	return err_set_fix(e, E_USAGE,
		"use --since, --until, --month, --project or --where",
		"cost: --format focus does not accept %s", other);
}

int cost_focus(struct app *app, struct err *e)
{
	struct focus_file f = {.app = app, .name = target_path(app)};
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct billing_question lines = {
		.time = ASK_HOUR, .resource = true, .labels = true};
	enum err_code rc;

	if (focus_check(&app->o, e) || focus_version_read(app->o.focus, &f.version, e) ||
		(app->o.month && query_month(app->o.month, f.month, e)) ||
		target_check(app, f.name, e) || session_open(app, e) ||
		detail_begin(app, &lines, e) || tz_open(PACIFIC, &f.pacific, e))
		return app->needs_net ? EXIT_FAILED : cmd_fail(e);
	f.packed = f.name && str_ends(f.name, ".gz");
	if (f.name) {
		/* names and amounts are private */
		rc = fs_write_made(f.name, focus_make, &f, 0600, e);
	} else {
		f.name = "standard output";
		rc = focus_make(&f, STDOUT_FILENO, &b, e);
	}
	tz_free(f.pacific);
	if (!rc)
		rc = query_say_notes(app, BASIS_BILLING | NOTE_DAYS, e);
	return rc ? cmd_fail(e) : EXIT_FINE;
}

/* Publishing: the history of views as tables of BigQuery (docs/publish.md).
 *
 * Rows are first stored as load jobs (table publish_load), then sent. A job has the same id and rows until it has
 * ended, so nothing is lost and nothing is loaded twice, whatever fails. Rows of the present are added once per hour
 * or day. The rows of a day replace those that were sent before if they differ. */
#include "base/net/http.h"
#include "base/str.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/daemon/daemon.h"
#include "cli/net/publish.h"
#include "cli/net/wire.h"
#include "cli/session.h"
#include "db_sql.h"
#include "rules/act/leader.h"

#include <string.h>

/* Requests of one cycle begin within this time, and each may take it: the next cycle, which stops machines, waits. */
#define WAIT_MS 15000
#define ATTEMPTS \
	10       /* of a job that BigQuery refuses for its rows, before these are dropped */
#define RETRY 60 /* seconds after the first failure */
#define MEMBER COLLECT_PUBLISH
#define MISSING \
	"publish_missing" /* in `meta`: since when the configuration lacks `publish:` */

static void publisher_done(struct publisher *p)
{
	gcp_free(p->gcp);
	http_free(p->http);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static struct bq_name publish_name(const struct publisher *p, const char *view)
{
	const struct config *cfg = p->app->cfg;

	return (struct bq_name){cfg->publish.project, cfg->publish.dataset, view};
}

/* BigQuery adds columns that are missing. Other differences were made manually. */
static enum err_code publish_compare(const struct destination *x,
	const struct bq_table *table, const char *name, struct err *e)
{
	const char *other = NULL;
	const struct bq_field *retyped = NULL;

	for (size_t i = 0; i < x->n_fields && !retyped; i++) {
		const struct bq_field *f = bq_field_find(
			table->fields, table->n_fields, x->fields[i].name);

		if (f && (!str_eq(f->type, x->fields[i].type) || f->repeated))
			retyped = f;
	}
	for (size_t i = 0; i < table->n_fields && !other; i++)
		if (!bq_field_find(x->fields, x->n_fields, table->fields[i].name))
			other = table->fields[i].name;
	if (retyped)
		err_set(e, E_DATA,
			"table %s was changed: its column '%.60s' is %s%.40s now", name,
			retyped->name, retyped->repeated ? "repeated " : "", retyped->type);
	else if (other)
		err_set(e, E_DATA,
			"table %s was changed: its column '%.60s' is not one of tpucost",
			name, other);
	else if (!str_eq(table->type, "TABLE") || !str_eq(table->partition_type, "DAY") ||
		!str_eq(table->partition_field, BQ_LOAD_FIELD))
		err_set(e, E_DATA, "%s is not a table that is partitioned by the day of %s",
			name, BQ_LOAD_FIELD);
	else
		return E_OK;
	return err_fix(e,
		"rename it in BigQuery: tpucost then creates it, with the last %d days",
		PUBLISH_WINDOW);
}

/* A table that was created again has none of the rows that were sent to the earlier one. */
static enum err_code publish_note_created(
	struct publisher *p, const char *view, int64_t created, struct err *e)
{
	struct q_publish_table_get_in get = {.view = view};
	struct q_publish_created_in put = {.view = view, .created = created};
	struct q_publish_reset_in reset = {.view = view};
	struct q_publish_table_get was;
	bool found;

	if (q_publish_table_get_one(p->app->db, &get, NULL, &was, &found, e))
		return e->code;
	if (found && was.created == created)
		return E_OK;
	if (found && was.created && q_publish_reset(p->app->db, &reset, e))
		return e->code;
	return q_publish_created(p->app->db, &put, e);
}

static enum err_code publish_look(struct publisher *p, size_t i, struct err *e)
{
	struct destination *x = &p->targets[i];
	struct bq_name name = publish_name(p, published[i].view);
	struct bq_table table;

	x->looked = true;
	publish_fields(p, &published[i], x);
	if (bq_table_get(p->gcp, &name, &p->app->arena, &table, e)) {
		x->missing = e->code == E_NOTFOUND;
		if (!x->missing)
			return e->code;
		err_clear(e);
		return publish_note_created(p, name.table, 0, e);
	}
	if (publish_compare(x, &table,
		    arena_printf(&p->app->arena, "%s.%s.%s", name.project, name.dataset,
			    name.table),
		    e))
		return e->code;
	return publish_note_created(p, name.table, table.created_ms, e);
}

static enum err_code publish_open(struct publisher *p, struct err *e)
{
	const struct config *cfg = p->app->cfg;
	struct http_opts http = {.user_agent = "tpucost/" TPUCOST_VERSION " (gzip)",
		.clock = p->app->clock,
		.max_attempts = 2, /* the next cycle tries again */
		.total_timeout_ms = WAIT_MS,
		.retry_budget_ms = WAIT_MS};
	struct gcp_opts gcp = {.endpoint_all = cfg->endpoint_all,
		.credentials = cfg->credentials,
		.clock = p->app->clock};

	if (http_new(&http, &p->http, e))
		return e->code;
	gcp.http = p->http;
	if (gcp_new(&gcp, &p->gcp, e))
		return e->code;
	return bq_dataset_get(p->gcp, cfg->publish.project, cfg->publish.dataset, false,
		&p->app->arena, &p->dataset, e);
}

/* Before each request: no other one begins in this cycle. */
static bool publish_late(const struct publisher *p)
{
	return daemon_ending() || clock_mono_ms(p->app->clock) >= p->until;
}

/* ---- load jobs ------------------------------------------------------------------------------- */

/* Records an error of a table, which does not concern the others. Any other error ends the pass, unless a job ended
 * with it. */
static enum err_code publish_block(
	struct publisher *p, struct destination *x, const struct err *why, struct err *e)
{
	if (!x->blocked && why->code != E_DATA && why->code != E_DENIED &&
		why->code != E_NOTFOUND && why->code != E_RATE && why->code != E_LIMIT) {
		*e = *why;
		return e->code;
	}
	x->blocked = true;
	if (!p->why.code)
		p->why = *why;
	return E_OK;
}

static struct destination *publish_target(struct publisher *p, const char *view)
{
	for (size_t i = 0; i < N_PUBLISHED; i++)
		if (!strcmp(published[i].view, view))
			return &p->targets[i];
	return NULL;
}

/* Would the load replace rows of another database? *gap: after it, BigQuery must be asked; 0: it was, or there is none. */
static enum err_code publish_asks(struct publisher *p, const struct published *t,
	const struct q_publish_next *q, ts_t *gap, struct err *e)
{
	struct q_publish_part_get_in in = {.view = q->view, .day = q->day};
	struct q_publish_part_get part;
	bool found;

	*gap = 0;
	if (!q->replaces || publish_gap(p, t, (day_t)q->day, gap, e) ||
		q_publish_part_get_one(p->app->db, &in, &p->app->arena, &part, &found, e))
		return e->code;
	if (found && part.gap >= *gap)
		*gap = 0;
	return E_OK;
}

/* A job that may have been received is looked for, before it is sent once more. *keeps: it was not sent, because the day has
 * rows of another database. */
static enum err_code publish_try(struct publisher *p, const struct q_publish_next *q,
	ts_t gap, struct bq_load *l, bool *keeps, struct err *e)
{
	struct q_publish_body_in in = {.load = q->load};
	struct q_publish_sent_in sent = {.load = q->load, .now = p->now};
	cleanup(arena_done) struct arena a = {0};
	struct q_publish_body row;
	bool found;

	if (q->sent.set) {
		if (bq_load_look(p->gcp, l, e) != E_NOTFOUND || l->failed)
			return e->code;
		err_clear(e);
	}
	if (gap && !l->create && !publish_late(p) &&
		(bq_day_has_rows(p->gcp, &l->table, l->day, keeps, e) || *keeps))
		return e->code;
	if (publish_late(p))
		return E_OK;
	if (q_publish_body_one(p->app->db, &in, &a, &row, &found, e) ||
		q_publish_sent(p->app->db, &sent, e))
		return e->code;
	l->rows = found ? row.body : "";
	return bq_load_send(p->gcp, l, e);
}

/* A job that failed is sent again with another id. Rows that BigQuery refuses each time must not keep later ones back. */
static enum err_code publish_failed(struct publisher *p, const struct q_publish_next *q,
	bool whole_day, struct err *why, struct err *e)
{
	struct q_publish_again_in again = {.load = q->load};
	struct q_publish_drop_in drop = {
		.load = q->load, .view = q->view, .day = q->day, .whole_day = whole_day};
	char day[DATE_BUF];

	if (why->code != E_DATA || q->attempt + 1 < ATTEMPTS)
		return q_publish_again(p->app->db, &again, e);
	date_format((day_t)q->day, day);
	err_fix(why,
		whole_day ? "the rows of %s of %s were refused %d times and dropped; they "
			    "are made and sent again"
			  : "the rows of %s of %s were refused %d times and dropped; later "
			    "ones are sent",
		q->view, day, ATTEMPTS);
	return q_publish_drop(p->app->db, &drop, e);
}

/* Its rows are in the table. */
static enum err_code publish_loaded(
	struct publisher *p, const struct q_publish_next *q, ts_t gap, struct err *e)
{
	struct q_publish_done_in done = {.load = q->load};
	struct q_publish_own_in own = {.view = q->view, .day = q->day, .gap = gap};

	p->loaded++;
	return (gap && q_publish_own(p->app->db, &own, e)) ||
			q_publish_done(p->app->db, &done, e)
		? e->code
		: E_OK;
}

/* One step of a load; *ended: it is done. */
static enum err_code publish_step(struct publisher *p, struct destination *x,
	const struct q_publish_next *q, bool *ended, struct err *e)
{
	const struct published *t = &published[x - p->targets];
	struct q_publish_keep_in keep = {.view = q->view, .day = q->day};
	struct bq_load l = {.table = publish_name(p, q->view),
		.location = p->dataset.location,
		.job = arena_printf(
			&p->app->arena, "%s_%lld", q->job, (long long)q->attempt),
		.day = (day_t)q->day,
		.replace = q->replaces,
		.create = x->missing,
		.fields = x->fields,
		.n_fields = x->n_fields};
	struct err ignored;
	bool keeps = false;

	*ended = false;
	if (publish_asks(p, t, q, &keep.gap, e))
		return e->code;
	if (publish_try(p, q, keep.gap, &l, &keeps, e)) {
		x->blocked = l.failed;
		if (l.failed)
			(void)!publish_failed(p, q, !t->every, e, &ignored);
		return e->code;
	}
	*ended = l.done || keeps;
	if (keeps)
		return q_publish_keep(p->app->db, &keep, e);
	return l.done ? publish_loaded(p, q, keep.gap, e) : E_OK;
}

/* A step of the next load of each table. *moved: one has ended; *running: others run. */
static enum err_code publish_round(
	struct publisher *p, bool *moved, bool *running, struct err *e)
{
	struct q_publish_next *v;
	size_t n;

	*moved = *running = false;
	if (q_publish_next_all(p->app->db, &p->app->arena, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n && !publish_late(p); i++) {
		struct destination *x = publish_target(p, v[i].view);
		struct err why = {0};
		bool ended = false;

		daemon_alive();
		if (!x || x->blocked)
			continue;
		if ((!x->looked && publish_look(p, (size_t)(x - p->targets), &why)) ||
			(!publish_late(p) && publish_step(p, x, &v[i], &ended, &why))) {
			if (publish_block(p, x, &why, e))
				return e->code;
			continue;
		}
		*moved |= ended;
		*running |= !ended;
	}
	return E_OK;
}

/* Sends what waits. Errors of single tables are in p->why. */
static enum err_code publish_deliver(struct publisher *p, struct err *e)
{
	bool moved = true, running = true;
	int64_t wait = 250;

	p->until = clock_mono_ms(p->app->clock) + WAIT_MS;
	/* afterwards: another machine takes over later than the last request begins */
	if (publish_confirm(p, e) || publish_open(p, e))
		return e->code;
	while ((moved || running) && !publish_late(p)) {
		if (!moved) {
			clock_sleep_ms(p->app->clock, wait);
			wait *= 2;
		}
		if (publish_round(p, &moved, &running, e))
			return e->code;
	}
	/* of those that nothing waits for, too: one that was made again has none of the rows */
	for (size_t i = 0; i < N_PUBLISHED && !publish_late(p); i++) {
		struct err why = {0};

		if (!p->targets[i].looked && publish_look(p, i, &why) &&
			publish_block(p, &p->targets[i], &why, e))
			return e->code;
	}
	return E_OK;
}

/* ---- a cycle --------------------------------------------------------------------------------- */

/* Another dataset has none of the rows. */
static enum err_code publish_aim(struct publisher *p, struct err *e)
{
	const struct config *cfg = p->app->cfg;
	struct q_meta_put_in put = {.key = MEMBER,
		.value = arena_printf(&p->app->arena, "%s.%s", cfg->publish.project,
			cfg->publish.dataset)};
	struct q_meta_drop_in found = {.key = MISSING};
	cleanup(db_tx_end) struct db_tx tx = {0};
	const char *was;

	if (q_meta_drop(p->app->db, &found, e) ||
		db_meta(p->app->db, MEMBER, &p->app->arena, &was, e))
		return e->code;
	if (!strcmp(was, put.value))
		return E_OK;
	if (db_begin(p->app->db, &tx, e) || q_publish_moved(p->app->db, e) ||
		q_meta_put(p->app->db, &put, e))
		return e->code;
	return db_commit(&tx, e);
}

/* Without the key of the configuration, rows that wait would do so for ever. It may be missing by mistake. */
static enum err_code publish_forget(struct app *app, struct err *e)
{
	struct q_source_drop_in drop = {.source = MEMBER, .project = ""};
	struct q_publish_left_in left = {.missing = MISSING};
	struct q_publish_forget_in in = {.aim = MEMBER, .missing = MISSING};
	struct q_meta_put_in put = {.key = MISSING};
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct db *db = app->db;
	struct q_publish_left q;
	const char *aim;
	bool found;
	ts_t now;

	if (db_meta(db, MEMBER, &app->arena, &aim, e))
		return e->code;
	if (!*aim)
		return E_OK;
	if (q_source_drop(db, &drop, e) ||
		session_present(app, clock_now(app->clock), &now, e) ||
		q_publish_left_one(db, &left, NULL, &q, &found, e))
		return e->code;
	if (app->clock_unknown)
		return E_OK;
	if (!q.since.set) {
		put.value = arena_printf(&app->arena, "%lld", (long long)now);
		return q_meta_put(db, &put, e);
	}
	if (q.since.v > now - PUBLISH_WINDOW * DAY_SECONDS)
		return E_OK;
	if (db_begin(db, &tx, e) || q_publish_forget(db, &in, e) || db_commit(&tx, e))
		return e->code;
	if (q.loads)
		say("tpucost: publish: %lld load jobs that waited were dropped, because "
		    "`publish:` has been missing for %d days",
			(long long)q.loads, PUBLISH_WINDOW);
	return E_OK;
}

int cycle_unpublish(struct app *app, struct err *e)
{
	if (!app->db || app->cfg->publish.dataset)
		return EXIT_FINE;
	return publish_forget(app, e) ? cmd_fail(e) : EXIT_FINE;
}

/* Stores the result for `sources`. */
static enum err_code publish_record(struct publisher *p, struct err *why, struct err *e)
{
	struct q_publish_waiting waiting;
	const char *note = NULL;
	bool found;

	if (why->code && !why->fix[0] &&
		(why->code == E_NET || why->code == E_HTTP || why->code == E_RATE ||
			why->code == E_DATA))
		err_fix(why, "the rows are kept, the next cycles try again");
	if (!why->code) {
		if (q_publish_waiting_one(p->app->db, NULL, &waiting, &found, e))
			return e->code;
		if (found && waiting.loads)
			note = arena_printf(&p->app->arena,
				"%lld load jobs have not ended yet; the next cycle looks "
				"for them",
				(long long)waiting.loads);
	}
	return writer_record(p->app, MEMBER, MEMBER, p->loaded, note, why, e);
}

/* Sends what waits, if it is time for that. */
static enum err_code publish_pass(
	struct publisher *p, const struct composed *made, struct err *why, struct err *e)
{
	struct q_publish_waiting waiting;
	bool found, due = true;

	if (made->held && !why->code)
		return E_OK;
	if (!why->code && !made->any &&
		(q_publish_waiting_one(p->app->db, NULL, &waiting, &found, e) ||
			!waiting.loads ||
			status_due(p->app->db, MEMBER, "", RETRY, p->now, &due, e) || !due))
		return e->code;
	if (!made->held && publish_deliver(p, e)) {
		*why = *e;
		err_clear(e);
	}
	if (!why->code)
		*why = p->why;
	return publish_record(p, why, e);
}

/* Its time; false: nothing is published in this cycle. Days and hours of a wrong clock would be wrong, and rows of a
 * machine that does not hold the lease may be those of the one that does. */
static bool publish_begin(struct publisher *p, enum err_code *rc, struct err *e)
{
	struct app *app = p->app;

	*rc = E_OK;
	if (!app->db || daemon_ending() || !app->cfg->publish.dataset ||
		(app->cfg->enforcement.lease && !leader_of(app)->epoch))
		return false;
	*rc = session_present(app, clock_now(app->clock), &p->now, e);
	p->today = tz_day(app->cfg->tz, p->now);
	return !*rc && !app->clock_wrong && !app->clock_unknown;
}

void cycle_compose(struct app *app, struct composed *made)
{
	struct publisher p = {.app = app};
	enum err_code rc;

	*made = (struct composed){0};
	if (publish_begin(&p, &rc, &made->err) && !publish_aim(&p, &made->err))
		(void)!publish_compose(&p, &made->any, &made->err);
}

int cycle_publish(struct app *app, struct composed *made, struct err *e)
{
	cleanup(publisher_done) struct publisher p = {.app = app};
	enum err_code rc;

	if (!publish_begin(&p, &rc, e))
		return rc ? cmd_fail(e) : EXIT_FINE;
	if (publish_pass(&p, made, &made->err, e))
		return cmd_fail(e);
	if (made->err.code && !app->daemon)
		say_err("tpucost: publish", &made->err);
	return made->err.code ? EXIT_PARTIAL : EXIT_FINE;
}

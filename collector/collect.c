#include "collector/collect.h"

#include "base/sbuf.h"
#include "base/str.h"
#include "db_sql.h"

#include <string.h>

static bool wanted(const struct collector *c, const struct source *s)
{
	if (!c->n_only)
		return true;
	for (size_t i = 0; i < c->n_only; i++)
		if (!strcmp(c->only[i], s->name) || !strcmp(c->only[i], s->group))
			return true;
	return false;
}

enum err_code collect_check_names(const char *const *only, size_t n_only, struct err *e)
{
	for (size_t i = 0; i < n_only; i++) {
		const char *names[64], *near;
		size_t n = 0;

		if (source_find(only[i]) || source_group_exists(only[i]))
			continue;
		for (size_t k = 0; k < n_sources && n + 2 < ARRAY_LEN(names); k++) {
			names[n++] = sources[k]->name;
			names[n++] = sources[k]->group;
		}
		near = str_nearest(only[i], names, n);
		err_set(e, E_USAGE, "collect: no source or group \"%s\"", only[i]);
		return near ? err_fix(e, "did you mean \"%s\"?", near)
			    : err_fix(e, "see: tpucost help collect");
	}
	return E_OK;
}

/* Was this source attempted in the project within its interval? A clock that was set back
 * makes it due. */
static enum err_code is_due(const struct collector *c, const struct source *s,
	const char *project, ts_t now, bool *due, struct err *e)
{
	struct q_source_attempts_in in = {.source = s->name};
	struct q_source_attempts row;
	struct db_rows rows;

	*due = true;
	if (!c->interval)
		return E_OK;
	if (q_source_attempts_open(c->db, &in, &rows, e))
		return e->code;
	while (q_source_attempts_next(&rows, &row))
		if (!strcmp(row.project, project) && row.last_attempt <= now &&
			now - row.last_attempt < c->interval(c->interval_ctx, s))
			*due = false;
	return db_rows_close(&rows, e);
}

static const char *state_of(const struct poll *p, enum err_code code)
{
	if (code == E_DISABLED)
		return "disabled";
	if (code)
		return "failed";
	return p->n_gaps ? "partial" : "ok";
}

static enum err_code put_gaps(const struct poll *p, struct err *e)
{
	struct q_gap_clear_in clear = {.source = p->source->name, .project = p->project};

	if (q_gap_clear(p->db, &clear, e))
		return e->code;
	for (size_t i = 0; i < p->n_gaps; i++) {
		struct q_gap_put_in gap = {.source = p->source->name,
			.project = p->project,
			.location = p->gaps[i],
			.since = p->now};

		if (q_gap_put(p->db, &gap, e))
			return e->code;
	}
	return E_OK;
}

static const char *gaps_text(const struct poll *p)
{
	struct sbuf b = SBUF_INIT;
	const char *text;

	for (size_t i = 0; i < p->n_gaps; i++)
		sbuf_addf(&b, "%s%s", i ? ", " : "no answer from ", p->gaps[i]);
	text = arena_strdup(p->arena, b.s);
	sbuf_done(&b);
	return text;
}

/* Keep the outcome. What a failed poll left behind is shown as not current. */
static enum err_code put_status(struct poll *p, const struct err *why, struct err *e)
{
	enum err_code code = why ? why->code : E_OK;
	struct q_source_put_in in = {.source = p->source->name,
		.project = p->project,
		.state = state_of(p, code),
		.attempt = p->now,
		.items = (int64_t)p->items};
	struct q_source_incomplete_in stale = {
		.source = p->source->name, .project = p->project};
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (why) {
		in.error = why->msg;
		in.fix = why->fix[0] ? why->fix : NULL;
	} else if (p->n_gaps) {
		in.error = gaps_text(p);
	} else {
		in.success = SOME(p->now);
	}
	if (db_begin(p->db, &tx, e) || q_source_put(p->db, &in, e) || put_gaps(p, e))
		return e->code;
	if (why && q_source_incomplete(p->db, &stale, e))
		return e->code;
	return db_commit(&tx, e);
}

static enum err_code note_past(struct poll *p, struct err *e)
{
	struct q_source_state_in in = {.source = p->source->name, .project = p->project};
	struct q_source_state row;
	bool found;

	if (q_source_state_one(p->db, &in, p->arena, &row, &found, e))
		return e->code;
	p->was_disabled = found && !strcmp(row.state, "disabled");
	return E_OK;
}

/* An error that says nothing of what to do gets the usual advice. */
static void advise(struct err *why)
{
	if (why->fix[0])
		return;
	if (why->code == E_AUTH || why->code == E_NOTFOUND)
		err_fix(why,
			"check credentials: in the configuration, or run: gcloud auth "
			"application-default login");
	else if (why->code == E_NET || why->code == E_HTTP || why->code == E_RATE)
		err_fix(why, "what was known is kept; the next poll tries again");
}

static enum err_code poll_once(struct collector *c, const struct source *s,
	const char *project, struct collect_result *r, struct err *e)
{
	struct arena a = {0};
	struct poll p = {.source = s,
		.settings = c->settings,
		.project = project,
		.gcp = c->gcp,
		.db = c->db,
		.clock = c->clock,
		.arena = &a,
		.now = clock_now(c->clock)};
	struct err why = {0};
	enum err_code code, stored;

	if (note_past(&p, e)) {
		arena_done(&a);
		return e->code;
	}
	if (c->watch.step)
		c->watch.step(c->watch.ctx, &p, false, NULL);
	code = s->poll(&p, &why);
	if (code)
		advise(&why);
	stored = put_status(&p, code ? &why : NULL, e);
	if (c->watch.step)
		c->watch.step(c->watch.ctx, &p, true, code ? &why : NULL);
	r->polled++;
	if (code == E_DISABLED)
		r->disabled++;
	else if (code)
		r->failed++;
	else if (p.n_gaps)
		r->partial++;
	else
		r->ok++;
	r->changed = r->changed || p.changed;
	arena_done(&a);
	return stored;
}

static enum err_code poll_due(struct collector *c, const struct source *s,
	const char *project, struct collect_result *r, struct err *e)
{
	bool due;

	if (is_due(c, s, project, clock_now(c->clock), &due, e))
		return e->code;
	return due ? poll_once(c, s, project, r, e) : E_OK;
}

/* The project that owns the export table stands for the account. */
static const char *account_project(struct collector *c, struct arena *a)
{
	const char *table = c->settings->billing_table, *dot;

	if (!table)
		return NULL;
	dot = strrchr(table, '.');
	while (dot && dot > table && *--dot != '.')
		;
	return arena_strndup(a, table, (size_t)(dot - table));
}

enum err_code collect(struct collector *c, struct collect_result *result, struct err *e)
{
	struct arena a = {0};
	const char *account = account_project(c, &a);
	enum err_code rc = collect_check_names(c->only, c->n_only, e);

	memset(result, 0, sizeof(*result));
	for (size_t i = 0; !rc && i < n_sources; i++) {
		const struct source *s = sources[i];

		if (!wanted(c, s))
			continue;
		if (s->per_account) {
			if (account)
				rc = poll_due(c, s, account, result, e);
			continue;
		}
		for (size_t k = 0; !rc && k < c->settings->n_projects; k++)
			rc = poll_due(c, s, c->settings->projects[k], result, e);
	}
	arena_done(&a);
	return rc;
}

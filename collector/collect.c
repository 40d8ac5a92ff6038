#include "collector/collect.h"

#include "base/time/civil.h"
#include "base/str.h"
#include "base/strmap.h"
#include "collector/discover.h"
#include "collector/status.h"
#include "collector/unwatch.h"
#include "db_sql.h"
#include "gcp/gcp.h"

#include <stdlib.h>
#include <string.h>

/* Polls under way at the same time, and of one project: one that hangs holds up a few places
 * and delays nobody. */
#define MAX_JOBS 64
#define MAX_JOBS_OF_PROJECT 6

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

/* ---- the list of what to poll --------------------------------------------------------------- */

struct todo {
	const struct source *source;
	const char *project;
	const struct billing_export *table;
	const struct todo *after; /* to end before this one begins, or NULL */
	bool begun, ended;
	bool again; /* for the second time: what it was in conflict with may be gone */
};

struct job;

struct run {
	struct collector *c;
	struct collect_result *result;
	struct arena arena;
	const char *const *projects;
	size_t n_projects;
	struct todo *todo;
	size_t n, cap;
	size_t first; /* everything before it has begun */
	size_t jobs;  /* under way */
	bool starting;
	struct strmap busy; /* project -> index in counts */
	size_t *counts;
	struct err failed; /* trouble with the database ends everything */
};

static void add_todo(struct run *run, const struct source *s, const char *project,
	const struct billing_export *table)
{
	run->todo = arena_grow(
		&run->arena, run->todo, run->n, &run->cap, sizeof(*run->todo));
	run->todo[run->n++] = (struct todo){
		.source = s, .project = project, .table = table};
}

/* The project that owns the table; two tables of one project go by their whole names. */
static const char *table_label(struct run *run, const struct collect_settings *s, size_t i)
{
	const char *name = s->tables[i].name, *dot = strrchr(name, '.');
	size_t n;

	while (dot && dot > name && *--dot != '.')
		;
	n = dot ? (size_t)(dot - name) : 0;
	for (size_t k = 0; k < s->n_tables; k++)
		if (k != i && !strncmp(s->tables[k].name, name, n + 1))
			return name;
	return arena_strndup(&run->arena, name, n);
}

static enum err_code add_if_due(struct run *run, const struct source *s,
	const char *project, const struct billing_export *table, struct err *e)
{
	int64_t interval = run->c->interval ? run->c->interval(run->c->interval_ctx, s) : 0;
	bool due = true;

	if (run->c->interval &&
		status_due(run->c->db, s->name, project, interval, clock_now(run->c->clock),
			&due, e))
		return e->code;
	if (due)
		add_todo(run, s, project, table);
	return E_OK;
}

static enum err_code add_source(struct run *run, const struct source *s, struct err *e)
{
	const struct collect_settings *set = run->c->settings;
	enum err_code rc = E_OK;

	if (s->scope == PER_DISCOVERY)
		return E_OK; /* done before this list was made */
	if (s->scope == PER_ACCOUNT)
		return add_if_due(run, s, "", NULL, e);
	if (s->scope == PER_TABLE) {
		for (size_t i = 0; !rc && i < set->n_tables; i++)
			rc = add_if_due(
				run, s, table_label(run, set, i), &set->tables[i], e);
		return rc;
	}
	for (size_t i = 0; !rc && i < run->n_projects; i++)
		rc = add_if_due(run, s, run->projects[i], NULL, e);
	return rc;
}

/* ---- one poll ------------------------------------------------------------------------------- */

struct job {
	struct run *run;
	struct todo *todo;
	struct poll p;
	struct arena arena;
	struct err why;
	enum err_code code;
	size_t *busy; /* polls of its project under way */
};

static size_t *busy_of(struct run *run, const char *project)
{
	size_t *at = strmap_get(&run->busy, project);

	if (!at) {
		strmap_put(&run->busy, project, run->busy.n);
		at = strmap_get(&run->busy, project);
	}
	return &run->counts[*at];
}

static void count(struct collect_result *r, const struct poll *p, enum err_code code)
{
	r->polled++;
	if (code == E_DISABLED)
		r->disabled++;
	else if (code)
		r->failed++;
	else if (p->n_gaps || p->note)
		r->partial++;
	else
		r->ok++;
	r->changed = r->changed || p->changed;
}

static void drop_job(struct job *j)
{
	j->run->jobs--;
	--*j->busy;
	arena_done(&j->arena);
	free(j);
}

static void end_job(struct job *j)
{
	struct run *run = j->run;
	struct collector *c = run->c;
	struct err e = {0};

	if (j->code == E_NOTFOUND && j->p.source->optional)
		j->code = j->why.code = E_DISABLED;
	if (j->code)
		status_advise(&j->why);
	if (status_put(&j->p, j->code ? &j->why : NULL, &e) && !run->failed.code)
		run->failed = e;
	if (c->watch.step)
		c->watch.step(c->watch.ctx, &j->p, true, j->code ? &j->why : NULL);
	/* Who had nothing to ask did not find out that anything works. */
	if (j->code || j->p.source->poll || j->p.asked)
		count(run->result, &j->p, j->code);
	j->todo->ended = true;
	drop_job(j);
}

static void start_more(struct run *run);

/* All answers of this round are there. What `take` asks for may be answered before it
 * returns, so it counts as one of those that are waited for. */
static void go_on(struct job *j)
{
	struct run *run = j->run;
	struct poll *p = &j->p;
	size_t asked;

	do {
		asked = p->asked;
		p->waiting = 1;
		if (!j->code && p->source->take)
			j->code = p->source->take(p, &j->why);
		if (--p->waiting)
			return; /* another round, or what a failed one had queued */
	} while (!j->code && p->asked != asked);
	end_job(j);
	start_more(run);
}

static void on_answer(struct gcp_result *r, void *ctx)
{
	struct job *j = (struct job *)((char *)ctx - offsetof(struct job, p));

	(void)r;
	if (!--j->p.waiting)
		go_on(j);
}

static struct job *new_job(struct run *run, struct todo *t)
{
	struct collector *c = run->c;
	struct job *j = xcalloc(1, sizeof(*j));

	j->run = run;
	j->todo = t;
	j->p = (struct poll){.source = t->source,
		.settings = c->settings,
		.project = t->project,
		.table = t->table,
		.gcp = c->gcp,
		.db = c->db,
		.clock = c->clock,
		.arena = &j->arena,
		.now = clock_now(c->clock),
		.answered = on_answer};
	j->busy = busy_of(run, t->project);
	++*j->busy;
	run->jobs++;
	return j;
}

/* Two tables and the days that one of them is to leave to the other: the one that gets them may
 * come first, and is polled once more. */
static bool may_yet_work(const struct run *run, const struct todo *t, enum err_code code)
{
	return code == E_CONFLICT && t->table && !t->again &&
		run->c->settings->n_tables > 1;
}

static void begin_job(struct run *run, struct todo *t)
{
	struct collector *c = run->c;
	struct job *j = new_job(run, t);
	struct err e = {0};

	if (status_past(&j->p, &e) && !run->failed.code)
		run->failed = e;
	if (c->watch.step)
		c->watch.step(c->watch.ctx, &j->p, false, NULL);
	if (t->source->poll) {
		j->code = t->source->poll(&j->p, &j->why);
		if (may_yet_work(run, t, j->code)) {
			t->again = true;
			t->begun = false;
			drop_job(j);
		} else {
			end_job(j);
		}
		return;
	}
	/* An answer can come before `ask` returns: it waits for this one. */
	j->p.waiting = 1;
	j->code = t->source->ask(&j->p, &j->why);
	on_answer(NULL, &j->p);
}

static bool may_begin(struct run *run, const struct todo *t)
{
	return !t->begun && !t->source->poll && (!t->after || t->after->ended) &&
		*busy_of(run, t->project) < MAX_JOBS_OF_PROJECT;
}

/* Fill the free places. Polls that end at once call this again: the loop does it for them. */
static void start_more(struct run *run)
{
	if (run->starting)
		return;
	run->starting = true;
	for (size_t i = run->first; i < run->n && run->jobs < MAX_JOBS && !run->failed.code;
		i++) {
		struct todo *t = &run->todo[i];

		if (may_begin(run, t)) {
			t->begun = true;
			begin_job(run, t);
		}
		if (i == run->first && (t->begun || t->source->poll))
			run->first++;
	}
	run->starting = false;
}

/* ---- for sources ------------------------------------------------------------------------------ */

void poll_await(struct poll *p, struct gcp_result *r)
{
	r->done = p->answered;
	r->ctx = p;
	p->waiting++;
	p->asked++;
}

enum err_code poll_started(struct poll *p, enum err_code rc)
{
	if (rc)
		p->waiting--;
	return rc;
}

enum err_code poll_result(struct poll *p, const struct gcp_result *r, struct err *e)
{
	if (r->code) {
		*e = r->err;
		return r->code;
	}
	for (size_t i = 0; i < r->scopes.n; i++)
		poll_gap(p, r->scopes.incomplete[i]);
	return E_OK;
}

void poll_gap(struct poll *p, const char *location)
{
	const char **bigger;

	for (size_t i = 0; i < p->n_gaps; i++)
		if (!strcmp(p->gaps[i], location))
			return;
	bigger = arena_alloc(p->arena, (p->n_gaps + 1) * sizeof(*bigger));
	if (p->n_gaps)
		memcpy(bigger, p->gaps, p->n_gaps * sizeof(*bigger));
	bigger[p->n_gaps++] = arena_strdup(p->arena, location);
	p->gaps = bigger;
}

/* ---- a pass ------------------------------------------------------------------------------------ */

/* Only once the list is complete: it moves while it grows. */
static void link_todo(struct run *run)
{
	for (size_t i = 0; i < run->n; i++) {
		struct todo *t = &run->todo[i];

		for (size_t k = 0; t->source->after && k < i; k++)
			if (run->todo[k].source == t->source->after &&
				!strcmp(run->todo[k].project, t->project))
				t->after = &run->todo[k];
	}
}

static enum err_code list_todo(struct run *run, struct err *e)
{
	enum err_code rc = E_OK;

	for (size_t i = 0; !rc && i < n_sources; i++)
		if (wanted(run->c, sources[i]))
			rc = add_source(run, sources[i], e);
	link_todo(run);
	run->counts = arena_alloc(&run->arena, (run->n + 1) * sizeof(*run->counts));
	return rc;
}

static enum err_code poll_all(struct run *run, struct err *e)
{
	enum err_code rc;

	start_more(run);
	rc = gcp_run(run->c->gcp, e);
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; !rc && i < run->n && !run->failed.code; i++)
			if (!run->todo[i].begun) {
				run->todo[i].begun = true;
				begin_job(run, &run->todo[i]);
			}
	if (!rc && run->failed.code) {
		*e = run->failed;
		rc = run->failed.code;
	}
	return rc;
}

/* Find the projects first: everything else is asked of each of them. What was found before
 * serves when Google does not answer. */
static enum err_code find_projects(struct run *run, struct err *e)
{
	const struct collect_settings *s = run->c->settings;
	struct todo t = {.source = &source_project, .project = ""};
	enum err_code rc;

	run->projects = s->projects;
	run->n_projects = s->n_projects;
	if (!s->discovery)
		return E_OK;
	rc = add_if_due(run, t.source, t.project, NULL, e);
	if (!rc && run->n) {
		run->n = 0;
		run->counts = arena_alloc(&run->arena, sizeof(*run->counts));
		begin_job(run, &t);
		strmap_done(&run->busy);
		rc = run->failed.code;
		if (rc)
			*e = run->failed;
	}
	return rc ? rc
		  : discovered(run->c->db, s->discovery, &run->arena, &run->projects,
			    &run->n_projects, e);
}

static bool watches(void *ctx, const char *project)
{
	const struct run *run = ctx;

	for (size_t i = 0; i < run->n_projects; i++)
		if (!strcmp(run->projects[i], project))
			return true;
	return false;
}

static bool polls(void *ctx, const struct source *s, const char *project)
{
	struct run *run = ctx;
	const struct collect_settings *set = run->c->settings;

	switch (s->scope) {
	case PER_PROJECT:
		return watches(run, project);
	case PER_ACCOUNT:
		return true;
	case PER_DISCOVERY:
		return set->discovery;
	case PER_TABLE:
		for (size_t i = 0; i < set->n_tables; i++)
			if (!strcmp(table_label(run, set, i), project))
				return true;
	}
	return false;
}

static bool left_out(void *ctx, const char *project)
{
	const struct run *run = ctx;
	const struct discovery *d = run->c->settings->discovery;

	return d && *project && !discovery_wants(d, project);
}

/* Who takes a project out of the list means it. One that is only not found any more may come
 * back with the next answer: it is given a day. */
static enum err_code drop_others(struct run *run, struct err *e)
{
	ts_t now = clock_now(run->c->clock);
	struct unwatch u = {.db = run->c->db,
		.polls = polls,
		.watches = watches,
		.left_out = left_out,
		.ctx = run,
		.before = run->c->settings->discovery ? now - DAY_SECONDS : INT64_MAX};
	enum err_code rc = unwatch(&u, e);

	run->result->changed = run->result->changed || u.changed;
	return rc;
}

/* What a power cut takes of a poll is polled again; to wait for the disk after each of thousands
 * of answers would take longer than the answers do. What rests on the poll is for a disk that has it. */
static enum err_code poll_unsynced(struct run *run, struct err *e)
{
	struct db *db = run->c->db;
	struct err again = {0};
	enum err_code rc = db_wait_for_disk(db, false, e);

	if (!rc)
		rc = poll_all(run, e);
	if (db_wait_for_disk(db, true, &again) && !rc) {
		*e = again;
		rc = again.code;
	}
	return rc;
}

enum err_code collect(struct collector *c, struct collect_result *result, struct err *e)
{
	struct run run = {.c = c, .result = result};
	enum err_code rc = collect_check_names(c->only, c->n_only, e);

	memset(result, 0, sizeof(*result));
	if (!rc)
		rc = find_projects(&run, e);
	if (!rc)
		rc = drop_others(&run, e);
	if (!rc)
		rc = list_todo(&run, e);
	if (!rc)
		rc = poll_unsynced(&run, e);
	strmap_done(&run.busy);
	arena_done(&run.arena);
	return rc;
}

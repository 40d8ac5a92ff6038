#include "collector/collect.h"

#include "base/time/civil.h"
#include "base/str.h"
#include "base/strmap.h"
#include "collector/index.h"
#include "collector/source/source.h"
#include "db_sql.h"
#include "gcp/list.h"

#include <stdlib.h>
#include <string.h>

/* Maximum concurrent polls in total and per project: a poll that hangs occupies a few slots and
 * does not delay the others. */
#define MAX_JOBS 64
#define MAX_JOBS_OF_PROJECT 6

static bool collect_wanted(const struct collector *c, const struct source *s)
{
	if (!c->n_only)
		return true;
	for (size_t i = 0; i < c->n_only; i++)
		if (!strcmp(c->only[i], s->name) || !strcmp(c->only[i], s->group))
			return true;
	return false;
}

/* ---- list of polls -------------------------------------------------------------------------- */

struct todo {
	const struct source *source;
	const char *project;
	const struct billing_export *table;
	size_t place; /* of its project in run.counts */
	bool begun, ended;
	bool due;
	bool spare; /* not polled if the index shows nothing there */
	bool waits; /* for the index */
	bool again; /* second attempt: the conflict may be resolved */
};

struct job;

struct run {
	struct collector *c;
	struct collect_result *result;
	struct arena arena;
	const char *const *projects;
	size_t n_projects;
	struct strmap watched; /* the same */
	struct todo *todo;
	size_t n, cap;
	size_t first; /* all earlier polls have begun */
	size_t open;  /* those from here on wait for the index */
	size_t jobs;  /* running */
	bool starting;
	struct strmap places; /* project -> its place in counts */
	size_t *counts;       /* running polls of each project */
	struct todo **of;     /* by place, then source: the poll, or NULL */
	struct cured {        /* causes of failures that ended in this pass */
		const char **v;
		size_t n, cap;
	} cured;
	ts_t began;
	struct index index;
	uint32_t *
		waits; /* of each project: sources, as bits; NULL: the index is not asked */
	bool again; /* second round: only sources that failed with these causes before it */
	struct err failed; /* an error of the database ends the pass */
};

/* Label of a table: the project that owns it; two tables of one project use their full names. */
static const char *collect_table_label(
	struct run *run, const struct collect_settings *s, size_t i)
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

/* Did the source fail, before this pass, with a cause that ended in it for another one? */
static enum err_code collect_is_cured(struct run *run, const struct source *s,
	const char *project, bool *cured, struct err *e)
{
	struct q_source_state_in in = {.source = s->name, .project = project};
	struct q_source_state row;
	bool found;

	*cured = false;
	if (q_source_state_one(run->c->db, &in, &run->arena, &row, &found, e))
		return e->code;
	*cured = found && row.error && !strcmp(row.state, "failed") &&
		(row.last_attempt < run->began ||
			row.last_attempt > clock_now(run->c->clock)) &&
		str_in(run->c->cause(row.error, &run->arena), run->cured.v, run->cured.n);
	return E_OK;
}

static enum err_code collect_is_due(struct run *run, const struct source *s,
	const char *project, bool *due, struct err *e)
{
	int64_t interval = run->c->interval ? run->c->interval(run->c->interval_ctx, s) : 0;
	int64_t round = s->per_minute ? (int64_t)run->n_projects * 60 / s->per_minute : 0;

	if (interval < round)
		interval = round; /* none is due again before all others were polled */
	*due = true;
	if (run->again)
		return collect_is_cured(run, s, project, due, e);
	return run->c->interval ? status_due(run->c->db, s->name, project, interval,
					  clock_now(run->c->clock), due, e)
				: E_OK;
}

static void collect_add(struct run *run, struct todo t)
{
	if (t.due || t.spare)
		*arena_append(&run->arena, run->todo, run->n, run->cap) = t;
}

static enum err_code collect_add_if_due(struct run *run, const struct source *s,
	const char *project, const struct billing_export *table, struct err *e)
{
	struct todo t = {.source = s, .project = project, .table = table};

	if (collect_is_due(run, s, project, &t.due, e))
		return e->code;
	collect_add(run, t);
	return E_OK;
}

static size_t collect_number(const struct source *s)
{
	size_t i = 0;

	while (sources[i] != s)
		i++;
	return i;
}

/* `collect` polls all that it is asked for, whatever the index shows. Nothing waits for a search that failed before. */
static enum err_code collect_add_index(struct run *run, struct err *e)
{
	const struct discovery *d = run->c->settings->discovery;
	struct q_source_state_in in = {.source = source_index.name, .project = ""};
	struct q_source_state row;
	bool found;

	if (!d || !d->scope || (!run->c->interval && !run->c->n_only))
		return E_OK;
	if (collect_add_if_due(run, &source_index, "", NULL, e))
		return e->code;
	if (!run->n)
		return E_OK;
	if (q_source_state_one(run->c->db, &in, &run->arena, &row, &found, e))
		return e->code;
	if (run->c->interval && !(found && !strcmp(row.state, "failed")))
		run->waits = arena_alloc(
			&run->arena, (run->n_projects + 1) * sizeof(*run->waits));
	return index_begin(&run->index, run->c->db, &run->watched, clock_now(run->c->clock),
		&run->arena, e);
}

/* A poll waits for the index if that may make it needless, or if it depends on such a poll. All that the index shows
 * to be empty are due again together, at the time of the next search. */
static enum err_code collect_add_of_project(
	struct run *run, const struct source *s, size_t place, struct err *e)
{
	struct todo t = {.source = s, .project = run->projects[place]};

	if (collect_is_due(run, s, t.project, &t.due, e))
		return e->code;
	if (run->waits) {
		if (index_may_spare(
			    &run->index, run->c->db, s, t.project, place, &t.spare, e))
			return e->code;
		t.waits = t.spare;
		for (int i = 0; i < SOURCE_AFTER && s->after[i]; i++)
			t.waits = t.waits ||
				run->waits[place] >> collect_number(s->after[i]) & 1;
		run->waits[place] |= (uint32_t)t.waits << collect_number(s);
	}
	collect_add(run, t);
	return E_OK;
}

static enum err_code collect_add_source(
	struct run *run, const struct source *s, struct err *e)
{
	const struct collect_settings *set = run->c->settings;
	bool set_apart = run->c->interval && s->per_minute;
	enum err_code rc = E_OK;
	size_t first;

	if (s->scope == PER_DISCOVERY)
		return E_OK; /* found before this list was built */
	if (s->scope == PER_SCOPE)
		return collect_add_index(run, e);
	if (s->scope == PER_ACCOUNT)
		return collect_add_if_due(run, s, "", NULL, e);
	if (s->scope == PER_TABLE) {
		for (size_t i = 0; !rc && i < set->n_tables; i++)
			rc = collect_add_if_due(run, s, collect_table_label(run, set, i),
				&set->tables[i], e);
		return rc;
	}
	first = run->n;
	for (size_t i = 0; !rc && i < run->n_projects; i++) {
		if (set_apart && run->n - first >= (size_t)s->per_minute)
			break;
		rc = collect_add_of_project(run, s, i, e);
	}
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
	size_t *busy; /* running polls of its project */
};

static void collect_count(
	struct collect_result *r, const struct poll *p, enum err_code code)
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

static void collect_drop_job(struct job *j)
{
	j->run->jobs--;
	--*j->busy;
	arena_done(&j->arena);
	free(j);
}

/* The cause of the previous failure has ended, also if another one came in its place. */
static void collect_end_cause(struct job *j)
{
	struct run *run = j->run;
	const struct collector *c = run->c;
	const char *was;

	if (!c->cause || !j->p.was_failed || !j->p.was_error)
		return;
	was = c->cause(j->p.was_error, &run->arena);
	if (!j->code || strcmp(was, c->cause(j->why.msg, &run->arena)) != 0)
		*arena_push(&run->arena, &run->cured) = arena_strdup(&run->arena, was);
}

/* The search has ended: if every page was read, projects in which it shows nothing are not asked. */
static enum err_code collect_open(struct run *run, bool complete, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(run->c->db, &tx, e))
		return e->code;
	for (size_t i = run->open; i < run->n; i++) {
		struct todo *t = &run->todo[i];
		bool empty = t->spare && complete &&
			!index_has(&run->index, t->source,
				*strmap_get(&run->watched, t->project));

		if (empty && index_empty(&run->index, run->c->db, t->source, t->project, e))
			return e->code;
		t->begun = t->ended = empty || !t->due;
	}
	run->open = run->n;
	return db_commit(&tx, e);
}

static void collect_end_job(struct job *j)
{
	struct run *run = j->run;
	struct collector *c = run->c;
	struct err e = {0};

	if (!j->code && !j->p.asked)
		j->code = status_inherit(&j->p, &j->why);
	if ((j->code == E_NOTFOUND && j->p.source->optional) ||
		(j->code == E_DENIED && j->p.source->newer && !j->p.was_read))
		j->code = j->why.code = E_DISABLED;
	if (j->code) {
		status_unanswered(&j->p, &j->why);
		j->code = j->why.code;
		status_advise(&j->why);
	}
	collect_end_cause(j);
	/* A configured table is in use, so its API is missing, not unused. */
	if (j->code == E_DISABLED && j->p.source->scope == PER_TABLE)
		j->code = j->why.code = E_DENIED;
	if (status_put(&j->p, j->code ? &j->why : NULL, &e) && !run->failed.code)
		run->failed = e;
	if (j->p.source == &source_index && collect_open(run, !j->code, &e) &&
		!run->failed.code)
		run->failed = e;
	if (c->watch.step)
		c->watch.step(c->watch.ctx, &j->p, true, j->code ? &j->why : NULL);
	/* A poll that requested nothing does not show that the API works. */
	if (j->code || j->p.source->poll || j->p.asked)
		collect_count(run->result, &j->p, j->code);
	j->todo->ended = true;
	collect_drop_job(j);
}

static void collect_start_more(struct run *run);

/* All responses of this round have arrived. Requests of `take` may be answered before it returns,
 * so `take` itself counts as one that is pending. */
static void collect_go_on(struct job *j)
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
			return; /* another round, or requests queued by a failed one */
	} while (!j->code && p->asked != asked);
	collect_end_job(j);
	collect_start_more(run);
}

static void collect_on_answer(struct gcp_result *r, void *ctx)
{
	struct job *j = (struct job *)((char *)ctx - offsetof(struct job, p));

	(void)r;
	if (!--j->p.waiting)
		collect_go_on(j);
}

static struct job *collect_new_job(struct run *run, struct todo *t)
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
		.index = &run->index,
		.answered = collect_on_answer};
	j->busy = &run->counts[t->place];
	++*j->busy;
	run->jobs++;
	return j;
}

/* Two tables, and days that one of them must leave to the other: the one that gets the days may
 * come first, and is polled once more. */
static bool collect_may_yet_work(
	const struct run *run, const struct todo *t, enum err_code code)
{
	return code == E_CONFLICT && t->table && !t->again &&
		run->c->settings->n_tables > 1;
}

static void collect_begin_job(struct run *run, struct todo *t)
{
	struct collector *c = run->c;
	struct job *j = collect_new_job(run, t);
	struct err e = {0};

	if (status_past(&j->p, &e) && !run->failed.code)
		run->failed = e;
	if (c->watch.step)
		c->watch.step(c->watch.ctx, &j->p, false, NULL);
	if (t->source->poll) {
		j->code = t->source->poll(&j->p, &j->why);
		if (collect_may_yet_work(run, t, j->code)) {
			t->again = true;
			t->begun = false;
			collect_drop_job(j);
		} else {
			collect_end_job(j);
		}
		return;
	}
	/* A response can arrive before `ask` returns: it waits for this poll. */
	j->p.waiting = 1;
	j->code = t->source->ask(&j->p, &j->why);
	collect_on_answer(NULL, &j->p);
}

/* A source that this pass does not poll is not waited for. */
static bool collect_may_begin(const struct run *run, const struct todo *t)
{
	if (t->begun || t->source->poll || run->counts[t->place] >= MAX_JOBS_OF_PROJECT)
		return false;
	for (int i = 0; i < SOURCE_AFTER && t->source->after[i]; i++) {
		const struct todo *first =
			run->of[t->place * n_sources + collect_number(t->source->after[i])];

		if (first && !first->ended)
			return false;
	}
	return true;
}

/* Fills the free slots. Polls that end at once call this again; the loop handles that. */
static void collect_start_more(struct run *run)
{
	if (run->starting)
		return;
	run->starting = true;
	for (size_t i = run->first;
		i < run->open && run->jobs < MAX_JOBS && !run->failed.code; i++) {
		struct todo *t = &run->todo[i];

		if (collect_may_begin(run, t)) {
			t->begun = true;
			collect_begin_job(run, t);
		}
		if (i == run->first && (t->begun || t->source->poll))
			run->first++;
	}
	run->starting = false;
}

/* ---- one pass ---------------------------------------------------------------------------------- */

/* Those that wait for the index come last, in the same order. */
static void collect_part_todo(struct run *run)
{
	struct todo *late = arena_alloc(&run->arena, (run->n + 1) * sizeof(*late));
	size_t n = 0;

	run->open = 0;
	for (size_t i = 0; i < run->n; i++)
		if (run->todo[i].waits)
			late[n++] = run->todo[i];
		else
			run->todo[run->open++] = run->todo[i];
	if (n)
		memcpy(&run->todo[run->open], late, n * sizeof(*late));
}

/* Only when the list is complete: it moves while it grows. */
static void collect_link_todo(struct run *run)
{
	strmap_done(&run->places);
	for (size_t i = 0; i < run->n; i++) {
		struct todo *t = &run->todo[i];

		strmap_put(&run->places, t->project, run->places.n);
		t->place = *strmap_get(&run->places, t->project);
	}
	run->counts = arena_alloc(&run->arena, run->places.n * sizeof(*run->counts));
	run->of = arena_alloc(
		&run->arena, run->places.n * n_sources * sizeof(struct todo *));
	for (size_t i = 0; i < run->n; i++) {
		struct todo *t = &run->todo[i];

		run->of[t->place * n_sources + collect_number(t->source)] = t;
	}
}

static enum err_code collect_list_todo(struct run *run, struct err *e)
{
	enum err_code rc = E_OK;

	index_done(&run->index);
	run->waits = NULL;
	for (size_t i = 0; !rc && i < n_sources; i++)
		if (collect_wanted(run->c, sources[i]))
			rc = collect_add_source(run, sources[i], e);
	collect_part_todo(run);
	collect_link_todo(run);
	return rc;
}

static enum err_code collect_poll_all(struct run *run, struct err *e)
{
	enum err_code rc;

	collect_start_more(run);
	rc = gcp_run(run->c->gcp, e);
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; !rc && i < run->n && !run->failed.code; i++)
			if (!run->todo[i].begun) {
				run->todo[i].begun = true;
				collect_begin_job(run, &run->todo[i]);
			}
	if (!rc && run->failed.code) {
		*e = run->failed;
		rc = run->failed.code;
	}
	return rc;
}

/* Discovers the projects first, because all other sources are read per project. If Google is
 * unreachable, the known projects are used. */
static enum err_code collect_find_projects(struct run *run, struct err *e)
{
	const struct collect_settings *s = run->c->settings;
	struct todo t = {.source = &source_project, .project = ""};
	enum err_code rc;

	run->projects = s->projects;
	run->n_projects = s->n_projects;
	if (!s->discovery)
		return E_OK;
	rc = collect_add_if_due(run, t.source, t.project, NULL, e);
	if (!rc && run->n) {
		run->n = 0;
		run->counts = arena_alloc(&run->arena, sizeof(*run->counts));
		collect_begin_job(run, &t);
		rc = run->failed.code;
		if (rc)
			*e = run->failed;
	}
	return rc ? rc
		  : discovered(run->c->db, s->discovery, &run->arena, &run->projects,
			    &run->n_projects, e);
}

/* ---- removed projects and tables ----------------------------------------------------------------- */

/* Projects and tables that were removed from the configuration, or are no longer discovered. Their
 * state is no longer updated, so they are not shown as existing, nor as failing sources. Their
 * history stays. */

static bool collect_watches(const struct run *run, const char *project)
{
	return strmap_get(&run->watched, project);
}

/* Reports whether this source is polled in this project, or for the table with this label. */
static bool collect_polls(struct run *run, const struct source *s, const char *project)
{
	const struct collect_settings *set = run->c->settings;

	switch (s->scope) {
	case PER_PROJECT:
		return collect_watches(run, project);
	case PER_ACCOUNT:
		return true;
	case PER_DISCOVERY:
		return set->discovery;
	case PER_SCOPE:
		return set->discovery && set->discovery->scope;
	case PER_TABLE:
		for (size_t i = 0; i < set->n_tables; i++)
			if (!strcmp(collect_table_label(run, set, i), project))
				return true;
	}
	return false;
}

/* A project that was removed from the list is removed at once. A project that is no longer
 * discovered may be in the next response: it has one day. */
static bool collect_is_over(const struct run *run, const char *project, ts_t last)
{
	const struct discovery *d = run->c->settings->discovery;

	return !d || last < clock_now(run->c->clock) - DAY_SECONDS ||
		(*project && !discovery_wants(d, project));
}

static enum err_code collect_drop_projects(struct run *run, struct err *e)
{
	struct q_inventory_projects row;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (q_inventory_projects_open(run->c->db, &rows, e))
		return e->code;
	while (!rc && q_inventory_projects_next(&rows, &row)) {
		struct q_project_drop_in drop = {.project = row.project};

		if (!collect_is_over(run, row.project, row.last_seen) ||
			collect_watches(run, row.project))
			continue;
		run->result->changed = true;
		rc = q_project_drop(run->c->db, &drop, e);
	}
	return db_rows_end(&rows, rc, e);
}

static enum err_code collect_drop_sources(struct run *run, struct err *e)
{
	struct q_source_list row;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (q_source_list_open(run->c->db, &rows, e))
		return e->code;
	while (!rc && q_source_list_next(&rows, &row)) {
		const struct source *s = source_find(row.source);
		struct q_source_drop_in drop = {
			.source = row.source, .project = row.project};

		/* of another part of the program */
		if (!strcmp(row.poll_group, COLLECT_PUBLISH))
			continue;
		if (collect_is_over(run, row.project, row.last_attempt) &&
			!(s && collect_polls(run, s, row.project)))
			rc = q_source_drop(run->c->db, &drop, e);
	}
	return db_rows_end(&rows, rc, e);
}

static enum err_code collect_drop_others(struct run *run, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(run->c->db, &tx, e) || collect_drop_projects(run, e) ||
		collect_drop_sources(run, e))
		return e->code;
	return db_commit(&tx, e);
}

/* ---- whole pass ---------------------------------------------------------------------------------- */

/* Data of a poll that a power failure loses is polled again. Waiting for the disk after each of
 * thousands of responses would take longer than the responses. Data that depends on the poll waits
 * for the disk. */
static enum err_code collect_poll_unsynced(struct run *run, struct err *e)
{
	struct db *db = run->c->db;
	struct err again = {0};
	enum err_code rc = db_wait_for_disk(db, false, e);

	if (!rc)
		rc = collect_poll_all(run, e);
	if (db_wait_for_disk(db, true, &again) && !rc) {
		*e = again;
		rc = again.code;
	}
	return rc;
}

/* Sources that failed with a cause that has ended are polled in a second round: their turn may be hours away. */
static enum err_code collect_round(struct run *run, struct err *e)
{
	run->n = run->first = 0;
	if (collect_find_projects(run, e))
		return e->code;
	strmap_done(&run->watched);
	for (size_t i = 0; i < run->n_projects; i++)
		strmap_put(&run->watched, run->projects[i], i);
	if (collect_drop_others(run, e) || collect_list_todo(run, e))
		return e->code;
	return run->n ? collect_poll_unsynced(run, e) : E_OK;
}

enum err_code collect(struct collector *c, struct collect_result *result, struct err *e)
{
	struct run run = {.c = c, .result = result, .began = clock_now(c->clock)};
	bool failed;

	memset(result, 0, sizeof(*result));
	failed = collect_check_names(c->only, c->n_only, e) || collect_round(&run, e);
	run.again = run.cured.n;
	failed = failed || (run.again && collect_round(&run, e)) ||
		(result->ok && q_source_clock_set(c->db, e));
	strmap_done(&run.places);
	strmap_done(&run.watched);
	index_done(&run.index);
	arena_done(&run.arena);
	return failed ? e->code : E_OK;
}

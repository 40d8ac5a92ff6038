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

/* ---- polls of a pass --------------------------------------------------------------------------- */

/* A project, the billing table with this label, or "" for sources of the whole account. The polls of a pass there are
 * bits: 1 << k is sources[k]. */
struct place {
	const char *project;
	const struct billing_export *table;
	uint32_t due;
	uint32_t spare; /* not polled if the index shows nothing there */
	uint32_t waits; /* for the index */
	uint32_t begun, ended;
	uint32_t again; /* second attempt: the conflict may be resolved */
	uint32_t running;
};

struct run {
	struct collector *c;
	struct collect_result *result;
	struct arena arena;
	const char *const *projects;
	size_t n_projects;
	struct strmap watched; /* project -> its place */
	struct place *places;  /* the projects, "", the tables */
	size_t n_places;
	size_t polls; /* to make */
	size_t first; /* all earlier ones have begun: see collect_start_more */
	bool asks_index, index_ended;
	size_t jobs; /* running */
	bool starting;
	struct cured { /* causes of failures that ended in this pass */
		const char **v;
		size_t n, cap;
	} cured;
	ts_t began;
	struct index index;
	bool again; /* second round: only sources that failed with these causes before it */
	struct err failed; /* an error of the database ends the pass */
};

static bool has_bit(uint32_t bits, size_t k)
{
	return bits >> k & 1;
}

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

static void collect_set_places(struct run *run)
{
	const struct collect_settings *set = run->c->settings;
	struct place *p;

	run->n_places = run->n_projects + 1 + set->n_tables;
	p = run->places = arena_alloc(&run->arena, run->n_places * sizeof(*p));
	strmap_done(&run->watched);
	for (size_t i = 0; i < run->n_projects; i++, p++) {
		p->project = run->projects[i];
		strmap_put(&run->watched, p->project, i);
	}
	p++->project = "";
	for (size_t i = 0; i < set->n_tables; i++, p++) {
		p->project = collect_table_label(run, set, i);
		p->table = &set->tables[i];
	}
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

static enum err_code collect_add_if_due(
	struct run *run, struct place *p, size_t k, struct err *e)
{
	bool due;

	if (collect_is_due(run, sources[k], p->project, &due, e))
		return e->code;
	p->due |= (uint32_t)due << k;
	run->polls += due;
	return E_OK;
}

static size_t collect_number(const struct source *s)
{
	size_t k = 0;

	while (sources[k] != s)
		k++;
	return k;
}

/* `collect` polls all that it is asked for, whatever the index shows. Nothing waits for a search that failed before. */
static enum err_code collect_add_index(
	struct run *run, struct place *all, size_t k, struct err *e)
{
	const struct discovery *d = run->c->settings->discovery;
	struct q_source_state_in in = {.source = source_index.name, .project = ""};
	struct q_source_state row;
	bool found;

	if (!d || !d->scope || (!run->c->interval && !run->c->n_only))
		return E_OK;
	if (collect_add_if_due(run, all, k, e))
		return e->code;
	if (!has_bit(all->due, k))
		return E_OK;
	if (q_source_state_one(run->c->db, &in, &run->arena, &row, &found, e))
		return e->code;
	run->asks_index = run->c->interval && !(found && !strcmp(row.state, "failed"));
	return index_begin(&run->index, run->c->db, &run->watched, clock_now(run->c->clock),
		&run->arena, e);
}

/* A poll waits for the index if that may make it needless, or if it depends on such a poll. All that the index shows
 * to be empty are due again together, at the time of the next search. */
static enum err_code collect_add_of_project(
	struct run *run, struct place *p, size_t k, struct err *e)
{
	const struct source *s = sources[k];
	bool spare = false, waits;

	if (collect_add_if_due(run, p, k, e))
		return e->code;
	if (!run->asks_index)
		return E_OK;
	if (index_may_spare(&run->index, run->c->db, s, p->project,
		    (size_t)(p - run->places), &spare, e))
		return e->code;
	waits = spare;
	for (int i = 0; i < SOURCE_AFTER && s->after[i]; i++)
		waits = waits || has_bit(p->waits, collect_number(s->after[i]));
	run->polls += spare && !has_bit(p->due, k);
	p->spare |= (uint32_t)spare << k;
	p->waits |= (uint32_t)waits << k;
	return E_OK;
}

static enum err_code collect_add_source(struct run *run, size_t k, struct err *e)
{
	const struct source *s = sources[k];
	struct place *all = &run->places[run->n_projects];
	bool set_apart = run->c->interval && s->per_minute;
	size_t before = run->polls;
	enum err_code rc = E_OK;

	switch (s->scope) {
	case PER_DISCOVERY:
		break; /* found before this list was built */
	case PER_SCOPE:
		return collect_add_index(run, all, k, e);
	case PER_ACCOUNT:
		if (run->c->settings->only_files && !run->c->n_only)
			break;
		return collect_add_if_due(run, all, k, e);
	case PER_TABLE:
		for (size_t i = 1; !rc && i <= run->c->settings->n_tables; i++)
			rc = collect_add_if_due(run, &all[i], k, e);
		break;
	case PER_PROJECT:
		for (size_t i = 0; !rc && i < run->n_projects; i++) {
			if (set_apart && run->polls - before >= (size_t)s->per_minute)
				break;
			rc = collect_add_of_project(run, &run->places[i], k, e);
		}
	}
	return rc;
}

/* ---- one poll ------------------------------------------------------------------------------- */

struct job {
	struct run *run;
	struct place *place;
	struct poll p;
	struct arena arena;
	struct err why;
	enum err_code code;
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
	j->place->running--;
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
static enum err_code collect_end_index(struct run *run, bool complete, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(run->c->db, &tx, e))
		return e->code;
	for (size_t i = 0; i < run->n_projects; i++) {
		struct place *p = &run->places[i];

		for (size_t k = 0; k < n_sources; k++) {
			bool empty = complete && has_bit(p->spare, k) &&
				!index_has(&run->index, sources[k], i);

			if (empty &&
				index_empty(
					&run->index, run->c->db, sources[k], p->project, e))
				return e->code;
			p->due &= ~((uint32_t)empty << k);
		}
		p->spare = 0;
	}
	run->index_ended = true;
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
	if (j->p.source == &source_index && collect_end_index(run, !j->code, &e) &&
		!run->failed.code)
		run->failed = e;
	if (c->watch.step)
		c->watch.step(c->watch.ctx, &j->p, true, j->code ? &j->why : NULL);
	/* A poll that requested nothing does not show that the API works. */
	if (j->code || j->p.source->poll || j->p.asked)
		collect_count(run->result, &j->p, j->code);
	j->place->ended |= UINT32_C(1) << collect_number(j->p.source);
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

static struct job *collect_new_job(struct run *run, struct place *place, size_t k)
{
	struct collector *c = run->c;
	struct job *j = xcalloc(1, sizeof(*j));

	j->run = run;
	j->place = place;
	j->p = (struct poll){.source = sources[k],
		.settings = c->settings,
		.project = place->project,
		.table = place->table,
		.gcp = c->gcp,
		.db = c->db,
		.clock = c->clock,
		.arena = &j->arena,
		.now = clock_now(c->clock),
		.index = &run->index,
		.answered = collect_on_answer};
	place->running++;
	run->jobs++;
	return j;
}

/* Two tables, and days that one of them must leave to the other: the one that gets the days may
 * come first, and is polled once more. */
static bool collect_may_yet_work(
	const struct run *run, const struct place *place, size_t k, enum err_code code)
{
	return code == E_CONFLICT && place->table && !has_bit(place->again, k) &&
		run->c->settings->n_tables > 1;
}

static void collect_begin_job(struct run *run, struct place *place, size_t k)
{
	struct collector *c = run->c;
	struct job *j = collect_new_job(run, place, k);
	struct err e = {0};

	place->begun |= UINT32_C(1) << k;
	if (status_past(&j->p, &e) && !run->failed.code)
		run->failed = e;
	if (c->watch.step)
		c->watch.step(c->watch.ctx, &j->p, false, NULL);
	if (sources[k]->poll) {
		j->code = sources[k]->poll(&j->p, &j->why);
		if (collect_may_yet_work(run, place, k, j->code)) {
			place->again |= UINT32_C(1) << k;
			place->begun &= ~(UINT32_C(1) << k);
			collect_drop_job(j);
		} else {
			collect_end_job(j);
		}
		return;
	}
	/* A response can arrive before `ask` returns: it waits for this poll. */
	j->p.waiting = 1;
	j->code = sources[k]->ask(&j->p, &j->why);
	collect_on_answer(NULL, &j->p);
}

/* Is it to be begun, by this half of collect_start_more? */
static bool collect_is_open(const struct place *place, size_t k, bool late)
{
	return has_bit((place->due | place->spare) & ~place->begun, k) &&
		has_bit(place->waits, k) == late && !sources[k]->poll;
}

/* A source that this pass does not poll is not waited for. */
static bool collect_may_begin(const struct place *place, size_t k)
{
	if (place->running >= MAX_JOBS_OF_PROJECT)
		return false;
	for (int i = 0; i < SOURCE_AFTER && sources[k]->after[i]; i++)
		if (has_bit((place->due | place->spare) & ~place->ended,
			    collect_number(sources[k]->after[i])))
			return false;
	return true;
}

/* Fills the free slots: one source after the other, each in all places; then the same for those that waited for the
 * index. Polls that end at once call this again; the loop handles that. */
static void collect_start_more(struct run *run)
{
	const size_t all = n_sources * run->n_places;

	if (run->starting)
		return;
	run->starting = true;
	for (size_t i = run->first; i < (run->index_ended ? 2 * all : all) &&
		run->jobs < MAX_JOBS && !run->failed.code;
		i++) {
		struct place *place = &run->places[i % run->n_places];
		size_t k = i / run->n_places % n_sources;
		bool open = collect_is_open(place, k, i >= all);

		if (open && collect_may_begin(place, k)) {
			collect_begin_job(run, place, k);
			open = false;
		}
		if (i == run->first && !open)
			run->first++;
	}
	run->starting = false;
}

/* ---- one pass ---------------------------------------------------------------------------------- */

static enum err_code collect_list_polls(struct run *run, struct err *e)
{
	enum err_code rc = E_OK;

	index_done(&run->index);
	run->asks_index = run->index_ended = false;
	for (size_t k = 0; !rc && k < n_sources; k++)
		if (collect_wanted(run->c, sources[k]))
			rc = collect_add_source(run, k, e);
	return rc;
}

static enum err_code collect_poll_all(struct run *run, struct err *e)
{
	enum err_code rc;

	collect_start_more(run);
	rc = gcp_run(run->c->gcp, e);
	for (size_t i = 0; !rc && i < 2 * n_sources * run->n_places && !run->failed.code;
		i++) {
		struct place *place = &run->places[i % run->n_places];
		size_t k = i / run->n_places % n_sources;

		if (sources[k]->poll && has_bit(place->due & ~place->begun, k))
			collect_begin_job(run, place, k);
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
	struct place all = {.project = ""};
	enum err_code rc;

	run->projects = s->projects;
	run->n_projects = s->n_projects;
	if (!s->discovery)
		return E_OK;
	rc = collect_add_if_due(run, &all, collect_number(&source_project), e);
	if (!rc && all.due) {
		collect_begin_job(run, &all, collect_number(&source_project));
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
static bool collect_polls(
	const struct run *run, const struct source *s, const char *project)
{
	const struct collect_settings *set = run->c->settings;

	switch (s->scope) {
	case PER_PROJECT:
		return collect_watches(run, project);
	case PER_ACCOUNT:
		return !set->only_files;
	case PER_DISCOVERY:
		return set->discovery;
	case PER_SCOPE:
		return set->discovery && set->discovery->scope;
	case PER_TABLE:
		for (size_t i = run->n_projects + 1; i < run->n_places; i++)
			if (!strcmp(run->places[i].project, project))
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
		if (str_in_list(row.source, COLLECT_OTHERS))
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
	if (collect_find_projects(run, e))
		return e->code;
	run->polls = run->first = 0;
	collect_set_places(run);
	if (collect_drop_others(run, e) || collect_list_polls(run, e))
		return e->code;
	return run->polls ? collect_poll_unsynced(run, e) : E_OK;
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
	strmap_done(&run.watched);
	index_done(&run.index);
	arena_done(&run.arena);
	return failed ? e->code : E_OK;
}

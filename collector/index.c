#include "collector/index.h"

#include "base/str.h"
#include "base/time/civil.h"
#include "db_sql.h"
#include "gcp/compute/compute.h"

#include <string.h>

/* A project is asked again after three to six hours, each after another time: they are not all due in one pass. */
#define SOONEST (3 * HOUR_SECONDS)
#define SPREAD (3 * HOUR_SECONDS)
#define SHOWN_BY HOUR_SECONDS /* after so long the index must show a resource */

/* ---- what is known without it ---------------------------------------------------------------- */

static unsigned char index_of_source(const char *source)
{
	return str_eq(source, "bucket")      ? INDEX_BUCKETS
		: str_eq(source, "snapshot") ? INDEX_SNAPSHOTS
					     : INDEX_MACHINES;
}

/* A project whose number is not known, or is that of another one too, is not found in the index. */
static enum err_code index_read_numbers(
	struct index *x, struct db *db, const struct strmap *places, struct err *e)
{
	struct q_project_numbers row;
	struct db_rows rows;

	if (q_project_numbers_open(db, &rows, e))
		return e->code;
	while (q_project_numbers_next(&rows, &row)) {
		const size_t *place = strmap_get(places, row.project);

		if (place && *row.number && strmap_put(&x->numbers, row.number, *place))
			x->may[*place] = 0;
	}
	return db_rows_close(&rows, e);
}

enum err_code index_begin(struct index *x, struct db *db, const struct strmap *places,
	ts_t now, struct arena *a, struct err *e)
{
	struct q_index_known row;
	struct db_rows rows;

	*x = (struct index){.n = places->n, .at = now};
	x->may = arena_alloc(a, x->n + 1);
	memset(x->may, INDEX_ALL, x->n);
	if (index_read_numbers(x, db, places, e) || q_index_known_open(db, &rows, e))
		return e->code;
	while (q_index_known_next(&rows, &row)) {
		const size_t *place = strmap_get(places, row.project);

		if (!place)
			continue;
		x->may[*place] |= index_of_source(row.source);
		x->known = x->known || (row.since && row.since < now - SHOWN_BY);
	}
	return db_rows_close(&rows, e);
}

void index_done(struct index *x)
{
	strmap_done(&x->numbers);
}

/* ---- the search ------------------------------------------------------------------------------ */

static void index_found(void *ctx, const char *number, enum asset_kind kind)
{
	static const unsigned char of[] = {[ASSET_MACHINE] = INDEX_MACHINES,
		[ASSET_SNAPSHOT] = INDEX_SNAPSHOTS,
		[ASSET_BUCKET] = INDEX_BUCKETS};
	struct poll *p = ctx;
	const size_t *place = strmap_get(&p->index->numbers, number);

	p->items++;
	if (place)
		p->index->may[*place] |= of[kind];
}

static enum err_code index_ask(struct poll *p, struct err *e)
{
	struct asset_search *s = arena_new(p->arena, struct asset_search);

	p->index->at = p->now;
	p->state = s;
	s->found = index_found;
	s->ctx = p;
	poll_await(p, &s->none.r);
	return poll_started(p,
		asset_search_start(p->gcp, p->settings->discovery->scope, p->arena, s, e));
}

static enum err_code index_take(struct poll *p, struct err *e)
{
	const struct asset_search *s = p->state;

	if (poll_result(p, &s->none.r, e))
		return e->code;
	if (!p->items && p->index->known)
		return err_set(e, E_DATA,
			"search resources: none was found, but polls of the projects "
			"found some");
	return E_OK;
}

const struct source source_index = {
	.name = "index",
	.group = "instances",
	.doc = "the projects of an organization or folder that have resources",
	.scope = PER_SCOPE,
	.ask = index_ask,
	.take = index_take,
};

/* ---- what it decides ------------------------------------------------------------------------- */

bool index_has(const struct index *x, const struct source *s, size_t place)
{
	return x->may[place] & s->index;
}

enum err_code index_may_spare(const struct index *x, struct db *db, const struct source *s,
	const char *project, size_t place, bool *may, struct err *e)
{
	struct q_source_asked_in in = {.source = s->name, .project = project};
	ts_t until = x->at - SOONEST - SPREAD * (int64_t)place / (int64_t)x->n;
	struct q_source_asked row;
	bool found;

	*may = false;
	if (!s->index || index_has(x, s, place))
		return E_OK;
	if (q_source_asked_one(db, &in, NULL, &row, &found, e))
		return e->code;
	*may = found && row.asked > until && row.asked <= x->at;
	return E_OK;
}

enum err_code index_empty(const struct index *x, struct db *db, const struct source *s,
	const char *project, struct err *e)
{
	struct q_source_empty_in in = {.source = s->name, .project = project, .at = x->at};

	return q_source_empty(db, &in, e);
}

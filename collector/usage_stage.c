#include "collector/usage_stage.h"

#include "db_sql.h"

#include <string.h>

#define BATCH 5000

enum err_code usage_stage_open(struct usage_stage *s, struct db *db, struct err *e)
{
	*s = (struct usage_stage){.db = db};
	return q_stage_clear(db, e);
}

void usage_stage_close(struct usage_stage *s)
{
	usage_dims_done(&s->dims);
	arena_done(&s->texts);
}

static void empty_batch(struct usage_stage *s)
{
	arena_done(&s->texts);
	s->v = NULL;
	s->n = 0;
}

enum err_code usage_stage_clear(struct usage_stage *s, struct err *e)
{
	empty_batch(s);
	s->lines = 0;
	return q_stage_clear(s->db, e);
}

/* Lines come in some order, so most of their texts repeat what the line before had. */
static void keep_texts(
	struct usage_stage *s, struct usage_line *l, struct usage_line *before)
{
	for (size_t i = 0; i < USAGE_TEXTS; i++) {
		const char **at = usage_text(l, i);
		const char *was = before ? *usage_text(before, i) : NULL;

		*at = was && !strcmp(was, *at) ? was : arena_strdup(&s->texts, *at);
	}
}

enum err_code usage_stage_add(
	struct usage_stage *s, const struct usage_line *line, struct err *e)
{
	if (s->n == BATCH && usage_stage_flush(s, e))
		return e->code;
	if (!s->v)
		s->v = arena_alloc(&s->texts, BATCH * sizeof(*s->v));
	s->v[s->n] = *line;
	keep_texts(s, &s->v[s->n], s->n ? &s->v[s->n - 1] : NULL);
	s->n++;
	s->lines++;
	return E_OK;
}

static enum err_code put_line(struct usage_stage *s, const struct usage_line *l,
	const struct usage_refs *r, struct err *e)
{
	struct q_stage_put_in in = {.unit = l->unit,
		.hour = l->hour,
		.sku_ref = r->sku,
		.project_ref = r->project,
		.place_ref = r->place,
		.resource_ref = r->resource,
		.charge_ref = r->charge,
		.credit_ref = r->credit,
		.usage = l->usage,
		.cost = l->cost,
		.credits = l->credits,
		.row_count = l->rows};

	return q_stage_put(s->db, &in, e);
}

static enum err_code put_batch(struct usage_stage *s, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct usage_refs refs;

	if (db_begin(s->db, &tx, e))
		return e->code;
	for (size_t i = 0; i < s->n; i++)
		if (usage_dims_find(
			    &s->dims, s->db, &s->v[i], i ? &s->v[i - 1] : NULL, &refs, e) ||
			put_line(s, &s->v[i], &refs, e))
			return e->code;
	return db_commit(&tx, e);
}

enum err_code usage_stage_flush(struct usage_stage *s, struct err *e)
{
	enum err_code rc = s->n ? put_batch(s, e) : E_OK;

	if (rc)
		usage_dims_forget(&s->dims); /* what it holds may have been rolled back */
	empty_batch(s);
	return rc;
}

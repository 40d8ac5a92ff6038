#include "collector/bill/usage_stage.h"

#include "base/time/civil.h"
#include "db/db.h"
#include "db_sql.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 5000
/* Longer sets of labels are dropped: Google allows 64 labels of 63 characters each, for a resource and
 * for a project. */
#define LABELS_MAX 131072

/* ---- writing a batch --------------------------------------------------------------------------- */

#define AT_ONCE 256

static enum err_code put_lines(
	struct usage_stage *s, const struct usage_batch *b, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct stage_line lines[AT_ONCE], row;

	if (db_begin(s->db, &tx, e))
		return e->code;
	for (size_t i = 0; i < b->n; i++) {
		const struct usage_line *l = &b->v[i];
		size_t at = i % AT_ONCE;
		bool last = at + 1 == AT_ONCE || i + 1 == b->n;

		if (usage_dims_find(&s->dims, s->db, l, i ? l - 1 : NULL, &row, e))
			return e->code;
		row.unit = l->unit;
		row.hour = l->hour;
		row.usage = l->usage;
		row.cost = l->cost;
		row.credits = l->credits;
		row.discount = l->discount;
		row.committed = l->committed;
		row.rows = l->rows;
		lines[at] = row;
		if (last && stage_put(s->db, lines, at + 1, e))
			return e->code;
	}
	return db_commit(&tx, e);
}

static void usage_stage_empty(struct usage_batch *b)
{
	arena_done(&b->texts);
	b->v = NULL;
	b->n = 0;
}

static enum err_code put_batch(struct usage_stage *s, struct usage_batch *b, struct err *e)
{
	enum err_code rc = b->n ? put_lines(s, b, e) : E_OK;

	if (rc)
		usage_dims_forget(
			&s->dims); /* the cache may hold references that were rolled
					      * back */
	usage_stage_empty(b);
	return rc;
}

/* ---- writer thread --------------------------------------------------------------------------- */

struct usage_worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct usage_stage *stage;
	struct usage_batch batch; /* currently written */
	bool busy, quit;
	struct err failed; /* error of a batch; later batches are discarded */
};

static void *usage_stage_work(void *arg)
{
	struct usage_worker *w = arg;
	struct err e;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (!w->busy && !w->quit)
			pthread_cond_wait(&w->changed, &w->lock);
		if (!w->busy)
			break;
		pthread_mutex_unlock(&w->lock);
		err_clear(&e);
		if (w->failed.code)
			usage_stage_empty(&w->batch);
		else if (put_batch(w->stage, &w->batch, &e))
			w->failed = e;
		pthread_mutex_lock(&w->lock);
		w->busy = false;
		pthread_cond_signal(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void wait_idle(struct usage_worker *w)
{
	pthread_mutex_lock(&w->lock);
	while (w->busy)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

static enum err_code usage_stage_hand_over(
	struct usage_worker *w, struct usage_batch *b, struct err *e)
{
	wait_idle(w);
	if (w->failed.code) {
		*e = w->failed;
		return e->code;
	}
	w->batch = *b;
	*b = (struct usage_batch){0};
	pthread_mutex_lock(&w->lock);
	w->busy = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	return E_OK;
}

/* Works without a thread as well, but not in parallel. */
static void start_worker(struct usage_stage *s)
{
	struct usage_worker *w = xcalloc(1, sizeof(*w));

	w->stage = s;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	if (pthread_create(&w->thread, NULL, usage_stage_work, w)) {
		free(w);
		return;
	}
	s->worker = w;
}

static void stop_worker(struct usage_stage *s)
{
	struct usage_worker *w = s->worker;

	if (!w)
		return;
	wait_idle(w);
	pthread_mutex_lock(&w->lock);
	w->quit = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w);
	s->worker = NULL;
}

/* ---- stage ------------------------------------------------------------------------------------- */

enum err_code usage_stage_open(
	struct usage_stage *s, struct db *db, bool threaded, struct err *e)
{
	*s = (struct usage_stage){.db = db};
	if (q_stage_clear(db, e))
		return e->code;
	if (threaded)
		start_worker(s);
	return E_OK;
}

void usage_stage_close(struct usage_stage *s)
{
	stop_worker(s);
	usage_dims_done(&s->dims);
	usage_stage_empty(&s->filling);
}

enum err_code usage_stage_clear(struct usage_stage *s, struct err *e)
{
	if (s->worker)
		wait_idle(s->worker);
	usage_stage_empty(&s->filling);
	s->lines = 0;
	return q_stage_clear(s->db, e);
}

/* Lines are sorted, so most texts are the same as those of the previous line. */
static void keep_texts(struct arena *a, struct usage_line *l, struct usage_line *before)
{
	for (size_t i = 0; i < USAGE_TEXTS; i++) {
		const char **at = usage_text(l, i);
		const char *was = before ? *usage_text(before, i) : NULL;

		*at = was && !strcmp(was, *at) ? was : arena_strdup(a, *at);
	}
}

static enum err_code pass_on(struct usage_stage *s, struct err *e)
{
	return s->worker ? usage_stage_hand_over(s->worker, &s->filling, e)
			 : put_batch(s, &s->filling, e);
}

enum err_code usage_stage_add(
	struct usage_stage *s, const struct usage_line *line, struct err *e)
{
	struct usage_batch *b = &s->filling;

	if (b->n == BATCH && pass_on(s, e))
		return e->code;
	if (!b->v)
		b->v = arena_alloc(&b->texts, BATCH * sizeof(*b->v));
	b->v[b->n] = *line;
	if (strlen(line->labels) > LABELS_MAX)
		b->v[b->n].labels = "";
	keep_texts(&b->texts, &b->v[b->n], b->n ? &b->v[b->n - 1] : NULL);
	b->n++;
	s->lines++;
	return E_OK;
}

enum err_code usage_stage_flush(struct usage_stage *s, struct err *e)
{
	if (pass_on(s, e))
		return e->code;
	if (!s->worker)
		return E_OK;
	wait_idle(s->worker);
	if (s->worker->failed.code)
		*e = s->worker->failed;
	return s->worker->failed.code;
}

/* ---- times ------------------------------------------------------------------------------------- */

#define FIRST_USAGE INT64_C(1207008000)
#define USAGE_AHEAD (2 * DAY_SECONDS)

enum err_code usage_time_check(ts_t t, ts_t now, const char *name, struct err *e)
{
	char at[RFC3339_BUF];

	if (t < FIRST_USAGE)
		return err_set(e, E_DATA, "%s: before Google Cloud existed", name);
	if (t <= now + USAGE_AHEAD)
		return E_OK;
	err_set(e, E_DATA, "%s: %s is in the future", name, rfc3339_format(t, at));
	return err_fix(e, "if that time is correct, set the clock of this machine");
}

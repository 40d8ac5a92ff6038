/* Explains a source of data: its age and its errors; and a quota, with its limits and its use. */
#include "base/time/civil.h"
#include "reports/why/internal.h"

#include <string.h>

static enum err_code source_add_source(
	struct explaining *x, const struct q_explain_sources *q, struct err *e)
{
	struct q_explain_gaps_in in = {.source = q->source, .project = q->project};
	char interval[DURATION_BUF], limit[DURATION_BUF];
	int64_t seconds = q->seconds.set ? q->seconds.v : HOUR_SECONDS;
	struct explain_row *row;
	struct db_rows rows;

	explain_section(x, arena_printf(x->a, "%s of %s", q->source, q->project));
	explain_say(x, "state", "%s", q->state);
	explain_when(x, "last complete", q->last_success);
	explain_when(x, "last tried", SOME(q->last_attempt));
	row = explain_say(x, "current", "%s",
		!q->stale                     ? "yes"
			: q->last_success.set ? "no: stale"
					      : "no: it has not been read completely yet");
	row->formula = arena_printf(x->a, "polled every %s, stale after %s",
		duration_format(seconds, interval), duration_format(3 * seconds, limit));
	explain_count(x, "items", SOME(q->items), NULL);
	if (q->failures)
		explain_count(x, "consecutive failures", SOME(q->failures), NULL);
	explain_fact(x, "error", q->error);
	explain_fact(x, "fix", q->fix);
	return explain_rows(
		x, NULL, q_explain_gaps_open(x->db, &in, &rows, e), &rows, NULL, NULL, e);
}

enum err_code explain_source(struct explaining *x, const char *key, struct err *e)
{
	struct q_explain_sources_in in = {.source = key};
	struct q_explain_sources *v;
	size_t n;

	x->title = arena_printf(x->a, "source %s", key);
	if (q_explain_sources_all(x->db, &in, x->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		if (source_add_source(x, &v[i], e))
			return e->code;
	return E_OK;
}

static void add_trouble(struct explaining *x, const struct q_explain_sources *q)
{
	struct explain_row *row;

	if (!strcmp(q->state, "disabled") && !q->stale)
		return;
	row = explain_say(x, arena_printf(x->a, "%s of %s", q->source, q->project), "%s%s",
		q->state, q->stale ? ", stale" : "");
	row->source = q->source;
	if (q->last_success.set)
		row->age = SOME(x->now - q->last_success.v);
}

enum err_code explain_inventory_age(struct explaining *x, struct err *e)
{
	int64_t complete = 0, oldest = 0;
	struct q_explain_sources_in in = {.source = NULL};
	struct q_explain_sources *v;
	struct explain_row *row;
	size_t all, n = 0;

	explain_section(x, "Data sources");
	if (q_explain_sources_all(x->db, &in, x->a, &v, &all, e))
		return e->code;
	for (size_t i = 0; i < all; i++) {
		if (v[i].last_success.set && x->now - v[i].last_success.v > oldest)
			oldest = x->now - v[i].last_success.v;
		if (!strcmp(v[i].state, "ok") && !v[i].stale)
			complete++;
		else if (++n <= EXPLAIN_SHOWN)
			add_trouble(x, &v[i]);
	}
	explain_more(x, n, "tpucost sources");
	row = explain_say(x, "inventory", "%lld of %zu lists are complete and current",
		(long long)complete, all);
	row->source = "the oldest of them";
	if (all)
		row->age = SOME(oldest);
	return E_OK;
}

/* ---- a quota ----------------------------------------------------------------------------------- */

enum err_code explain_quota(struct explaining *x, const char *key, struct err *e)
{
	struct q_explain_quota_in in = {.key = key};
	struct db_rows rows;

	x->title = arena_printf(x->a, "quota %s", key);
	if (explain_rows(x, NULL, q_explain_quota_open(x->db, &in, &rows, e), &rows, NULL,
		    NULL, e))
		return e->code;
	explain_section(x, "Meaning");
	explain_say(x, "not a grant", "use within a quota may still cost money");
	return E_OK;
}

/* What is polled: how fresh it is, and what is wrong with it. */
#include "base/time/civil.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/why/internal.h"

#include <string.h>

enum err_code explain_source_names(
	struct explaining *x, struct explain_names *out, struct err *e)
{
	struct q_explain_sources q;
	struct db_rows rows;
	const char *last = "";

	if (q_explain_sources_open(x->db, &rows, e))
		return e->code;
	while (q_explain_sources_next(&rows, &q)) {
		if (!strcmp(last, q.source))
			continue;
		last = arena_strdup(x->a, q.source);
		explain_name(x, out, last);
	}
	return db_rows_close(&rows, e);
}

static enum err_code gaps_of(
	struct explaining *x, const char *source, const char *project, struct err *e)
{
	struct q_explain_gaps_in in = {.source = source, .project = project};
	struct q_explain_gaps q;
	struct db_rows rows;

	if (q_explain_gaps_open(x->db, &in, &rows, e))
		return e->code;
	while (q_explain_gaps_next(&rows, &q))
		explain_when(
			x, arena_printf(x->a, "silent: %s", q.location), SOME(q.since));
	return db_rows_close(&rows, e);
}

static enum err_code add_source(
	struct explaining *x, const struct q_explain_sources *q, struct err *e)
{
	char interval[DURATION_BUF], limit[DURATION_BUF];
	int64_t seconds = q->seconds.set ? q->seconds.v : HOUR_SECONDS;
	struct explain_row *row;

	explain_section(x, arena_printf(x->a, "%s of %s", q->source, q->project));
	explain_say(x, "state", "%s", q->state);
	explain_when(x, "last complete", q->last_success);
	explain_when(x, "last tried", SOME(q->last_attempt));
	row = explain_say(x, "fresh enough", "%s",
		!q->stale                     ? "yes"
			: q->last_success.set ? "no: stale"
					      : "no: it was never read completely");
	row->formula = arena_printf(x->a, "polled every %s, stale after %s",
		duration_format(seconds, interval), duration_format(3 * seconds, limit));
	explain_count(x, "items", SOME(q->items), NULL);
	if (q->failures)
		explain_count(x, "failed in a row", SOME(q->failures), NULL);
	explain_fact(x, "error", q->error);
	explain_fact(x, "fix", q->fix);
	return gaps_of(x, q->source, q->project, e);
}

enum err_code explain_source(struct explaining *x, const char *key, struct err *e)
{
	struct q_explain_sources q;
	struct db_rows rows;
	enum err_code rc = E_OK;

	x->title = arena_printf(x->a, "source %s", key);
	if (q_explain_sources_open(x->db, &rows, e))
		return e->code;
	while (!rc && q_explain_sources_next(&rows, &q))
		if (!strcmp(q.source, key))
			rc = add_source(x, &q, e);
	return db_rows_end(&rows, rc, e);
}

static bool of_inventory(const char *source)
{
	static const char *const parts[] = {
		"vm", "disk", "ip", "snapshot", "tpu", "queued", "bucket"};

	return str_in(source, parts, ARRAY_LEN(parts));
}

static void add_trouble(struct explaining *x, const struct q_explain_sources *q)
{
	struct explain_row *row;

	if (!strcmp(q->state, "disabled") && !q->stale)
		return;
	row = explain_say(x, arena_printf(x->a, "%s of %s", q->source, q->project), "%s%s",
		q->state, q->stale ? ", stale" : "");
	row->source = arena_strdup(x->a, q->source);
	if (q->last_success.set)
		row->age = SOME(x->now - q->last_success.v);
}

enum err_code explain_inventory_age(struct explaining *x, struct err *e)
{
	int64_t complete = 0, all = 0, oldest = 0;
	struct q_explain_sources q;
	struct explain_row *row;
	struct db_rows rows;
	size_t n = 0;

	explain_section(x, "What it rests on");
	if (q_explain_sources_open(x->db, &rows, e))
		return e->code;
	while (q_explain_sources_next(&rows, &q)) {
		if (!of_inventory(q.source))
			continue;
		all++;
		if (q.last_success.set && x->now - q.last_success.v > oldest)
			oldest = x->now - q.last_success.v;
		if (!strcmp(q.state, "ok") && !q.stale)
			complete++;
		else if (++n <= EXPLAIN_SHOWN)
			add_trouble(x, &q);
	}
	explain_more(x, n, "tpucost sources");
	row = explain_say(x, "inventory", "%lld of %lld lists were read completely",
		(long long)complete, (long long)all);
	row->source = "the oldest of them";
	if (all)
		row->age = SOME(oldest);
	return db_rows_close(&rows, e);
}

/* Explains a source of data: its age and its errors; and a quota, with its limits and its use. */
#include "base/time/civil.h"
#include "reports/why/internal.h"

#include <string.h>

static void source_add_source(struct explaining *x, const struct q_explain_sources *q)
{
	char interval[DURATION_BUF], limit[DURATION_BUF];
	int64_t seconds = q->seconds.set ? q->seconds.v : HOUR_SECONDS;
	struct explain_row *row;

	explain_section(x, arena_printf(x->a, "%s of %s", q->source, q->project));
	explain_say(x, "state", "%s", q->state);
	explain_when(x, "last complete", q->last_success);
	explain_when(x, "last tried", SOME(q->last_attempt));
	if (q->asked.set) {
		explain_when(x, "last polled", q->asked);
		explain_fact(x, "since then",
			"nothing there in the index of Cloud Asset Inventory");
	}
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
	explain_rows(x, NULL,
		q_explain_gaps_read(x, .source = q->source, .project = q->project), NULL);
}

void explain_source(struct explaining *x, const char *key)
{
	struct q_explain_sources_rows rows;

	x->title = arena_printf(x->a, "source %s", key);
	rows = q_explain_sources_rows(x, .source = key);
	for (size_t i = 0; i < rows.n; i++)
		source_add_source(x, &rows.v[i]);
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

void explain_inventory_age(struct explaining *x)
{
	int64_t complete = 0, oldest = 0;
	struct q_explain_sources_rows rows;
	struct explain_row *row;
	size_t n = 0;

	explain_section(x, "Data sources");
	rows = q_explain_sources_rows(x, .source = NULL);
	for (size_t i = 0; i < rows.n; i++) {
		if (rows.v[i].last_success.set &&
			x->now - rows.v[i].last_success.v > oldest)
			oldest = x->now - rows.v[i].last_success.v;
		if (!strcmp(rows.v[i].state, "ok") && !rows.v[i].stale)
			complete++;
		else if (++n <= EXPLAIN_SHOWN)
			add_trouble(x, &rows.v[i]);
	}
	explain_more(x, n, "tpucost sources");
	row = explain_say(x, "inventory", "%lld of %zu lists are complete and current",
		(long long)complete, rows.n);
	row->source = "the oldest of them";
	if (rows.n)
		row->age = SOME(oldest);
}

/* ---- a quota ----------------------------------------------------------------------------------- */

void explain_quota(struct explaining *x, const char *key)
{
	x->title = arena_printf(x->a, "quota %s", key);
	explain_rows(x, NULL, q_explain_quota_read(x, .key = key), NULL);
	explain_section(x, "Meaning");
	explain_say(x, "not a grant", "use within a quota may still cost money");
}

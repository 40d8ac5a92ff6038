/* Results of each source in each project: the table source_status. */
#include "collector/collect.h"

#include "base/sbuf.h"
#include "db_sql.h"

#include <string.h>

#define SLOWEST 300 /* maximum seconds between attempts of a failing source */

/* 1, 2, 4, ... times the interval. */
static int64_t backed_off(int64_t interval, int64_t failures)
{
	int64_t most = interval > SLOWEST ? interval : SLOWEST, wait = interval;

	while (failures-- > 1 && wait < most)
		wait *= 2;
	return wait < most ? wait : most;
}

ts_t status_next(int64_t interval, ts_t last_attempt, int64_t failures)
{
	return last_attempt + backed_off(interval, failures);
}

enum err_code status_due(struct db *db, const char *source, const char *project,
	int64_t interval, ts_t now, bool *due, struct err *e)
{
	struct q_source_state_in in = {.source = source, .project = project};
	struct q_source_state row;
	cleanup(arena_done) struct arena a = {0};
	bool found;

	*due = true;
	if (q_source_state_one(db, &in, &a, &row, &found, e))
		return e->code;
	/* No poll failed: what it read counts as unread, see billing_table_unread. */
	if (found && !strcmp(row.state, "failed") && !row.failures && !row.last_success.set)
		return E_OK;
	if (found && row.last_attempt <= now &&
		now - row.last_attempt < backed_off(interval, row.failures))
		*due = false;
	return E_OK;
}

enum err_code status_past(struct poll *p, struct err *e)
{
	struct q_source_state_in in = {.source = p->source->name, .project = p->project};
	struct q_source_state row;
	bool found;

	if (q_source_state_one(p->db, &in, p->arena, &row, &found, e))
		return e->code;
	p->was_read = found && row.last_success.set;
	p->was_disabled = found && !strcmp(row.state, "disabled");
	p->was_partial = found && !strcmp(row.state, "partial");
	p->was_failed = found && !strcmp(row.state, "failed");
	p->was_error = found ? row.error : NULL;
	p->was_fix = found ? row.fix : NULL;
	return E_OK;
}

void status_unanswered(const struct poll *p, struct err *why)
{
	if (!p->was_disabled ||
		(why->code != E_NET && why->code != E_HTTP && why->code != E_RATE &&
			why->code != E_AUTH))
		return;
	err_set(why, E_DISABLED, "%s", p->was_error ? p->was_error : "");
	err_fix(why, "%s", p->was_fix ? p->was_fix : "");
}

enum err_code status_inherit(struct poll *p, struct err *why)
{
	for (int i = 0; i < SOURCE_AFTER && p->source->after[i]; i++) {
		struct q_source_state_in in = {
			.source = p->source->after[i]->name, .project = p->project};
		struct q_source_state row;
		bool found;

		if (q_source_state_one(p->db, &in, p->arena, &row, &found, why))
			return why->code;
		if (!found || strcmp(row.state, "failed") != 0)
			continue;
		err_set(why, E_DATA, "%s", row.error ? row.error : "");
		return err_fix(why, "%s", row.fix ? row.fix : "");
	}
	return E_OK;
}

static const char *status_state_of(const struct poll *p, enum err_code code)
{
	if (code == E_DISABLED)
		return "disabled";
	if (code)
		return "failed";
	return p->n_gaps || p->note ? "partial" : "ok";
}

static enum err_code status_put_gaps(const struct poll *p, struct err *e)
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
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < p->n_gaps; i++)
		sbuf_addf(&b, "%s%s", i ? ", " : "no answer from ", p->gaps[i]);
	if (p->note)
		sbuf_addf(&b, "%s%s", p->n_gaps ? "; " : "", p->note);
	return arena_strdup(p->arena, b.s);
}

enum err_code status_put(struct poll *p, const struct err *why, struct err *e)
{
	struct q_source_put_in in = {.source = p->source->name,
		.project = p->project,
		.state = status_state_of(p, why ? why->code : E_OK),
		.attempt = p->now,
		.items = (int64_t)p->items,
		.failed = why != NULL,
		.poll_group = p->source->group};
	struct q_source_incomplete_in stale = {
		.source = p->source->name, .project = p->project};
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (why) {
		in.error = why->msg;
		in.fix = why->fix[0] ? why->fix : NULL;
	} else if (p->n_gaps || p->note) {
		in.error = gaps_text(p);
	} else {
		in.success = SOME(p->now);
	}
	if (db_begin(p->db, &tx, e) || q_source_put(p->db, &in, e) || status_put_gaps(p, e))
		return e->code;
	if (why && q_source_incomplete(p->db, &stale, e))
		return e->code;
	return db_commit(&tx, e);
}

void status_advise(struct err *why)
{
	if (why->fix[0])
		return;
	if (why->code == E_AUTH)
		err_fix(why,
			"check credentials: in the configuration, or run: gcloud auth "
			"application-default login");
	else if (why->code == E_NOTFOUND)
		err_fix(why,
			"check the name in `projects:`; Google reports the same for a "
			"project that the credentials may not access");
	else if (why->code == E_NET || why->code == E_HTTP || why->code == E_RATE)
		err_fix(why, "the previous data is kept; the next poll tries again");
}

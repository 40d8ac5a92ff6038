/* What was done to machines, and messages that could not be delivered. */
#include "base/time/civil.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/daily/internal.h"

#include <string.h>

#define LOST_SINCE (7 * DAY_SECONDS)

static const struct doc_column lost_columns[] = {
	{"channel", "channel", DOC_TEXT, 0, 0},
	{"kind", "kind", DOC_TEXT, 0, 1},
	{"subject", "message", DOC_TEXT, 0, 0},
	{"at", "given up", DOC_TIME, 0, 1},
	{"attempts", NULL, DOC_INT, 0, 0},
	{"error", NULL, DOC_TEXT, 0, 0},
	{"id", NULL, DOC_INT, 0, 0},
};

static enum err_code add_lost(struct daily *d, struct err *e)
{
	struct doc_section *s = doc_section(d->doc, "lost_messages",
		"Messages that could not be delivered", lost_columns,
		ARRAY_LEN(lost_columns));
	struct q_daily_lost_in in = {.since = d->now - LOST_SINCE};
	const char *channel = NULL, *error = NULL;
	struct q_daily_lost q;
	struct db_rows rows;

	s->tone = TONE_WARN;
	if (q_daily_lost_open(d->db, &in, &rows, e))
		return e->code;
	while (q_daily_lost_next(&rows, &q)) {
		struct doc_row *row = doc_row(d->doc, s);
		struct doc_cell *c = row->cells;

		c[0] = cell_text(arena_strdup(d->a, q.channel));
		c[1] = cell_text(arena_strdup(d->a, q.kind));
		c[2] = cell_text(arena_strdup(d->a, q.subject));
		c[3] = cell_time(q.finished.set ? q.finished.v : TS_NONE);
		c[4] = cell_int(q.attempts);
		c[5] = cell_text(arena_strdup(d->a, q.error));
		c[6] = cell_int(q.id);
		/* newest first; the same trouble is told once for a channel */
		if (!str_eq(c[0].text, channel) || !str_eq(c[5].text, error))
			row->detail = c[5].text;
		channel = c[0].text;
		error = c[5].text;
	}
	return db_rows_close(&rows, e);
}

enum err_code daily_add_acts(struct daily *d, struct err *e)
{
	return daily_add_actions(d, e) ? e->code : add_lost(d, e);
}

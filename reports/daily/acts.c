/* Actions on machines, and messages that could not be delivered. */
#include "base/time/civil.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/daily/internal.h"

#include <string.h>

#define LOST_SINCE (7 * DAY_SECONDS)

static const struct doc_column lost_columns[] = {
	{"channel", "channel"},
	{"kind", "kind", .rank = 1},
	{"subject", "message"},
	{"at", "undeliverable since", .rank = 1},
	{"attempts"},
	{"error"},
	{"id", .type = DOC_INT},
};

static enum err_code add_lost(struct daily *d, struct err *e)
{
	struct doc_section *s = doc_section_like(d->doc, "lost_messages",
		"Messages that could not be delivered", "notifications", lost_columns,
		ARRAY_LEN(lost_columns));
	struct q_daily_lost_in in = {.since = d->now - LOST_SINCE};
	const char *channel = NULL, *error = NULL;
	struct doc_row *row;
	struct db_rows rows;

	s->tone = TONE_WARN;
	if (q_daily_lost_open(d->db, &in, &rows, e))
		return e->code;
	while ((row = doc_read(s, &rows))) {
		const char *this_channel = doc_at(s, row, "channel")->text;
		const char *this_error = doc_at(s, row, "error")->text;

		/* newest first; a repeated error is shown once for a channel */
		if (!str_eq(this_channel, channel) || !str_eq(this_error, error))
			row->detail = this_error;
		channel = this_channel;
		error = this_error;
	}
	return db_rows_close(&rows, e);
}

enum err_code daily_add_acts(struct daily *d, struct err *e)
{
	return daily_add_actions(d, e) ? e->code : add_lost(d, e);
}

#include "reports/month/bill_end.h"

#include "base/time/civil.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/shared.h"

#define LATE (2 * DAY_SECONDS)
#define LATELY 30 /* days: an account without usage in them counts as closed */

/* The earliest end of the accounts, or the latest. */
static enum err_code bill_end_read_days(struct db *db, day_t first, day_t last, bool least,
	struct arena *a, struct bill_end *end, struct err *e)
{
	struct q_bill_end_in in = {.first = first, .last = last};
	struct q_bill_end q;
	struct db_rows rows;
	size_t n = 0;

	if (q_bill_end_open(db, &in, &rows, e))
		return e->code;
	while (q_bill_end_next(&rows, &q)) {
		if (!q.until.set ||
			(n++ &&
				(least ? q.until.v >= end->newest
				       : q.until.v <= end->newest)))
			continue;
		end->newest = q.until.v;
		end->account = arena_strdup(a, q.account);
	}
	if (n == 1 || (n && !*end->account))
		end->account = NULL;
	return db_rows_close(&rows, e);
}

enum err_code bill_end_read(struct db *db, const struct tz *tz, ts_t now, struct arena *a,
	struct bill_end *end, struct err *e)
{
	day_t today = tz_day(tz, now);
	struct q_bill_read read;
	bool found;

	if (q_bill_read_one(db, a, &read, &found, e))
		return e->code;
	*end = (struct bill_end){
		.newest = TS_NONE, .read = ts_of_opt(read.at), .unread = read.unread};
	if (bill_end_read_days(db, today - LATELY, today, true, a, end, e))
		return e->code;
	if (end->newest == TS_NONE && bill_end_read_days(db, 0, today, false, a, end, e))
		return e->code;
	end->old = end->newest != TS_NONE && end->newest < now - LATE;
	return E_OK;
}

bool bill_end_before(const struct bill_end *end, ts_t ends)
{
	return end->old && end->newest < ends;
}

enum rec_status bill_end_status(
	const struct bill_end *end, ts_t ends, struct opt_i64 known, ts_t now)
{
	enum rec_status status = rec_status_at(ends, known.set ? known.v : now, now);

	if (bill_end_before(end, ends))
		return REC_PARTIAL;
	if (bill_end_before(end, ends + DAY_SECONDS) && status == REC_SETTLED)
		return REC_SETTLING;
	return status;
}

const char *bill_end_note(const struct bill_end *end, const struct doc *d)
{
	bool lately = d->now - end->newest <= LATELY * DAY_SECONDS;
	char age[DURATION_BUF];

	return arena_printf(d->arena, "%s%s%s %s %s, %s ago: later usage is not on it.",
		lately ? "The bill" : "The newest usage on the bill",
		end->account ? " of " : "", end->account ? end->account : "",
		lately ? "ends at" : "is from", moment_text(d, end->newest),
		duration_format(d->now - end->newest, age));
}

ts_t bill_end_stale(const struct bill_end *end)
{
	return end->unread ? end->read : TS_NONE;
}

void bill_end_fact(const struct bill_end *end, struct doc *d, const char *title)
{
	doc_fact(d, "billing_newest_usage", title, cell_time(end->newest));
}

#include "reports/month/bill_end.h"

#include "base/time/civil.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/shared.h"

#define LATE (2 * DAY_SECONDS)
#define LATELY 30 /* days: an account without usage in them counts as closed */

/* The earliest end of the accounts, or the latest. */
static void bill_end_read_days(const struct db_reader *r, day_t first, day_t last,
	bool least, struct bill_end *end)
{
	struct q_bill_end_rows rows = q_bill_end_rows(r, .first = first, .last = last);
	size_t n = 0;

	for (size_t i = 0; i < rows.n; i++) {
		const struct q_bill_end *q = &rows.v[i];

		if (!q->until.set ||
			(n++ &&
				(least ? q->until.v >= end->newest
				       : q->until.v <= end->newest)))
			continue;
		end->newest = q->until.v;
		end->account = q->account;
	}
	if (n == 1 || (n && !*end->account))
		end->account = NULL;
}

struct bill_end bill_end_read(const struct db_reader *r, const struct tz *tz, ts_t now)
{
	day_t today = tz_day(tz, now);
	const struct q_bill_read *read = q_bill_read_row(r);
	struct bill_end end = {.newest = TS_NONE,
		.read = read ? ts_of_opt(read->at) : TS_NONE,
		.unread = read && read->unread};

	bill_end_read_days(r, today - LATELY, today, true, &end);
	if (end.newest == TS_NONE)
		bill_end_read_days(r, 0, today, false, &end);
	end.old = end.newest != TS_NONE && end.newest < now - LATE;
	return end;
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

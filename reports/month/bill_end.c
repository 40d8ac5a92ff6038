#include "reports/month/bill_end.h"

#include "db/db.h"
#include "db_sql.h"
#include "reports/shared.h"

struct bill_end bill_end_read(const struct db_reader *r, const struct tz *tz, ts_t now)
{
	const struct q_bill_read *read = q_bill_read_row(r);
	struct bill_end end;

	if (bill_end_find(r->db, tz, now, r->a, &end, r->e))
		return end; /* the reader keeps the error */
	end.read = read ? ts_of_opt(read->at) : TS_NONE;
	end.unread = read && read->unread;
	end.lacks = read ? read->lacks : NULL;
	return end;
}

const char *bill_end_note(const struct bill_end *end, const struct doc *d)
{
	bool lately = d->now - end->newest <= BILL_END_LATELY * DAY_SECONDS;
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

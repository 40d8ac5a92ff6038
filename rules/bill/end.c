#include "rules/bill/end.h"

#include "base/time/civil.h"
#include "db_sql.h"

#define LATE (2 * DAY_SECONDS)

/* The earliest end of the accounts, or the latest. */
static enum err_code bill_end_of_days(struct db *db, struct arena *a, day_t first,
	day_t last, bool least, struct bill_end *end, struct err *e)
{
	struct q_bill_end_in in = {.first = first, .last = last};
	struct q_bill_end *v;
	size_t n, accounts = 0;

	if (q_bill_end_all(db, &in, a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		if (!v[i].until.set ||
			(accounts++ &&
				(least ? v[i].until.v >= end->newest
				       : v[i].until.v <= end->newest)))
			continue;
		end->newest = v[i].until.v;
		end->account = v[i].account;
	}
	if (accounts == 1 || (accounts && !*end->account))
		end->account = NULL;
	return E_OK;
}

enum err_code bill_end_find(struct db *db, const struct tz *tz, ts_t now, struct arena *a,
	struct bill_end *out, struct err *e)
{
	day_t today = tz_day(tz, now);

	*out = (struct bill_end){.newest = TS_NONE, .read = TS_NONE};
	if (bill_end_of_days(db, a, today - BILL_END_LATELY, today, true, out, e) ||
		(out->newest == TS_NONE &&
			bill_end_of_days(db, a, 0, today, false, out, e)))
		return e->code;
	out->old = out->newest != TS_NONE && out->newest < now - LATE;
	return E_OK;
}

struct opt_i64 bill_begins(const struct tz *tz, struct opt_i64 utc)
{
	ts_t local = utc.set ? tz_day_start(tz, (day_t)(utc.v / DAY_SECONDS)) : 0;

	return utc.set && local > utc.v ? SOME(local) : utc;
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

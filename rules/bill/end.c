#include "rules/bill/end.h"

#include "base/time/civil.h"

#define LATE (2 * DAY_SECONDS)

enum err_code bill_ends_read(struct db *db, day_t today, struct arena *a,
	struct account_ends *out, struct err *e)
{
	struct q_bill_end_in lately = {.first = today - BILL_END_LATELY, .last = today},
			     ever = {.first = 0, .last = today};

	*out = (struct account_ends){.lately = true};
	if (q_bill_end_all(db, &lately, a, &out->v, &out->n, e))
		return e->code;
	for (size_t i = 0; i < out->n; i++)
		if (out->v[i].until.set)
			return E_OK;
	out->lately = false;
	return q_bill_end_all(db, &ever, a, &out->v, &out->n, e);
}

struct bill_end bill_end_at(ts_t newest, ts_t now)
{
	return (struct bill_end){.newest = newest,
		.read = TS_NONE,
		.old = newest != TS_NONE && newest < now - LATE};
}

/* The earliest end of the accounts, or the latest if none is used lately. */
enum err_code bill_end_find(struct db *db, const struct tz *tz, ts_t now, struct arena *a,
	struct bill_end *out, struct err *e)
{
	const struct q_bill_end *x = NULL;
	struct account_ends ends;
	size_t accounts = 0;

	*out = bill_end_at(TS_NONE, now);
	if (bill_ends_read(db, tz_day(tz, now), a, &ends, e))
		return e->code;
	for (size_t i = 0; i < ends.n; i++) {
		const struct q_bill_end *q = &ends.v[i];

		if (q->until.set &&
			(!accounts++ ||
				(ends.lately ? q->until.v < x->until.v
					     : q->until.v > x->until.v)))
			x = q;
	}
	if (!x)
		return E_OK;
	*out = bill_end_at(x->until.v, now);
	out->account = accounts > 1 && *x->account ? x->account : NULL;
	return E_OK;
}

bool bill_end_before(const struct bill_end *end, ts_t ends)
{
	return end->old && end->newest < ends;
}

ts_t bill_end_known(const struct bill_end *end, ts_t ends, ts_t known)
{
	ts_t until = end->newest + DAY_SECONDS;

	return bill_end_before(end, ends + DAY_SECONDS) && until < known ? until : known;
}

enum rec_status bill_end_status(
	const struct bill_end *end, ts_t ends, struct opt_i64 known, ts_t now)
{
	return rec_status_at(
		ends, bill_end_known(end, ends, known.set ? known.v : now), now);
}

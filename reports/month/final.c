#include "reports/month/final.h"

#include "base/time/civil.h"
#include "reports/shared.h"

#include <string.h>

day_t month_first(int year, int month)
{
	return month > 12 ? civil_to_day(year + 1, 1, 1) : civil_to_day(year, month, 1);
}

/* Last read of the newest of its days, of the account that is furthest behind. Days are sorted by
 * account. */
static ts_t days_known(const struct bill_known *k)
{
	ts_t known = TS_NONE;

	for (size_t i = 0, end; i < k->n_days; i = end) {
		const char *account = k->days[i].account;
		ts_t newest = k->days[i].until;

		for (end = i + 1; end < k->n_days; end++) {
			if (strcmp(k->days[end].account, account) != 0)
				break;
			if (k->days[end].until > newest)
				newest = k->days[end].until;
		}
		if (known == TS_NONE || newest < known)
			known = newest;
	}
	return known;
}

/* An account that was not used before looks like one whose export begins late. */
static const char *final_begins(const struct db_reader *r, day_t first, day_t last)
{
	const struct q_bill_begins *q = q_bill_begins_row(r, .first = first, .last = last);

	if (!q)
		return NULL;
	return arena_printf(r->a,
		"the billing data%s%s begins on %s; earlier usage, if any, is not in it",
		q->accounts > 1 ? " of " : "",
		q->accounts <= 1      ? ""
			: *q->account ? q->account
				      : "the unknown account",
		date_text(r->a, (day_t)q->day));
}

struct month_final month_final_read(const struct db_reader *r, const struct tz *tz,
	const struct tz *pacific, day_t first, day_t last, ts_t now)
{
	static const char *const names[] = {"open", "partial", "settling", "settled"};
	const char *closes = date_text(r->a, last + CLOSES_ON);
	struct month_final f = {.ends = tz_day_start(pacific, last + 1),
		.closes = tz_day_start(pacific, last + CLOSES_ON)};

	f.end = bill_end_read(r, tz, now);
	if (bill_known_days(r->db, r->a, first - 1, last + 1, &f.days, r->e))
		return f;
	f.known = days_known(&f.days);
	f.begins = final_begins(r, first, last);
	f.ends_early = f.end.old && f.end.newest < f.ends - 2 * DAY_SECONDS;
	f.status = MONTH_SETTLED;
	if (now < f.closes) {
		f.status = now < f.ends ? MONTH_OPEN : MONTH_SETTLING;
		f.reason = arena_printf(r->a, "Google adds usage until about %s", closes);
	} else if (f.known < f.closes || f.ends_early) {
		f.status = MONTH_SETTLING;
		f.reason = arena_printf(r->a,
			"the billing data ends before %s, when Google closes the month",
			closes);
	}
	if (f.begins && f.status != MONTH_OPEN) {
		f.status = MONTH_PARTIAL;
		f.reason = f.begins;
	}
	f.name = names[f.status];
	return f;
}

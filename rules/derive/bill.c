/* The bill of the last weeks, read once for all that is derived of it. */
#include "base/time/civil.h"
#include "rules/derive/internal.h"

static day_t first_kept(const struct deriving *d)
{
	day_t today = tz_day(d->o->settings->tz, d->o->now), month;
	int year, mon, dom;

	civil_from_day(today, &year, &mon, &dom);
	month = today - (dom - 1);
	return month < today - ESTIMATE_DAYS ? month : today - ESTIMATE_DAYS;
}

bool derive_keeps_bill(const struct deriving *d, day_t first)
{
	return first >= first_kept(d);
}

/* The first line of that day, or of one after it. */
static size_t line_of(const struct deriving *d, day_t day)
{
	size_t low = 0, high = d->n_bill;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (d->bill[mid].day < day)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

enum err_code derive_bill(struct deriving *d, day_t first, day_t last,
	const struct bill_line **out, size_t *n, struct err *e)
{
	size_t from;

	if (!derive_keeps_bill(d, first))
		return err_set(e, E_BUG, "the bill of day %d is not kept", (int)first);
	if (!d->has_bill) {
		if (bill_lines_read(d->db, first_kept(d), INT32_MAX, &d->arena, &d->bill,
			    &d->n_bill, e))
			return e->code;
		d->has_bill = true;
	}
	from = line_of(d, first);
	*out = d->n_bill ? d->bill + from : NULL;
	*n = (last < INT32_MAX ? line_of(d, last + 1) : d->n_bill) - from;
	return E_OK;
}

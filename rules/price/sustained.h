/* Sustained-use discounts of Compute Engine: machines that run for more than a quarter of a
 * calendar month get cheaper by the hour. Facts: Compute Engine, "Sustained use discounts".
 *
 * Google applies them to the sum of like machines of a region; here they are estimated for one
 * machine by itself, which gives at most what Google gives. */
#ifndef TPUCOST_RULES_PRICE_SUSTAINED_H
#define TPUCOST_RULES_PRICE_SUSTAINED_H

#include "base/time/tz.h"

/* A month of Google's bills: Pacific time, [starts, ends). */
struct billing_month {
	ts_t starts, ends;
};
/* The one that `now` is in. E_CONFIG when the machine does not know the zone. */
enum err_code billing_month_of(
	ts_t now, struct billing_month *out, struct err *e) must_check;

/* Has this machine type sustained-use discounts? N1, N2, N2D, C2, M1, M2, f1-micro and
 * g1-small do; E2 and all others do not. */
bool sustained_family(const char *machine_type);

/* What of a price per hour the discount takes now: of a machine that has run for `seconds` of
 * the month. Zero or negative, rounded half to even. */
int64_t sustained_per_hour(const char *machine_type, int64_t nanos,
	const struct billing_month *month, int64_t seconds);

#endif
